//! How many members there are, and how they are.

use std::ops::{AddAssign, SubAssign};

use crate::Standing;

/// How many members a fleet has, each counted once whatever the number of its conditions.
///
/// Those that count are `good + unknown + bad`, and as well `reporting + missing`; the silent ones are among the
/// reporting. Reporters that nobody expects are `members() - expected`.
///
/// ```
/// use allready_core::fleet::{Counts, FleetIndex};
///
/// let mut fleet = FleetIndex::default();
/// fleet.expect("node-1");
/// assert_eq!(fleet.counts(), Counts { expected: 1, missing: 1, unknown: 1, ..Counts::default() });
/// assert_eq!(fleet.counts().members(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Expected, whether they have reported or not.
    pub expected: usize,
    /// Have reported at least one condition.
    pub reporting: usize,
    /// Count, and have reported no condition.
    pub missing: usize,
    /// Have reported, and have since gone silent.
    pub silent: usize,
    /// All conditions are good.
    pub good: usize,
    /// At least one condition is unknown, and none is bad; or the member is missing or silent.
    pub unknown: usize,
    /// At least one condition is bad.
    pub bad: usize,
}

impl Counts {
    /// All that count.
    ///
    /// ```
    /// use allready_core::fleet::Counts;
    ///
    /// assert_eq!(Counts { good: 5, unknown: 2, bad: 1, ..Counts::default() }.members(), 8);
    /// ```
    pub fn members(&self) -> usize {
        self.good + self.unknown + self.bad
    }

    /// The place where members of a standing are counted.
    pub(super) fn of(&mut self, standing: Standing) -> &mut usize {
        match standing {
            Standing::Good => &mut self.good,
            Standing::Unknown => &mut self.unknown,
            Standing::Bad => &mut self.bad,
        }
    }

    fn each(&mut self, other: Self, change: impl Fn(&mut usize, usize)) {
        let Self { expected, reporting, missing, silent, good, unknown, bad } = other;
        change(&mut self.expected, expected);
        change(&mut self.reporting, reporting);
        change(&mut self.missing, missing);
        change(&mut self.silent, silent);
        change(&mut self.good, good);
        change(&mut self.unknown, unknown);
        change(&mut self.bad, bad);
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.each(other, |mine, more| *mine += more);
    }
}

/// Only ever takes away what was added.
impl SubAssign for Counts {
    fn sub_assign(&mut self, other: Self) {
        self.each(other, |mine, less| *mine = mine.saturating_sub(less));
    }
}
