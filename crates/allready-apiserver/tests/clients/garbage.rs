//! The garbage collector.

use allready_apiserver::ApiServer;
use kube::{
    ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::json;

use super::{client, make, maps, names, owned_by};

#[tokio::test]
async fn what_is_owned_goes_with_its_owner_and_what_that_owns_too() {
    let client = client(&ApiServer::new());
    let root = make(&client, "default", "root", json!({})).await;
    let child = make(&client, "default", "child", owned_by(&root, false)).await;
    make(&client, "default", "grandchild", owned_by(&child, false)).await;
    make(&client, "default", "stranger", json!({})).await;
    maps(&client, "default").delete("root", &DeleteParams::default()).await.unwrap();
    assert_eq!(names(&client, "default").await, ["stranger"]);
}

#[tokio::test]
async fn who_has_two_owners_stays_until_the_last_one_goes() {
    let client = client(&ApiServer::new());
    let (one, two) =
        (make(&client, "default", "one", json!({})).await, make(&client, "default", "two", json!({})).await);
    let mut both = owned_by(&one, false);
    both["ownerReferences"].as_array_mut().unwrap().push(owned_by(&two, false)["ownerReferences"][0].clone());
    make(&client, "default", "shared", both).await;
    maps(&client, "default").delete("one", &DeleteParams::default()).await.unwrap();
    let shared = maps(&client, "default").get("shared").await.unwrap();
    let owners: Vec<_> = shared.owner_references().iter().map(|owner| owner.name.as_str()).collect();
    assert_eq!(owners, ["two"]);
    maps(&client, "default").delete("two", &DeleteParams::default()).await.unwrap();
    assert!(names(&client, "default").await.is_empty());
}

#[tokio::test]
async fn orphans_are_left_without_an_owner() {
    let client = client(&ApiServer::new());
    let root = make(&client, "default", "root", json!({})).await;
    make(&client, "default", "child", owned_by(&root, false)).await;
    maps(&client, "default").delete("root", &DeleteParams::orphan()).await.unwrap();
    assert_eq!(names(&client, "default").await, ["child"]);
    assert!(maps(&client, "default").get("child").await.unwrap().owner_references().is_empty());
}

#[tokio::test]
async fn an_owner_in_the_foreground_waits_for_those_who_block_it() {
    let client = client(&ApiServer::new());
    let root = make(&client, "default", "root", json!({})).await;
    let mut held = owned_by(&root, true);
    held["finalizers"] = json!(["example.com/held"]);
    make(&client, "default", "child", held).await;
    maps(&client, "default").delete("root", &DeleteParams::foreground()).await.unwrap();
    let waiting = maps(&client, "default").get("root").await.unwrap();
    assert_eq!(waiting.finalizers(), ["foregroundDeletion"]);
    assert!(maps(&client, "default").get("child").await.unwrap().metadata.deletion_timestamp.is_some());
    let release = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    maps(&client, "default").patch("child", &PatchParams::default(), &release).await.unwrap();
    assert!(names(&client, "default").await.is_empty());
}

#[tokio::test]
async fn what_names_an_owner_that_is_not_there_is_collected() {
    let client = client(&ApiServer::new());
    let mut ghost = make(&client, "default", "ghost", json!({})).await;
    maps(&client, "default").delete("ghost", &DeleteParams::default()).await.unwrap();
    make(&client, "default", "late", owned_by(&ghost, false)).await;
    assert!(names(&client, "default").await.is_empty());

    // Another object of the same name is not the owner.
    ghost.metadata.uid = Some("00000000-0000-0000-0000-000000000000".into());
    make(&client, "default", "ghost", json!({})).await;
    make(&client, "default", "mistaken", owned_by(&ghost, false)).await;
    assert_eq!(names(&client, "default").await, ["ghost"]);
}

#[tokio::test]
async fn a_bare_server_collects_nothing() {
    let client = client(&ApiServer::builder().controllers(false).build().unwrap());
    let root = make(&client, "default", "root", json!({})).await;
    make(&client, "default", "child", owned_by(&root, false)).await;
    maps(&client, "default").delete("root", &DeleteParams::default()).await.unwrap();
    assert_eq!(names(&client, "default").await, ["child"]);
}
