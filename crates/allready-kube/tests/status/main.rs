//! The status updater on the embedded server.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod access;
mod cases;
mod dynamic;
mod kinds;
mod requeue;
mod set;
mod writing;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule, RuleId},
};
use allready_core::{Condition, Message, Reason, Status, Time};
use allready_kube::{
    backoff::Backoff,
    clock::Clock,
    events::MemorySink,
    status::{ReasonedError, Reconciled, Requeue, Retry, StatusUpdater},
};
use kube::{
    Api, Client, CustomResourceExt, Resource,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    core::NamespaceResourceScope,
};
use serde_json::{Value, json};

use kinds::{Phase, Pool, PoolSpec, PoolStatus};

/// A server with the kinds of these tests, a client, and a clock that stands still until it is moved.
struct Cluster {
    server: ApiServer,
    client: Client,
    second: Arc<AtomicI64>,
    requests: RuleId,
}

impl Cluster {
    fn new() -> Self {
        let crds =
            [Pool::crd(), kinds::Nested::crd(), kinds::Other::crd(), allready_kube::crd::crd::<kinds::Net>()];
        let crds = crds.map(|crd| serde_json::to_value(crd).unwrap());
        let server = ApiServer::builder().crds(crds).seed(1).build().unwrap();
        let client = Client::new(server.service(), "default");
        // A rule that never fires counts the calls that it matches.
        let requests = server.faults().add(Rule::new(Effect::InternalError).rate(0.0));
        Self { server, client, second: Arc::new(AtomicI64::new(1_000)), requests }
    }

    fn clock(&self) -> Clock {
        let second = Arc::clone(&self.second);
        Clock::new(move || jiff::Timestamp::from_second(second.load(Ordering::Relaxed)).unwrap())
    }

    fn at(&self, second: i64) -> Time {
        self.second.store(second, Ordering::Relaxed);
        Time::from_second(second).unwrap()
    }

    /// How many requests were sent while this was done.
    async fn counted<T>(&self, work: impl Future<Output = T>) -> (T, u64) {
        let before = self.server.faults().matched(self.requests);
        let done = work.await;
        (done, self.server.faults().matched(self.requests) - before)
    }

    fn fault(&self, effect: Effect, verb: Verb, calls: u64) -> RuleId {
        self.server.faults().add(Rule::new(effect).verb(verb).next_calls(calls))
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), "default")
    }

    async fn pool(&self, name: &str) -> Arc<Pool> {
        let pool = Pool::new(name, PoolSpec { size: 1 });
        Arc::new(self.api().create(&PostParams::default(), &pool).await.unwrap())
    }

    /// Changes the spec, and so the generation.
    async fn resize(&self, name: &str) {
        let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
        self.api::<Pool>().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    async fn get(&self, name: &str) -> Arc<Pool> {
        Arc::new(self.api().get(name).await.unwrap())
    }

    /// Writes the status past the updater.
    async fn write(&self, name: &str, status: Value) -> Arc<Pool> {
        self.write_as("somebody-else", name, status).await
    }

    async fn write_as(&self, manager: &str, name: &str, status: Value) -> Arc<Pool> {
        let patch = Patch::Merge(json!({ "status": status }));
        let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
        Arc::new(self.api().patch_status(name, &params, &patch).await.unwrap())
    }

    /// An updater with a phase that follows the conditions, on the clock of the cluster and quick to try again.
    fn updater(&self) -> StatusUpdater<Pool> {
        self.updater_as(self.client.clone())
    }

    fn updater_as(&self, client: Client) -> StatusUpdater<Pool> {
        let updater = StatusUpdater::<Pool>::new(client, "pool-controller").events(MemorySink::default());
        updater.clock(self.clock()).retry(quick()).phase(|view| {
            let fine = view.error.is_none()
                && view.conditions.iter().all(|condition| condition.status == Status::True);
            Ok::<_, ReasonedError>(if fine { Phase::Succeeded } else { Phase::Failed })
        })
    }
}

fn quick() -> Retry {
    let backoff = Backoff { min: Duration::from_millis(1), max: Duration::from_secs(1) };
    Retry { tries: 6, backoff }
}

/// What a reconcile says, as a value.
#[derive(Clone)]
struct Work {
    pool: Arc<Pool>,
    conditions: Vec<(&'static str, Status)>,
    remove: Vec<&'static str>,
    reason: Option<Reason>,
    message: Option<Message>,
    edited: Option<PoolStatus>,
    error: Option<ReasonedError>,
    requeue: Requeue,
}

impl Work {
    fn failed(self, error: ReasonedError) -> Self {
        Self { error: Some(error), ..self }
    }

    fn requeue(self, requeue: impl Into<Requeue>) -> Self {
        Self { requeue: requeue.into(), ..self }
    }
}

fn work(pool: &Arc<Pool>, conditions: &[(&'static str, Status)]) -> Work {
    Work {
        pool: Arc::clone(pool),
        conditions: conditions.to_vec(),
        remove: Vec::new(),
        reason: None,
        message: None,
        edited: None,
        error: None,
        requeue: Requeue::AwaitChange,
    }
}

trait Update {
    async fn update(&self, work: Work) -> Reconciled;
}

impl Update for StatusUpdater<Pool> {
    async fn update(&self, work: Work) -> Reconciled {
        let Work { pool, conditions, remove, reason, message, edited, error, requeue } = work;
        self.run(&pool, async |c| {
            for (type_, status) in conditions {
                c.mark(type_, status, Reason::from_static(type_), "checked").unwrap();
            }
            for type_ in remove {
                c.clear(type_).unwrap();
            }
            (c.reason, c.message) = (reason, message);
            if let Some(edited) = edited {
                c.status = edited;
            }
            error.map_or(Ok(requeue), Err)
        })
        .await
    }
}

fn status(pool: &Pool) -> &PoolStatus {
    pool.status.as_ref().unwrap()
}

/// What a status says about its conditions, without reasons and messages.
fn told(conditions: &[Condition]) -> BTreeMap<&str, (Status, i64)> {
    let told = |condition: &Condition| (condition.status, condition.last_transition_time.as_second());
    conditions.iter().map(|condition| (condition.type_.as_str(), told(condition))).collect()
}

fn stored(object: &DynamicObject) -> &Value {
    &object.data["status"]
}
