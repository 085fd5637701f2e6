//! Findings: several problems under one condition type.
//!
//! A list of conditions has each type once, so three broken listeners cannot be three conditions. They are three
//! [`Finding`]s, which [fold](Findings::fold) into one condition: the status says whether any is an error, the reason is
//! theirs if they agree, and the message has one line for each, which [`parse`] reads back. Where the CRD has room for it, they are
//! [listed](Findings::detail) as the `errors` and `warnings` of the condition instead.
//!
//! ```
//! use allready_core::{Status, reason};
//! use allready_core::findings::{Findings, Fold, Subject, parse};
//!
//! let mut findings = Findings::new();
//! findings.error(Subject::listener("https"), reason!("InvalidCertificateRef"), "Secret cert not found");
//! findings.error(Subject::path("spec.rules[0]"), reason!("UnsupportedValue"), "");
//! findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
//!
//! let folded = findings.fold(&Fold::new(reason!("Accepted")));
//! assert_eq!((folded.status, folded.reason.as_str()), (Status::False, "MultipleReasons"));
//! assert_eq!(folded.message, "\
//! 2 errors, 1 warning
//! error path/spec.rules[0] UnsupportedValue
//! error listener/https InvalidCertificateRef: Secret cert not found
//! warning whole Deprecated: use v1");
//! assert_eq!(parse(folded.message.as_str()).unwrap().findings, findings);
//! ```

mod detailed;
mod fold;
mod subject;
#[cfg(test)]
mod tests;
mod text;
mod told;

use std::{
    collections::{BTreeSet, btree_set},
    fmt,
};

pub use fold::{Fold, Folded, MULTIPLE_REASONS, PARTIALLY_INVALID, Partial};
pub use subject::{Subject, SubjectError};
pub use text::{FindingsError, ParsedFindings, parse};
pub use told::{Problem, Told};

use crate::{Message, Reason};

/// One problem with one thing.
///
/// Ordered as it is listed: errors first, then by subject, reason and message.
///
/// ```
/// use allready_core::reason;
/// use allready_core::findings::{Finding, Severity, Subject};
///
/// let error = Finding {
///     severity: Severity::Error,
///     subject: Subject::listener("https"),
///     reason: reason!("PortConflict"),
///     message: "port 443 is taken".into(),
/// };
/// let warning = Finding { severity: Severity::Warning, subject: Subject::Whole, ..error.clone() };
/// assert!(error < warning, "errors are listed first");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// The cause, for programs.
    pub reason: Reason,
    /// The cause, for people.
    pub message: Message,
}

/// How bad a finding is.
///
/// ```
/// use allready_core::findings::Severity;
///
/// assert_eq!([Severity::Warning, Severity::Error].iter().min(), Some(&Severity::Error));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The condition does not hold because of it.
    Error,
    /// The condition holds all the same, but somebody should know.
    Warning,
}

impl Severity {
    /// The word that begins the line of a finding.
    ///
    /// ```
    /// use allready_core::findings::Severity;
    ///
    /// assert_eq!(Severity::Warning.as_str(), "warning");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The findings of one pass under one condition type, in the order in which they are listed.
///
/// A subject may have several. The same finding twice is one finding.
///
/// ```
/// use allready_core::reason;
/// use allready_core::findings::{Findings, Subject};
///
/// let mut findings = Findings::new();
/// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
/// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
/// findings.error(Subject::listener("http"), reason!("UnsupportedProtocol"), "SCTP");
/// assert_eq!(findings.counts().to_string(), "2 errors");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(BTreeSet<Finding>);

impl Findings {
    /// No findings.
    ///
    /// ```
    /// use allready_core::{Status, reason};
    /// use allready_core::findings::{Findings, Fold};
    ///
    /// let folded = Findings::new().fold(&Fold::new(reason!("Accepted")));
    /// assert_eq!(folded.status, Status::True, "nobody found anything");
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    ///
    /// ```
    /// use allready_core::{Status, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
    /// assert_eq!(findings.fold(&Fold::new(reason!("Accepted"))).status, Status::False);
    /// ```
    pub fn error(&mut self, subject: Subject, reason: Reason, message: impl Into<Message>) {
        self.0.insert(Finding { severity: Severity::Error, subject, reason, message: message.into() });
    }

    /// Adds a warning.
    ///
    /// ```
    /// use allready_core::{Status, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
    /// assert_eq!(findings.fold(&Fold::new(reason!("Accepted"))).status, Status::True, "it holds all the same");
    /// ```
    pub fn warning(&mut self, subject: Subject, reason: Reason, message: impl Into<Message>) {
        self.0.insert(Finding { severity: Severity::Warning, subject, reason, message: message.into() });
    }

    /// Every finding: errors first, then by subject.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_core::findings::{Findings, Severity, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "");
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "");
    /// let severities: Vec<_> = findings.iter().map(|finding| finding.severity).collect();
    /// assert_eq!(severities, [Severity::Error, Severity::Warning]);
    /// ```
    pub fn iter(&self) -> btree_set::Iter<'_, Finding> {
        self.0.iter()
    }

    /// The errors alone, by subject.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_core::findings::{Findings, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "");
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "");
    /// assert_eq!(findings.errors().map(|finding| &finding.reason).collect::<Vec<_>>(), ["PortConflict"]);
    /// ```
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().take_while(|finding| finding.severity == Severity::Error)
    }

    /// The findings about one thing alone, such as those that a listener gets a condition of its own for.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_core::findings::{Findings, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
    /// findings.error(Subject::listener("https"), reason!("PortConflict"), "port 443 is taken");
    /// let https: Findings = findings.about(&Subject::listener("https")).cloned().collect();
    /// assert_eq!(https.counts().errors, 1);
    /// ```
    pub fn about(&self, subject: &Subject) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(move |finding| finding.subject == *subject)
    }

    /// Whether there is none.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_core::findings::{Findings, Subject};
    ///
    /// let mut findings = Findings::new();
    /// assert!(findings.is_empty());
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "");
    /// assert!(!findings.is_empty(), "a warning is a finding too");
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_core::findings::{Counts, Findings, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "");
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "");
    /// assert_eq!(findings.counts(), Counts { errors: 1, warnings: 1 });
    /// ```
    pub fn counts(&self) -> Counts {
        let errors = self.errors().count();
        Counts { errors, warnings: self.0.len() - errors }
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        self.0.extend(findings);
    }
}

impl FromIterator<Finding> for Findings {
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        Self(findings.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = btree_set::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A number of errors and of warnings; shown as `2 errors, 1 warning`.
///
/// ```
/// use allready_core::findings::Counts;
///
/// assert_eq!(Counts { errors: 2, warnings: 1 }.to_string(), "2 errors, 1 warning");
/// assert_eq!(Counts::default().to_string(), "nothing");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// How many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
}

impl Counts {
    /// Whether both are zero.
    ///
    /// ```
    /// use allready_core::findings::Counts;
    ///
    /// assert!(Counts::default().is_empty());
    /// assert!(!Counts { errors: 0, warnings: 1 }.is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.errors == 0 && self.warnings == 0
    }

    /// Both together.
    ///
    /// ```
    /// use allready_core::findings::Counts;
    ///
    /// assert_eq!(Counts { errors: 2, warnings: 1 }.total(), 3);
    /// ```
    pub const fn total(self) -> usize {
        self.errors.saturating_add(self.warnings)
    }

    /// What is left after the first so many, errors being first.
    fn after(self, listed: usize) -> Self {
        let warnings_listed = listed.saturating_sub(self.errors);
        Self {
            errors: self.errors.saturating_sub(listed),
            warnings: self.warnings.saturating_sub(warnings_listed),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        match *self {
            Self { errors: 0, warnings: 0 } => f.write_str("nothing"),
            Self { errors, warnings: 0 } => write!(f, "{errors} error{}", plural(errors)),
            Self { errors: 0, warnings } => write!(f, "{warnings} warning{}", plural(warnings)),
            Self { errors, warnings } => {
                write!(f, "{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings))
            }
        }
    }
}
