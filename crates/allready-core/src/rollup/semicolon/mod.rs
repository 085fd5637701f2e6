//! `semicolon`: the failing members and what they say, in one line.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{Context, Freshness, Input, Policy, Reasons, Rollup, empty};
use crate::{Message, Reason, Standing, condition::cut};

/// The options of the form `semicolon`: `gateway-1 Listener certificate is expired; gateway-3 No listener on port 80`.
///
/// The reason is fixed, because members may differ in theirs. The message names those that decide, in the order of their
/// names, each with its message or failing that its reason. What would not fit into a message is counted: `; and 7 more`.
/// Within a member's text, line breaks become blanks and `; ` becomes `, `, so that the separator separates members only.
///
/// ```
/// use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Input, Policy};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let ready = |status, message: &str| {
///     Condition::new(condition_type!("Ready"), status, reason!("Because"), message.to_owned(), at(1))
/// };
/// let (bad, good) = (ready(Status::False, "Listener certificate is expired"), ready(Status::True, ""));
/// let members = [
///     Input::from(&bad).from_member("Gateway", "gateway-1"),
///     Input::from(&good).from_member("Gateway", "gateway-2"),
///     Input::missing("Ready", Polarity::NormalTrue).from_member("Gateway", "gateway-3"),
/// ];
/// let context = Context::new("Ready", at(9));
/// let top = |policy: &str| policy.parse::<Policy>().unwrap().roll_up(members.clone(), &context).unwrap().message;
/// assert_eq!(top("semicolon"), "gateway-1 Listener certificate is expired");
/// assert_eq!(top("kuadrant"), "gateway-1 Listener certificate is expired; gateway-3 (unknown)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semicolon {
    /// What `Unknown` is worth.
    pub strictness: Strictness,
    /// The reasons of the answer: `AllInstancesReady`, `InstancesUnknown` and `InstancesNotReady` unless said otherwise.
    pub reasons: Reasons,
}

/// What `Unknown` is worth in the form `semicolon`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strictness {
    /// `Unknown` is neither good nor bad: it decides only where nothing is bad, and only then is it told.
    #[default]
    ThreeValued,
    /// Whatever is not good is bad: `Unknown` counts as bad, and is told as `name (unknown)`.
    Strict,
}

impl Semicolon {
    /// Three-valued, with the reasons for instances.
    pub const fn new() -> Self {
        Self {
            strictness: Strictness::ThreeValued,
            reasons: Reasons {
                good: Reason::from_static("AllInstancesReady"),
                unknown: Reason::from_static("InstancesUnknown"),
                bad: Reason::from_static("InstancesNotReady"),
            },
        }
    }

    /// As the multi-cluster gateway proposal of Kuadrant has it: what is not `True` everywhere is `False`.
    pub fn strict() -> Self {
        Self { strictness: Strictness::Strict, ..Self::new() }
    }

    pub(super) fn roll_up<'a>(
        &self,
        mut inputs: Vec<Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Rollup<'a> {
        let Some(worst) = inputs.iter().map(|input| self.worth(input)).max() else {
            return empty::roll_up(context, policy, empty::NOTHING_DECLARED);
        };
        inputs.retain(|input| worst != Standing::Good && self.worth(input) == worst);
        inputs.sort_by(|a, b| a.name().cmp(b.name()).then_with(|| a.tie_break(b)));
        let message = join(inputs.iter().map(|input| self.fragment(input)));
        Rollup::new(context, worst, self.reasons.of(worst), Cow::Owned(message))
    }

    fn worth(&self, input: &Input<'_>) -> Standing {
        match (input.standing(), self.strictness) {
            (Standing::Unknown, Strictness::Strict) => Standing::Bad,
            (standing, _) => standing,
        }
    }

    fn fragment(&self, input: &Input<'_>) -> String {
        let name = input.name();
        let is_unknown = input.standing() == Standing::Unknown;
        let text = if input.message.is_empty() { &input.reason } else { &input.message };
        // What an outdated member says is no account of why it is unknown.
        let is_mute = text.is_empty() || input.freshness != Freshness::Fresh;
        if is_unknown && (is_mute || self.strictness == Strictness::Strict) {
            return format!("{name} (unknown)");
        }
        if is_mute {
            return name.to_owned();
        }
        let text = text.replace("\r\n", " ").replace(['\n', '\r'], " ").replace("; ", ", ");
        format!("{name} {text}")
    }
}

impl Default for Semicolon {
    fn default() -> Self {
        Self::new()
    }
}

/// As many fragments as fit into a message together with the number of those that do not.
fn join(mut fragments: impl ExactSizeIterator<Item = String>) -> String {
    let mut message = String::new();
    let mut separator = "";
    while let Some(fragment) = fragments.next() {
        let rest = if fragments.len() == 0 { 0 } else { and_more(fragments.len()).len() };
        let room = Message::MAX_BYTES.saturating_sub(message.len() + separator.len() + rest);
        if fragment.len() > room && !message.is_empty() {
            message.push_str(&and_more(fragments.len() + 1));
            break;
        }
        message.push_str(separator);
        // Only the first may be too long even so.
        message.push_str(&cut(&fragment, room));
        separator = "; ";
    }
    message
}

fn and_more(count: usize) -> String {
    format!("; and {count} more")
}
