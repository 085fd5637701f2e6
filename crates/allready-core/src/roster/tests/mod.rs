//! Cases that can be told by name; [`properties`] has the rest.

mod properties;

use std::borrow::Cow;

use super::*;
use crate::{
    Message, Polarity, Status, Time,
    rollup::{Form, Freshness, Policy, Tells},
};

fn said(status: Status, message: &str) -> Input<'_> {
    Input {
        status,
        message: Cow::Borrowed(message),
        freshness: Freshness::Fresh,
        ..Input::missing("Ready", Polarity::NormalTrue)
    }
}

fn everything() -> Semicolon {
    Semicolon { tells: Tells::Everything, ..Semicolon::new() }
}

fn context() -> Context<'static> {
    Context::new("Ready", Time::EPOCH)
}

fn message(roster: &Roster) -> String {
    roster.roll_up(&context()).message.into_owned()
}

/// What the policy says of the same members.
fn from_scratch<'a>(form: Semicolon, members: impl IntoIterator<Item = (&'a str, Input<'a>)>) -> String {
    let inputs = members.into_iter().map(|(name, input)| input.from_member("Cluster", name));
    let rollup = Policy::from(Form::Semicolon(form)).roll_up(inputs, &context());
    rollup.unwrap().message.into_owned()
}

#[test]
fn a_roster_without_members_is_unknown_and_says_so() {
    for form in [Semicolon::new(), Semicolon::strict(), everything()] {
        let mut roster = Roster::new(form);
        let never = roster.roll_up(&context());
        assert_eq!((never.status, &*never.reason), (Status::Unknown, "NothingDeclared"));
        assert!(never.message.contains("nothing vouches for it"), "{}", never.message);

        roster.set("a", said(Status::True, ""));
        roster.remove("a");
        assert!(roster.is_empty());
        assert_eq!(roster.roll_up(&context()), never, "whoever has left leaves nothing");
    }
}

#[test]
fn the_line_follows_every_change() {
    let mut roster = Roster::new(everything());
    let mut then = |change: &dyn Fn(&mut Roster) -> bool, expected: &str| {
        assert!(change(&mut roster), "a change on the way to {expected:?}");
        assert_eq!(message(&roster), expected);
    };
    then(&|roster| roster.set("c", said(Status::False, "down")), "c down");
    then(&|roster| roster.set("a", said(Status::Unknown, "starting")), "c down; a (unknown) starting");
    then(&|roster| roster.set("a", said(Status::False, "stuck")), "a stuck; c down");
    then(&|roster| roster.set("c", said(Status::True, "fine")), "a stuck");
    then(&|roster| roster.remove("a"), "");
    assert_eq!(roster.standing(), Standing::Good);
}

#[test]
fn strict_and_deciding_puts_the_unknown_among_the_bad_by_name() {
    let members = [
        ("d", said(Status::False, "x")),
        ("c", said(Status::Unknown, "")),
        ("b", said(Status::False, "y")),
        ("a", said(Status::Unknown, "")),
    ];
    let mut roster = Roster::new(Semicolon::strict());
    for (name, input) in members {
        roster.set(name, input);
    }
    assert_eq!(message(&roster), "a (unknown); b y; c (unknown); d x");
    assert_eq!(roster.counts(), Counts { good: 0, unknown: 2, bad: 2 });
}

#[test]
fn what_a_member_said_comes_back_when_the_generation_goes_back() {
    let about = |generation: u32, input| Input { observed: Some(Generation::from(generation)), ..input };
    let mut roster = Roster::new(everything());
    roster.set("a", about(2, said(Status::False, "down")));
    roster.set("b", about(3, said(Status::True, "fine")));
    for (generation, expected, observed) in [
        (2, "a down", 2),
        (3, "a (unknown) is about generation 2, the object is at generation 3", 2),
        (2, "a down", 2),
        (1, "a down", 1),
    ] {
        roster.set_generation(Generation::from(generation));
        assert_eq!(message(&roster), expected, "at generation {generation}");
        assert_eq!(roster.roll_up(&context()).observed, Some(Generation::from(observed)));
    }
    assert!(!roster.set_generation(Generation::from(1_u32)), "it is that already");
}

#[test]
fn the_generation_of_the_context_is_not_looked_at() {
    let mut roster = Roster::new(everything());
    roster.set("a", Input { observed: Some(Generation::from(1)), ..said(Status::True, "") });
    let later = context().at_generation(Generation::from(9));
    assert_eq!(roster.roll_up(&later), roster.roll_up(&context()));
    assert_eq!(roster.roll_up(&later).status, Status::True);
}

#[test]
fn a_member_is_seen_with_its_standing_and_its_words() {
    let mut roster = Roster::new(Semicolon { each: 30, ..Semicolon::new() });
    let long = "a; b ".repeat(20);
    roster.set("a", said(Status::True, "fine"));
    roster.set("b", said(Status::False, &long));
    roster.set("c", Input::missing("Ready", Polarity::NormalTrue));
    let seen = |name| roster.member(name).map(|member| (member.standing, member.text.into_owned()));
    assert_eq!(seen("a"), Some((Standing::Good, String::new())));
    assert_eq!(seen("b"), Some((Standing::Bad, "a, b a… [cut, was 100 bytes]".to_owned())));
    assert_eq!(seen("c"), Some((Standing::Unknown, "has not been reported yet".to_owned())));
    assert_eq!(seen("d"), None);
    assert_eq!(roster.not_good().map(|member| member.name).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn a_separator_within_a_text_does_not_separate() {
    let mut roster = Roster::new(everything());
    roster.set("a", said(Status::False, "first; second\r\nthird;"));
    roster.set("b", said(Status::Unknown, "; x"));
    assert_eq!(message(&roster), "a first, second third;; b (unknown) , x");
    assert_eq!(message(&roster).split("; ").count(), 2);
}

#[test]
fn what_cannot_be_told_is_not_kept() {
    let mut roster = Roster::new(Semicolon { each: 100, ..everything() });
    let long = "x".repeat(Message::MAX_BYTES);
    roster.set("good", said(Status::True, &long));
    roster.set("bad", said(Status::False, &long));
    roster.set("old", Input { freshness: Freshness::Stale, ..said(Status::False, &long) });
    let kept = |name| roster.find(name).map(|(.., record)| record.text.len());
    assert_eq!([kept("good"), kept("bad"), kept("old")], [Some(0), Some(100), Some(0)]);
}

#[test]
fn ten_thousand_members_with_a_kilobyte_each_stay_within_the_limit_and_are_counted() {
    let names: Vec<String> = (0..10_000).map(|number| format!("cluster-{number:04}")).collect();
    let text = "x".repeat(1024);
    for (limit, each) in [(Message::MAX_BYTES, usize::MAX), (4096, 100), (1024, 80), (0, 10)] {
        let form = Semicolon { limit, each, ..everything() };
        let mut roster = Roster::new(form.clone());
        // A third of them each way.
        let status = |number: usize| [Status::False, Status::Unknown, Status::True][number % 3];
        for (number, name) in names.iter().enumerate().rev() {
            roster.set(name, said(status(number), &text));
        }
        let message = message(&roster);
        assert!(message.len() <= limit.max(Semicolon::MIN_BYTES), "{} bytes", message.len());
        let (list, rest) = message.rsplit_once("; and ").unwrap();
        let not_good = roster.counts().bad + roster.counts().unknown;
        assert_eq!(not_good, 6667, "two of three, the first and the last bad");
        assert_eq!(rest, format!("{} more", not_good - list.split("; ").count()));
        let members = names.iter().enumerate();
        let members = members.map(|(number, name)| (name.as_str(), said(status(number), &text)));
        assert_eq!(message, from_scratch(form, members));
    }
}
