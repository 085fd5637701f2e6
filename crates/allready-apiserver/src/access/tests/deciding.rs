use serde_json::json;

use super::{policy, role};
use crate::{
    access::{Attempt, Policy},
    resource::User,
};

fn get<'a>(resource: &'a str, namespace: &'a str, name: &'a str) -> Attempt<'a> {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    Attempt { verb: "get", resource, subresource, namespace, name, ..Attempt::default() }
}

fn path(path: &str) -> Attempt<'_> {
    Attempt { verb: "get", path: Some(path), ..Attempt::default() }
}

/// Everybody has these rules in `ns`.
fn everybody(rules: serde_json::Value) -> Policy {
    policy(
        &[("ns/r", rules)],
        &[("ns/b", role("Role", "r"), json!([{ "kind": "Group", "name": "system:authenticated" }]))],
    )
}

#[test]
fn a_rule_allows_the_resources_endpoints_and_names_that_it_names() {
    let table = [
        (json!(["pods"]), json!([]), "pods", "a", true),
        (json!(["pods"]), json!([]), "pods/log", "a", false),
        (json!(["pods/log"]), json!([]), "pods/log", "a", true),
        (json!(["pods/log"]), json!([]), "pods", "a", false),
        (json!(["*"]), json!([]), "pods/log", "a", true),
        (json!(["*/log"]), json!([]), "pods/log", "a", true),
        (json!(["*/log"]), json!([]), "pods/logs", "a", false),
        (json!(["*/log"]), json!([]), "pods", "a", false),
        (json!(["pods/*"]), json!([]), "pods/log", "a", false),
        (json!(["pods"]), json!(["a"]), "pods", "a", true),
        (json!(["pods"]), json!(["a"]), "pods", "b", false),
        (json!(["pods"]), json!(["a"]), "pods", "", false),
        (json!(["pods"]), json!(["*"]), "pods", "a", false),
    ];
    for (resources, names, asked, name, allowed) in table {
        let rule =
            json!([{ "apiGroups": [""], "resources": resources, "resourceNames": names, "verbs": ["get"] }]);
        let verdict = everybody(rule.clone()).decide(&User::new("joe"), &get(asked, "ns", name));
        assert_eq!(verdict.allowed, allowed, "{rule} for {asked} {name}");
    }
}

#[test]
fn a_path_is_allowed_as_it_is_written_or_under_a_star_at_the_end() {
    let table = [
        ("/logs", "/logs", true),
        ("/logs", "/logs/a", false),
        ("/logs/*", "/logs/a", true),
        ("/logs/*", "/logs/", true),
        ("/logs/*", "/logs", false),
        ("/logs*", "/logs", true),
        ("*", "/anything", true),
        ("/*/a", "/b/a", false),
    ];
    for (rule, asked, allowed) in table {
        let policy = policy(
            &[("r", json!([{ "nonResourceURLs": [rule], "verbs": ["get"] }]))],
            &[("b", role("ClusterRole", "r"), json!([{ "kind": "User", "name": "joe" }]))],
        );
        assert_eq!(policy.decide(&User::new("joe"), &path(asked)).allowed, allowed, "{rule} for {asked}");
    }
}

#[test]
fn a_binding_in_a_namespace_gives_nothing_elsewhere() {
    let rule = json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"], "nonResourceURLs": ["*"] }]);
    let policy = everybody(rule);
    let joe = User::new("joe");
    assert!(policy.decide(&joe, &get("pods", "ns", "a")).allowed);
    assert!(!policy.decide(&joe, &get("pods", "ns2", "a")).allowed);
    assert!(!policy.decide(&joe, &get("pods", "n", "a")).allowed);
    assert!(!policy.decide(&joe, &get("pods", "", "")).allowed);
    assert!(!policy.decide(&joe, &path("/x")).allowed);
}

#[test]
fn a_service_account_is_meant_by_its_namespace_or_that_of_the_binding() {
    let rule = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]);
    let subjects = json!([{ "kind": "ServiceAccount", "name": "near" }, { "kind": "ServiceAccount", "name": "far", "namespace": "away" }]);
    let policy = policy(
        &[("all", rule)],
        &[
            ("ns/b", role("ClusterRole", "all"), subjects),
            ("wide", role("ClusterRole", "all"), json!([{ "kind": "ServiceAccount", "name": "homeless" }])),
        ],
    );
    let may = |namespace, name| {
        policy.decide(&User::service_account(namespace, name), &get("pods", "ns", "")).allowed
    };
    assert!(may("ns", "near"));
    assert!(may("away", "far"));
    assert!(!may("ns", "far"));
    assert!(!may("away", "near"));
    assert!(!may("ns", "homeless"));
}

#[test]
fn a_verdict_names_the_binding_that_allows_or_the_roles_that_are_not_there() {
    let rule = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]);
    let robot = json!([{ "kind": "ServiceAccount", "name": "robot" }]);
    let policy = policy(
        &[("ns/r", rule)],
        &[
            ("ns/b", role("Role", "r"), robot.clone()),
            ("ns/c", role("Role", "gone"), robot.clone()),
            ("ns/d", role("Role", "gone"), robot.clone()),
            ("ns/e", role("ClusterRole", "gone"), robot),
        ],
    );
    let robot = User::service_account("ns", "robot");
    let verdict = policy.decide(&robot, &get("pods", "ns", ""));
    let expected = r#"RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "robot/ns""#;
    assert_eq!(verdict.reason, expected);
    let verdict = policy.decide(&robot, &get("nodes", "ns", ""));
    assert!(!verdict.allowed);
    assert_eq!(
        verdict.reason,
        "RBAC: [role.rbac.authorization.k8s.io \"gone\" not found, clusterrole.rbac.authorization.k8s.io \"gone\" not found]"
    );
}

#[test]
fn a_refusal_says_who_may_not_do_what_where_in_text_that_is_no_markup() {
    let joe = User::new("j<oe");
    let cases = [
        (
            get("pods/log", "ns", "a"),
            r#"pods "a" is forbidden: User "j&lt;oe" cannot get resource "pods/log" in API group "" in the namespace "ns": why"#,
        ),
        (
            Attempt { verb: "list", group: "apps", resource: "deployments", ..Attempt::default() },
            r#"deployments.apps is forbidden: User "j&lt;oe" cannot list resource "deployments" in API group "apps" at the cluster scope: why"#,
        ),
        (path("/x&y"), r#"forbidden: User "j&lt;oe" cannot get path "/x&amp;y": why"#),
    ];
    for (attempt, message) in cases {
        assert_eq!(attempt.refusal(&joe, "why").message, message);
    }
}
