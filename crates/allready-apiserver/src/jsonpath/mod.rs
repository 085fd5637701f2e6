//! The `JSONPath` dialect of printer columns, scale paths, selectable fields and kubectl: fields, indices, slices, unions,
//! wildcards, recursive descent and filters.
//!
//! Follows `k8s.io/client-go/util/jsonpath`.
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
/// use allready_apiserver::jsonpath::Path;
/// use serde_json::json;
///
/// let path = Path::parse(r#".status.conditions[?(@.type=="Ready")].status"#).unwrap();
/// let object = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
/// assert_eq!(path.first(&object).as_deref(), Some(&json!("True")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
}

/// Why a path cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Malformed {
    /// What is wrong.
    pub problem: String,
    /// How many bytes of the path are before it.
    pub at: usize,
}

/// How a path does not fit an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A list is shorter than an index or a slice wants it, or a slice ends before it begins.
    #[error("an index is out of the bounds of a list")]
    OutOfBounds,
    /// Only lists have indices and can be filtered.
    #[error("what is no list has no entries")]
    NoList,
    /// A filter compares a text with a number, or more than one value.
    #[error("a filter compares what cannot be compared")]
    Incomparable,
    /// A bare word is no step.
    #[error("a word without a dot before it leads nowhere")]
    Word,
    /// More values than are taken, or deeper ones.
    #[error("it leads to too many values")]
    TooMuch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
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
            return Err(Malformed { problem: format!("longer than {LONGEST} characters"), at: 0 });
        }
        Ok(Self { steps: parse::steps(text, 0, 0)? })
    }

    /// Everything the path leads to, in order. A missing field leads to nothing.
    pub fn find<'a>(&self, object: &'a Value) -> Result<Vec<Cow<'a, Value>>, Mismatch> {
        find::walk(vec![Cow::Borrowed(object)], &self.steps, 0)
    }

    /// Everything on the way through an object, from itself to what the path leads to.
    ///
    /// ```
    /// use allready_apiserver::jsonpath::Path;
    /// use serde_json::json;
    ///
    /// let object = json!({"list": [{"size": 1}, {"size": 2}]});
    /// let path = Path::parse(".list[?(@.size>1)].size").unwrap();
    /// let way: Vec<_> = path.way(&object).unwrap().into_iter().map(|value| value.into_owned()).collect();
    /// assert_eq!(way, [object.clone(), object["list"].clone(), json!({"size": 2}), json!(2)]);
    /// ```
    pub fn way<'a>(&self, object: &'a Value) -> Result<Vec<Cow<'a, Value>>, Mismatch> {
        let mut way = Vec::new();
        for length in 0..=self.steps.len() {
            let steps = self.steps.get(..length).unwrap_or_default();
            way.extend(find::walk(vec![Cow::Borrowed(object)], steps, 0)?);
        }
        Ok(way)
    }

    /// The first thing that the path leads to; nothing when it does not fit the object.
    pub fn first<'a>(&self, object: &'a Value) -> Option<Cow<'a, Value>> {
        self.find(object).ok()?.into_iter().next()
    }
}
