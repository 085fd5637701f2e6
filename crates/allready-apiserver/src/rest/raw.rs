//! How a patch was written, which the refusal of its result shows: `1.0` where it was `1.0`.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use serde_json::Value;

use super::json;
use crate::status::json_text;

/// Parts of a patched object as the patch wrote them, by where they stand.
#[derive(Debug, Default)]
pub(super) struct Raw {
    texts: BTreeMap<String, (Value, String)>,
}

impl Raw {
    /// Of a merge patch: its numbers stay as they were written, its fields are sorted.
    pub(super) fn of_merge(body: &[u8]) -> Self {
        let mut raw = Self::default();
        for (pointer, span) in json::spans(body) {
            let text = std::str::from_utf8(body.get(span).unwrap_or_default()).unwrap_or_default();
            if text.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit()) {
                raw.texts.insert(pointer, (json::number(text), text.to_owned()));
            }
        }
        raw
    }

    /// Of a JSON patch: what it adds stays as it was written, down to what another step changes.
    pub(super) fn of_json(body: &[u8]) -> Self {
        let mut raw = Self::default();
        let patch = json::parse(body).unwrap_or_default().value;
        for (pointer, span) in json::spans(body) {
            let steps = pointer.split_once("/value").map(|(step, below)| (patch.pointer(step), below));
            if let Some((Some(step), below)) = steps
                && matches!(step["op"].as_str(), Some("add" | "replace"))
                && let Some(path) = step["path"].as_str()
                && let Some(value) = patch.pointer(&pointer)
            {
                let text = compact(&String::from_utf8_lossy(body.get(span).unwrap_or_default()));
                raw.texts.insert(format!("{path}{below}"), (value.clone(), text));
            }
        }
        raw
    }

    /// The patched object.
    pub(super) fn show(&self, object: &Value) -> String {
        let mut out = String::new();
        // Writing into a text has no way to fail.
        let _ = self.write(object, &mut String::new(), &mut out);
        out
    }

    /// The depth of a patched object is bounded before it is shown.
    fn write(&self, value: &Value, at: &mut String, out: &mut String) -> fmt::Result {
        if let Some((known, text)) = self.texts.get(at)
            && known == value
        {
            return out.write_str(text);
        }
        let length = at.len();
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(key, _)| *key);
                for (index, (key, value)) in fields.iter().enumerate() {
                    let before = if index == 0 { '{' } else { ',' };
                    write!(out, "{before}{}:", json_text(&key.as_str().into()))?;
                    write!(at, "/{}", key.replace('~', "~0").replace('/', "~1"))?;
                    self.write(value, at, out)?;
                    at.truncate(length);
                }
                out.write_str(if fields.is_empty() { "{}" } else { "}" })
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    write!(at, "/{index}")?;
                    self.write(value, at, out)?;
                    at.truncate(length);
                }
                out.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            other => out.write_str(&json_text(other)),
        }
    }
}

/// JSON without the space between its words, and with what could end a script element escaped.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for letter in text.chars() {
        match letter {
            ' ' | '\t' | '\r' | '\n' if !quoted => continue,
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
        quoted ^= letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_a_merge_patch_are_shown_as_they_were_written() {
        let body = br#"{"spec":{"b":1.0,"a":[1e3,{"c":9223372036854775808}],"d":0.5,"e":"1.0"}}"#;
        let mut object = json!({ "kind": "Nest", "spec": { "old": 1.5 } });
        crate::patch::merge::merge(&mut object, &json::parse(body).unwrap().value);
        assert_eq!(
            Raw::of_merge(body).show(&object),
            r#"{"kind":"Nest","spec":{"a":[1e3,{"c":9223372036854775808}],"b":1.0,"d":0.5,"e":"1.0","old":1.5}}"#
        );
    }

    #[test]
    fn values_of_a_json_patch_are_shown_as_they_were_written_down_to_what_was_changed_again() {
        let body =
            br#"[{"op": "add", "path": "/a~1b", "value": {"z": [1.0, "<\" x"], "b": {"y": 1.0, "x": 2}}},
            {"op": "add", "path": "/c", "value": {"z": 1.0, "b": {"y": 1, "x": {}}}},
            {"op": "add", "path": "/c/n", "value": 2.0}]"#;
        let object = json!({
            "kind": "Nest", "a/b": { "z": [1.0, "<\" x"], "b": { "y": 1.0, "x": 2 } },
            "c": { "z": 1.0, "b": { "y": 1, "x": {} }, "n": 2.0 },
        });
        assert_eq!(
            Raw::of_json(body).show(&object),
            r#"{"a/b":{"z":[1.0,"\u003c\" x"],"b":{"y":1.0,"x":2}},"c":{"b":{"y":1,"x":{}},"n":2.0,"z":1.0},"kind":"Nest"}"#
        );
    }
}
