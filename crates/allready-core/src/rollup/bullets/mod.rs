//! `bullets`: one line per problem, as Cluster API's v1beta2 conditions have it.

mod aggregate;
mod summary;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{Context, Freshness, Input, Policy, Reasons, Rollup, empty};
use crate::{ConditionType, Reason};

/// The options of the form `bullets`.
///
/// There are two layouts, and the inputs decide between them. Conditions of the object itself give a *summary*: one
/// bullet for each, headed by its type. If every input comes from a [`Member`](super::Member), they give an *aggregate*:
/// members that say the same share a bullet, at most three bullets are shown with at most three names each, and the rest
/// is counted. A condition of the top type is no input of itself.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Input, Policy};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let down = Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "no route to host", at(1));
/// let members = ["a", "b"].map(|name| Input::from(&down).from_member("Gateway", name));
/// let top = Policy::bullets().roll_up(members, &Context::new("Ready", at(9))).unwrap();
/// assert_eq!(&*top.reason, "IssuesReported");
/// assert_eq!(&*top.message, "* Gateways a, b: no route to host");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bullets {
    /// In which order a summary goes through the types; types that are not listed follow in the order of their names. A
    /// [`ConditionSet`](crate::ConditionSet) goes through its dependents in the order of declaration if this is empty.
    pub order: Vec<ConditionType>,
    /// The reasons of the answer: `InfoReported`, `UnknownReported` and `IssuesReported` unless said otherwise.
    pub reasons: Reasons,
}

impl Bullets {
    /// Types in the order of their names, Cluster API's reasons.
    pub const fn new() -> Self {
        Self {
            order: Vec::new(),
            reasons: Reasons {
                good: Reason::from_static("InfoReported"),
                unknown: Reason::from_static("UnknownReported"),
                bad: Reason::from_static("IssuesReported"),
            },
        }
    }

    pub(super) fn roll_up<'a>(
        &self,
        inputs: Vec<Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Rollup<'a> {
        let Some(worst) = inputs.iter().map(Input::standing).max() else {
            return empty::roll_up(context, policy, empty::NOTHING_DECLARED);
        };
        let lines = if inputs.iter().all(|input| input.member.is_some()) {
            aggregate::lines(&inputs, worst, context)
        } else {
            summary::lines(inputs, worst, &self.order, context)
        };
        Rollup::new(context, worst, self.reasons.of(worst), Cow::Owned(lines.join("\n")))
    }
}

impl Default for Bullets {
    fn default() -> Self {
        Self::new()
    }
}

/// What an input has to say: its message, or failing that its reason, or why it says nothing.
fn account<'i>(input: &'i Input<'_>, context: &Context<'_>) -> Cow<'i, str> {
    match (input.shortcoming(context.generation), input.member) {
        (None, _) if input.message.is_empty() => Cow::Borrowed(&input.reason),
        (None, _) => Cow::Borrowed(&input.message),
        (Some(_), None) if input.freshness == Freshness::Missing => {
            Cow::Borrowed("Condition not yet reported")
        }
        (Some(_), Some(_)) if input.freshness == Freshness::Missing => {
            Cow::Owned(format!("Condition {} not yet reported", input.type_))
        }
        (Some((_, text)), _) => Cow::Owned(format!("Condition {text}")),
    }
}

/// A bullet: a text of one line goes behind the heading, anything longer under it, indented and with a bullet on every
/// line that heads others.
fn bullet(heading: &str, text: &str) -> String {
    let mut bullet = format!("* {heading}:");
    if !text.contains('\n') && !is_bulleted(text) {
        bullet.push(' ');
        bullet.push_str(text);
        return bullet;
    }
    let any_plain = text.split('\n').any(|line| !is_bulleted(line));
    for line in text.split('\n') {
        bullet.push_str(match (any_plain, is_bulleted(line)) {
            (false, _) => "\n  ",
            (true, false) => "\n  * ",
            (true, true) => "\n    ",
        });
        bullet.push_str(line);
    }
    bullet
}

fn is_bulleted(line: &str) -> bool {
    line.trim_start().strip_prefix('*').is_some_and(|rest| rest.starts_with(char::is_whitespace))
}
