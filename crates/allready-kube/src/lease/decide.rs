//! The rule: what a replica does about a lease.

use tokio::time::Instant;

use super::{
    record::{Observed, Record},
    timing::{Now, Timing},
};

/// What to do about a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// There is none: make one that says this.
    Create(Record),
    /// It is ours: write this to keep it.
    Renew(Record),
    /// It is nobody's, or its holder was silent for too long: write this to take it.
    Acquire(Record),
    /// It is somebody else's.
    Wait {
        /// Whose.
        holder: String,
        /// From when on it may be taken, if it does not change.
        until: Instant,
    },
}

/// What `me` does about the lease, as it was last observed. Pure.
///
/// A holder is silent for as long as *we* have not seen its record change; what its clock says does not matter.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::lease::{Decision, Now, Observed, Record, Timing, decide};
///
/// let (start, timing) = (tokio::time::Instant::now(), Timing::default());
/// let record = Record { holder: "other".into(), duration_seconds: 15, transitions: 3, ..Record::default() };
/// let observed = Observed { record, since: start };
/// let at = |seconds| Now { instant: start + Duration::from_secs(seconds), wall: jiff::Timestamp::UNIX_EPOCH };
///
/// assert!(matches!(decide(Some(&observed), "me", at(14), &timing), Decision::Wait { .. }));
/// let Decision::Acquire(record) = decide(Some(&observed), "me", at(15), &timing) else { panic!() };
/// assert_eq!((record.holder.as_str(), record.transitions), ("me", 4));
/// ```
pub fn decide(lease: Option<&Observed>, me: &str, now: Now, timing: &Timing) -> Decision {
    let Some(observed) = lease else {
        return Decision::Create(Record::acquired_by(me, 0, now, timing));
    };
    let record = &observed.record;
    if record.holder == me {
        return Decision::Renew(record.renewed_at(now, timing));
    }
    let until = observed.expires(timing);
    if !record.holder.is_empty() && now.instant < until {
        return Decision::Wait { holder: record.holder.clone(), until };
    }
    Decision::Acquire(Record::acquired_by(me, record.transitions.saturating_add(1), now, timing))
}
