use super::*;

#[test]
fn ten_thousand_broken_conditions_come_to_a_bounded_number_of_findings() {
    let broken = json!({ "type": "\u{1b}[31m", "status": 1, "reason": "", "lastTransitionTime": 0, "observedGeneration": "x" });
    let object = widget(&vec![broken; 10_000]);
    let findings = super::super::object(&object, &Context::at(now()));
    for rule in rules() {
        let count = findings.iter().filter(|finding| finding.rule.id == rule.id).count();
        assert!(count <= 20, "{}: {count}", rule.id);
    }
    assert!(
        findings.iter().any(|finding| finding.message.ends_with("; and 9980 more like this in the object"))
    );
}

#[test]
fn what_is_long_is_not_repeated_whole() {
    let long = "x".repeat(1_000_000);
    let mut object =
        widget(&[condition(&json!({ "type": long, "reason": long, "message": long, "status": long }))]);
    object["metadata"]["name"] = json!(long);
    for finding in super::super::object(&object, &Context::at(now())) {
        let length = finding.to_string().len();
        assert!(length < 2_000, "{} has {length} bytes", finding.rule.id);
    }
}

#[test]
fn nothing_in_an_object_makes_a_rule_fail() {
    let values = [
        json!(null),
        json!(7),
        json!("x"),
        json!([]),
        json!({}),
        json!([null, 1, "x", [], {}]),
        json!(-1),
        json!(1.5),
        json!("é"),
    ];
    let fields = ["type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"];
    let mut history = History::default();
    for value in &values {
        for field in fields {
            let mut broken = condition(&json!({}));
            broken[field] = value.clone();
            for group in ["example.com/v1", "gateway.networking.k8s.io/v1", "v1"] {
                for kind in ["Gateway", "HTTPRoute", "Widget"] {
                    let mut object = widget(std::slice::from_ref(&broken));
                    object["apiVersion"] = json!(group);
                    object["kind"] = json!(kind);
                    object["status"]["listeners"] = json!([value, { "name": value, "conditions": [broken] }]);
                    object["status"]["parents"] = value.clone();
                    object["spec"] = json!({ "parentRefs": value, "listeners": value, "hostnames": value });
                    object["metadata"]["managedFields"] = json!([value, { "manager": value, "time": value, "fieldsV1": { "f:status": value } }]);
                    object["metadata"]["generation"] = value.clone();
                    super::super::object(&object, &Context::at(now()));
                    history.feed(&object, &Context::at(now()));
                    let mut relations = Relations::default();
                    relations.add(&object);
                    relations.findings(Coverage::Everything);
                }
            }
        }
        let mut crd = super::definitions::crd(|_| {});
        for pointer in [
            "/spec/versions",
            "/spec",
            "/spec/versions/0",
            "/spec/versions/0/schema/openAPIV3Schema/properties/status",
        ] {
            if let Some(place) = crd.pointer_mut(pointer) {
                *place = value.clone();
                definition(&crd);
                fix(&crd);
            }
            crd = super::definitions::crd(|_| {});
        }
        for pointer in [
            "/properties/conditions/items",
            "/properties/conditions/items/properties",
            "/properties/conditions",
        ] {
            *crd.pointer_mut(&format!(
                "/spec/versions/0/schema/openAPIV3Schema/properties/status{pointer}"
            ))
            .unwrap() = value.clone();
            definition(&crd);
            fix(&crd);
            crd = super::definitions::crd(|_| {});
        }
    }
}
