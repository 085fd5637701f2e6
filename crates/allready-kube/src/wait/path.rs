//! Where in an object a list of conditions is.

use std::{fmt, str::FromStr};

use serde_json::Value;

/// Where in an object lists of conditions are, such as `status.conditions` or `status.listeners[].conditions`.
///
/// `[]` stands for every entry of a list, and `[key=value]` for every entry that has this text there:
/// `status.parents[controllerName=example.dev/gateways].conditions`.
///
/// ```
/// use allready_kube::wait::ListPath;
///
/// let path: ListPath = "status.listeners[].conditions".parse().unwrap();
/// assert_eq!(path.to_string(), "status.listeners[].conditions");
/// assert_eq!(
///     "status.listeners[.conditions".parse::<ListPath>().unwrap_err().to_string(),
///     "\"status.listeners[.conditions\" is no path to lists of conditions: a bracket is not closed; \
///      write a path such as status.conditions or status.listeners[].conditions"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListPath {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Step {
    field: String,
    /// Whether the field is a list whose entries are looked at.
    each: Option<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Filter {
    All,
    With { key: String, value: String },
}

/// A text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is no path to lists of conditions: {problem}; \
     write a path such as status.conditions or status.listeners[].conditions"
)]
pub struct ListPathError {
    /// The text.
    pub found: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// A list that a path leads to.
pub(crate) struct Place<'a> {
    /// In which entries it is, such as `listeners[https]`; empty for a path without entries.
    pub(crate) entry: String,
    /// The list, if it is there.
    pub(crate) list: Option<&'a Value>,
}

impl ListPath {
    /// `status.conditions`.
    pub fn status_conditions() -> Self {
        let steps = ["status", "conditions"].map(|field| Step { field: field.to_owned(), each: None }).into();
        Self { text: "status.conditions".to_owned(), steps }
    }

    /// Every list that this leads to in an object. A list that a known entry lacks is there, as none.
    pub(crate) fn places<'a>(&self, object: &'a Value) -> Vec<Place<'a>> {
        let mut places = vec![Place { entry: String::new(), list: Some(object) }];
        for step in &self.steps {
            places = places.into_iter().flat_map(|place| step.from(place)).collect();
        }
        places
    }
}

impl Step {
    fn from<'a>(&self, place: Place<'a>) -> Vec<Place<'a>> {
        let field = place.list.and_then(|value| value.get(&self.field)).filter(|value| !value.is_null());
        let Some(filter) = &self.each else { return vec![Place { list: field, ..place }] };
        let Some(Value::Array(entries)) = field else { return Vec::new() };
        let chosen = entries.iter().enumerate().filter(|(_, entry)| filter.takes(entry));
        let step_into = |(index, entry): (usize, &'a Value)| {
            let label = match entry.get("name").and_then(Value::as_str) {
                Some(name) => format!("{}[{name}]", self.field),
                None => format!("{}[{index}]", self.field),
            };
            let entry_of = &place.entry;
            let label = if entry_of.is_empty() { label } else { format!("{entry_of}.{label}") };
            Place { entry: label, list: Some(entry) }
        };
        chosen.map(step_into).collect()
    }
}

impl Filter {
    fn takes(&self, entry: &Value) -> bool {
        match self {
            Self::All => true,
            Self::With { key, value } => entry.get(key).and_then(Value::as_str) == Some(value),
        }
    }
}

impl FromStr for ListPath {
    type Err = ListPathError;

    fn from_str(text: &str) -> Result<Self, ListPathError> {
        let steps = steps(text).map_err(|problem| ListPathError { found: text.to_owned(), problem })?;
        Ok(Self { text: text.to_owned(), steps })
    }
}

fn steps(text: &str) -> Result<Vec<Step>, &'static str> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(['.', '[', ']']).unwrap_or(rest.len());
        let (field, after) = rest.split_at(end);
        if field.is_empty() {
            return Err("a field has no name");
        }
        let (each, after) = match after.strip_prefix('[') {
            Some(inside) => {
                let (inside, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
                (Some(filter(inside)?), after)
            }
            None => (None, after),
        };
        steps.push(Step { field: field.to_owned(), each });
        match after.strip_prefix('.') {
            Some(more) => rest = more,
            None if after.is_empty() => break,
            None => return Err("after a bracket or a field comes a dot"),
        }
    }
    match steps.last() {
        Some(Step { each: None, .. }) => Ok(steps),
        _ => Err("it ends at the entries of a list, and not at a list"),
    }
}

fn filter(inside: &str) -> Result<Filter, &'static str> {
    if inside.is_empty() {
        return Ok(Filter::All);
    }
    match inside.split_once('=') {
        Some((key, value)) if !key.is_empty() => {
            Ok(Filter::With { key: key.to_owned(), value: value.to_owned() })
        }
        _ => Err("in brackets stands nothing, or key=value"),
    }
}

impl fmt::Display for ListPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// `status.conditions`.
impl Default for ListPath {
    fn default() -> Self {
        Self::status_conditions()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(path: &str, object: &Value) -> Vec<String> {
        let path: ListPath = path.parse().unwrap();
        let show = |place: Place<'_>| {
            let list = place.list.map_or("none".to_owned(), ToString::to_string);
            format!("{}: {list}", place.entry)
        };
        path.places(object).into_iter().map(show).collect()
    }

    #[test]
    fn a_path_leads_to_every_list() {
        let object = json!({ "status": {
            "conditions": [1],
            "listeners": [{ "name": "http", "conditions": [2] }, { "name": "https" }],
            "parents": [
                { "controllerName": "a.dev/x", "conditions": [3] },
                { "controllerName": "b.dev/x", "conditions": null, "inner": [{ "conditions": [4] }] },
            ],
            "empty": [],
        } });
        for (path, expected) in [
            ("status.conditions", vec![": [1]"]),
            ("status.listeners[].conditions", vec!["listeners[http]: [2]", "listeners[https]: none"]),
            ("status.parents[].conditions", vec!["parents[0]: [3]", "parents[1]: none"]),
            ("status.parents[controllerName=a.dev/x].conditions", vec!["parents[0]: [3]"]),
            ("status.parents[].inner[].conditions", vec!["parents[1].inner[0]: [4]"]),
            ("status.empty[].conditions", vec![]),
            ("status.nowhere[].conditions", vec![]),
            ("status.conditions[].conditions", vec!["conditions[0]: none"]),
            ("spec.conditions", vec![": none"]),
        ] {
            assert_eq!(places(path, &object), expected, "{path}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused_with_the_reason() {
        for (text, problem) in [
            ("", "a field has no name"),
            ("status..conditions", "a field has no name"),
            ("status.", "a field has no name"),
            ("a[", "a bracket is not closed"),
            ("a]", "after a bracket or a field comes a dot"),
            ("a[]b", "after a bracket or a field comes a dot"),
            ("a[x].b", "in brackets stands nothing, or key=value"),
            ("status.listeners[]", "it ends at the entries of a list, and not at a list"),
        ] {
            assert_eq!(text.parse::<ListPath>().unwrap_err().problem, problem, "{text}");
        }
    }

    #[test]
    fn the_default_is_where_conditions_usually_are() {
        assert_eq!(ListPath::default(), "status.conditions".parse().unwrap());
    }
}
