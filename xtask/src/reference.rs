//! The parts of docs/ that are made from the program: the API from the CRDs, the rules, and the truth tables of the policies.

mod declarations;
mod policies;
mod rules;

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

const BEGIN: &str = "<!-- Made by `cargo xtask manifests`. -->\n";
const END: &str = "<!-- The end of what is made. -->\n";

/// The pages that are made, whole or in part: each path, and its text as it should be.
pub fn pages(definitions: &[CustomResourceDefinition]) -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("docs/reference.md", page(definitions)),
        ("docs/rules.md", rules::page()),
        ("docs/policies.md", within("docs/policies.md", &policies::tables())?),
        ("docs/declarations.md", within("docs/declarations.md", &declarations::table()?)?),
    ])
}

/// A page with what is made in its place.
fn within(path: &str, made: &str) -> Result<String> {
    let found = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
    let (head, rest) = found.split_once(BEGIN).with_context(|| format!("{path} has no {BEGIN:?}"))?;
    let (_, tail) = rest.split_once(END).with_context(|| format!("{path} has no {END:?}"))?;
    Ok(format!("{head}{BEGIN}\n{made}\n{END}{tail}"))
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The page with a section for each of these CRDs.
fn page(definitions: &[CustomResourceDefinition]) -> String {
    let mut page = String::from(
        "<!-- Made from the types by `cargo xtask manifests`. -->\n# API reference\n\n\
         The kinds of `allready.dev/v1alpha1`. The same texts are in `kubectl explain`, as in\n\
         `kubectl explain configurationstatus.spec --recursive`. A field that is required is **bold**. `[]` is an item of a list.\n",
    );
    for definition in definitions {
        section(&mut page, definition);
    }
    page
}

fn section(page: &mut String, definition: &CustomResourceDefinition) {
    let names = &definition.spec.names;
    for version in &definition.spec.versions {
        let Some(schema) = version.schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref())
        else {
            continue;
        };
        let short = names.short_names.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        let columns = version.additional_printer_columns.iter().flatten();
        let columns = columns.filter(|column| column.priority.unwrap_or_default() == 0);
        let columns = columns.map(|column| column.name.to_uppercase()).collect::<Vec<_>>().join(", ");
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n`{}/{}`, {}; `kubectl get {}` (short: `{short}`) shows NAME, {columns}.\n",
            names.kind,
            schema.description.as_deref().unwrap_or_default(),
            definition.spec.group,
            version.name,
            definition.spec.scope.to_lowercase(),
            names.plural,
        );
        if let Some(example) = example(&names.kind) {
            let _ = write!(page, "\n```yaml\n{example}```\n");
        }
        for part in ["spec", "status"] {
            let Some(schema) = schema.properties.iter().flatten().find(|(name, _)| *name == part) else {
                continue;
            };
            let _ = write!(
                page,
                "\n### {} {part}\n\n{}\n\n| field | type | default | limits | description |\n|---|---|---|---|---|\n",
                names.kind,
                cell(schema.1.description.as_deref().unwrap_or_default())
            );
            rows(page, schema.1, "");
        }
        let rules = rules_of(schema, "");
        if !rules.is_empty() {
            let _ = write!(page, "\nRules:\n\n{rules}");
        }
    }
}

/// A row for each field, with its own fields below it.
fn rows(page: &mut String, schema: &JSONSchemaProps, path: &str) {
    for (name, field) in schema.properties.iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let is_required = schema.required.iter().flatten().any(|required| required == name);
        let shown = if is_required { format!("**`{path}`**") } else { format!("`{path}`") };
        let default = field.default.as_ref().map(|default| format!("`{}`", default.0)).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {shown} | {} | {} | {} | {} |",
            cell(&type_of(field)),
            cell(&default),
            cell(&limits(field)),
            cell(field.description.as_deref().unwrap_or_default())
        );
        if is_conditions(field) || is_selector(field) {
            continue;
        }
        match items(field) {
            Some(items) => rows(page, items, &format!("{path}[]")),
            None => rows(page, field, &path),
        }
    }
}

fn type_of(schema: &JSONSchemaProps) -> String {
    if let Some(values) = &schema.enum_ {
        let values = values.iter().filter_map(|value| value.0.as_str());
        return values.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    }
    if is_conditions(schema) {
        return "list of conditions".to_owned();
    }
    if is_selector(schema) {
        return "label selector".to_owned();
    }
    if let Some(items) = items(schema) {
        return format!("list of {}", type_of(items));
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &schema.additional_properties {
        return format!("map of {}", type_of(values));
    }
    match schema.format.as_deref() {
        Some("date-time") => "time".to_owned(),
        _ => schema.type_.clone().unwrap_or_default(),
    }
}

fn limits(schema: &JSONSchemaProps) -> String {
    let range = |low: Option<String>, high: Option<String>, what: &str| match (low, high) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}{what}")),
        (Some(low), None) => Some(format!("at least {low}{what}")),
        (None, Some(high)) => Some(format!("at most {high}{what}")),
        (None, None) => None,
    };
    let text = |number: Option<i64>| number.map(|number| number.to_string());
    let of = |schema: &JSONSchemaProps| {
        [
            range(text(schema.min_length), text(schema.max_length), " characters"),
            range(text(schema.min_items), text(schema.max_items), " items"),
            range(schema.minimum.map(|low| low.to_string()), schema.maximum.map(|high| high.to_string()), ""),
        ]
    };
    let mut all: Vec<String> = of(schema).into_iter().flatten().collect();
    if let Some(items) = items(schema).filter(|_| !is_conditions(schema)) {
        all.extend(of(items).into_iter().flatten().map(|limit| format!("each {limit}")));
    }
    all.join("; ")
}

/// What the server refuses beyond types and limits, in its words.
fn rules_of(schema: &JSONSchemaProps, path: &str) -> String {
    let mut list = String::new();
    for rule in schema.x_kubernetes_validations.iter().flatten() {
        let at = format!("{path}{}", rule.field_path.as_deref().unwrap_or_default());
        let at = if at.is_empty() { "the object" } else { at.trim_start_matches('.') };
        let _ = writeln!(list, "- `{at}`: {}", rule.message.as_deref().unwrap_or_default());
    }
    for (name, field) in schema.properties.iter().flatten() {
        let path = format!("{path}.{name}");
        list += &rules_of(field, &path);
        if let Some(items) = items(field) {
            list += &rules_of(items, &format!("{path}[]"));
        }
    }
    list
}

fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}

fn has(schema: &JSONSchemaProps, field: &str) -> bool {
    schema.properties.as_ref().is_some_and(|fields| fields.contains_key(field))
}

fn is_conditions(schema: &JSONSchemaProps) -> bool {
    items(schema).is_some_and(|items| has(items, "lastTransitionTime"))
}

fn is_selector(schema: &JSONSchemaProps) -> bool {
    has(schema, "matchLabels") && has(schema, "matchExpressions")
}

/// A text that does not end the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn example(kind: &str) -> Option<&'static str> {
    match kind {
        "ConfigurationStatus" => Some(include_str!("reference/configurationstatus.yaml")),
        "StatusReport" => Some(include_str!("reference/statusreport.yaml")),
        "StatusAggregation" => Some(include_str!("reference/statusaggregation.yaml")),
        "InstanceStatus" => Some(include_str!("reference/instancestatus.yaml")),
        "ClusterStatus" => Some(include_str!("reference/clusterstatus.yaml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use allready_apiserver::ApiServer;
    use kube::{
        Api, Client, ResourceExt as _,
        api::{ApiResource, DynamicObject, GroupVersionKind, PostParams},
    };

    use super::*;

    #[test]
    fn the_pages_that_are_made_are_as_they_would_be_made() {
        for (path, made) in pages(&allready_kube::kinds::definitions()).unwrap() {
            let found = fs::read_to_string(root().join(path)).unwrap();
            assert!(found == made, "{path} is not as it would be made; run cargo xtask manifests");
        }
    }

    #[tokio::test]
    async fn every_kind_has_an_example_and_the_server_takes_it() {
        let definitions = allready_kube::kinds::definitions();
        let crds = definitions.iter().map(|definition| serde_json::to_value(definition).unwrap());
        let server = ApiServer::builder().crds(crds).build().unwrap();
        for definition in &definitions {
            let names = &definition.spec.names;
            let text = example(&names.kind).unwrap_or_else(|| panic!("{} has no example", names.kind));
            let mut object: DynamicObject = serde_saphyr::from_str(text).unwrap();
            object.metadata.namespace = None;
            let kind = GroupVersionKind::gvk("allready.dev", "v1alpha1", &names.kind);
            let resource = ApiResource::from_gvk_with_plural(&kind, &names.plural);
            let client = Client::new(server.service(), "default");
            let api: Api<DynamicObject> = match definition.spec.scope.as_str() {
                "Namespaced" => Api::default_namespaced_with(client, &resource),
                _ => Api::all_with(client, &resource),
            };
            let made = api.create(&PostParams::default(), &object).await.unwrap();
            assert_eq!(made.name_any(), object.name_any());
        }
    }
}
