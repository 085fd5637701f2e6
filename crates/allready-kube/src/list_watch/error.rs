//! Why nothing can be seen.

use std::{error::Error, fmt};

use super::NO_ANSWER;
use crate::refusal::{self, Refusal};

/// Why the objects of a list-watch cannot be seen at present. The words are for the reader of a condition.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchError {
    /// The server refused the list or the watch, or the connection broke.
    Request(kube::Error),
    /// The server did not answer in time.
    NoAnswer,
    /// The answer cannot be used.
    Unusable(&'static str),
}

impl WatchError {
    /// Returns what the error means for whoever watches.
    pub fn refusal(&self) -> Refusal {
        match self {
            Self::Request(error) => Refusal::of(error),
            Self::NoAnswer => Refusal::Unanswered,
            Self::Unusable(_) => Refusal::Invalid,
        }
    }
}

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => f.write_str(&refusal::describe(error)),
            Self::NoAnswer => f.write_str(NO_ANSWER),
            Self::Unusable(why) => write!(f, "what answers {why}"),
        }
    }
}

impl Error for WatchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Request(error) => Some(error),
            Self::NoAnswer | Self::Unusable(_) => None,
        }
    }
}
