//! Errors that say what a status should give as the reason.

use std::{any::Any, error::Error, fmt, sync::Arc, time::Duration};

use allready_core::{
    Reason, Standing, reason,
    set::{Mark, MarkError},
};
use kube::runtime::controller::Action;

/// An error that knows its reason for a status: one CamelCase word, for programs.
///
/// Anything that is `Reasonable` becomes a [`ReasonedError`] with `?`. Errors that know no reason get one, or none, from
/// [`Because`].
///
/// ```
/// use allready_core::{Reason, reason};
/// use allready_kube::status::{Reasonable, ReasonedError};
///
/// #[derive(Debug, thiserror::Error)]
/// enum PoolError {
///     #[error("pool {0} overlaps another")]
///     Overlap(String),
/// }
///
/// impl Reasonable for PoolError {
///     fn reason(&self) -> Option<Reason> {
///         match self {
///             Self::Overlap(_) => Some(reason!("PoolsOverlap")),
///         }
///     }
/// }
///
/// fn check() -> Result<(), ReasonedError> {
///     Err(PoolError::Overlap("a".to_owned()))?
/// }
/// let error = check().unwrap_err();
/// assert_eq!((error.to_string().as_str(), error.reason().unwrap().as_str()), ("pool a overlaps another", "PoolsOverlap"));
/// ```
pub trait Reasonable: Error + Send + Sync + 'static {
    /// The reason, if this error has one.
    fn reason(&self) -> Option<Reason>;
}

/// One error or several, with the reason that a status gives for them.
///
/// The reason is the first that any of them has; the text is that of a single error as it is, or a heading and all of
/// them, one on each line.
///
/// ```
/// use allready_core::reason;
/// use allready_kube::status::{Because, ReasonedError};
///
/// let disk = std::io::Error::other("the disk is full").without_reason();
/// let remote = std::io::Error::other("the remote is away").because(reason!("RemoteAway"));
/// let both = ReasonedError::join([disk, remote]).unwrap();
/// assert_eq!(both.reason().unwrap(), "RemoteAway");
/// assert_eq!(both.to_string(), "multiple errors occurred:\nthe disk is full\nthe remote is away");
/// assert!(ReasonedError::join([]).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct ReasonedError {
    first: One,
    others: Vec<One>,
    terminal: bool,
    wait: Option<Duration>,
}

#[derive(Clone, Debug)]
struct One {
    error: Arc<dyn Error + Send + Sync>,
    reason: Option<Reason>,
}

impl ReasonedError {
    fn one(error: impl Error + Send + Sync + 'static, reason: Option<Reason>) -> Self {
        Self {
            first: One { error: Arc::new(error), reason },
            others: Vec::new(),
            terminal: false,
            wait: None,
        }
    }

    /// All of these as one; nothing, if there are none.
    pub fn join(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut joined = errors.next()?;
        for error in errors {
            joined.terminal &= error.terminal;
            joined.others.push(error.first);
            joined.others.extend(error.others);
        }
        Some(joined)
    }

    /// The first reason that any of the errors has.
    pub fn reason(&self) -> Option<&Reason> {
        self.all().find_map(|one| one.reason.as_ref())
    }

    /// Says what was being done; the reason stays.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_kube::status::Because;
    ///
    /// let error = std::io::Error::other("no route").because(reason!("RemoteAway")).context("cannot copy the secret");
    /// assert_eq!(error.to_string(), "cannot copy the secret: no route");
    /// assert_eq!(error.reason().unwrap(), "RemoteAway");
    /// ```
    pub fn context(self, doing: impl Into<String>) -> Self {
        let (reason, terminal) = (self.reason().cloned(), self.terminal);
        Self { terminal, ..Self::one(Context { doing: doing.into(), error: self }, reason) }
    }

    /// Says that trying again is of no use: only a change of the object can mend it.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_kube::status::Because;
    /// use kube::runtime::controller::Action;
    ///
    /// let error = std::io::Error::other("10.0.0.").because(reason!("BadAddress"));
    /// assert_eq!(error.clone().terminal().action(), Action::await_change());
    /// assert_ne!(error.action(), Action::await_change());
    /// ```
    pub fn terminal(self) -> Self {
        Self { terminal: true, ..self }
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(super) fn retry_after(self, wait: Option<Duration>) -> Self {
        Self { wait, ..self }
    }

    /// The action of an error policy: to try again after a wait that grows with every failure of the object, or to await a
    /// change where the error is [terminal](Self::terminal).
    pub fn action(&self) -> Action {
        match self.wait {
            Some(wait) => Action::requeue(wait),
            None if self.terminal => Action::await_change(),
            None => Action::requeue(Duration::from_secs(1)),
        }
    }

    /// The reason; of errors that know none, `ReconcileFailed`.
    pub(super) fn reason_or_default(&self) -> Reason {
        self.reason().cloned().unwrap_or(reason!("ReconcileFailed"))
    }

    /// The errors, in the order in which they were joined.
    pub fn errors(&self) -> impl Iterator<Item = &(dyn Error + Send + Sync + 'static)> {
        self.all().map(|one| &*one.error)
    }

    fn all(&self) -> impl Iterator<Item = &One> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl fmt::Display for ReasonedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.others.is_empty() {
            return fmt::Display::fmt(&self.first.error, f);
        }
        f.write_str("multiple errors occurred:")?;
        self.errors().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl Error for ReasonedError {
    /// What caused the first of them.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.first.error.source()
    }
}

impl<E: Reasonable> From<E> for ReasonedError {
    fn from(error: E) -> Self {
        let reason = error.reason();
        Self::one(error, reason)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{doing}: {error}")]
struct Context {
    doing: String,
    #[source]
    error: ReasonedError,
}

/// Gives an error the reason that it does not know itself.
///
/// ```
/// use allready_core::reason;
/// use allready_kube::status::{Because, ReasonedError};
///
/// fn read() -> Result<String, ReasonedError> {
///     std::fs::read_to_string("/no/such/file").map_err(|error| error.because(reason!("NoTemplate")))
/// }
/// assert_eq!(read().unwrap_err().reason().unwrap(), "NoTemplate");
/// ```
pub trait Because: Sized {
    /// This error, with a reason; one that it had already gives way.
    fn because(self, reason: Reason) -> ReasonedError;

    /// This error, of which no reason is known.
    fn without_reason(self) -> ReasonedError;
}

impl<E: Error + Send + Sync + 'static> Because for E {
    fn because(self, reason: Reason) -> ReasonedError {
        ReasonedError::one(self, Some(reason))
    }

    fn without_reason(self) -> ReasonedError {
        ReasonedError::one(self, None)
    }
}

/// Marks a condition with the error of a result.
///
/// ```
/// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
/// use allready_kube::status::{OrMark, ReasonedError};
///
/// let set: ConditionSet = "Ready: AddressesValid".parse().unwrap();
/// let mut conditions = vec![];
/// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
/// let parsed: Result<u8, ReasonedError> = "300".parse::<u8>().or_mark(&mut pass, "AddressesValid", reason!("BadAddress"));
/// pass.finish();
/// assert_eq!(parsed.unwrap_err().reason().unwrap(), "BadAddress");
/// let ready = condition::find(&conditions, "Ready").unwrap();
/// assert_eq!((ready.status, ready.message.as_str()), (Status::False, "number too large to fit in target type"));
/// ```
pub trait OrMark<T>: Sized {
    /// Marks the condition bad if there is an error, with this reason and the text of the error. The error gets the same reason.
    fn or_mark<C>(self, pass: &mut impl Mark<C>, condition: C, reason: Reason) -> Result<T, ReasonedError>;

    /// The same for an error that is expected to go away by itself: the condition is marked `Unknown`.
    fn or_mark_unknown<C>(
        self,
        pass: &mut impl Mark<C>,
        condition: C,
        reason: Reason,
    ) -> Result<T, ReasonedError>;
}

impl<T, E: Error + Send + Sync + 'static> OrMark<T> for Result<T, E> {
    fn or_mark<C>(self, pass: &mut impl Mark<C>, condition: C, reason: Reason) -> Result<T, ReasonedError> {
        self.map_err(|error| marked(error, pass, condition, Standing::Bad, reason))
    }

    fn or_mark_unknown<C>(
        self,
        pass: &mut impl Mark<C>,
        condition: C,
        reason: Reason,
    ) -> Result<T, ReasonedError> {
        self.map_err(|error| marked(error, pass, condition, Standing::Unknown, reason))
    }
}

fn marked<C>(
    error: impl Error + Send + Sync + 'static,
    pass: &mut impl Mark<C>,
    condition: C,
    standing: Standing,
    reason: Reason,
) -> ReasonedError {
    let refused = pass.mark_standing(condition, standing, reason.clone(), &error.to_string()).err();
    let is_terminal =
        (&error as &dyn Any).downcast_ref::<ReasonedError>().is_some_and(ReasonedError::is_terminal);
    let error = ReasonedError { terminal: is_terminal, ..error.because(reason) };
    ReasonedError { others: refused.map(One::from).into_iter().collect(), ..error }
}

impl Reasonable for MarkError {
    fn reason(&self) -> Option<Reason> {
        Some(reason!("InvalidMark"))
    }
}

impl From<MarkError> for One {
    fn from(error: MarkError) -> Self {
        Self { error: Arc::new(error), reason: None }
    }
}

/// The work of a reconcile panicked.
#[derive(Debug, thiserror::Error)]
#[error("the reconcile panicked: {0}")]
pub(super) struct Panicked(String);

impl Panicked {
    pub(super) fn of(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        Self(text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
    }
}

impl Reasonable for Panicked {
    fn reason(&self) -> Option<Reason> {
        Some(reason!("ReconcilePanicked"))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use allready_core::reason;

    use super::*;

    fn error(text: &'static str) -> io::Error {
        io::Error::other(text)
    }

    #[test]
    fn the_first_reason_wins_and_every_text_is_kept() {
        let joined = ReasonedError::join([
            error("a").without_reason(),
            error("b").because(reason!("B")),
            error("c").because(reason!("C")),
        ]);
        let joined = joined.unwrap();
        assert_eq!(joined.reason(), Some(&reason!("B")));
        assert_eq!(joined.to_string(), "multiple errors occurred:\na\nb\nc");
        assert_eq!(joined.errors().count(), 3);
    }

    #[test]
    fn one_error_is_told_as_it_is() {
        let joined = ReasonedError::join([error("alone").because(reason!("A"))]).unwrap();
        assert_eq!((joined.to_string().as_str(), joined.reason()), ("alone", Some(&reason!("A"))));
    }

    #[test]
    fn joining_what_was_joined_gives_one_list() {
        let two = ReasonedError::join([error("a").without_reason(), error("b").without_reason()]).unwrap();
        let three = ReasonedError::join([two, error("c").without_reason()]).unwrap();
        assert_eq!(three.to_string(), "multiple errors occurred:\na\nb\nc");
        assert_eq!(three.reason(), None);
    }

    #[test]
    fn a_reason_given_later_gives_a_new_one() {
        let wrapped = error("a").because(reason!("Old")).because(reason!("New"));
        assert_eq!((wrapped.to_string().as_str(), wrapped.reason()), ("a", Some(&reason!("New"))));
    }
}
