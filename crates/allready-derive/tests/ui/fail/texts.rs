//! Types and reasons that the API server would refuse.

use allready::ConditionSet;

#[derive(Clone, Copy, ConditionSet)]
#[conditions(top = "all ready", good_reason = "all-ready", prune("Old!", "Node_1/Valid"))]
enum Illegal {
    #[condition(type = "")]
    Empty,
    #[condition(type = "Speaker/Valid")]
    Prefixed,
    Größe,
    Trailing_,
    #[mark(disk_full: False, reason = "disk is full")]
    #[mark(disk_lost: False, reason = "")]
    DiskReady,
    #[condition(starts(reason = "not-yet"))]
    Late,
}

fn main() {}
