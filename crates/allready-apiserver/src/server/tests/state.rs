//! Saved state, and servers that begin with it.

use std::fs;

use super::*;
use crate::server::{BuildError, Keep, StateError};

/// The state of a server with two gadgets, one of which is being deleted, and a namespace that is, too.
async fn saved(file: &std::path::Path) -> ApiServer {
    let server = builder().objects([gadget("a"), gadget("b")]).build().unwrap();
    let mut held = gadget("held");
    held["metadata"]["finalizers"] = json!(["lab.example/hold"]);
    let json = [("content-type", "application/json")];
    assert_eq!(ask(&server, &format!("POST {GADGETS}"), &json, held.to_string()).await.code, 201);
    assert_eq!(ask(&server, &format!("DELETE {GADGETS}/held"), &[], "").await.code, 200);
    server.save(file).unwrap();
    server
}

#[tokio::test]
async fn a_server_goes_on_from_what_another_saved() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let before = saved(&file).await;
    let after = builder().objects([gadget("a"), gadget("c")]).load(&file).build().unwrap();

    let objects = |server: &ApiServer| {
        let server = server.clone();
        async move { get(&server, GADGETS).await.json()["items"].clone() }
    };
    let (old, new) = (objects(&before).await, objects(&after).await);
    assert_eq!(
        old,
        new.as_array().unwrap().iter().filter(|it| it["metadata"]["name"] != "c").cloned().collect::<Value>()
    );
    let uids: std::collections::BTreeSet<&str> =
        new.as_array().unwrap().iter().map(|it| it["metadata"]["uid"].as_str().unwrap()).collect();
    assert_eq!(uids.len(), 4, "randomness of a seed is not drawn twice");
    let versions =
        |list: &Value| list["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
    assert!(versions(&get(&after, GADGETS).await.json()) > versions(&get(&before, GADGETS).await.json()));

    // What was being deleted goes on being deleted.
    let freed = json!({ "metadata": { "finalizers": null } }).to_string();
    let merge = [("content-type", "application/merge-patch+json")];
    assert_eq!(ask(&after, &format!("PATCH {GADGETS}/held"), &merge, freed).await.code, 200);
    assert_eq!(get(&after, &format!("{GADGETS}/held")).await.code, 404);

    after.restart(Keep::Nothing);
    assert_eq!(
        get(&after, &format!("{GADGETS}/b")).await.code,
        404,
        "a restart knows how it was built alone"
    );
    assert_eq!(get(&after, &format!("{GADGETS}/c")).await.code, 200);
}

#[tokio::test]
async fn a_watch_from_before_learns_that_it_is_too_old_or_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    saved(&file).await;
    let after = builder().load(&file).build().unwrap();
    let old =
        ask(&after, &format!("GET {GADGETS}?watch=1&resourceVersion=2&timeoutSeconds=1"), &[], "").await;
    assert!(old.text.contains("\"code\":410"), "{}", old.text);
}

#[tokio::test]
async fn a_namespace_that_was_being_deleted_is_emptied_after_all() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let before =
        builder().controllers(false).manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
    let before = before.build().unwrap();
    assert_eq!(ask(&before, "DELETE /api/v1/namespaces/shop", &[], "").await.code, 200);
    before.save(&file).unwrap();
    let after = builder().load(&file).build().unwrap();
    assert_eq!(get(&after, "/api/v1/namespaces/shop").await.code, 404);
}

#[tokio::test]
async fn what_is_damaged_is_named_and_never_half_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    saved(&file).await;
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let refused = |text: &str| {
        fs::write(&file, text).unwrap();
        match builder().load(&file).build() {
            Err(BuildError::State(error)) => error.to_string(),
            other => panic!("{:?}", other.err()),
        }
    };
    let path = file.display().to_string();
    let told = |text: &str| refused(text).replace(&path, "FILE");
    assert_eq!(
        told(&whole.replacen("\"size\":1", "\"size\":2", 1)),
        format!("FILE is damaged: line {}: the checksum is another one", lines.len())
    );
    assert_eq!(told(whole.trim_end()), format!("FILE is damaged: line {}: it ends too early", lines.len()));
    assert_eq!(told(lines[0]), "FILE is damaged: line 1: it ends too early");
    assert!(
        told(&whole.replacen("\"place\"", "\"plaze\"", 1))
            .starts_with("FILE is damaged: line 2: missing field `place`")
    );
    let newer = whole.replacen("\"version\":1", "\"version\":2", 1);
    assert_eq!(told(&newer), "FILE has version 2 of the format, and this program reads version 1");
    assert_eq!(told("notes"), "FILE was not saved by an embedded API server: it begins otherwise");
    assert!(matches!(ApiServer::new().save(&file), Err(StateError::Foreign { .. })));
    assert_eq!(fs::read_to_string(&file).unwrap(), "notes");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[tokio::test]
async fn a_state_is_a_secret_and_takes_the_place_of_an_earlier_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let server = saved(&file).await;
    let first = fs::read_to_string(&file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    create(&server, "later").await;
    server.save(&file).unwrap();
    assert_ne!(fs::read_to_string(&file).unwrap(), first);
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let refused = server.save(&link).unwrap_err();
    assert!(matches!(refused, StateError::Foreign { what: "it is a symbolic link", .. }), "{refused}");
}

#[tokio::test]
async fn services_get_their_addresses_from_the_ranges_of_the_server() {
    let service = |name: &str, address: &str| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": { "name": name },
            "spec": { "type": "NodePort", "clusterIP": address, "ports": [{ "port": 80 }] },
        })
    };
    let builder = || builder().service_ips("10.96.16.0/20").node_ports(20_000..=20_001);
    let server = builder().objects([service("a", ""), service("b", "10.96.31.7")]).build().unwrap();
    for name in ["a", "b"] {
        let made = get(&server, &format!("/api/v1/namespaces/default/services/{name}")).await.json();
        let address: std::net::Ipv4Addr = made["spec"]["clusterIP"].as_str().unwrap().parse().unwrap();
        assert_eq!(address.to_bits() >> 12, u32::from_be_bytes([10, 96, 16, 0]) >> 12);
        assert!((20_000..=20_001).contains(&made["spec"]["ports"][0]["nodePort"].as_i64().unwrap()));
    }
    let refused = builder().objects([service("a", "10.96.32.1")]).build().err().unwrap().to_string();
    assert!(refused.contains("The range of valid IPs is 10.96.16.0/20"), "{refused}");
    let full = ["a", "b", "c"].map(|name| service(name, ""));
    let refused = builder().objects(full).build().err().unwrap().to_string();
    assert_eq!(refused, "Service c: Internal error occurred: failed to allocate a nodePort: range is full");
}
