//! What checking a node came to.

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher},
};

use crate::status::FieldError;

/// A problem, with the sentence by which the real server knows whether it was told already.
pub(super) struct Problem {
    pub(super) error: FieldError,
    pub(super) text: String,
}

/// Problems without repetitions, and how many checks matched: the branch of `anyOf` or `oneOf` in which most matched is
/// the one whose problems are told.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) problems: Vec<Problem>,
    pub(super) matches: u64,
    /// Hashed without a seed, which would have to be drawn for every node of every object.
    told: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
}

impl Outcome {
    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn matched(&mut self) {
        self.matches += 1;
    }

    pub(super) fn add(&mut self, problem: Problem) {
        let mut hasher = DefaultHasher::new();
        problem.text.hash(&mut hasher);
        if self.told.insert(hasher.finish()) {
            self.problems.push(problem);
        }
    }

    pub(super) fn extend(&mut self, problems: impl Iterator<Item = Problem>) {
        for problem in problems {
            self.add(problem);
        }
    }

    pub(super) fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        self.extend(other.problems.into_iter());
    }

    /// What stood there before may stay: the problems go, the matches count.
    pub(super) fn forgive(self) -> Self {
        Self { matches: self.matches, ..Self::default() }
    }
}
