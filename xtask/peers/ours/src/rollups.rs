//! Roll-ups of conditions that are there, by the policy of the peer's name.

use std::collections::{HashMap, HashSet};

use allready_core::rollup::{Bullets, Context, FirstIssue, Form, Input, Missing, Policy, StepCounter, Union};
use allready_core::{Condition, ConditionType, Generation, Polarity, Time, condition};

use crate::Subject;
use crate::wire::{Answer, Case, NOW, conditions, generation, time};

/// The source of the inputs.
enum Scope {
    /// The conditions of these types, each with its polarity; what is not there is missing.
    Declared(HashMap<String, Polarity>),
    /// Every condition, those of these types abnormal-true.
    All(HashSet<String>),
    /// Every condition whose type ends with that of the top.
    Suffix,
    /// One condition of many members.
    Members(Vec<(String, String, Vec<Condition>)>),
}

pub(crate) struct RolledUp {
    scope: Scope,
    policy: Policy,
    list: Vec<Condition>,
    target: ConditionType,
    polarity: Polarity,
    generation: Generation,
    now: Time,
    /// Set if the top condition is stored among the others, as Flux has it.
    is_stored: bool,
    top: Option<Condition>,
}

fn polarity(is_negative: bool) -> Polarity {
    if is_negative { Polarity::AbnormalTrue } else { Polarity::NormalTrue }
}

fn types(of: &[String]) -> Result<Vec<ConditionType>, String> {
    of.iter().map(|type_| ConditionType::new(type_.clone()).map_err(|error| error.to_string())).collect()
}

impl RolledUp {
    pub(crate) fn new(peer: &str, case: &Case) -> Result<Self, String> {
        let declared = || {
            let polarity = |type_: &String| (type_.clone(), polarity(case.negative.contains(type_)));
            case.dependents.iter().map(polarity).collect()
        };
        let (scope, policy) = match peer {
            "flux" => {
                let counter = if case.step_counter { StepCounter::On } else { StepCounter::Off };
                let (requested, latest_generation) = (types(&case.dependents)?, case.latest_only);
                let form = Form::FirstIssue(FirstIssue { requested, latest_generation, counter });
                (Scope::All(case.negative.iter().cloned().collect()), Policy::from(form))
            }
            "library-go" => (Scope::Suffix, peer.parse().map_err(|error| format!("{error}"))?),
            "cluster-api" => {
                let form = Form::Bullets(Bullets { order: types(&case.dependents)?, ..Bullets::new() });
                let policy = Policy::from(form).with_missing(Missing::IgnoredOf(types(&case.optional)?));
                (Scope::Declared(declared()), policy)
            }
            _ => {
                let member = |member: &crate::wire::Member| -> Result<_, String> {
                    Ok((member.kind.clone(), member.name.clone(), conditions(&member.conditions)?))
                };
                let members = case.members.iter().map(member).collect::<Result<_, _>>()?;
                (Scope::Members(members), Policy::bullets())
            }
        };
        let target = ConditionType::new(case.target.clone()).map_err(|error| error.to_string())?;
        Ok(Self {
            scope,
            policy,
            list: conditions(&case.conditions)?,
            polarity: polarity(peer != "cluster-api" && case.negative.contains(&case.target)),
            target,
            generation: generation(case.generation)?,
            now: time(NOW)?,
            is_stored: peer == "flux",
            top: None,
        })
    }

    fn roll_up(&self) -> Option<Condition> {
        let top = self.target.as_str();
        let previous = if self.is_stored { condition::find(&self.list, top) } else { None };
        let context = Context {
            polarity: self.polarity,
            previous,
            ..Context::new(top, self.now).at_generation(self.generation)
        };
        let rollup = match &self.scope {
            Scope::Declared(types) => {
                let there: HashSet<&str> =
                    self.list.iter().map(|condition| condition.type_.as_str()).collect();
                let missing = types.iter().filter(|(type_, _)| !there.contains(type_.as_str()));
                let found = self.list.iter().filter_map(|condition| {
                    let polarity = types.get(condition.type_.as_str())?;
                    Some(Input::from(condition).with_polarity(*polarity))
                });
                let missing = missing.map(|(type_, polarity)| Input::missing(type_, *polarity));
                self.policy.roll_up(found.chain(missing), &context)
            }
            Scope::All(negative) => {
                let input = |condition| {
                    let input = Input::from(condition);
                    let is_negative = negative.contains(input.type_);
                    input.with_polarity(polarity(is_negative))
                };
                self.policy.roll_up(self.list.iter().map(input), &context)
            }
            Scope::Suffix => self.policy.roll_up(Union::matching(&self.list, &context), &context),
            Scope::Members(members) => {
                let inputs = members.iter().map(|(kind, name, conditions)| {
                    condition::find(conditions, top)
                        .map_or_else(|| Input::missing(top, self.polarity), Input::from)
                        .with_polarity(self.polarity)
                        .from_member(kind, name)
                });
                self.policy.roll_up(inputs, &context)
            }
        };
        rollup.map(|rollup| rollup.into_condition(self.target.clone(), previous, self.now))
    }
}

impl Subject for RolledUp {
    fn call(&mut self) {
        let top = self.roll_up();
        match top {
            Some(top) if self.is_stored => {
                condition::set(&mut self.list, top);
            }
            top => self.top = top,
        }
    }

    fn answer(&self) -> Answer {
        let stored = condition::find(&self.list, self.target.as_str()).filter(|_| self.is_stored);
        self.top.as_ref().or(stored).into_iter().collect()
    }
}
