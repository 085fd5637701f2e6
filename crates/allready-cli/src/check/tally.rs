//! How many there are of what.

use allready_inspect::health::Health;
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::text::count;

/// The numbers of a tally, for programs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    total: u64,
    degraded: u64,
    missing: u64,
    unknown: u64,
    progressing: u64,
    suspended: u64,
    healthy: u64,
    /// Of the unknown ones, those that could not be read.
    unreadable: u64,
    /// Kinds that could not be listed.
    unlisted: u64,
    /// Kinds that were declared only behind objects of them.
    declared_too_late: u64,
}

/// How many objects came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    counts: [u64; 6],
    /// How many of the unknown ones could not even be read.
    pub(super) unreadable: u64,
    /// How many kinds could not be listed.
    pub(super) unlisted: u64,
    /// How many kinds were declared only behind objects of them.
    pub(super) too_late: u64,
}

impl Tally {
    pub(super) fn count(&mut self, health: Health) {
        self.counts[health as usize] += 1;
    }

    pub(super) fn of(&self, health: Health) -> u64 {
        self.counts[health as usize]
    }

    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.unreadable += other.unreadable;
        self.unlisted += other.unlisted;
        self.too_late += other.too_late;
    }

    /// One line, worst first, in these words.
    pub(super) fn summary(&self, word: impl Fn(Health) -> String) -> String {
        let objects = count(self.total(), "object");
        let mut parts: Vec<String> = Vec::new();
        for health in Health::WORST_FIRST {
            let count = self.of(health);
            if count == 0 {
                continue;
            }
            let word = word(health);
            let note = match (health, self.unreadable) {
                (Health::Unknown, unreadable @ 1..) => format!(" ({unreadable} unreadable)"),
                _ => String::new(),
            };
            parts.push(format!("{count} {word}{note}"));
        }
        if self.unlisted > 0 {
            parts.push(format!("{} not listed", count(self.unlisted, "kind")));
        }
        if self.too_late > 0 {
            parts.push(format!("{} declared too late", count(self.too_late, "kind")));
        }
        if parts.is_empty() { objects } else { format!("{objects}: {}", parts.join(", ")) }
    }

    /// The same for programs.
    pub(super) fn numbers(&self) -> Summary {
        Summary {
            total: self.total(),
            degraded: self.of(Health::Degraded),
            missing: self.of(Health::Missing),
            unknown: self.of(Health::Unknown),
            progressing: self.of(Health::Progressing),
            suspended: self.of(Health::Suspended),
            healthy: self.of(Health::Healthy),
            unreadable: self.unreadable,
            unlisted: self.unlisted,
            declared_too_late: self.too_late,
        }
    }

    /// The exit code, where what is at least as bad as this is a failure.
    pub(super) fn exit_code(&self, fail_on: Health) -> u8 {
        if self.unreadable > 0 {
            return 65;
        }
        let is_there = |health: Health| health >= fail_on && self.of(health) > 0;
        if is_there(Health::Degraded) || is_there(Health::Missing) {
            1
        } else if self.unlisted > 0 || self.too_late > 0 || Health::WORST_FIRST.into_iter().any(is_there) {
            2
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(healths: &[Health]) -> Tally {
        let mut tally = Tally::default();
        for &health in healths {
            tally.count(health);
        }
        tally
    }

    #[test]
    fn the_summary_says_the_worst_first_and_leaves_out_what_is_not_there() {
        use Health::{Degraded, Healthy, Progressing, Unknown};
        let words = |health: Health| health.as_str().to_lowercase();
        assert_eq!(tally(&[]).summary(words), "0 objects");
        assert_eq!(tally(&[Healthy]).summary(words), "1 object: 1 healthy");
        let mixed = tally(&[Healthy, Degraded, Progressing, Unknown, Healthy]);
        let mixed = Tally { unreadable: 1, unlisted: 1, ..mixed };
        assert_eq!(
            mixed.summary(words),
            "5 objects: 1 degraded, 1 unknown (1 unreadable), 1 progressing, 2 healthy, 1 kind not listed"
        );
    }

    #[test]
    fn eleven_kinds_are_not_one() {
        let words = |health: Health| health.as_str().to_lowercase();
        let many = Tally { unlisted: 11, too_late: 21, ..Tally::default() };
        assert_eq!(many.summary(words), "0 objects: 11 kinds not listed, 21 kinds declared too late");
    }

    #[test]
    fn the_exit_code_is_that_of_the_worst_and_unreadable_input_is_never_good() {
        use Health::{Degraded, Healthy, Missing, Progressing, Suspended, Unknown};
        let code = |healths: &[Health]| tally(healths).exit_code(Progressing);
        assert_eq!([code(&[]), code(&[Healthy]), code(&[Healthy, Suspended])], [0, 0, 0]);
        assert_eq!(
            [code(&[Degraded, Unknown]), code(&[Missing]), code(&[Progressing]), code(&[Unknown])],
            [1, 1, 2, 2]
        );
        assert_eq!(tally(&[Progressing, Unknown]).exit_code(Missing), 0);
        assert_eq!(tally(&[Missing]).exit_code(Missing), 1);
        assert_eq!(tally(&[Suspended]).exit_code(Suspended), 2);
        assert_eq!(Tally { unlisted: 1, ..tally(&[Healthy]) }.exit_code(Missing), 2);
        assert_eq!(Tally { too_late: 1, ..tally(&[Healthy]) }.exit_code(Missing), 2);
        assert_eq!(Tally { unreadable: 1, ..tally(&[Degraded]) }.exit_code(Missing), 65);
    }
}
