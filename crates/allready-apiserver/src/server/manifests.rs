//! The objects of a new server: values, text, files and directories become objects, each with the place it came from.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;

use super::BuildError;
use crate::rest::yaml;

/// Something that objects are in.
pub(super) enum Source {
    /// A value, or why it is none.
    Value(Result<Value, String>),
    /// Documents in YAML or JSON.
    Text(String),
    /// A file, or a directory of them.
    Path(PathBuf),
}

/// An object, and where it came from.
pub(super) struct Given {
    pub(super) place: String,
    pub(super) object: Value,
}

impl Source {
    /// A typed or untyped object.
    pub(super) fn value(value: &impl Serialize) -> Self {
        Self::Value(serde_json::to_value(value).map_err(|error| error.to_string()))
    }

    fn read(self, found: &mut Vec<Given>) -> Result<(), BuildError> {
        match self {
            Self::Value(Ok(object)) => flatten(&name(&object), object, found),
            Self::Value(Err(problem)) => {
                return Err(BuildError::Malformed { place: "an object".to_owned(), problem });
            }
            Self::Text(text) => documents("the text", &text, found)?,
            Self::Path(path) => {
                for file in files(&path).map_err(|error| BuildError::Read { path, error })? {
                    let name = file.display().to_string();
                    match fs::read_to_string(&file) {
                        Ok(text) => documents(&name, &text, found)?,
                        Err(error) => return Err(BuildError::Read { path: file, error }),
                    }
                }
            }
        }
        Ok(())
    }
}

/// Every object, in an order in which each finds what it needs: definitions and namespaces first, what judges others last.
pub(super) fn read(sources: Vec<Source>) -> Result<Vec<Given>, BuildError> {
    let mut found = Vec::new();
    sources.into_iter().try_for_each(|source| source.read(&mut found))?;
    found.sort_by_key(|given| rank(&given.object));
    Ok(found)
}

/// The name of the place of an object that comes from no file.
fn name(object: &Value) -> String {
    let text = |value: &'_ Value| value.as_str().map(ToOwned::to_owned);
    let kind = text(&object["kind"]).unwrap_or_else(|| "an object without a kind".to_owned());
    text(&object["metadata"]["name"]).map_or(kind.clone(), |name| format!("{kind} {name}"))
}

fn rank(object: &Value) -> u8 {
    match (object["apiVersion"].as_str().unwrap_or_default(), object["kind"].as_str().unwrap_or_default()) {
        ("apiextensions.k8s.io/v1", _) => 0,
        ("v1", "Namespace") => 1,
        (version, _) if version.starts_with("admissionregistration.k8s.io/") => 3,
        _ => 2,
    }
}

/// A file, or the files of a directory that look like manifests, by name; its directories are not looked into.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let is_manifest = path.extension().is_some_and(|ending| {
            ["yaml", "yml", "json"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        });
        if is_manifest && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The documents of a text. They are told apart by lines that begin with `---`, as by the `YAMLReader` of
/// k8s.io/apimachinery/pkg/util/yaml.
fn documents(name: &str, text: &str, found: &mut Vec<Given>) -> Result<(), BuildError> {
    let mut rest = Some(text);
    let mut number = 0;
    while let Some(text) = rest {
        let document;
        (document, rest) = split(text);
        if document.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with(['#', '%'])) {
            continue;
        }
        number += 1;
        let place = format!("{name}, document {number}");
        match yaml::parse(document.as_bytes()) {
            Ok(parsed) if parsed.value.is_null() => {}
            Ok(parsed) => flatten(&place, parsed.value, found),
            Err(problem) => return Err(BuildError::Malformed { place, problem }),
        }
    }
    Ok(())
}

/// A text up to the line that ends its first document, and what follows that line.
fn split(text: &str) -> (&str, Option<&str>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_mark = line.starts_with("---") && line.get(3..).is_some_and(|rest| rest.trim().is_empty());
        if is_mark {
            return (text.get(..at).unwrap_or_default(), text.get(at + line.len()..));
        }
        at += line.len();
    }
    (text, None)
}

/// The objects of a `List`, or the object itself.
fn flatten(place: &str, object: Value, found: &mut Vec<Given>) {
    match object {
        Value::Object(mut fields)
            if fields.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"))
                && fields.get("items").is_some_and(Value::is_array) =>
        {
            let Some(Value::Array(items)) = fields.remove("items") else { return };
            for (index, item) in items.into_iter().enumerate() {
                flatten(&format!("{place}, items[{index}]"), item, found);
            }
        }
        object => found.push(Given { place: place.to_owned(), object }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(text: &str) -> Vec<(String, Value)> {
        let found = read(vec![Source::Text(text.into())]).unwrap();
        found.into_iter().map(|given| (given.place, given.object["kind"].clone())).collect()
    }

    #[test]
    fn documents_are_told_apart_by_their_marks_and_empty_ones_do_not_count() {
        let text =
            "# who wrote it\n---\nkind: A\ntext: |\n  a\n  --- b\n---\n\n--- \nkind: B\n---\n# nothing\n";
        let expected = [("the text, document 1", "A"), ("the text, document 2", "B")];
        assert_eq!(places(text), expected.map(|(place, kind)| (place.to_owned(), json!(kind))));
        assert_eq!(places("{\"kind\": \"A\"}").len(), 1);
        assert!(places("").is_empty());
    }

    #[test]
    fn lists_are_their_items_and_what_others_need_comes_first() {
        let text = "apiVersion: v1\nkind: List\nitems: [{kind: Pod}, {apiVersion: v1, kind: Namespace}]\n---\n\
                    {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy}\n---\n\
                    {apiVersion: v1, kind: ConfigMap}\n---\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}";
        let kinds: Vec<Value> = places(text).into_iter().map(|(_, kind)| kind).collect();
        let expected =
            ["CustomResourceDefinition", "Namespace", "Pod", "ConfigMap", "ValidatingAdmissionPolicy"];
        assert_eq!(kinds, expected);
        assert_eq!(places(text)[2].0, "the text, document 1, items[0]");
    }
}
