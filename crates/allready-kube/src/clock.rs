//! Where the time comes from: a background task cannot be handed an instant, so it is handed a clock.

use std::{fmt, sync::Arc};

use allready_core::Time;
use jiff::Timestamp;

/// A source of the present time.
///
/// ```
/// use allready_core::Time;
/// use allready_kube::clock::Clock;
///
/// let clock = Clock::new(|| jiff::Timestamp::UNIX_EPOCH);
/// assert_eq!(clock.now(), Time::EPOCH);
/// assert!(Clock::system().now() > Time::EPOCH);
/// ```
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// A clock that asks this function.
    ///
    /// ```
    /// use allready_kube::clock::Clock;
    ///
    /// let stopped = jiff::Timestamp::from_second(100).unwrap();
    /// let clock = Clock::new(move || stopped);
    /// assert_eq!(clock.instant(), stopped);
    /// ```
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The clock of the machine.
    ///
    /// ```
    /// use allready_kube::clock::Clock;
    ///
    /// assert!(Clock::system().instant() <= jiff::Timestamp::now());
    /// ```
    pub fn system() -> Self {
        Self::new(Timestamp::now)
    }

    /// The present second, as conditions carry it.
    ///
    /// ```
    /// use allready_core::Time;
    /// use allready_kube::clock::Clock;
    ///
    /// let clock = Clock::new(|| jiff::Timestamp::from_millisecond(1_900).unwrap());
    /// assert_eq!(clock.now(), Time::from_second(1).unwrap());
    /// ```
    pub fn now(&self) -> Time {
        Time::new(self.instant())
    }

    /// The present instant, as precisely as the clock tells it.
    ///
    /// ```
    /// use allready_kube::clock::Clock;
    ///
    /// let clock = Clock::new(|| jiff::Timestamp::from_millisecond(1_900).unwrap());
    /// assert_eq!(clock.instant().as_millisecond(), 1_900);
    /// ```
    pub fn instant(&self) -> Timestamp {
        (self.0)()
    }
}

/// The clock of the machine.
impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
