//! What the tests of all forms share, and the tests that concern more than one form.

mod knative;
mod names;
mod operatorpkg;
mod properties;
mod six_answers;

use std::borrow::Cow;

use super::{Context, Input, Policy, Rollup};
use crate::{Condition, ConditionType, Generation, Polarity, Reason, Status, Time};

pub(super) use crate::Status::{False, True, Unknown};

pub(super) fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

pub(super) fn types<const N: usize>(names: [&'static str; N]) -> Vec<ConditionType> {
    names.into_iter().map(ConditionType::from_static).collect()
}

/// A fresh, normal-true input without a time.
pub(super) fn said(
    type_: &'static str,
    status: Status,
    reason: &'static str,
    message: &'static str,
) -> Input<'static> {
    Input {
        status,
        reason: Cow::Borrowed(reason),
        message: Cow::Borrowed(message),
        freshness: super::Freshness::Fresh,
        ..Input::missing(type_, Polarity::NormalTrue)
    }
}

pub(super) fn missing(type_: &'static str) -> Input<'static> {
    Input::missing(type_, Polarity::NormalTrue)
}

/// Words for building inputs in a table.
pub(super) trait Edit: Sized {
    fn negative(self) -> Self;
    fn since(self, second: i64) -> Self;
    fn about(self, generation: u32) -> Self;
}

impl Edit for Input<'_> {
    fn negative(self) -> Self {
        self.with_polarity(Polarity::AbnormalTrue)
    }

    fn since(self, second: i64) -> Self {
        Self { since: Some(at(second)), ..self }
    }

    fn about(self, generation: u32) -> Self {
        Self { observed: Some(Generation::from(generation)), ..self }
    }
}

/// Status, reason and message of an answer.
pub(super) type Answer = (Status, String, String);

pub(super) fn told(rollup: Rollup<'_>) -> Answer {
    (rollup.status, rollup.reason.into_owned(), rollup.message.into_owned())
}

/// The answer about `Ready` at second 1000, on an object without a generation.
pub(super) fn ask<'a>(policy: &Policy, inputs: impl IntoIterator<Item = Input<'a>>) -> Answer {
    told(policy.roll_up(inputs, &Context::new("Ready", at(1000))).unwrap())
}

pub(super) fn answer(status: Status, reason: &str, message: &str) -> Answer {
    (status, reason.to_owned(), message.to_owned())
}

pub(super) fn named(name: &str) -> Policy {
    name.parse().unwrap()
}

pub(super) fn ready(status: Status, reason: &'static str, message: &'static str, second: i64) -> Condition {
    Condition::new(
        ConditionType::from_static("Ready"),
        status,
        Reason::from_static(reason),
        message,
        at(second),
    )
}
