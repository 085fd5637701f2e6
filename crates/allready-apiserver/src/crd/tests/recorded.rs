//! The recorded exchanges of kube-apiserver 1.36.4 that are about definitions and about what they refuse. They lie beside the
//! repository; without them there is nothing to compare with.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    crd::{accept, check, definition, serve, strategy::DefinitionStrategy},
    resource::{Endpoint, Registry, Strategy},
    schema,
    status::Failure,
};

fn exchanges() -> Option<Vec<Value>> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/kube-apiserver-1.36.4.jsonl");
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn number(exchanges: &[Value], number: u64) -> &Value {
    exchanges.iter().find(|exchange| exchange["n"] == number).unwrap()
}

/// A definition as it is stored right after its creation.
fn created(body: &Value) -> Value {
    let mut crd = body.clone();
    DefinitionStrategy.default(&definition().versions[0], &mut crd);
    let stored: Vec<_> = crate::crd::strategy::storage_version(&crd).into_iter().collect();
    crd["status"] = json!({
        "conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored,
    });
    crd
}

#[test]
fn a_definition_gets_the_status_that_was_recorded() {
    let Some(all) = exchanges() else { return };
    let created = created(&number(&all, 6)["request"]["body"]);
    let answer = &number(&all, 6)["response"]["body"];
    assert_eq!((&created["spec"], &created["status"]), (&answer["spec"], &answer["status"]));
    let mut accepted = created;
    let now: Timestamp = "2026-11-15T03:06:15.75Z".parse().unwrap();
    assert!(accept(&mut accepted, &Registry::default(), now));
    assert_eq!(accepted["status"], number(&all, 7)["response"]["body"]["status"]);
    assert!(!accept(&mut accepted, &Registry::default(), now));
}

#[test]
fn bad_definitions_are_refused_as_recorded() {
    let Some(all) = exchanges() else { return };
    for n in [10, 11] {
        let crd = created(&number(&all, n)["request"]["body"]);
        let name = crd["metadata"]["name"].as_str().unwrap();
        let errors = check::check(&crd, None);
        let failure = Failure::invalid("apiextensions.k8s.io", "CustomResourceDefinition", name, &errors);
        assert_eq!(failure.to_body(), number(&all, n)["response"]["body"]);
    }
}

#[test]
fn objects_are_taken_or_refused_as_recorded() {
    let Some(all) = exchanges() else { return };
    let resource = serve(&number(&all, 7)["response"]["body"], 0).unwrap();
    let version = resource.version("v1").unwrap();
    for n in [12, 14, 15, 16, 17, 18, 19, 21, 22, 26, 30, 31, 32] {
        let exchange = number(&all, n);
        let mut object = exchange["request"]["body"].clone();
        schema::default(&version.schema, &mut object);
        let unknown = schema::prune(&version.schema, &mut object);
        if version.status {
            object.as_object_mut().unwrap().remove("status");
        }
        let errors = resource.strategy.validate(version, Endpoint::Main, &object, None);
        let answer = &exchange["response"]["body"];
        if exchange["response"]["status"] == 201 {
            assert!(errors.is_empty(), "{n}: {errors:?}");
            assert_eq!(object["spec"], answer["spec"], "{n}");
            assert_eq!(object.get("status"), answer.get("status"), "{n}");
            let warnings = unknown.iter().map(|path| format!("299 - \"unknown field \\\"{path}\\\"\""));
            let warnings = warnings.collect::<Vec<_>>().join(", ");
            assert_eq!(warnings, exchange["response"]["warning"].as_str().unwrap_or_default(), "{n}");
        } else {
            let (kind, name) =
                (object["kind"].as_str().unwrap(), object["metadata"]["name"].as_str().unwrap());
            assert_eq!(Failure::invalid(&resource.group, kind, name, &errors).to_body(), *answer, "{n}");
        }
    }
}
