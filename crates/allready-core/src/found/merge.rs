//! The way back to a legal list: one condition for each type.

use std::collections::HashMap;

use super::FoundCondition;
use crate::condition::{cut, excerpt};
use crate::{Condition, ConditionType, Generation, Message, Status, Time, reason};

/// How many bytes of a message are quoted when entries disagree.
const QUOTED_BYTES: usize = 1024;

/// What was found under one legal type.
struct Group<'f, 'a> {
    first: Condition,
    entries: Vec<(usize, &'f FoundCondition<'a>)>,
}

/// The conditions as a legal list, in the order in which the types first appear.
pub(super) fn to_conditions(found: &[FoundCondition<'_>], fallback: Time) -> Vec<Condition> {
    // Different types may have the same nearest legal one, so it is the legal ones that must be unique.
    let mut places: HashMap<ConditionType, usize> = HashMap::with_capacity(found.len());
    let mut groups: Vec<Group<'_, '_>> = Vec::with_capacity(found.len());
    for (index, condition) in found.iter().enumerate() {
        let legal = condition.to_condition(fallback);
        if let Some(group) = places.get(&legal.type_).and_then(|place| groups.get_mut(*place)) {
            group.entries.push((index, condition));
        } else {
            places.insert(legal.type_.clone(), groups.len());
            groups.push(Group { first: legal, entries: vec![(index, condition)] });
        }
    }
    groups.into_iter().map(merge).collect()
}

/// One condition for all entries of a group: no better than any of them, whatever the polarity.
fn merge(Group { first, entries }: Group<'_, '_>) -> Condition {
    let observed_generation = oldest_generation(&entries).or(first.observed_generation);
    let mut said: Vec<String> = Vec::new();
    for status in [Status::True, Status::False, Status::Unknown] {
        said.extend(entries.iter().find(|(_, condition)| condition.status == status).map(quote));
    }
    if said.len() < 2 {
        return Condition { observed_generation, ..first };
    }
    let said = said.join("; ");
    let message =
        format!("{} is listed {} times and the entries disagree: {said}", first.type_, entries.len());
    // They have disagreed since the last of them changed.
    let since = entries.iter().filter_map(|(_, condition)| condition.since).max();
    Condition {
        status: Status::Unknown,
        observed_generation,
        last_transition_time: since.unwrap_or(first.last_transition_time),
        reason: reason!("DuplicatesDisagree"),
        message: Message::new(message),
        errors: Box::default(),
        warnings: Box::default(),
        ..first
    }
}

/// The oldest generation among the entries that track one: as a stale entry would not count as good, neither may the
/// merged one.
fn oldest_generation(entries: &[(usize, &FoundCondition<'_>)]) -> Option<Generation> {
    entries
        .iter()
        .filter_map(|(_, condition)| condition.observed)
        .filter(|generation| !generation.is_none())
        .min()
}

fn quote((index, condition): &(usize, &FoundCondition<'_>)) -> String {
    let said = format!("entry {index} says {}", condition.status);
    let message = cut(&condition.message, QUOTED_BYTES);
    match (&*condition.reason, &*message) {
        ("", "") => said,
        (reason, "") => format!("{said} ({})", excerpt(reason)),
        ("", message) => format!("{said} ({message})"),
        (reason, message) => format!("{said} ({}: {message})", excerpt(reason)),
    }
}
