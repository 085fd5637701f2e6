//! What the schema of a Gateway has room for.

use serde_json::json;

use super::*;

/// Clusters with this many addresses and listeners each.
fn crowd(clusters: usize, each: usize) -> Hub {
    let mut hub = Hub::new(gateway());
    for index in 0..clusters {
        let name = format!("cluster-{index:02}");
        let addresses: Vec<_> =
            (0..each).map(|row| json!({ "value": format!("10.0.{index}.{row}") })).collect();
        let listeners: Vec<_> =
            (0..each).map(|row| json!({ "name": format!("l{row}"), "attachedRoutes": 1 })).collect();
        hub.subject.choose(&cluster(&name));
        let conditions = [said("Programmed", "True", "")];
        hub.says(
            &name,
            json!({ "status": { "conditions": conditions, "addresses": addresses, "listeners": listeners } }),
        );
    }
    hub
}

#[test]
fn mc13_sixteen_addresses_and_sixty_four_listeners_fit_and_no_more_are_written() {
    let full = crowd(8, 2).answer();
    assert_eq!(full.status["addresses"].as_array().unwrap().len(), 16);
    assert!(!full.is_short);

    let hub = crowd(33, 2);
    let answer = hub.answer();
    assert_eq!(answer.status["addresses"].as_array().unwrap().len(), 16);
    assert_eq!(answer.status["listeners"].as_array().unwrap().len(), 64);
    assert_eq!(answer.status["addresses"][15]["value"], "cluster-07/10.0.7.1");
    assert_eq!(answer.status["listeners"][63]["name"], "cluster-31.l1");
    assert!(answer.is_short);
    let message = "50 of 66 addresses are left out, as there is room for 16: cluster-08/10.0.8.0, cluster-08/10.0.8.1, \
                   cluster-09/10.0.9.0, cluster-09/10.0.9.1, cluster-10/10.0.10.0 and 45 more; \
                   2 of 66 listeners are left out, as there is room for 64: cluster-32.l0, cluster-32.l1";
    hub.is(AGGREGATED, "False", "RowsLeftOut", message);
    assert_eq!(hub.words("Programmed").0, "True", "the conditions are what they are");
}

#[test]
fn mc13_what_has_no_room_here_stands_in_the_reports_of_the_clusters() {
    let hub = crowd(33, 2);
    let owner = dns::Owner { api_version: "gateway.networking.k8s.io/v1", kind: "Gateway", uid: "u" };
    let all = reports::reports(&hub.subject, "gateways", &ObjectName::new("shop", "web"), &owner);
    assert_eq!(all.len(), 33);
    let addresses: usize =
        all.values().map(|report| report["status"]["addresses"].as_array().unwrap().len()).sum();
    assert_eq!(addresses, 66);
}

#[test]
fn mc26_what_was_too_large_to_read_is_told_and_the_rest_is_kept() {
    let mut object = programmed("True", "");
    object["status"]["addresses"] = json!([{ "value": "10.0.0.1" }, { "value": "x".repeat(5000) }]);
    let hub = Hub::with(gateway(), &[("cluster-1", object)]);
    let (status, reason, message) = hub.words(AGGREGATED);
    assert_eq!((status.as_str(), reason.as_str()), ("False", "RowsLeftOut"));
    assert!(message.starts_with("cluster-1 address 1 is left out"), "{message}");
    assert_eq!(hub.answer().status["addresses"].as_array().unwrap().len(), 1);
    assert_eq!(hub.words("Programmed").0, "True");
}

#[test]
fn k14_conditions_of_others_stay_and_ours_take_the_room_that_is_left() {
    let mut spec = gateway();
    spec["conditions"] = json!([{ "type": "A" }, { "type": "B" }, { "type": "C" }]);
    let conditions = ["A", "B", "C"].map(|type_| said(type_, "True", ""));
    let all = json!({ "status": { "conditions": conditions } });
    let mut hub = Hub::with(spec, &[("cluster-1", all)]);
    let mut types = |others: usize| {
        let conditions: Vec<_> =
            (0..others).map(|index| said(&format!("Other{index}"), "True", "")).collect();
        hub.stands(json!({ "status": { "conditions": conditions } }));
        let answer = hub.answer();
        let written = answer.status["conditions"].as_array().cloned().unwrap_or_default();
        let told = written.last().map(|last| last["message"].as_str().unwrap().to_owned());
        (
            written.iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" "),
            told,
        )
    };
    assert_eq!(types(4).0, "A B C allready.dev/Aggregated");
    let (written, told) = types(5);
    assert_eq!(written, "A B allready.dev/Aggregated");
    assert_eq!(told.unwrap(), "conditions are left out, as there is room for 8, everybody's together: C");
    assert_eq!(types(7).0, "allready.dev/Aggregated");
    assert_eq!(types(8).0, "");
}

#[test]
fn other_kinds_have_no_limits_that_are_known() {
    let spec = json!({
        "targetRef": { "apiVersion": "example.com/v1", "kind": "Thing" }, "conditions": [{ "type": "Ready" }],
    });
    let mut hub =
        Hub::with(spec, &[("cluster-1", json!({ "status": { "conditions": [said("Ready", "True", "")] } }))]);
    let others: Vec<_> = (0..20).map(|index| said(&format!("Other{index}"), "True", "")).collect();
    hub.stands(json!({ "status": { "conditions": others } }));
    assert_eq!(hub.answer().status["conditions"].as_array().unwrap().len(), 2);
}
