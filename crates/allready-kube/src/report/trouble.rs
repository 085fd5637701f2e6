//! Why reports are not getting through.

use std::fmt;

/// Why what was reported cannot be written at the moment. The reporter goes on trying, and the workload goes on working.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// The object, its kind or its namespace does not exist.
    Missing,
    /// The permission is missing.
    Forbidden,
    /// The API server refuses what is written as not valid.
    Invalid,
    /// The object of this name is about another reporter, so that what is written there does not count as said by this one.
    Taken,
    /// The API server does not answer, or has too much to do, and that has been so for a while.
    Unreachable,
}

/// What is wrong and what to do about it.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Missing => {
                "the object to report into, or its kind, does not exist: install its definition and what creates it"
            }
            Self::Forbidden => "reporting is not permitted: give the verbs get and patch on the status",
            Self::Invalid => {
                "the API server refuses the report as not valid: compare the definition of the kind with the one of \
                 this release"
            }
            Self::Taken => {
                "another reporter has the object of this name: find out who made it, delete it, and the report is made anew"
            }
            Self::Unreachable => "the API server does not take the report",
        })
    }
}
