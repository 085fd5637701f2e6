//! `semicolon`: the failing members and what they say, in one line.

#[cfg(test)]
mod tests;
mod wording;

use std::{borrow::Cow, cmp::Reverse};

use super::{Context, Input, Policy, Reasons, Rollup, empty};
use crate::{Message, Reason, Standing};

/// The options of the form `semicolon`: `gateway-1 Listener certificate is expired; gateway-3 No listener on port 80`.
///
/// The reason is fixed, because members may differ in theirs. The message names those that decide, in the order of their
/// names, each with its message or failing that its reason. What would not fit into a message is counted: `; and 7 more`.
/// Within a member's text, line breaks become blanks and `; ` becomes `, `, so that the separator separates members only.
///
/// For many members that change one at a time there is a [`Roster`](crate::roster::Roster), which gives the same answer.
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
    /// Which members the message tells.
    pub tells: Tells,
    /// The most bytes that the message may have, kept between [`MIN_BYTES`](Self::MIN_BYTES) and [`Message::MAX_BYTES`],
    /// which it is unless said otherwise.
    pub limit: usize,
    /// The most bytes of one member's text, so that a talkative one leaves room for the others; no bound unless said
    /// otherwise. A longer text is cut as [`cut`](crate::condition::cut) does.
    pub each: usize,
}

/// What `Unknown` is worth in the form `semicolon`.
///
/// ```
/// use allready_core::{Polarity, Status, Time, rollup::{Context, Input, Policy}};
///
/// let members = || [Input::missing("Ready", Polarity::NormalTrue).from_member("Gateway", "gateway-1")];
/// let status = |policy: &str| {
///     policy.parse::<Policy>().unwrap().roll_up(members(), &Context::new("Ready", Time::EPOCH)).unwrap().status
/// };
/// assert_eq!((status("semicolon"), status("kuadrant")), (Status::Unknown, Status::False));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strictness {
    /// `Unknown` is neither good nor bad: it decides only where nothing is bad, and [`Tells::Deciding`] tells it only then.
    #[default]
    ThreeValued,
    /// Whatever is not good is bad: `Unknown` counts as bad, and is told as `name (unknown)`.
    Strict,
}

/// Which members the message of the form `semicolon` tells.
///
/// ```
/// use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Form, Input, Policy, Semicolon, Tells};
///
/// let bad = Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "no route", Time::EPOCH);
/// let members = [
///     Input::missing("Ready", Polarity::NormalTrue).from_member("Cluster", "cluster-1"),
///     Input::from(&bad).from_member("Cluster", "cluster-2"),
/// ];
/// let message = |tells| {
///     let policy = Policy::from(Form::Semicolon(Semicolon { tells, ..Semicolon::default() }));
///     policy.roll_up(members.clone(), &Context::new("Ready", Time::EPOCH)).unwrap().message
/// };
/// assert_eq!(message(Tells::Deciding), "cluster-2 no route");
/// assert_eq!(
///     message(Tells::Everything),
///     "cluster-2 no route; cluster-1 (unknown) has not been reported yet"
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tells {
    /// Those that decide the status, by name.
    #[default]
    Deciding,
    /// All that are not good: first the bad ones, then the unknown ones as `name (unknown) text`, each by name. What is
    /// outdated or missing is told in these words instead of its own.
    Everything,
}

impl Semicolon {
    /// The least that `limit` can be: room for the beginning of one member's text and for the number of the others.
    pub const MIN_BYTES: usize = 64;

    /// Three-valued, with the reasons for instances; tells those that decide, and as much as a message can hold.
    pub const fn new() -> Self {
        Self {
            strictness: Strictness::ThreeValued,
            reasons: Reasons {
                good: Reason::from_static("AllInstancesReady"),
                unknown: Reason::from_static("InstancesUnknown"),
                bad: Reason::from_static("InstancesNotReady"),
            },
            tells: Tells::Deciding,
            limit: Message::MAX_BYTES,
            each: usize::MAX,
        }
    }

    /// As the multi-cluster gateway proposal of Kuadrant has it: what is not `True` everywhere is `False`.
    ///
    /// ```
    /// use allready_core::rollup::{Semicolon, Strictness};
    ///
    /// assert_eq!(Semicolon::strict().strictness, Strictness::Strict);
    /// ```
    pub fn strict() -> Self {
        Self { strictness: Strictness::Strict, ..Self::new() }
    }

    pub(super) fn roll_up<'a>(
        &self,
        mut inputs: Vec<Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Rollup<'a> {
        let Some(worst) = inputs.iter().map(|input| self.worth(input.standing())).max() else {
            return empty::roll_up(context, policy, empty::NOTHING_DECLARED);
        };
        inputs.retain(|input| self.is_told(input.standing(), worst));
        inputs.sort_by(|a, b| self.place(a).cmp(&self.place(b)).then_with(|| a.tie_break(b)));
        self.answer(context, worst, inputs.len(), inputs.into_iter())
    }

    /// The answer of this standing with the members that it tells, which come in their order. Looks at no more of them
    /// than fit.
    pub(crate) fn answer<'a>(
        &self,
        context: &Context<'_>,
        worst: Standing,
        count: usize,
        told: impl Iterator<Item = Input<'a>>,
    ) -> Rollup<'static> {
        let message = self.line(count, told, context.generation);
        Rollup::new(context, worst, self.reasons.of(worst), Cow::Owned(message))
    }

    /// What a standing counts as. The worst of several counts as the worst of what they count as.
    pub(crate) fn worth(&self, standing: Standing) -> Standing {
        match (standing, self.strictness) {
            (Standing::Unknown, Strictness::Strict) => Standing::Bad,
            (standing, _) => standing,
        }
    }

    /// Whether members of a standing are told where the answer has this one.
    pub(crate) fn is_told(&self, standing: Standing, worst: Standing) -> bool {
        standing != Standing::Good && (self.tells == Tells::Everything || self.worth(standing) == worst)
    }

    /// Where a member is told: those that decide are equals, and go by name alone.
    pub(crate) fn place<'a>(&self, input: &Input<'a>) -> (Reverse<Standing>, &'a str) {
        let standing = match self.tells {
            Tells::Deciding => self.worth(input.standing()),
            Tells::Everything => input.standing(),
        };
        (Reverse(standing), input.name())
    }
}

impl Default for Semicolon {
    fn default() -> Self {
        Self::new()
    }
}
