//! How long things take in an election, and what time it is.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

/// The durations of an election. The defaults are those of Kubernetes' own components.
///
/// A leader writes the lease once in every retry period, and every other replica reads it once in 1.6 of them, on average: by default
/// 1,800 writes and 1,125 reads an hour. A shorter period lets others take over sooner ([`failover`](Self::failover)), and costs more.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::lease::Timing;
///
/// let timing = Timing::default().checked()?;
/// assert_eq!(timing.lease_duration, Duration::from_secs(15));
/// assert_eq!(timing.pause(false, 0.5), Duration::from_millis(3200), "2 s, and half of 1.2 times 2 s");
/// assert!(Timing { renew_deadline: Duration::from_secs(15), ..timing }.checked().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long a lease holds after it was last seen to change. Written in whole seconds, rounded up.
    pub lease_duration: Duration,
    /// How long a leader may act after it asked for the last renewal that was granted.
    pub renew_deadline: Duration,
    /// How long to wait between two tries.
    pub retry_period: Duration,
}

/// Durations that do not go together.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::lease::{Timing, TimingError};
///
/// let second = Duration::from_secs(1);
/// let error = Timing { lease_duration: second, ..Timing::default() }.checked().unwrap_err();
/// assert!(matches!(error, TimingError::Lease { lease, .. } if lease == second));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// A leader would act while another may already have taken over.
    #[error(
        "the lease duration ({lease:?}) must be longer than the renew deadline ({renew:?}): \
         a leader stops at the one, and others take over after the other"
    )]
    Lease {
        /// The lease duration.
        lease: Duration,
        /// The renew deadline.
        renew: Duration,
    },
    /// A leader would stop before it has tried again.
    #[error(
        "the renew deadline ({renew:?}) must be longer than 1.2 times the retry period ({retry:?}), and that longer \
         than nothing: a leader that misses one renewal has to get a second chance"
    )]
    Renew {
        /// The renew deadline.
        renew: Duration,
        /// The retry period.
        retry: Duration,
    },
}

impl Timing {
    /// The part of the retry period by which a candidate's pauses are spread.
    pub const JITTER: f64 = 1.2;

    /// These durations, if they go together.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::lease::{Timing, TimingError};
    ///
    /// assert!(Timing::default().checked().is_ok());
    /// assert!(Timing { retry_period: Duration::ZERO, ..Timing::default() }.checked().is_err());
    /// ```
    pub fn checked(self) -> Result<Self, TimingError> {
        if self.lease_duration <= self.renew_deadline {
            return Err(TimingError::Lease { lease: self.lease_duration, renew: self.renew_deadline });
        }
        if self.retry_period.is_zero() || self.renew_deadline <= self.retry_period.mul_f64(Self::JITTER) {
            return Err(TimingError::Renew { renew: self.renew_deadline, retry: self.retry_period });
        }
        Ok(self)
    }

    /// How long to wait for the next try. A leader keeps to the period; `chance`, from 0 to 1, keeps candidates from
    /// coming all at once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::lease::{Timing, TimingError};
    ///
    /// assert_eq!(Timing::default().pause(true, 0.9), Duration::from_secs(2), "a leader keeps to the period");
    /// ```
    pub fn pause(&self, leading: bool, chance: f64) -> Duration {
        let spread = if leading { 0.0 } else { Self::JITTER * chance.clamp(0.0, 1.0) };
        self.retry_period.mul_f64(1.0 + spread)
    }

    /// The longest time from a leader that is killed to another one that may act, where the API server answers within `round_trip`
    /// and at least one other replica runs.
    ///
    /// It adds up so: the last renewal may be on its way when the leader dies, another replica sees it a whole pause after it has
    /// last looked, counts the lease duration (in whole seconds) from then, and looks and writes again.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::lease::Timing;
    ///
    /// assert_eq!(Timing::default().failover(Duration::from_millis(50)), Duration::from_millis(15_000 + 4_400 + 200));
    /// ```
    pub fn failover(&self, round_trip: Duration) -> Duration {
        let lease = Duration::from_secs(u64::try_from(self.whole_seconds()).unwrap_or_default());
        lease + self.pause(false, 1.0) + 4 * round_trip
    }

    /// The lease duration as a lease says it: never shorter than it is, and never nothing, which is refused.
    pub(super) fn whole_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_millis().div_ceil(1000).max(1);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }
}

impl Default for Timing {
    /// 15, 10 and 2 seconds.
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

/// The present, twice: by the clock that decides, and by the one on the wall, which is only written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The clock that durations are measured with.
    pub instant: Instant,
    /// The time of day.
    pub wall: Timestamp,
}
