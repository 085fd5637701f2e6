//! Problems at a place, in the words of the command that found them.

use allready_inspect::lint::Severity;
use serde_json::Value;

use crate::objects::lines::Origin;

/// A problem.
#[derive(Debug)]
pub(crate) struct Finding<'a> {
    /// The identifier of the rule that is broken.
    pub(crate) rule: &'a str,
    pub(crate) title: String,
    pub(crate) severity: Severity,
    /// A sentence that names the object.
    pub(crate) message: String,
    pub(crate) object: String,
    /// The place in the object.
    pub(crate) place: String,
    /// The same for the same problem in the next run, wherever its line is by then.
    pub(crate) fingerprint: String,
    pub(crate) origin: Option<&'a Origin>,
}

/// All problems of a run.
#[derive(Debug, Default)]
pub(crate) struct Findings<'a> {
    pub(crate) items: Vec<Finding<'a>>,
    /// The rules as SARIF describes them, each with an `id`.
    pub(crate) rules: Vec<Value>,
    /// Sentences on what could not be looked at.
    pub(crate) problems: &'a [String],
    /// Sentences on what should be known besides.
    pub(crate) notices: &'a [String],
}

/// The word of SARIF for a severity.
pub(crate) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
