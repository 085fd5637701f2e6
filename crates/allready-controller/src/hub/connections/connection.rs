//! One cluster: connecting, asking, watching, for ever.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_kube::{backoff::Backoff, list_watch::Room};
use futures::FutureExt;
use kube::{Client, config::Kubeconfig};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    TopicId, Topics, offline,
    probe::{Probe, unusable},
    queue::WatchId,
    sender::UpdateSender,
    topic,
    topic_store::TopicStore,
};
use crate::hub::{NoAnswer, access, inventory::Access};

/// How long to wait before connecting again.
const AGAIN: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(30) };
/// How long a credential plugin may take before it is told.
const PLUGIN: Duration = Duration::from_secs(20);

/// How long a connection lasts that was worth something.
const LASTING: Duration = Duration::from_secs(30);
/// The wait before connecting again to a cluster that has not answered.
const SILENT: Backoff = Backoff { min: Duration::from_millis(500), max: Duration::from_secs(2) };
/// The same where a credential plugin runs each time.
const SILENT_PLUGIN: Backoff = Backoff { min: Duration::from_millis(500), max: Duration::from_secs(15) };

/// What is known of each topic. It outlives the watches, so that a new one can tell what is gone.
type TopicStores = BTreeMap<TopicId, Arc<Mutex<TopicStore>>>;

/// Keeps up a connection until the future is dropped.
pub(super) async fn run(
    sender: UpdateSender,
    access: Access,
    topics: watch::Receiver<Topics>,
    probe: Probe,
    room: Arc<Room>,
) {
    let connection =
        Connection { sender: sender.clone(), access, topics, probe, room, stores: BTreeMap::new() };
    run_forever(sender, connection).await;
}

/// Something that is begun again when it ends.
pub(super) trait Run: Send {
    fn run(&mut self) -> impl Future<Output = ()> + Send;

    /// The wait before it is begun again, where it ends soon each time.
    fn pause(&self) -> Backoff {
        SILENT
    }
}

/// Runs this for ever. One that panics is told, and begins again after a while: a fault that one cluster brings to light
/// is that cluster's alone.
pub(super) async fn run_forever(sender: UpdateSender, mut what: impl Run) {
    let (mut failures, mut silences) = (0, 0_u32);
    loop {
        let began = Instant::now();
        if AssertUnwindSafe(what.run()).catch_unwind().await.is_ok() {
            failures = 0;
            // One that answered for a while is asked again at once; one that never does, a little later each time.
            silences = if began.elapsed() > LASTING { 0 } else { silences.saturating_add(1) };
            if silences > 1 {
                sleep(what.pause().delay(silences - 2, fastrand::f64())).await;
            }
            continue;
        }
        let cluster = &sender.connection.cluster;
        tracing::error!(%cluster, "the connection to a cluster ended, and begins again");
        unusable(&sender, "the controller failed on this cluster, and begins again".into());
        sleep(AGAIN.delay(failures, fastrand::f64())).await;
        failures += 1;
    }
}

struct Connection {
    sender: UpdateSender,
    access: Access,
    topics: watch::Receiver<Topics>,
    probe: Probe,
    room: Arc<Room>,
    stores: TopicStores,
}

impl Run for Connection {
    fn pause(&self) -> Backoff {
        let has_plugin =
            matches!(&self.access, Access::Kubeconfig(kubeconfig) if access::has_plugin(kubeconfig));
        if has_plugin { SILENT_PLUGIN } else { SILENT }
    }

    async fn run(&mut self) {
        match self.access.clone() {
            Access::Kubeconfig(kubeconfig) => {
                let client = self.connect(&kubeconfig).await;
                self.watch(&client).await;
            }
            Access::Client(client) => self.watch(&client).await,
            Access::Objects(objects) => {
                offline::send_objects(&objects, &self.sender, &mut self.topics, &self.probe).await;
            }
            Access::Unusable(why) => {
                unusable(&self.sender, NoAnswer::refused(why));
                // A topic that is new cannot be seen either.
                changed(&mut self.topics).await;
            }
        }
    }
}

impl Connection {
    /// A client, as soon as there is one.
    async fn connect(&mut self, kubeconfig: &Arc<Kubeconfig>) -> Client {
        let mut failures = 0;
        loop {
            let why = match self.client(kubeconfig).await {
                Ok(client) => return client,
                Err(why) => why,
            };
            unusable(&self.sender, why);
            tokio::select! {
                () = sleep(AGAIN.delay(failures, fastrand::f64())) => failures += 1,
                () = changed(&mut self.topics) => {}
            }
        }
    }

    async fn client(&self, kubeconfig: &Arc<Kubeconfig>) -> Result<Client, NoAnswer> {
        let kubeconfig = kubeconfig.clone();
        // A credential plugin is run, and files are read, before it returns.
        let mut made = tokio::task::spawn_blocking(move || access::client(&kubeconfig));
        loop {
            match timeout(PLUGIN, &mut made).await {
                // A plugin may fail once, and not the next time.
                Ok(Ok(client)) => return client.map_err(|error| error.to_string().into()),
                Ok(Err(_)) => return Err("the controller failed on its kubeconfig".into()),
                // It is waited for: another one beside it would hang as well.
                Err(_) => unusable(&self.sender, "its credential plugin does not answer".into()),
            }
        }
    }

    /// Watches what is followed, until the cluster does not answer any more.
    async fn watch(&mut self, client: &Client) {
        let mut watches: BTreeMap<WatchId, JoinSet<()>> = BTreeMap::new();
        let mut asking = std::pin::pin!(self.probe.clone().run(client.clone(), self.sender.clone()));
        loop {
            let topics = self.topics.borrow_and_update().clone();
            watches.retain(|watch_id, _| {
                topics.get(&watch_id.topic).is_some_and(|(serial, _)| *serial == watch_id.serial)
            });
            self.stores.retain(|id, _| topics.contains_key(id));
            for (id, (serial, topic)) in topics {
                let watch_id = WatchId { topic: id.clone(), serial };
                let fresh = || Arc::new(Mutex::new(TopicStore::new(Arc::clone(&self.room))));
                let store = self.stores.entry(id).or_insert_with(fresh);
                watches.entry(watch_id.clone()).or_insert_with(|| {
                    let (client, sender, store) = (client.clone(), self.sender.clone(), store.clone());
                    let mut task = JoinSet::new();
                    task.spawn(topic::watch(client, topic, watch_id, sender, store));
                    task
                });
            }
            tokio::select! {
                () = &mut asking => break,
                () = changed(&mut self.topics) => {}
            }
        }
        // Those that take their place share what is known with them: these have to be at their end.
        for mut task in watches.into_values() {
            task.shutdown().await;
        }
    }
}

/// When the topics change; never, when they cannot any more.
async fn changed(topics: &mut watch::Receiver<Topics>) {
    if topics.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}
