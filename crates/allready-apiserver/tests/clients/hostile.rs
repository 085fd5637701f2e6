//! Requests that mean no good: they are refused or answered, and the next one is served as if nothing had happened.

use std::fmt::Write as _;

use allready_apiserver::ApiServer;
use kube::{
    Error,
    api::{DeleteParams, ListParams, PostParams},
};
use serde_json::json;

use super::{client, make, map, maps, names};

#[tokio::test]
async fn a_selector_of_thousands_of_terms_is_answered() {
    let client = client(&ApiServer::new());
    for index in 0..500 {
        make(&client, "default", &format!("m{index}"), json!({ "labels": { "app": "x" } })).await;
    }
    let terms: Vec<_> = (0..1_500).map(|index| format!("!k{index},app!=v{index}")).collect();
    let found = maps(&client, "default").list(&ListParams::default().labels(&terms.join(","))).await.unwrap();
    assert_eq!(found.items.len(), 500);
    let fields: Vec<_> = (0..1_500).map(|index| format!("metadata.name!=n{index}")).collect();
    let found =
        maps(&client, "default").list(&ListParams::default().fields(&fields.join(","))).await.unwrap();
    assert_eq!(found.items.len(), 500);
}

#[tokio::test]
async fn a_page_that_never_was_is_refused() {
    let client = client(&ApiServer::new());
    make(&client, "default", "a", json!({})).await;
    for (token, code) in [
        ("garbage", 400),
        ("%%%", 400),
        ("e30", 400),
        // {"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a\0"}
        ("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiJhXHUwMDAwIn0", 504),
    ] {
        let asked = ListParams::default().limit(1).continue_token(token);
        let Err(Error::Api(refused)) = maps(&client, "default").list(&asked).await else { panic!("{token}") };
        assert_eq!(refused.code, code, "{token}: {}", refused.message);
    }
    assert_eq!(names(&client, "default").await, ["a"]);
}

#[tokio::test]
async fn pages_of_a_selection_show_each_once_whatever_happens_meanwhile() {
    let client = client(&ApiServer::new());
    for index in 0..700 {
        let labels = json!({ "labels": { "even": (index % 2 == 0).to_string() } });
        make(&client, "default", &format!("m{index:03}"), labels).await;
    }
    let api = maps(&client, "default");
    let mut asked = ListParams::default().labels("even=true").limit(100);
    let mut found = Vec::new();
    let mut pages = 0;
    loop {
        let page = api.list(&asked).await.unwrap();
        found.extend(page.iter().map(kube::ResourceExt::name_any));
        pages += 1;
        // What goes and comes between two pages changes none of them.
        api.delete(&format!("m{:03}", 698 - 2 * pages), &DeleteParams::default()).await.unwrap();
        let late = map(&format!("m{pages:03}x"), &json!({ "labels": { "even": "true" } }));
        api.create(&PostParams::default(), &late).await.unwrap();
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => asked = asked.continue_token(&token),
            None => break,
        }
    }
    let wanted: Vec<_> = (0..350).map(|index| format!("m{:03}", 2 * index)).collect();
    assert_eq!(found, wanted);
    assert_eq!(pages, 4);
}

#[tokio::test]
async fn yaml_cannot_grow_beyond_what_was_sent() {
    let server = ApiServer::new();
    let client = client(&server);
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{below}]");
    }
    let request = http::Request::post("/api/v1/namespaces/default/configmaps")
        .header("content-type", "application/yaml")
        .body(text.into_bytes())
        .unwrap();
    let Err(Error::Api(refused)) = client.request::<serde_json::Value>(request).await else { panic!() };
    assert_eq!(refused.code, 400);
    assert!(refused.message.contains("excessive aliasing"), "{}", refused.message);
}
