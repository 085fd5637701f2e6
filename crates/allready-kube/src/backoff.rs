//! How long to wait before trying again.

use std::time::Duration;

/// Waits that grow from one failure to the next, spread out so that many clients do not come back at once.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::backoff::Backoff;
///
/// let backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(1) };
/// assert_eq!(backoff.delay(0, 1.0), Duration::from_millis(100));
/// assert_eq!(backoff.delay(2, 1.0), Duration::from_millis(400));
/// assert_eq!(backoff.delay(2, 0.0), Duration::from_millis(200), "at least half of it");
/// assert_eq!(backoff.delay(u32::MAX, 1.0), Duration::from_secs(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure.
    pub min: Duration,
    /// The longest wait.
    pub max: Duration,
}

impl Backoff {
    /// How long to wait after so many failures before this one. `chance`, from 0 to 1, spreads the wait over its upper half.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::backoff::Backoff;
    ///
    /// let backoff = Backoff::default();
    /// assert_eq!(backoff.delay(0, 1.0), Duration::from_millis(200));
    /// assert_eq!(backoff.delay(30, 1.0), Duration::from_secs(30), "it does not grow for ever");
    /// ```
    pub fn delay(&self, failures: u32, chance: f64) -> Duration {
        let doubled = 2_u32.checked_pow(failures.min(31)).unwrap_or(u32::MAX);
        let whole = self.min.saturating_mul(doubled).min(self.max);
        whole.mul_f64(f64::midpoint(1.0, chance.clamp(0.0, 1.0)))
    }
}

impl Default for Backoff {
    /// From a fifth of a second to half a minute.
    fn default() -> Self {
        Self { min: Duration::from_millis(200), max: Duration::from_secs(30) }
    }
}
