//! What goes in and out of the book.

use std::time::Duration;

use allready_core::Condition;

use crate::{backoff::Backoff, manager::Manager, refusal::Refusal};

/// Where conditions go: how they are named, and who owns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Shape {
    /// Into an object that many share: one manager for each reconciler.
    Shared,
    /// Into an object of its own: one manager for all, and it makes the object.
    Own {
        /// Whether the object is to be applied once in any case: its owners may have changed since it was made.
        renew: bool,
    },
}

/// How patient a reporter is.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Pace {
    pub(in crate::report) backoff: Backoff,
    /// How often to write again what should be there already.
    pub(in crate::report) refresh: Option<Duration>,
}

/// A request to the API server.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) enum Ask {
    /// What does the object say?
    Read,
    /// The object itself, without its status.
    Create,
    /// A part of the status.
    Write(Write),
}

/// Everything that a manager is to own in the status.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Write {
    pub(in crate::report) manager: Manager,
    pub(in crate::report) conditions: Vec<Condition>,
    pub(in crate::report) revision: Option<Box<str>>,
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) enum Answer {
    /// The object has these conditions, and this revision.
    Found(Vec<Condition>, Option<Box<str>>),
    /// It is written.
    Done,
    /// The object of this name is about another reporter.
    Taken,
    /// It is not written, or not known to be.
    Refused(Refusal),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) enum Step {
    /// Send this, and tell what came of it.
    Send(Ask),
    /// Nothing to do until something is reported, or until this long after the start.
    Wait(Option<Duration>),
    /// Everything is written, and nothing more will be reported.
    End,
}
