//! KRO: pruning, staleness in its own policy, and author-declared conditions.

use super::{at, condition, mark, pass, says, types};
use crate::{
    Condition, ConditionSet, Polarity, Status, condition_type,
    set::{At, Role},
};

fn kro(text: &str) -> ConditionSet {
    let set: ConditionSet = text.parse().unwrap();
    ConditionSet { policy: "kro".parse().unwrap(), ..set }
}

#[test]
fn renamed_types_vanish_and_everything_else_stays() {
    let set = kro("Ready:").pruning([condition_type!("GraphVerified"), condition_type!("ReconcilerReady")]);
    let mut list = vec![
        condition("GraphVerified", Status::True, "X", 1),
        condition("ReconcilerReady", Status::True, "X", 1),
        condition("Foo", Status::True, "X", 1),
    ];
    let finished = pass(&set, &mut list, At::new(1u32, at(2)), |_| ());
    assert_eq!(types(&list), ["Foo", "Ready"]);
    assert!(finished.changed);
}

#[test]
fn pruning_what_is_not_there_changes_nothing() {
    let plain = kro("Ready: A");
    let mut list = vec![];
    pass(&plain, &mut list, At::new(1u32, at(1)), |_| ());
    let pruning = plain.clone().pruning([condition_type!("Gone")]);
    assert!(!pass(&pruning, &mut list, At::new(1u32, at(2)), |_| ()).changed);
    assert_eq!(plain, kro("Ready: A"), "the description it was derived from is as it was");
}

#[test]
fn staleness_alone_leaves_the_top_untouched_and_a_stale_false_makes_it_false_at_the_new_generation() {
    let set = kro("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::True);
        mark(pass, "B", Status::True);
    });
    pass(&set, &mut list, At::new(2u32, at(2)), |pass| mark(pass, "B", Status::True));
    assert_eq!(
        says(&list, "Ready"),
        (Status::True, "Ready"),
        "A is true of generation 1 only, and the top stays"
    );
    let mut list = vec![
        condition("A", Status::False, "Broken", 1).observed(1),
        condition("B", Status::True, "X", 1).observed(2),
    ];
    pass(&set, &mut list, At::new(2u32, at(3)), |pass| mark(pass, "B", Status::True));
    let ready: &Condition = crate::condition::find(&list, "Ready").unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "Broken"));
    assert_eq!(ready.observed_generation.unwrap().get(), 2);
}

#[test]
fn an_author_says_in_data_what_counts_and_how_it_reads() {
    let set: ConditionSet = serde_json::from_value(serde_json::json!({
        "conditions": [
            {"type": "InstanceManaged"},
            {"type": "Throttled", "polarity": "abnormal-true"},
            {"type": "example.com/Synced", "role": "informational"},
        ],
        "prune": ["InstanceSynced"],
        "goodReason": "AllReady",
    }))
    .unwrap();
    assert_eq!(set.top(), "Ready", "every instance has it");
    assert_eq!(set.get("Throttled").unwrap().polarity, Polarity::AbnormalTrue);
    assert_eq!(set.get("example.com/Synced").unwrap().role, Role::Informational);
    let mut list = vec![condition("InstanceSynced", Status::True, "X", 1)];
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| {
        mark(pass, "InstanceManaged", Status::True);
        mark(pass, "Throttled", Status::False);
        mark(pass, "example.com/Synced", Status::False);
    });
    assert_eq!(says(&list, "Ready"), (Status::True, "AllReady"));
    assert_eq!(types(&list), ["Ready", "InstanceManaged", "Throttled", "example.com/Synced"]);
}
