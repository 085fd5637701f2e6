//! The status that the object should have.

use std::{borrow::Cow, collections::BTreeMap};

use allready_core::{
    Condition, Generation, Polarity, Standing, Status, Time,
    condition::{cut, find},
    rollup::{Context, Rollup},
};
use allready_kube::kinds::Placement;
use serde_json::{Map, Value};

use super::{
    super::{AGGREGATED, Address, HubFacts, name, rows},
    Share, Subject,
    aggregated::{self, Left},
    body::{self, Body},
    judge::{GONE, UNREACHABLE},
    tally::{MESSAGE, Tally},
};

/// The status that the object should have.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status that we own, to be applied; an empty object where nothing of ours should stand.
    pub status: Value,
    /// The worst of its planned conditions, with polarity taken into account: True good, False bad. Where none is planned, whether
    /// the rows are complete.
    pub worst: Status,
    /// The same of what stands.
    pub standing: Option<Status>,
    /// True if what stands differs.
    pub differs: bool,
    /// True if each cluster needs a report of its own, because something was left out here.
    pub is_short: bool,
}

/// The most bytes about what of a spec, or of an annotation, cannot be acted on.
pub(super) const GAPS: usize = 2048;

pub(super) fn of(subject: &Subject, now: Time) -> Answer {
    let nothing = Answer {
        status: Value::Object(Map::new()),
        worst: Status::Unknown,
        standing: None,
        differs: false,
        is_short: false,
    };
    let Some(facts) = &subject.facts else { return nothing };
    if subject.is_released {
        let addresses = facts.foreign_addresses.is_none().then(Vec::new);
        let body = Body { addresses, ..Body::default() };
        return Answer { differs: body.differs(facts), ..nothing };
    }
    let plan = &subject.plan;
    let mut left = Left::default();
    let planned: Vec<Condition> =
        (0..plan.conditions.len()).map(|index| planned(subject, index, facts, now)).collect();
    let polarities = plan.conditions.iter().map(|planned| planned.polarity);
    let standings =
        planned.iter().zip(polarities).map(|(condition, polarity)| polarity.standing(condition.status));
    let worst = standings.max();
    if let Some(rival) = &subject.rival {
        left.rival(rival);
    }
    let addresses = addresses(subject, facts, &mut left);
    let listeners = listeners(subject, facts, &mut left);
    let room = subject.limits.conditions.saturating_sub(others(subject, facts));
    let kept = room.saturating_sub(1).min(planned.len());
    left.conditions(&planned[kept..], subject.limits.conditions);
    let aggregated = aggregated::condition(subject, facts, &left, now);
    let is_abridged = planned.iter().chain([&aggregated]).any(|one| is_abridged(one.message.as_str()));
    let is_short = is_abridged || left.is_any() || subject.tally.rows.counts().bad > 0;
    let worst = worst.unwrap_or_else(|| Polarity::NormalTrue.standing(aggregated.status));

    let mut conditions = planned;
    conditions.truncate(kept);
    conditions.extend((room > 0).then_some(aggregated));
    if !subject.limits.has_generations {
        for condition in &mut conditions {
            condition.observed_generation = None;
        }
    }
    let body = Body { conditions, addresses, listeners, fields: numbers(subject, facts) };
    Answer {
        status: body.status(plan),
        worst: Polarity::NormalTrue.status(worst),
        standing: standing(subject, facts),
        differs: body.differs(facts),
        is_short,
    }
}

/// The planned numbers. While an expected cluster has not been heard at all, those that stand are better than a part of them.
fn numbers(subject: &Subject, facts: &HubFacts) -> Vec<i64> {
    let is_unheard = |share: &Share| !share.is_known;
    let is_short = !subject.plan.fields.is_empty()
        && subject.shares.iter().any(|(cluster, share)| is_unheard(share) && subject.is_expected(cluster));
    let numbers = subject.tally.fields.values().enumerate();
    let stands = |index: usize| facts.fields.get(index).copied().flatten().filter(|_| is_short);
    numbers.map(|(index, number)| stands(index).unwrap_or(number)).collect()
}

/// Counts the conditions that are somebody else's.
fn others(subject: &Subject, facts: &HubFacts) -> usize {
    let is_ours = |type_: &str| {
        type_ == AGGREGATED
            || subject.plan.conditions.iter().any(|planned| planned.type_ == *type_)
            || facts.ours.iter().any(|ours| **ours == *type_)
    };
    facts.conditions.iter().filter(|condition| !is_ours(condition.type_.as_str())).count()
}

/// The worst of the planned conditions as they stand.
fn standing(subject: &Subject, facts: &HubFacts) -> Option<Status> {
    let stands = |type_: &str, polarity: Polarity| {
        find(&facts.conditions, type_).map(|condition| polarity.standing(condition.status))
    };
    let planned = subject.plan.conditions.iter();
    let worst = if subject.plan.conditions.is_empty() {
        stands(AGGREGATED, Polarity::NormalTrue)
    } else {
        planned.filter_map(|planned| stands(planned.type_.as_str(), planned.polarity)).max()
    };
    worst.map(|worst| Polarity::NormalTrue.status(worst))
}

/// The planned condition of this index.
fn planned(subject: &Subject, index: usize, facts: &HubFacts, now: Time) -> Condition {
    let planned = &subject.plan.conditions[index];
    let roster = &subject.tally.conditions[index];
    let previous = find(&facts.conditions, planned.type_.as_str());
    let status = |standing| planned.polarity.status(standing);
    let mut rollup = if let Some(why) = &planned.broken {
        answer(status(Standing::Bad), "ExpressionInvalid", cut(why, MESSAGE))
    } else if roster.is_empty() {
        answer(Status::Unknown, "InstancesUnknown", nobody(subject.plan.placement).into())
    } else {
        let context = Context { polarity: planned.polarity, ..Context::new(planned.type_.as_str(), now) };
        roster.roll_up(&context)
    };
    match planned.polarity.standing(rollup.status) {
        Standing::Good => {
            let count = roster.len();
            let status = rollup.status;
            rollup.message = format!("{} is {status} on {count} of {count} instances", planned.type_).into();
        }
        Standing::Unknown => {
            if let Some(reason) = silence(subject, roster.counts().unknown) {
                rollup.reason = reason.into();
            }
        }
        Standing::Bad => {}
    }
    never_good(&mut rollup, planned.polarity, &subject.plan.problems, "SpecInvalid");
    never_good(&mut rollup, planned.polarity, misplaced(subject, facts), "InstancesUnknown");
    rollup.observed = match subject.tally.seen(index) {
        Some(seen) => Some(seen.min(facts.generation)),
        // Somebody does not know which generation it has seen: nothing is known to have advanced.
        None => unadvanced(previous, facts),
    };
    rollup.into_condition(planned.type_.clone(), previous, now)
}

/// The generation that a condition was about before, where the object can have had it.
pub(super) fn unadvanced(previous: Option<&Condition>, facts: &HubFacts) -> Option<Generation> {
    previous
        .and_then(|previous| previous.observed_generation)
        .filter(|observed| *observed <= facts.generation)
}

fn answer(status: Status, reason: &'static str, message: Cow<'_, str>) -> Rollup<'static> {
    Rollup { status, reason: reason.into(), message: message.into_owned().into(), observed: None }
}

/// The reason where all that are unknown are so because their cluster does not answer, or has left the inventory.
pub(super) fn silence(subject: &Subject, unknown: usize) -> Option<&'static str> {
    let Tally { unreachable, gone, .. } = subject.tally;
    (unknown > 0 && unknown == unreachable + gone).then_some(if unreachable > 0 { UNREACHABLE } else { GONE })
}

/// The part of the hub object's placement that cannot be understood, where it is asked for.
pub(super) fn misplaced<'a>(subject: &Subject, facts: &'a HubFacts) -> &'a [String] {
    match subject.plan.placement {
        Placement::Annotated | Placement::Decided => &facts.misplaced,
        Placement::Everywhere | Placement::Found => &[],
    }
}

/// The answer where no instance is expected.
pub(super) fn nobody(placement: Placement) -> &'static str {
    match placement {
        Placement::Everywhere => "no cluster is chosen, so nothing vouches for this object",
        Placement::Annotated => {
            "no cluster is named by the annotation allready.dev/clusters, so nothing vouches for this object"
        }
        Placement::Decided => {
            "no cluster is decided on for its label cluster.open-cluster-management.io/placement, so nothing vouches for this object"
        }
        Placement::Found => "no chosen cluster has such an object, so nothing vouches for it",
    }
}

/// Adds what cannot be acted on, which makes nothing worse than unknown, and nothing better.
fn never_good(rollup: &mut Rollup<'_>, polarity: Polarity, gaps: &[String], reason: &'static str) {
    if gaps.is_empty() {
        return;
    }
    let gaps = cut(&gaps.join("; "), GAPS).into_owned();
    let told = match polarity.standing(rollup.status) {
        Standing::Good => {
            rollup.status = Status::Unknown;
            rollup.reason = reason.into();
            gaps
        }
        Standing::Unknown => format!("{gaps}; {}", rollup.message),
        Standing::Bad => format!("{}; {gaps}", rollup.message),
    };
    rollup.message = cut(&told, MESSAGE).into_owned().into();
}

/// The address rows; none where somebody else writes them.
fn addresses(subject: &Subject, facts: &HubFacts, left: &mut Left) -> Option<Vec<Address>> {
    let native = facts.addresses.iter().find(|address| !name::is_row(address));
    if facts.foreign_addresses.is_some() || native.is_some() {
        if subject.plan.addresses {
            left.foreign_addresses(facts.foreign_addresses.as_deref(), native);
        }
        return None;
    }
    let room = subject.limits.addresses;
    let fitted = subject.tally.addresses.fit(room, |cluster| {
        let instance = subject.shares.get(cluster).and_then(|share| share.last.as_ref());
        instance.into_iter().flat_map(|instance| rows::addresses(cluster, instance, &subject.limits))
    });
    left.rows(fitted.told("addresses", room, |row| &row.value));
    Some(fitted.rows)
}

/// The listener rows. Those of other writers stay beside them, and take their room.
fn listeners(subject: &Subject, facts: &HubFacts, left: &mut Left) -> Vec<rows::ListenerRow> {
    let foreign: BTreeMap<&str, &str> =
        facts.foreign_listeners.iter().map(|(name, writer)| (&**name, &**writer)).collect();
    let unowned = facts.listeners.iter().filter(|(name, _)| !foreign.contains_key(&**name));
    let unowned = unowned.filter(|(name, _)| !body::is_ours(facts, name)).count();
    let room = subject.limits.listeners.saturating_sub(foreign.len() + unowned);
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    let fitted = subject.tally.listeners.fit(room, |cluster| {
        let instance = subject.shares.get(cluster).and_then(|share| share.last.as_ref());
        instance.into_iter().flat_map(|instance| rows::listeners(cluster, instance, &subject.limits))
    });
    left.rows(fitted.told("listeners", room, |(name, _)| name));
    let mut rows = fitted.rows;
    rows.retain(|(name, _)| match foreign.get_key_value(name.as_str()) {
        Some((name, writer)) => {
            taken.insert(name, writer);
            false
        }
        None => true,
    });
    left.foreign_listeners(&taken);
    rows
}

/// Returns true if a message does not tell everybody.
fn is_abridged(message: &str) -> bool {
    let last = message.rsplit_once("; and ").and_then(|(_, last)| last.strip_suffix(" more"));
    last.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}
