//! `union`: every problem has its part in the reason and its lines in the message, as library-go has it.

mod inertia;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeSet, fmt::Write as _};

pub use inertia::Inertia;

use super::{Context, Input, Policy, Rollup, empty};
use crate::{Condition, Standing, Time};

/// The options of the form `union`.
///
/// The reason joins `Prefix_Reason` of everything that is not good with `::`, where the prefix is what stands before the
/// top type in the input's type (or the whole type, or the name of a member). The message has one line `Type: line` for
/// each distinct line of each input.
///
/// With [`Inertia`] a problem is not counted while it is young. **The answer is then good although something is not**;
/// its message says what, and [`Policy::look_again`] says until when at the latest.
///
/// ```
/// use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Policy, Union};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let conditions = [
///     Condition::new(condition_type!("PoolDegraded"), Status::True, reason!("Overlap"), "a overlaps b", at(1)),
///     Condition::new(condition_type!("PoolAvailable"), Status::True, reason!("Up"), "", at(1)),
/// ];
/// let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new("Degraded", at(200)) };
/// let top = Policy::union().roll_up(Union::matching(&conditions, &context), &context).unwrap();
/// assert_eq!((top.status, &*top.reason), (Status::True, "Pool_Overlap"));
/// assert_eq!(&*top.message, "PoolDegraded: a overlaps b");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Union {
    /// How long a problem stays uncounted.
    pub inertia: Inertia,
}

impl Union {
    /// Every problem counts at once.
    pub const fn new() -> Self {
        Self { inertia: Inertia::NONE }
    }

    /// The conditions whose type ends with the top type, seen with its polarity: `PoolDegraded` for `Degraded`.
    ///
    /// A condition of just that type matches too. It comes from another object, or it would vouch for itself.
    ///
    /// ```
    /// use allready_core::{Condition, Time, condition_type, rollup::{Context, Union}};
    ///
    /// let conditions = [condition_type!("PoolDegraded"), condition_type!("PoolSynced")]
    ///     .map(|type_| Condition::unreported(type_, Time::EPOCH));
    /// let context = Context::new("Degraded", Time::EPOCH);
    /// let types: Vec<&str> = Union::matching(&conditions, &context).map(|input| input.type_).collect();
    /// assert_eq!(types, ["PoolDegraded"]);
    /// ```
    pub fn matching<'a>(
        conditions: &'a [Condition],
        context: &Context<'a>,
    ) -> impl Iterator<Item = Input<'a>> + use<'a> {
        let Context { top, polarity, .. } = *context;
        conditions
            .iter()
            .filter(move |condition| condition.type_.as_str().ends_with(top))
            .map(move |condition| Input::from(condition).with_polarity(polarity))
    }

    pub(super) fn roll_up<'a>(
        &self,
        mut inputs: Vec<Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Rollup<'a> {
        let Some(worst) = inputs.iter().map(Input::standing).max() else {
            return empty::roll_up(context, policy, "NoData");
        };
        inputs.sort_unstable_by(Input::tie_break);
        if problems(&inputs).all(|input| self.inertia.hides(input, context.now)) {
            let mut message = String::new();
            for input in &inputs {
                write_lines_or_note(&mut message, input, context);
            }
            let message = if message.is_empty() { Cow::Borrowed("All is well") } else { Cow::Owned(message) };
            return Rollup::new(context, Standing::Good, Cow::Borrowed("AsExpected"), message);
        }
        // One problem that is old enough brings the young ones with it.
        let mut message = String::with_capacity(problems(&inputs).map(room).sum());
        for input in problems(&inputs) {
            write_lines(&mut message, input, context);
        }
        Rollup::new(context, worst, Cow::Owned(joined_reasons(&inputs, context)), Cow::Owned(message))
    }

    /// When the first of the problems that inertia hides will count, if all of them are hidden now.
    pub(super) fn look_again<'a>(
        &self,
        inputs: impl Iterator<Item = Input<'a>>,
        context: &Context<'_>,
    ) -> Option<Time> {
        let mut first = None;
        for input in inputs.filter(|input| input.standing() != Standing::Good) {
            let end = self.inertia.end(&input, context.now)?;
            first = Some(first.map_or(end, |first: Time| first.min(end)));
        }
        first
    }
}

fn problems<'i, 'a>(inputs: &'i [Input<'a>]) -> impl Iterator<Item = &'i Input<'a>> {
    inputs.iter().filter(|input| input.standing() != Standing::Good)
}

/// The bytes that the lines of an input take, where each is told once and is about the current generation.
fn room(input: &Input<'_>) -> usize {
    let lines = 1 + input.message.bytes().filter(|byte| *byte == b'\n').count();
    input.message.len() + lines * (input.name().len() + ": \n".len())
}

/// The parts of all problems in the reason, sorted as they read.
fn joined_reasons(inputs: &[Input<'_>], context: &Context<'_>) -> String {
    let mut parts: Vec<_> = problems(inputs).map(|input| Part::of(input, context)).collect();
    parts.sort_unstable_by(|a, b| a.bytes().cmp(b.bytes()));
    let mut joined = String::with_capacity(parts.iter().map(|part| part.len() + "::".len()).sum());
    for (index, Part([prefix, underscore, reason])) in parts.into_iter().enumerate() {
        if index > 0 {
            joined.push_str("::");
        }
        joined.extend([prefix, underscore, reason]);
    }
    joined
}

/// The part of an input in the reason: what tells its type from the top type, then its own reason.
///
/// Where nothing does, library-go leaves an empty prefix and its underscore; a reason may not begin with one, so here
/// the reason stands alone.
struct Part<'i>([&'i str; 3]);

impl<'i> Part<'i> {
    fn of(input: &'i Input<'_>, context: &Context<'_>) -> Self {
        let prefix = match input.member {
            Some(member) => member.name,
            None => input.type_.strip_suffix(context.top).unwrap_or(input.type_),
        };
        let reason = input.shortcoming(context.generation).map_or(&*input.reason, |(reason, _)| reason);
        match (prefix, reason) {
            ("", "") => Self([input.type_, "", ""]),
            ("", alone) | (alone, "") => Self([alone, "", ""]),
            (prefix, reason) => Self([prefix, "_", reason]),
        }
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.0.iter().flat_map(|text| text.bytes())
    }

    fn len(&self) -> usize {
        self.0.iter().map(|text| text.len()).sum()
    }
}

/// Adds the distinct lines of an input, each behind its name; none if it has no words.
fn write_lines(message: &mut String, input: &Input<'_>, context: &Context<'_>) {
    let text = input.shortcoming(context.generation).map_or(Cow::Borrowed(&*input.message), |(_, text)| text);
    if text.is_empty() {
        return;
    }
    if !text.contains('\n') {
        return write_line(message, input.name(), &text);
    }
    let mut seen = BTreeSet::new();
    for line in text.split('\n').filter(|line| seen.insert(*line)) {
        write_line(message, input.name(), line);
    }
}

fn write_line(message: &mut String, name: &str, line: &str) {
    if !message.is_empty() {
        message.push('\n');
    }
    message.extend([name, ": ", line]);
}

/// Adds the same, with a note for a problem that inertia hides and that has no words of its own: it must not pass for well.
fn write_lines_or_note(message: &mut String, input: &Input<'_>, context: &Context<'_>) {
    let before = message.len();
    write_lines(message, input, context);
    if let Some(since) = input.since.filter(|_| message.len() == before && input.standing() != Standing::Good)
    {
        write_line(message, input.name(), "");
        // A String takes what is written to it.
        let _ = write!(message, "{} since {since}, not counted yet", input.status);
    }
}
