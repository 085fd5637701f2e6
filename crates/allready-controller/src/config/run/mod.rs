//! The loop around a case, and around all of them.

mod statuses;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::{
    backoff::Backoff,
    clock::Clock,
    metrics::WriteMetrics,
    refusal::Refusal,
    report::Layout,
    sweep::{Inventory, OwnedPrefix, Sweeper},
};
use futures::StreamExt;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

pub use self::statuses::Statuses;
use super::{Case, Options, Origin, Sight, Stale, Step, Subject, Topic, case::OWN, watch::watch};
use allready_kube::list_watch::{NO_ANSWER, REQUEST_TIMEOUT};

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
    match timeout(REQUEST_TIMEOUT, api.patch_status(name, &apply, &Patch::Apply(body))).await {
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
