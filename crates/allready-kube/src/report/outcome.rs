//! What became of a reconcile, in the words of its report.

use std::fmt::Display;

use allready_core::{Message, Reason, Status, reason};
use kube::runtime::controller::Action;

/// How synchronising with the configuration went.
///
/// ```
/// # use allready_core::Status;
/// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
///
/// assert_eq!(Outcome::from(SyncState::ErrorNoRetry).status(), Status::False);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncState {
    /// The configuration is valid and applied.
    Success,
    /// The configuration is applied, and everything that depends on it has to be processed again.
    ReprocessAll,
    /// It failed, and will be tried again.
    Error,
    /// It failed, and trying again is of no use.
    ErrorNoRetry,
}

impl SyncState {
    /// The status and the reason of the condition.
    ///
    /// ```
    /// use allready_core::Status;
    /// use allready_kube::report::SyncState;
    ///
    /// let (status, reason) = SyncState::ReprocessAll.verdict();
    /// assert_eq!((status, reason.as_str()), (Status::True, "SyncStateReprocessAll"));
    /// ```
    pub fn verdict(self) -> (Status, Reason) {
        match self {
            Self::Success => (Status::True, reason!("SyncStateSuccess")),
            Self::ReprocessAll => (Status::True, reason!("SyncStateReprocessAll")),
            Self::Error => (Status::False, reason!("SyncStateError")),
            Self::ErrorNoRetry => (Status::False, reason!("SyncStateErrorNoRetry")),
        }
    }
}

/// What one reconcile came to: the status, reason and message of its condition, and the revision that it observed.
///
/// A configuration error comes first; without one, the [`SyncState`] decides.
///
/// ```
/// use allready_core::Status;
/// use allready_kube::report::{Outcome, SyncState};
///
/// let fine = Outcome::of(None::<&str>, SyncState::Success);
/// assert_eq!((fine.status(), fine.reason().as_str(), fine.message()), (Status::True, "SyncStateSuccess", ""));
///
/// let invalid = Outcome::of(Some("pool \"a\" overlaps with \"b\""), SyncState::Success);
/// assert_eq!((invalid.status(), invalid.reason().as_str()), (Status::False, "ConfigError"));
/// assert_eq!(invalid.message(), "pool \"a\" overlaps with \"b\"");
///
/// let failed = Outcome::error("cannot reach frr: connection refused").observed("sha256:6f1e");
/// assert_eq!((failed.reason().as_str(), failed.revision()), ("SyncStateError", Some("sha256:6f1e")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    status: Status,
    reason: Reason,
    message: Message,
    revision: Option<Box<str>>,
}

impl Outcome {
    /// The reason of a configuration that is not valid.
    pub const CONFIG_ERROR: Reason = reason!("ConfigError");

    /// A configuration error if there is one, else what the synchronisation came to.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::of(Some("no such pool"), SyncState::Success).status(), Status::False);
    /// ```
    pub fn of(config_error: Option<impl Display>, state: SyncState) -> Self {
        match config_error {
            Some(error) => Self::config_error(error),
            None => Self::from(state),
        }
    }

    /// The configuration is valid and applied.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::success().status(), Status::True);
    /// ```
    pub fn success() -> Self {
        SyncState::Success.into()
    }

    /// The configuration is not valid, and this is why.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(*Outcome::config_error("no such pool").reason(), Outcome::CONFIG_ERROR);
    /// ```
    pub fn config_error(error: impl Display) -> Self {
        Self::new(Status::False, Self::CONFIG_ERROR, &error)
    }

    /// Something else failed, and will be tried again.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::error("connection refused").reason().as_str(), "SyncStateError");
    /// ```
    pub fn error(error: impl Display) -> Self {
        Self::from(SyncState::Error).because(error)
    }

    /// Something else failed, and trying again is of no use.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::error_no_retry("cannot bind").reason().as_str(), "SyncStateErrorNoRetry");
    /// ```
    pub fn error_no_retry(error: impl Display) -> Self {
        Self::from(SyncState::ErrorNoRetry).because(error)
    }

    /// The same, with the text of the error.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::from(SyncState::Error).because("connection refused").message(), "connection refused");
    /// ```
    #[must_use]
    pub fn because(self, error: impl Display) -> Self {
        Self { message: Message::from(error.to_string()), ..self }
    }

    /// The same, about this revision of the configuration: a hash or a generation. It is shown by the reporter's own
    /// `StatusReport`; an object that many reporters share has no place for it.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::success().observed("sha256:6f1e").revision(), Some("sha256:6f1e"));
    /// ```
    #[must_use]
    pub fn observed(self, revision: impl Into<String>) -> Self {
        Self { revision: Some(revision.into().into()), ..self }
    }

    /// Whether the configuration is valid and applied.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::error("connection refused").status(), Status::False);
    /// ```
    pub fn status(&self) -> Status {
        self.status
    }

    /// The cause, for programs.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::success().reason().as_str(), "SyncStateSuccess");
    /// ```
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// The text of the error, or nothing.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::success().message(), "");
    /// ```
    pub fn message(&self) -> &str {
        self.message.as_str()
    }

    /// The revision of the configuration that was observed.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// assert_eq!(Outcome::success().revision(), None);
    /// ```
    pub fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    fn new(status: Status, reason: Reason, message: &impl Display) -> Self {
        Self { status, reason, message: Message::from(message.to_string()), revision: None }
    }

    pub(super) fn without_revision(self) -> Self {
        Self { revision: None, ..self }
    }

    pub(super) fn into_parts(self) -> (Status, Reason, Message, Option<Box<str>>) {
        (self.status, self.reason, self.message, self.revision)
    }

    /// What a failure comes to, whatever it says of itself: never good news.
    fn of_failure(self) -> Self {
        match self.status {
            Status::False => self,
            _ => Self { status: Status::False, reason: SyncState::Error.verdict().1, ..self },
        }
    }
}

impl From<SyncState> for Outcome {
    fn from(state: SyncState) -> Self {
        let (status, reason) = state.verdict();
        Self::new(status, reason, &"")
    }
}

/// A failed reconcile, for those who have no error type of their own: which kind of failure, and the error.
///
/// ```
/// use allready_kube::report::{Failure, ToOutcome};
///
/// fn parse(text: &str) -> Result<u8, Failure> {
///     text.parse().map_err(Failure::config)
/// }
///
/// let outcome = parse("many").unwrap_err().to_outcome().unwrap();
/// assert_eq!(outcome.reason().as_str(), "ConfigError");
/// assert_eq!(outcome.message(), "invalid digit found in string");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The configuration is not valid.
    #[error("{0}")]
    Config(#[source] BoxedError),
    /// Something else failed, and will be tried again.
    #[error("{0}")]
    Retry(#[source] BoxedError),
    /// Something else failed, and trying again is of no use.
    #[error("{0}")]
    NoRetry(#[source] BoxedError),
}

/// Any error.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync>;

impl Failure {
    /// The configuration is not valid.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// let outcome = Failure::config("no such pool").to_outcome().unwrap();
    /// assert_eq!(outcome.reason().as_str(), "ConfigError");
    /// ```
    pub fn config(error: impl Into<BoxedError>) -> Self {
        Self::Config(error.into())
    }

    /// Something else failed, and will be tried again.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// let outcome = Failure::retry("connection refused").to_outcome().unwrap();
    /// assert_eq!(outcome.reason().as_str(), "SyncStateError");
    /// ```
    pub fn retry(error: impl Into<BoxedError>) -> Self {
        Self::Retry(error.into())
    }

    /// Something else failed, and trying again is of no use.
    ///
    /// ```
    /// # use allready_core::Status;
    /// use allready_kube::report::{Failure, Outcome, SyncState, ToOutcome};
    ///
    /// let outcome = Failure::no_retry("cannot bind").to_outcome().unwrap();
    /// assert_eq!(outcome.reason().as_str(), "SyncStateErrorNoRetry");
    /// ```
    pub fn no_retry(error: impl Into<BoxedError>) -> Self {
        Self::NoRetry(error.into())
    }
}

/// What the result of a reconcile says about the configuration.
///
/// `None` is for a reconcile that had nothing to do: what was reported last still holds. That is not the same as success:
/// a configuration that could not be applied does not become valid because the same one is looked at twice.
///
/// ```
/// use allready_core::Status;
/// use allready_kube::report::{Outcome, ToOutcome};
///
/// enum Error { Pool(String), Api(String) }
///
/// impl ToOutcome for Error {
///     fn to_outcome(&self) -> Option<Outcome> {
///         Some(match self {
///             Self::Pool(problem) => Outcome::config_error(problem),
///             Self::Api(problem) => Outcome::error(problem),
///         })
///     }
/// }
///
/// let denied: Result<(), Error> = Err(Error::Api("may not list pools".to_owned()));
/// assert_eq!(denied.to_outcome().unwrap().status(), Status::False);
/// ```
pub trait ToOutcome {
    /// What to report; nothing if what was reported last still holds.
    fn to_outcome(&self) -> Option<Outcome>;
}

/// Success.
impl ToOutcome for () {
    fn to_outcome(&self) -> Option<Outcome> {
        Some(Outcome::success())
    }
}

/// Success: what a controller returns that has done its work.
impl ToOutcome for Action {
    fn to_outcome(&self) -> Option<Outcome> {
        Some(Outcome::success())
    }
}

impl ToOutcome for SyncState {
    fn to_outcome(&self) -> Option<Outcome> {
        Some((*self).into())
    }
}

impl ToOutcome for Outcome {
    fn to_outcome(&self) -> Option<Outcome> {
        Some(self.clone())
    }
}

/// `None` is nothing new.
impl<T: ToOutcome> ToOutcome for Option<T> {
    fn to_outcome(&self) -> Option<Outcome> {
        self.as_ref()?.to_outcome()
    }
}

impl ToOutcome for Failure {
    fn to_outcome(&self) -> Option<Outcome> {
        Some(match self {
            Self::Config(error) => Outcome::config_error(error),
            Self::Retry(error) => Outcome::error(error),
            Self::NoRetry(error) => Outcome::error_no_retry(error),
        })
    }
}

/// An infrastructure failure, to be tried again.
impl ToOutcome for kube::Error {
    fn to_outcome(&self) -> Option<Outcome> {
        Some(Outcome::error(self))
    }
}

/// An error is never good news, and never nothing, whatever it says of itself.
impl<T: ToOutcome, E: ToOutcome> ToOutcome for Result<T, E> {
    fn to_outcome(&self) -> Option<Outcome> {
        match self {
            Ok(value) => value.to_outcome(),
            Err(error) => {
                let said = error.to_outcome().unwrap_or_else(|| Outcome::error("the reconcile failed"));
                Some(said.of_failure())
            }
        }
    }
}

#[cfg(test)]
mod tests;
