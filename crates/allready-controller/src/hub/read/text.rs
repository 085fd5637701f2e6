//! JSON as a text that is the same for equal values.

use serde_json::Value;

/// A value as compact JSON with sorted keys; none where it has more bytes than this.
pub(super) fn canonical(value: &Value, limit: usize) -> Option<String> {
    let mut text = String::new();
    write(value, &mut text, limit)?;
    Some(text)
}

fn write(value: &Value, text: &mut String, limit: usize) -> Option<()> {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, text);
                write(item, text, limit)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            // Whether a map is sorted depends on which features of the crate somebody else has switched on.
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                separate(index, text);
                write(&Value::from(name.as_str()), text, limit)?;
                text.push(':');
                write(value, text, limit)?;
            }
            text.push('}');
        }
        Value::String(long) if long.len() > limit => return None,
        scalar => text.push_str(&scalar.to_string()),
    }
    (text.len() <= limit).then_some(())
}

fn separate(index: usize, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_texts_whatever_the_order_of_their_fields() {
        let one: Value = serde_json::from_str(r#"{"b": [1, {"d": null, "c": "\"x\""}], "a": true}"#).unwrap();
        let other: Value =
            serde_json::from_str(r#"{"a": true, "b": [1, {"c": "\"x\"", "d": null}]}"#).unwrap();
        let text = canonical(&one, 1000).unwrap();
        assert_eq!(text, r#"{"a":true,"b":[1,{"c":"\"x\"","d":null}]}"#);
        assert_eq!(canonical(&other, 1000).unwrap(), text);
    }

    #[test]
    fn a_text_of_exactly_the_limit_is_kept_and_a_longer_one_is_not() {
        let value = Value::from(vec![1; 10]);
        assert_eq!(canonical(&value, 21).unwrap().len(), 21);
        assert_eq!(canonical(&value, 20), None);
    }
}
