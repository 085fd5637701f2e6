//! Declarations from files and annotations.

use serde::Deserialize;
use serde_json::Value;

use super::{Entry, Source};
use allready_core::{ConditionSet, condition::excerpt, set};

/// Why declarations cannot be read.
///
/// ```
/// use allready_inspect::registry::{RegistryError, read};
/// use serde_json::json;
///
/// assert_eq!(read(&json!("all")).unwrap_err(), RegistryError::Form { found: "a text" });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The whole is not a list of declarations.
    #[error("declarations are a list of entries, or an object with `entries`; found {found}")]
    Form {
        /// What stood there instead, in one word.
        found: &'static str,
    },
    /// A skeleton that is not filled in.
    #[error("{place} is still to be filled in: replace what begins with `FILL IN`")]
    Open {
        /// The path to it.
        place: String,
    },
    /// The source for all entries is wrong.
    #[error("source: {problem}; see `allready registry schema`")]
    Source {
        /// What is wrong.
        problem: String,
    },
    /// One entry is wrong.
    #[error("entry {index}{about}: {problem}; see `allready registry schema`")]
    Entry {
        /// Which one, counted from 0.
        index: usize,
        /// The groups and kinds that it is about, as far as they can be read.
        about: String,
        /// What is wrong.
        problem: String,
    },
    /// An annotation holds neither a condition set nor a declaration.
    #[error("annotation allready.dev/conditions of {definition}: {problem}")]
    Annotation {
        /// The definition that carries it.
        definition: String,
        /// What is wrong.
        problem: String,
    },
}

/// A file of declarations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub(super) struct File {
    /// The source of the entries that do not name another.
    #[serde(default)]
    source: Option<Source>,
    /// The declarations; a later one for the same kind wins key by key.
    entries: Vec<Entry>,
}

impl File {
    pub(super) fn into_entries(self) -> Vec<Entry> {
        let with_source =
            |entry: Entry| Entry { source: entry.source.or_else(|| self.source.clone()), ..entry };
        self.entries.into_iter().map(with_source).collect()
    }
}

/// Reads declarations: a list of entries, or an object with a list named `entries` and the `source` of those that do not name another.
/// What `allready registry new` left open has to be filled in first.
///
/// ```
/// use allready_inspect::registry;
/// use serde_json::json;
///
/// let entries = registry::read(&json!([{"group": "example.com", "conditions": {"Ready": "summary"}}])).unwrap();
/// assert_eq!(entries.len(), 1);
/// let error = registry::read(&json!([{"group": "example.com", "kind": "Widget", "colour": "red"}])).unwrap_err();
/// assert!(error.to_string().starts_with("entry 0 (example.com Widget): unknown field `colour`"), "{error}");
/// ```
pub fn read(declarations: &Value) -> Result<Vec<Entry>, RegistryError> {
    let list = match declarations {
        Value::Object(map) => map.get("entries").unwrap_or(declarations),
        other => other,
    };
    if let Some(place) = open_place(declarations) {
        return Err(RegistryError::Open { place });
    }
    let common = match declarations.get("source") {
        Some(source) => {
            let problem = |error: serde_json::Error| RegistryError::Source { problem: error.to_string() };
            Some(Source::deserialize(source).map_err(problem)?)
        }
        None => None,
    };
    let Value::Array(list) = list else {
        let found = match list {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object without `entries`",
        };
        return Err(RegistryError::Form { found });
    };
    let read_one = |(index, value): (usize, &Value)| {
        let problem = |problem: String| RegistryError::Entry { index, about: about(value), problem };
        let mut entry: Entry =
            serde_json::from_value(value.clone()).map_err(|error| problem(error.to_string()))?;
        check(&entry).map_err(problem)?;
        entry.source = entry.source.or_else(|| common.clone());
        Ok(entry)
    };
    list.iter().enumerate().map(read_one).collect()
}

/// The mark of what an author has to fill in.
///
/// ```
/// use allready_inspect::registry::{OPEN, read};
/// use serde_json::json;
///
/// let skeleton = json!([{"group": "example.com", "conditions": {"Ready": format!("{OPEN}: summary or dependent")}}]);
/// assert!(read(&skeleton).unwrap_err().to_string().starts_with("0.conditions.Ready is still to be filled in"));
/// ```
pub const OPEN: &str = "FILL IN";

/// The first place that nobody has filled in.
fn open_place(value: &Value) -> Option<String> {
    let below = |step: String, value: &Value| {
        open_place(value).map(|rest| if rest.is_empty() { step.clone() } else { format!("{step}.{rest}") })
    };
    match value {
        Value::String(text) => text.starts_with(OPEN).then(String::new),
        Value::Array(list) => list.iter().enumerate().find_map(|(index, one)| below(index.to_string(), one)),
        Value::Object(map) => map.iter().find_map(|(key, one)| {
            if key.starts_with(OPEN) { Some(excerpt(key)) } else { below(excerpt(key), one) }
        }),
        _ => None,
    }
}

fn check(entry: &Entry) -> Result<(), String> {
    if entry.groups.is_empty() {
        return Err("`groups` is empty; write [\"*\"] for every group, [\"\"] for the core one".to_owned());
    }
    let texts = entry.suspended_if.iter().chain(entry.no_status_if.iter().flatten());
    match texts.into_iter().find(|text| !text.contains('=')) {
        Some(text) => Err(format!("{:?} is not of the form `path=value`", excerpt(text))),
        None => Ok(()),
    }
}

fn about(entry: &Value) -> String {
    let words = ["group", "groups", "kind", "kinds"].into_iter().filter_map(|key| match entry.get(key)? {
        Value::String(one) => Some(one.clone()),
        Value::Array(many) => Some(many.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
        _ => None,
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!(" ({})", excerpt(&words.join(" "))) }
}

impl Entry {
    /// What the annotation `allready.dev/conditions` of a custom resource definition declares for its kind: a condition
    /// set on one line or as JSON, or an entry without groups and kinds. Nothing if there is no such annotation.
    ///
    /// ```
    /// use allready_core::Polarity;
    /// use allready_inspect::registry::{Entry, Registry};
    /// use serde_json::json;
    ///
    /// let definition = json!({
    ///     "kind": "CustomResourceDefinition",
    ///     "metadata": {"name": "widgets.example.com",
    ///         "annotations": {"allready.dev/conditions": "Ready: Synced, !Burning, (Cached)"}},
    ///     "spec": {"group": "example.com", "names": {"kind": "Widget"}},
    /// });
    /// let entry = Entry::of_definition(&definition).unwrap().unwrap();
    /// let burning = Registry::empty().with([entry]).condition("example.com", "Widget", "Burning");
    /// assert_eq!(burning.polarity, Polarity::AbnormalTrue);
    /// ```
    pub fn of_definition(definition: &Value) -> Option<Result<Self, RegistryError>> {
        let annotation = definition.get("metadata")?.get("annotations")?.get(set::ANNOTATION)?;
        let spec = definition.get("spec")?;
        let group = spec.get("group")?.as_str()?;
        let kind = spec.get("names")?.get("kind")?.as_str()?;
        let name = || {
            let name = definition.get("metadata").and_then(|metadata| metadata.get("name")?.as_str());
            excerpt(name.unwrap_or(kind))
        };
        let problem = |problem: String| RegistryError::Annotation { definition: name(), problem };
        // A pattern would speak of the kinds of others.
        if [group, kind].iter().any(|name| name.is_empty() || name.contains('*')) {
            return Some(Err(problem(format!(
                "{:?} is not the name of a kind",
                excerpt(&format!("{kind}.{group}"))
            ))));
        }
        let Some(text) = annotation.as_str() else {
            return Some(Err(problem("it is not a text: put it in quotes".to_owned())));
        };
        Some(from_annotation(text, group, kind).map_err(problem))
    }
}

fn from_annotation(text: &str, group: &str, kind: &str) -> Result<Entry, String> {
    let of_set = |set: ConditionSet| Entry::from(&set).for_kind(group, kind);
    if !text.trim_start().starts_with('{') {
        return text.parse().map(of_set).map_err(|error: set::SetTextError| error.to_string());
    }
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let is_set = value.get("top").is_some() || value.get("conditions").is_some_and(Value::is_array);
    if is_set {
        return serde_json::from_value(value).map(of_set).map_err(|error| error.to_string());
    }
    if let Value::Object(map) = &mut value {
        map.insert("groups".to_owned(), group.into());
        map.insert("kinds".to_owned(), kind.into());
    }
    let entry: Entry = serde_json::from_value(value).map_err(|error| error.to_string())?;
    check(&entry)?;
    Ok(entry)
}
