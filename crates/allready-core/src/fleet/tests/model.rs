//! The same fleet without any cleverness: plain maps, and everything computed from scratch.

use std::collections::BTreeMap;

use super::*;
use crate::rollup::{Form, Policy, grouped::Groups};

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Apply(&'static str, Vec<Condition>),
    Remove(&'static str),
    Expect(&'static str),
    ExpectTypes(&'static str, Vec<ConditionType>),
    ExpectOnly(Vec<&'static str>),
    Unexpect(&'static str),
    Silence(&'static str, &'static str),
    Unsilence(&'static str),
    Generation(u32),
}

pub(super) fn apply(fleet: &mut FleetIndex, operation: &Operation) -> bool {
    match operation.clone() {
        Operation::Apply(member, report) => fleet.apply(member, &report),
        Operation::Remove(member) => fleet.remove(member),
        Operation::Expect(member) => fleet.expect(member),
        Operation::ExpectTypes(member, types) => fleet.expect_types(member, types),
        Operation::ExpectOnly(members) => fleet.expect_only(members),
        Operation::Unexpect(member) => fleet.unexpect(member),
        Operation::Silence(member, message) => fleet.silence(member, reason!("HeartbeatLost"), message),
        Operation::Unsilence(member) => fleet.unsilence(member),
        Operation::Generation(generation) => fleet.set_generation(Generation::from(generation)),
    }
}

#[derive(Default)]
pub(super) struct Model {
    pub(super) options: FleetOptions,
    reports: BTreeMap<&'static str, Vec<Condition>>,
    expected: BTreeMap<&'static str, Option<Vec<ConditionType>>>,
    silences: BTreeMap<&'static str, &'static str>,
    generation: Generation,
}

impl Model {
    pub(super) fn new(options: FleetOptions) -> Self {
        Self { options, ..Self::default() }
    }

    pub(super) fn apply(&mut self, operation: &Operation) {
        match operation.clone() {
            Operation::Apply(member, report) => drop(self.reports.insert(member, report)),
            Operation::Remove(member) => drop(self.reports.remove(member)),
            Operation::Expect(member) => drop(self.expected.insert(member, None)),
            Operation::ExpectTypes(member, types) => drop(self.expected.insert(member, Some(types))),
            Operation::ExpectOnly(members) => {
                self.expected.retain(|member, _| members.contains(member));
                for member in members {
                    self.expected.entry(member).or_default();
                }
            }
            Operation::Unexpect(member) => drop(self.expected.remove(member)),
            Operation::Silence(member, message) => drop(self.silences.insert(member, message)),
            Operation::Unsilence(member) => drop(self.silences.remove(member)),
            Operation::Generation(generation) => self.generation = Generation::from(generation),
        }
    }

    fn members(&self) -> BTreeSet<&'static str> {
        let unexpected = self.reports.keys().filter(|_| self.options.unexpected == Unexpected::Counted);
        self.expected.keys().chain(unexpected).copied().collect()
    }

    fn polarity(&self, type_: &ConditionType) -> Polarity {
        self.options.polarities.get(type_.as_str()).copied().unwrap_or_default()
    }

    fn inputs_of(&self, member: &'static str) -> Vec<Input<'_>> {
        let report = self.reports.get(member).map_or(&[][..], Vec::as_slice);
        let inputs = if let Some(message) = self.silences.get(member) {
            let reason = "HeartbeatLost".into();
            let freshness = crate::rollup::Freshness::Fresh;
            let missing = Input::missing("", Polarity::NormalTrue);
            vec![Input { reason, message: (*message).into(), freshness, ..missing }]
        } else if report.is_empty() {
            vec![Input::missing("", Polarity::NormalTrue)]
        } else {
            let reported = report
                .iter()
                .map(|condition| Input::from(condition).with_polarity(self.polarity(&condition.type_)));
            let types = self.expected.get(member).and_then(Option::as_ref).unwrap_or(&self.options.types);
            let lacking =
                types.iter().filter(|type_| report.iter().all(|condition| condition.type_ != **type_));
            reported
                .chain(lacking.map(|type_| Input::missing(type_.as_str(), self.polarity(type_))))
                .collect()
        };
        inputs.into_iter().map(|input| input.from_member("", member)).collect()
    }

    fn inputs(&self) -> impl Iterator<Item = Input<'_>> {
        self.members().into_iter().flat_map(|member| self.inputs_of(member))
    }

    pub(super) fn roll_up<'a>(&'a self, context: &Context<'a>) -> Rollup<'a> {
        let policy = Policy { form: Form::Grouped(self.options.wording.clone()), ..Policy::grouped() };
        policy.roll_up(self.inputs(), &context.clone().at_generation(self.generation)).unwrap()
    }

    pub(super) fn causes(&self) -> Vec<Cause<'_>> {
        let inputs = self.inputs().map(|input| input.against(self.generation));
        Groups::of(inputs, self.generation, self.options.wording.names()).causes
    }

    /// The counted members and the worst standing of each.
    pub(super) fn standings(&self) -> BTreeMap<&'static str, Standing> {
        let worst = |member| {
            let inputs = self.inputs_of(member).into_iter();
            inputs.map(|input| input.against(self.generation).standing()).max().unwrap()
        };
        self.members().into_iter().map(|member| (member, worst(member))).collect()
    }

    pub(super) fn counts(&self) -> Counts {
        let standings = self.standings();
        let members = || standings.keys();
        let reports = |member: &&&str| self.reports.get(**member).is_some_and(|report| !report.is_empty());
        let of = |wanted| standings.values().filter(|standing| **standing == wanted).count();
        Counts {
            expected: self.expected.len(),
            reporting: members().filter(reports).count(),
            missing: members().filter(|member| !reports(member)).count(),
            silent: members().filter(reports).filter(|member| self.silences.contains_key(*member)).count(),
            good: of(Standing::Good),
            unknown: of(Standing::Unknown),
            bad: of(Standing::Bad),
        }
    }
}
