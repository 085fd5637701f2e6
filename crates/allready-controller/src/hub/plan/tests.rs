use serde_json::{Value, json};

use super::*;

fn plan(spec: Value) -> Plan {
    Plan::of(&serde_json::from_value(spec).unwrap())
}

fn gateways(more: &Value) -> Plan {
    let mut spec =
        json!({ "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" } });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    plan(spec)
}

fn labels(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_spec_that_says_nothing_more_than_its_target_has_no_problems_and_the_defaults() {
    let plan = gateways(&json!({}));
    assert_eq!(plan.problems, Vec::<String>::new());
    assert!(plan.objects.selects_all() && plan.clusters.is_none() && plan.names.is_empty());
    assert_eq!((plan.instances.as_deref(), plan.placement), (None, Placement::Everywhere));
    assert_eq!(
        (plan.unknown, plan.cluster_timeout),
        (UnknownInstances::KeepUnknown, Duration::from_secs(30))
    );
}

#[test]
fn k7_the_types_that_are_aggregated_are_those_that_are_planned_and_no_others() {
    let plan = gateways(&json!({ "conditions": [{ "type": "Programmed" }, { "type": "Accepted" }] }));
    let types: Vec<&str> = plan.conditions.iter().map(|condition| condition.type_.as_str()).collect();
    assert_eq!(types, ["Programmed", "Accepted"]);
    assert!(gateways(&json!({})).conditions.is_empty(), "Ready is not invented");
}

#[test]
fn mc6_a_type_that_everybody_knows_to_be_negative_is_so_unless_the_spec_says_otherwise() {
    let polarity = |api_version: &str, kind: &str, condition: Value| {
        let target = json!({ "apiVersion": api_version, "kind": kind });
        plan(json!({ "targetRef": target, "conditions": [condition] })).conditions[0].polarity
    };
    let of = |type_: &str| polarity("example.com/v1", "Thing", json!({ "type": type_ }));
    for negative in [
        "Degraded",
        "Failed",
        "ReplicaFailure",
        "Stalled",
        "Progressing",
        "Reconciling",
        "Paused",
        "example.com/Degraded",
        "NotReady",
    ] {
        assert_eq!(of(negative), Polarity::AbnormalTrue, "{negative}");
    }
    for positive in ["Ready", "Programmed", "example.com/Synced"] {
        assert_eq!(of(positive), Polarity::NormalTrue, "{positive}");
    }
    let told = json!({ "type": "Degraded", "polarity": "Positive" });
    assert_eq!(polarity("example.com/v1", "Thing", told), Polarity::NormalTrue);
    let told = json!({ "type": "Ready", "polarity": "Negative" });
    assert_eq!(polarity("example.com/v1", "Thing", told), Polarity::AbnormalTrue);
    // A Deployment that has arrived says Progressing=True.
    assert_eq!(polarity("apps/v1", "Deployment", json!({ "type": "Progressing" })), Polarity::NormalTrue);
    assert_eq!(
        polarity("example.com/v1", "Deployment", json!({ "type": "Progressing" })),
        Polarity::AbnormalTrue
    );
}

#[test]
fn a_choice_that_cannot_be_understood_chooses_nothing_instead_of_everything() {
    let broken = json!({ "matchExpressions": [{ "key": "a", "operator": "Near" }] });
    let plan = plan(json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "DaemonSet" },
        "selector": broken,
        "clusters": { "selector": broken, "instances": broken },
    }));
    let selectors = [plan.objects, plan.clusters.unwrap()];
    for selector in selectors {
        assert!(!kube::core::SelectorExt::matches(&selector, &labels(&[("a", "b")])));
        assert!(!kube::core::SelectorExt::matches(&selector, &labels(&[("allready.dev/nothing", "")])));
    }
    assert_eq!(plan.instances.as_deref(), Some("allready.dev/nothing,!allready.dev/nothing"));
    let at: Vec<&str> = plan.problems.iter().filter_map(|problem| problem.split(':').next()).collect();
    assert_eq!(at, ["spec.selector", "spec.clusters.selector", "spec.clusters.instances"]);
}

#[test]
fn k9_names_that_are_no_names_of_clusters_do_not_leave_all_clusters_chosen() {
    let plan = gateways(&json!({ "clusters": { "names": ["cluster_1", "Cluster-2"] } }));
    assert_eq!((plan.names.len(), plan.problems.len()), (0, 2));
    let selector = plan.clusters.expect("a choice, though nothing matches it");
    assert!(!kube::core::SelectorExt::matches(&selector, &labels(&[])));
}

#[test]
fn selectors_are_carried_over() {
    let plan = gateways(&json!({
        "clusters": {
            "names": ["b", "a", "a"],
            "selector": { "matchLabels": { "region": "eu" } },
            "instances": { "matchLabels": { "app": "web" } },
        },
        "clusterTimeoutSeconds": 5,
    }));
    assert_eq!(plan.names, ["a".parse().unwrap(), "b".parse().unwrap()]);
    assert!(kube::core::SelectorExt::matches(&plan.clusters.unwrap(), &labels(&[("region", "eu")])));
    assert_eq!(plan.instances.as_deref(), Some("app=web"));
    assert_eq!(plan.cluster_timeout, Duration::from_secs(5));
    assert_eq!(plan.problems, Vec::<String>::new());
}

#[test]
fn what_only_gateways_have_is_refused_for_other_kinds() {
    let wanted = json!({ "rows": ["Addresses", "Listeners"], "dns": {} });
    let granted = gateways(&wanted);
    assert!(granted.addresses && granted.listeners && granted.dns.is_some() && granted.problems.is_empty());
    let mut spec = json!({ "targetRef": { "apiVersion": "networking.istio.io/v1", "kind": "Gateway" } });
    spec.as_object_mut().unwrap().extend(wanted.as_object().unwrap().clone());
    let refused = plan(spec);
    assert!(!refused.addresses && !refused.listeners && refused.dns.is_none());
    assert_eq!(
        refused.problems,
        [
            "spec.rows: only a Gateway of gateway.networking.k8s.io has addresses, and the target is a Gateway of \
             networking.istio.io/v1",
            "spec.rows: only a Gateway of gateway.networking.k8s.io has listeners, and the target is a Gateway of \
             networking.istio.io/v1",
            "spec.dns: only a Gateway of gateway.networking.k8s.io has hostnames to publish, and the target is a Gateway \
             of networking.istio.io/v1",
        ]
    );
}

#[test]
fn conditions_that_cannot_be_planned_are_problems_and_the_others_stay() {
    let plan = gateways(&json!({ "conditions": [
        { "type": "not a type" }, { "type": "allready.dev/Aggregated" }, { "type": "Programmed" }, { "type": "Programmed" },
    ] }));
    assert_eq!(plan.conditions.len(), 1);
    assert_eq!(plan.problems.len(), 3);
    assert!(plan.problems[0].starts_with("spec.conditions: "), "{:?}", plan.problems);
    assert_eq!(
        plan.problems[1..],
        [
            "spec.conditions: allready.dev/Aggregated is made here: instances cannot have it",
            "spec.conditions: Programmed is listed twice",
        ]
    );
}

#[test]
fn mc25_an_expression_that_cannot_be_read_is_a_problem_and_its_condition_stays_planned() {
    let plan = gateways(&json!({ "conditions": [{ "type": "Ready", "expression": "object.status.(" }] }));
    let broken = plan.conditions[0].broken.as_deref().expect("it is broken");
    assert!(broken.starts_with("expression \"object.status.(\" cannot be read: "), "{broken}");
    assert_eq!(plan.problems, [format!("spec.conditions Ready: {broken}")]);
}

#[test]
fn paths_that_are_no_paths_or_stand_in_each_others_way_are_problems() {
    let field = |path: &str| json!({ "path": path, "combine": "Sum" });
    let paths = [
        ".status.ready",
        ".status.a.b",
        ".spec.replicas",
        ".status",
        ".status..a",
        ".status.a b",
        ".status.conditions",
        ".status.observedGeneration",
        ".status.listeners.x",
        ".status.ready",
        ".status.a",
        ".status.ready.b",
        ".status.readyReplicas",
        "status.pods",
    ];
    let plan = gateways(&json!({ "fields": paths.map(field) }));
    let kept: Vec<&str> = plan.fields.iter().map(|field| field.path.as_str()).collect();
    assert_eq!(kept, ["status.ready", "status.a.b", "status.readyReplicas"]);
    assert_eq!(plan.problems.len(), 11);
    assert_eq!(plan.problems[8], "spec.fields \".status.a\": it cannot stand beside .status.a.b");
}
