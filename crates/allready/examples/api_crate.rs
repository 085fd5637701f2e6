//! The conditions of an API crate whose author allows no warning at all: what the derive writes has none either.
#![deny(warnings, unused, missing_docs, missing_debug_implementations, unreachable_pub, rust_2018_idioms)]
#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use allready::ConditionSet;

/// What a `Backup` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(good_reason = "AllDone", prune("Done"), untouched = "unknown", order = "by-type")]
pub enum BackupConditions {
    /// The snapshot is taken; see [`Self::Stale`] for when it is too old.
    #[mark(bucket_full: False, reason = "BucketFull")]
    SnapshotTaken,
    /// The last snapshot is older than a day.
    #[condition(abnormal_true, starts(status = True, reason = "NoSnapshot", message = "there is none yet"))]
    Stale,
    /// The copy in the other region is there.
    #[condition(type = "backup.example.com/Copied", informational)]
    #[deprecated = "there is no other region any more"]
    Copied,
}

mod private {
    /// Nobody marks these yet.
    #[derive(Clone, Copy, allready::ConditionSet)]
    enum RestoreConditions {
        VolumeReady,
    }
}
