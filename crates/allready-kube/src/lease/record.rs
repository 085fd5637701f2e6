//! What a lease says, and since when we know.

use std::time::Duration;

use jiff::{Timestamp, TimestampRound, Unit};
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use tokio::time::Instant;

use super::timing::{Now, Timing};

/// What a lease says about who leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Who holds it; empty if nobody does.
    pub holder: String,
    /// For how many seconds it holds; 0 if it does not say.
    pub duration_seconds: i32,
    /// How often it went from one holder to another.
    pub transitions: i32,
    /// Since when the holder has it, by the holder's clock.
    pub acquired: Option<Timestamp>,
    /// When the holder last renewed it, by the holder's clock.
    pub renewed: Option<Timestamp>,
}

impl Record {
    /// What this lease says.
    pub fn of(lease: &Lease) -> Self {
        let Some(spec) = &lease.spec else { return Self::default() };
        Self {
            holder: spec.holder_identity.clone().unwrap_or_default(),
            duration_seconds: spec.lease_duration_seconds.unwrap_or_default(),
            transitions: spec.lease_transitions.unwrap_or_default(),
            acquired: spec.acquire_time.as_ref().map(|time| time.0),
            renewed: spec.renew_time.as_ref().map(|time| time.0),
        }
    }

    /// Writes this into a lease. What else the lease says stays.
    pub fn write(&self, lease: &mut Lease) {
        let spec = lease.spec.get_or_insert_with(LeaseSpec::default);
        spec.holder_identity = Some(self.holder.clone());
        spec.lease_duration_seconds = Some(self.duration_seconds);
        spec.lease_transitions = Some(self.transitions);
        spec.acquire_time = self.acquired.map(MicroTime);
        spec.renew_time = self.renewed.map(MicroTime);
    }

    /// The record of a new holder.
    pub(super) fn acquired_by(me: &str, transitions: i32, now: Now, timing: &Timing) -> Self {
        let wall = microseconds(now.wall);
        Self {
            holder: me.to_owned(),
            duration_seconds: timing.whole_seconds(),
            transitions,
            acquired: Some(wall),
            renewed: Some(wall),
        }
    }

    /// The record after its holder renewed it. It always differs from the one before, or nobody would see the renewal.
    pub(super) fn renewed_at(&self, now: Now, timing: &Timing) -> Self {
        let next = self.renewed.and_then(|before| before.checked_add(Duration::from_micros(1)).ok());
        let wall = microseconds(now.wall);
        let renewed = next.map_or(wall, |next| next.max(wall));
        Self { duration_seconds: timing.whole_seconds(), renewed: Some(renewed), ..self.clone() }
    }

    /// The record after its holder gave it up.
    pub(super) fn released_at(&self, now: Now) -> Self {
        let wall = microseconds(now.wall);
        Self {
            holder: String::new(),
            // Nothing at all would be refused.
            duration_seconds: 1,
            acquired: Some(wall),
            renewed: Some(wall),
            transitions: self.transitions,
        }
    }
}

/// A record, and when it was first seen as it is, by the clock of the one who looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// What the lease says.
    pub record: Record,
    /// When this was first seen.
    pub since: Instant,
}

impl Observed {
    /// What is known after a look at the lease: a record that has not changed is as old as it was.
    pub fn after(before: Option<Self>, record: Record, now: Instant) -> Self {
        match before {
            Some(before) if before.record == record => before,
            _ => Self { record, since: now },
        }
    }

    /// Until when the lease holds, by the clock of the one who looked. A lease that does not say is given our own time.
    pub fn expires(&self, timing: &Timing) -> Instant {
        let said = u64::try_from(self.record.duration_seconds).ok().filter(|seconds| *seconds > 0);
        self.since + said.map_or(timing.lease_duration, Duration::from_secs)
    }
}

/// What a lease can carry of an instant.
fn microseconds(instant: Timestamp) -> Timestamp {
    let round = TimestampRound::new().smallest(Unit::Microsecond).mode(jiff::RoundMode::Trunc);
    instant.round(round).unwrap_or(instant)
}
