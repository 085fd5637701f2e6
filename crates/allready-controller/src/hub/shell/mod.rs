//! The I/O of the hub: watches in, writes out.

mod leftovers;
mod watches;
mod writer;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::{FutureExt, StreamExt, stream::BoxStream};
use kube::{Client, api::ApiResource};
use serde_json::Value;

use self::{watches::Watches, writer::Writer};
use super::{
    ClusterConnections, ClusterName, ClusterUpdates, HubEvent, HubState, Options, Target,
    inventory::{ClusterInventory, Inventory},
};
use crate::engine::{self, Engine, Queue, Running, Shell, Written};

/// The controller of the hub.
///
/// # Permissions
///
/// On the hub: get, list and watch StatusAggregations and patch their status; get, list and watch the kinds that are
/// aggregated and patch their status; get, list, watch, create, patch and delete InstanceStatuses, in its own namespace ClusterStatuses
/// and Leases, and DNSEndpoints where DNS records are wanted; get, list and watch PlacementDecisions of `cluster.open-cluster-management.io` where they place objects. What of these statuses was written for aggregations that are no more is looked for among all kinds whose
/// status it may patch. In the clusters: get, list and watch the kinds that are aggregated, and nothing else.
pub struct HubController {
    /// A client of the hub.
    pub client: Client,
    /// The inventory of clusters.
    pub inventory: Box<dyn ClusterInventory>,
    /// The options.
    pub options: Options,
    /// The leader, the clock, health and metrics.
    pub running: Running,
}

impl HubController {
    /// One replica, with the time of the machine.
    pub fn new(client: Client, inventory: Box<dyn ClusterInventory>) -> Self {
        Self { client, inventory, options: Options::default(), running: Running::default() }
    }

    /// Runs until the future is dropped; everything that it began ends with it.
    pub async fn run(self) {
        let Self { client, inventory, options, running } = self;
        let (namespace, dns) = (options.namespace.clone(), options.dns);
        let queue = Queue::new(options.pace, options.backoff, Target::rank).fair(Target::namespace);
        let engine = Engine::new(HubState::new(options, Duration::ZERO), queue);
        engine::run(engine, HubShell::new(client, &*inventory, namespace, dns), running).await;
    }
}

/// The watches of the hub and of its clusters, and the writes to the hub.
struct HubShell {
    inventories: BoxStream<'static, Result<Inventory, String>>,
    has_inventory: bool,
    connections: ClusterConnections,
    updates: ClusterUpdates,
    watches: Watches,
    writer: Writer,
    /// The last turn of the state that was followed, and the connections that were made for it.
    followed: Option<u64>,
    connected: BTreeMap<ClusterName, u64>,
}

impl HubShell {
    fn new(client: Client, inventory: &dyn ClusterInventory, namespace: String, dns: bool) -> Self {
        let (connections, updates) = ClusterConnections::new();
        let watches = Watches::new(client.clone(), &namespace, dns);
        let writer = Writer { client, namespace: namespace.into(), kinds: Arc::clone(&watches.kinds) };
        Self {
            inventories: inventory.watch(),
            has_inventory: true,
            connections,
            updates,
            watches,
            writer,
            followed: None,
            connected: BTreeMap::new(),
        }
    }

    /// The next event, as soon as there is one.
    async fn next(&mut self) -> HubEvent {
        loop {
            tokio::select! {
                biased;
                Some(event) = self.watches.seen.next() => return event,
                updates = self.updates.next() => return HubEvent::Clusters(updates),
                inventory = self.inventories.next(), if self.has_inventory => match inventory {
                    Some(inventory) => return HubEvent::Inventory(inventory),
                    None => self.has_inventory = false,
                },
            }
        }
    }
}

impl Shell<HubState> for HubShell {
    fn follow(&mut self, state: &mut HubState) {
        // Looking at all clusters takes long where there are many, and they are the same most of the time.
        if self.followed.replace(state.turn()) != Some(state.turn()) {
            let topics = state.topics();
            self.watches.follow(&topics, state.wants_decisions());
            self.connections.ask_every(state.ask_every());
            self.connected.extend(self.connections.follow(state.clusters(), &topics));
        }
    }

    async fn events(&mut self) -> Vec<HubEvent> {
        let mut events = Vec::new();
        if self.connected.is_empty() {
            events.push(self.next().await);
        } else {
            // What a new connection says is taken only when it is known.
            events.push(HubEvent::Connected(std::mem::take(&mut self.connected)));
        }
        // Whoever has nothing but news does not keep others from being heard, and what has come with it is taken with it.
        events.extend(self.updates.next().now_or_never().map(HubEvent::Clusters));
        if self.has_inventory {
            let inventory = self.inventories.next().now_or_never().flatten();
            events.extend(inventory.map(HubEvent::Inventory));
        }
        self.watches.seen.take(&mut events);
        events
    }

    fn write(&self, target: Target, body: Option<Value>) -> impl Future<Output = Written> + Send + 'static {
        let writer = self.writer.clone();
        async move { writer.write(&target, body.as_ref()).await }
    }
}

fn placement_decision() -> ApiResource {
    ApiResource {
        group: "cluster.open-cluster-management.io".to_owned(),
        version: "v1beta1".to_owned(),
        api_version: "cluster.open-cluster-management.io/v1beta1".to_owned(),
        kind: "PlacementDecision".to_owned(),
        plural: "placementdecisions".to_owned(),
    }
}

fn dns_endpoint() -> ApiResource {
    ApiResource {
        group: "externaldns.k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "externaldns.k8s.io/v1alpha1".to_owned(),
        kind: "DNSEndpoint".to_owned(),
        plural: "dnsendpoints".to_owned(),
    }
}
