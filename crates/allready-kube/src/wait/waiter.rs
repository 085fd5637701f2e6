//! What each thing that a watch tells means for the one who waits.

use allready_core::Time;
use serde_json::Value;

use super::{Expectation, Pending, Verdict, WaitError};
use crate::{list_watch::WatchError, refusal::Refusal};

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

    /// The watch failed: an error where it is not worth trying again.
    pub(super) fn failed(&self, error: WatchError) -> Result<WatchError, WaitError> {
        let object = self.object.clone();
        match error.refusal() {
            Refusal::Forbidden => Err(WaitError::Forbidden { object, source: Box::new(error) }),
            // A kind that was defined just now is not served yet.
            Refusal::NotFound if !self.may_appear => Err(WaitError::NoSuchKind { object }),
            Refusal::Invalid => Err(WaitError::Refused { object, source: Box::new(error) }),
            _ => Ok(error),
        }
    }
}
