//! The cases that the records have to stand, with everything written and read again after each step.

mod cases;
mod grace;
mod kept;
mod object;
mod properties;
mod types;

use std::{collections::BTreeMap, sync::Arc};

use allready_core::{Status, Time};
use allready_kube::kinds::{DnsOutput, ProviderProperty};

use super::{Contribution, Decision, Owner, Presence, Published, Targets, decide};
use crate::hub::{Address, ClusterName, Instance, Listener, ObjectName};

/// A hub object, its clusters, and what is published for it.
#[derive(Clone, Debug)]
struct World {
    hostnames: Vec<(Arc<str>, Arc<str>)>,
    clusters: BTreeMap<ClusterName, (Option<Instance>, Presence)>,
    published: Published,
    options: DnsOutput,
    now: i64,
}

impl World {
    /// Listeners with their hostnames.
    fn new(listeners: &[(&str, &str)]) -> Self {
        Self {
            hostnames: hostnames(listeners),
            clusters: BTreeMap::new(),
            published: Published::default(),
            options: DnsOutput::default(),
            now: 1_000_000,
        }
    }

    /// A cluster says this.
    fn hears(&mut self, cluster: &str, instance: Instance) -> &mut Self {
        self.clusters.insert(named(cluster), (Some(instance), Presence::Here));
        self
    }

    /// What a cluster last said is worth this.
    fn turns(&mut self, cluster: &str, presence: Presence) -> &mut Self {
        self.clusters.entry(named(cluster)).or_insert((None, presence)).1 = presence;
        self
    }

    fn decide(&self) -> Decision {
        let contributions = self.clusters.iter().map(|(cluster, (instance, presence))| Contribution {
            cluster,
            instance: instance.as_ref(),
            presence: *presence,
        });
        decide(&self.hostnames, contributions, &self.published, &self.options, at(self.now))
    }

    /// Time passes, and what is decided is written; it is read again, as after a restart.
    fn after(&mut self, seconds: i64) -> Decision {
        self.now += seconds;
        let decision = self.decide();
        let endpoint = decision.publish.endpoint(&gateway_name(), &OWNER, &self.options);
        self.published = Published::read(&endpoint);
        assert_eq!(self.published, decision.publish);
        decision
    }

    /// The targets of a name, as `A 10.0.0.1`, with the cluster that a record is for before it.
    fn targets(&self, name: &str) -> Vec<String> {
        let records = self.published.records.iter().filter(|(key, _)| &*key.name == name);
        let told = records.flat_map(|(key, targets)| {
            let set = key.set.as_deref().map(|set| format!("{set}: ")).unwrap_or_default();
            targets.iter().map(move |target| format!("{set}{} {target}", key.type_.as_str()))
        });
        told.collect()
    }
}

const WEB: &str = "web.example.com";
const API: &str = "api.example.com";
const OWNER: Owner<'static> =
    Owner { api_version: "gateway.networking.k8s.io/v1", kind: "Gateway", uid: "7f0c" };

/// A world with a listener for each of two names.
fn two_names() -> World {
    World::new(&[("api", API), ("web", WEB)])
}

fn gateway_name() -> ObjectName {
    ObjectName::new("apps", "gateway")
}

fn named(cluster: &str) -> ClusterName {
    cluster.parse().unwrap()
}

fn at(second: i64) -> Time {
    Time::from_second(second).unwrap()
}

fn hostnames(listeners: &[(&str, &str)]) -> Vec<(Arc<str>, Arc<str>)> {
    listeners.iter().map(|(listener, hostname)| (Arc::from(*listener), Arc::from(*hostname))).collect()
}

/// A Gateway with these addresses, and so many routes at each of these listeners.
fn gateway(addresses: &[&str], routes: &[(&str, i64)]) -> Instance {
    let address = |value: &&str| {
        let is_hostname = value.contains(char::is_alphabetic) && !value.contains(':');
        Address { type_: if is_hostname { "Hostname" } else { "IPAddress" }.into(), value: (*value).into() }
    };
    let listener = |(name, routes): &(&str, i64)| Listener {
        name: (*name).into(),
        attached_routes: Some(*routes),
        is_current: true,
        programmed: Some(Status::True),
    };
    Instance {
        addresses: addresses.iter().map(address).collect(),
        listeners: routes.iter().map(listener).collect(),
        ..Instance::default()
    }
}

/// The same, with what all listeners say of `Programmed`.
fn programmed(mut instance: Instance, status: Status) -> Instance {
    for listener in &mut instance.listeners {
        listener.programmed = Some(status);
    }
    instance
}

/// Options with which each cluster has a record of its own.
fn weighted() -> DnsOutput {
    let weight = ProviderProperty { name: "aws/weight".to_owned(), value: "100".to_owned() };
    DnsOutput { provider_specific: vec![weight], ..DnsOutput::default() }
}
