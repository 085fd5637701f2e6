use super::*;

const NOTHING: [&str; 0] = [];

fn accepted(fields: &Value) -> Value {
    let mut fields = fields.clone();
    if fields.get("reason").is_none() {
        fields["reason"] = fields["type"].clone();
    }
    condition(&fields)
}

fn all(types: &[&str]) -> Vec<Value> {
    types.iter().map(|type_| accepted(&json!({ "type": type_ }))).collect()
}

/// A Gateway with one listener that nothing is wrong with.
fn gateway() -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": { "namespace": "shop", "name": "web", "generation": 2, "creationTimestamp": "2026-03-01T11:00:00Z" },
        "spec": { "listeners": [{ "name": "http", "protocol": "HTTP", "port": 80 }] },
        "status": {
            "conditions": all(&["Accepted", "Programmed"]),
            "listeners": [{ "name": "http", "attachedRoutes": 1,
                "supportedKinds": [{ "group": "gateway.networking.k8s.io", "kind": "HTTPRoute" }],
                "conditions": all(&["Accepted", "Programmed", "ResolvedRefs"]) }],
        },
    })
}

fn route(name: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": { "namespace": "shop", "name": name, "generation": 2, "creationTimestamp": "2026-03-01T11:00:00Z" },
        "spec": { "parentRefs": [{ "name": "web" }] },
        "status": { "parents": [{ "parentRef": { "name": "web" }, "controllerName": "example.com/gateways",
            "conditions": all(&["Accepted", "ResolvedRefs"]) }] },
    })
}

fn class(controller: &str) -> Value {
    json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": { "name": "example" },
        "spec": { "controllerName": controller } })
}

fn related(objects: &[Value], coverage: Coverage, id: &str) -> Vec<String> {
    let mut relations = Relations::default();
    for object in objects {
        relations.add(object);
    }
    of_rule(&relations.findings(coverage), id)
}

#[test]
fn a_gateway_and_a_route_that_follow_all_rules_have_no_findings() {
    assert_eq!(ids(&gateway()), [] as [&str; 0]);
    assert_eq!(ids(&route("web")), [] as [&str; 0]);
    let objects = [gateway(), route("web"), class("example.com/gateways")];
    for id in ["G04", "G05"] {
        assert_eq!(related(&objects, Coverage::Everything, id), NOTHING);
    }
}

#[test]
fn g01_what_must_be_there_is_there_and_about_a_generation() {
    let mut lacking = gateway();
    lacking["status"]["listeners"][0]["conditions"].as_array_mut().unwrap().pop();
    assert_eq!(found(&lacking, "G01"), ["error status.listeners[http].conditions"]);
    let mut silent = gateway();
    silent["status"]["conditions"][1].as_object_mut().unwrap().remove("observedGeneration");
    assert_eq!(found(&silent, "G01"), ["error status.conditions[Programmed]"]);
    assert_eq!(found(&silent, "O09"), NOTHING, "it is told once");

    let mut refused = route("web");
    refused["status"]["parents"][0]["conditions"] =
        json!([accepted(&json!({ "type": "Accepted", "status": "False", "reason": "NoMatchingParent" }))]);
    assert_eq!(found(&refused, "G01"), ["warning status.parents[web].conditions"]);

    let default = json!({ "status": "Unknown", "reason": "Pending", "message": "Waiting for controller",
        "lastTransitionTime": "1970-01-01T00:00:00Z", "observedGeneration": null });
    let mut waiting = gateway();
    let mut pending = condition(&default);
    pending["type"] = json!("Accepted");
    waiting["status"] = json!({ "conditions": [pending] });
    assert_eq!(found(&waiting, "G01"), NOTHING, "nobody has taken it yet");
}

#[test]
fn g02_reserved_and_withdrawn_types_are_not_used() {
    for (type_, severity) in [("Ready", "error"), ("Scheduled", "warning"), ("Detached", "warning")] {
        let mut object = gateway();
        object["status"]["conditions"].as_array_mut().unwrap().push(accepted(&json!({ "type": type_ })));
        assert_eq!(found(&object, "G02"), [format!("{severity} status.conditions[{type_}].type")]);
    }
    let mut admitted = route("web");
    admitted["status"]["parents"][0]["conditions"][0]["type"] = json!("Admitted");
    assert_eq!(found(&admitted, "G02"), ["warning status.parents[web].conditions[Admitted].type"]);
    assert_eq!(found(&widget(&[condition(&json!({}))]), "G02"), NOTHING, "other kinds have a Ready");
}

#[test]
fn g03_types_and_reasons_are_those_of_the_specification_or_prefixed() {
    let mut object = gateway();
    object["status"]["conditions"][0]["reason"] = json!("LooksGood");
    assert_eq!(found(&object, "G03"), ["info status.conditions[Accepted].reason"]);
    let mut own = gateway();
    own["status"]["conditions"].as_array_mut().unwrap().push(accepted(&json!({ "type": "Healthy" })));
    assert_eq!(found(&own, "G03"), ["warning status.conditions[Healthy].type"]);
    own["status"]["conditions"][2]["type"] = json!("example.com/Healthy");
    own["status"]["conditions"][2]["reason"] = json!("Checked");
    assert_eq!(found(&own, "G03"), NOTHING);
    let mut partly = gateway();
    partly["status"]["conditions"][0]["reason"] = json!("ListenersNotValid");
    assert_eq!(found(&partly, "G03"), NOTHING);
}

#[test]
fn g04_entries_are_for_parents_that_are_named_each_once_and_by_a_known_controller() {
    let mut foreign = route("web");
    foreign["spec"]["parentRefs"] = json!([{ "name": "other" }]);
    assert_eq!(found(&foreign, "G04"), ["error status.parents[web]"]);
    let mut twice = route("web");
    let entry = twice["status"]["parents"][0].clone();
    twice["status"]["parents"].as_array_mut().unwrap().push(entry);
    assert_eq!(found(&twice, "G04"), ["error status.parents[web]"]);
    twice["status"]["parents"][1]["controllerName"] = json!("example.org/others");
    assert_eq!(found(&twice, "G04"), NOTHING, "two controllers may answer for one parent");

    let stranger = [route("web"), class("example.org/others")];
    assert_eq!(related(&stranger, Coverage::Part, "G04"), ["warning status.parents[web].controllerName"]);
    assert_eq!(related(&[route("web")], Coverage::Part, "G04"), NOTHING, "no class was seen");
    let mut mesh = route("web");
    mesh["status"]["parents"][0]["parentRef"] = json!({ "group": "", "kind": "Service", "name": "web" });
    assert_eq!(
        related(&[mesh, class("example.org/others")], Coverage::Part, "G04"),
        NOTHING,
        "a mesh needs no class"
    );
}

#[test]
fn g05_listeners_and_counts_match() {
    let mut renamed = gateway();
    renamed["status"]["listeners"][0]["name"] = json!("old");
    assert_eq!(found(&renamed, "G05"), ["warning status.listeners[old]", "warning status.listeners"]);
    renamed["metadata"]["generation"] = json!(3);
    assert_eq!(found(&renamed, "G05"), NOTHING, "the status is about the spec before");
    let mut kinds = gateway();
    kinds["spec"]["listeners"][0]["allowedRoutes"] = json!({ "kinds": [{ "kind": "GRPCRoute" }] });
    assert_eq!(found(&kinds, "G05"), ["warning status.listeners[http].supportedKinds"]);

    let path = "warning status.listeners[http].attachedRoutes";
    let two = [gateway(), route("a"), route("b")];
    assert_eq!(related(&two, Coverage::Part, "G05"), [path]);
    assert_eq!(related(&[gateway()], Coverage::Everything, "G05"), [path]);
    assert_eq!(related(&[gateway()], Coverage::Part, "G05"), NOTHING, "its route may be elsewhere");
}

/// What is done to a Gateway and a route.
type Change = dyn Fn(&mut Value, &mut Value);

#[test]
fn g05_only_routes_that_a_listener_takes_are_counted() {
    let changed = |change: &dyn Fn(&mut Value, &mut Value)| {
        let (mut gateway, mut route) = (gateway(), route("web"));
        change(&mut gateway, &mut route);
        related(&[gateway, route], Coverage::Everything, "G05").is_empty()
    };
    let cases: [(&str, bool, &Change); 8] = [
        ("as it is", true, &|_, _| {}),
        ("refused", false, &|_, route| {
            route["status"]["parents"][0]["conditions"][0]["status"] = json!("False");
        }),
        ("another section", false, &|_, route| {
            route["spec"]["parentRefs"][0]["sectionName"] = json!("https");
            route["status"]["parents"][0]["parentRef"]["sectionName"] = json!("https");
        }),
        ("another host", false, &|gateway, route| {
            gateway["spec"]["listeners"][0]["hostname"] = json!("*.example.com");
            route["spec"]["hostnames"] = json!(["shop.example.org", "example.com"]);
        }),
        ("a host within", true, &|gateway, route| {
            gateway["spec"]["listeners"][0]["hostname"] = json!("*.example.com");
            route["spec"]["hostnames"] = json!(["shop.example.com"]);
        }),
        ("another kind", false, &|_, route| route["kind"] = json!("GRPCRoute")),
        ("another namespace", false, &|_, route| {
            route["metadata"]["namespace"] = json!("other");
            route["spec"]["parentRefs"][0]["namespace"] = json!("shop");
            route["status"]["parents"][0]["parentRef"]["namespace"] = json!("shop");
        }),
        ("a selector without its namespaces", true, &|gateway, _| {
            gateway["spec"]["listeners"][0]["allowedRoutes"] =
                json!({ "namespaces": { "from": "Selector", "selector": { "matchLabels": { "a": "b" } } } });
        }),
    ];
    for (name, expected, change) in cases {
        assert_eq!(changed(change), expected, "{name}");
    }
}

#[test]
fn g06_a_gateway_agrees_with_its_listeners() {
    let refuse = |type_: usize| {
        let mut object = gateway();
        object["status"]["listeners"][0]["conditions"][type_]["status"] = json!("False");
        object["status"]["listeners"][0]["conditions"][type_]["reason"] = json!("Invalid");
        object
    };
    assert_eq!(found(&refuse(0), "G06"), ["warning status.conditions[Accepted]"]);
    assert_eq!(found(&refuse(1), "G06"), ["warning status.conditions[Programmed]"]);
    let mut partly = refuse(0);
    let good = gateway()["status"]["listeners"][0].clone();
    partly["status"]["listeners"].as_array_mut().unwrap().push(good);
    assert_eq!(found(&partly, "G06"), ["warning status.conditions[Accepted].reason"]);
    partly["status"]["conditions"][0]["reason"] = json!("ListenersNotValid");
    assert_eq!(found(&partly, "G06"), NOTHING);
    let mut wrong = gateway();
    wrong["status"]["conditions"][0]["reason"] = json!("ListenersNotValid");
    assert_eq!(found(&wrong, "G06"), ["warning status.conditions[Accepted].reason"]);
}

#[test]
fn g07_an_early_condition_is_told_with_its_successor() {
    use crate::registry::gateway::{GROUPS, OLD};

    for group in GROUPS {
        for old in OLD.iter().filter(|old| old.type_ != "Admitted") {
            let mut object = gateway();
            object["apiVersion"] = json!(format!("{group}/v1"));
            let early = accepted(&json!({ "type": old.type_, "status": "False", "reason": "AsExpected" }));
            object["status"]["conditions"].as_array_mut().unwrap().push(early);
            let findings = crate::lint::object(&object, &Context::at(now()));
            let told: Vec<_> = findings.iter().filter(|finding| finding.rule.id == "G07").collect();
            let [told] = told.as_slice() else { panic!("{group} {}: {findings:?}", old.type_) };
            let expected = if old.today.is_empty() {
                format!("{} is no longer in the Gateway API: {}", old.type_, old.says)
            } else {
                format!("{} is a name of an early version: use {}", old.type_, old.successors())
            };
            assert_eq!(told.message, expected);
            assert_eq!(found(&object, "G03"), NOTHING, "it is told once");
        }
    }
    let mut alternative = gateway();
    alternative["status"]["conditions"]
        .as_array_mut()
        .unwrap()
        .push(accepted(&json!({ "type": "ListenersReady" })));
    assert_eq!(found(&alternative, "G07"), ["warning status.conditions[ListenersReady].type"]);
    let mut other = gateway();
    other["apiVersion"] = json!("example.com/v1");
    other["status"]["conditions"].as_array_mut().unwrap().push(accepted(&json!({ "type": "PortConflict" })));
    assert_eq!(found(&other, "G07"), NOTHING, "another group may mean something else");
}
