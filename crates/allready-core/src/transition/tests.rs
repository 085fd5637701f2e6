use std::slice;

use proptest::prelude::*;

use super::*;
use crate::{Polarity, condition_type, reason};

fn condition(type_: &str, status: Status) -> Condition {
    Condition::new(ConditionType::new(type_.to_owned()).unwrap(), status, reason!("Checked"), "", Time::EPOCH)
}

fn changes(old: &[Condition], new: &[Condition]) -> Vec<(String, Change)> {
    diff(old, new).into_iter().map(|transition| (transition.type_.to_string(), transition.change)).collect()
}

fn told(
    old: &[Condition],
    new: &[Condition],
    verbosity: Verbosity,
    style: &Style<'_>,
) -> Vec<(EventSeverity, String)> {
    notes(&diff(old, new), verbosity, style).into_iter().map(|note| (note.severity, note.note)).collect()
}

#[test]
fn a_change_of_anything_but_the_status_is_no_transition() {
    let old = condition("Ready", Status::True).observed(1);
    let new = Condition {
        reason: reason!("Other"),
        message: "other".into(),
        last_transition_time: Time::from_second(9).unwrap(),
        ..old.clone().observed(2)
    };
    let bystander = condition("Synced", Status::True);
    assert_eq!(diff(slice::from_ref(&old), slice::from_ref(&new)), []);
    assert_eq!(diff(&[old, bystander.clone()], &[bystander, new]), [], "nor is another order");
}

#[test]
fn a_transition_carries_the_words_of_the_new_condition_and_of_the_removed_one() {
    let at = |second| Time::from_second(second).unwrap();
    let gone = Condition::new(condition_type!("A"), Status::True, reason!("Old"), "was fine", at(1));
    let came = Condition::new(condition_type!("B"), Status::False, reason!("New"), "is broken", at(2));
    let transitions = diff(&[gone], &[came]);
    let words: Vec<_> =
        transitions.iter().map(|t| (t.reason.as_str(), t.message.as_str(), t.since)).collect();
    assert_eq!(words, [("Old", "was fine", at(1)), ("New", "is broken", at(2))]);
}

#[test]
fn of_a_type_that_is_there_twice_the_last_counts() {
    let twice = [condition("A", Status::True), condition("A", Status::False)];
    assert_eq!(diff(&twice, &[condition("A", Status::False)]), []);
    assert_eq!(
        changes(&[condition("A", Status::True)], &twice),
        [("A".to_owned(), Change::Changed { from: Status::True, to: Status::False })]
    );
}

#[test]
fn both_spellings_of_a_verbosity_are_read_and_nothing_else() {
    for (ours, theirs, verbosity) in [
        ("per-change", "perChange", Verbosity::PerChange),
        ("per-new-status", "perNewStatus", Verbosity::PerNewStatus),
        ("if-changed", "ifChanged", Verbosity::IfChanged),
    ] {
        assert_eq!(ours.parse(), Ok(verbosity));
        assert_eq!(theirs.parse(), Ok(verbosity));
        assert_eq!(verbosity.to_string(), ours);
        assert_eq!(serde_json::from_value::<Verbosity>(theirs.into()).unwrap(), verbosity);
        assert_eq!(serde_json::to_value(verbosity).unwrap(), ours);
    }
    assert_eq!(
        "PerChange".parse::<Verbosity>().unwrap_err().to_string(),
        "there is no event verbosity \"PerChange\": use per-change, per-new-status or if-changed (or openmcp's \
         perChange, perNewStatus or ifChanged)"
    );
}

#[test]
fn a_note_is_complete_but_for_the_object() {
    let notes =
        notes(&diff(&[], &[condition("Ready", Status::True)]), Verbosity::PerChange, &Style::default());
    assert_eq!(
        notes,
        [EventNote {
            severity: EventSeverity::Normal,
            reason: "Checked".into(),
            action: "UpdateStatus",
            note: "Ready is True: Checked".to_owned(),
        }]
    );
}

#[test]
fn a_note_tells_reason_and_message_and_what_was_before() {
    let disk = |status, reason: &'static str, message: &'static str| {
        Condition::new(
            condition_type!("Ready"),
            status,
            crate::Reason::from_static(reason),
            message,
            Time::EPOCH,
        )
    };
    let (good, bad) = (disk(Status::True, "Ok", ""), disk(Status::False, "DiskFull", "sda is full"));
    for (old, new, note, reason) in [
        (
            vec![good.clone()],
            vec![bad.clone()],
            "Ready is False (was True): DiskFull: sda is full",
            "DiskFull",
        ),
        (vec![], vec![bad.clone()], "Ready is False: DiskFull: sda is full", "DiskFull"),
        (vec![bad], vec![good], "Ready is True (was False): Ok", "Ok"),
        (vec![disk(Status::True, "Ok", "")], vec![], "Ready was removed (was True)", "ConditionRemoved"),
    ] {
        for verbosity in [Verbosity::PerChange, Verbosity::PerNewStatus, Verbosity::IfChanged] {
            let notes = notes(&diff(&old, &new), verbosity, &Style::default());
            assert_eq!((notes[0].note.as_str(), &*notes[0].reason), (note, reason));
        }
    }
}

#[test]
fn only_what_became_bad_by_its_polarity_is_a_warning() {
    use EventSeverity::{Normal, Warning};
    let polarity = |type_: &ConditionType| match type_.as_str() {
        "Degraded" => Polarity::AbnormalTrue,
        _ => Polarity::NormalTrue,
    };
    let style = Style::ByPolarity(&polarity);
    for (type_, from, to, expected) in [
        ("Ready", Some(Status::True), Some(Status::False), Warning),
        ("Ready", None, Some(Status::False), Warning),
        ("Ready", Some(Status::False), Some(Status::True), Normal),
        ("Ready", Some(Status::True), Some(Status::Unknown), Normal),
        ("Ready", Some(Status::True), None, Normal),
        ("Degraded", Some(Status::False), Some(Status::True), Warning),
        ("Degraded", Some(Status::True), Some(Status::False), Normal),
    ] {
        let list = |status: Option<Status>| status.map(|status| condition(type_, status));
        let (old, new) = (list(from), list(to));
        for verbosity in [Verbosity::PerChange, Verbosity::PerNewStatus, Verbosity::IfChanged] {
            let notes = told(old.as_slice(), new.as_slice(), verbosity, &style);
            assert_eq!(notes.len(), 1);
            assert_eq!(notes[0].0, expected, "{type_} from {from:?} to {to:?}");
            let notes = told(old.as_slice(), new.as_slice(), verbosity, &Style::Openmcp);
            assert_eq!(notes[0].0, Normal);
        }
    }
}

#[test]
fn a_bundle_is_a_warning_if_any_in_it_became_bad() {
    let polarity = |type_: &ConditionType| match type_.as_str() {
        "Degraded" => Polarity::AbnormalTrue,
        _ => Polarity::NormalTrue,
    };
    let new = [condition("Degraded", Status::True), condition("Ready", Status::True)];
    assert_eq!(
        told(&[], &new, Verbosity::PerNewStatus, &Style::ByPolarity(&polarity)),
        [(EventSeverity::Warning, "now True: Degraded (Checked), Ready (Checked)".to_owned())]
    );
}

#[test]
fn a_note_with_too_many_names_says_how_many_more() {
    let new: Vec<_> = (0..200).map(|n| condition(&format!("Type{n:03}"), Status::True)).collect();
    let notes = told(&[], &new, Verbosity::IfChanged, &Style::Openmcp);
    let note = &notes[0].1;
    assert!(note.len() <= EventNote::MAX_BYTES);
    assert!(note.starts_with("The following conditions have changed: Type000, Type001, "));
    assert!(note.ends_with(", Type107 and 92 more"), "{note}");
}

#[test]
fn a_note_of_exactly_the_limit_is_openmcps() {
    let head = "The following conditions have changed: ".len();
    let last = |length| "z".repeat(length);
    let fill = |length: usize| {
        let names = ["a".repeat(316), "b".repeat(316), "c".repeat(300), last(length)];
        let new: Vec<_> = names.iter().map(|name| condition(name, Status::True)).collect();
        told(&[], &new, Verbosity::IfChanged, &Style::Openmcp)[0].1.clone()
    };
    let room = EventNote::MAX_BYTES - head - 316 - 316 - 300 - 3 * 2;
    assert_eq!(fill(room).len(), EventNote::MAX_BYTES);
    assert!(fill(room).ends_with(&last(room)));
    assert!(fill(room + 1).ends_with(&format!("{} and 1 more", "c".repeat(300))));
}

fn any_list() -> impl Strategy<Value = Vec<Condition>> {
    let status = prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)];
    prop::collection::vec(("[A-H]", status).prop_map(|(type_, status)| condition(&type_, status)), 0..12)
}

proptest! {
    #[test]
    fn applying_the_transitions_to_the_old_list_gives_the_new_one(old in any_list(), new in any_list()) {
        let statuses = |list: &[Condition]| -> BTreeMap<ConditionType, Status> {
            list.iter().map(|condition| (condition.type_.clone(), condition.status)).collect()
        };
        let mut list = statuses(&old);
        for transition in diff(&old, &new) {
            prop_assert_eq!(list.get(&transition.type_).copied(), transition.change.before());
            match transition.change.after() {
                Some(to) => list.insert(transition.type_, to),
                None => list.remove(&transition.type_),
            };
        }
        prop_assert_eq!(list, statuses(&new));
    }

    #[test]
    fn transitions_are_in_the_order_of_their_types_and_each_type_has_one(old in any_list(), new in any_list()) {
        let transitions = diff(&old, &new);
        prop_assert!(transitions.windows(2).all(|pair| pair[0].type_ < pair[1].type_));
    }

    #[test]
    fn no_note_is_longer_than_the_api_server_takes(
        names in prop::collection::btree_map("[a-z]{2}", 0..=314_usize, 0..40),
    ) {
        let name = |(start, rest): (&String, &usize)| start.clone() + &"x".repeat(*rest);
        let new: Vec<_> = names.iter().map(|parts| condition(&name(parts), Status::True)).collect();
        for verbosity in [Verbosity::PerChange, Verbosity::PerNewStatus, Verbosity::IfChanged] {
            for (_, note) in told(&[], &new, verbosity, &Style::default()) {
                prop_assert!(note.len() <= EventNote::MAX_BYTES);
                if let Some((listed, more)) = note.rsplit_once(" and ") {
                    let left: usize = more.trim_end_matches(" more").parse().unwrap();
                    prop_assert_eq!(listed.split(", ").count() + left, names.len());
                }
            }
        }
    }
}
