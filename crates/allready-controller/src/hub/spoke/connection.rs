//! One cluster: connecting, asking, watching, for ever.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_kube::backoff::Backoff;
use futures::FutureExt;
use kube::{Client, config::Kubeconfig};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    TopicId, Topics,
    mailbox::About,
    offline,
    post::Outlet,
    probe::{Pulse, unusable},
    roll::Roll,
    topic,
};
use crate::hub::{NoAnswer, access, inventory::Access};

/// How long to wait before connecting again.
const AGAIN: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(30) };
/// How long a credential plugin may take before it is told.
const PLUGIN: Duration = Duration::from_secs(20);

/// How long a connection lasts that was worth something.
const LASTING: Duration = Duration::from_secs(30);
/// How long to wait before connecting to a cluster again that has not answered: a credential plugin runs each time.
const SILENT: Backoff = Backoff { min: Duration::from_millis(500), max: Duration::from_secs(15) };

/// What is known of each topic. It outlives the watches, so that a new one can tell what is gone.
type Rolls = BTreeMap<TopicId, Arc<Mutex<Roll>>>;

/// Keeps up a connection until the future is dropped.
pub(super) async fn keep(outlet: Outlet, access: Access, topics: watch::Receiver<Topics>, pulse: Pulse) {
    let connection = Connection { outlet: outlet.clone(), access, topics, pulse, rolls: BTreeMap::new() };
    again_and_again(outlet, connection).await;
}

/// Something that is begun again when it ends.
pub(super) trait Run: Send {
    fn run(&mut self) -> impl Future<Output = ()> + Send;
}

/// Runs this for ever. One that panics is told, and begins again after a while: a fault that one cluster brings to light
/// is that cluster's alone.
pub(super) async fn again_and_again(outlet: Outlet, mut what: impl Run) {
    let (mut failures, mut silences) = (0, 0_u32);
    loop {
        let began = Instant::now();
        if AssertUnwindSafe(what.run()).catch_unwind().await.is_ok() {
            failures = 0;
            // One that answered for a while is asked again at once; one that never does, a little later each time.
            silences = if began.elapsed() > LASTING { 0 } else { silences.saturating_add(1) };
            if silences > 1 {
                sleep(SILENT.delay(silences - 2, fastrand::f64())).await;
            }
            continue;
        }
        let cluster = &outlet.sender.cluster;
        tracing::error!(%cluster, "the connection to a cluster ended, and begins again");
        unusable(&outlet, "the controller failed on this cluster, and begins again".into());
        sleep(AGAIN.delay(failures, fastrand::f64())).await;
        failures += 1;
    }
}

struct Connection {
    outlet: Outlet,
    access: Access,
    topics: watch::Receiver<Topics>,
    pulse: Pulse,
    rolls: Rolls,
}

impl Run for Connection {
    async fn run(&mut self) {
        match self.access.clone() {
            Access::Kubeconfig(kubeconfig) => {
                let client = self.connect(&kubeconfig).await;
                self.watch(&client).await;
            }
            Access::Client(client) => self.watch(&client).await,
            Access::Objects(objects) => {
                offline::tell(&objects, &self.outlet, &mut self.topics, &self.pulse).await;
            }
            Access::Unusable(why) => {
                unusable(&self.outlet, NoAnswer::refused(why));
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
            unusable(&self.outlet, why);
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
                Err(_) => unusable(&self.outlet, "its credential plugin does not answer".into()),
            }
        }
    }

    /// Watches what is followed, until the cluster does not answer any more.
    async fn watch(&mut self, client: &Client) {
        let mut watches: BTreeMap<About, JoinSet<()>> = BTreeMap::new();
        let mut asking = std::pin::pin!(self.pulse.clone().beat(client.clone(), self.outlet.clone()));
        loop {
            let topics = self.topics.borrow_and_update().clone();
            watches.retain(|about, _| {
                topics.get(&about.topic).is_some_and(|(serial, _)| *serial == about.serial)
            });
            self.rolls.retain(|id, _| topics.contains_key(id));
            for (id, (serial, topic)) in topics {
                let about = About { topic: id.clone(), serial };
                let roll = self.rolls.entry(id).or_default();
                watches.entry(about.clone()).or_insert_with(|| {
                    let (client, outlet, roll) = (client.clone(), self.outlet.clone(), roll.clone());
                    let mut task = JoinSet::new();
                    task.spawn(topic::watch(client, topic, about, outlet, roll));
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
