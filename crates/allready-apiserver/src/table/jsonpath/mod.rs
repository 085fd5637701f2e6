//! The `JSONPath` dialect of printer columns, scale paths and selectable fields: fields, indices, slices, unions, wildcards,
//! recursive descent and filters.
//!
//! Bounded in all directions: a path has at most [`LONGEST`] characters, nests filters at most [`DEEPEST`] deep and finds at
//! most [`MOST`] values.

use std::borrow::Cow;

use serde_json::Value;

mod find;
mod parse;
#[cfg(test)]
mod tests;

/// The longest path that is read, in characters.
pub const LONGEST: usize = 4096;
/// How deep filters and unions nest, and how deep `..` descends.
pub const DEEPEST: usize = 32;
/// How many values a path finds before it gives up.
pub const MOST: usize = 10_000;

/// A path, read once and used on many objects.
///
/// ```
/// use allready_apiserver::table::jsonpath::Path;
/// use serde_json::json;
///
/// let path = Path::parse(r#".status.conditions[?(@.type=="Ready")].status"#).unwrap();
/// let object = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
/// assert_eq!(path.first(&object).as_deref(), Some(&json!("True")));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    steps: Vec<Step>,
}

/// Why a path cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// A path that does not fit the object: an index out of bounds, a filter on what is no list, values that cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the path does not fit the object")]
pub struct Mismatch;

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Vec<Vec<Step>>),
    Filter {
        left: Vec<Step>,
        operator: String,
        right: Vec<Step>,
    },
    Exists(Vec<Step>),
    Constant(Value),
    /// A bare word: means something only in templates, and never fits an object.
    Identifier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
    /// `[n]`, whose end follows from its start.
    single: bool,
}

impl Path {
    /// Reads a path, as in `.spec.replicas`, without braces.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        if text.chars().count() > LONGEST {
            return Err(Malformed(format!("longer than {LONGEST} characters")));
        }
        Ok(Self { steps: parse::steps(text, 0)? })
    }

    /// Everything the path leads to, in order. A missing field leads to nothing.
    pub fn find<'a>(&self, object: &'a Value) -> Result<Vec<Cow<'a, Value>>, Mismatch> {
        find::walk(vec![Cow::Borrowed(object)], &self.steps, 0)
    }

    /// The first thing that the path leads to; nothing when it does not fit the object.
    pub fn first<'a>(&self, object: &'a Value) -> Option<Cow<'a, Value>> {
        self.find(object).ok()?.into_iter().next()
    }
}
