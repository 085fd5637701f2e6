//! What is not as it should be, where it stands, and how it was read all the same.

use std::fmt;

use serde_json::Value;

use crate::condition::{ConditionTypeProblem, Message, ReasonProblem, TimeProblem, excerpt};
use crate::{Generation, Status, Time};

/// One thing that the API server's rules do not allow, as a sentence: where, what, what is allowed, and how it was read.
///
/// ```
/// use allready_core::found::{self, IrregularityKind};
/// use serde_json::json;
///
/// let object = json!({"status": {"conditions": [{
///     "type": "Ready", "status": true, "reason": "Ok", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z",
/// }]}});
/// let list = found::of_object(&object);
/// let [only] = list.irregularities() else { panic!("there is one") };
/// assert_eq!(only.kind, IrregularityKind::StatusBoolean { found: true });
/// assert_eq!(
///     only.to_string(),
///     r#"status.conditions[0].status is the boolean true; write the text "True" (read as True)"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} {kind}")]
pub struct Irregularity {
    /// Where it stands.
    pub path: Path,
    /// What is wrong there.
    pub kind: IrregularityKind,
}

/// Where something stands: `status.conditions[3].reason`.
///
/// ```
/// use allready_core::found::Path;
///
/// let path = Path { base: "status.conditions", index: Some(3), field: Some("reason") };
/// assert_eq!(path.to_string(), "status.conditions[3].reason");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The list or object: `conditions`, `status.conditions`, `metadata`; empty for the whole object.
    pub base: &'static str,
    /// The entry, where the base is a list.
    pub index: Option<usize>,
    /// The field, where the trouble is within one.
    pub field: Option<&'static str>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        match self.field {
            Some(field) if self.base.is_empty() => f.write_str(field),
            Some(field) => write!(f, ".{field}"),
            None if self.base.is_empty() => f.write_str("the object"),
            None => Ok(()),
        }
    }
}

/// What is wrong, as the second half of a sentence that begins with the [`Path`].
///
/// Text from the cluster is shortened and escaped.
///
/// ```
/// use allready_core::found::{self, IrregularityKind};
/// use serde_json::json;
///
/// let list = json!("none");
/// assert!(matches!(found::read(&list).irregularities()[0].kind, IrregularityKind::NotAList { .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IrregularityKind {
    /// What should be the list of conditions is something else.
    #[error("is {found}; write a list of conditions (nothing was read)")]
    NotAList {
        /// What stood there.
        found: String,
    },
    /// What should be an object is something else.
    #[error("is {found}; write an object (nothing in it was read)")]
    NotAnObject {
        /// What stood there.
        found: String,
    },
    /// A field that must be there is not, or is null.
    #[error("is missing; every condition must have it (read as {read_as})")]
    Missing {
        /// What is used in its place.
        read_as: &'static str,
    },
    /// What should be a text is something else.
    #[error("is {found}; write a text (read as {read_as:?})")]
    NotText {
        /// What stood there.
        found: String,
        /// The text it became.
        read_as: String,
    },
    /// The type breaks a rule.
    #[error("is {found:?}, which is not allowed: {problem} (kept as it is)")]
    Type {
        /// The type.
        found: String,
        /// The rule.
        problem: ConditionTypeProblem,
    },
    /// An earlier entry has the same type.
    #[error("repeats the type of entry {first}; a list may have each type once (every entry is kept)")]
    Duplicate {
        /// The index of the first entry of this type.
        first: usize,
    },
    /// The status is a JSON boolean, as from unquoted YAML.
    #[error("is the boolean {found}; write the text \"{0}\" (read as {0})", Status::from(*found))]
    StatusBoolean {
        /// The boolean.
        found: bool,
    },
    /// The status is one of the three words, spelled in another way.
    #[error("is the text {found:?}; write \"{read_as}\" (read as {read_as})")]
    StatusSpelling {
        /// The text.
        found: String,
        /// The word it stands for.
        read_as: Status,
    },
    /// The status is none of the three words.
    #[error("is {found}; write \"True\", \"False\" or \"Unknown\" (read as Unknown)")]
    StatusUnreadable {
        /// What stood there.
        found: String,
    },
    /// The reason breaks a rule.
    #[error("is {found:?}, which is not allowed: {problem} (kept as it is)")]
    Reason {
        /// The reason.
        found: String,
        /// The rule.
        problem: ReasonProblem,
    },
    /// The message is over the limit.
    #[error("has {found} bytes; at most {max} are allowed (kept as it is)", max = Message::MAX_BYTES)]
    MessageTooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// The time is not in RFC 3339, but clear.
    #[error("is {found}, which {problem}; write \"{read_as}\" (read as that)")]
    TimeForm {
        /// What stood there.
        found: String,
        /// How it differs from RFC 3339.
        problem: TimeProblem,
        /// The instant that it means.
        read_as: Time,
    },
    /// The time means no instant, or none that is clear.
    #[error("is {found}; write a time in RFC 3339 such as \"2026-03-01T10:00:00Z\" (read as no time)")]
    TimeUnreadable {
        /// What stood there.
        found: String,
    },
    /// The generation is a number, but not written as one.
    #[error("is {found}; write the number {read_as} (read as that)")]
    GenerationForm {
        /// What stood there.
        found: String,
        /// The number that it means.
        read_as: Generation,
    },
    /// The generation is not a whole number of zero or more.
    #[error("is {found}; write a whole number of 0 or more (read as no generation)")]
    GenerationUnreadable {
        /// What stood there.
        found: String,
    },
}

/// What a value is, in words, shortened and escaped.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {}", excerpt(&number.to_string())),
        Value::String(text) => format!("the text {:?}", excerpt(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Where the reader stands, and what it has noted so far.
pub(super) struct Notes {
    pub(super) irregularities: Vec<Irregularity>,
    pub(super) base: &'static str,
    pub(super) index: Option<usize>,
}

impl Notes {
    pub(super) fn at(base: &'static str) -> Self {
        Self { irregularities: Vec::new(), base, index: None }
    }

    /// Notes something about the place itself, or about one field of it.
    pub(super) fn add(&mut self, field: Option<&'static str>, kind: IrregularityKind) {
        let path = Path { base: self.base, index: self.index, field };
        self.irregularities.push(Irregularity { path, kind });
    }

    /// Takes the value of a field, and notes what is wrong with it.
    pub(super) fn keep<T>(&mut self, field: &'static str, (value, kind): (T, Option<IrregularityKind>)) -> T {
        if let Some(kind) = kind {
            self.add(Some(field), kind);
        }
        value
    }

    /// The value at this place, if it is an object; what else stands there is noted.
    pub(super) fn object<'a>(&mut self, value: Option<&'a Value>) -> Option<&'a Value> {
        let value = value?;
        if !value.is_object() {
            self.add(None, IrregularityKind::NotAnObject { found: describe(value) });
            return None;
        }
        Some(value)
    }
}
