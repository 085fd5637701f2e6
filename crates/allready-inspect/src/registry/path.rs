//! Where in an object something stands.

use std::borrow::Cow;

use serde_json::Value;

use crate::view::{self, Step};

/// A dotted path from the object's root. What follows `metadata.labels.` or `metadata.annotations.` is one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    segments: Vec<String>,
}

impl Path {
    pub(crate) fn parse(text: &str) -> Self {
        let of_a_map = ["metadata.annotations.", "metadata.labels."]
            .into_iter()
            .find_map(|prefix| text.strip_prefix(prefix).map(|key| (prefix, key)));
        let segments = match of_a_map {
            Some((prefix, key)) => {
                prefix.trim_end_matches('.').split('.').chain([key]).map(str::to_owned).collect()
            }
            None => text.split('.').map(str::to_owned).collect(),
        };
        Self { segments }
    }

    /// What stands there; null is as good as nothing.
    pub(crate) fn of<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        let found =
            self.segments.iter().try_fold(object, |value, segment| value.as_object()?.get(segment))?;
        (!found.is_null()).then_some(found)
    }

    /// As a path of a view.
    pub(crate) fn steps(&self) -> view::Path<'_> {
        view::Path::of(self.segments.iter().map(String::as_str))
    }

    /// Tells whether it is a key right below a path.
    pub(crate) fn is(&self, path: &view::Path<'_>, key: &str) -> bool {
        let mut steps = path.steps().iter().copied().chain([Step::Field(key)]);
        self.segments.len() == path.steps().len() + 1
            && self.segments.iter().all(|segment| steps.next() == Some(Step::Field(segment)))
    }

    /// The key, if this is a field right below `status`.
    pub(crate) fn status_key(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [first, key] if first == "status" => Some(key),
            _ => None,
        }
    }
}

/// One or more values: `path`, `one|other` (the first that is there), `list[].field` (one per item).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    text: String,
    list: Option<Path>,
    paths: Vec<Path>,
}

/// How many items of a list are looked at.
const MAX_ITEMS: usize = 1000;

impl Values {
    pub(crate) fn parse(text: &str) -> Self {
        let list = text.split('|').find_map(|one| one.split_once("[].")).map(|(list, _)| Path::parse(list));
        let of_item = |one: &str| Path::parse(one.split_once("[].").map_or(one, |(_, rest)| rest));
        Self { text: text.to_owned(), list, paths: text.split('|').map(of_item).collect() }
    }

    /// The path that is looked at first, as a path of a view.
    pub(crate) fn first_steps(&self) -> view::Path<'_> {
        view::Path::of(self.first().split('.').map(|field| field.trim_end_matches("[]")))
    }

    /// The path that is looked at first.
    pub(crate) fn first(&self) -> &str {
        self.text.split('|').next().unwrap_or(&self.text)
    }

    /// One entry for each item, with nothing where it is absent or empty.
    pub(crate) fn of<'a>(&self, object: &'a Value) -> Vec<Option<&'a Value>> {
        let first = |object: &'a Value| {
            let mut found = self.paths.iter().filter_map(|path| path.of(object));
            found.find(|value| value.as_str() != Some(""))
        };
        match &self.list {
            None => vec![first(object)],
            Some(list) => match list.of(object).and_then(Value::as_array) {
                Some(items) => {
                    items.iter().filter(|item| item.is_object()).take(MAX_ITEMS).map(first).collect()
                }
                None => Vec::new(),
            },
        }
    }
}

/// `path` (something is there) or `path=value` (this is there, in any case of letters).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) path: Path,
    value: Option<String>,
}

impl Test {
    pub(crate) fn parse(text: &str) -> Self {
        match text.split_once('=') {
            Some((path, value)) => Self { path: Path::parse(path), value: Some(value.to_owned()) },
            None => Self { path: Path::parse(text), value: None },
        }
    }

    pub(crate) fn holds(&self, object: &Value) -> bool {
        let found = self.path.of(object);
        match &self.value {
            None => found.is_some_and(|value| !is_empty(value)),
            Some(wanted) => found.is_some_and(|value| scalar(value).eq_ignore_ascii_case(wanted)),
        }
    }
}

/// Tells whether a value says nothing: null, an empty text, list or map.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A text, number or boolean as text; nothing for a list or a map.
pub(crate) fn scalar(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(true) => Cow::Borrowed("True"),
        Value::Bool(false) => Cow::Borrowed("False"),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_with_dots_is_one_key() {
        let object =
            json!({"metadata": {"labels": {"example.com/a.b": "x"}}, "status": {"a": {"b": null, "c": 1}}});
        assert_eq!(Path::parse("metadata.labels.example.com/a.b").of(&object), Some(&json!("x")));
        assert_eq!(Path::parse("status.a.c").of(&object), Some(&json!(1)));
        assert_eq!(Path::parse("status.a.b").of(&object), None, "null is nothing");
        assert_eq!(Path::parse("status.a.c.d").of(&object), None);
    }

    #[test]
    fn values_walk_a_list_and_take_the_first_that_is_there() {
        let object = json!({"status": {"all": [{"a": 1}, {"b": 2}, {"c": 3}, 4]}});
        let found = Values::parse("status.all[].a|status.all[].b").of(&object);
        assert_eq!(found, [Some(&json!(1)), Some(&json!(2)), None]);
        assert_eq!(Values::parse("status.x|status.all").of(&object).len(), 1);
    }

    #[test]
    fn a_test_compares_in_any_case_and_takes_emptiness_for_nothing() {
        let object = json!({"spec": {"on": true, "size": 3, "none": []}});
        for (test, expected) in [
            ("spec.on=true", true),
            ("spec.on=false", false),
            ("spec.size=3", true),
            ("spec.none", false),
            ("spec.size", true),
            ("spec.absent=", false),
        ] {
            assert_eq!(Test::parse(test).holds(&object), expected, "{test}");
        }
    }
}
