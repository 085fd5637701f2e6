//! Why waiting ended without what was waited for.

use std::{fmt, time::Duration};

use allready_core::Time;

use super::{Pending, SeenCondition};
use crate::list_watch::WatchError;

/// Why waiting ended without what was waited for. The message names the object and what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum WaitError {
    /// It took too long.
    TimedOut {
        /// The object, such as `pools/pool-a in default`.
        object: String,
        /// How long it was waited for.
        after: Duration,
        /// What was still missing when the object was last seen; none if it was never there, or never seen.
        pending: Option<Pending>,
        /// Why it could not be seen, if that is what failed last.
        trouble: Option<Box<WatchError>>,
        /// When this was found.
        at: Time,
    },
    /// A terminal condition holds: it is not worth waiting any longer.
    Terminal {
        /// The object.
        object: String,
        /// The conditions that say so; at least one.
        conditions: Vec<SeenCondition>,
        /// When this was found.
        at: Time,
    },
    /// There is no such object.
    NotFound {
        /// The object.
        object: String,
    },
    /// The object was deleted meanwhile, or deleted and made anew.
    Deleted {
        /// The object.
        object: String,
        /// What had still been missing.
        pending: Option<Pending>,
        /// When this was found.
        at: Time,
    },
    /// The API server does not serve the kind.
    NoSuchKind {
        /// The object.
        object: String,
    },
    /// Not allowed.
    Forbidden {
        /// The object.
        object: String,
        /// The server's answer.
        source: Box<WatchError>,
    },
    /// The server refuses the request itself.
    Refused {
        /// The object.
        object: String,
        /// The server's answer.
        source: Box<WatchError>,
    },
    /// The object cannot be written as JSON.
    Unreadable {
        /// The object.
        object: String,
        /// Why.
        source: serde_json::Error,
    },
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { object, after, pending, trouble, at } => {
                write!(f, "{object}: gave up after {after:?}: ")?;
                match (pending, trouble) {
                    (Some(pending), _) => f.write_str(&pending.describe(*at))?,
                    (None, Some(_)) => f.write_str("it could not be seen")?,
                    (None, None) => f.write_str("it is not there")?,
                }
                match trouble {
                    Some(trouble) => write!(f, " (watching it failed last: {trouble})"),
                    None => Ok(()),
                }
            }
            Self::Terminal { object, conditions, at } => {
                let told: Vec<_> = conditions.iter().map(|condition| condition.describe(*at)).collect();
                write!(f, "{object}: will not come to it: {}", told.join("; "))
            }
            Self::NotFound { object } => {
                write!(
                    f,
                    "{object} is not there: look at its name and namespace, or wait for it to appear too"
                )
            }
            Self::Deleted { object, pending, at } => {
                write!(f, "{object} was deleted meanwhile")?;
                match pending {
                    Some(pending) => write!(f, "; before that: {}", pending.describe(*at)),
                    None => Ok(()),
                }
            }
            Self::NoSuchKind { object } => write!(
                f,
                "{object}: the API server does not serve this kind: look whether its CustomResourceDefinition is installed"
            ),
            Self::Forbidden { object, source } => {
                write!(f, "{object}: not allowed to wait for it: allow list and watch on it: {source}")
            }
            Self::Refused { object, source } => write!(f, "{object}: cannot be watched: {source}"),
            Self::Unreadable { object, source } => write!(f, "{object}: cannot be read: {source}"),
        }
    }
}

impl std::error::Error for WaitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Forbidden { source, .. } | Self::Refused { source, .. } => Some(source),
            Self::TimedOut { trouble: Some(trouble), .. } => Some(trouble),
            Self::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}
