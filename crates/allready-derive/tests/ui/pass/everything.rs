//! Every key there is, and the set that comes of it.
#![deny(warnings, missing_docs)]

use allready_core::{
    Status,
    condition::ListOrder,
    condition_type, reason,
    set::{Declared, TypedSet, Untouched, Upgrade},
};
use allready_derive::ConditionSet;

/// What it reports.
#[derive(Clone, Copy, ConditionSet)]
#[conditions(top = "example.com/Succeeded", good_reason = "Done", prune("Old", "Older"))]
#[conditions(policy = "kro", untouched = "remove", upgrade = "assume-good", order = "oldest-first")]
#[conditions(crate = allready_core)]
pub enum Everything {
    /// The first line
    /// of `a | b`.
    ///
    /// Not this.
    #[condition(type = "example.com/First", starts(status = False, reason = "Queued", message = "in line"))]
    #[mark(first_done: True, reason = "Done")]
    #[mark(first_lost: Unknown, reason = "Lost")]
    First,
    /// The second.
    #[condition(informational, abnormal_true)]
    #[condition(starts(reason = "Quiet"))]
    Second,
    #[allow(missing_docs)]
    r#Third,
}

mod hidden {
    #[derive(Clone, Copy, allready::ConditionSet)]
    pub(super) enum Unused {
        One,
    }
}

#[test]
fn the_set_is_the_one_that_is_built_by_hand() {
    let by_hand = allready_core::ConditionSet::builder(condition_type!("example.com/Succeeded"))
        .dependent(
            Declared::new(condition_type!("example.com/First"))
                .described("The first line of `a | b`.")
                .starting(Status::False, reason!("Queued"), "in line"),
        )
        .informational(
            Declared::new(condition_type!("Second")).described("The second.").abnormal_true().starting(
                Status::Unknown,
                reason!("Quiet"),
                "",
            ),
        )
        .dependent(condition_type!("Third"))
        .good_reason(reason!("Done"))
        .prune(condition_type!("Old"))
        .prune(condition_type!("Older"))
        .policy("kro".parse().unwrap())
        .untouched(Untouched::Remove)
        .upgrade(Upgrade::AssumeGood)
        .order(ListOrder::OldestFirst)
        .build()
        .unwrap();
    assert_eq!(*Everything::set(), by_hand);
    assert_eq!(Everything::TABLE, by_hand.table());
    for (index, condition) in Everything::ALL.iter().enumerate() {
        assert_eq!(condition.index(), index);
        assert_eq!(*condition.condition_type(), by_hand.declared()[index].type_);
    }
    assert_eq!(Everything::ALL.len(), by_hand.declared().len());
    assert_eq!(hidden::Unused::set().to_string(), "Ready: One");
}
