//! The summary: the conditions of one object, each under its own type.

use std::borrow::Cow;

use super::{account, bullet};
use crate::{
    ConditionType, Standing,
    rollup::{Context, Input, Ranks},
};

pub(super) fn lines(
    mut inputs: Vec<Input<'_>>,
    worst: Standing,
    order: &[ConditionType],
    context: &Context<'_>,
) -> Vec<String> {
    let ranks = Ranks::of(order);
    inputs.sort_by(|a, b| {
        let key = |input: &Input<'_>| ranks.rank(input.type_);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.type_.cmp(b.type_))
            .then_with(|| a.since.cmp(&b.since))
            .then_with(|| a.tie_break(b))
    });
    inputs
        .iter()
        .filter(|input| match input.standing() {
            // Good news is told only where there is no other, and only if it says something.
            Standing::Good => worst == Standing::Good && !input.message.is_empty(),
            Standing::Unknown | Standing::Bad => true,
        })
        .map(|input| bullet(&heading(input), &account(input, context)))
        .collect()
}

fn heading<'a>(input: &Input<'a>) -> Cow<'a, str> {
    match input.member {
        None => Cow::Borrowed(input.type_),
        Some(member) => {
            Cow::Owned(format!("{} {} {}", member.kind, member.name, input.type_).trim_start().to_owned())
        }
    }
}
