//! Label selectors: as the API server is asked, and as they match.

use serde_json::Value;

use super::{id::text, known::Labels};

/// A selector of either form, as a query: `app=web,tier in (a,b)`. Nothing for one that selects nothing or everything.
pub(super) fn query(selector: &Value) -> Option<String> {
    let fields = selector.as_object()?;
    let is_structured = fields.contains_key("matchLabels") || fields.contains_key("matchExpressions");
    let labels = if is_structured { selector["matchLabels"].as_object() } else { Some(fields) };
    let pairs = labels.into_iter().flatten();
    let mut parts: Vec<String> =
        pairs.filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?))).collect();
    for expression in expressions(selector) {
        let (key, values) = (text(expression, "key"), values(expression).collect::<Vec<_>>().join(","));
        parts.push(match text(expression, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    (!parts.is_empty()).then(|| parts.join(","))
}

/// The labels of an object.
pub(super) fn labels(labels: &Value) -> Labels {
    let labels = labels.as_object().into_iter().flatten();
    labels.filter_map(|(key, value)| Some((key.as_str().into(), value.as_str()?.into()))).collect()
}

/// Tells whether labels are those that a selector of either form asks for. An empty one matches nothing here.
pub(super) fn matches(selector: &Value, labels: &Labels) -> bool {
    let label = |key: &str| labels.iter().find(|(found, _)| **found == *key).map(|(_, value)| &**value);
    let Some(fields) = selector.as_object().filter(|fields| !fields.is_empty()) else { return false };
    let is_structured = fields.contains_key("matchLabels") || fields.contains_key("matchExpressions");
    let wanted = if is_structured { selector["matchLabels"].as_object() } else { Some(fields) };
    let has_labels = wanted.into_iter().flatten().all(|(key, value)| label(key) == value.as_str());
    has_labels
        && expressions(selector).all(|expression| {
            let found = label(text(expression, "key"));
            let is_among = || found.is_some_and(|found| values(expression).any(|value| value == found));
            match text(expression, "operator") {
                "In" => is_among(),
                "NotIn" => !is_among(),
                "Exists" => found.is_some(),
                "DoesNotExist" => found.is_none(),
                _ => false,
            }
        })
}

fn expressions(selector: &Value) -> impl Iterator<Item = &Value> {
    selector["matchExpressions"].as_array().into_iter().flatten()
}

fn values(expression: &Value) -> impl Iterator<Item = &str> {
    expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_query_and_a_match_mean_the_same() {
        let pod: Labels = vec![("app".into(), "web".into()), ("tier".into(), "a".into())];
        for (selector, asked, is_match) in [
            (json!({ "app": "web" }), Some("app=web"), true),
            (json!({ "app": "other" }), Some("app=other"), false),
            (json!({ "matchLabels": { "app": "web" } }), Some("app=web"), true),
            (
                json!({ "matchExpressions": [{ "key": "tier", "operator": "In", "values": ["a", "b"] }] }),
                Some("tier in (a,b)"),
                true,
            ),
            (
                json!({ "matchExpressions": [{ "key": "tier", "operator": "NotIn", "values": ["a"] }] }),
                Some("tier notin (a)"),
                false,
            ),
            (json!({ "matchExpressions": [{ "key": "x", "operator": "DoesNotExist" }] }), Some("!x"), true),
            (json!({ "matchExpressions": [{ "key": "x", "operator": "Exists" }] }), Some("x"), false),
            (json!({}), None, false),
            (json!(null), None, false),
        ] {
            assert_eq!(query(&selector).as_deref(), asked, "{selector}");
            assert_eq!(matches(&selector, &pod), is_match, "{selector}");
        }
    }
}
