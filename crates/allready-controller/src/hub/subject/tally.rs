//! The sum of all clusters, kept up to date one cluster at a time.

use std::collections::BTreeMap;

use allready_core::{
    Generation, reason,
    rollup::{Input, Reasons, Semicolon, Strictness, Tells},
    roster::Roster,
};
use allready_kube::kinds::UnknownInstances;

use super::super::{ClusterName, Plan, fields::Totals, rows::RowIndex};

/// The most bytes of a message.
pub(super) const MESSAGE: usize = 4096;
/// The most bytes of what one cluster says in it.
const FRAGMENT: usize = 512;

/// The sum of all clusters.
#[derive(Debug)]
pub(super) struct Tally {
    parts: BTreeMap<ClusterName, Part>,
    /// The planned conditions, in the order of the plan.
    pub(super) conditions: Vec<Roster>,
    /// The completeness and freshness of the rows.
    pub(super) rows: Roster,
    /// Which generations of the hub object were seen: by each planned condition, and by the instances.
    seen: Vec<Seen>,
    pub(super) fields: Totals,
    pub(super) addresses: RowIndex,
    pub(super) listeners: RowIndex,
    /// The number of expected clusters that do not answer.
    pub(super) unreachable: usize,
    /// The number of expected clusters that have left the inventory.
    pub(super) gone: usize,
    pending: usize,
}

/// The contribution of one cluster, so that it can be taken back.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part {
    /// True if it is waited for.
    pub(super) is_pending: bool,
    /// The contribution where an instance is expected.
    pub(super) counted: Option<Counted>,
}

/// The contribution of one expected instance besides its words.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Counted {
    pub(super) is_unreachable: bool,
    pub(super) is_gone: bool,
    /// Which generation of the hub object each planned condition is about, and last the instance as such.
    pub(super) seen: Vec<Option<Generation>>,
    pub(super) fields: Vec<i64>,
    pub(super) addresses: usize,
    pub(super) listeners: usize,
}

/// The words of a cluster: of each planned condition, and of its rows.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) conditions: Vec<Input<'a>>,
    pub(super) rows: Input<'a>,
}

/// Generations of the hub object that were seen.
#[derive(Debug, Default)]
struct Seen {
    known: BTreeMap<Generation, usize>,
    unknown: usize,
}

impl Tally {
    /// Of no clusters.
    pub(super) fn new(plan: &Plan) -> Self {
        let strictness = match plan.unknown {
            UnknownInstances::KeepUnknown => Strictness::ThreeValued,
            UnknownInstances::TreatAsBad => Strictness::Strict,
        };
        let bounded =
            Semicolon { tells: Tells::Everything, limit: MESSAGE, each: FRAGMENT, ..Semicolon::new() };
        let condition = Semicolon { strictness, ..bounded.clone() };
        let reasons = Reasons {
            good: reason!("Complete"),
            unknown: reason!("InstancesUnknown"),
            bad: reason!("RowsLeftOut"),
        };
        Self {
            parts: BTreeMap::new(),
            conditions: plan.conditions.iter().map(|_| Roster::new(condition.clone())).collect(),
            rows: Roster::new(Semicolon { reasons, ..bounded }),
            seen: (0..=plan.conditions.len()).map(|_| Seen::default()).collect(),
            fields: Totals::new(&plan.fields),
            addresses: RowIndex::default(),
            listeners: RowIndex::default(),
            unreachable: 0,
            gone: 0,
            pending: 0,
        }
    }

    /// Takes what a cluster contributes in place of what it did before. What is expected comes with words.
    pub(super) fn put(&mut self, cluster: &ClusterName, part: Part, words: Option<Words<'_>>) {
        self.take_back(cluster);
        if let Some(words) = words {
            for (roster, input) in self.conditions.iter_mut().zip(words.conditions) {
                roster.set(cluster.as_str(), input);
            }
            self.rows.set(cluster.as_str(), words.rows);
        } else {
            for roster in self.conditions.iter_mut().chain([&mut self.rows]) {
                roster.remove(cluster.as_str());
            }
        }
        self.pending += usize::from(part.is_pending);
        let (addresses, listeners) =
            part.counted.as_ref().map(|counted| (counted.addresses, counted.listeners)).unwrap_or_default();
        self.addresses.set(cluster, addresses);
        self.listeners.set(cluster, listeners);
        if let Some(counted) = &part.counted {
            self.unreachable += usize::from(counted.is_unreachable);
            self.gone += usize::from(counted.is_gone);
            self.fields.add(&counted.fields);
            for (seen, generation) in self.seen.iter_mut().zip(&counted.seen) {
                seen.add(*generation);
            }
        }
        if part != Part::default() {
            self.parts.insert(cluster.clone(), part);
        }
    }

    fn take_back(&mut self, cluster: &ClusterName) {
        let Some(part) = self.parts.remove(cluster) else { return };
        self.pending -= usize::from(part.is_pending);
        let Some(counted) = part.counted else { return };
        self.unreachable -= usize::from(counted.is_unreachable);
        self.gone -= usize::from(counted.is_gone);
        self.fields.take(&counted.fields);
        for (seen, generation) in self.seen.iter_mut().zip(&counted.seen) {
            seen.take(*generation);
        }
    }

    /// The number of instances that are expected.
    pub(super) fn expected(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if somebody is waited for.
    pub(super) fn is_pending(&self) -> bool {
        self.pending > 0
    }

    /// The newest generation of the hub object that all instances have seen, by the planned condition of this index; or by the
    /// instances as such, after the last. None where one of them does not know, or none is expected.
    pub(super) fn seen(&self, index: usize) -> Option<Generation> {
        let seen = self.seen.get(index).filter(|seen| seen.unknown == 0)?;
        seen.known.first_key_value().map(|(oldest, _)| *oldest)
    }
}

impl Seen {
    fn add(&mut self, generation: Option<Generation>) {
        match generation {
            Some(generation) => *self.known.entry(generation).or_default() += 1,
            None => self.unknown += 1,
        }
    }

    fn take(&mut self, generation: Option<Generation>) {
        let Some(generation) = generation else {
            self.unknown -= 1;
            return;
        };
        if let Some(count) = self.known.get_mut(&generation) {
            *count -= 1;
            if *count == 0 {
                self.known.remove(&generation);
            }
        }
    }
}
