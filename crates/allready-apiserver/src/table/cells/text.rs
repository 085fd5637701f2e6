//! Reading objects that may lack anything, and writing lists of things in one cell.

use std::collections::BTreeMap;

use serde_json::Value;

use super::NONE;

/// The text at a path, empty when there is none.
pub(super) fn at<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    value(object, path).as_str().unwrap_or_default()
}

/// The whole number at a path, 0 when there is none.
pub(super) fn number(object: &Value, path: &[&str]) -> i64 {
    value(object, path).as_i64().unwrap_or_default()
}

/// The value at a path; `null` when there is none.
pub(super) fn value<'a>(object: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(object, |object, field| &object[*field])
}

/// The items of the list at a path.
pub(super) fn items<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    value(object, path).as_array().map_or(&[], Vec::as_slice)
}

/// How many entries the map at a path has.
pub(super) fn size(object: &Value, path: &[&str]) -> usize {
    value(object, path).as_object().map_or(0, serde_json::Map::len)
}

/// A text, or what stands for its absence.
pub(super) fn or<'a>(text: &'a str, absent: &'a str) -> &'a str {
    if text.is_empty() { absent } else { text }
}

/// `a=b,c=d`.
pub(super) fn labels(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    let sorted: BTreeMap<_, _> =
        pairs.map(|(key, value)| (key, value.as_str().unwrap_or_default())).collect();
    let texts: Vec<_> = sorted.iter().map(|(key, value)| format!("{key}={value}")).collect();
    or(&texts.join(","), NONE).to_owned()
}

/// A label selector as a query, empty when it selects everything or nothing; `None` when it makes no sense.
pub(super) fn selector(selector: &Value) -> Option<String> {
    let mut terms: Vec<(String, String)> = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        terms.push((key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    for expression in items(selector, &["matchExpressions"]) {
        let key = at(expression, &["key"]);
        let mut values: Vec<_> = items(expression, &["values"]).iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match at(expression, &["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let texts: Vec<_> = terms.into_iter().map(|(_, term)| term).collect();
    Some(texts.join(","))
}

/// A label selector as most kinds show it.
pub(super) fn selector_or_none(value: &Value) -> String {
    match selector(value) {
        Some(text) => or(&text, NONE).to_owned(),
        None => "<error>".into(),
    }
}

/// The names and the images of the containers of a pod template.
pub(super) fn containers(template: &Value) -> [Value; 2] {
    ["name", "image"].map(|field| {
        let texts: Vec<_> = items(template, &["spec", "containers"])
            .iter()
            .map(|container| at(container, &[field]))
            .collect();
        texts.join(",").into()
    })
}
