//! Rules on how a status is written over what is stored.

use allready_core::Condition;
use allready_gateway::{Kind, ObjectKey, ObjectStatus};
use serde_json::json;

use crate::world::{CONTROLLER, World, at};

const WEB: &str =
    "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}\n";

fn route(rules: &str) -> String {
    format!(
        "- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}], rules: {rules}}}}}\n"
    )
}

const ENTRY: &str = "{parentRef: {name: web}, controllerName: NAME, conditions: [{type: Accepted, status: 'True', reason: Accepted,
    message: '', lastTransitionTime: '2020-01-01T00:00:00Z', observedGeneration: SEEN}]}";

#[test]
fn entries_of_others_stay_and_own_ones_go_with_their_parent() {
    let foreign = ENTRY.replace("NAME", "example.org/other").replace("SEEN", "1");
    let stale = ENTRY.replace("NAME", CONTROLLER).replace("SEEN", "1").replace("name: web", "name: gone");
    let mut world = World::new(&format!(
        "{WEB}- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}]}}, status: {{parents: [{foreign}, {stale}]}}}}"
    ));
    let changed = world.write(5);
    let ObjectStatus::Route(status) = &changed[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")] else {
        panic!("a route")
    };
    let entries: Vec<_> =
        status.parents.iter().map(|entry| (&*entry.parent_ref.name, &*entry.controller_name)).collect();
    assert_eq!(entries, [("web", "example.org/other"), ("web", CONTROLLER)]);
    world.delete("Gateway/infra/web");
    let changed = world.write(6);
    let ObjectStatus::Route(status) = &changed[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")] else {
        panic!("a route")
    };
    assert_eq!(status.parents.len(), 1, "the other one stays");
}

#[test]
fn nothing_is_written_over_what_was_said_of_a_newer_generation() {
    let newer = ENTRY.replace("NAME", CONTROLLER).replace("SEEN", "3");
    let mut world = World::new(&format!(
        "{WEB}- {{kind: HTTPRoute, metadata: {{name: r, generation: 2}}, spec: {{parentRefs: [{{name: web, sectionName: x}}]}}, status: {{parents: [{newer}]}}}}"
    ));
    assert!(!world.write(5).keys().any(|key| key.kind == Kind::HTTPRoute));
}

#[test]
fn a_status_that_was_written_is_not_written_again_and_times_move_with_a_status_alone() {
    let mut world = World::new(&format!("{WEB}{}", route("[{}]")));
    assert_eq!(world.write(5).len(), 3, "class, Gateway and route");
    assert!(world.write(6).is_empty());
    world.apply("- {kind: Gateway, metadata: {name: web, generation: 2}, spec: {listeners: [{name: http, port: 81, protocol: HTTP}]}}");
    // Applied without a status: what is stored is gone, so it is dated anew; the route was not touched.
    let changed = world.write(7);
    assert!(changed.keys().all(|key| key.kind == Kind::Gateway), "{:?}", changed.keys());
    let ObjectStatus::Gateway(status) = changed.values().next().unwrap() else { panic!("a Gateway") };
    assert_eq!(status.conditions.find("Programmed").unwrap().last_transition_time, at(7));
}

#[test]
fn conditions_of_others_stay_where_they_are() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]},
    status: {conditions: [{type: example.org/Scanned, status: 'True', reason: Clean, message: '', lastTransitionTime: '2020-01-01T00:00:00Z'},
    {type: Accepted, status: Unknown, reason: Pending, message: Waiting for controller, lastTransitionTime: '1970-01-01T00:00:00Z'}]}}");
    let changed = world.write(5);
    let ObjectStatus::Gateway(status) = &changed[&ObjectKey::new(Kind::Gateway, "infra", "web")] else {
        panic!("a Gateway")
    };
    let types: Vec<_> = status.conditions.iter().map(|one| one.type_.as_str()).collect();
    assert_eq!(types, ["example.org/Scanned", "Accepted", "Programmed"]);
    assert_eq!(status.conditions.find("Accepted").unwrap().last_transition_time, at(5));
}

#[test]
fn a_gateway_names_every_bad_listener() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP},
    {name: odd, port: 81, protocol: SCTP}, {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: web, namespace: certs}]}}]}}");
    let changed = world.write(5);
    let ObjectStatus::Gateway(status) = &changed[&ObjectKey::new(Kind::Gateway, "infra", "web")] else {
        panic!("a Gateway")
    };
    assert_eq!(
        status.conditions.find("Accepted").unwrap().message,
        "2 errors
error listener/https RefNotPermitted: Secret/certs/web needs a ReferenceGrant in certs for Gateways of infra
error listener/odd UnsupportedProtocol: protocol \"SCTP\" is not supported"
    );
}

#[test]
fn entries_stay_within_what_the_schema_has_room_for() {
    let foreign =
        |number: usize| ENTRY.replace("NAME", &format!("example.org/c{number}")).replace("SEEN", "1");
    let parents: Vec<String> = (0..31).map(foreign).collect();
    let mut world = World::new(&format!("{WEB}- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}, {{name: web, port: 80}}]}},
    status: {{parents: [{}]}}}}", parents.join(", ")));
    let changed = world.write(5);
    let ObjectStatus::Route(status) = &changed[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")] else {
        panic!("a route")
    };
    assert_eq!(status.parents.len(), 32);

    let gateways: Vec<String> = (0..20)
        .map(|number| format!("- {{kind: Gateway, metadata: {{name: g{number}}}, spec: {{listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}
- {{kind: HTTPRoute, metadata: {{name: r{number}}}, spec: {{parentRefs: [{{name: g{number}}}], rules: [{{backendRefs: [{{name: app, port: 80}}]}}]}}}}\n"))
        .collect();
    let mut world = World::new(&format!("{}- {{kind: Service, metadata: {{name: app}}, spec: {{ports: [{{port: 80}}]}}}}
- {{kind: BackendTLSPolicy, metadata: {{name: p}}, spec: {{targetRefs: [{{group: '', kind: Service, name: app}}], validation: {{wellKnownCACertificates: System}}}}}}", gateways.concat()));
    let changed = world.write(5);
    let ObjectStatus::Policy(status) = &changed[&ObjectKey::new(Kind::BackendTLSPolicy, "infra", "p")] else {
        panic!("a policy")
    };
    assert_eq!(status.ancestors.len(), 16);
}

#[test]
fn statuses_are_written_as_the_schemas_have_them() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: HTTPRoute}]}}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: http}]}}");
    let changed = world.write(5);
    let good = |type_: &str| json!({"type": type_, "status": "True", "reason": type_, "message": "", "observedGeneration": 1, "lastTransitionTime": "1970-01-01T00:00:05Z"});
    let mut gateway = serde_json::to_value(&changed[&ObjectKey::new(Kind::Gateway, "infra", "web")]).unwrap();
    let listener = gateway["listeners"][0].take();
    assert_eq!(
        gateway,
        json!({
            "addresses": [{"type": "IPAddress", "value": "127.0.0.1"}],
            "conditions": [good("Accepted"), good("Programmed")],
            "listeners": [null],
        })
    );
    assert_eq!(listener["attachedRoutes"], 1);
    assert_eq!(
        listener["supportedKinds"],
        json!([{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"}])
    );
    let types: Vec<_> =
        listener["conditions"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["Programmed", "Accepted", "ResolvedRefs"]);
    assert_eq!(
        serde_json::to_value(&changed[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")]).unwrap(),
        json!({"parents": [{
            "parentRef": {"name": "web", "sectionName": "http"},
            "controllerName": CONTROLLER,
            "conditions": [good("Accepted"), good("ResolvedRefs")],
        }]})
    );
}

/// So many conditions of somebody else.
fn foreign(count: usize) -> Vec<String> {
    let one = |number: usize| {
        format!(
            "{{type: example.org/C{number}, status: 'True', reason: Fine, message: '', lastTransitionTime: '2020-01-01T00:00:00Z'}}"
        )
    };
    (0..count).map(one).collect()
}

/// Our conditions in a list, after checking that the others are all there, that all fit, and that writing again changes nothing.
fn beside(count: usize, world: &mut World, list: impl Fn(&ObjectStatus) -> Vec<Condition>) -> Vec<Condition> {
    let key = ObjectKey::new(Kind::Gateway, "infra", "web");
    let conditions = list(&world.write(5)[&key]);
    assert!(conditions.len() <= 8, "the API server takes at most 8: {conditions:?}");
    assert!(!world.write(6).contains_key(&key), "it was written");
    let (theirs, ours): (Vec<_>, Vec<_>) =
        conditions.into_iter().partition(|one| one.type_.as_str().starts_with("example.org/"));
    assert_eq!(theirs.len(), count, "nothing of others is dropped");
    ours
}

#[test]
fn a_list_that_others_have_filled_keeps_theirs_and_tells_what_has_no_room() {
    let gateway = |count: usize| {
        let mut world = World::new(&format!(
            "- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: odd, port: 80, protocol: SCTP}}]}},
    status: {{conditions: [{}]}}}}",
            foreign(count).join(", ")
        ));
        beside(count, &mut world, |status| match status {
            ObjectStatus::Gateway(status) => status.conditions.to_vec(),
            _ => Vec::new(),
        })
    };
    let types = |list: &[Condition]| list.iter().map(|one| one.type_.to_string()).collect::<Vec<_>>();
    assert_eq!(types(&gateway(6)), ["Accepted", "Programmed"]);
    let last = gateway(7);
    assert_eq!(types(&last), ["Accepted"]);
    let told = "among 8 conditions there is no room for Programmed=False (Invalid)\n";
    assert!(last[0].message.as_str().starts_with(told), "{}", last[0].message);
}

#[test]
fn a_full_list_is_left_as_it_is() {
    let mut world = World::new(&format!(
        "- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: []}}, status: {{conditions: [{}]}}}}",
        foreign(8).join(", ")
    ));
    let changed = world.write(5);
    let status = changed.get(&ObjectKey::new(Kind::Gateway, "infra", "web"));
    let Some(ObjectStatus::Gateway(status)) = status else { panic!("addresses are written") };
    assert_eq!(status.conditions.len(), 8);
    assert!(status.conditions.iter().all(|one| one.type_.as_str().starts_with("example.org/")));
}

#[test]
fn conditions_of_a_listener_give_way_to_those_of_others_too() {
    let listener = |count: usize| {
        let mut world = World::new(&format!(
            "- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: odd, port: 80, protocol: SCTP}}]}},
    status: {{listeners: [{{name: odd, attachedRoutes: 0, supportedKinds: [], conditions: [{}]}}]}}}}",
            foreign(count).join(", ")
        ));
        beside(count, &mut world, |status| match status {
            ObjectStatus::Gateway(status) => status.listeners[0].conditions.to_vec(),
            _ => Vec::new(),
        })
    };
    let types = |list: &[Condition]| {
        list.iter().map(|one| one.type_.to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(types(&listener(5)), ["Accepted", "Programmed", "ResolvedRefs"].map(String::from).into());
    assert_eq!(types(&listener(6)), ["Accepted", "Programmed"].map(String::from).into());
    let last = listener(7);
    assert_eq!(types(&last), ["Accepted"].map(String::from).into());
    assert!(last[0].message.as_str().contains("no room for ResolvedRefs=True"), "{}", last[0].message);
}
