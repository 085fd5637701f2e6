mod interactions;
mod knative;
mod kro;
mod operatorpkg;
mod pass;
mod propagate;
mod properties;
mod sequences;
mod set;
mod updater;

use crate::{
    Condition, ConditionSet, ConditionType, Reason, Status, Time, condition,
    set::{At, Finished, Pass},
};

pub(super) fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

pub(super) fn condition(type_: &'static str, status: Status, reason: &'static str, second: i64) -> Condition {
    Condition::new(ConditionType::new(type_).unwrap(), status, Reason::new(reason).unwrap(), "", at(second))
}

/// What a list says about a type: status and reason.
pub(super) fn says<'a>(conditions: &'a [Condition], type_: &str) -> (Status, &'a str) {
    let condition =
        condition::find(conditions, type_).unwrap_or_else(|| panic!("{type_} is not in the list"));
    (condition.status, condition.reason.as_str())
}

pub(super) fn types(conditions: &[Condition]) -> Vec<&str> {
    conditions.iter().map(|condition| condition.type_.as_str()).collect()
}

/// Runs one finished pass.
pub(super) fn pass(
    set: &ConditionSet,
    conditions: &mut Vec<Condition>,
    at: At,
    marks: impl FnOnce(&mut Pass<'_>),
) -> Finished {
    let mut pass = set.pass(conditions, at);
    marks(&mut pass);
    pass.finish()
}

/// Marks with a reason that names the status.
pub(super) fn mark(pass: &mut Pass<'_>, type_: &str, status: Status) {
    let reason = Reason::new(format!("{}{status}", type_.replace(['/', '-', '.'], "_"))).unwrap();
    pass.mark(type_, status, reason, "").unwrap();
}
