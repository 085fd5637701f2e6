//! Condition types: what a condition is about.

use std::borrow::Cow;

use super::shared::SharedText;

/// The type of a condition, legal by construction.
///
/// The API server's rule: an optional DNS-1123 subdomain and a slash, then a name that starts and ends with a letter or
/// digit and has `-`, `_` and `.` inside; at most 316 bytes in all.
///
/// ```
/// use allready_core::{ConditionType, condition_type};
///
/// const READY: ConditionType = condition_type!("Ready"); // checked by the compiler
/// let per_node = ConditionType::new("speaker-kind-worker/frrk8sReconcilerValid").unwrap();
/// assert_eq!(per_node.prefix(), Some("speaker-kind-worker"));
/// assert_eq!(per_node.name(), "frrk8sReconcilerValid");
/// assert!(ConditionType::new("Speaker_1/Valid").is_err());
/// assert!(READY < per_node);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConditionType(SharedText);

/// Why a text cannot be a condition type.
///
/// ```
/// use allready_core::{ConditionType, condition::ConditionTypeProblem};
///
/// let error = ConditionType::new("Is Ready").unwrap_err();
/// assert_eq!((error.found.as_str(), error.problem), ("Is Ready", ConditionTypeProblem::Name));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("condition type {found:?} is not allowed: {problem}")]
pub struct ConditionTypeError {
    /// The text that was refused, shortened if it is long.
    pub found: String,
    /// Which rule it breaks.
    pub problem: ConditionTypeProblem,
}

/// The rule that a condition type breaks.
///
/// ```
/// use allready_core::{ConditionType, condition::ConditionTypeProblem};
///
/// assert_eq!(ConditionType::check("Example.com/Ready"), Err(ConditionTypeProblem::Prefix));
/// assert_eq!(ConditionType::check(""), Err(ConditionTypeProblem::Empty));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionTypeProblem {
    /// Nothing there.
    #[error("it is empty; write a name such as `Ready` or `example.com/Ready`")]
    Empty,
    /// Over 316 bytes.
    #[error("it is longer than 316 bytes")]
    TooLong,
    /// What stands before the slash is not a DNS-1123 subdomain.
    #[error(
        "what stands before the slash must be a DNS subdomain: lower-case letters, digits, `-` and `.`, each label \
         starting and ending with a letter or digit"
    )]
    Prefix,
    /// What stands after the slash, or the whole, is not a qualified name.
    #[error(
        "the name must start and end with a letter or digit and have only letters, digits, `-`, `_` and `.` inside \
         (and at most one `/`, after a prefix)"
    )]
    Name,
}

impl ConditionType {
    /// The pattern of a type, as the API server checks it.
    pub const PATTERN: &'static str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

    /// The API server's limit, in bytes.
    pub const MAX_BYTES: usize = 316;

    /// Checks a text against the API server's rule.
    ///
    /// ```
    /// use allready_core::ConditionType;
    ///
    /// assert_eq!(ConditionType::new("example.com/Ready").unwrap(), "example.com/Ready");
    /// assert!(ConditionType::new("Is Ready").is_err());
    /// ```
    pub fn new(text: impl Into<Cow<'static, str>>) -> Result<Self, ConditionTypeError> {
        let text = text.into();
        match Self::check(&text) {
            Ok(()) => Ok(Self(text.into())),
            Err(problem) => Err(ConditionTypeError { found: super::excerpt(&text), problem }),
        }
    }

    /// Whether a text could be a condition type, without making one of it.
    ///
    /// ```
    /// use allready_core::ConditionType;
    ///
    /// assert!(ConditionType::check("example.com/Ready").is_ok());
    /// ```
    pub const fn check(text: &str) -> Result<(), ConditionTypeProblem> {
        match problem(text.as_bytes()) {
            None => Ok(()),
            Some(problem) => Err(problem),
        }
    }

    /// A type from a literal. In a `const` (or through [`condition_type!`](crate::condition_type)) an illegal one does
    /// not compile.
    ///
    /// # Panics
    /// Outside of a `const`, on an illegal text.
    pub const fn from_static(text: &'static str) -> Self {
        assert!(problem(text.as_bytes()).is_none(), "this is not a legal condition type");
        Self(SharedText::Static(text))
    }

    /// The nearest legal type: what is legal is kept as it is (the slash included), other characters become `_`, a bad
    /// first or last character gets an `x` beside it, what is too long is cut, and nothing at all becomes `Untyped`.
    ///
    /// ```
    /// # use allready_core::ConditionType;
    /// assert_eq!(ConditionType::sanitized("controller/poolReconcilerValid").as_str(), "controller/poolReconcilerValid");
    /// assert_eq!(ConditionType::sanitized("Disk full!").as_str(), "Disk_full_x");
    /// ```
    pub fn sanitized(text: &str) -> Self {
        if text.is_empty() {
            return Self::from_static("Untyped");
        }
        if Self::check(text).is_ok() {
            return Self(SharedText::Shared(text.into()));
        }
        // A legal prefix stays a prefix; anything else before a slash is folded into the name.
        let (prefix, name) = match text.split_once('/') {
            Some((prefix, name)) if is_subdomain(prefix.as_bytes()) && prefix.len() < 254 => {
                (Some(prefix), name)
            }
            _ => (None, text),
        };
        let room = Self::MAX_BYTES - prefix.map_or(0, |p| p.len() + 1) - 2;
        let mut clean: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' })
            .take(room)
            .collect();
        if !clean.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            clean.insert(0, 'x');
        }
        if !clean.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            clean.push('x');
        }
        let whole = match prefix {
            Some(prefix) => format!("{prefix}/{clean}"),
            None => clean,
        };
        Self(SharedText::Shared(whole.into()))
    }

    /// The whole type as it stands on the wire.
    ///
    /// ```
    /// # use allready_core::condition_type;
    /// assert_eq!(condition_type!("Ready").as_str(), "Ready");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands before the slash, if there is one.
    ///
    /// ```
    /// # use allready_core::condition_type;
    /// assert_eq!(condition_type!("example.com/Ready").prefix(), Some("example.com"));
    /// assert_eq!(condition_type!("Ready").prefix(), None);
    /// ```
    pub fn prefix(&self) -> Option<&str> {
        self.0.split_once('/').map(|(prefix, _)| prefix)
    }

    /// What stands after the slash, or the whole type.
    ///
    /// ```
    /// # use allready_core::condition_type;
    /// assert_eq!(condition_type!("example.com/Ready").name(), "Ready");
    /// ```
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(self.as_str(), |(_, name)| name)
    }
}

/// A [`ConditionType`] from a literal, checked when the program is compiled.
///
/// ```
/// let ready = allready_core::condition_type!("example.com/Ready");
/// assert_eq!(ready.name(), "Ready");
/// ```
///
/// ```compile_fail
/// let wrong = allready_core::condition_type!("not a type");
/// ```
#[macro_export]
macro_rules! condition_type {
    ($text:expr) => {
        const { $crate::ConditionType::from_static($text) }
    };
}

const fn problem(text: &[u8]) -> Option<ConditionTypeProblem> {
    if text.is_empty() {
        return Some(ConditionTypeProblem::Empty);
    }
    if text.len() > ConditionType::MAX_BYTES {
        return Some(ConditionTypeProblem::TooLong);
    }
    let mut slash = 0;
    while slash < text.len() && text[slash] != b'/' {
        slash += 1;
    }
    if slash == text.len() {
        return if is_name(text) { None } else { Some(ConditionTypeProblem::Name) };
    }
    let (prefix, rest) = text.split_at(slash);
    let (_, name) = rest.split_at(1);
    if !is_subdomain(prefix) {
        return Some(ConditionTypeProblem::Prefix);
    }
    if is_name(name) { None } else { Some(ConditionTypeProblem::Name) }
}

const fn is_subdomain(text: &[u8]) -> bool {
    let mut at_edge = true; // at the start of a label, or behind a dash
    let mut in_label = false;
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'a'..=b'z' | b'0'..=b'9' => {
                at_edge = false;
                in_label = true;
            }
            b'-' if in_label => at_edge = true,
            b'.' if in_label && !at_edge => {
                at_edge = true;
                in_label = false;
            }
            _ => return false,
        }
        i += 1;
    }
    !at_edge
}

const fn is_name(text: &[u8]) -> bool {
    if text.is_empty() || !text[0].is_ascii_alphanumeric() || !text[text.len() - 1].is_ascii_alphanumeric() {
        return false;
    }
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'-' | b'_' | b'.' => {}
            other if other.is_ascii_alphanumeric() => {}
            _ => return false,
        }
        i += 1;
    }
    true
}

super::text::checked_text!(
    ConditionType,
    ConditionTypeError,
    "a condition type, which is a text such as \"Ready\""
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_many_writers_are_legal() {
        for legal in [
            "Ready",
            "R",
            "a.b-c_d",
            "controller/poolReconcilerValid",
            "speaker-kind-worker/frrk8sReconcilerValid",
            "speaker-ip-10-0-0-1.eu-west-1.compute.internal/configReconcilerValid",
            "example.com/Ready",
        ] {
            assert!(ConditionType::new(legal).is_ok(), "{legal} should be legal");
        }
    }

    #[test]
    fn what_the_api_server_refuses_is_refused_with_the_rule() {
        use ConditionTypeProblem::{Empty, Name, Prefix, TooLong};
        for (text, expected) in [
            ("", Empty),
            ("Node_1/Valid", Prefix),
            ("Node1/Valid", Prefix),
            ("-a/Valid", Prefix),
            ("a-/Valid", Prefix),
            ("a..b/Valid", Prefix),
            ("a.-b/Valid", Prefix),
            ("/Valid", Prefix),
            ("a/", Name),
            ("a/b/c", Name),
            ("Ready!", Name),
            ("_Ready", Name),
            ("Ready_", Name),
            ("Réady", Name),
        ] {
            assert_eq!(ConditionType::new(text).unwrap_err().problem, expected, "for {text:?}");
        }
        assert!(ConditionType::new("a".repeat(316)).is_ok());
        assert_eq!(ConditionType::new("a".repeat(317)).unwrap_err().problem, TooLong);
    }

    #[test]
    fn a_refusal_says_what_and_what_is_allowed() {
        let error = ConditionType::new("Node_1/Valid").unwrap_err();
        assert_eq!(
            error.to_string(),
            "condition type \"Node_1/Valid\" is not allowed: what stands before the slash must be a DNS subdomain: \
             lower-case letters, digits, `-` and `.`, each label starting and ending with a letter or digit"
        );
    }

    #[test]
    fn sanitising_always_gives_a_legal_type() {
        for text in ["", "_", "Réady", "Node_1/Valid", "a/b/c", "a/", "/", "\u{1F600}", &"ä".repeat(400)] {
            let clean = ConditionType::sanitized(text);
            assert!(ConditionType::new(clean.as_str().to_owned()).is_ok(), "{text:?} became {clean:?}");
        }
        assert_eq!(ConditionType::sanitized("a/Ready!").as_str(), "a/Ready_x");
    }
}
