//! What is wrong with single fields, and how the real server prints it.

use serde_json::Value;

use super::{
    Cause,
    go::{display, quote},
};

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// Which of the kinds of mistake.
    pub mistake: Mistake,
    /// Where, as in `spec.ports[0].name` or `metadata.labels`.
    pub field: String,
    /// What stood there.
    pub value: Value,
    /// What to do, or what is allowed.
    pub detail: String,
    /// Whether `value` is left out of the text.
    pub omitted: bool,
}

/// The kinds of mistake a field can have, as the real server names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// A reference to something that is not there.
    NotFound,
    /// Nothing stands where something must.
    Required,
    /// The same value, or the same key, twice.
    Duplicate,
    /// A value out of bounds or of the wrong form.
    Invalid,
    /// Not one of the allowed values.
    NotSupported,
    /// A field that may not be set or changed here.
    Forbidden,
    /// Too many bytes.
    TooLong,
    /// Too few characters.
    TooShort,
    /// Too many items.
    TooMany,
    /// Too few items.
    TooFew,
    /// The server's own fault.
    Internal,
    /// A value of the wrong JSON type.
    TypeInvalid,
}

impl Mistake {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NotFound => ("FieldValueNotFound", "Not found"),
            Self::Required => ("FieldValueRequired", "Required value"),
            Self::Duplicate => ("FieldValueDuplicate", "Duplicate value"),
            Self::Invalid => ("FieldValueInvalid", "Invalid value"),
            Self::NotSupported => ("FieldValueNotSupported", "Unsupported value"),
            Self::Forbidden => ("FieldValueForbidden", "Forbidden"),
            Self::TooLong => ("FieldValueTooLong", "Too long"),
            Self::TooShort => ("FieldValueTooShort", "Too short"),
            Self::TooMany => ("FieldValueTooMany", "Too many"),
            Self::TooFew => ("FieldValueTooFew", "Too few"),
            Self::Internal => ("InternalError", "Internal error"),
            Self::TypeInvalid => ("FieldValueTypeInvalid", "Invalid value"),
        }
    }
}

impl FieldError {
    /// An error of any kind.
    pub(crate) fn new(
        mistake: Mistake,
        field: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self { mistake, field: field.into(), value: value.into(), detail: detail.into(), omitted: false }
    }

    /// `Required value`.
    pub(crate) fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Mistake::Required, field, Value::Null, detail)
    }

    /// `Invalid value: …`.
    pub(crate) fn invalid(
        field: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(Mistake::Invalid, field, value, detail)
    }

    /// `Forbidden`.
    pub(crate) fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Mistake::Forbidden, field, Value::Null, detail)
    }

    /// `Unsupported value: … supported values: …`, in the order given: the real server sorts where its own code does, not here.
    pub(crate) fn not_supported(field: impl Into<String>, value: impl Into<Value>, allowed: &[&str]) -> Self {
        let quoted: Vec<_> = allowed.iter().map(|word| quote(word)).collect();
        let detail = match quoted.as_slice() {
            [] => String::new(),
            some => format!("supported values: {}", some.join(", ")),
        };
        Self::new(Mistake::NotSupported, field, value, detail)
    }

    /// `Duplicate value: …`.
    pub(crate) fn duplicate(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(Mistake::Duplicate, field, value, "")
    }

    /// `Not found: …`.
    pub(crate) fn not_found(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(Mistake::NotFound, field, value, "")
    }

    /// `Invalid value: …` for a value of the wrong JSON type.
    pub(crate) fn type_invalid(
        field: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(Mistake::TypeInvalid, field, value, detail)
    }

    /// `Too long: may not be more than … bytes`. The value is never shown.
    pub(crate) fn too_long(field: impl Into<String>, most: u64) -> Self {
        let unit = if most == 1 { "byte" } else { "bytes" };
        Self::new(Mistake::TooLong, field, Value::Null, format!("may not be more than {most} {unit}"))
    }

    /// `Too many: …: must have at most … items`.
    pub(crate) fn too_many(field: impl Into<String>, actual: u64, most: u64) -> Self {
        let unit = if most == 1 { "item" } else { "items" };
        Self::new(Mistake::TooMany, field, actual, format!("must have at most {most} {unit}"))
    }

    /// The same error with its value left out of the text: `Invalid value: must be …`.
    pub(crate) fn without_value(mut self) -> Self {
        self.omitted = true;
        self
    }

    /// What follows the field's name: `Invalid value: 0: must be …`.
    pub(crate) fn body(&self) -> String {
        let word = self.mistake.words().1;
        let head = match self.mistake {
            Mistake::Required
            | Mistake::Forbidden
            | Mistake::TooLong
            | Mistake::TooShort
            | Mistake::Internal => word.to_owned(),
            _ if self.omitted => word.to_owned(),
            _ => format!("{word}: {}", display(&self.value)),
        };
        if self.detail.is_empty() { head } else { format!("{head}: {}", self.detail) }
    }

    pub(super) fn to_cause(&self) -> Cause {
        let reason = self.mistake.words().0.into();
        Cause { reason, message: self.body(), field: self.field.clone() }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

pub(super) fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) }
}
