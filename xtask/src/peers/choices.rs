//! The documented choices: where we differ from a peer on purpose, and how such a case is known.

use std::sync::OnceLock;

use allready_peers::wire::{Case, Said};
use anyhow::Result;
use serde::Deserialize;

use super::agree::{Both, Field};
use super::generate::TRIGGER;

const FILE: &str = include_str!("../../peers/choices.yaml");

/// One choice.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    pub(super) peer: String,
    /// The fields that may differ.
    fields: Vec<Field>,
    /// The predicate that has to hold of the case.
    pub(super) when: String,
    /// The reason, in a line.
    pub(super) why: String,
    /// Words of `crates/allready-core/src/rollup/choices.md` that tell users of it.
    #[cfg_attr(not(test), expect(dead_code, reason = "held against the document by a test"))]
    doc: String,
}

impl Choice {
    pub(super) fn fields(&self) -> String {
        self.fields.iter().map(Field::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Every choice, in the order of the file.
pub(super) fn all() -> &'static [Choice] {
    static CHOICES: OnceLock<Vec<Choice>> = OnceLock::new();
    CHOICES.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<Vec<Choice>> {
    Ok(serde_saphyr::from_str(FILE)?)
}

/// The places of the choices that explain a difference in this field.
pub(super) fn explaining(peer: &str, field: Field, case: &Case, both: &Both) -> Vec<usize> {
    let explains = |choice: &Choice| {
        choice.peer == peer
            && choice.fields.contains(&field)
            && predicate(&choice.when).is_some_and(|holds| holds(case, both))
    };
    all().iter().enumerate().filter(|(_, choice)| explains(choice)).map(|(place, _)| place).collect()
}

type Predicate = fn(&Case, &Both) -> bool;

fn predicate(name: &str) -> Option<Predicate> {
    PREDICATES.iter().find(|(known, _)| *known == name).map(|(_, holds)| *holds)
}

const PREDICATES: &[(&str, Predicate)] = &[
    ("good", |_, both| both.top(|said| said.status == "True")),
    ("missing", |case, _| missing(case)),
    ("untracked", |case, _| dependents(case).any(|said| said.generation == 0)),
    ("another generation", |case, _| dependents(case).any(|said| said.generation != case.generation)),
    ("placeholder", |case, _| missing(case) || problems(case).any(|said| said.reason == AWAITING)),
    ("foreign", |case, _| {
        case.conditions.iter().any(|said| said.type_ != case.target && !is_dependent(case, said))
    }),
    ("tie", |case, _| {
        let times: Vec<i64> =
            dependents(case).filter(|said| said.type_ != TRIGGER).map(|said| said.time).collect();
        times.iter().enumerate().any(|(index, time)| times[..index].contains(time))
    }),
    ("unreported", |case, _| missing(case) || has_no_top(case)),
    ("unknown of both polarities", |case, _| {
        let mut unknown = case.conditions.iter().filter(|said| said.status == "Unknown");
        let is_negative = |said: &Said| case.negative.contains(&said.type_);
        unknown.clone().any(is_negative) && unknown.any(|said| !is_negative(said))
    }),
    ("new top", |case, _| has_no_top(case)),
    ("same status", |case, both| {
        let top = case.conditions.iter().find(|said| said.type_ == case.target);
        top.is_some_and(|top| both.top(|said| said.status == top.status))
    }),
    ("empty scope", |case, both| {
        !both.theirs.error.is_empty()
            || case.conditions.iter().all(|said| !said.type_.ends_with(&case.target))
    }),
    ("hidden problem", |_, both| {
        both.ours.said().iter().any(|said| said.message.contains("not counted yet"))
    }),
    ("suspended", |case, _| case.object["spec"]["suspend"] == true),
    ("same lines", |_, both| {
        let lines = |said: &[Said]| {
            let mut lines: Vec<String> =
                said.iter().flat_map(|said| said.message.lines()).map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        lines(both.ours.said()) == lines(both.theirs.said())
    }),
    ("underscore", |_, both| {
        both.theirs.said().iter().any(|said| said.reason.split("::").any(|part| part.starts_with('_')))
    }),
    ("star", |case, _| messages(case).any(|message| message.lines().any(has_star_inside))),
    ("nothing said", |case, _| messages(case).any(str::is_empty)),
    ("late mark", |case, _| {
        let is_late = |mark: &Said| {
            let before = case.conditions.iter().chain(&case.marks).filter(|said| said.type_ == mark.type_);
            mark.generation > 0 && before.clone().any(|said| said.generation > mark.generation)
        };
        case.marks.iter().any(is_late)
    }),
];

const AWAITING: &str = "AwaitingReconciliation";

fn is_dependent(case: &Case, said: &Said) -> bool {
    case.dependents.contains(&said.type_)
}

fn dependents(case: &Case) -> impl Iterator<Item = &Said> {
    case.conditions.iter().filter(|said| is_dependent(case, said))
}

fn problems(case: &Case) -> impl Iterator<Item = &Said> {
    dependents(case).filter(|said| said.status != "True")
}

fn missing(case: &Case) -> bool {
    let is_there =
        |type_: &String| case.conditions.iter().chain(&case.marks).any(|said| said.type_ == *type_);
    !case.dependents.iter().all(is_there)
}

fn has_no_top(case: &Case) -> bool {
    case.conditions.iter().all(|said| said.type_ != case.target)
}

fn messages(case: &Case) -> impl Iterator<Item = &str> {
    let of_members = case.members.iter().flat_map(|member| &member.conditions);
    case.conditions.iter().chain(of_members).map(|said| said.message.as_str())
}

/// Returns true if a star stands in a line somewhere else than at its beginning.
fn has_star_inside(line: &str) -> bool {
    !line.trim_start().starts_with('*') && line.contains("* ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_names_a_peer_a_predicate_and_words_of_the_document() {
        let document = include_str!("../../../crates/allready-core/src/rollup/choices.md");
        let document = document.split_whitespace().collect::<Vec<_>>().join(" ");
        for choice in read().unwrap() {
            assert!(crate::peers::PEERS.iter().any(|peer| peer.name == choice.peer), "{choice:?}");
            assert!(predicate(&choice.when).is_some(), "{choice:?}");
            assert!(!choice.fields.is_empty() && !choice.why.is_empty(), "{choice:?}");
            assert!(
                choice.doc.len() > 20 && document.contains(&choice.doc),
                "not in choices.md: {}",
                choice.doc
            );
        }
    }
}
