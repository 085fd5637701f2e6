//! A roster is what the policy says from scratch, after every change.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};

use super::*;
use crate::rollup::Strictness;

const MEMBERS: [&str; 6] = ["", "a", "b", "cluster-1", "cluster-10", "ü"];
const GENERATIONS: std::ops::Range<u32> = 0..4;

/// An input that owns its texts.
#[derive(Clone, Debug)]
struct Given {
    polarity: Polarity,
    status: Status,
    reason: String,
    message: String,
    since: Option<i64>,
    observed: Option<u32>,
    freshness: Freshness,
}

impl Given {
    fn input(&self) -> Input<'_> {
        Input {
            status: self.status,
            reason: Cow::Borrowed(&self.reason),
            message: Cow::Borrowed(&self.message),
            since: self.since.map(|second| Time::from_second(second).unwrap()),
            observed: self.observed.map(Generation::from),
            freshness: self.freshness,
            ..Input::missing("Ready", self.polarity)
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Set(&'static str, Given),
    Remove(&'static str),
    Generation(u32),
}

fn apply(roster: &mut Roster, change: &Change) -> bool {
    match change {
        Change::Set(member, given) => roster.set(member, given.input()),
        Change::Remove(member) => roster.remove(member),
        Change::Generation(generation) => roster.set_generation(Generation::from(*generation)),
    }
}

/// The same without any cleverness.
#[derive(Default)]
struct Model {
    members: BTreeMap<&'static str, Given>,
    generation: Generation,
}

impl Model {
    fn apply(&mut self, change: &Change) {
        match change.clone() {
            Change::Set(member, given) => drop(self.members.insert(member, given)),
            Change::Remove(member) => drop(self.members.remove(member)),
            Change::Generation(generation) => self.generation = Generation::from(generation),
        }
    }

    fn inputs(&self) -> impl Iterator<Item = Input<'_>> {
        self.members.iter().map(|(name, given)| given.input().from_member("Cluster", name))
    }

    fn roll_up<'a>(&'a self, form: &Semicolon, context: &Context<'a>) -> Rollup<'a> {
        let policy = Policy::from(Form::Semicolon(form.clone()));
        policy.roll_up(self.inputs(), &context.clone().at_generation(self.generation)).unwrap()
    }

    fn standings(&self) -> Vec<(&str, Standing)> {
        let inputs = self.inputs().map(|input| input.against(self.generation));
        inputs.map(|input| (input.name(), input.standing())).collect()
    }
}

fn text() -> impl Strategy<Value = String> {
    let odd = vec!["", "", "down", "a; b\r\nc", "; ", ";", " ", "ünpleasantly löng, if öne asks för it\n"];
    prop_oneof![
        8 => select(odd).prop_map(String::from),
        2 => any::<String>(),
        1 => (0..200_usize).prop_map(|count| "ü; ".repeat(count)),
    ]
}

prop_compose! {
    fn given()(
        polarity in select(vec![Polarity::NormalTrue, Polarity::AbnormalTrue]),
        status in select(vec![Status::True, Status::False, Status::Unknown]),
        reason in select(vec!["", "X", "Y"]).prop_map(String::from),
        message in text(),
        since in option::of(0..3_i64),
        observed in option::of(GENERATIONS),
        freshness in select(vec![Freshness::Fresh, Freshness::Fresh, Freshness::Fresh, Freshness::Stale, Freshness::Missing]),
    ) -> Given {
        Given { polarity, status, reason, message, since, observed, freshness }
    }
}

prop_compose! {
    fn form()(
        strictness in select(vec![Strictness::ThreeValued, Strictness::Strict]),
        tells in select(vec![Tells::Deciding, Tells::Everything]),
        limit in prop_oneof![Just(Message::MAX_BYTES), Just(usize::MAX), 0..300_usize],
        each in prop_oneof![Just(usize::MAX), 0..50_usize],
    ) -> Semicolon {
        Semicolon { strictness, tells, limit, each, ..Semicolon::new() }
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (select(&MEMBERS[..]), given()).prop_map(|(member, given)| Change::Set(member, given)),
        2 => select(&MEMBERS[..]).prop_map(Change::Remove),
        1 => GENERATIONS.prop_map(Change::Generation),
    ]
}

fn contexts() -> [Context<'static>; 2] {
    [Polarity::NormalTrue, Polarity::AbnormalTrue].map(|polarity| Context { polarity, ..context() })
}

/// Everything that can be read from a roster.
fn readings(roster: &Roster) -> String {
    let answers = contexts().map(|context| roster.roll_up(&context));
    let members = MEMBERS.map(|name| roster.member(name));
    let not_good: Vec<_> = roster.not_good().collect();
    format!("{:?}", (answers, members, not_good, roster.counts(), roster.standing(), roster.generation()))
}

proptest! {
    #[test]
    fn a_roster_is_what_the_policy_gives_from_scratch_after_every_change(
        form in form(),
        changes in vec(change(), 1..40),
    ) {
        let mut roster = Roster::new(form.clone());
        let mut model = Model::default();
        for change in &changes {
            apply(&mut roster, change);
            model.apply(change);
            for context in contexts() {
                let answer = roster.roll_up(&context);
                prop_assert_eq!(context.polarity.status(roster.standing()), answer.status);
                prop_assert_eq!(answer, model.roll_up(&form, &context));
            }

            let mut standings = model.standings();
            let of = |wanted| standings.iter().filter(|(_, standing)| *standing == wanted).count();
            let [good, unknown, bad] = [Standing::Good, Standing::Unknown, Standing::Bad].map(of);
            prop_assert_eq!(roster.counts(), Counts { good, unknown, bad });
            prop_assert_eq!(roster.len(), model.members.len());
            for name in MEMBERS {
                let expected = standings.iter().find(|(member, _)| *member == name).map(|(_, standing)| *standing);
                prop_assert_eq!(roster.member(name).map(|member| member.standing), expected);
            }
            standings.retain(|(_, standing)| *standing != Standing::Good);
            standings.sort_by_key(|(name, standing)| (std::cmp::Reverse(*standing), *name));
            let not_good: Vec<_> = roster.not_good().map(|member| (member.name, member.standing)).collect();
            prop_assert_eq!(not_good, standings);
        }
    }

    #[test]
    fn a_roster_is_never_good_while_one_member_is_not_nor_without_members(
        form in form(),
        changes in vec(change(), 1..40),
    ) {
        let mut roster = Roster::new(form);
        let mut model = Model::default();
        for change in &changes {
            apply(&mut roster, change);
            model.apply(change);
            let standings = model.standings();
            let all_good = standings.iter().all(|(_, standing)| *standing == Standing::Good);
            let is_good = roster.roll_up(&context()).status == Status::True;
            prop_assert_eq!(is_good, all_good && !standings.is_empty());
            if standings.is_empty() {
                prop_assert_eq!(roster.roll_up(&context()).status, Status::Unknown);
            }
        }
    }

    #[test]
    fn what_is_said_to_be_no_change_is_none_at_any_generation(
        form in form(),
        changes in vec(change(), 1..30),
    ) {
        let at_all = |roster: &Roster| {
            GENERATIONS.map(|generation| {
                let mut roster = roster.clone();
                roster.set_generation(Generation::from(generation));
                readings(&roster)
            }).collect::<Vec<_>>()
        };
        let mut roster = Roster::new(form);
        for change in &changes {
            let before = at_all(&roster);
            if !apply(&mut roster, change) {
                prop_assert_eq!(at_all(&roster), before);
            }
            let after = readings(&roster);
            prop_assert!(!apply(&mut roster, change), "{:?} changed something again", change);
            prop_assert_eq!(readings(&roster), after);
        }
    }

    #[test]
    fn the_order_of_arrival_does_not_change_a_byte(
        form in form(),
        generation in GENERATIONS,
        (facts, shuffled) in vec(option::of(given()), MEMBERS.len()).prop_flat_map(|given| {
            let facts: Vec<_> = MEMBERS
                .into_iter()
                .zip(given)
                .map(|(member, given)| given.map_or(Change::Remove(member), |given| Change::Set(member, given)))
                .collect();
            (Just(facts.clone()), Just(facts).prop_shuffle())
        }),
        detours in vec(change(), 0..20),
    ) {
        let generation = Change::Generation(generation);
        let mut straight = Roster::new(form.clone());
        for fact in [&generation].into_iter().chain(&facts) {
            apply(&mut straight, fact);
        }
        let mut other = Roster::new(form);
        for fact in detours.iter().chain(&shuffled).chain([&generation]) {
            apply(&mut other, fact);
        }
        prop_assert_eq!(readings(&straight), readings(&other));
        prop_assert_eq!(straight.generations, other.generations);
    }

    #[test]
    fn to_word_what_was_worded_changes_nothing(form in form(), given in given()) {
        let input = given.input();
        let once = form.words(&input);
        prop_assert!(once.len() <= form.each);
        let worded = Input { message: once.clone(), ..Input::missing("", Polarity::NormalTrue) };
        prop_assert_eq!(form.words(&worded), once);
    }
}
