//! Whether an object is as expected.

use allready_core::{Generation, Time, found, found::FoundObject};
use kube::runtime::wait::Condition as KubeCondition;
use serde::Serialize;
use serde_json::Value;

use super::{
    Expectation, HasCondition, Pending, SeenCondition, Unmet,
    expectation::{About, Entries, Node},
    path::Place,
};

/// Whether an object is as expected.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// let Verdict::Met(by) = has_condition("Ready").judge(&object("Ready", "True")) else { panic!("it is ready") };
/// assert_eq!(by[0].to_string(), "Ready is True");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is, by these conditions.
    Met(Vec<SeenCondition>),
    /// It is not yet.
    Waiting(Pending),
    /// It will not be, by these conditions.
    Failed(Vec<SeenCondition>),
}

impl Verdict {
    /// Whether the object is as expected.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("Ready").judge(&object("Ready", "True")).is_met());
    /// assert!(!has_condition("Ready").judge(&object("Ready", "False")).is_met());
    /// ```
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met(_))
    }

    /// Whether waiting any longer is not worth it.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let wanted = has_condition("Ready").unless(has_condition("Stalled"));
    /// assert!(wanted.judge(&object("Stalled", "True")).has_failed());
    /// assert!(!wanted.judge(&object("Ready", "False")).has_failed(), "it may still come true");
    /// ```
    pub fn has_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl Expectation {
    /// Whether an object, as JSON, is as expected.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let wanted = any_of(["Ready", "Synced"].map(has_condition));
    /// assert!(wanted.judge(&object("Synced", "True")).is_met());
    /// ```
    pub fn judge(&self, object: &Value) -> Verdict {
        let context = Context::of(object);
        self.judge_in(&context)
    }

    fn judge_in(&self, context: &Context<'_>) -> Verdict {
        match &self.0 {
            Node::Has(condition) => condition.judge_in(context),
            Node::All(parts) => all(parts.iter().map(|part| part.judge_in(context))),
            Node::Any(parts) => any(parts.iter().map(|part| part.judge_in(context))),
            Node::Unless { wanted, terminal } => match terminal.judge_in(context) {
                Verdict::Met(conditions) => Verdict::Failed(conditions),
                _ => wanted.judge_in(context),
            },
        }
    }
}

/// Failed if one has, met if all are.
fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let (mut met, mut pending) = (Vec::new(), Vec::new());
    for verdict in verdicts {
        match verdict {
            Verdict::Met(conditions) => met.extend(conditions),
            Verdict::Waiting(part) => pending.push(part),
            Verdict::Failed(conditions) => return Verdict::Failed(conditions),
        }
    }
    if pending.is_empty() && !met.is_empty() { Verdict::Met(met) } else { waiting(pending, Pending::All) }
}

/// Met if one is, failed if all have.
fn any(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let (mut failed, mut pending) = (Vec::new(), Vec::new());
    for verdict in verdicts {
        match verdict {
            Verdict::Met(conditions) => return Verdict::Met(conditions),
            Verdict::Waiting(part) => pending.push(part),
            Verdict::Failed(conditions) => failed.extend(conditions),
        }
    }
    if pending.is_empty() && !failed.is_empty() {
        Verdict::Failed(failed)
    } else {
        waiting(pending, Pending::Any)
    }
}

/// One that is missing alone stands for itself.
fn waiting(pending: Vec<Pending>, together: fn(Vec<Pending>) -> Pending) -> Verdict {
    Verdict::Waiting(match <[Pending; 1]>::try_from(pending) {
        Ok([alone]) => alone,
        Err(several) => together(several),
    })
}

/// What conditions must be seen with.
struct Context<'a> {
    object: &'a Value,
    generation: Option<Generation>,
    observed: Option<Generation>,
    created: Option<Time>,
}

impl<'a> Context<'a> {
    fn of(object: &'a Value) -> Self {
        let found = FoundObject::read(object);
        let known = |generation: Option<Generation>| generation.filter(|generation| !generation.is_none());
        let (generation, observed) = (known(found.generation), known(found.observed));
        Self { object, generation, observed, created: found.created }
    }
}

impl HasCondition {
    /// Whether an object, as JSON, has the condition.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let Verdict::Waiting(pending) = has_condition("Ready").judge(&object("Ready", "False")) else { panic!("not ready") };
    /// assert_eq!(pending.describe(Time::EPOCH), "Ready is False, not True");
    /// ```
    pub fn judge(&self, object: &Value) -> Verdict {
        self.judge_in(&Context::of(object))
    }

    fn judge_in(&self, context: &Context<'_>) -> Verdict {
        let places = self.path.places(context.object);
        if places.is_empty() {
            return self.unmet(self.path.to_string(), None, context);
        }
        let verdicts = places.iter().map(|place| self.judge_list(place, context));
        match self.entries {
            Entries::Every => all(verdicts),
            Entries::Some => any(verdicts),
        }
    }

    fn judge_list(&self, place: &Place<'_>, context: &Context<'_>) -> Verdict {
        let list = found::read(place.list.unwrap_or(&Value::Null));
        let mut met = Vec::new();
        for condition in list.conditions().iter().filter(|condition| self.is_named(&condition.type_)) {
            let observed = condition.observed.filter(|generation| !generation.is_none()).or(context.observed);
            let seen = SeenCondition::of(condition, &place.entry, observed, context.created);
            if !self.takes(&seen, context.generation) {
                return self.unmet(place.entry.clone(), Some(seen), context);
            }
            met.push(seen);
        }
        if met.is_empty() { self.unmet(place.entry.clone(), None, context) } else { Verdict::Met(met) }
    }

    fn is_named(&self, type_: &str) -> bool {
        if self.any_case { self.type_.eq_ignore_ascii_case(type_) } else { self.type_ == type_ }
    }

    fn takes(&self, seen: &SeenCondition, generation: Option<Generation>) -> bool {
        self.status.is_none_or(|status| status == seen.status)
            && (self.reasons.is_empty() || self.reasons.contains(&seen.reason))
            && match (self.about, generation, seen.observed) {
                (About::Any, _, _) | (_, None, _) => true,
                (_, Some(generation), Some(observed)) => observed >= generation,
                (about, Some(_), None) => about == About::NotOlder,
            }
    }

    fn unmet(&self, entry: String, found: Option<SeenCondition>, context: &Context<'_>) -> Verdict {
        let unmet = Unmet { wanted: self.clone(), entry, found, generation: context.generation };
        Verdict::Waiting(Pending::Condition(Box::new(unmet)))
    }
}

/// An object that is gone, or that cannot be read as JSON, is never as expected. One that has failed is not either, so that
/// `await_condition` goes on waiting for it; [`wait_for`](super::wait_for) does not.
impl<K: Serialize> KubeCondition<K> for Expectation {
    fn matches_object(&self, object: Option<&K>) -> bool {
        let value = object.and_then(|object| serde_json::to_value(object).ok());
        value.is_some_and(|value| self.judge(&value).is_met())
    }
}

/// As for [`Expectation`].
impl<K: Serialize> KubeCondition<K> for HasCondition {
    fn matches_object(&self, object: Option<&K>) -> bool {
        let value = object.and_then(|object| serde_json::to_value(object).ok());
        value.is_some_and(|value| self.judge(&value).is_met())
    }
}
