//! Places in an object: for people, and for programs.

use std::fmt::{self, Write as _};

use serde::Serialize;

use allready_core::condition::excerpt;

use crate::view::{Path, Step};

/// A place in an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Place {
    /// With the names of entries: `status.conditions[Ready].reason`.
    pub path: String,
    /// As a JSON pointer: `/status/conditions/0/reason`.
    pub pointer: String,
}

impl Place {
    /// The object itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// A field of what is here.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut next = self.clone();
        if key.contains(['.', '/', '[', ']', '"']) {
            let _ = write!(next.path, "[{:?}]", excerpt(key));
        } else {
            if !next.path.is_empty() {
                next.path.push('.');
            }
            next.path.push_str(&excerpt(key));
        }
        let _ = write!(next.pointer, "/{}", key.replace('~', "~0").replace('/', "~1"));
        next
    }

    /// Fields within fields.
    #[must_use]
    pub fn keys(&self, keys: &[&str]) -> Self {
        keys.iter().fold(self.clone(), |place, key| place.key(key))
    }

    /// An entry of a list, by its number.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.entry(index, "")
    }

    /// An entry of a list that has a name.
    #[must_use]
    pub fn entry(&self, index: usize, name: &str) -> Self {
        let mut next = self.clone();
        let _ = match name {
            "" => write!(next.path, "[{index}]"),
            name => write!(next.path, "[{}]", excerpt(name)),
        };
        let _ = write!(next.pointer, "/{index}");
        next
    }
}

impl From<&Path<'_>> for Place {
    fn from(path: &Path<'_>) -> Self {
        path.steps().iter().fold(Self::root(), |place, step| match *step {
            Step::Field(name) => place.key(name),
            Step::Item { index, name } => place.entry(index, name.unwrap_or_default()),
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.path.is_empty() { "(the object)" } else { &self.path })
    }
}
