use serde_json::{Value, json};

use crate::{
    ApiServer,
    access::{Attempt, Index},
    resource::User,
    server::Keep,
    store::{Draft, Expect, Store},
};

const PLACE: &str = "clusterroles.rbac.authorization.k8s.io";

fn role(name: &str, resource: &str) -> Draft {
    let rules = json!([{ "apiGroups": [""], "resources": [resource], "verbs": ["get"] }]);
    Draft::new(&json!({ "metadata": { "name": name }, "rules": rules }))
}

fn may(index: &Index, store: &Store, resource: &str) -> bool {
    let attempt = Attempt { verb: "get", resource, ..Attempt::default() };
    index.policy(store).decide(&User::new("joe"), &attempt).allowed
}

#[test]
fn the_index_sees_every_change_and_reads_nothing_twice() {
    let (store, index) = (Store::default(), Index::default());
    let binding = json!({
        "metadata": { "name": "b" },
        "roleRef": super::role("ClusterRole", "r"),
        "subjects": [{ "kind": "User", "name": "joe" }],
    });
    let bindings = "clusterrolebindings.rbac.authorization.k8s.io";
    assert!(store.put(bindings, "b", Expect::Absent, &Draft::new(&binding)).is_ok());
    assert!(!may(&index, &store, "pods"));
    let first = store.put(PLACE, "r", Expect::Absent, &role("r", "pods")).unwrap();
    assert!(may(&index, &store, "pods"));
    let before = index.policy(&store);
    assert!(store.put(PLACE, "other", Expect::Absent, &role("other", "nodes")).is_ok());
    let after = index.policy(&store);
    let kept = |policy: &crate::access::Policy| std::sync::Arc::as_ptr(&policy.cluster_roles["r"]);
    assert_eq!(kept(&before), kept(&after));
    let second = store.put(PLACE, "r", Expect::Version(first.version), &role("r", "secrets")).unwrap();
    assert!(!may(&index, &store, "pods"));
    assert!(may(&index, &store, "secrets"));
    assert!(store.remove(PLACE, "r", second.version).is_ok());
    assert!(!may(&index, &store, "secrets"));
}

async fn send(server: &ApiServer, user: User, method: &str, path: &str, body: Value) -> (u16, Value) {
    use http_body_util::{BodyExt as _, Full};
    use tower::ServiceExt as _;
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(Full::new(bytes::Bytes::from(body.to_string())))
        .unwrap();
    let reply = server.service_as(user).oneshot(request).await.unwrap();
    let code = reply.status().as_u16();
    let bytes = reply.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn admin() -> User {
    User::new("admin").in_group("system:masters")
}

#[tokio::test]
async fn roles_gather_the_rules_of_the_roles_that_they_select() {
    let server = ApiServer::new();
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let (_, view) = send(&server, admin(), "GET", &format!("{roles}/view"), Value::Null).await;
    let count = view["rules"].as_array().unwrap().len();
    assert!(count > 3, "{view}");
    let own = json!([{ "apiGroups": ["shop"], "resources": ["widgets"], "verbs": ["get"] }]);
    let labels = json!({ "rbac.authorization.k8s.io/aggregate-to-view": "true" });
    let more = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "widgets", "labels": labels }, "rules": own });
    assert_eq!(send(&server, admin(), "POST", roles, more).await.0, 201);
    for name in ["view", "edit", "admin"] {
        let (_, role) = send(&server, admin(), "GET", &format!("{roles}/{name}"), Value::Null).await;
        assert!(role["rules"].as_array().unwrap().contains(&own[0]), "{name}: {role}");
    }
    assert_eq!(send(&server, admin(), "DELETE", &format!("{roles}/widgets"), Value::Null).await.0, 200);
    let (_, role) = send(&server, admin(), "GET", &format!("{roles}/view"), Value::Null).await;
    assert_eq!(role["rules"].as_array().unwrap().len(), count);
}

#[tokio::test]
async fn a_restart_without_data_takes_rights_away_and_brings_the_first_roles_back() {
    let server = ApiServer::new();
    let bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": { "name": "joe" }, "roleRef": super::role("ClusterRole", "view"), "subjects": [{ "kind": "User", "name": "joe" }] });
    let asked = || send(&server, User::new("joe"), "GET", "/api/v1/pods", Value::Null);
    assert_eq!(asked().await.0, 403);
    assert_eq!(send(&server, admin(), "POST", bindings, binding).await.0, 201);
    assert_eq!(asked().await.0, 200);
    server.restart(Keep::Data);
    assert_eq!(asked().await.0, 200);
    server.restart(Keep::Nothing);
    assert_eq!(asked().await.0, 403);
    assert_eq!(send(&server, User::new("joe"), "GET", "/api", Value::Null).await.0, 200);
}
