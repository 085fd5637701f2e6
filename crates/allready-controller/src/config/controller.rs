//! The controller of ConfigurationStatuses: watches in, writes out.

use std::{collections::BTreeMap, future::Future, sync::Arc};

use allready_core::transition;
use allready_kube::{
    events::{ApiSink, Origin as EventOrigin, Recording},
    kinds::ConfigurationStatusSpec,
    metrics::WriteMetrics,
    refusal::{Refusal, describe},
    report::{Identity, Layout},
    sweep::{Inventory, OwnedPrefix, Sweeper},
};
use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client,
    api::{DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::Value;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{
    ConfigEvent, ConfigReconciler, ConfigTarget, Leftovers, Options, Origin, StatusKey, Watch,
    reconciler::ReadyTransition,
    status::{OWN, owned},
};
use crate::{
    engine::{Engine, Inbox, Running, Sender, Shell, Written, inbox, run},
    metrics::ControllerMetrics,
};

/// The field manager of what the controller writes.
pub const MANAGER: &str = "allready-controller";

/// The controller that gives ConfigurationStatuses a true `Ready`.
///
/// # Permissions
/// `list` and `watch` on ConfigurationStatuses, StatusReports, nodes, and, in the namespaces of ConfigurationStatuses, pods, DaemonSets
/// and Leases, as their specs need them, and on the objects of their sources; `patch` on the status of ConfigurationStatuses, and
/// `create` on those that are to be made; `list` and `delete` on StatusReports; `create` and `patch` on Events.
#[derive(Clone)]
pub struct ConfigController {
    /// A client of the cluster.
    pub client: Client,
    /// The groups and versions under which ConfigurationStatuses are served.
    pub api_versions: Vec<String>,
    /// The namespaces to stay in; all where it is empty.
    pub namespaces: Vec<String>,
    /// Objects to create where they are missing, with this spec.
    pub ensure: Vec<(StatusKey, ConfigurationStatusSpec)>,
    /// The options.
    pub options: Options,
    /// The leader, the clock, health and metrics.
    pub running: Running,
}

impl ConfigController {
    /// The only replica, for all ConfigurationStatuses of `allready.dev`.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            api_versions: vec!["allready.dev/v1alpha1".to_owned()],
            namespaces: Vec::new(),
            ensure: Vec::new(),
            options: Options::default(),
            running: Running::default(),
        }
    }

    /// Runs until the future is dropped; everything that it began ends with it.
    pub async fn run(self) {
        let Self { client, api_versions, namespaces, ensure, options, running } = self;
        let namespaces: Vec<Option<String>> =
            if namespaces.is_empty() { vec![None] } else { namespaces.into_iter().map(Some).collect() };
        let scopes = api_versions.iter().flat_map(|api_version| {
            namespaces.iter().map(|namespace| Watch::Statuses {
                api_version: api_version.clone(),
                namespace: namespace.clone(),
            })
        });
        let reconciler = ConfigReconciler::new(scopes, ensure, options);
        let queue = reconciler.queue();
        let shell = ConfigShell::new(client, &running);
        run(Engine::new(reconciler, queue), shell, running).await;
    }
}

/// The watches and writes of the controller.
struct ConfigShell {
    client: Client,
    writes: WriteMetrics,
    metrics: ControllerMetrics,
    recording: Recording,
    sender: Sender<ConfigEvent>,
    events: Inbox<ConfigEvent>,
    /// The pages of lists that may be in memory at a time: of sources, and of everything else.
    pages: [Arc<Semaphore>; 2],
    /// The running watches by what they watch and their number: one task each, which ends when it is dropped.
    watches: BTreeMap<(Watch, u64), JoinSet<()>>,
}

/// The most pages of lists that are in memory at a time: of sources, of which specs decide how many there are, and of everything else, which does
/// not wait for them.
const PAGES: [usize; 2] = [2, 3];

impl ConfigShell {
    fn new(client: Client, running: &Running) -> Self {
        let (sender, events) = inbox();
        let recording =
            Recording::default().sink(ApiSink::start(client.clone(), EventOrigin::new(MANAGER, "")));
        let (writes, metrics) = (running.writes.clone(), running.metrics.clone());
        let pages = PAGES.map(|pages| Arc::new(Semaphore::new(pages)));
        Self { client, writes, metrics, recording, sender, events, pages, watches: BTreeMap::new() }
    }

    /// Tells people that `Ready` is another one.
    fn record(&self, ReadyTransition { object, before, after }: ReadyTransition) {
        self.metrics.ready_became(after.status);
        let text = |part: &Value| part.as_str().map(str::to_owned);
        let regarding = ObjectReference {
            api_version: text(&object["apiVersion"]),
            kind: text(&object["kind"]),
            namespace: text(&object["metadata"]["namespace"]),
            name: text(&object["metadata"]["name"]),
            uid: text(&object["metadata"]["uid"]),
            resource_version: text(&object["metadata"]["resourceVersion"]),
            field_path: None,
        };
        let before: Vec<_> = before.into_iter().collect();
        self.recording.record(&regarding, &transition::diff(&before, &[after]));
    }
}

impl Shell<ConfigReconciler> for ConfigShell {
    fn follow(&mut self, reconciler: &mut ConfigReconciler) {
        for transition in std::mem::take(&mut reconciler.transitions) {
            self.record(transition);
        }
        if self.watches.keys().map(|(watch, number)| (watch, *number)).eq(reconciler.wanted_watches()) {
            return;
        }
        let mut before = std::mem::take(&mut self.watches);
        for (watch, number) in reconciler.wanted_watches() {
            let key = (watch.clone(), number);
            let [of_sources, of_others] = &self.pages;
            let pages = if matches!(watch, Watch::Source { .. }) { of_sources } else { of_others };
            let task = before.remove(&key).unwrap_or_else(|| {
                let (events, sender, watch) =
                    (watch.events(self.client.clone(), pages), self.sender.clone(), watch.clone());
                let mut task = JoinSet::new();
                task.spawn(async move {
                    let mut events = std::pin::pin!(events);
                    while let Some(event) = events.next().await {
                        let event = ConfigEvent { watch: watch.clone(), number, event };
                        let bytes = event.bytes();
                        if !sender.send(event, bytes).await {
                            return;
                        }
                    }
                });
                task
            });
            self.watches.insert(key, task);
        }
    }

    async fn events(&mut self) -> Vec<ConfigEvent> {
        let mut events: Vec<_> = self.events.next().await.into_iter().collect();
        self.events.take(&mut events);
        events
    }

    fn write(
        &self,
        target: ConfigTarget,
        body: Option<Value>,
    ) -> impl Future<Output = Written> + Send + 'static {
        let (client, writes) = (self.client.clone(), self.writes.clone());
        async move {
            let body = body.unwrap_or_default();
            match target {
                ConfigTarget::Status(key) => write_status(client, &key, &body).await,
                ConfigTarget::Create(key) => create(client, &key, body).await,
                ConfigTarget::Leftovers { status, kind, component } => {
                    remove(client, writes, &status, &kind, &component, body).await
                }
            }
        }
    }
}

fn refused(error: &kube::Error) -> (Refusal, String) {
    (Refusal::of(error), describe(error))
}

fn objects(client: Client, key: &StatusKey) -> Api<DynamicObject> {
    Api::namespaced_with(client, &key.namespace, &key.resource())
}

async fn write_status(client: Client, key: &StatusKey, body: &Value) -> Written {
    let apply = PatchParams::apply(MANAGER).force();
    let written = objects(client, key).patch_status(&key.name, &apply, &Patch::Apply(body)).await;
    let object = written.map_err(|error| refused(&error))?;
    let object = super::watch::own(&object);
    if owned(&object["status"]) == owned(&body["status"]) {
        Ok(Some(object))
    } else {
        // Somebody owns a part of it too, or changes what is written on its way.
        Err((Refusal::Unanswered, "the status was accepted, and another one stands".to_owned()))
    }
}

async fn create(client: Client, key: &StatusKey, body: Value) -> Written {
    let object = DynamicObject::new(&key.name, &key.resource()).within(&key.namespace).data(body);
    let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    match objects(client, key).create(&params, &object).await {
        Ok(_) => Ok(None),
        Err(error) if Refusal::of(&error) == Refusal::AlreadyExists => Ok(None),
        Err(error) => Err(refused(&error)),
    }
}

/// Removes the reports of reporters that are gone: looks again, and removes only who was gone before too.
async fn remove(
    client: Client,
    writes: WriteMetrics,
    key: &StatusKey,
    kind: &str,
    component: &str,
    leftovers: Value,
) -> Written {
    let layout = match kind {
        Origin::STATUS_REPORT => Layout::sharded(&key.namespace, &key.name),
        OWN => Layout::singleton(key.resource(), &key.namespace, &key.name),
        // The objects of others are theirs to remove.
        _ => return Ok(None),
    };
    let Leftovers { living, gone } = serde_json::from_value(leftovers).unwrap_or_default();
    let Some(prefix) = OwnedPrefix::new(format!("{component}-")) else { return Ok(None) };
    let sweeper = Sweeper::new(client, layout, prefix).metrics(writes);
    let living = living.into_iter().map(|instance| Identity::of(component).on(instance));
    let mut removals =
        sweeper.plan(&Inventory::synced(living)).await.map_err(|error| refused(&error.source))?;
    removals.retain(|removal| gone.contains(&removal.writer));
    let swept = sweeper.execute(removals).await;
    for removal in &swept.done {
        tracing::info!(%removal, "removed what a reporter left behind");
    }
    match (swept.failed.first(), swept.spared.first()) {
        (Some((removal, error)), _) => Err((Refusal::of(error), format!("{removal}: {}", describe(error)))),
        (None, Some(removal)) => Err((Refusal::Conflict, format!("{removal}: it was written meanwhile"))),
        (None, None) => Ok(None),
    }
}
