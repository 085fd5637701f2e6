//! Rows of the hub object: the addresses and listeners of all clusters, as many as there is room for.

use std::collections::{BTreeMap, BTreeSet};

use allready_core::{Standing, condition::cut};

use super::{Address, ClusterName, Instance, Limits, Plan, join_address, join_listener};

/// The name of a listener, and how many routes are attached to it.
pub(super) type ListenerRow = (String, i64);

/// The address rows of an instance that can stand, in its own order.
pub(super) fn addresses<'a>(
    cluster: &'a ClusterName,
    instance: &'a Instance,
    limits: &'a Limits,
) -> impl Iterator<Item = Address> + 'a {
    let rows = instance.addresses.iter().filter_map(move |address| join_address(cluster, address));
    rows.filter(|row| limits.against_address(row).is_none())
}

/// The listener rows of an instance that can stand, in its own order. Who does not say how many routes there are has none: that
/// is not zero.
pub(super) fn listeners<'a>(
    cluster: &'a ClusterName,
    instance: &'a Instance,
    limits: &'a Limits,
) -> impl Iterator<Item = ListenerRow> + 'a {
    let mut before = BTreeSet::new();
    let rows = instance.listeners.iter().filter(move |listener| before.insert(&*listener.name));
    let rows = rows.filter_map(move |listener| {
        Some((join_listener(cluster, &listener.name), listener.attached_routes?))
    });
    rows.filter(|(name, _)| limits.against_listener(name).is_none())
}

/// The trouble with the rows of an instance by themselves, in words that follow its cluster: bad where something had to be left
/// out, unknown where it does not say everything.
pub(super) fn trouble(
    cluster: &ClusterName,
    instance: &Instance,
    plan: &Plan,
    limits: &Limits,
) -> Option<(Standing, String)> {
    let rows = instance.addresses.iter().filter(|_| plan.addresses);
    let rows = rows.filter_map(|address| join_address(cluster, address));
    let mut left: Vec<String> = rows.filter_map(|row| limits.against_address(&row)).collect();
    let mut open = Vec::new();
    for listener in instance.listeners.iter().filter(|_| plan.listeners) {
        let name = cut(&listener.name, SHOWN);
        left.extend(limits.against_listener(&join_listener(cluster, &listener.name)));
        if listener.attached_routes.is_none() {
            open.push(format!("listener {name} does not say how many routes are attached"));
        } else if !listener.is_current {
            open.push(format!("listener {name} is about an older generation"));
        }
    }
    left.extend(instance.cut.as_deref().map(str::to_owned));
    let standing = match (left.is_empty(), open.is_empty()) {
        (true, true) => return None,
        (true, false) => Standing::Unknown,
        (false, _) => Standing::Bad,
    };
    left.append(&mut open);
    Some((standing, left.join(", ")))
}

/// The most bytes of a listener's name that are told.
const SHOWN: usize = 120;

/// Which clusters have how many rows.
#[derive(Debug, Default)]
pub(super) struct RowIndex {
    clusters: BTreeMap<ClusterName, usize>,
    total: usize,
}

/// The rows that there is room for, and those that there is not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fitted<T> {
    /// Those that fit.
    pub(super) rows: Vec<T>,
    /// The first ones that do not, for a message.
    pub(super) left: Vec<T>,
    /// The number that do not.
    pub(super) left_count: usize,
}

impl RowIndex {
    /// A cluster has this many rows.
    pub(super) fn set(&mut self, cluster: &ClusterName, rows: usize) {
        let before = match rows {
            0 => self.clusters.remove(cluster),
            rows => self.clusters.insert(cluster.clone(), rows),
        };
        self.total = self.total + rows - before.unwrap_or_default();
    }

    /// As many rows as there is room for, in the order of the clusters. Looks at no more of them than it returns.
    pub(super) fn fit<'a, T, I: Iterator<Item = T>>(
        &'a self,
        room: usize,
        mut rows: impl FnMut(&'a ClusterName) -> I,
    ) -> Fitted<T> {
        let mut all = self.clusters.keys().flat_map(&mut rows);
        let fitting = all.by_ref().take(room).collect::<Vec<_>>();
        let left_count = self.total.saturating_sub(fitting.len());
        Fitted { left: all.take(Self::TOLD).collect(), rows: fitting, left_count }
    }

    /// The most rows that do not fit that are told by name.
    const TOLD: usize = 5;
}

impl<T> Fitted<T> {
    /// Which rows do not fit, and why; none where all do.
    pub(super) fn told(&self, what: &str, room: usize, name: impl Fn(&T) -> &str) -> Option<String> {
        if self.left_count == 0 {
            return None;
        }
        let count = self.left_count;
        let of = self.rows.len() + count;
        let mut names = self.left.iter().map(|row| cut(name(row), SHOWN)).collect::<Vec<_>>().join(", ");
        let more = count.saturating_sub(self.left.len());
        if more > 0 {
            names = format!("{names} and {more} more");
        }
        Some(format!("{count} of {of} {what} are left out, as there is room for {room}: {names}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Listener, *};

    #[test]
    fn mc20_a_listener_that_is_listed_twice_has_one_row() {
        let listener = |routes| Listener {
            name: "api".into(),
            attached_routes: Some(routes),
            is_current: true,
            programmed: None,
        };
        let instance = Instance { listeners: vec![listener(1), listener(2)], ..Instance::default() };
        let cluster = "cluster-1".parse().unwrap();
        let rows: Vec<_> = listeners(&cluster, &instance, &Limits::GATEWAY).collect();
        assert_eq!(rows, [("cluster-1.api".to_owned(), 1)]);
    }

    #[test]
    fn mc13_the_first_rows_in_the_order_of_the_clusters_stay_and_the_others_are_counted() {
        let mut index = RowIndex::default();
        let names: Vec<ClusterName> =
            ["c-3", "c-1", "c-2"].iter().map(|name| name.parse().unwrap()).collect();
        for name in &names {
            index.set(name, 4);
        }
        let rows = |cluster: &ClusterName| (0..4).map(|row| format!("{cluster}/{row}")).collect::<Vec<_>>();
        let fitted = index.fit(5, |cluster| rows(cluster).into_iter());
        assert_eq!(fitted.rows, ["c-1/0", "c-1/1", "c-1/2", "c-1/3", "c-2/0"]);
        assert_eq!(
            fitted.told("addresses", 5, |row| row).unwrap(),
            "7 of 12 addresses are left out, as there is room for 5: c-2/1, c-2/2, c-2/3, c-3/0, c-3/1 and 2 more"
        );
        index.set(&names[0], 0);
        assert_eq!(index.total, 8);
        assert_eq!(index.fit(8, |cluster| rows(cluster).into_iter()).told("rows", 8, |row| row), None);
    }
}
