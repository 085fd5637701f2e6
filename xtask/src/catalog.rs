//! The sets of definitions that the embedded server can begin with: made from what their projects publish in their Go modules.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

use crate::printer;
use crate::real;

/// A set: its name, its Go module and the version of that, and the directory of the module in which its definitions are.
const SETS: [(&str, &str, &str, &str); 3] = [
    // The version that the conformance suite is run in.
    ("gateway-api", "sigs.k8s.io/gateway-api", "v1.6.3", "config/crd/standard"),
    ("external-dns", "sigs.k8s.io/external-dns", "v0.22.0", "config/crd/standard"),
    ("cert-manager", "github.com/cert-manager/cert-manager", "v1.21.2", "deploy/crds"),
];

/// Makes the sets, or with `check` only says which are not as they would be made. Returns whether all are.
pub fn run(check: bool) -> Result<bool> {
    let mut same = true;
    for (name, module, version, directory) in SETS {
        let made = set(module, version, directory)?;
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../crates/allready-apiserver/src/catalog")
            .join(format!("{name}.jsonl"));
        if fs::read_to_string(&path).unwrap_or_default() == made {
            printer::line(format!("{name}: as it should be"));
        } else if check {
            same = false;
            printer::line(format!("{name}: not what {module} {version} has; run cargo xtask catalog"));
        } else {
            fs::write(&path, made).with_context(|| format!("cannot write {}", path.display()))?;
            printer::line(format!("{name}: written"));
        }
    }
    Ok(same)
}

fn set(module: &str, version: &str, directory: &str) -> Result<String> {
    let directory = real::go_module(module, version)?.join(directory);
    let mut files: Vec<PathBuf> = fs::read_dir(&directory)
        .with_context(|| format!("cannot read {}", directory.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let mut lines = format!("# {module} {version}\n");
    for file in files {
        let text = fs::read_to_string(&file)?;
        let documents: Vec<Value> =
            serde_saphyr::from_multiple(&text).with_context(|| format!("{} is no YAML", file.display()))?;
        for mut definition in documents {
            if definition["kind"] == "CustomResourceDefinition" {
                reduce(&mut definition);
                writeln!(lines, "{definition}")?;
            }
        }
    }
    Ok(lines)
}

/// Leaves out what nobody is served: descriptions, versions of the past, and a status that a server writes itself.
fn reduce(definition: &mut Value) {
    if let Some(fields) = definition.as_object_mut() {
        fields.remove("status");
    }
    if let Some(versions) = definition["spec"]["versions"].as_array_mut() {
        versions.retain(|version| version["served"] == true || version["storage"] == true);
        for version in versions {
            if let Some(schema) = version["schema"]["openAPIV3Schema"].as_object_mut() {
                undescribe(schema);
            }
        }
    }
}

/// Takes the descriptions out of a schema. A property may be called `description`, and stays.
fn undescribe(schema: &mut Map<String, Value>) {
    schema.remove("description");
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().filter_map(Value::as_object_mut).for_each(undescribe);
            }
            ("items" | "additionalProperties" | "not", Value::Object(inner)) => undescribe(inner),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                all.iter_mut().filter_map(Value::as_object_mut).for_each(undescribe);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn descriptions_go_and_properties_of_that_name_stay() {
        let described = json!({
            "description": "x", "type": "object", "default": { "description": "kept" },
            "properties": { "description": { "type": "string", "description": "x" } },
            "anyOf": [{ "description": "x", "required": ["description"] }],
        });
        let schema = |schema: &Value| json!({ "schema": { "openAPIV3Schema": schema }, "served": true });
        let mut definition = json!({
            "status": {},
            "spec": { "versions": [schema(&described), { "served": false, "storage": false }] },
        });
        reduce(&mut definition);
        let reduced = json!({
            "type": "object", "default": { "description": "kept" },
            "properties": { "description": { "type": "string" } },
            "anyOf": [{ "required": ["description"] }],
        });
        assert_eq!(definition, json!({ "spec": { "versions": [schema(&reduced)] } }));
    }
}
