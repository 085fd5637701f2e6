//! How many members a roster has of each standing.

use crate::Standing;

/// How many members of a roster are good, unknown and bad.
///
/// ```
/// use allready_core::{Polarity, roster::{Counts, Roster}, rollup::Input};
///
/// let mut roster = Roster::default();
/// roster.set("cluster-1", Input::missing("Ready", Polarity::NormalTrue));
/// assert_eq!(roster.counts(), Counts { unknown: 1, ..Counts::default() });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Good, and about the generation of the roster.
    pub good: usize,
    /// Unknown, outdated or missing.
    pub unknown: usize,
    /// Bad.
    pub bad: usize,
}

impl Counts {
    /// All of them.
    ///
    /// ```
    /// # use allready_core::roster::Counts;
    /// assert_eq!(Counts { good: 5, unknown: 2, bad: 1 }.members(), 8);
    /// ```
    pub fn members(&self) -> usize {
        self.good + self.unknown + self.bad
    }

    /// The worst standing that a member has; none without members.
    ///
    /// ```
    /// # use allready_core::{Standing, roster::Counts};
    /// assert_eq!(Counts { good: 5, unknown: 2, bad: 0 }.worst(), Some(Standing::Unknown));
    /// assert_eq!(Counts::default().worst(), None);
    /// ```
    pub fn worst(&self) -> Option<Standing> {
        let standings =
            [(self.bad, Standing::Bad), (self.unknown, Standing::Unknown), (self.good, Standing::Good)];
        standings.into_iter().find(|(count, _)| *count > 0).map(|(_, standing)| standing)
    }
}
