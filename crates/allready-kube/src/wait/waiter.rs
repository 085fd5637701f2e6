//! What each thing that a watch tells means for the one who waits.

use allready_core::Time;
use kube::runtime::watcher;
use serde_json::Value;

use super::{Expectation, Pending, Verdict, WaitError};
use crate::refusal::Refusal;

/// One wait, between two things that a watch tells.
pub(super) struct Waiter {
    pub(super) object: String,
    pub(super) expectation: Expectation,
    /// Whether an object that is not there, or is made anew, is waited for.
    pub(super) may_appear: bool,
    pub(super) seen: Option<Seen>,
}

/// The object as it was last seen.
pub(super) struct Seen {
    uid: Option<String>,
    pub(super) pending: Pending,
}

/// What to do now.
#[derive(Debug)]
pub(super) enum Step {
    /// Go on waiting.
    Wait,
    /// It is as expected.
    Done,
    /// It will not be.
    Fail(WaitError),
}

/// What to do about a watch that failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Watch again at once: the server has only forgotten the past.
    AtOnce,
    /// Watch again after a while.
    Later,
    /// Give up.
    Fatal(Fatal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fatal {
    NoSuchKind,
    Forbidden,
    Refused,
}

impl Waiter {
    /// The object was seen.
    pub(super) fn seen(&mut self, object: &Value, now: Time) -> Step {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).map(str::to_owned);
        if !self.may_appear && self.seen.as_ref().is_some_and(|seen| seen.uid != uid) {
            return self.gone(now);
        }
        match self.expectation.judge(object) {
            Verdict::Met(_) => Step::Done,
            Verdict::Failed(conditions) => {
                Step::Fail(WaitError::Terminal { object: self.object.clone(), conditions, at: now })
            }
            Verdict::Waiting(pending) => {
                self.seen = Some(Seen { uid, pending });
                Step::Wait
            }
        }
    }

    /// The object is not there.
    pub(super) fn gone(&mut self, now: Time) -> Step {
        let seen = self.seen.take();
        if self.may_appear {
            return Step::Wait;
        }
        let object = self.object.clone();
        Step::Fail(match seen {
            Some(seen) => WaitError::Deleted { object, pending: Some(seen.pending), at: now },
            None => WaitError::NotFound { object },
        })
    }

    /// The watch failed.
    pub(super) fn trouble(&self, error: &watcher::Error) -> Trouble {
        match refusal(error) {
            None => Trouble::AtOnce,
            Some(Refusal::Forbidden) => Trouble::Fatal(Fatal::Forbidden),
            // A kind that was defined just now is not served yet.
            Some(Refusal::NotFound) if self.may_appear => Trouble::Later,
            Some(Refusal::NotFound) => Trouble::Fatal(Fatal::NoSuchKind),
            Some(Refusal::Invalid) => Trouble::Fatal(Fatal::Refused),
            Some(_) => Trouble::Later,
        }
    }
}

/// What a failure means; none for "too old", which means nothing.
fn refusal(error: &watcher::Error) -> Option<Refusal> {
    let error = match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => error,
        watcher::Error::WatchError(status) if status.code == 410 => return None,
        watcher::Error::WatchError(status) => return Some(Refusal::of(&kube::Error::Api(status.clone()))),
        watcher::Error::NoResourceVersion => return Some(Refusal::Invalid),
    };
    match error {
        kube::Error::Api(status) if status.code == 410 => None,
        error => Some(Refusal::of(error)),
    }
}
