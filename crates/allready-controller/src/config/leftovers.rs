//! The reports of reporters that are gone.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_kube::report::Identity;
use serde::{Deserialize, Serialize};

use super::{Fleet, Origin, status::OWN};

/// The reports of one component that are to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// The instances that are there.
    pub living: Vec<String>,
    /// The writers that are gone, by the prefix of their conditions.
    pub gone: BTreeSet<String>,
}

/// Remembers since when reporters are not expected.
#[derive(Debug, Default)]
pub(super) struct Strangers(BTreeMap<Origin, (Duration, u64)>);

impl Strangers {
    /// The leftovers by kind of object and component, and the time at which the next reporter has been gone for so long.
    ///
    /// Only components that are bound to nodes have any: of others it is not known who is gone. Nobody is gone while it is not known
    /// who is there, and whoever still reports is there, expected or not.
    pub(super) fn lasting(
        &mut self,
        fleet: &Fleet,
        patience: Duration,
        now: Duration,
    ) -> (BTreeMap<(String, String), Leftovers>, Option<Duration>) {
        let mut present = BTreeSet::new();
        let (mut lasting, mut next) = (BTreeMap::<_, Leftovers>::new(), None);
        for (origin, component, instance, report) in fleet.strangers().filter(|(origin, ..)| is_ours(origin))
        {
            present.insert(origin.clone());
            let (since, last) = self.0.entry(origin.clone()).or_insert((now, report));
            if *last != report {
                (*since, *last) = (now, report);
            }
            let due = *since + patience;
            if due > now {
                next = next.into_iter().chain([due]).min();
                continue;
            }
            let key = (origin.kind().to_owned(), component.to_owned());
            let found: &mut Leftovers = lasting.entry(key).or_default();
            found.gone.insert(Identity::of(component).on(instance).prefix().into_owned());
        }
        for ((_, component), leftovers) in &mut lasting {
            let living = fleet.living(component);
            leftovers
                .living
                .extend(living.iter().filter_map(|identity| identity.instance().map(str::to_owned)));
        }
        lasting.retain(|_, leftovers| !leftovers.living.is_empty());
        self.0.retain(|origin, _| present.contains(origin));
        (lasting, next)
    }
}

impl Strangers {
    /// A removal was carried out. Whoever is still there after it is tried again after as long as the first time.
    pub(super) fn removed(&mut self, now: Duration) {
        for (since, _) in self.0.values_mut() {
            *since = now;
        }
    }
}

/// Returns true if reports found there are ours to remove; the objects of others are theirs.
fn is_ours(origin: &Origin) -> bool {
    [Origin::STATUS_REPORT, OWN].contains(&origin.kind())
}
