//! JSON patches, as lenient as the real server's: replacing what is not there adds it.
//!
//! Follows `gopkg.in/evanphx/json-patch.v4`, which kube-apiserver applies patches with.

use serde_json::Value;

use crate::{depth, status::Failure};

const MOST: usize = 10_000;
/// Bytes that the copies of one patch may add up to.
const COPIES: usize = 3 << 20;
/// Levels that a document may have on its way. What comes of it is checked again, more strictly.
const PASSING: usize = 2 * depth::DEEPEST;

/// A JSON patch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Patch(Vec<Step>);

#[derive(Debug, Clone, PartialEq)]
struct Step {
    action: String,
    path: Option<String>,
    from: Option<String>,
    value: Option<Value>,
}

impl Patch {
    /// Reads a patch, or refuses it with the real server's words. Who does not look for mistakes in advance finds those of
    /// types only where a step is taken.
    pub(crate) fn read(patch: &Value, in_advance: bool) -> Result<Self, Failure> {
        let wrong = |found: &Value, target: &str| {
            let found = crate::json::go_type(found);
            Failure::bad_request(format!(
                "error decoding patch: json: cannot unmarshal {found} into Go {target}"
            ))
        };
        let steps = match patch {
            Value::Null => &Vec::new(),
            Value::Array(steps) => steps,
            other => return Err(wrong(other, "value of type []handlers.jsonPatchOp")),
        };
        if steps.len() > MOST {
            let found = steps.len();
            let message = format!("The allowed maximum operations in a JSON patch is {MOST}, got {found}");
            return Err(Failure::new(
                413,
                "RequestEntityTooLarge",
                format!("Request entity too large: {message}"),
            ));
        }
        let mut out = Vec::with_capacity(steps.len());
        for step in steps {
            if !step.is_object() {
                return Err(wrong(step, "value of type handlers.jsonPatchOp"));
            }
            let text = |field: &str| match &step[field] {
                Value::Null => Ok(None),
                Value::String(text) => Ok(Some(text.clone())),
                _ if !in_advance => Ok(None),
                other => Err(wrong(other, &format!("struct field jsonPatchOp.{field} of type string"))),
            };
            out.push(Step {
                action: text("op")?.unwrap_or_default(),
                path: text("path")?,
                from: text("from")?,
                value: step.get("value").cloned(),
            });
        }
        Ok(Self(out))
    }

    /// Applies the patch. Whatever fails, the real server says the same.
    pub(crate) fn apply(&self, mut document: Value) -> Result<Value, Failure> {
        let mut copied = 0;
        let mut deepest = depth::of(&document, PASSING).ok_or_else(depth::refusal)?;
        for step in &self.0 {
            step.deepen(&mut document, &mut deepest).ok_or_else(depth::refusal)?;
            if step.apply(&mut document, &mut copied).is_none() {
                let message = "the server rejected our request due to an error in our request";
                let failure = Failure::new(422, "Invalid", message);
                return Err(Failure { details: Some(Box::default()), ..failure });
            }
        }
        Ok(document)
    }
}

/// Fields of the patch's steps that nobody knows.
pub(crate) fn unknown_fields(patch: &Value) -> impl Iterator<Item = String> + '_ {
    let steps = patch.as_array().into_iter().flatten().enumerate();
    let known = ["op", "path", "from", "value"];
    steps.flat_map(move |(index, step)| {
        let fields = step.as_object().into_iter().flatten();
        fields
            .filter(move |(key, _)| !known.contains(&key.as_str()))
            .map(move |(key, _)| format!("[{index}].{key}"))
    })
}

impl Step {
    /// Moves the most that a document's depth can be; `None` when that would be too much.
    fn deepen(&self, document: &mut Value, deepest: &mut usize) -> Option<()> {
        let place = self.path.as_deref().unwrap_or_default().matches('/').count();
        let value = match self.action.as_str() {
            "add" | "replace" => self.value.as_ref().map_or(Some(0), |value| depth::of(value, PASSING))?,
            "move" | "copy" if *deepest + place <= PASSING => *deepest,
            "move" | "copy" => {
                let from = self.from.as_deref().unwrap_or_default();
                find(document, from).map_or(Some(0), |value| depth::of(&value, PASSING))?
            }
            _ => return Some(()),
        };
        *deepest = value.saturating_add(place).max(*deepest);
        (*deepest <= PASSING).then_some(())
    }

    fn apply(&self, document: &mut Value, copied: &mut usize) -> Option<()> {
        let path = self.path.as_deref()?;
        let value = || self.value.clone().unwrap_or_default();
        match self.action.as_str() {
            "add" => add(document, path, value()),
            "remove" => take(document, path).map(drop),
            "replace" if path.is_empty() => {
                *document = self.value.clone().filter(|value| value.is_object() || value.is_array())?;
                Some(())
            }
            "replace" => replace(document, path, value()),
            "move" => {
                let value = take(document, self.from.as_deref()?)?;
                add(document, path, value)
            }
            "copy" => {
                let value = find(document, self.from.as_deref()?)?;
                *copied += value.to_string().len();
                if *copied > COPIES {
                    return None;
                }
                add(document, path, value)
            }
            "test" if path.is_empty() => (value() == *document).then_some(()),
            "test" => (find(document, path)? == value()).then_some(()),
            _ => None,
        }
    }
}

fn parts(path: &str) -> Option<Vec<String>> {
    // Whatever stands before the first slash is not looked at.
    let (_, rest) = path.split_once('/')?;
    Some(rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect())
}

/// What stands at a path; `null` where its holder is there and it is not.
fn find(document: &mut Value, path: &str) -> Option<Value> {
    let (holder, last) = parent(document, path)?;
    match holder {
        Value::Object(map) => Some(map.get(&last).cloned().unwrap_or_default()),
        Value::Array(items) => items.get(index(&last, items.len())?).cloned(),
        _ => None,
    }
}

fn parent<'a>(document: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    let mut parts = parts(path)?;
    let last = parts.pop()?;
    let holder = parts.iter().try_fold(document, |value, part| match value {
        Value::Object(map) => map.get_mut(part),
        Value::Array(items) => {
            let at = index(part, items.len())?;
            items.get_mut(at)
        }
        _ => None,
    })?;
    Some((holder, last))
}

/// An index into a list; from the end when negative.
fn index(part: &str, length: usize) -> Option<usize> {
    let index: i64 = part.parse().ok()?;
    if index < 0 {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    } else {
        usize::try_from(index).ok()
    }
}

fn add(document: &mut Value, path: &str, value: Value) -> Option<()> {
    let (holder, last) = parent(document, path)?;
    match holder {
        Value::Object(map) => {
            map.insert(last, value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            // Counted from the end, a place is one behind the item that it names.
            let at = if last.starts_with('-') {
                index(&last, items.len() + 1)?
            } else {
                index(&last, items.len())?
            };
            if at > items.len() {
                return None;
            }
            items.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

fn replace(document: &mut Value, path: &str, value: Value) -> Option<()> {
    let (holder, last) = parent(document, path)?;
    match holder {
        Value::Object(map) => {
            map.insert(last, value);
        }
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            *items.get_mut(at)? = value;
        }
        _ => return None,
    }
    Some(())
}

fn take(document: &mut Value, path: &str) -> Option<Value> {
    let (holder, last) = parent(document, path)?;
    match holder {
        Value::Object(map) => map.remove(&last),
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            (at < items.len()).then(|| items.remove(at))
        }
        _ => None,
    }
}

/// The tree of the fields and positions that the operations of a patch speak of.
pub(crate) fn touched(patch: &Value) -> Value {
    let mut tree = Value::Object(serde_json::Map::new());
    let operations = patch.as_array().map_or(&[][..], Vec::as_slice);
    let paths = operations.iter().flat_map(|operation| [operation.get("path"), operation.get("from")]);
    for path in paths.flatten().filter_map(Value::as_str) {
        let steps = path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let mut here = &mut tree;
        let mut steps = steps.peekable();
        while let Some(step) = steps.next() {
            let Some(fields) = here.as_object_mut() else { break };
            let below = fields.entry(step).or_insert(Value::Null);
            if steps.peek().is_some() && below.is_null() {
                *below = Value::Object(serde_json::Map::new());
            }
            here = below;
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_absent_from_a_holder_counts_as_null_and_without_a_holder_nothing_does() {
        for (step, expected) in [
            (
                json!({"op": "copy", "from": "/a/x", "path": "/a/y"}),
                Some(json!({"a": {"l": [1], "y": null}})),
            ),
            (json!({"op": "copy", "from": "/x/y", "path": "/a/y"}), None),
            (json!({"op": "move", "from": "/a/x", "path": "/a/y"}), None),
            (json!({"op": "test", "path": "/a/x"}), Some(json!({"a": {"l": [1]}}))),
            (json!({"op": "test", "path": "/x/y"}), None),
            (json!({"op": "test", "path": "/a/l/1"}), None),
            (json!({"op": "add", "value": 1}), None),
            (json!({"op": "add", "path": 1, "value": 1}), None),
        ] {
            let patch = Patch::read(&json!([step]), false).unwrap();
            assert_eq!(patch.apply(json!({"a": {"l": [1]}})).ok(), expected, "{step}");
        }
    }
}
