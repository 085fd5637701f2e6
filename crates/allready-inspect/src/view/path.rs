//! A place in an object.

use std::fmt::{self, Write as _};

use allready_core::condition::excerpt;
use serde_json::Value;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into a field of a map.
    Field(&'a str),
    /// Into an item of a list.
    Item {
        /// Its place in the list.
        index: usize,
        /// Its name, or the type of a condition, where it has one.
        name: Option<&'a str>,
    },
}

/// A path from the root of an object.
///
/// ```
/// use allready_inspect::view::{Path, Step};
///
/// let mut path = Path::of(["status", "listeners"]);
/// path.push(Step::Item { index: 1, name: Some("web") });
/// assert_eq!(path.to_string(), "status.listeners[web]");
/// assert_eq!(path.pointer(), "/status/listeners/1");
/// let annotation = Path::of(["metadata", "annotations", "example.com/a.b"]);
/// assert_eq!(annotation.to_string(), "metadata.annotations[example.com/a.b]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path<'a>(Vec<Step<'a>>);

impl<'a> Path<'a> {
    /// Fields within fields.
    pub fn of(fields: impl IntoIterator<Item = &'a str>) -> Self {
        Self(fields.into_iter().map(Step::Field).collect())
    }

    /// Goes a step further.
    pub fn push(&mut self, step: Step<'a>) {
        self.0.push(step);
    }

    /// Goes a step back.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The same path with one more step.
    #[must_use]
    pub fn join(&self, step: Step<'a>) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Self(steps)
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step<'a>] {
        &self.0
    }

    /// As a JSON pointer.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            let _ = match step {
                Step::Field(name) => write!(pointer, "/{}", name.replace('~', "~0").replace('/', "~1")),
                Step::Item { index, .. } => write!(pointer, "/{index}"),
            };
        }
        pointer
    }

    /// Finds what stands there in an object.
    pub fn find<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(object, |value, step| match step {
            Step::Field(name) => value.get(name),
            Step::Item { index, .. } => value.get(index),
        })
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if name.contains(['.', '/', '[', ']', '"']) => {
                    write!(f, "[{}]", excerpt(name))?;
                }
                Step::Field(name) => {
                    write!(f, "{}{}", if at == 0 { "" } else { "." }, excerpt(name))?;
                }
                Step::Item { name: Some(name), .. } => write!(f, "[{}]", excerpt(name))?,
                Step::Item { index, .. } => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
