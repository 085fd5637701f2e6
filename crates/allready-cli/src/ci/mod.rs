//! Problems for programs that run on every change: SARIF, `JUnit`, and annotations of `GitHub`.

pub(crate) mod github;
pub(crate) mod junit;
pub(crate) mod sarif;

use allready_inspect::lint::Severity;

use crate::objects::lines::Origin;

/// A problem, in the words of the command that found it.
#[derive(Debug)]
pub(crate) struct Item<'a> {
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
