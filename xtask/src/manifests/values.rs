//! The values of the chart: documented in values.yaml, checked by values.schema.json, and told in the README of the chart.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// What Helm or a chart around this one sets, and nobody else.
const HELMS_OWN: [&str; 2] = ["global", "enabled"];

const BEGIN: &str = "<!-- Made from values.yaml by `cargo xtask manifests`. -->\n";
const END: &str = "<!-- The end of what is made. -->\n";

/// A value that can be set.
#[derive(Debug, PartialEq, Eq)]
struct Documented {
    /// Where it is, with dots.
    path: String,
    /// The default, as it is written.
    default: String,
    text: String,
}

/// The README with the table of the values in it.
pub(super) fn readme(found: &str, values: &str) -> Result<String> {
    let (head, rest) = found.split_once(BEGIN).with_context(|| format!("README.md has no {BEGIN:?}"))?;
    let (_, tail) = rest.split_once(END).with_context(|| format!("README.md has no {END:?}"))?;
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |Documented { path, default, text }: &Documented| {
        format!("| `{path}` | `{}` | {} |\n", cell(default), cell(text))
    };
    let rows: String = documented(values)?.values.iter().map(row).collect();
    Ok(format!("{head}{BEGIN}\n| value | default | meaning |\n|---|---|---|\n{rows}\n{END}{tail}"))
}

/// Compares the keys of the values with those of their schema.
pub(super) fn check(values: &str, schema: &str) -> Result<()> {
    let schema: Value = serde_json::from_str(schema).context("values.schema.json is no JSON")?;
    let Documents { values, sections } = documented(values)?;
    let known: BTreeSet<&str> =
        values.iter().map(|value| value.path.as_str()).chain(sections.iter().map(String::as_str)).collect();
    let mut allowed = BTreeSet::new();
    paths(&schema, "", &sections, &mut allowed);
    let missing: Vec<_> = known.iter().filter(|path| !allowed.contains(**path)).copied().collect();
    let unknown: Vec<_> = allowed
        .iter()
        .map(String::as_str)
        .filter(|path| !known.contains(path) && !HELMS_OWN.contains(path))
        .collect();
    ensure!(missing.is_empty(), "values.schema.json does not have {}", missing.join(", "));
    ensure!(unknown.is_empty(), "values.yaml does not have {}", unknown.join(", "));
    Ok(())
}

/// The properties of a schema, down to those that are no sections of the values. Every section refuses what it does not know.
fn paths(schema: &Value, prefix: &str, sections: &[String], found: &mut BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let is_section = sections.contains(&path);
        if is_section && property["additionalProperties"] != Value::Bool(false) {
            continue; // and so it is told that the schema does not have it
        }
        if is_section {
            paths(property, &path, sections, found);
        }
        found.insert(path);
    }
}

/// The values in their order, and the sections that they are in.
#[derive(Debug, Default)]
struct Documents {
    values: Vec<Documented>,
    sections: Vec<String>,
}

/// Reads the comments above keys. A value is on the line of its key, so that its default can be told.
fn documented(text: &str) -> Result<Documents> {
    let mut found = Documents::default();
    let (mut comment, mut place): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.trim();
        if words.is_empty() {
            comment.clear();
        } else if let Some(words) = words.strip_prefix('#') {
            comment.push(words.trim());
        } else {
            let Some((key, default)) =
                words.split_once(':').filter(|(key, _)| !key.contains(['-', ' ', '{']))
            else {
                bail!("values.yaml, line {number}: write the default on the line of its key: {words}");
            };
            place.truncate((line.len() - line.trim_start().len()) / 2);
            place.push(key);
            let (path, default, text) = (place.join("."), default.trim().to_owned(), comment.join(" "));
            comment.clear();
            if default.is_empty() {
                found.sections.push(path);
            } else {
                ensure!(!text.is_empty(), "values.yaml, line {number}: {path} has no comment above it");
                found.values.push(Documented { path, default, text });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: &str =
        "# About the file.\n\nimage:\n  # The image,\n  # by name.\n  tag: \"\"\n# How many.\nreplicas: 2\n";

    #[test]
    fn a_value_is_told_by_the_comment_above_it() {
        let found = documented(VALUES).unwrap();
        let value = |path: &str, default: &str, text: &str| Documented {
            path: path.to_owned(),
            default: default.to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(
            found.values,
            [value("image.tag", "\"\"", "The image, by name."), value("replicas", "2", "How many.")]
        );
        assert_eq!(found.sections, ["image"]);
        let told = documented("replicas: 2\n").unwrap_err().to_string();
        assert_eq!(told, "values.yaml, line 1: replicas has no comment above it");
    }

    #[test]
    fn values_and_their_schema_have_the_same_keys() {
        let schema = |image: &str, more: &str| {
            format!(
                r#"{{"properties": {{"global": {{}}, "replicas": {{}}{more}, "image": {{"additionalProperties": false, "properties": {{{image}}}}}}}}}"#
            )
        };
        check(VALUES, &schema(r#""tag": {}"#, "")).unwrap();
        let told = |schema: &str| check(VALUES, schema).unwrap_err().to_string();
        assert_eq!(told(&schema("", "")), "values.schema.json does not have image.tag");
        assert_eq!(told(&schema(r#""tag": {}, "digest": {}"#, "")), "values.yaml does not have image.digest");
        assert_eq!(told(&schema(r#""tag": {}"#, r#", "log": {}"#)), "values.yaml does not have log");
        let open = schema(r#""tag": {}"#, "").replace("false", "true");
        assert_eq!(told(&open), "values.schema.json does not have image, image.tag");
    }
}
