//! What counts in a roll-up: one condition, or its absence, seen with its polarity and freshness.

use std::{borrow::Cow, cmp::Ordering};

use crate::{Condition, Generation, Polarity, Standing, Status, Time};

/// One thing that counts.
///
/// The fields hold what was reported; [`standing`](Input::standing) says what it is worth, with polarity and freshness
/// taken into account.
///
/// ```
/// use allready_core::{Condition, Polarity, Standing, Status, Time, condition_type, reason, rollup::Input};
///
/// let degraded = Condition::new(condition_type!("Degraded"), Status::True, reason!("DiskFull"), "sda", Time::EPOCH);
/// let input = Input::from(&degraded).with_polarity(Polarity::AbnormalTrue);
/// assert_eq!((input.status, input.standing()), (Status::True, Standing::Bad));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input<'a> {
    /// The member (an object, a cluster, a node) that reports it; none for a condition of the object itself.
    pub member: Option<Member<'a>>,
    /// The condition type.
    pub type_: &'a str,
    /// The polarity of that type.
    pub polarity: Polarity,
    /// The status as reported; `Unknown` where nothing was.
    pub status: Status,
    /// The reason as reported; empty where there is none.
    pub reason: Cow<'a, str>,
    /// The message as reported.
    pub message: Cow<'a, str>,
    /// Since when it has this status, where that is known.
    pub since: Option<Time>,
    /// The generation it is about, where that is known.
    pub observed: Option<Generation>,
    /// Whether it is there at all, and about the current generation.
    pub freshness: Freshness,
}

/// Who reports an input that comes from somewhere else.
///
/// ```
/// use allready_core::{Polarity, rollup::{Input, Member}};
///
/// let input = Input::missing("Ready", Polarity::NormalTrue).from_member("Cluster", "cluster-1");
/// assert_eq!(input.member, Some(Member { kind: "Cluster", name: "cluster-1" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member<'a> {
    /// What it is, in the singular: `Cluster`, `Node`, `Gateway`. May be empty.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// Whether an input can be taken at its word.
///
/// ```
/// use allready_core::{Condition, Generation, Time, condition_type, rollup::{Freshness, Input}};
///
/// let ready = Condition::unreported(condition_type!("Ready"), Time::EPOCH).observed(1);
/// assert_eq!(Input::from(&ready).freshness, Freshness::Fresh);
/// assert_eq!(Input::from(&ready).against(Generation::from(2)).freshness, Freshness::Stale);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// It is about the current generation, or generations do not matter.
    Fresh,
    /// It is about an older generation than the object has: worth no more than `Unknown`.
    Stale,
    /// It has never been reported: `Unknown`.
    Missing,
}

impl<'a> Input<'a> {
    /// A condition that was declared and is not there.
    ///
    /// ```
    /// use allready_core::{Polarity, Standing, rollup::Input};
    ///
    /// assert_eq!(Input::missing("Synced", Polarity::NormalTrue).standing(), Standing::Unknown);
    /// ```
    pub fn missing(type_: &'a str, polarity: Polarity) -> Self {
        Self {
            member: None,
            type_,
            polarity,
            status: Status::Unknown,
            reason: Cow::Borrowed(""),
            message: Cow::Borrowed(""),
            since: None,
            observed: None,
            freshness: Freshness::Missing,
        }
    }

    /// The same input, seen with this polarity.
    ///
    /// ```
    /// use allready_core::{Condition, Polarity, Standing, Status, Time, condition_type, reason, rollup::Input};
    ///
    /// let stalled = Condition::new(condition_type!("Stalled"), Status::False, reason!("Moving"), "", Time::EPOCH);
    /// assert_eq!(Input::from(&stalled).standing(), Standing::Bad, "taken for normal-true");
    /// assert_eq!(Input::from(&stalled).with_polarity(Polarity::AbnormalTrue).standing(), Standing::Good);
    /// ```
    pub fn with_polarity(mut self, polarity: Polarity) -> Self {
        self.polarity = polarity;
        self
    }

    /// The same input, as reported by a member.
    ///
    /// A member has generations of its own: translate what it has observed to the object that the roll-up is for, or
    /// leave it out, before the policy compares the two.
    ///
    /// ```
    /// use allready_core::{Polarity, rollup::Input};
    ///
    /// let input = Input::missing("Ready", Polarity::NormalTrue).from_member("Cluster", "cluster-1");
    /// assert_eq!(input.name(), "cluster-1");
    /// ```
    pub fn from_member(self, kind: &'a str, name: &'a str) -> Self {
        Self { member: Some(Member { kind, name }), ..self }
    }

    /// The same input, about this generation where it tracks none of its own: what the status as a whole is about. This is
    /// how `kubectl wait` reads an object.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Status, Time, condition_type, reason, rollup::Input};
    ///
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH);
    /// let status = Some(Generation::from(2));
    /// assert_eq!(Input::from(&synced).or_about(status).observed, status);
    /// let its_own = synced.observed(3);
    /// assert_eq!(Input::from(&its_own).or_about(status).observed, Some(Generation::from(3)));
    /// ```
    pub fn or_about(mut self, status: Option<Generation>) -> Self {
        self.observed = self.observed.filter(|own| !own.is_none()).or(status);
        self
    }

    /// The same input, stale if it is about an older generation than this.
    ///
    /// An input that tracks no generation is never stale.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Standing, Status, Time, condition_type, reason, rollup::Input};
    ///
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH);
    /// let second = Generation::from(2);
    /// assert_eq!(Input::from(&synced).against(second).standing(), Standing::Good, "it tracks none");
    /// assert_eq!(Input::from(&synced.observed(1)).against(second).standing(), Standing::Unknown);
    /// ```
    pub fn against(mut self, generation: Generation) -> Self {
        if self.is_behind(generation) {
            self.freshness = Freshness::Stale;
        }
        self
    }

    /// The generation it is about, where it tracks one.
    pub(crate) fn tracked(&self) -> Option<Generation> {
        self.observed.filter(|generation| !generation.is_none() && self.freshness != Freshness::Missing)
    }

    /// Whether it is about an older generation than this, or was said to be stale.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        match self.freshness {
            Freshness::Missing => false,
            Freshness::Stale => true,
            Freshness::Fresh => self.tracked().is_some_and(|observed| observed < generation),
        }
    }

    /// Returns true if it is about another generation than this, be it one that the object does not have yet, or was said to be stale.
    pub(crate) fn is_about_another(&self, generation: Generation) -> bool {
        self.is_behind(generation) || self.tracked().is_some_and(|observed| observed > generation)
    }

    /// The same input, taken at its word however old it is.
    pub(crate) fn at_its_word(mut self) -> Self {
        if self.freshness == Freshness::Stale {
            self.freshness = Freshness::Fresh;
        }
        self
    }

    /// What it is worth: stale and missing inputs are `Unknown`, whatever they say.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Standing, Status, Time, condition_type, reason, rollup::Input};
    ///
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH)
    ///     .observed(1);
    /// assert_eq!(Input::from(&synced).standing(), Standing::Good);
    /// assert_eq!(Input::from(&synced).against(Generation::from(2)).standing(), Standing::Unknown);
    /// ```
    pub fn standing(&self) -> Standing {
        match self.freshness {
            Freshness::Fresh => self.polarity.standing(self.status),
            Freshness::Stale | Freshness::Missing => Standing::Unknown,
        }
    }

    /// Returns true if nobody has said anything yet: it is not there, or it is what stands there until somebody does.
    pub(crate) fn is_placeholder(&self) -> bool {
        self.freshness == Freshness::Missing
            || self.status == Status::Unknown && self.reason == AWAITING_RECONCILIATION
    }

    /// Whether what was reported is bad, however old it is.
    pub(crate) fn is_bad_news(&self) -> bool {
        self.polarity.standing(self.status) == Standing::Bad
    }

    /// The name that a person knows it by: the member's, or the condition type.
    ///
    /// ```
    /// use allready_core::{Polarity, rollup::Input};
    ///
    /// let input = Input::missing("Ready", Polarity::NormalTrue);
    /// assert_eq!(input.name(), "Ready");
    /// assert_eq!(input.from_member("Node", "node-1").name(), "node-1");
    /// ```
    pub fn name(&self) -> &'a str {
        self.member.map_or(self.type_, |member| member.name)
    }

    /// Reason and message, with words for what is missing or stale.
    pub(crate) fn words(&self, generation: Generation) -> (Cow<'a, str>, Cow<'a, str>) {
        match self.shortcoming(generation) {
            // Found in the wild without a cause: at least say what it is.
            None if self.reason.is_empty() && self.message.is_empty() => (
                Cow::Owned(format!("{}_{}", self.type_, self.status)),
                Cow::Owned(format!("{} is {} without a reason", self.name(), self.status)),
            ),
            None => (self.reason.clone(), self.message.clone()),
            Some((reason, text)) => (Cow::Borrowed(reason), Cow::Owned(format!("{} {text}", self.name()))),
        }
    }

    /// Why it cannot be taken at its word, as a reason and as a text that follows its name; none for a fresh one.
    pub(crate) fn shortcoming(&self, generation: Generation) -> Option<(&'static str, Cow<'static, str>)> {
        match (self.freshness, self.observed) {
            (Freshness::Fresh, _) => None,
            (Freshness::Missing, _) => {
                Some((AWAITING_RECONCILIATION, Cow::Borrowed("has not been reported yet")))
            }
            (Freshness::Stale, Some(observed)) if observed < generation => Some((
                GENERATION_NOT_OBSERVED,
                Cow::Owned(format!(
                    "is about generation {observed}; the object is at generation {generation}"
                )),
            )),
            // Said to be stale by somebody who knows another generation than the context's.
            (Freshness::Stale, _) => {
                Some((GENERATION_NOT_OBSERVED, Cow::Borrowed("is about an older generation")))
            }
        }
    }

    /// An order in which only equal inputs are equal. It ends every other order, so that no answer depends on the order
    /// in which the inputs came.
    pub(crate) fn tie_break(&self, other: &Self) -> Ordering {
        let key = |input: &Self| (input.type_, input.member, input.since, input.observed);
        let rest = |input: &Self| (input.status, input.polarity, input.freshness);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.reason.cmp(&other.reason))
            .then_with(|| self.message.cmp(&other.message))
            .then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// The reason of a dependent that has not been reported.
pub(crate) const AWAITING_RECONCILIATION: &str = "AwaitingReconciliation";
/// The reason of a dependent that is about an older generation.
pub(crate) const GENERATION_NOT_OBSERVED: &str = "LatestGenerationNotObserved";

impl<'a> From<&'a Condition> for Input<'a> {
    /// A normal-true, fresh input.
    fn from(condition: &'a Condition) -> Self {
        Self {
            member: None,
            type_: condition.type_.as_str(),
            polarity: Polarity::NormalTrue,
            status: condition.status,
            reason: Cow::Borrowed(condition.reason.as_str()),
            message: Cow::Borrowed(condition.message.as_str()),
            since: Some(condition.last_transition_time),
            observed: condition.observed_generation,
            freshness: Freshness::Fresh,
        }
    }
}
