//! The behaviour of openmcp's updater, case by case, and where ours departs from it on purpose.

use proptest::prelude::*;

use crate::{
    Condition, ConditionType, Reason, Status, Time, condition_type, reason,
    set::{ConditionUpdater, Untouched, UpdatedConditions},
    transition::{EventNote, Style, Verbosity, notes},
};

const ALL: [Verbosity; 3] = [Verbosity::PerChange, Verbosity::PerNewStatus, Verbosity::IfChanged];

fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn type_(name: &str) -> ConditionType {
    ConditionType::new(name.to_owned()).unwrap()
}

/// Before every pass: the generation is 1 and the time is 10.
fn condition(name: &str, status: Status) -> Condition {
    Condition::new(type_(name), status, reason!("OldReason"), "old message", at(10)).observed(1)
}

fn three() -> [Condition; 3] {
    [condition("A", Status::True), condition("B", Status::False), condition("C", Status::Unknown)]
}

fn pass(old: &[Condition], untouched: Untouched) -> ConditionUpdater<'_> {
    ConditionUpdater::new(old, untouched, at(20))
}

fn names(conditions: &[Condition]) -> Vec<&str> {
    conditions.iter().map(|condition| condition.type_.as_str()).collect()
}

fn openmcp_notes(updated: &UpdatedConditions, verbosity: Verbosity) -> Vec<String> {
    let notes = notes(&updated.transitions, verbosity, &Style::Openmcp);
    notes.into_iter().map(|EventNote { note, .. }| note).collect()
}

#[test]
fn a_new_reason_or_message_is_a_change_but_keeps_the_time() {
    let (old, before) = (three(), three());
    let updated = pass(&old, Untouched::Keep)
        .update(type_("A"), Status::True, 1, Some(reason!("NewReason")), "new message")
        .finish();
    assert!(updated.changed);
    assert_eq!(updated.conditions.len(), 3);
    let expected =
        Condition::new(type_("A"), Status::True, reason!("NewReason"), "new message", at(10)).observed(1);
    assert_eq!(updated.conditions[0], expected);
    assert_eq!(old, before, "the input is not touched");
}

#[test]
fn a_new_status_takes_the_instant_of_the_pass_and_every_other_field() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .update(type_("A"), Status::False, 2, Some(reason!("NewReason")), "new message")
        .update(type_("B"), Status::True, 2, Some(reason!("NewReason")), "new message")
        .finish();
    for (condition, status) in updated.conditions.iter().zip([Status::False, Status::True]) {
        let expected =
            Condition::new(condition.type_.clone(), status, reason!("NewReason"), "new message", at(20))
                .observed(2);
        assert_eq!(*condition, expected);
    }
    assert!(updated.changed);
}

#[test]
fn untouched_conditions_go_when_asked_to() {
    let old = three();
    let updated = pass(&old, Untouched::Remove).update_from(&old[1]).finish();
    assert_eq!(updated.conditions, [old[1].clone()]);
    assert!(updated.changed);
}

#[test]
fn a_status_that_was_changed_and_changed_back_has_not_changed() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .update(type_("A"), Status::False, 2, Some(reason!("Briefly")), "for a moment")
        .update_from(&old[0])
        .finish();
    assert_eq!(updated, UpdatedConditions { conditions: old.to_vec(), changed: false, transitions: vec![] });
}

#[test]
fn an_unsorted_list_is_sorted_and_that_is_no_change() {
    let [a, b, c] = three();
    let old = [c, a, b];
    let updated = pass(&old, Untouched::Keep).finish();
    assert_eq!(
        updated,
        UpdatedConditions { conditions: three().to_vec(), changed: false, transitions: vec![] }
    );
}

#[test]
fn removing_is_a_change_only_if_it_was_there() {
    let old = three();
    let updated = pass(&old, Untouched::Keep).remove("B").finish();
    assert_eq!(names(&updated.conditions), ["A", "C"]);
    assert!(updated.changed);
    let updated = pass(&old, Untouched::Keep).remove("Missing").finish();
    assert_eq!(updated, UpdatedConditions { conditions: old.to_vec(), changed: false, transitions: vec![] });
}

#[test]
fn setting_what_is_there_already_is_no_change() {
    let old = three();
    let later = Condition { last_transition_time: at(15), ..old[0].clone() };
    let updated = pass(&old, Untouched::Keep).update_from(&later).finish();
    assert_eq!(updated, UpdatedConditions { conditions: old.to_vec(), changed: false, transitions: vec![] });
}

#[test]
fn a_condition_is_set_with_the_errors_of_the_other() {
    let old = three();
    let error = crate::condition::SubCondition {
        type_: condition_type!("TLSError"),
        status: Status::True,
        reason: reason!("SecretNotValid"),
        message: "".into(),
    };
    let template = Condition { errors: [error].into(), ..old[0].clone() };
    let updated = pass(&old, Untouched::Keep).update_from(&template).finish();
    assert!(updated.changed);
    assert_eq!(updated.conditions[0], template);
    let updated = pass(&updated.conditions, Untouched::Keep).update_from(&old[0]).finish();
    assert_eq!(
        (updated.changed, updated.conditions),
        (true, old.to_vec()),
        "and without them where it has none"
    );
}

#[test]
fn having_a_condition_means_that_finishing_now_would_give_it() {
    let old = three();
    let keep = pass(&old, Untouched::Keep);
    assert!(keep.has("A") && !keep.has("Missing"));
    assert!(!keep.remove("A").has("A"));
    let remove = pass(&old, Untouched::Remove);
    assert!(!remove.has("A") && !remove.has("Missing"));
    let remove = remove.update_from(&old[0]);
    assert!(remove.has("A") && !remove.has("B"));
}

#[test]
fn a_reason_that_is_not_given_is_made_of_type_and_status() {
    for (name, status, expected) in [
        ("TestCondition", Status::True, "TestCondition_True"),
        ("TestCondition.Test", Status::False, "TestCondition_Test_False"),
        ("controller/poolReconcilerValid", Status::Unknown, "controller_poolReconcilerValid_Unknown"),
    ] {
        let updated = pass(&[], Untouched::Keep).update(type_(name), status, 0, None, "").finish();
        assert_eq!(updated.conditions[0].reason, expected);
    }
}

#[test]
fn a_change_without_a_new_status_is_worth_no_event() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .update(type_("A"), Status::True, 2, Some(reason!("NewReason")), "new message")
        .finish();
    assert!(updated.changed);
    for verbosity in ALL {
        assert_eq!(openmcp_notes(&updated, verbosity), [""; 0]);
    }
}

#[test]
fn per_change_an_addition_and_a_removal_are_told_one_by_one() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .update(type_("New"), Status::True, 1, None, "")
        .remove("B")
        .update(type_("C"), Status::True, 1, None, "")
        .finish();
    assert_eq!(
        openmcp_notes(&updated, Verbosity::PerChange),
        [
            "Condition 'B' with status 'False' removed",
            "Condition 'C' changed from 'Unknown' to 'True'",
            "Condition 'New' added with status 'True'",
        ]
    );
}

#[test]
fn per_new_status_additions_count_as_changes_to_their_status() {
    let old = [condition("T1", Status::True), condition("T2", Status::True), condition("F1", Status::False)];
    let updated = pass(&old, Untouched::Keep)
        .update(type_("T2"), Status::Unknown, 1, None, "")
        .update(type_("T1"), Status::Unknown, 1, None, "")
        .update(type_("New"), Status::Unknown, 1, None, "")
        .update(type_("F1"), Status::True, 1, None, "")
        .finish();
    assert_eq!(
        openmcp_notes(&updated, Verbosity::PerNewStatus),
        [
            "The following conditions changed to 'True': F1",
            "The following conditions changed to 'Unknown': New, T1, T2",
        ]
    );
}

#[test]
fn removing_all_untouched_is_one_event_that_lists_every_type() {
    let old = three();
    let updated = pass(&old, Untouched::Remove).finish();
    assert_eq!(updated.conditions, []);
    assert!(updated.changed);
    assert_eq!(
        openmcp_notes(&updated, Verbosity::PerNewStatus),
        ["The following conditions were removed: A, B, C"]
    );
}

#[test]
fn if_changed_flips_additions_and_removals_are_one_event() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .update(type_("A"), Status::False, 1, None, "")
        .update(type_("B"), Status::True, 1, None, "")
        .update(type_("New"), Status::True, 1, None, "")
        .remove("C")
        .finish();
    assert_eq!(
        openmcp_notes(&updated, Verbosity::IfChanged),
        ["The following conditions have changed: A, B, C, New"]
    );
}

#[test]
fn notes_are_values_that_can_be_taken_twice_and_know_nothing_of_later_updates() {
    let old = three();
    let early = pass(&old, Untouched::Keep).remove("A");
    let snapshot = early.clone().finish();
    let late = early.remove("B").finish();
    for verbosity in ALL {
        assert_eq!(openmcp_notes(&snapshot, verbosity), openmcp_notes(&snapshot, verbosity));
    }
    assert_eq!(openmcp_notes(&snapshot, Verbosity::IfChanged), ["The following conditions have changed: A"]);
    assert_eq!(
        openmcp_notes(&late, Verbosity::IfChanged),
        ["The following conditions have changed: A, B"],
        "a later snapshot tells all since the start of the pass",
    );
}

#[test]
fn a_condition_that_was_removed_and_set_again_was_never_away() {
    let old = three();
    let updated = pass(&old, Untouched::Keep)
        .remove("A")
        .update(type_("A"), Status::True, 1, Some(reason!("NewReason")), "")
        .finish();
    assert_eq!(updated.conditions[0].last_transition_time, at(10));
    assert_eq!(updated.transitions, []);
}

#[test]
fn of_a_type_that_is_there_twice_the_worst_stays_and_unlike_upstream_the_repair_is_a_change() {
    let reversed = [condition("A", Status::False), condition("A", Status::True)];
    assert_eq!(pass(&reversed, Untouched::Keep).finish().conditions, [reversed[0].clone()]);
    let old = [condition("A", Status::True), condition("A", Status::False)];
    let updated = pass(&old, Untouched::Keep).finish();
    assert_eq!(updated.conditions, [old[1].clone()]);
    assert!(updated.changed, "the list as it stands would be refused, so it has to be written");
    assert_eq!(updated.transitions, []);
    let added = pass(&old, Untouched::Keep).update(type_("B"), Status::True, 1, None, "").finish();
    assert!(added.changed, "also where the list is as long as before");
}

#[test]
fn unlike_upstream_there_is_no_status_that_falls_between_the_events_per_new_status() {
    for status in [Status::True, Status::False, Status::Unknown] {
        let updated = pass(&[], Untouched::Keep).update(type_("A"), status, 1, None, "").finish();
        assert_eq!(
            openmcp_notes(&updated, Verbosity::PerNewStatus),
            [format!("The following conditions changed to '{status}': A")]
        );
    }
    assert!("".parse::<Status>().is_err() && "Maybe".parse::<Status>().is_err());
}

#[test]
fn unlike_upstream_every_new_condition_has_the_instant_of_the_pass() {
    for status in [Status::True, Status::False, Status::Unknown] {
        let updated = pass(&[], Untouched::Keep).update(type_("A"), status, 1, None, "").finish();
        assert_eq!(updated.conditions[0].last_transition_time, at(20));
    }
}

#[test]
fn unlike_upstreams_our_sanitisers_keep_a_legal_slash_and_always_end_legally() {
    for (text, upstream, ours) in [
        (
            "controller/poolReconcilerValid",
            "controller_poolReconcilerValid",
            "controller/poolReconcilerValid",
        ),
        ("CondType :,;-_.Test02@", "CondType____-_.Test02_", "CondType____-_.Test02_x"),
    ] {
        assert_eq!(ConditionType::sanitized(text), *ours);
        assert!(ConditionType::new(ours).is_ok());
        assert_ne!(upstream, ours);
    }
    assert!(ConditionType::new("CondType____-_.Test02_").is_err(), "what upstream gives is refused");
    assert_eq!(Reason::sanitized("Reason -.,:_Test93$"), *"Reason___,:_Test93_", "here both agree");
}

#[test]
fn unlike_upstream_a_given_type_or_reason_cannot_be_illegal_and_is_written_as_it_is() {
    assert!(ConditionType::new("two words").is_err());
    assert!(Reason::new("node-1").is_err());
    let updated = pass(&[], Untouched::Keep)
        .update(condition_type!("a.b-c_d"), Status::True, 1, Some(reason!("A,b:c_")), "")
        .finish();
    assert_eq!(updated.conditions[0].type_, "a.b-c_d");
    assert_eq!(updated.conditions[0].reason, "A,b:c_");
}

#[test]
fn unlike_upstream_a_pass_that_stopped_early_wipes_nothing_that_it_did_not_name() {
    let old = three();
    let stopped = || pass(&old, Untouched::Remove).update(type_("A"), Status::False, 2, None, "").remove("C");
    assert_eq!(names(&stopped().finish_incomplete().conditions), ["A", "B"]);
    assert_eq!(names(&stopped().finish().conditions), ["A"]);
}

#[derive(Clone, Debug)]
enum Step {
    Update(String, Status),
    Remove(String),
}

fn any_status() -> impl Strategy<Value = Status> {
    prop_oneof![Just(Status::True), Just(Status::False), Just(Status::Unknown)]
}

fn any_list() -> impl Strategy<Value = Vec<Condition>> {
    prop::collection::vec(("[A-F]", any_status()).prop_map(|(name, status)| condition(&name, status)), 0..8)
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => ("[A-H]", any_status()).prop_map(|(name, status)| Step::Update(name, status)),
        1 => "[A-H]".prop_map(Step::Remove),
    ];
    prop::collection::vec(step, 0..8)
}

fn run(old: &[Condition], untouched: Untouched, steps: &[Step]) -> UpdatedConditions {
    let updater = steps.iter().fold(pass(old, untouched), |updater, step| match step {
        Step::Update(name, status) => updater.update(type_(name), *status, 1, None, "found"),
        Step::Remove(name) => updater.remove(name),
    });
    updater.finish()
}

proptest! {
    #[test]
    fn the_same_pass_again_changes_nothing(old in any_list(), steps in any_steps()) {
        for untouched in [Untouched::Keep, Untouched::Remove] {
            let first = run(&old, untouched, &steps);
            let again = run(&first.conditions, untouched, &steps);
            prop_assert_eq!(&again.conditions, &first.conditions);
            prop_assert!(!again.changed);
            prop_assert_eq!(again.transitions, []);
        }
    }

    #[test]
    fn a_time_moves_exactly_with_the_status(old in any_list(), steps in any_steps()) {
        let updated = run(&old, Untouched::Keep, &steps);
        let originals = crate::transition::by_type(&old);
        let is_once = |type_: &ConditionType| old.iter().filter(|other| other.type_ == *type_).count() < 2;
        for condition in updated.conditions.iter().filter(|condition| is_once(&condition.type_)) {
            let same = originals.get(condition.type_.as_str()).is_some_and(|o| o.status == condition.status);
            prop_assert_eq!(condition.last_transition_time, if same { at(10) } else { at(20) });
        }
    }

    #[test]
    fn changed_means_that_the_lists_differ_in_more_than_their_order(old in any_list(), steps in any_steps()) {
        let updated = run(&old, Untouched::Keep, &steps);
        let mut sorted = old.clone();
        sorted.sort_by(|a, b| a.type_.cmp(&b.type_));
        prop_assert_eq!(updated.changed, sorted != updated.conditions);
        prop_assert!(updated.conditions.windows(2).all(|pair| pair[0].type_ < pair[1].type_));
        prop_assert!(updated.changed || updated.transitions.is_empty());
    }

    #[test]
    fn a_long_list_is_updated_as_a_short_one(old in any_list(), steps in any_steps(), front: bool) {
        let others: Vec<_> = (0..60).map(|number| condition(&format!("Z{number:02}"), Status::True)).collect();
        let touch = others.iter().map(|other| Step::Update(other.type_.to_string(), Status::True));
        let long = if front { [&others[..], &old[..]] } else { [&old[..], &others[..]] }.concat();
        for untouched in [Untouched::Keep, Untouched::Remove, Untouched::Unknown] {
            let short = run(&old, untouched, &steps);
            let all: Vec<_> = touch.clone().chain(steps.iter().cloned()).collect();
            let mut updated = run(&long, untouched, &all);
            updated.conditions.retain(|condition| !condition.type_.as_str().starts_with('Z'));
            updated.transitions.retain(|transition| !transition.type_.as_str().starts_with('Z'));
            prop_assert_eq!(updated.conditions, short.conditions);
            prop_assert_eq!(updated.transitions, short.transitions);
        }
    }
}

#[test]
fn untouched_conditions_can_become_unknown_instead_of_going() {
    let old = three();
    let updated = pass(&old, Untouched::Unknown).update_from(&condition("A", Status::True)).finish();
    assert_eq!(names(&updated.conditions), ["A", "B", "C"]);
    let says: Vec<_> =
        updated.conditions.iter().map(|c| (c.status, c.reason.as_str(), c.last_transition_time)).collect();
    assert_eq!(
        says,
        [
            (Status::True, "OldReason", at(10)),
            (Status::Unknown, "AwaitingReconciliation", at(20)),
            (Status::Unknown, "AwaitingReconciliation", at(10)),
        ]
    );
    assert_eq!(pass(&old, Untouched::Unknown).finish_incomplete().conditions, old);
}
