//! Errors that say what a status should give as the reason.

use std::{error::Error, fmt, sync::Arc};

use allready_core::Reason;

/// An error that knows its reason for a status: one CamelCase word, for programs.
///
/// Anything that is `Reasonable` becomes a [`ReasonedError`] with `?`. Errors that know no reason get one, or none, from
/// [`Because`].
///
/// ```
/// use allready_core::{Reason, reason};
/// use allready_kube::update::{Reasonable, ReasonedError};
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
/// use allready_kube::update::{Because, ReasonedError};
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
}

#[derive(Clone, Debug)]
struct One {
    error: Arc<dyn Error + Send + Sync>,
    reason: Option<Reason>,
}

impl ReasonedError {
    fn one(error: impl Error + Send + Sync + 'static, reason: Option<Reason>) -> Self {
        Self { first: One { error: Arc::new(error), reason }, others: Vec::new() }
    }

    /// All of these as one; nothing, if there are none.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::reason;
    /// use allready_kube::update::{Because, ReasonedError};
    ///
    /// let one = || Error::other("no route").without_reason();
    /// assert_eq!(ReasonedError::join([one(), one()]).unwrap().errors().count(), 2);
    /// assert!(ReasonedError::join([]).is_none());
    /// ```
    pub fn join(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut joined = errors.next()?;
        for error in errors {
            joined.others.push(error.first);
            joined.others.extend(error.others);
        }
        Some(joined)
    }

    /// The first reason that any of the errors has.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::reason;
    /// use allready_kube::update::{Because, ReasonedError};
    ///
    /// assert_eq!(Error::other("no route").because(reason!("RemoteAway")).reason().unwrap(), "RemoteAway");
    /// ```
    pub fn reason(&self) -> Option<&Reason> {
        self.all().find_map(|one| one.reason.as_ref())
    }

    /// Says what was being done; the reason stays.
    ///
    /// ```
    /// use allready_core::reason;
    /// use allready_kube::update::Because;
    ///
    /// let error = std::io::Error::other("no route").because(reason!("RemoteAway")).context("cannot copy the secret");
    /// assert_eq!(error.to_string(), "cannot copy the secret: no route");
    /// assert_eq!(error.reason().unwrap(), "RemoteAway");
    /// ```
    pub fn context(self, doing: impl Into<String>) -> Self {
        let reason = self.reason().cloned();
        Self::one(Context { doing: doing.into(), error: self }, reason)
    }

    /// The errors, in the order in which they were joined.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::reason;
    /// use allready_kube::update::{Because, ReasonedError};
    ///
    /// let error = Error::other("no route").without_reason();
    /// assert_eq!(error.errors().map(ToString::to_string).collect::<Vec<_>>(), ["no route"]);
    /// ```
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
/// use allready_kube::update::{Because, ReasonedError};
///
/// fn read() -> Result<String, ReasonedError> {
///     std::fs::read_to_string("/no/such/file").map_err(|error| error.because(reason!("NoTemplate")))
/// }
/// assert_eq!(read().unwrap_err().reason().unwrap(), "NoTemplate");
/// ```
pub trait Because: Sized {
    /// This error, with a reason; one that it had already gives way.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::reason;
    /// use allready_kube::update::{Because, ReasonedError};
    ///
    /// assert_eq!(Error::other("no route").because(reason!("RemoteAway")).to_string(), "no route");
    /// ```
    fn because(self, reason: Reason) -> ReasonedError;

    /// This error, of which no reason is known.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::reason;
    /// use allready_kube::update::{Because, ReasonedError};
    ///
    /// assert_eq!(Error::other("no route").without_reason().reason(), None);
    /// ```
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
