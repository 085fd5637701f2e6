use super::*;

const NOTHING: [&str; 0] = [];

/// An object with conditions of these types and statuses.
fn with(conditions: &[(&str, &str)]) -> Value {
    let make = |(type_, status): &(&str, &str)| {
        condition(&json!({ "type": type_, "status": status, "reason": "Checked" }))
    };
    widget(&conditions.iter().map(make).collect::<Vec<_>>())
}

fn declaring(mut object: Value, set: &str) -> Value {
    object["metadata"]["annotations"] = json!({ "allready.dev/conditions": set });
    object
}

#[test]
fn o10_an_object_has_a_top_condition_or_declares_another() {
    assert_eq!(
        found(&with(&[("Cached", "True"), ("Indexed", "True")]), "O10"),
        ["warning status.conditions"]
    );
    for top in ["Ready", "Succeeded", "Available"] {
        assert_eq!(found(&with(&[("Cached", "True"), (top, "True")]), "O10"), NOTHING, "{top}");
    }
    assert_eq!(found(&declaring(with(&[("Cached", "True")]), "Cached: Indexed"), "O10"), NOTHING);
    assert_eq!(
        found(&declaring(with(&[("Cached", "True")]), "Whole: Cached"), "O10"),
        ["warning status.conditions"]
    );
    assert_eq!(found(&widget(&[]), "O10"), NOTHING, "nobody has looked yet");
}

#[test]
fn o11_a_top_condition_agrees_with_what_it_is_computed_from() {
    let path = "status.conditions[Ready].status";
    let drifted = with(&[("Ready", "True"), ("Synced", "False")]);
    assert_eq!(found(&drifted, "O11"), [format!("info {path}")], "a guess from names");
    let declared = declaring(drifted, "Ready: Synced, !Degraded");
    assert_eq!(found(&declared, "O11"), [format!("warning {path}")]);
    let negative = declaring(with(&[("Ready", "True"), ("Degraded", "True")]), "Ready: !Degraded");
    assert_eq!(found(&negative, "O11"), [format!("warning {path}")]);
    let unexplained = declaring(with(&[("Ready", "False"), ("Synced", "True")]), "Ready: Synced");
    assert_eq!(found(&unexplained, "O11"), [format!("warning {path}")]);

    for (conditions, set) in [
        (vec![("Ready", "True"), ("Synced", "True"), ("Degraded", "False")], "Ready: Synced, !Degraded"),
        (vec![("Ready", "False"), ("Synced", "False")], "Ready: Synced"),
        (vec![("Ready", "True"), ("Synced", "True"), ("Cached", "False")], "Ready: Synced, (Cached)"),
    ] {
        assert_eq!(found(&declaring(with(&conditions), set), "O11"), NOTHING, "{set}");
    }
    assert_eq!(
        found(&with(&[("Ready", "True"), ("Quiescent", "False")]), "O11"),
        NOTHING,
        "nobody knows what it means"
    );
    assert_eq!(
        found(&with(&[("Ready", "False"), ("Synced", "True")]), "O11"),
        NOTHING,
        "one aspect is seldom all"
    );
}

#[test]
fn o12_reconciling_stalled_and_ready_do_not_contradict_each_other() {
    let both = with(&[("Reconciling", "True"), ("Stalled", "True")]);
    assert_eq!(found(&both, "O12"), ["warning status.conditions[Stalled]"]);
    assert_eq!(
        found(&with(&[("Ready", "True"), ("Stalled", "True")]), "O12"),
        ["warning status.conditions[Stalled]"]
    );
    let finished = with(&[("Ready", "True"), ("Reconciling", "True")]);
    assert_eq!(found(&finished, "O12"), ["info status.conditions[Reconciling]"]);

    let mut under_way = finished;
    under_way["status"]["conditions"][0]["observedGeneration"] = json!(1);
    assert_eq!(found(&under_way, "O12"), NOTHING, "Ready is about the generation before");
    assert_eq!(found(&with(&[("Ready", "False"), ("Reconciling", "True")]), "O12"), NOTHING);
}

#[test]
fn o13_a_name_shows_which_status_is_good() {
    let path = "status.conditions";
    assert_eq!(found(&with(&[("NotReady", "False")]), "O13"), [format!("info {path}[NotReady].type")]);
    assert_eq!(found(&with(&[("Quiescent", "True")]), "O13"), [format!("info {path}[Quiescent].type")]);
    let opposite = declaring(with(&[("Ready", "True"), ("Degraded", "True")]), "Ready: Degraded");
    assert_eq!(found(&opposite, "O13"), [format!("warning {path}[Degraded].type")]);
    for type_ in ["Ready", "Degraded", "CertificateExpired", "example.com/Synced", "Progressing", "Paused"] {
        assert_eq!(found(&with(&[(type_, "True")]), "O13"), NOTHING, "{type_}");
    }
    let declared = declaring(with(&[("Ready", "True"), ("Quiescent", "True")]), "Ready: Quiescent");
    assert_eq!(found(&declared, "O13"), NOTHING, "it is declared");
}

#[test]
fn o14_a_reason_fits_the_status() {
    let with = |type_: &str, status: &str, reason: &str| {
        widget(&[condition(&json!({ "type": type_, "status": status, "reason": reason }))])
    };
    for (type_, status, reason) in [
        ("Ready", "True", "ReconcileFailed"),
        ("Ready", "True", "SecretNotFound"),
        ("Synced", "True", "ApplyTimedOut"),
        ("Ready", "False", "AllReady"),
        ("Ready", "False", "Succeeded"),
    ] {
        let found = found(&with(type_, status, reason), "O14");
        assert_eq!(found, [format!("info status.conditions[{type_}].reason")], "{reason}");
    }
    for (type_, status, reason) in [
        ("Ready", "True", "AllReady"),
        ("Ready", "True", "NoErrors"),
        ("Ready", "False", "ReconcileFailed"),
        ("Accepted", "True", "ListenersNotValid"),
        ("Degraded", "True", "SyncFailed"),
        ("ResourcesDeleted", "True", "NotFound"),
        ("Failed", "False", "Succeeded"),
        ("Quiescent", "True", "Failed"),
    ] {
        assert_eq!(found(&with(type_, status, reason), "O14"), NOTHING, "{type_} {status} {reason}");
    }
}

#[test]
fn o15_what_exists_only_while_true_is_not_there_as_false() {
    for type_ in ["Reconciling", "Stalled"] {
        let found = found(&with(&[(type_, "False")]), "O15");
        assert_eq!(found, [format!("warning status.conditions[{type_}].status")]);
    }
    assert_eq!(found(&with(&[("Reconciling", "True"), ("Degraded", "False")]), "O15"), NOTHING);
    let route = |status: &str| {
        let partial = condition(&json!({ "type": "PartiallyInvalid", "status": status }));
        json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": { "name": "web" },
            "status": { "parents": [{ "parentRef": { "name": "web" }, "conditions": [partial] }] } })
    };
    assert_eq!(
        found(&route("False"), "O15"),
        ["error status.parents[web].conditions[PartiallyInvalid].status"]
    );
    assert_eq!(found(&route("True"), "O15"), NOTHING);
}

#[test]
fn o16_unknown_does_not_last() {
    let unknown =
        |since: &str| widget(&[condition(&json!({ "status": "Unknown", "lastTransitionTime": since }))]);
    assert_eq!(found(&unknown("2026-03-01T11:10:00Z"), "O16"), ["warning status.conditions[Ready].status"]);
    assert_eq!(found(&unknown("2026-03-01T11:55:00Z"), "O16"), NOTHING);

    let default = json!({ "type": "Accepted", "status": "Unknown", "reason": "Pending", "observedGeneration": null,
        "lastTransitionTime": "1970-01-01T00:00:00Z" });
    let mut object = widget(&[condition(&default)]);
    assert_eq!(found(&object, "O16"), ["warning status.conditions[Accepted].status"], "created an hour ago");
    object["metadata"]["creationTimestamp"] = json!("2026-03-01T11:58:00Z");
    assert_eq!(found(&object, "O16"), NOTHING);
}

#[test]
fn o17_false_for_very_long_is_told_with_its_age() {
    let broken = |since: &str, observed: i64| {
        let fields = json!({ "status": "False", "reason": "ImagePull", "lastTransitionTime": since, "observedGeneration": observed });
        let mut object = widget(&[condition(&fields)]);
        object["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
        object
    };
    assert_eq!(found(&broken("2026-02-20T12:00:00Z", 2), "O17"), ["info status.conditions[Ready].status"]);
    let findings = super::super::object(&broken("2026-02-20T12:00:00Z", 2), &Context::at(now()));
    assert!(findings.iter().any(|finding| finding.message == "Ready has been False for 9 days (ImagePull)"));
    assert_eq!(found(&broken("2026-03-01T11:00:00Z", 2), "O17"), NOTHING);
    assert_eq!(found(&broken("2026-02-20T12:00:00Z", 1), "O17"), NOTHING, "it is about another generation");
}

#[test]
fn o18_a_status_does_not_grow_with_the_cluster() {
    let per_node = |nodes: usize| {
        let make = |node: usize| condition(&json!({ "type": format!("speaker-node{node}/ConfigValid") }));
        widget(&(0..nodes).map(make).chain([condition(&json!({}))]).collect::<Vec<_>>())
    };
    assert_eq!(found(&per_node(9), "O18"), ["warning status.conditions"]);
    assert_eq!(found(&per_node(8), "O18"), NOTHING);
    let many: Vec<Value> =
        (0..33).map(|at| condition(&json!({ "type": format!("Part{at}Ready") }))).collect();
    assert_eq!(found(&widget(&many), "O18"), ["info status.conditions"]);
    let mut large = widget(&[condition(&json!({}))]);
    large["status"]["log"] = json!("x".repeat(300_000));
    assert_eq!(found(&large, "O18"), ["warning status"]);
}
