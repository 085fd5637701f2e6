//! Attributes that nobody understands.

use allready::ConditionSet;

#[derive(Clone, Copy, ConditionSet)]
#[conditions]
#[conditions(tops = "Ready", top = Ready, untouched = "forget", upgrade = "later", order = "random")]
#[conditions(good_reason = "Fine", good_reason = "Good", prune = "Old", crate = "allready")]
enum Keys {
    #[condition(kind = "Synced", informational = true, starts = "Unknown")]
    Synced,
    #[condition(type("Healthy"), starts(status = Maybe, because = "Slow"))]
    Healthy,
    #[condition(type = )]
    Bound,
    #[condition(starts(status = "Unknown", reason = "Slow"))]
    Cached,
}

#[derive(Clone, Copy, ConditionSet)]
enum Marks {
    #[mark]
    #[mark(applied)]
    #[mark(applied = True)]
    #[mark(applied: Maybe, reason = "Applied")]
    #[mark(refused: False)]
    #[mark(forbidden: False, reason = 403)]
    #[mark(mark_lost: False, reason = "Lost")]
    #[mark(DiskFull: False, reason = "DiskFull", message = "full")]
    Synced,
}

fn main() {}
