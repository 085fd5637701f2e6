//! The JSON Schemas of documents, in `docs/schemas`. `UPDATE_SCHEMAS=1 cargo test -p allready-cli schemas` writes them.

use std::{fs, path::PathBuf};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::{API_VERSION, Document};
use crate::{
    check::entry::{CheckReport, Verdict},
    dns::records::DnsReport,
    explain::structured::Structured,
    gateway::output::GatewayReport,
    hub::HubReport,
    lint::{
        explain::{LintRules, VerdictRules},
        output::LintReport,
    },
    owners::view::OwnersReport,
    registry::show::RegistryReport,
    sweep::SweepReport,
    version::Versions,
    wait::outcome::WaitReport,
};

/// A document's kind, and its schema: that of the type which is serialized, with an `apiVersion` and a `kind`.
fn schema<T: Document + JsonSchema>() -> (&'static str, Value) {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    schema["title"] = json!(T::KIND);
    schema["properties"]["apiVersion"] = json!({ "const": API_VERSION });
    schema["properties"]["kind"] = json!({ "const": T::KIND });
    if let Some(required) = schema["required"].as_array_mut() {
        required.splice(0..0, [json!("apiVersion"), json!("kind")]);
    }
    without_examples(&mut schema);
    (T::KIND, schema)
}

/// Code in a description is for those who read Rust.
fn without_examples(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_examples),
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description")
                && let Some(end) = text.find("```")
            {
                *text = text.get(..end).unwrap_or_default().trim_end().to_owned();
            }
            fields.values_mut().for_each(without_examples);
        }
        _ => {}
    }
}

#[test]
fn schemas_in_docs_are_those_of_the_types_that_are_serialized() {
    let schemas = [
        schema::<CheckReport<'_>>(),
        schema::<Verdict<'_>>(),
        schema::<Structured<'_>>(),
        schema::<LintReport<'_>>(),
        schema::<LintRules>(),
        schema::<VerdictRules>(),
        schema::<GatewayReport<'_>>(),
        schema::<WaitReport<'_>>(),
        schema::<OwnersReport<'_>>(),
        schema::<HubReport>(),
        schema::<DnsReport>(),
        schema::<SweepReport<'_>>(),
        schema::<RegistryReport>(),
        schema::<Versions>(),
    ];
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for (kind, schema) in &schemas {
        let path = directory.join(format!("{kind}.json"));
        let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            fs::create_dir_all(&directory).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "{} is not up to date: set UPDATE_SCHEMAS=1", path.display());
    }
    // That of declarations, which are input, is beside them.
    assert_eq!(fs::read_dir(&directory).unwrap().count(), schemas.len() + 1);
}
