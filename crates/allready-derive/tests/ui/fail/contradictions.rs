//! Conditions that do not go together.

use allready::ConditionSet;

#[derive(Clone, Copy, ConditionSet)]
#[conditions(prune("Synced", "Ready", "Gone"))]
enum Types {
    Synced,
    #[condition(type = "Synced")]
    AlsoSynced,
    Ready,
}

#[derive(Clone, Copy, ConditionSet)]
enum Starts {
    #[condition(starts(status = True, reason = "Assumed"))]
    Synced,
    #[condition(abnormal_true, starts(status = False, reason = "Assumed"))]
    Degraded,
    /// Nothing depends on it, so that it may.
    #[condition(informational, starts(status = True, reason = "Assumed"))]
    Cached,
}

#[derive(Clone, Copy, ConditionSet)]
enum Names {
    CRDReady,
    CrdReady,
    Bound,
    BoundUnknown,
    NotBound,
    True,
    #[mark(synced: True, reason = "Applied")]
    #[mark(applied: True, reason = "Applied")]
    Synced,
    #[mark(applied: True, reason = "Applied")]
    Healthy,
}

fn main() {}
