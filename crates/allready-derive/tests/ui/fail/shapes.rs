//! Only an enum of unit variants, one of which counts, describes conditions.

use allready::ConditionSet;

#[derive(Clone, Copy, ConditionSet)]
struct Status {
    ready: bool,
}

#[derive(Clone, Copy, ConditionSet)]
union Either {
    ready: bool,
}

#[derive(Clone, Copy, ConditionSet)]
enum WithFields {
    Synced(u32),
    Healthy { since: u32 },
    Bound(),
}

#[derive(Clone, Copy, ConditionSet)]
enum WithParameters<const N: usize> {
    Synced,
}

#[derive(Clone, Copy, ConditionSet)]
enum Nothing {}

#[derive(Clone, Copy, ConditionSet)]
#[conditions(top = "Succeeded")]
enum NothingCounts {
    #[condition(informational)]
    Cached,
}

fn main() {}
