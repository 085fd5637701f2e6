//! Definitions in what can be read only once: they count from where they stand, and one that comes too late is told.

use std::sync::Arc;

use crate::{
    declared::{Declared, Known, Learnt, Seen, learn_batch, too_late},
    objects::Batch,
};

/// What has been learnt while streams are read.
pub(super) struct Lesson {
    declared: Declared,
    known: Option<Arc<Known>>,
    learnt: Vec<(u64, Learnt)>,
    problems: Vec<String>,
}

impl Lesson {
    pub(super) fn new(declared: Declared) -> Self {
        Self { declared, known: None, learnt: Vec::new(), problems: Vec::new() }
    }

    /// Learns from the definitions of a batch, for all of it and for what follows.
    pub(super) fn read(&mut self, source: &str, batch: &Batch, number: u64) {
        let learnt = learn_batch(&mut self.declared, batch);
        if learnt.is_empty() {
            return;
        }
        self.known = Some(Arc::new(Known::of(&self.declared)));
        for learnt in learnt {
            self.problems.extend(learnt.problem.as_ref().map(|problem| format!("{source}: {problem}")));
            self.learnt.push((number, learnt));
        }
    }

    /// What is known by now, where that is more than at the beginning.
    pub(super) fn known(&self) -> Option<Arc<Known>> {
        self.known.clone()
    }

    /// What cannot be understood.
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Which definitions came behind objects that were judged without them.
    pub(super) fn too_late(&self, seen: &[Seen]) -> Vec<String> {
        let late = self.learnt.iter().filter(|(number, Learnt { group, kind, .. })| {
            let first = seen.iter().filter_map(|seen| seen.first(group, kind)).min();
            first.is_some_and(|first| first < *number)
        });
        late.map(|(_, Learnt { group, kind, .. })| too_late(group, kind)).collect()
    }
}
