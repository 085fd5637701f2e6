//! Machine formats against their schemas in `docs/schemas`. Every document that any test prints is held against its own.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Deserializer, Value};

use super::allready;

/// Checks every document of the command line in an output; returns their kinds.
pub(crate) fn check(stdout: &str) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    if !stdout.starts_with('{') {
        return kinds;
    }
    for document in Deserializer::from_str(stdout).into_iter::<Value>().map_while(Result::ok) {
        if document["apiVersion"] != "cli.allready.dev/v1alpha1" {
            continue;
        }
        let kind = document["kind"].as_str().unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schemas/{kind}.json"));
        let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let errors = errors(&document, &schema, &schema, kind);
        assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
        kinds.insert(kind.to_owned());
    }
    kinds
}

/// The differences of a value to the schemas that we generate. Stricter than JSON Schema: a field that is not in it is one.
fn errors(value: &Value, schema: &Value, root: &Value, at: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        return errors(value, root.pointer(reference.trim_start_matches('#')).unwrap(), root, at);
    }
    for of in ["anyOf", "oneOf"] {
        if let Some(options) = schema[of].as_array() {
            let all = options.iter().map(|option| errors(value, option, root, at));
            return all.min_by_key(Vec::len).unwrap_or_default();
        }
    }
    if let Some(only) = schema.get("const") {
        return if only == value { Vec::new() } else { vec![format!("{at}: {value} is not {only}")] };
    }
    if let Some(options) = schema["enum"].as_array() {
        return if options.contains(value) { Vec::new() } else { vec![format!("{at}: {value}")] };
    }
    let is_of = |type_: &Value| match type_.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => false,
    };
    let type_ = &schema["type"];
    if !type_.is_null() && !is_of(type_) && !type_.as_array().is_some_and(|types| types.iter().any(is_of)) {
        return vec![format!("{at}: {value} is not of type {type_}")];
    }
    match value {
        Value::Array(items) if schema.get("items").is_some() => {
            let items = items.iter().enumerate();
            items.flat_map(|(i, item)| errors(item, &schema["items"], root, &format!("{at}[{i}]"))).collect()
        }
        Value::Object(fields) if schema.get("properties").is_some() => {
            let required = schema["required"].as_array().into_iter().flatten();
            let missing = required.filter(|name| !fields.contains_key(name.as_str().unwrap()));
            let mut found: Vec<String> = missing.map(|name| format!("{at}: {name} is missing")).collect();
            for (name, field) in fields {
                match schema["properties"].get(name) {
                    Some(of) => found.extend(errors(field, of, root, &format!("{at}.{name}"))),
                    None => found.push(format!("{at}.{name} is not in the schema")),
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

#[test]
fn documents_have_a_version_a_kind_and_the_fields_of_their_schema() {
    let pod = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b"},
        "status": {"phase": "Failed", "conditions": [{"type": "Ready", "status": "False"}]}}"#;
    let gateway = r#"{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "a"},
        "spec": {"parentRefs": [{"name": "web"}]}}"#;
    let cases: &[(&[&str], &str, &str)] = &[
        (&["check", "-f", "-"], pod, "CheckReport"),
        (&["explain", "pod/a", "-f", "-"], pod, "Explanation"),
        (&["lint", "-f", "-"], pod, "LintReport"),
        (&["lint", "--rules"], "", "LintRules"),
        (&["lint", "--explain", "O04"], "", "LintRules"),
        (&["gateway", "check", "-f", "-"], gateway, "GatewayReport"),
        (&["owners", "-f", "-"], pod, "OwnersReport"),
        (&["registry", "show", "Certificate.cert-manager.io"], "", "RegistryReport"),
        (&["registry", "list"], "", "RegistryReport"),
        (&["version", "--client"], "", "VersionReport"),
    ];
    for (arguments, stdin, kind) in cases {
        let stdout = |format| {
            let said = allready(&[*arguments, &["-o", format]].concat(), stdin);
            said.split("--- stdout\n").nth(1).unwrap().split("--- stderr").next().unwrap().to_owned()
        };
        let json = stdout("json");
        assert_eq!(check(&json).into_iter().collect::<Vec<_>>(), [*kind], "{json}");
        // YAML of `gateway check` is the objects themselves.
        if *kind != "GatewayReport" {
            let (yaml, json): (Value, Value) =
                (serde_saphyr::from_str(&stdout("yaml")).unwrap(), serde_json::from_str(&json).unwrap());
            assert_eq!(yaml, json, "{arguments:?}");
        }
    }
    let lines = allready(&["check", "-f", "-", "-o", "jsonl"], pod);
    assert_eq!(check(lines.lines().nth(2).unwrap()).into_iter().collect::<Vec<_>>(), ["Verdict"]);
}

#[test]
fn a_format_that_a_command_does_not_have_is_refused_with_those_that_it_has() {
    let said = allready(&["owners", "-f", "-", "-o", "sarif"], "");
    assert!(said.starts_with("exit 64\n"), "{said}");
    let refusal = "allready owners does not support -o sarif; use one of: table, wide, json, yaml\n";
    assert!(said.contains(refusal), "{said}");
}

#[test]
fn colors_are_written_when_they_are_asked_for() {
    let colored =
        |arguments: &[&str]| allready(&[&["lint", "--rules"], arguments].concat(), "").contains('\u{1b}');
    assert!(!colored(&[]));
    assert!(!colored(&["--color", "never"]));
    assert!(colored(&["--color", "always"]));
}
