//! The conditions of an object one by one, for whoever shows them.

use allready_core::Time;
use serde_json::Value;

use super::{Lag, case::Case, conditions, listed::read};
use crate::health::Health;
use crate::registry::{ConditionRole, Registry};
use crate::view::{ConditionList, Listed, View};

/// A condition, judged by itself.
pub(crate) struct Judged<'a> {
    pub(crate) condition: Listed<'a>,
    pub(crate) role: ConditionRole,
    /// The precedence of a summary, the least first.
    pub(crate) rank: u8,
    pub(crate) health: Health,
    pub(crate) lag: Option<Lag>,
}

/// Judges every condition of an object by itself, list by list.
pub(crate) fn conditions(
    object: &Value,
    registry: &Registry,
    now: Time,
    visit: &mut dyn FnMut(&ConditionList<'_>, &[Judged<'_>]),
) {
    let view = View::new(object);
    let kind = registry.kind(view.group, view.kind);
    let case = Case::new(View::new(object), &kind, now);
    for list in case.view.lists() {
        let judged: Vec<Judged<'_>> =
            read(&case, Some(list.value)).into_iter().map(|condition| judge(&case, condition)).collect();
        visit(list, &judged);
    }
}

fn judge<'a>(case: &Case<'a>, condition: Listed<'a>) -> Judged<'a> {
    let semantics = case.kind.condition(condition.type_);
    let lag =
        condition.observed().zip(case.generation).filter(|(observed, generation)| observed < generation);
    let lag = lag.map(|(observed, generation)| Lag { observed, generation });
    let signal = conditions::judge_one(case, condition, semantics);
    let counts = matches!(semantics.role, ConditionRole::Summary | ConditionRole::Dependent);
    let health = match signal.map_or(Health::Healthy, |signal| signal.health) {
        // What was good about an older spec need not be any more.
        Health::Healthy if lag.is_some() && counts => Health::Progressing,
        health => health,
    };
    Judged { condition, role: semantics.role, rank: semantics.rank, health, lag }
}
