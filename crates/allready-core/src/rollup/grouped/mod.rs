//! `grouped`: every cause once, with how many it concerns and the first of them by name, worst first, bounded in bytes.

#[cfg(test)]
mod tests;
mod wording;

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    Context, Freshness, Input, Policy, Reasons, Rollup, empty,
    input::{AWAITING_RECONCILIATION, GENERATION_NOT_OBSERVED},
};
use crate::{Generation, Message, Polarity, Reason, Standing};

/// The options of the form `grouped`: equal causes grouped, with counts and names, worst first, bounded in bytes.
///
/// The reasons are fixed, because a reason can hold neither a list nor a node name; who and why is in the message. It is
/// never good where nothing is in scope, whatever [`Policy::empty`] says.
///
/// ```
/// use allready_core::{Condition, Polarity, Status, Time, condition_type, reason};
/// use allready_core::rollup::{Context, Input, Policy};
///
/// let invalid = |status, reason, message| {
///     Condition::new(condition_type!("Valid"), status, reason, message, Time::EPOCH)
/// };
/// let fine = invalid(Status::True, reason!("Accepted"), "");
/// let overlap = invalid(Status::False, reason!("ConfigError"), "pool \"a\" overlaps");
/// let nodes = [("node-1", &overlap), ("node-2", &overlap), ("node-3", &fine)];
/// let inputs = nodes.map(|(node, condition)| Input::from(condition).from_member("Node", node))
///     .into_iter()
///     .chain([Input::missing("Valid", Polarity::NormalTrue).from_member("Node", "node-9")]);
///
/// let top = Policy::grouped().roll_up(inputs, &Context::new("Ready", Time::EPOCH)).unwrap();
/// assert_eq!((top.status, &*top.reason), (Status::False, "ComponentFailing"));
/// assert_eq!(
///     top.message,
///     "2 of 4 failing: ConfigError on 2 (node-1, node-2): pool \"a\" overlaps. \
///      1 unknown: AwaitingReconciliation on node-9: has not been reported yet"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouped {
    /// The reasons of the answer: `AllComponentsReady`, `ComponentsUnknown` and `ComponentFailing` unless said otherwise.
    pub reasons: Reasons,
    /// How many members are named for each cause; at least one is, and fewer are where the names are long.
    pub names: usize,
    /// The most bytes that the message may have, kept between [`MIN_BYTES`](Self::MIN_BYTES) and
    /// [`Message::MAX_BYTES`].
    pub max_bytes: usize,
    /// Whether a cause names its condition type also where all members have but one.
    pub always_types: bool,
}

impl Grouped {
    /// The least that `max_bytes` can be: room for both counts and the beginning of a cause.
    pub const MIN_BYTES: usize = 256;

    /// The reasons of a status with many writers, three names, and 1,024 bytes.
    ///
    /// That is a dozen lines on a terminal, and the most that the API server takes as the note of an event, so that what
    /// the condition says can be said in an event too.
    pub const fn new() -> Self {
        Self {
            reasons: Reasons {
                good: Reason::from_static("AllComponentsReady"),
                unknown: Reason::from_static("ComponentsUnknown"),
                bad: Reason::from_static("ComponentFailing"),
            },
            names: 3,
            max_bytes: 1024,
            always_types: false,
        }
    }

    /// The limit in force.
    fn limit(&self) -> usize {
        self.max_bytes.clamp(Self::MIN_BYTES, Message::MAX_BYTES)
    }

    /// How many names a cause carries.
    pub(crate) fn names(&self) -> usize {
        self.names.max(1)
    }

    /// One pass over the inputs to group them, then one over as many groups as fit.
    pub(super) fn roll_up<'a>(
        &self,
        inputs: impl Iterator<Item = Input<'a>>,
        context: &Context<'a>,
        policy: &Policy,
    ) -> Rollup<'a> {
        let groups = Groups::of(inputs, context.generation, self.names());
        let answer = self.answer(context.polarity, &groups.tally, groups.causes.into_iter());
        if groups.tally.members > 0 {
            return answer;
        }
        // Nothing at all may be declared bad, but never good.
        let standing = Polarity::NormalTrue.standing(policy.empty).max(Standing::Unknown);
        Rollup { status: context.polarity.status(standing), ..answer }
    }

    /// The answer for a tally and its causes, which come worst first; only as many are asked for as fit.
    pub(crate) fn answer<'a>(
        &self,
        polarity: Polarity,
        tally: &Tally,
        causes: impl Iterator<Item = Cause<'a>>,
    ) -> Rollup<'static> {
        let standing = tally.standing();
        let (reason, message) = if tally.members == 0 {
            let message = "nothing is expected and nothing has reported, so nothing vouches for this one";
            (Cow::Borrowed(empty::NOTHING_DECLARED), Cow::Borrowed(message))
        } else {
            (self.reasons.of(standing), Cow::Owned(wording::message(self, tally, causes)))
        };
        Rollup { status: polarity.status(standing), reason, message, observed: None }
    }
}

impl Default for Grouped {
    fn default() -> Self {
        Self::new()
    }
}

/// One cause of "not all is good", and whom it concerns.
///
/// Two inputs have the same cause if standing, type, reason and message are equal. A member that is bad is listed with
/// what is bad about it; what is also unknown about it is not a cause of its own until the bad is gone.
///
/// ```
/// use allready_core::fleet::FleetIndex;
///
/// let mut fleet = FleetIndex::default();
/// fleet.expect_only(["node-1", "node-2"]);
/// let cause = fleet.causes().next().unwrap();
/// assert_eq!((&*cause.message, cause.count, cause.names), ("has not reported yet", 2, vec!["node-1", "node-2"]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause<'a> {
    /// How bad it is; never good.
    pub standing: Standing,
    /// The type of the members' conditions; empty where the cause concerns members as a whole, or conditions of the
    /// object itself, which are named as members are.
    pub type_: &'a str,
    /// The reason; empty where none was given.
    pub reason: Cow<'a, str>,
    /// The message as it was reported.
    pub message: Cow<'a, str>,
    /// How many members it concerns.
    pub count: usize,
    /// The first of them, sorted.
    pub names: Vec<&'a str>,
}

/// What an input says when nobody asks who said it: the key of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said<'a> {
    pub(crate) standing: Standing,
    pub(crate) type_: &'a str,
    pub(crate) reason: Cow<'a, str>,
    pub(crate) message: Cow<'a, str>,
}

impl<'a> Said<'a> {
    /// Unlike [`Input::words`], these do not name the input: equal causes must read alike.
    pub(crate) fn by(input: &Input<'a>, generation: Generation) -> Self {
        let (reason, message) = match input.freshness {
            Freshness::Fresh => (input.reason.clone(), input.message.clone()),
            Freshness::Missing if input.type_.is_empty() => {
                (Cow::Borrowed(AWAITING_RECONCILIATION), Cow::Borrowed("has not reported yet"))
            }
            Freshness::Missing => {
                (Cow::Borrowed(AWAITING_RECONCILIATION), Cow::Borrowed("has not been reported yet"))
            }
            Freshness::Stale => (
                Cow::Borrowed(GENERATION_NOT_OBSERVED),
                Cow::Owned(format!(
                    "is about generation {}; the object is at generation {generation}",
                    input.observed.unwrap_or_default()
                )),
            ),
        };
        // A condition of the object itself is the one that is named, so its type is no part of the cause.
        let type_ = if input.member.is_some() { input.type_ } else { "" };
        Self { standing: input.standing(), type_, reason, message }
    }
}

/// How many members there are and how many causes: what stays right when text is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Everything that counts.
    pub(crate) members: usize,
    /// How many condition types the members have between them.
    pub(crate) types: usize,
    pub(crate) bad: Share,
    pub(crate) unknown: Share,
}

/// The part of a [`Tally`] that has one standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) members: usize,
    pub(crate) causes: usize,
    /// How often a member has a cause: the sizes of all groups together.
    pub(crate) places: usize,
}

impl Tally {
    /// The worst there is; unknown where nothing counts.
    pub(crate) fn standing(&self) -> Standing {
        match self {
            Self { bad: Share { members: 1.., .. }, .. } => Standing::Bad,
            Self { unknown: Share { members: 1.., .. }, .. } | Self { members: 0, .. } => Standing::Unknown,
            _ => Standing::Good,
        }
    }
}

/// All inputs, grouped from scratch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Groups<'a> {
    pub(crate) tally: Tally,
    /// Worst first, then the most frequent, then by type, reason and message.
    pub(crate) causes: Vec<Cause<'a>>,
}

/// What is counted and named: a member, or a condition of the object itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Subject<'a> {
    name: &'a str,
    /// The kind of a member.
    kind: Option<&'a str>,
}

impl<'a> Groups<'a> {
    pub(crate) fn of(inputs: impl Iterator<Item = Input<'a>>, generation: Generation, names: usize) -> Self {
        let mut types = BTreeSet::new();
        let mut subjects: BTreeMap<Subject<'a>, (Standing, Vec<Said<'a>>)> = BTreeMap::new();
        for input in inputs {
            let subject = Subject { name: input.name(), kind: input.member.map(|member| member.kind) };
            if input.member.is_some() && !input.type_.is_empty() {
                types.insert(input.type_);
            }
            let standing = input.standing();
            let (worst, causes) = subjects.entry(subject).or_insert((Standing::Good, Vec::new()));
            if standing > *worst {
                *worst = standing;
                causes.clear();
            }
            if standing == *worst && standing != Standing::Good {
                causes.push(Said::by(&input, generation));
            }
        }

        let mut tally = Tally { members: subjects.len(), types: types.len(), ..Tally::default() };
        let mut groups: BTreeMap<Said<'a>, BTreeSet<Subject<'a>>> = BTreeMap::new();
        for (subject, (worst, causes)) in subjects {
            match worst {
                Standing::Good => {}
                Standing::Unknown => tally.unknown.members += 1,
                Standing::Bad => tally.bad.members += 1,
            }
            for said in causes {
                groups.entry(said).or_default().insert(subject);
            }
        }

        let mut causes: Vec<Cause<'a>> = groups
            .into_iter()
            .map(|(Said { standing, type_, reason, message }, subjects)| {
                let share = if standing == Standing::Bad { &mut tally.bad } else { &mut tally.unknown };
                share.causes += 1;
                share.places += subjects.len();
                let names_of = subjects.iter().map(|subject| subject.name).take(names).collect();
                Cause { standing, type_, reason, message, count: subjects.len(), names: names_of }
            })
            .collect();
        // The map has put them in the order of their texts, and this sort is stable.
        causes.sort_by_key(|cause| (Reverse(cause.standing), Reverse(cause.count)));
        Self { tally, causes }
    }
}
