use super::{definitions::crd, *};

#[test]
fn what_is_mended_is_told_and_gone() {
    let worst = crd(|version| {
        merge(version, &json!({ "subresources": null, "additionalPrinterColumns": null }));
        version["schema"]["openAPIV3Schema"]["properties"]["status"] = json!({
            "type": "object",
            "default": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Default", "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z" }] },
            "properties": {
                "observedGeneration": { "type": "string", "description": "which" },
                "conditions": { "type": "array", "maxItems": 1, "items": { "type": "object", "properties": {
                    "type": { "type": "string", "enum": ["Ready", "Synced"] },
                    "status": { "type": "boolean", "description": "whether" },
                    "message": { "type": "string", "maxLength": 100 },
                    "severity": { "type": "string" },
                } } },
                "parents": { "type": "array", "maxItems": 32, "items": { "type": "object", "properties": {
                    "conditions": { "type": "array", "items": { "type": "object", "properties": {
                        "type": { "type": "string" }, "status": { "type": "string" } } } } } } },
            },
        });
    });
    let before = definition(&worst);
    let (fixed, gone) = fix(&worst);
    let ids: std::collections::BTreeSet<&str> = gone.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["C01", "C02", "C03", "C04", "C05", "C07", "C08"]);
    assert_eq!(gone.len(), before.len());
    assert_eq!(definition(&fixed), []);

    let status = &fixed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    let properties = &status["properties"]["conditions"]["items"]["properties"];
    assert_eq!(properties["status"]["description"], "whether", "what people wrote stays");
    assert_eq!(properties["message"]["maxLength"], 100, "what is stricter stays");
    assert_eq!(properties["severity"]["type"], "string", "what is more stays");
    assert_eq!(status["default"]["conditions"][0]["status"], "Unknown");
    let columns = fixed["spec"]["versions"][0]["additionalPrinterColumns"].as_array().unwrap();
    assert_eq!(columns[0]["jsonPath"], r#".status.conditions[?(@.type=="Ready")].status"#);
    assert_eq!(
        columns[2]["name"], "Age",
        "the age is shown by default, and no longer with columns of one's own"
    );
}

#[test]
fn mending_what_is_well_changes_nothing_and_mending_twice_is_mending_once() {
    let well = crd(|_| {});
    assert_eq!(fix(&well), (well.clone(), Vec::new()));
    let bad = crd(|version| merge(version, &json!({ "subresources": null })));
    let (once, _) = fix(&bad);
    assert_eq!(fix(&once), (once.clone(), Vec::new()));
    let pod = json!({ "apiVersion": "v1", "kind": "Pod" });
    assert_eq!(fix(&pod), (pod.clone(), Vec::new()));
}

#[test]
fn what_needs_a_person_is_left() {
    let phase = crd(|version| {
        version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"] =
            json!({ "phase": { "type": "string" } });
    });
    let (fixed, gone) = fix(&phase);
    assert_eq!((of_rule(&definition(&fixed), "C06").len(), gone.len()), (1, 0));
}
