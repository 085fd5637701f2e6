//! Who has left something behind: reporters of a component that nobody expects any more, once that has lasted.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_kube::report::Identity;

use super::{Board, Origin, case::OWN};

/// What to sweep for one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The kind of the objects that hold the reports.
    pub kind: String,
    /// The component.
    pub component: String,
    /// Who is there.
    pub living: Vec<Identity>,
    /// Who is not, by what stands before the slash of a condition type.
    pub gone: BTreeSet<String>,
}

/// Remembers since when reporters are strangers.
#[derive(Debug, Default)]
pub(super) struct Strangers(BTreeMap<Origin, (Duration, u64)>);

impl Strangers {
    /// Who has been a stranger for longer than this. Only components that are bound to nodes have strangers: of others it
    /// is not known who is gone. Nobody is one while it is not known who is there.
    pub(super) fn lasting(&mut self, board: &Board, patience: Duration, now: Duration) -> Vec<Stale> {
        let mut present = BTreeSet::new();
        let mut lasting = Vec::new();
        for component in board.plan().components.iter().filter(|component| component.instances.are_nodes()) {
            if board.strangers(&component.name).next().is_none() {
                continue;
            }
            let living = board.living(&component.name);
            if living.is_empty() {
                continue;
            }
            let mut by_kind: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
            for (origin, instance, report) in board.strangers(&component.name) {
                let Some(instance) = instance.filter(|_| is_ours(origin)) else { continue };
                present.insert(origin.clone());
                let (since, last) = self.0.entry(origin.clone()).or_insert((now, report));
                if *last != report {
                    // Whoever still reports is there, expected or not.
                    (*since, *last) = (now, report);
                }
                if now.saturating_sub(*since) >= patience {
                    let identity = Identity::of(component.name.clone()).on(instance);
                    by_kind.entry(origin.kind()).or_default().insert(identity.prefix().into_owned());
                }
            }
            let component = &component.name;
            lasting.extend(by_kind.into_iter().map(|(kind, gone)| Stale {
                kind: kind.to_owned(),
                component: component.clone(),
                living: living.clone(),
                gone,
            }));
        }
        self.0.retain(|origin, _| present.contains(origin));
        lasting
    }
}

/// Whether what is reported there is ours to remove; the objects of others are theirs.
fn is_ours(origin: &Origin) -> bool {
    [Origin::STATUS_REPORT, OWN].contains(&origin.kind())
}
