//! Where each field is, by its path in JSON.

use std::borrow::Cow;

use allready_core::condition::cut;
use serde_json::Value;

/// What the updater keeps in a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The generation that was last reconciled: `observedGeneration`.
    ObservedGeneration,
    /// When that was: `lastReconcileTime`.
    LastReconcileTime,
    /// The overall phase: `phase`.
    Phase,
    /// The cause, for programs: `reason`.
    Reason,
    /// The cause, for people: `message`.
    Message,
    /// The conditions: `conditions`.
    Conditions,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ObservedGeneration,
        Self::LastReconcileTime,
        Self::Phase,
        Self::Reason,
        Self::Message,
        Self::Conditions,
    ];

    /// What the field is called in JSON when nothing else is said.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ObservedGeneration => "observedGeneration",
            Self::LastReconcileTime => "lastReconcileTime",
            Self::Phase => "phase",
            Self::Reason => "reason",
            Self::Message => "message",
            Self::Conditions => "conditions",
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Self::ObservedGeneration => "a whole number",
            Self::Conditions => "a list of conditions",
            Self::LastReconcileTime | Self::Phase | Self::Reason | Self::Message => "a text",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::ObservedGeneration => value.is_i64() || value.is_u64(),
            Self::Conditions => value.is_array(),
            Self::LastReconcileTime | Self::Reason | Self::Message => value.is_string(),
            // A phase of a program's own making may be a number; a structure it is not.
            Self::Phase => !value.is_object() && !value.is_array(),
        }
    }
}

/// Where in the status each field is; a field that is nowhere is not written.
///
/// ```
/// use allready_kube::status::{Field, FieldMap};
///
/// let fields = FieldMap::default()
///     .named(Field::Phase, "state")
///     .nested("summary", &[Field::Reason, Field::Message])
///     .without(&[Field::LastReconcileTime]);
/// assert_eq!(fields.path(Field::Phase).unwrap(), ["state"]);
/// assert_eq!(fields.path(Field::Message).unwrap(), ["summary", "message"]);
/// assert_eq!(fields.path(Field::LastReconcileTime), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMap {
    paths: [Option<Vec<Cow<'static, str>>>; Field::ALL.len()],
}

/// A field of a status that is not what the updater was told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} is {found} and should be {expected}: map the field to its right place, or switch it off")]
pub struct FieldProblem {
    /// Where it is: `status.summary.phase`.
    pub path: String,
    /// What stands there.
    pub found: String,
    /// What should.
    pub expected: &'static str,
}

impl FieldProblem {
    pub(in crate::status) fn new(path: &[impl AsRef<str>], found: &Value, expected: &'static str) -> Self {
        let found = match found {
            Value::Null => "nothing".to_owned(),
            Value::Bool(_) | Value::Number(_) => format!("`{found}`"),
            Value::String(text) => format!("the text {:?}", cut(text, 80)),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        };
        Self { path: dotted(path), found, expected }
    }
}

/// A path as people write it.
pub(in crate::status) fn dotted(path: &[impl AsRef<str>]) -> String {
    path.iter().fold("status".to_owned(), |text, key| text + "." + key.as_ref())
}

impl Default for FieldMap {
    /// Every field under its own name, at the top of the status.
    fn default() -> Self {
        Self { paths: Field::ALL.map(|field| Some(vec![Cow::Borrowed(field.name())])) }
    }
}

impl FieldMap {
    /// No field at all.
    pub const fn none() -> Self {
        Self { paths: [const { None }; Field::ALL.len()] }
    }

    /// A field under another name; dots lead into nested objects.
    pub fn named(self, field: Field, path: &str) -> Self {
        self.at(field, path.split('.').map(|key| Cow::Owned(key.to_owned())).collect())
    }

    /// These fields within a nested object, under the names that they have so far.
    ///
    /// ```
    /// use allready_kube::status::{Field, FieldMap};
    ///
    /// let fields = FieldMap::default().nested("summary", &[Field::Reason]);
    /// assert_eq!(fields.path(Field::Reason).unwrap(), ["summary", "reason"]);
    /// ```
    pub fn nested(mut self, object: &str, fields: &[Field]) -> Self {
        for field in fields {
            if let Some(path) = &mut self.paths[*field as usize] {
                path.insert(0, Cow::Owned(object.to_owned()));
            }
        }
        self
    }

    /// These fields are left alone.
    pub fn without(mut self, fields: &[Field]) -> Self {
        for field in fields {
            self.paths[*field as usize] = None;
        }
        self
    }

    /// Where a field is, if it is written.
    pub fn path(&self, field: Field) -> Option<&[Cow<'static, str>]> {
        self.paths[field as usize].as_deref()
    }

    /// A field of a typed status. For code made by the derive.
    #[doc(hidden)]
    pub fn typed(self, field: Field, name: &'static str) -> Self {
        self.at(field, vec![Cow::Borrowed(name)])
    }

    /// The fields of a nested typed status. For code made by the derive.
    #[doc(hidden)]
    pub fn typed_nested(mut self, names: &[&'static str], inner: Self) -> Self {
        for (mine, theirs) in self.paths.iter_mut().zip(inner.paths) {
            if let Some(mut path) = theirs {
                path.splice(0..0, names.iter().map(|name| Cow::Borrowed(*name)));
                *mine = Some(path);
            }
        }
        self
    }

    fn at(mut self, field: Field, path: Vec<Cow<'static, str>>) -> Self {
        self.paths[field as usize] = Some(path);
        self
    }

    /// What stands in a status under a field, if it is of the right type.
    pub(in crate::status) fn read<'v>(
        &self,
        field: Field,
        status: &'v Value,
    ) -> Result<Option<&'v Value>, FieldProblem> {
        let Some(path) = self.path(field) else { return Ok(None) };
        match super::super::json::get(status, path) {
            Some(value) if !field.fits(value) => Err(FieldProblem::new(path, value, field.expected())),
            value => Ok(value),
        }
    }
}
