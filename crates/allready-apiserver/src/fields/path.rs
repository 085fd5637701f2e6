//! One step of a path to a field, and the path.

use std::{borrow::Cow, cmp::Ordering, fmt};

use serde_json::Value;

use super::value;

/// One step from a value to something inside it.
///
/// Two steps are equal when they lead to the same place: `80` and `80.0` are one key.
#[derive(Debug, Clone)]
pub(crate) enum PathElement<'a> {
    /// A field of an object, or a key of a map: `f:spec`.
    Field(Cow<'a, str>),
    /// The item of a list that has these values in its key fields, which are sorted by name: `k:{"name":"http"}`.
    Key(Vec<(Cow<'a, str>, Cow<'a, Value>)>),
    /// The item of a set: `v:"a"`.
    Value(Cow<'a, Value>),
    /// The item of a list at a place: `i:0`.
    Index(i64),
}

/// A path from the top of an object to a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Path<'a>(pub Vec<PathElement<'a>>);

impl<'a> PathElement<'a> {
    /// The step to a field.
    pub(crate) fn field(name: &'a str) -> Self {
        Self::Field(Cow::Borrowed(name))
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => {
                for ((left_name, left), (right_name, right)) in left.iter().zip(right) {
                    let order = left_name.cmp(right_name).then_with(|| value::compare(left, right));
                    if order.is_ne() {
                        return order;
                    }
                }
                left.len().cmp(&right.len())
            }
            (Self::Value(left), Self::Value(right)) => value::compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

impl fmt::Display for PathElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                let texts: Vec<_> =
                    fields.iter().map(|(name, value)| format!("{name}={}", value::in_path(value))).collect();
                write!(f, "[{}]", texts.join(","))
            }
            Self::Value(value) => write!(f, "[={}]", value::in_path(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}
