//! The loop around a case, and around all of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::{
    clock::Clock,
    kinds::ConfigurationStatusSpec,
    metrics::WriteMetrics,
    refusal::Refusal,
    report::Layout,
    sweep::{Inventory, OwnedPrefix, Sweeper},
};
use futures::StreamExt;
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    runtime::{WatchStreamExt, watcher},
};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{Case, Options, Sight, Stale, Step, Subject, Topic, case::OWN, watch::watch};

/// The field manager of what the aggregator writes.
pub const MANAGER: &str = "allready-config-status";

impl Subject {
    /// How its kind is called in requests.
    pub fn resource(&self) -> ApiResource {
        resource(&self.api_version)
    }
}

fn resource(api_version: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: api_version.to_owned(),
        kind: "ConfigurationStatus".to_owned(),
        plural: "configurationstatuses".to_owned(),
    }
}

/// What answering takes.
#[derive(Clone)]
pub struct Answering {
    /// Who talks to the API server.
    pub client: Client,
    /// How a case is handled.
    pub options: Options,
    /// Whether this replica may write now.
    pub leading: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The time of day.
    pub clock: Clock,
    /// What is written is counted here.
    pub metrics: WriteMetrics,
}

impl Answering {
    /// Answering as the only replica, with the system's clock.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            options: Options::default(),
            leading: Arc::new(|| true),
            clock: Clock::system(),
            metrics: WriteMetrics::default(),
        }
    }
}

/// Answers for one object until the future is dropped.
pub async fn answer_for(answering: Answering, subject: Subject) {
    let start = Instant::now();
    let api: Api<DynamicObject> =
        Api::namespaced_with(answering.client.clone(), &subject.namespace, &subject.resource());
    let mut case = Case::new(subject.clone(), answering.options, Duration::ZERO);
    let (seen, mut sights) = mpsc::channel::<Sight>(1024);
    let mut watches =
        Watches { answering: answering.clone(), subject: subject.clone(), seen, running: BTreeMap::new() };
    let (written, mut writes) = mpsc::channel::<Result<Value, Refusal>>(1);
    let mut sweeps = JoinSet::new();
    let mut swept = Instant::now();
    loop {
        watches.follow(&case);
        while sweeps.try_join_next().is_some() {}
        if sweeps.is_empty() && swept.elapsed() >= SWEEP_EVERY && (answering.leading)() {
            swept = Instant::now();
            for stale in case.stale(start.elapsed()) {
                sweeps.spawn(sweep(answering.clone(), subject.clone(), stale));
            }
        }
        let wait = match case.next((answering.leading)(), start.elapsed(), answering.clock.now()) {
            Step::Write(body) => {
                let (api, written, name) = (api.clone(), written.clone(), subject.name.clone());
                let metrics = answering.metrics.clone();
                tokio::spawn(async move {
                    let result = write(&api, &name, &body, &metrics).await;
                    // The case has ended if nobody listens, and the write was the last.
                    let _ = written.send(result).await;
                });
                None
            }
            Step::Wait(wait) => wait,
        };
        let pause = wait.unwrap_or(Duration::from_hours(1));
        tokio::select! {
            biased;
            Some(result) = writes.recv() => {
                case.wrote(result.as_ref().map_err(|refusal| *refusal), fastrand::f64(), start.elapsed());
            }
            Some(sight) = sights.recv() => {
                case.see(sight, start.elapsed());
                // What has come with it is taken with it.
                while let Ok(sight) = sights.try_recv() {
                    case.see(sight, start.elapsed());
                }
            }
            () = sleep(pause) => {}
        }
    }
}

/// How often it is looked whether somebody has left something behind.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// Takes away what reporters left behind: looks again, and removes only who was gone before too.
async fn sweep(answering: Answering, subject: Subject, stale: Stale) {
    let layout = match stale.kind.as_str() {
        "StatusReport" => Layout::sharded(&subject.namespace, &subject.name),
        OWN => Layout::singleton(subject.resource(), &subject.namespace, &subject.name),
        // The objects of others are theirs to remove.
        _ => return,
    };
    let Some(owned) = OwnedPrefix::new(format!("{}-", stale.component)) else { return };
    let sweeper = Sweeper::new(answering.client, layout, owned).metrics(answering.metrics);
    let mut removals = match sweeper.plan(&Inventory::synced(stale.living)).await {
        Ok(removals) => removals,
        Err(error) => {
            tracing::warn!(%error, "cannot see what reporters left behind and will look again");
            return;
        }
    };
    removals.retain(|removal| stale.gone.contains(&removal.writer));
    let swept = sweeper.execute(removals).await;
    for removal in &swept.done {
        tracing::info!(%removal, "took away what a reporter left behind");
    }
    for (removal, error) in &swept.failed {
        tracing::warn!(%removal, %error, "cannot take away what a reporter left behind and will try again");
    }
}

async fn write(
    api: &Api<DynamicObject>,
    name: &str,
    body: &Value,
    metrics: &WriteMetrics,
) -> Result<Value, Refusal> {
    let apply = PatchParams::apply(MANAGER).force();
    match api.patch_status(name, &apply, &Patch::Apply(body)).await {
        Ok(object) => {
            metrics.sent.inc();
            Ok(serde_json::to_value(&object).unwrap_or_default())
        }
        Err(error) => {
            metrics.retried.inc();
            tracing::debug!(%error, object = name, "a status was not written and will be tried again");
            Err(Refusal::of(&error))
        }
    }
}

/// The watches of a case: one task each, ended when they are dropped.
struct Watches {
    answering: Answering,
    subject: Subject,
    seen: mpsc::Sender<Sight>,
    running: BTreeMap<Topic, JoinSet<()>>,
}

impl Watches {
    /// Watches what the case needs, and no more.
    fn follow(&mut self, case: &Case) {
        if self.running.len() == case.topics().count()
            && case.topics().all(|topic| self.running.contains_key(topic))
        {
            return;
        }
        self.running.retain(|topic, _| case.topics().any(|wanted| wanted == topic));
        for topic in
            case.topics().filter(|topic| !self.running.contains_key(*topic)).cloned().collect::<Vec<_>>()
        {
            let sights = watch(self.answering.client.clone(), &self.subject, topic.clone());
            let seen = self.seen.clone();
            let mut task = JoinSet::new();
            task.spawn(async move {
                let mut sights = std::pin::pin!(sights);
                while let Some(sight) = sights.next().await {
                    if seen.send(sight).await.is_err() {
                        return;
                    }
                }
            });
            self.running.insert(topic, task);
        }
    }
}

/// Which objects are answered for.
#[derive(Clone, Debug)]
pub struct Statuses {
    /// The groups and versions under which ConfigurationStatuses are served.
    pub api_versions: Vec<String>,
    /// The namespace to stay in; all where it is absent.
    pub namespace: Option<String>,
    /// Objects to create where they are not there, with this spec.
    pub ensure: Vec<(Subject, ConfigurationStatusSpec)>,
}

impl Statuses {
    /// Answers for all of them until the future is dropped.
    pub async fn run(self, answering: Answering) {
        let mut cases = Cases::default();
        let watches = self.api_versions.iter().map(|api_version| {
            let resource = resource(api_version);
            let api: Api<DynamicObject> = match &self.namespace {
                Some(namespace) => Api::namespaced_with(answering.client.clone(), namespace, &resource),
                None => Api::all_with(answering.client.clone(), &resource),
            };
            let api_version = api_version.clone();
            watcher(api, watcher::Config::default())
                .default_backoff()
                .map(move |event| (api_version.clone(), event))
                .boxed()
        });
        let mut events = futures::stream::select_all(watches);
        let mut ensure = tokio::time::interval(Duration::from_secs(2));
        loop {
            tokio::select! {
                Some((api_version, event)) = events.next() => cases.follow(&answering, &api_version, event),
                _ = ensure.tick() => self.create_missing(&cases.running, &answering).await,
            }
        }
    }

    async fn create_missing(&self, cases: &BTreeMap<Subject, JoinSet<()>>, answering: &Answering) {
        for (subject, spec) in self.ensure.iter().filter(|(subject, _)| !cases.contains_key(subject)) {
            if !(answering.leading)() {
                return;
            }
            let api: Api<DynamicObject> =
                Api::namespaced_with(answering.client.clone(), &subject.namespace, &subject.resource());
            let object = DynamicObject::new(&subject.name, &subject.resource())
                .within(&subject.namespace)
                .data(json!({ "spec": spec }));
            match api
                .create(
                    &PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() },
                    &object,
                )
                .await
            {
                Ok(_) => tracing::info!(
                    namespace = subject.namespace,
                    name = subject.name,
                    "made a ConfigurationStatus"
                ),
                Err(error) if Refusal::of(&error) == Refusal::AlreadyExists => {}
                Err(error) => tracing::warn!(
                    %error, namespace = subject.namespace, name = subject.name,
                    "cannot make a ConfigurationStatus and will try again: is its CustomResourceDefinition installed?"
                ),
            }
        }
    }
}

/// The cases that are being answered, and those that a list has shown while it is not complete.
#[derive(Default)]
struct Cases {
    running: BTreeMap<Subject, JoinSet<()>>,
    listing: BTreeMap<String, BTreeSet<Subject>>,
}

impl Cases {
    fn follow(
        &mut self,
        answering: &Answering,
        api_version: &str,
        event: watcher::Result<watcher::Event<DynamicObject>>,
    ) {
        let subject = |object: &DynamicObject| Subject {
            api_version: api_version.to_owned(),
            namespace: object.namespace().unwrap_or_default(),
            name: object.name_any(),
        };
        match event {
            Ok(watcher::Event::Init) => drop(self.listing.insert(api_version.to_owned(), BTreeSet::new())),
            Ok(watcher::Event::InitApply(object)) => {
                self.listing.entry(api_version.to_owned()).or_default().insert(subject(&object));
                self.start(answering, subject(&object));
            }
            Ok(watcher::Event::Apply(object)) => self.start(answering, subject(&object)),
            Ok(watcher::Event::Delete(object)) => drop(self.running.remove(&subject(&object))),
            Ok(watcher::Event::InitDone) => {
                let seen = self.listing.remove(api_version).unwrap_or_default();
                self.running
                    .retain(|subject, _| subject.api_version != api_version || seen.contains(subject));
            }
            Err(error) => {
                tracing::warn!(%error, api_version, "ConfigurationStatuses cannot be watched at present");
            }
        }
    }

    fn start(&mut self, answering: &Answering, subject: Subject) {
        self.running.entry(subject.clone()).or_insert_with(|| {
            let mut task = JoinSet::new();
            task.spawn(answer_for(answering.clone(), subject));
            task
        });
    }
}
