//! The worth of the share of one cluster, and the words in which it is told.

use std::borrow::Cow;

use allready_core::{
    Condition, Generation, Polarity, Reason, Standing, Status, Time,
    rollup::{Freshness, Input},
};

use super::{
    super::{Instance, PlannedCondition, Said},
    Doubt, Share,
};

/// Why the word of a cluster counts for nothing more than Unknown, whatever it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shortcoming {
    /// It is placed on a cluster that is not among the chosen ones.
    Stranger,
    /// It has not been heard yet.
    Pending,
    /// See [`Doubt::Unreachable`].
    Unreachable(String, Option<Time>),
    /// See [`Doubt::Unreadable`].
    Unreadable(String, Option<Time>),
    /// See [`Doubt::Gone`].
    Gone(String, Time),
    /// It has said that there is no such object.
    Absent,
    /// The object is being deleted there.
    Leaving,
    /// It was made from an older generation of the hub object.
    Behind(Generation, Generation),
}

impl Shortcoming {
    /// The trouble with a share, if there is any; given the generation of the hub object, and the one that this instance was
    /// made from where that is known.
    pub(super) fn of(share: Option<&Share>, seen: Option<Generation>, hub: Generation) -> Option<Self> {
        let Some(share) = share else { return Some(Self::Stranger) };
        match &share.doubt {
            Some(Doubt::Pending) => return Some(Self::Pending),
            Some(Doubt::Unreachable { since, why }) => {
                let when = since.map_or_else(|| "yet".to_owned(), |since| format!("since {since}"));
                let text = format!("{UNREACHABLE}: no word {when}: {why}");
                return Some(Self::Unreachable(text, *since));
            }
            Some(Doubt::Unreadable { since, why }) => {
                let when = since.map(|since| format!(" since {since}")).unwrap_or_default();
                return Some(Self::Unreadable(format!("cannot be read{when}: {why}"), *since));
            }
            Some(Doubt::Gone { since, until }) => {
                let text = format!("{GONE}: not in the inventory since {since}, waited for until {until}");
                return Some(Self::Gone(text, *since));
            }
            None if !share.is_known => return Some(Self::Pending),
            None => {}
        }
        let Some(instance) = &share.last else { return Some(Self::Absent) };
        if instance.is_leaving {
            return Some(Self::Leaving);
        }
        seen.filter(|seen| *seen < hub).map(|seen| Self::Behind(seen, hub))
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Stranger => "ClusterUnknown",
            Self::Pending => "ClusterPending",
            Self::Unreachable(..) => UNREACHABLE,
            Self::Unreadable(..) => "InstanceUnreadable",
            Self::Gone(..) => GONE,
            Self::Absent => "InstanceAbsent",
            Self::Leaving => "InstanceLeaving",
            Self::Behind(..) => "GenerationNotObserved",
        }
    }

    /// In words that follow the name of the cluster.
    pub(super) fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Stranger => "is not a cluster this hub knows".into(),
            Self::Pending => "has not been heard yet".into(),
            Self::Unreachable(words, _) | Self::Unreadable(words, _) | Self::Gone(words, _) => words.into(),
            Self::Absent => "has no object of this name".into(),
            Self::Leaving => "is being deleted".into(),
            Self::Behind(seen, hub) => {
                format!("is about generation {seen} of the hub object, which is at {hub}").into()
            }
        }
    }

    fn since(&self) -> Option<Time> {
        match self {
            Self::Unreachable(_, since) | Self::Unreadable(_, since) => *since,
            Self::Gone(_, since) => Some(*since),
            _ => None,
        }
    }
}

/// The reason where clusters do not answer.
pub(super) const UNREACHABLE: &str = "ClusterUnreachable";

/// The reason where clusters have left the inventory, and are waited for.
pub(in crate::hub) const GONE: &str = "ClusterGone";

/// The judgement of the share of one cluster for one planned condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict<'a> {
    pub(super) status: Status,
    pub(super) reason: Cow<'a, str>,
    pub(super) text: Cow<'a, str>,
    /// Since when it has this status, where that is known.
    pub(super) since: Option<Time>,
    /// True if the instance has said this of the spec that it has.
    pub(super) is_fresh: bool,
}

impl<'a> Verdict<'a> {
    /// Judges an instance for the planned condition of this index.
    pub(super) fn of(
        planned: &PlannedCondition,
        index: usize,
        instance: Option<&'a Instance>,
        shortcoming: Option<&'a Shortcoming>,
    ) -> Self {
        let said = instance.and_then(|instance| instance.conditions.get(index));
        if let Some(shortcoming) = shortcoming {
            let own = match said {
                Some(Said::Condition { condition, .. }) => Some(condition.last_transition_time),
                _ => None,
            };
            let since = shortcoming.since().or(own);
            return Self { since, ..Self::unknown(shortcoming.reason(), shortcoming.words()) };
        }
        match said {
            Some(Said::Condition { condition, is_behind: false }) => Self {
                status: condition.status,
                reason: condition.reason.as_str().into(),
                text: condition.message.as_str().into(),
                since: Some(condition.last_transition_time),
                is_fresh: true,
            },
            Some(Said::Condition { condition, is_behind: true }) => Self {
                since: Some(condition.last_transition_time),
                ..Self::unknown("GenerationNotObserved", behind(condition, instance).into())
            },
            Some(Said::Failed(why)) => {
                Self::unknown("ExpressionFailed", format!("{} cannot be told: {why}", planned.type_).into())
            }
            Some(Said::Nothing) | None => {
                Self::unknown("ConditionAbsent", format!("does not say {}", planned.type_).into())
            }
        }
    }

    fn unknown(reason: &'static str, text: Cow<'a, str>) -> Self {
        Self { status: Status::Unknown, reason: reason.into(), text, since: None, is_fresh: false }
    }

    /// As it counts in the roll-up.
    pub(super) fn input(self, planned: &'a PlannedCondition) -> Input<'a> {
        Input {
            status: self.status,
            reason: self.reason,
            message: self.text,
            freshness: Freshness::Fresh,
            ..Input::missing(planned.type_.as_str(), planned.polarity)
        }
    }

    /// As it stands in a report of its own.
    pub(super) fn condition(self, planned: &PlannedCondition) -> Condition {
        let since = self.since.unwrap_or(Time::EPOCH);
        let reason = Reason::sanitized(&self.reason);
        Condition::new(planned.type_.clone(), self.status, reason, self.text.into_owned(), since)
    }
}

fn behind(condition: &Condition, instance: Option<&Instance>) -> String {
    let generation = instance.map(|instance| instance.generation).unwrap_or_default();
    match condition.observed_generation.filter(|observed| !observed.is_none()) {
        Some(observed) => format!("is about generation {observed} of its object, which is at {generation}"),
        None => format!("is about an older generation of its object, which is at {generation}"),
    }
}

/// The condition that counts for the completeness of the rows.
pub(super) fn completeness(standing: Standing, text: Cow<'_, str>) -> Input<'_> {
    let polarity = Polarity::NormalTrue;
    Input {
        status: polarity.status(standing),
        message: text,
        freshness: Freshness::Fresh,
        ..Input::missing("", polarity)
    }
}
