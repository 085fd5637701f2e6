use serde_json::{Value, json};

use super::{policy, role};
use crate::{access::refuse_escalation, resource::User, status::Failure};

fn writes(held: Value, plural: &str, object: &Value) -> Result<(), Failure> {
    let policy = policy(
        &[
            ("ns/held", held),
            ("ns/much", json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] }])),
        ],
        &[("ns/b", role("Role", "held"), json!([{ "kind": "User", "name": "joe" }]))],
    );
    refuse_escalation(&policy, &User::new("joe"), (plural, "ns", ""), object, None)
}

fn a_role(rules: &Value) -> Value {
    json!({ "metadata": { "name": "new" }, "rules": rules })
}

#[test]
fn nobody_grants_what_they_do_not_have() {
    let held =
        json!([{ "apiGroups": ["", "apps"], "resources": ["pods", "*/scale"], "verbs": ["get", "list"] }]);
    let table = [
        (json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]), true),
        (json!([{ "apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["list"] }]), true),
        (
            json!([{ "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"], "verbs": ["get"] }]),
            true,
        ),
        (json!([{ "apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"] }]), false),
        (json!([{ "apiGroups": ["*"], "resources": ["pods"], "verbs": ["get"] }]), false),
        (json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["*"] }]), false),
        (json!([{ "nonResourceURLs": ["/x"], "verbs": ["get"] }]), false),
        (json!([]), true),
    ];
    for (rules, allowed) in table {
        assert_eq!(writes(held.clone(), "roles", &a_role(&rules)).is_ok(), allowed, "{rules}");
    }
}

#[test]
fn a_refusal_lists_what_is_missing_with_the_verbs_of_a_thing_together() {
    let rules = json!([{ "apiGroups": ["", "apps"], "resources": ["pods"], "verbs": ["get", "list"] }, { "nonResourceURLs": ["/x"], "verbs": ["get"] }]);
    let refused = writes(json!([]), "roles", &a_role(&rules)).unwrap_err();
    assert_eq!(
        refused.message,
        "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"joe\" (groups=[\"system:authenticated\"]) is \
         attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n\
         {APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n\
         {NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}"
    );
}

#[test]
fn the_verbs_escalate_and_bind_lift_the_limit() {
    let everything = a_role(&json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] }]));
    let binding = json!({ "metadata": { "name": "new" }, "roleRef": role("Role", "much") });
    let right = |verb: &str, names: Value| json!([{ "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": [verb], "resourceNames": names }]);
    assert!(writes(right("escalate", json!([])), "roles", &everything).is_ok());
    assert!(writes(right("bind", json!([])), "roles", &everything).is_err());
    assert!(writes(right("bind", json!(["much"])), "rolebindings", &binding).is_ok());
    assert!(writes(right("bind", json!(["other"])), "rolebindings", &binding).is_err());
}
