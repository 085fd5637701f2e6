use super::*;

const NOTHING: [&str; 0] = [];

/// The standard schema of a condition.
fn item() -> Value {
    json!({
        "type": "object",
        "required": ["lastTransitionTime", "message", "reason", "status", "type"],
        "properties": {
            "type": { "type": "string", "maxLength": 316, "pattern": "^[A-Za-z]+$" },
            "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
            "reason": { "type": "string", "minLength": 1, "maxLength": 1024, "pattern": "^[A-Za-z]+$" },
            "message": { "type": "string", "maxLength": 32768 },
            "lastTransitionTime": { "type": "string", "format": "date-time" },
            "observedGeneration": { "type": "integer", "format": "int64", "minimum": 0 },
        },
    })
}

fn list() -> Value {
    json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": item() })
}

/// A definition that nothing is wrong with, after a change of its only version.
pub(super) fn crd(change: impl FnOnce(&mut Value)) -> Value {
    let column = |field: &str| json!({ "name": field, "type": "string", "jsonPath": format!(".status.conditions[?(@.type==\"Ready\")].{field}") });
    let mut version = json!({
        "name": "v1", "served": true, "storage": true,
        "subresources": { "status": {} },
        "additionalPrinterColumns": [column("status"), column("reason")],
        "schema": { "openAPIV3Schema": { "type": "object", "properties": {
            "spec": { "type": "object" },
            "status": { "type": "object", "properties": { "conditions": list(), "observedGeneration": { "type": "integer" } } },
        } } },
    });
    change(&mut version);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "names": { "kind": "Widget", "plural": "widgets" },
            "versions": [version] },
    })
}

const STATUS: &str = "/schema/openAPIV3Schema/properties/status";
const CONDITIONS: &str = "/schema/openAPIV3Schema/properties/status/properties/conditions";
const PATH: &str = "spec.versions[v1].schema.openAPIV3Schema.properties.status";

/// What one rule finds after a change of what stands at a pointer; the path below the status is left.
fn changed(id: &str, pointer: &str, change: impl FnOnce(&mut Value)) -> Vec<String> {
    let crd = crd(|version| change(version.pointer_mut(pointer).unwrap()));
    of_rule(&definition(&crd), id).into_iter().map(|found| found.replace(PATH, "…")).collect()
}

#[test]
fn a_definition_that_follows_all_rules_has_no_findings() {
    assert_eq!(definition(&crd(|_| {})), []);
    assert_eq!(definition(&json!({ "apiVersion": "v1", "kind": "Pod" })), [], "that is no definition");
    let gone = crd(|version| {
        version["served"] = json!(false);
        version.pointer_mut(CONDITIONS).unwrap()["items"] = json!({});
    });
    assert_eq!(definition(&gone), [], "what is not served is not written");
}

#[test]
fn c01_a_list_of_conditions_is_a_map() {
    let path = ["warning ….properties.conditions"];
    assert_eq!(
        changed("C01", CONDITIONS, |list| merge(list, &json!({ "x-kubernetes-list-type": null }))),
        path
    );
    assert_eq!(changed("C01", CONDITIONS, |list| list["x-kubernetes-list-type"] = json!("atomic")), path);
    assert_eq!(
        changed("C01", CONDITIONS, |list| list["x-kubernetes-list-map-keys"] = json!(["type", "status"])),
        path
    );
    assert_eq!(changed("C01", CONDITIONS, |_| {}), NOTHING);
    let nested = changed("C01", STATUS, |status| {
        status["properties"]["listeners"] = json!({ "type": "array", "maxItems": 9, "items": { "properties": { "conditions": { "type": "array", "items": item() } } } });
    });
    assert_eq!(nested, ["warning ….properties.listeners.items.properties.conditions"]);
}

#[test]
fn c02_a_condition_has_the_standard_fields_and_limits() {
    let properties = format!("{CONDITIONS}/items/properties");
    for (field, schema, severity) in [
        ("status", json!({ "type": "boolean" }), "error"),
        ("status", json!({ "type": "string" }), "warning"),
        ("status", json!({ "type": "string", "enum": ["Yes", "No"] }), "warning"),
        ("reason", json!({ "type": "string", "minLength": 1, "maxLength": 1024 }), "warning"),
        ("reason", json!({ "type": "string", "maxLength": 1024, "pattern": "^[A-Z]+$" }), "warning"),
        ("message", json!({ "type": "string" }), "warning"),
        ("message", json!({ "type": "string", "maxLength": 99999 }), "warning"),
        ("lastTransitionTime", json!({ "type": "string" }), "warning"),
        ("type", json!({ "type": "string", "pattern": "^[A-Z]+$" }), "warning"),
        ("type", json!(null), "warning"),
    ] {
        let found = changed("C02", &properties, |all| merge(all, &json!({ field: schema })));
        assert_eq!(
            found,
            [format!("{severity} ….properties.conditions.items.properties.{field}")],
            "{schema}"
        );
    }
    let items = format!("{CONDITIONS}/items");
    let optional = changed("C02", &items, |items| items["required"] = json!(["type", "status"]));
    assert_eq!(optional, ["warning ….properties.conditions.items.required"]);
    let listed =
        changed("C02", &properties, |all| all["type"] = json!({ "type": "string", "enum": ["Ready"] }));
    assert_eq!(listed, NOTHING, "a list of values is as strict as a pattern");
}

#[test]
fn c03_generations_are_numbers_and_conditions_have_one() {
    let of_item = format!("{CONDITIONS}/items/properties");
    let path = "….properties.conditions.items.properties.observedGeneration";
    for (schema, severity) in [
        (json!(null), "warning"),
        (json!({ "type": "string" }), "error"),
        (json!({ "type": "integer" }), "info"),
    ] {
        let found = changed("C03", &of_item, |all| merge(all, &json!({ "observedGeneration": schema })));
        assert_eq!(found, [format!("{severity} {path}")]);
    }
    let of_status = changed("C03", STATUS, |status| {
        status["properties"]["observedGeneration"] = json!({ "type": "string" });
    });
    assert_eq!(of_status, ["error ….properties.observedGeneration"]);
    assert_eq!(changed("C03", STATUS, |_| {}), NOTHING);
}

#[test]
fn c04_a_status_has_its_subresource() {
    let without = crd(|version| merge(version, &json!({ "subresources": null })));
    assert_eq!(of_rule(&definition(&without), "C04"), ["warning spec.versions[v1].subresources"]);
    let neither = crd(|version| {
        merge(version, &json!({ "subresources": null }));
        version["schema"]["openAPIV3Schema"]["properties"].as_object_mut().unwrap().remove("status");
    });
    assert_eq!(definition(&neither), [], "there is no status");
}

#[test]
fn c05_columns_show_status_and_reason() {
    let path = ["info spec.versions[v1].additionalPrinterColumns"];
    let none = crd(|version| merge(version, &json!({ "additionalPrinterColumns": null })));
    assert_eq!(of_rule(&definition(&none), "C05"), path);
    let one = crd(|version| {
        version["additionalPrinterColumns"].as_array_mut().unwrap().pop();
    });
    assert_eq!(of_rule(&definition(&one), "C05"), path);
    assert_eq!(of_rule(&definition(&crd(|_| {})), "C05"), NOTHING);
}

#[test]
fn c06_a_phase_is_not_all_that_a_status_says() {
    let phase = json!({ "type": "string", "enum": ["Pending", "Running"] });
    let only = changed("C06", STATUS, |status| status["properties"] = json!({ "phase": phase }));
    assert_eq!(only, ["warning ….properties.phase"]);
    assert_eq!(
        changed("C06", STATUS, |status| status["properties"]["phase"] = phase.clone()),
        NOTHING,
        "beside conditions"
    );
    assert_eq!(changed("C06", STATUS, |status| status["properties"] = json!({ "replicas": {} })), NOTHING);
}

#[test]
fn c07_a_default_does_not_claim_anything() {
    let default = |type_: &str, status: &str, reason: &str| {
        changed("C07", CONDITIONS, |list| {
            list["default"] = json!([{ "type": type_, "status": status, "reason": reason, "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z" }]);
        })
    };
    assert_eq!(default("Ready", "True", "Default"), ["warning ….properties.conditions.default[Ready]"]);
    assert_eq!(default("Ready", "False", "Pending"), ["warning ….properties.conditions.default[Ready]"]);
    assert_eq!(default("Ready", "Unknown", "Default"), ["info ….properties.conditions.default[Ready]"]);
    assert_eq!(default("Ready", "Unknown", "Pending"), NOTHING);
    assert_eq!(default("Ready", "Unknown", "NotReconciled"), NOTHING);
    assert_eq!(default("Degraded", "False", "AsExpected"), NOTHING, "nothing is wrong yet");
    let of_status = changed("C07", STATUS, |status| {
        status["default"] =
            json!({ "conditions": [{ "type": "Ready", "status": "True", "reason": "Default" }] });
    });
    assert_eq!(of_status, ["warning ….properties.conditions.default[Ready]"]);
}

#[test]
fn c08_lists_have_room_and_a_limit() {
    let bounded = |most: u32| {
        changed("C08", CONDITIONS, |list| {
            list["maxItems"] = json!(most);
            list["items"]["properties"]["type"]["enum"] = json!(["Ready", "Synced", "Degraded"]);
        })
    };
    assert_eq!(bounded(2), ["error ….properties.conditions.maxItems"]);
    assert_eq!(bounded(3), NOTHING);
    let nested = |most: Option<u32>| {
        changed("C08", STATUS, |status| {
            status["properties"]["parents"] =
                json!({ "type": "array", "items": { "properties": { "conditions": list() } } });
            merge(&mut status["properties"]["parents"], &json!({ "maxItems": most }));
        })
    };
    assert_eq!(nested(None), ["info ….properties.parents.items.properties.conditions"]);
    assert_eq!(nested(Some(32)), NOTHING);
}
