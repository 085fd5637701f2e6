//! The loop around a hub: watches in, writes out.

mod remains;
mod watches;
mod writer;

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use allready_kube::{clock::Clock, metrics::WriteMetrics, refusal::Refusal};
use futures::{FutureExt, StreamExt};
use kube::{Client, api::ApiResource};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use self::{
    watches::Watches,
    writer::{Writer, Written},
};
use super::{
    Heard, Place, Spokes,
    board::{Change, Event, Hub, Options},
    inventory::ClusterInventory,
};

/// What running a hub takes.
///
/// # Permissions
///
/// On the hub: get, list and watch StatusAggregations and patch their status; get, list and watch the kinds that are
/// aggregated and patch their status; get, list, watch, create, patch and delete StatusReports, and DNSEndpoints where DNS
/// records are wanted; get, list and watch PlacementDecisions of `cluster.open-cluster-management.io` where they place objects. What of these statuses was written for aggregations that are no more is looked for among all kinds whose
/// status it may patch. In the clusters: get, list and watch the kinds that are aggregated, and nothing else.
pub struct Hubbing {
    /// A client of the hub.
    pub client: Client,
    /// Where clusters come from.
    pub inventory: Box<dyn ClusterInventory>,
    /// How it is run.
    pub options: Options,
    /// Whether this replica may write.
    pub leading: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The time of day.
    pub clock: Clock,
    /// What its writes cost.
    pub metrics: WriteMetrics,
}

impl Hubbing {
    /// One replica, with the time of the machine.
    pub fn new(client: Client, inventory: Box<dyn ClusterInventory>) -> Self {
        Self {
            client,
            inventory,
            options: Options::default(),
            leading: Arc::new(|| true),
            clock: Clock::system(),
            metrics: WriteMetrics::default(),
        }
    }

    /// Runs until the future is dropped; everything that it began ends with it.
    pub async fn run(self) {
        let Self { client, inventory, options, leading, clock, metrics } = self;
        let start = Instant::now();
        let mut hub = Hub::new(options, Duration::ZERO);
        let mut inventories = inventory.watch().fuse();
        let (mut spokes, mut heard): (Spokes, Heard) = Spokes::new();
        let mut watches = Watches::new(client.clone());
        let writer = Writer { client, kinds: Arc::clone(&watches.kinds) };
        let mut under_way: JoinSet<(Place, Written)> = JoinSet::new();
        let mut refused = BTreeMap::new();
        let mut blind = Blind::default();
        let mut has_inventory = true;
        let mut followed = None;
        loop {
            // Looking at all clusters takes long where there are many, and they are the same most of the time.
            if followed.replace(hub.turn()) != Some(hub.turn()) {
                let topics = hub.topics();
                watches.follow(&topics, hub.wants_decisions());
                spokes.ask_every(hub.ask_every());
                let connected = spokes.follow(hub.clusters(), &topics);
                hub.connected(connected);
            }
            let (due, pause) = hub.next(leading(), start.elapsed(), clock.now());
            for (place, body) in due {
                let writer = writer.clone();
                under_way.spawn(async move {
                    let written = AssertUnwindSafe(writer.write(&place, body.as_ref())).catch_unwind().await;
                    // Whatever happens, it is told: nothing else is written there before.
                    let failed = |_| Err((Refusal::Unanswered, "the controller failed on it".to_owned()));
                    (place, written.unwrap_or_else(failed))
                });
            }
            let event = tokio::select! {
                biased;
                Some(Ok((place, written))) = under_way.join_next() => Some(Event::Wrote(place, written)),
                Some(event) = watches.seen.recv() => Some(event),
                words = heard.next() => Some(Event::Heard(words)),
                inventory = inventories.next(), if has_inventory => {
                    has_inventory = inventory.is_some();
                    inventory.map(Event::Inventory)
                }
                () = sleep(pause) => None,
            };
            let (now, time) = (start.elapsed(), clock.now());
            // Whoever has nothing but news does not keep others from being heard.
            let words = heard.next().now_or_never().map(Event::Heard);
            let inventory = has_inventory.then(|| inventories.next().now_or_never().flatten()).flatten();
            for event in event.into_iter().chain(words).chain(inventory.map(Event::Inventory)) {
                if let Event::Wrote(place, written) = &event {
                    note(&metrics, place, written, &mut refused);
                }
                blind.note(&event);
                hub.see(event, now, time);
            }
            // What has come with it is taken with it.
            for _ in 0..BATCH {
                let Ok(event) = watches.seen.try_recv() else { break };
                blind.note(&event);
                hub.see(event, now, time);
            }
        }
    }
}

/// What cannot be seen at present, so that it is logged once.
#[derive(Default)]
struct Blind(BTreeMap<String, String>);

impl Blind {
    fn note(&mut self, event: &Event) {
        let (what, change) = match event {
            Event::Aggregations(change) => ("StatusAggregations".to_owned(), change),
            Event::Reports(change) => ("StatusReports".to_owned(), change),
            Event::Objects((aggregation, _), change) => (format!("the objects of {aggregation}"), change),
            Event::Decisions(change) => ("PlacementDecisions".to_owned(), change),
            Event::Inventory(Err(why)) => return self.fails("the clusters".to_owned(), why),
            Event::Inventory(Ok(_)) => return drop(self.0.remove("the clusters")),
            // Not every cluster has them, and whoever wants some is told in the status.
            Event::Endpoints(_) | Event::Heard(_) | Event::Remains(_) | Event::Wrote(..) => return,
        };
        match change {
            Change::Failed(why) => self.fails(what, why),
            Change::Listed => drop(self.0.remove(&what)),
            Change::Listing | Change::There(_) | Change::Gone(_) => {}
        }
    }

    fn fails(&mut self, what: String, why: &str) {
        if self.0.get(&what).is_none_or(|before| before != why) {
            tracing::warn!(
                why,
                "{what} cannot be seen at present: is the definition installed, and may this controller look?"
            );
            self.0.insert(what, why.to_owned());
        }
    }
}

/// How many sights of the hub are taken before it is looked whether something is to be written.
const BATCH: usize = 1024;

/// Counts a write, and says once what keeps refusing it.
fn note(
    metrics: &WriteMetrics,
    place: &Place,
    written: &Written,
    refused: &mut BTreeMap<Place, (Refusal, u32)>,
) {
    match written {
        Ok(_) => {
            metrics.sent.inc();
            refused.remove(place);
        }
        Err((refusal, why)) => {
            metrics.retried.inc();
            let (last, times) = refused.entry(place.clone()).or_insert((*refusal, 0));
            *times = if last == refusal { times.saturating_add(1) } else { 1 };
            *last = *refusal;
            if !refusal.may_pass() {
                metrics.failed.inc();
            }
            // What may pass is told when it does not.
            if *times == if refusal.may_pass() { 5 } else { 1 } {
                tracing::warn!(%place, why, "cannot write, and will try again: may this controller do so?");
            }
        }
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
