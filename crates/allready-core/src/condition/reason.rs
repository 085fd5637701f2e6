//! Reasons: the programmatic cause of a status.

use std::borrow::Cow;

use super::shared::SharedText;

/// The reason of a condition, legal by construction.
///
/// The API server's rule: 1 to 1024 bytes, a letter first, then letters, digits, `_`, `,` and `:`, and a letter, digit or
/// `_` last. Names of nodes and objects are not legal here (no `-`, `.` or `/`): they belong in the message.
///
/// ```
/// use allready_core::{Reason, reason};
///
/// let accepted = reason!("Accepted"); // checked by the compiler
/// assert_eq!(accepted, "Accepted");
/// assert!(Reason::new("").is_err());
/// assert_eq!(Reason::sanitized("node-1 is down").as_str(), "node_1_is_down");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(SharedText);

/// Why a text cannot be a reason.
///
/// ```
/// use allready_core::{Reason, condition::ReasonProblem};
///
/// let error = Reason::new("node-1 is down").unwrap_err();
/// assert_eq!((error.found.as_str(), error.problem), ("node-1 is down", ReasonProblem::Characters));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reason {found:?} is not allowed: {problem}")]
pub struct ReasonError {
    /// The text that was refused, shortened if it is long.
    pub found: String,
    /// Which rule it breaks.
    pub problem: ReasonProblem,
}

/// The rule that a reason breaks.
///
/// ```
/// use allready_core::{Reason, condition::ReasonProblem};
///
/// assert_eq!(Reason::check(""), Err(ReasonProblem::Empty));
/// assert_eq!(Reason::check(&"X".repeat(2000)), Err(ReasonProblem::TooLong));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReasonProblem {
    /// Nothing there.
    #[error("it is empty; write one CamelCase word such as `Accepted`")]
    Empty,
    /// Over 1024 bytes.
    #[error("it is longer than 1024 bytes; put the details in the message")]
    TooLong,
    /// A character that is not allowed where it stands.
    #[error(
        "it must start with a letter, go on with letters, digits, `_`, `,` or `:`, and end with a letter, digit or `_`"
    )]
    Characters,
}

impl Reason {
    /// The API server's limit, in bytes.
    pub const MAX_BYTES: usize = 1024;

    /// Checks a text against the API server's rule.
    ///
    /// ```
    /// use allready_core::Reason;
    ///
    /// assert_eq!(Reason::new("DiskFull").unwrap(), "DiskFull");
    /// assert!(Reason::new("disk full").is_err());
    /// ```
    pub fn new(text: impl Into<Cow<'static, str>>) -> Result<Self, ReasonError> {
        let text = text.into();
        match Self::check(&text) {
            Ok(()) => Ok(Self(text.into())),
            Err(problem) => Err(ReasonError { found: super::excerpt(&text), problem }),
        }
    }

    /// Whether a text could be a reason, without making one of it.
    ///
    /// ```
    /// use allready_core::Reason;
    ///
    /// assert!(Reason::check("DiskFull").is_ok());
    /// ```
    pub const fn check(text: &str) -> Result<(), ReasonProblem> {
        match problem(text.as_bytes()) {
            None => Ok(()),
            Some(problem) => Err(problem),
        }
    }

    /// A reason from a literal. In a `const` (or through [`reason!`](crate::reason)) an illegal one does not compile.
    ///
    /// # Panics
    /// Outside of a `const`, on an illegal text.
    pub const fn from_static(text: &'static str) -> Self {
        assert!(problem(text.as_bytes()).is_none(), "this is not a legal reason");
        Self(SharedText::Static(text))
    }

    /// The nearest legal reason: illegal characters become `_`, a first character that is no letter gets an `X` before
    /// it, a last one that may not stand there is dropped, what is too long is cut, and nothing at all becomes
    /// `Unspecified`.
    ///
    /// ```
    /// # use allready_core::Reason;
    /// assert_eq!(Reason::sanitized("TypeA::TypeB_Failed").as_str(), "TypeA::TypeB_Failed");
    /// assert_eq!(Reason::sanitized("404 not found").as_str(), "X404_not_found");
    /// assert_eq!(Reason::sanitized("").as_str(), "Unspecified");
    /// ```
    pub fn sanitized(text: &str) -> Self {
        if problem(text.as_bytes()).is_none() {
            return Self(SharedText::Shared(text.into()));
        }
        let mut clean: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ':') { c } else { '_' })
            .take(Self::MAX_BYTES - 1)
            .collect();
        while clean.ends_with([',', ':']) {
            clean.pop();
        }
        if clean.is_empty() {
            return Self::from_static("Unspecified");
        }
        if !clean.starts_with(|c: char| c.is_ascii_alphabetic()) {
            clean.insert(0, 'X');
        }
        Self(SharedText::Shared(clean.into()))
    }

    /// The reason as it stands on the wire.
    ///
    /// ```
    /// # use allready_core::reason;
    /// assert_eq!(reason!("DiskFull").as_str(), "DiskFull");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A [`Reason`] from a literal, checked when the program is compiled.
///
/// ```
/// let reason = allready_core::reason!("CertificateExpired");
/// assert_eq!(reason.as_str(), "CertificateExpired");
/// ```
///
/// ```compile_fail
/// let wrong = allready_core::reason!("the certificate has expired");
/// ```
#[macro_export]
macro_rules! reason {
    ($text:expr) => {
        const { $crate::Reason::from_static($text) }
    };
}

const fn problem(text: &[u8]) -> Option<ReasonProblem> {
    if text.is_empty() {
        return Some(ReasonProblem::Empty);
    }
    if text.len() > Reason::MAX_BYTES {
        return Some(ReasonProblem::TooLong);
    }
    let last = text[text.len() - 1];
    if !text[0].is_ascii_alphabetic() || !(last.is_ascii_alphanumeric() || last == b'_') {
        return Some(ReasonProblem::Characters);
    }
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'_' | b',' | b':' => {}
            other if other.is_ascii_alphanumeric() => {}
            _ => return Some(ReasonProblem::Characters),
        }
        i += 1;
    }
    None
}

super::text::checked_text!(Reason, ReasonError, "a reason, which is a text such as \"Accepted\"");

/// A reason that a mark accepts: a [`Reason`], which is legal by construction.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the reason of a condition",
    label = "not a `Reason`",
    note = "write `reason!(\"BadAddress\")` for a fixed one, or `Reason::sanitized(text)` to make one of any text"
)]
pub trait IntoReason {
    /// The reason.
    fn into_reason(self) -> Reason;
}

impl IntoReason for Reason {
    fn into_reason(self) -> Reason {
        self
    }
}

impl IntoReason for &Reason {
    fn into_reason(self) -> Reason {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ReasonProblem::{Characters, Empty, TooLong},
        *,
    };

    #[test]
    fn reasons_follow_the_api_servers_pattern() {
        for legal in ["A", "Accepted", "TypeB::TypeC_Reason", "a,b", "Ends_", "X1"] {
            assert!(Reason::new(legal).is_ok(), "{legal} should be legal");
        }
        for (text, expected) in [
            ("", Empty),
            ("1st", Characters),
            ("_Private", Characters),
            ("ends:", Characters),
            ("ends,", Characters),
            ("has-dash", Characters),
            ("has.dot", Characters),
            ("controller/pool", Characters),
            ("two words", Characters),
            ("é", Characters),
        ] {
            assert_eq!(Reason::new(text).unwrap_err().problem, expected, "for {text:?}");
        }
        assert!(Reason::new("a".repeat(1024)).is_ok());
        assert_eq!(Reason::new("a".repeat(1025)).unwrap_err().problem, TooLong);
    }

    #[test]
    fn sanitising_always_gives_a_legal_reason() {
        for text in ["", ":", ",,:", "é", "1", "_", "a:", &"ß".repeat(3000), "X @ Kind/name"] {
            let clean = Reason::sanitized(text);
            assert!(Reason::new(clean.as_str().to_owned()).is_ok(), "{text:?} became {clean:?}");
        }
    }
}
