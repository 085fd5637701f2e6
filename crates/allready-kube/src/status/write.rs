//! Writing what was planned: the thin shell around the plan, and what it makes of failures.

use std::time::Duration;

use allready_core::{Condition, Time, transition::Transition};
use kube::{
    Api,
    api::{DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

use super::{
    Field, FieldMap, FieldProblem, ReasonedError, UpdateError,
    conditions::{self, Held},
    fields::dotted,
    json,
    plan::{Plan, Stored, Verdict},
};
use crate::{backoff::Backoff, metrics::WriteMetrics, refusal::Refusal};

/// How often to try, and how long to wait in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How many failures end it.
    pub tries: u32,
    /// The waits. An API server that asks to be left alone for longer than the longest of them is not waited for.
    pub backoff: Backoff,
}

impl Default for Retry {
    /// Eight tries, with waits from 20 ms to 5 s.
    fn default() -> Self {
        Self { tries: 8, backoff: Backoff { min: Duration::from_millis(20), max: Duration::from_secs(5) } }
    }
}

/// What became of the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrote {
    /// The status was written.
    Changed,
    /// The stored status said all that already; nothing was sent for it.
    Unchanged,
    /// The updater was built without a status.
    SwitchedOff,
    /// The stored status is about a newer generation; it was left alone.
    Outdated,
    /// The object is gone.
    Gone,
    /// There is another object of the same name; it was left alone.
    Replaced,
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reaction {
    /// Read the object again, and plan again.
    LookAgain(Duration),
    /// The same once more.
    SendAgain(Duration),
    /// Find out whether the object is there.
    IsItGone,
    /// Trying again is of no use.
    Refused,
    /// It was tried often enough.
    GiveUp,
}

/// What to do after this many failures, this one included.
fn react(refusal: Refusal, failures: u32, retry: &Retry, chance: f64) -> Reaction {
    let wait = |failures: u32| retry.backoff.delay(failures, chance);
    match refusal {
        Refusal::NotFound => Reaction::IsItGone,
        Refusal::Conflict | Refusal::Busy { .. } | Refusal::Unanswered if failures >= retry.tries => {
            Reaction::GiveUp
        }
        // Somebody was faster, once: no reason to wait.
        Refusal::Conflict if failures == 1 => Reaction::LookAgain(Duration::ZERO),
        Refusal::Conflict => Reaction::LookAgain(wait(failures - 2)),
        Refusal::Busy { after } => match after {
            Some(after) if after > retry.backoff.max => Reaction::GiveUp,
            after => Reaction::SendAgain(wait(failures - 1).max(after.unwrap_or_default())),
        },
        Refusal::Unanswered => Reaction::LookAgain(wait(failures - 1)),
        _ => Reaction::Refused,
    }
}

/// Where a status is written to.
pub(super) struct Writer<'a> {
    pub(super) api: &'a Api<DynamicObject>,
    pub(super) name: &'a str,
    /// The object, in words.
    pub(super) object: &'a str,
    pub(super) fields: &'a FieldMap,
    pub(super) retry: &'a Retry,
    pub(super) metrics: &'a WriteMetrics,
    pub(super) manager: &'a str,
    pub(super) now: Time,
}

/// What a write came to.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) outcome: Result<Wrote, UpdateError>,
    pub(super) transitions: Vec<Transition>,
    pub(super) errors: Vec<ReasonedError>,
    pub(super) requests: u32,
    pub(super) stored: Option<DynamicObject>,
    /// The status as it was planned last, and what is held back of it.
    pub(super) planned: Option<(Value, Held)>,
}

impl Default for Written {
    fn default() -> Self {
        let (transitions, errors) = (Vec::new(), Vec::new());
        Self { outcome: Ok(Wrote::Unchanged), transitions, errors, requests: 0, stored: None, planned: None }
    }
}

/// A request of which nobody knows yet whether it took effect.
struct Hoped {
    transitions: Vec<Transition>,
    conditions: Vec<Condition>,
}

impl Hoped {
    /// The transitions that did take effect: the conditions stand there as they were sent.
    fn accepted(self, stored: &[Condition]) -> impl Iterator<Item = Transition> {
        let Self { transitions, conditions } = self;
        let find = |list: &[Condition], transition: &Transition| {
            list.iter().find(|condition| condition.type_ == transition.type_).cloned()
        };
        let stored = stored.to_vec();
        transitions.into_iter().filter(move |t| find(&stored, t) == find(&conditions, t))
    }
}

impl Writer<'_> {
    /// Writes until the object says what it should, or that cannot be.
    pub(super) async fn write(
        &self,
        known: Option<Stored>,
        plan: impl Fn(&Stored) -> Result<Plan, FieldProblem>,
    ) -> Written {
        let mut written = Written::default();
        let outcome = self.go(known, plan, &mut written).await;
        if outcome.is_err() {
            self.metrics.failed.inc();
        }
        Written { outcome, ..written }
    }

    async fn go(
        &self,
        mut known: Option<Stored>,
        plan: impl Fn(&Stored) -> Result<Plan, FieldProblem>,
        written: &mut Written,
    ) -> Result<Wrote, UpdateError> {
        let object = || self.object.to_owned();
        let (mut failures, mut missing) = (0, false);
        let (mut hoped, mut fresh) = (None::<Hoped>, None);
        loop {
            let stored = if let Some(stored) = known.take() {
                stored
            } else {
                let Some(object) = self.look(&mut written.requests, &mut failures).await? else {
                    return Ok(Wrote::Gone);
                };
                read(fresh.insert(object))
            };
            let was_hoped = hoped.is_some();
            if let Some(hoped) = hoped.take() {
                written.transitions.extend(hoped.accepted(&self.conditions(&stored.status)));
            }
            let planned =
                plan(&stored).map_err(|problem| UpdateError::Field { object: object(), problem })?;
            written.errors = planned.errors;
            written.planned = Some((planned.status.clone(), planned.held));
            let patch = match planned.verdict {
                Verdict::Write(_) if missing => return Err(UpdateError::NoStatus { object: object() }),
                Verdict::Write(patch) => patch,
                Verdict::Unchanged if was_hoped => {
                    self.metrics.sent.inc();
                    written.stored = fresh;
                    return Ok(Wrote::Changed);
                }
                Verdict::Unchanged => {
                    self.metrics.unchanged.inc();
                    return Ok(Wrote::Unchanged);
                }
                Verdict::Outdated => return Ok(Wrote::Outdated),
                Verdict::Replaced => return Ok(Wrote::Replaced),
            };
            if failures > 0 {
                self.metrics.retried.inc();
            }
            written.requests += 1;
            let error = match self.send(&stored, &patch).await {
                Ok(object) => {
                    self.metrics.sent.inc();
                    written.transitions.extend(planned.transitions);
                    let dropped = self.dropped(&patch, &planned.status, &object);
                    written.stored = Some(object);
                    return dropped.map_or(Ok(Wrote::Changed), Err);
                }
                Err(error) => error,
            };
            let reaction = self.after(error, &mut failures).await?;
            if let Reaction::SendAgain(_) = reaction {
                known = Some(stored);
            } else {
                missing = reaction == Reaction::IsItGone;
                let conditions = self.conditions(&planned.status);
                hoped = Some(Hoped { transitions: planned.transitions, conditions });
            }
        }
    }

    /// Reads the object; nothing, if it is gone.
    async fn look(
        &self,
        requests: &mut u32,
        failures: &mut u32,
    ) -> Result<Option<DynamicObject>, UpdateError> {
        loop {
            *requests += 1;
            match self.api.get_opt(self.name).await {
                Ok(object) => return Ok(object),
                Err(error) => self.after(error, failures).await?,
            };
        }
    }

    /// Waits as long as a failure asks for, and says how to go on.
    async fn after(&self, error: kube::Error, failures: &mut u32) -> Result<Reaction, UpdateError> {
        *failures += 1;
        let object = self.object.to_owned();
        let reaction = react(Refusal::of(&error), *failures, self.retry, fastrand::f64());
        match reaction {
            Reaction::Refused => return Err(UpdateError::Refused { object, source: error }),
            Reaction::GiveUp => {
                return Err(UpdateError::GaveUp { object, tries: *failures, source: error });
            }
            Reaction::LookAgain(wait) | Reaction::SendAgain(wait) if !wait.is_zero() => {
                tracing::debug!(object, ?wait, %error, "the status is written again");
                tokio::time::sleep(wait).await;
            }
            _ => {}
        }
        Ok(reaction)
    }

    async fn send(&self, stored: &Stored, patch: &Value) -> kube::Result<DynamicObject> {
        // The version makes the API server refuse the patch if anybody has written since: lists are replaced as a whole.
        let body = json!({ "metadata": { "resourceVersion": stored.version }, "status": patch });
        let params = PatchParams { field_manager: Some(self.manager.to_owned()), ..PatchParams::default() };
        self.api.patch_status(self.name, &params, &Patch::Merge(body)).await
    }

    fn conditions(&self, status: &Value) -> Vec<Condition> {
        conditions::legal(
            self.fields.path(Field::Conditions).and_then(|path| json::get(status, path)),
            self.now,
        )
    }

    /// Which fields were sent and are not there now.
    fn dropped(&self, patch: &Value, planned: &Value, object: &DynamicObject) -> Option<UpdateError> {
        let status = object.data.get("status").unwrap_or(&Value::Null);
        let fields: Vec<_> = Field::ALL
            .into_iter()
            .filter_map(|field| self.fields.path(field))
            .filter(|path| json::get(patch, path).is_some() && json::get(planned, path).is_some())
            .filter(|path| json::get(status, path).is_none())
            .map(dotted)
            .collect();
        (!fields.is_empty()).then(|| UpdateError::Dropped { object: self.object.to_owned(), fields })
    }
}

pub(super) fn read(object: &DynamicObject) -> Stored {
    Stored {
        uid: object.metadata.uid.clone(),
        version: object.metadata.resource_version.clone(),
        generation: object.metadata.generation,
        status: json::without_nulls(object.data.get("status").cloned().unwrap_or_default()),
        managed: serde_json::to_value(&object.metadata.managed_fields).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_reaction() {
        let retry = Retry { tries: 3, ..Retry::default() };
        let ms = Duration::from_millis;
        let busy = |after| Refusal::Busy { after };
        for (refusal, failures, expected) in [
            (Refusal::Conflict, 1, Reaction::LookAgain(Duration::ZERO)),
            (Refusal::Conflict, 2, Reaction::LookAgain(ms(20))),
            (Refusal::Conflict, 3, Reaction::GiveUp),
            (Refusal::Unanswered, 1, Reaction::LookAgain(ms(20))),
            (Refusal::Unanswered, 2, Reaction::LookAgain(ms(40))),
            (busy(None), 1, Reaction::SendAgain(ms(20))),
            (busy(Some(Duration::from_secs(2))), 1, Reaction::SendAgain(Duration::from_secs(2))),
            (busy(Some(Duration::from_mins(1))), 1, Reaction::GiveUp),
            (Refusal::NotFound, 1, Reaction::IsItGone),
            (Refusal::NotFound, 9, Reaction::IsItGone),
            (Refusal::Forbidden, 1, Reaction::Refused),
            (Refusal::Invalid, 1, Reaction::Refused),
        ] {
            assert_eq!(react(refusal, failures, &retry, 1.0), expected, "{refusal:?} {failures}");
        }
    }
}
