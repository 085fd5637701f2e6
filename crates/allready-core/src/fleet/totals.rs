//! What follows from all members together, kept up to date one member at a time.

use std::collections::BTreeMap;

use super::{
    Counts,
    groups::{CauseKey, Groups},
    member::Record,
    options::Rules,
    texts::{Text, Texts},
};
use crate::{
    Standing,
    rollup::{
        generations::{Generations, take_one},
        grouped::{Said, Tally},
    },
};

/// The sums over all members that count.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) counts: Counts,
    pub(super) groups: Groups,
    /// How often each condition type counts.
    types: BTreeMap<Text, usize>,
    pub(super) generations: Generations,
}

impl Totals {
    /// Takes out what a member added, except the groups it is in: most of them will be the same after the change.
    pub(super) fn withdraw(&mut self, name: &Text, record: &Record, rules: Rules<'_>) {
        self.counts -= record.counts();
        for input in record.inputs(name, rules) {
            self.generations.take(&input);
            take_one(&mut self.types, input.type_);
        }
    }

    /// Adds a member that has been taken out before, and writes down what it counts as.
    pub(super) fn contribute(
        &mut self,
        name: &Text,
        record: &mut Record,
        rules: Rules<'_>,
        texts: &mut Texts,
    ) {
        let mut standing = None;
        for input in record.inputs(name, rules) {
            standing = standing.max(Some(input.standing()));
            self.generations.add(&input);
            if let Some(number) = self.types.get_mut(input.type_) {
                *number += 1;
            } else if !input.type_.is_empty() {
                self.types.insert(Text::from(input.type_), 1);
            }
        }
        let trouble = standing.filter(|standing| *standing != Standing::Good);
        // What was reported comes first among the inputs.
        let reported = record.conditions().iter().map(Some).chain(std::iter::repeat(None));
        let mut keys: Vec<CauseKey> = record
            .inputs(name, rules)
            .zip(reported)
            .filter(|(input, _)| Some(input.standing()) == trouble)
            .map(|(input, like)| CauseKey::new(&Said::by(&input, rules.generation), like, texts))
            .collect();
        keys.sort_unstable_by_key(CauseKey::identity);
        keys.dedup();

        self.regroup(name, &record.causes, &keys);
        for key in std::mem::replace(&mut record.causes, keys.into()) {
            key.release(texts);
        }
        record.standing = standing;
        self.counts += record.counts();
    }

    /// Leaves and joins only the groups that differ. Both lists are sorted by identity.
    fn regroup(&mut self, name: &Text, before: &[CauseKey], after: &[CauseKey]) {
        let has = |keys: &[CauseKey], key: &CauseKey| {
            keys.binary_search_by_key(&key.identity(), CauseKey::identity).is_ok()
        };
        for key in before.iter().filter(|key| !has(after, key)) {
            self.groups.leave(key, name);
        }
        for key in after.iter().filter(|key| !has(before, key)) {
            self.groups.join(key, name);
        }
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            members: self.counts.members(),
            types: self.types.len(),
            bad: self.groups.share(Standing::Bad, self.counts.bad),
            unknown: self.groups.share(Standing::Unknown, self.counts.unknown),
        }
    }
}
