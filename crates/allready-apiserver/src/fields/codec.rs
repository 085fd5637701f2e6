//! `FieldsV1`: how a field set is written.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{path::PathElement, set::FieldSet, value};

/// Deeper than any object that can be stored.
const DEEPEST: usize = 256;

impl<'a> PathElement<'a> {
    /// Reads a step such as `f:spec`. `None` is a step of a kind that nobody knows yet.
    fn parse(text: &'a str) -> Result<Option<Self>, String> {
        let (Some(kind), Some(rest)) = (text.get(..2), text.get(2..)) else {
            return Err("key must be 2 characters long:".into());
        };
        match kind {
            "f:" => Ok(Some(Self::field(rest))),
            "v:" => {
                let value: Value = serde_json::from_str(rest).map_err(|error| error.to_string())?;
                Ok(Some(Self::Value(Cow::Owned(as_read(value)))))
            }
            "k:" => {
                let fields: Map<String, Value> =
                    serde_json::from_str(rest).map_err(|error| error.to_string())?;
                let owned = |(name, value)| (Cow::Owned(name), Cow::Owned(as_read(value)));
                let mut fields: Vec<(Cow<'a, str>, Cow<'a, Value>)> = fields.into_iter().map(owned).collect();
                fields.sort_by(|left, right| left.0.cmp(&right.0));
                Ok(Some(Self::Key(fields)))
            }
            "i:" => rest
                .parse()
                .map(|index| Some(Self::Index(index)))
                .map_err(|_| format!("invalid index: {rest}")),
            other if other.ends_with(':') => Ok(None),
            _ => Err(format!("missing colon: {text}")),
        }
    }

    /// Writes the step, such as `k:{"name":"http"}`.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(fields) => {
                let mut out = String::with_capacity(32);
                out.push_str("k:{");
                for (index, (name, field)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push('"');
                    out.push_str(name);
                    out.push_str("\":");
                    value::write_json(&mut out, field);
                }
                out.push('}');
                out
            }
            Self::Value(item) => {
                let mut out = String::from("v:");
                value::write_json(&mut out, item);
                out
            }
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

impl<'a> FieldSet<'a> {
    /// Reads a set. What cannot be a set is an error; steps of unknown kinds are left out.
    pub(crate) fn from_json(value: &'a Value) -> Result<Self, String> {
        Ok(read(value, 0)?.1)
    }

    /// Writes a set.
    pub(crate) fn to_json(&self) -> Value {
        Value::Object(self.write(false))
    }

    fn write(&self, includes_itself: bool) -> Map<String, Value> {
        let mut out = Map::new();
        if includes_itself && !self.is_empty() {
            out.insert(".".into(), Value::Object(Map::new()));
        }
        for node in self.nodes() {
            out.insert(node.element.to_text(), Value::Object(node.children.write(node.member)));
        }
        out
    }
}

/// Numbers in paths are read as floats, which shows where they are large: from here on several whole numbers are one float.
fn as_read(value: Value) -> Value {
    const EXACT: u64 = 1 << 53;
    match value.as_i64() {
        #[expect(clippy::cast_precision_loss, reason = "the loss is what is wanted")]
        Some(whole) if whole.unsigned_abs() >= EXACT => (whole as f64).into(),
        _ => value,
    }
}

/// Whether a set, as it is written, has numbers in its paths that reading may change.
pub(crate) fn has_large_numbers(fields: &Value, depth: usize) -> bool {
    let Value::Object(map) = fields else { return false };
    depth < DEEPEST
        && map.iter().any(|(key, below)| {
            let valued = key.starts_with("v:") || key.starts_with("k:");
            let digits = |text: &str| text.len() >= 16;
            (valued && key.split(|letter: char| !letter.is_ascii_digit()).any(digits))
                || has_large_numbers(below, depth + 1)
        })
}

/// Whether the path to here is in the set, and what is in it below.
fn read(value: &Value, depth: usize) -> Result<(bool, FieldSet<'_>), String> {
    let map = match value {
        Value::Null => return Ok((true, FieldSet::default())),
        Value::Object(map) if depth < DEEPEST => map,
        _ => return Err("expected an object of fields".into()),
    };
    let mut member = false;
    let mut children = FieldSet::default();
    for (key, below) in map {
        if key == "." {
            member = true;
        } else if let Some(element) = PathElement::parse(key)? {
            let (ends_here, below) = read(below, depth + 1)?;
            children.push(element, ends_here, below);
        }
    }
    Ok((member || children.is_empty(), children))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_that_are_one_float_are_one_item_of_a_set() {
        let item = |number: i64| PathElement::Value(Cow::Owned(json!(number)));
        let read = |text: &'static str| PathElement::parse(text).unwrap().unwrap();
        let least = 1_i64 << 53;
        assert_eq!(read("v:9007199254740992"), item(least + 1));
        assert_eq!(read("v:-9007199254740992"), item(-least - 1));
        assert_ne!(read("v:9007199254740991"), item(least));
        assert_ne!(item(least), item(least + 1));
    }
}
