//! The loop around a case, and around all of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::{
    backoff::Backoff,
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
    task::{JoinError, JoinSet},
    time::{Instant, sleep, timeout},
};

use super::{Case, Options, Origin, Sight, Stale, Step, Subject, Topic, case::OWN, watch::watch};
use crate::watching::{ANSWER, NO_ANSWER};

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
    // Whatever is under way ends with the case: who does not lead any more has nothing left that writes.
    let mut writes = JoinSet::new();
    let mut sweeps = Sweeps { running: JoinSet::new(), due: start + SWEEP_EVERY, failures: 0 };
    let mut refused = None;
    loop {
        watches.follow(&case);
        if (answering.leading)() {
            sweeps.follow(&mut case, &answering, &subject, start.elapsed());
        }
        let pause = match case.next((answering.leading)(), start.elapsed(), answering.clock.now()) {
            Step::Write(body) => {
                let (api, name) = (api.clone(), subject.name.clone());
                writes.spawn(async move { write(&api, &name, &body).await });
                Duration::from_hours(1)
            }
            Step::Wait(wait) => wait.unwrap_or(Duration::from_hours(1)),
        };
        tokio::select! {
            biased;
            Some(written) = writes.join_next() => {
                // A write that panicked is one without an answer.
                let written = written.unwrap_or(Err((Refusal::Unanswered, String::new())));
                note(&answering.metrics, &subject, &written, &mut refused);
                let written = written.as_ref().map_err(|(refusal, _)| *refusal);
                case.wrote(written, fastrand::f64(), start.elapsed());
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

type Written = Result<Value, (Refusal, String)>;

async fn write(api: &Api<DynamicObject>, name: &str, body: &Value) -> Written {
    let apply = PatchParams::apply(MANAGER).force();
    match timeout(ANSWER, api.patch_status(name, &apply, &Patch::Apply(body))).await {
        Ok(Ok(object)) => Ok(serde_json::to_value(&object).unwrap_or_default()),
        Ok(Err(error)) => Err((Refusal::of(&error), error.to_string())),
        Err(_) => Err((Refusal::Unanswered, NO_ANSWER.to_owned())),
    }
}

/// Counts a write, and says once what keeps refusing it.
fn note(metrics: &WriteMetrics, subject: &Subject, written: &Written, refused: &mut Option<Refusal>) {
    match written {
        Ok(_) => {
            metrics.sent.inc();
            if refused.take().is_some_and(|refusal| !refusal.may_pass()) {
                tracing::info!(
                    namespace = subject.namespace,
                    name = subject.name,
                    "the status is written again"
                );
            }
        }
        Err((refusal, why)) => {
            metrics.retried.inc();
            if !refusal.may_pass() {
                metrics.failed.inc();
                if *refused != Some(*refusal) {
                    tracing::warn!(
                        namespace = subject.namespace,
                        name = subject.name,
                        why,
                        "the status cannot be written, and will be tried again: may this controller patch it?"
                    );
                }
            }
            *refused = Some(*refusal);
        }
    }
}

/// The sweeps of a case: one at a time, and later when they fail.
struct Sweeps {
    running: JoinSet<bool>,
    due: Instant,
    failures: u32,
}

impl Sweeps {
    fn follow(&mut self, case: &mut Case, answering: &Answering, subject: &Subject, now: Duration) {
        while let Some(swept) = self.running.try_join_next() {
            self.failures = if swept.unwrap_or(false) { 0 } else { self.failures.saturating_add(1) };
            let wait = Backoff { min: SWEEP_EVERY, max: Duration::from_mins(1) }.delay(self.failures, 1.0);
            self.due = Instant::now() + wait;
        }
        if !self.running.is_empty() || Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + SWEEP_EVERY;
        for stale in case.stale(now) {
            self.running.spawn(sweep(answering.clone(), subject.clone(), stale));
        }
    }
}

/// How often it is looked whether somebody has left something behind.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// Takes away what reporters left behind: looks again, and removes only who was gone before too. Says whether that went well.
async fn sweep(answering: Answering, subject: Subject, stale: Stale) -> bool {
    let layout = match stale.kind.as_str() {
        Origin::STATUS_REPORT => Layout::sharded(&subject.namespace, &subject.name),
        OWN => Layout::singleton(subject.resource(), &subject.namespace, &subject.name),
        // The objects of others are theirs to remove.
        _ => return true,
    };
    let Some(owned) = OwnedPrefix::new(format!("{}-", stale.component)) else { return true };
    let sweeper = Sweeper::new(answering.client, layout, owned).metrics(answering.metrics);
    let mut removals = match sweeper.plan(&Inventory::synced(stale.living)).await {
        Ok(removals) => removals,
        Err(error) => {
            tracing::warn!(%error, "cannot see what reporters left behind and will look again");
            return false;
        }
    };
    removals.retain(|removal| stale.gone.contains(&removal.writer));
    for removal in removals {
        if !(answering.leading)() {
            return true;
        }
        let swept = sweeper.execute(vec![removal]).await;
        for removal in &swept.done {
            tracing::info!(%removal, "took away what a reporter left behind");
        }
        if let Some((removal, error)) = swept.failed.first() {
            tracing::warn!(%removal, %error, "cannot take away what a reporter left behind and will try again");
            return false;
        }
    }
    true
}

/// The watches of a case: one task each, ended when they are dropped.
struct Watches {
    answering: Answering,
    subject: Subject,
    seen: mpsc::Sender<Sight>,
    running: BTreeMap<(Topic, u64), JoinSet<()>>,
}

impl Watches {
    /// Watches what the case needs, and no more.
    fn follow(&mut self, case: &Case) {
        if self.running.keys().map(|(topic, epoch)| (topic, *epoch)).eq(case.topics()) {
            return;
        }
        let wanted: BTreeSet<_> = case.topics().map(|(topic, epoch)| (topic.clone(), epoch)).collect();
        self.running.retain(|key, _| wanted.contains(key));
        for (topic, epoch) in wanted {
            let Self { answering, subject, seen, running } = self;
            running.entry((topic.clone(), epoch)).or_insert_with(|| {
                let sights = watch(answering.client.clone(), subject, topic, epoch);
                let seen = seen.clone();
                let mut task = JoinSet::new();
                task.spawn(async move {
                    let mut sights = std::pin::pin!(sights);
                    while let Some(sight) = sights.next().await {
                        if seen.send(sight).await.is_err() {
                            return;
                        }
                    }
                });
                task
            });
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
        let mut ensure = tokio::time::interval(Duration::from_millis(250));
        let mut making = JoinSet::new();
        let mut refused = BTreeMap::new();
        loop {
            tokio::select! {
                Some((api_version, event)) = events.next() => cases.follow(&answering, &api_version, event),
                Some(made) = making.join_next() => note_made(made, &mut refused),
                _ = ensure.tick() => {
                    cases.restart_what_ended(&answering);
                    if making.is_empty() && (answering.leading)() {
                        self.make_missing(&cases.running, &answering, &refused, &mut making);
                    }
                }
            }
        }
    }

    /// Makes what is to be there and is not; what was refused, only now and then.
    fn make_missing(
        &self,
        cases: &BTreeMap<Subject, JoinSet<()>>,
        answering: &Answering,
        refused: &BTreeMap<Subject, (Instant, String)>,
        making: &mut JoinSet<Made>,
    ) {
        let rested = |subject: &Subject| {
            refused.get(subject).is_none_or(|(last, _)| last.elapsed() > Duration::from_secs(2))
        };
        let missing =
            self.ensure.iter().filter(|(subject, _)| !cases.contains_key(subject) && rested(subject));
        for (subject, spec) in missing {
            making.spawn(make(answering.client.clone(), subject.clone(), spec.clone()));
        }
    }
}

/// Which object was made, or why not.
type Made = (Subject, Result<(), String>);

async fn make(client: Client, subject: Subject, spec: ConfigurationStatusSpec) -> Made {
    let api: Api<DynamicObject> = Api::namespaced_with(client, &subject.namespace, &subject.resource());
    let object = DynamicObject::new(&subject.name, &subject.resource())
        .within(&subject.namespace)
        .data(json!({ "spec": spec }));
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    let made = match timeout(ANSWER, api.create(&params, &object)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) if Refusal::of(&error) == Refusal::AlreadyExists => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(NO_ANSWER.to_owned()),
    };
    (subject, made)
}

/// Says once why an object cannot be made.
fn note_made(made: Result<Made, JoinError>, refused: &mut BTreeMap<Subject, (Instant, String)>) {
    match made {
        Ok((subject, Ok(()))) => drop(refused.remove(&subject)),
        Ok((subject, Err(why))) => {
            if refused.get(&subject).is_none_or(|(_, before)| *before != why) {
                tracing::warn!(
                    why,
                    namespace = subject.namespace,
                    name = subject.name,
                    "cannot make a ConfigurationStatus and will try again: is its CustomResourceDefinition installed?"
                );
            }
            refused.insert(subject, (Instant::now(), why));
        }
        Err(error) => tracing::error!(%error, "making a ConfigurationStatus ended early"),
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

    /// A case never ends by itself: what has ended is begun again.
    fn restart_what_ended(&mut self, answering: &Answering) {
        let mut ended = Vec::new();
        for (subject, task) in &mut self.running {
            if let Some(how) = task.try_join_next() {
                let (namespace, name) = (&subject.namespace, &subject.name);
                tracing::error!(?how, namespace, name, "a case ended, and begins again");
                ended.push(subject.clone());
            }
        }
        for subject in ended {
            self.running.remove(&subject);
            self.start(answering, subject);
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
