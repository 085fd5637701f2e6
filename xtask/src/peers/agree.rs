//! Agreement with a peer, and the choices that explain where we differ.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use allready_peers::serve::Question;
use allready_peers::wire::{Answer, Case, Said};
use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::Peer;
use super::choices::{self, Choice};
use super::generate;
use super::program::Program;
use super::report::Agreed;
use super::shrink::shrink;
use crate::printer;

/// A field in which two answers can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Field {
    /// The presence of an answer, and its conditions.
    Presence,
    Status,
    Reason,
    Message,
    Generation,
    Time,
    /// The call's word on whether it changed something.
    Changed,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Presence => "presence",
            Self::Status => "status",
            Self::Reason => "reason",
            Self::Message => "message",
            Self::Generation => "generation",
            Self::Time => "time",
            Self::Changed => "changed",
        })
    }
}

/// Returns true if two conditions of one type differ in a field.
type Differ = fn(&Said, &Said) -> bool;

/// Both answers to one case.
pub(super) struct Both {
    pub(super) ours: Answer,
    pub(super) theirs: Answer,
}

impl Both {
    /// Returns true if the peer's only condition is like that.
    pub(super) fn top(&self, is: impl FnOnce(&Said) -> bool) -> bool {
        matches!(self.theirs.said(), [said] if is(said))
    }

    /// The fields in which the answers differ: those that every peer defines, and these.
    pub(super) fn differences(&self, defined: &[Field]) -> Vec<Field> {
        let mut found = Vec::new();
        let types = |answer: &Answer| {
            let mut types: Vec<String> = answer.said().iter().map(|said| said.type_.clone()).collect();
            types.sort_unstable();
            (answer.error.is_empty(), types)
        };
        if types(&self.ours) != types(&self.theirs) {
            found.push(Field::Presence);
        }
        let any = |differ: Differ| {
            self.ours.said().iter().any(|ours| {
                let theirs = self.theirs.said().iter().find(|theirs| theirs.type_ == ours.type_);
                theirs.is_some_and(|theirs| differ(ours, theirs))
            })
        };
        let compared: [(Field, Differ); 5] = [
            (Field::Status, |a, b| a.status != b.status),
            (Field::Reason, |a, b| a.reason != b.reason),
            (Field::Message, |a, b| a.message != b.message),
            (Field::Generation, |a, b| a.generation != b.generation),
            (Field::Time, |a, b| a.time != b.time),
        ];
        for (field, differ) in compared {
            if (field == Field::Status || defined.contains(&field)) && any(differ) {
                found.push(field);
            }
        }
        if defined.contains(&Field::Changed) && self.ours.changed != self.theirs.changed {
            found.push(Field::Changed);
        }
        found
    }
}

/// Asks both.
fn both(peer: &Peer, program: &mut Program, case: &Case) -> Result<Both> {
    let question = Question { peer: peer.name.to_owned(), case: case.clone(), ..Question::default() };
    let mut theirs: Answer = program.ask(&question)?;
    if peer.name == "kstatus" && !theirs.error.is_empty() {
        // An error is a status here.
        let said = Said {
            type_: "kstatus".to_owned(),
            status: "Unknown".to_owned(),
            reason: "Error".to_owned(),
            ..Said::default()
        };
        theirs = Answer { conditions: Some(vec![said]), ..Answer::default() };
    }
    Ok(Both { ours: allready_peers::answer(peer.name, case), theirs })
}

/// A difference that nothing explains.
struct Unexplained {
    index: u64,
    field: Field,
    case: Case,
    both: Both,
}

/// The outcome for one peer.
pub(super) struct Agreement {
    peer: &'static str,
    call: &'static str,
    cases: u64,
    same: u64,
    /// The number of differences that each choice explains, by its place in the list.
    explained: BTreeMap<usize, u64>,
    unexplained: Vec<Unexplained>,
    unused: Vec<&'static Choice>,
}

/// The number of unexplained differences that are shown before a run ends.
const SHOWN: usize = 4;

pub(super) fn run(peer: &Peer, path: &Path, seed: u64, cases: u64) -> Result<Agreement> {
    let mut program = Program::start(path, &[])?;
    let mut agreement = Agreement {
        peer: peer.name,
        call: peer.call,
        cases,
        same: 0,
        explained: BTreeMap::new(),
        unexplained: Vec::new(),
        unused: Vec::new(),
    };
    for index in 0..cases {
        let case = generate::case(peer.name, seed, index);
        let answers = both(peer, &mut program, &case)?;
        let found = answers.differences(peer.fields);
        agreement.same += u64::from(found.is_empty());
        for field in found {
            // Each field for itself: one case can differ for several reasons. No step may bring in another explanation, or every
            // difference would end as the one that is smallest.
            let possible = choices::explaining(peer.name, field, &case, &answers);
            let small = shrink(peer.name, case.clone(), |smaller| {
                let answers = both(peer, &mut program, smaller)?;
                let explaining = choices::explaining(peer.name, field, smaller, &answers);
                Ok(answers.differences(peer.fields).contains(&field)
                    && explaining.iter().all(|choice| possible.contains(choice)))
            })?;
            let answers = both(peer, &mut program, &small)?;
            match choices::explaining(peer.name, field, &small, &answers).first() {
                Some(choice) => *agreement.explained.entry(*choice).or_default() += 1,
                None => agreement.unexplained.push(Unexplained { index, field, case: small, both: answers }),
            }
        }
        if agreement.unexplained.len() >= SHOWN {
            break;
        }
    }
    agreement.unused = choices::all()
        .iter()
        .enumerate()
        .filter(|(place, choice)| choice.peer == peer.name && !agreement.explained.contains_key(place))
        .map(|(_, choice)| choice)
        .collect();
    Ok(agreement)
}

impl Agreement {
    pub(super) fn holds(&self) -> bool {
        self.unexplained.is_empty() && self.unused.is_empty()
    }

    pub(super) fn print(&self) {
        printer::line(format!("{:<22} {} of {} the same", self.peer, self.same, self.cases));
        for (place, count) in &self.explained {
            let choice = &choices::all()[*place]; // the place is one of this list
            printer::line(format!("    {count:>5}  {}: {}", choice.fields(), choice.why));
        }
        for found in &self.unexplained {
            printer::line(format!(
                "  case {}: {} differs, and no choice explains it",
                found.index, found.field
            ));
            printer::line(format!("    case   {}", json(&found.case)));
            printer::line(format!("    ours   {}", json(&found.both.ours)));
            printer::line(format!("    theirs {}", json(&found.both.theirs)));
        }
        for choice in &self.unused {
            printer::line(format!(
                "  nothing differs by the choice {}: take it out of choices.yaml",
                choice.when
            ));
        }
    }

    pub(super) fn row(&self) -> Agreed {
        Agreed {
            peer: self.peer,
            call: self.call,
            cases: self.cases,
            same: self.same,
            choices: self.explained.len(),
            not_served: None,
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
