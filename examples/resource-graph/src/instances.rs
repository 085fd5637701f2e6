//! Following the instances of each kind, and applying their resources.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready::{
    ConditionSet, StatusUpdater, reason,
    set::Untyped,
    status::{Because, Field, FieldMap, OrMark as _, ReasonedError, Requeue, StatusPass},
};
use futures::StreamExt as _;
use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, TypeMeta},
    core::discovery::Scope,
    runtime::{
        controller::{Action, Controller},
        reflector::{ObjectRef, Store},
        watcher,
    },
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    ResourceGraphDefinition, ResourceGraphSpec,
    definition::{LABEL, MANAGER},
    finding::Finding,
    instance::{self, Outcome, ResourceRef, Resources},
};

type InstanceUpdater = StatusUpdater<DynamicObject, Untyped, Value>;

/// The kinds whose instances are reconciled, each by a controller of its own.
pub(crate) struct Instances {
    client: Client,
    graphs: Store<ResourceGraphDefinition>,
    followed: Mutex<HashMap<String, Followed>>,
}

/// A kind that is followed. Dropping it ends its controller.
struct Followed {
    kind: Arc<Kind>,
    status: InstanceUpdater,
    _controller: JoinSet<()>,
}

/// Everything that decides how instances are reconciled: when it changes, they are reconciled anew.
#[derive(Debug, PartialEq)]
struct Kind {
    graph: String,
    /// The CRD: another one of the same name has other objects.
    definition: Option<String>,
    spec: ResourceGraphSpec,
    /// The ids of the resources, in the order in which they are applied.
    order: Vec<String>,
    /// The kinds of the resources that the API server serves.
    served: BTreeMap<(String, String), Served>,
}

/// A kind that the API server serves.
#[derive(Clone, Debug, PartialEq)]
struct Served {
    resource: ApiResource,
    is_namespaced: bool,
}

/// The tools of every reconcile of an instance.
struct Context {
    client: Client,
    graphs: Store<ResourceGraphDefinition>,
    kind: Arc<Kind>,
    status: InstanceUpdater,
}

impl Instances {
    pub(crate) fn new(client: Client, graphs: Store<ResourceGraphDefinition>) -> Self {
        Self { client, graphs, followed: Mutex::default() }
    }

    /// Reconciles the instances of a graph's kind from now on as this graph says. Comes back to look for kinds of resources
    /// that do not exist.
    pub(crate) async fn follow(
        &self,
        graph: &ResourceGraphDefinition,
        order: &[&str],
        definition: &CustomResourceDefinition,
    ) -> Result<Requeue, kube::Error> {
        let (name, spec) = (graph.name_any(), graph.spec.clone());
        let Ok(set) = instance::set(&spec.schema) else { return Ok(Requeue::AwaitChange) };
        let mut served = BTreeMap::new();
        let mut requeue = Requeue::AwaitChange;
        for resource in &spec.resources {
            let types = types_of(&resource.template);
            match self.discover(&types).await? {
                Some(found) => drop(served.insert((types.api_version, types.kind), found)),
                None => requeue = Requeue::Backoff,
            }
        }
        let order = order.iter().map(|&id| id.to_owned()).collect();
        let kind = Arc::new(Kind { graph: name.clone(), definition: definition.uid(), spec, order, served });
        let mut followed = self.lock();
        if followed.get(&name).is_none_or(|followed| followed.kind != kind) {
            followed.remove(&name);
            followed.insert(name, self.start(kind, set));
        }
        Ok(requeue)
    }

    /// The kind of a resource, if the API server serves it.
    async fn discover(&self, types: &TypeMeta) -> Result<Option<Served>, kube::Error> {
        let Ok(kind) = GroupVersionKind::try_from(types) else { return Ok(None) };
        match kube::discovery::pinned_kind(&self.client, &kind).await {
            Ok((resource, capabilities)) => {
                Ok(Some(Served { resource, is_namespaced: capabilities.scope == Scope::Namespaced }))
            }
            Err(kube::Error::Discovery(_)) => Ok(None),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn start(&self, kind: Arc<Kind>, set: ConditionSet) -> Followed {
        let status = updater(&self.client, &kind.spec, set);
        let context = Context {
            client: self.client.clone(),
            graphs: self.graphs.clone(),
            kind: Arc::clone(&kind),
            status: status.clone(),
        };
        let mut controller = JoinSet::new();
        controller.spawn(run(context));
        Followed { kind, status, _controller: controller }
    }

    /// Stops reconciling the instances of a graph that is gone. They stay as they are.
    pub(crate) fn unfollow(&self, graph: &str) {
        self.lock().remove(graph);
    }

    /// Stops reconciling, and writes the events that still wait.
    pub(crate) async fn shutdown(&self, patience: Duration) {
        let followed = std::mem::take(&mut *self.lock());
        let updaters: Vec<_> = followed.into_values().map(|followed| followed.status).collect();
        for status in updaters {
            if let Err(unsent) = status.shutdown(patience).await {
                tracing::warn!(%unsent, "events are lost");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Followed>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn updater(client: &Client, spec: &ResourceGraphSpec, set: ConditionSet) -> InstanceUpdater {
    let fields =
        FieldMap::default().without(&[Field::LastReconcileTime, Field::Phase, Field::Reason, Field::Message]);
    StatusUpdater::by_path(client.clone(), MANAGER, spec.schema.resource(), fields).set(set)
}

async fn run(context: Context) {
    let Context { client, kind, .. } = &context;
    let instances = kind.spec.schema.resource();
    let all = |resource: &ApiResource| Api::<DynamicObject>::all_with(client.clone(), resource);
    let mut controller = Controller::new_with(all(&instances), watcher::Config::default(), instances);
    // A resource that was changed or deleted, or says something else of itself, wakes its instance.
    let ours = watcher::Config::default().labels(&format!("{LABEL}={}", kind.graph));
    for Served { resource, .. } in kind.served.values() {
        controller = controller.owns_with(all(resource), resource.clone(), ours.clone());
    }
    let reconciled = controller.run(reconcile, |_, error, _| error.action(), Arc::new(context));
    reconciled
        .for_each(async |reconciled| {
            if let Err(error) = reconciled {
                tracing::debug!(%error, "an instance is tried again, or is gone");
            }
        })
        .await;
}

async fn reconcile(instance: Arc<DynamicObject>, context: Arc<Context>) -> Result<Action, ReasonedError> {
    let is_followed = context.graphs.get(&ObjectRef::new(&context.kind.graph)).is_some();
    // The resources of an instance that is being deleted go with it: it owns them.
    if !is_followed || instance.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    context.status.reconcile(&instance, async |c| sync(&instance, &context, c).await).await
}

/// Applies the resources in their order, deletes those that are left over, and marks what came of it.
async fn sync(
    instance: &DynamicObject,
    context: &Context,
    c: &mut StatusPass<'_, Untyped, Value>,
) -> Result<Requeue, ReasonedError> {
    let Context { client, kind, .. } = context;
    let object = serde_json::to_value(instance).map_err(Because::without_reason)?;
    let mut resources = Resources::new(object, &kind.order);
    for id in &kind.order {
        let Some(resource) = kind.spec.resources.iter().find(|resource| resource.id == *id) else { continue };
        let outcome = match resources.render(&kind.graph, &resource.template) {
            Ok(object) => apply(client, kind, instance, &object).await,
            Err(outcome) => outcome,
        };
        resources.add(id, outcome);
    }
    let before: Vec<ResourceRef> = c
        .status
        .get("resources")
        .and_then(|list| serde_json::from_value(list.clone()).ok())
        .unwrap_or_default();
    let now = c.at().now;
    resources.mark(c, now)?;
    for leftover in resources.leftovers(&before) {
        let deleted = delete(client, instance, &leftover).await;
        deleted.or_mark_unknown(c, "InstanceSynced", reason!("LeftoverNotDeleted"))?;
    }
    c.status["resources"] = json!(resources.references(&before));
    Ok(if resources.is_settled(now) { Requeue::AwaitChange } else { Requeue::Backoff })
}

/// Applies a resource that nobody else has.
async fn apply(client: &Client, kind: &Kind, instance: &DynamicObject, object: &Value) -> Outcome {
    let TypeMeta { api_version, kind: name } = types_of(object);
    let failed = |finding: Finding| Outcome::Failed(finding);
    let Some(served) = kind.served.get(&(api_version.clone(), name.clone())) else {
        let message = format!("the API server knows no kind {name} of {api_version}");
        return failed(Finding::unknown(reason!("KindNotFound"), message));
    };
    if !served.is_namespaced {
        let message = format!("{name} is cluster-scoped, and an instance in a namespace cannot own it");
        return failed(Finding::bad(reason!("ClusterScoped"), message));
    }
    let api = api(client, instance, &served.resource);
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let applied = match api.get_metadata_opt(name).await {
        Ok(Some(there)) if !is_owned(there.owner_references(), instance) => {
            let message =
                format!("{} {name} exists and does not belong to this instance", served.resource.kind);
            return failed(Finding::bad(reason!("ResourceTaken"), message));
        }
        Ok(_) => api.patch(name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(object)).await,
        Err(error) => Err(error),
    };
    match applied.map(serde_json::to_value) {
        Ok(Ok(object)) => Outcome::Applied(object),
        Ok(Err(error)) => failed(Finding::unknown(reason!("UnreadableAnswer"), error.to_string())),
        Err(error) => failed(Finding::of_error(&error, reason!("ResourceRefused"))),
    }
}

/// Deletes a resource that the graph does not stand for any more, if it is still that of the instance.
async fn delete(
    client: &Client,
    instance: &DynamicObject,
    leftover: &ResourceRef,
) -> Result<(), kube::Error> {
    let types = TypeMeta { api_version: leftover.api_version.clone(), kind: leftover.kind.clone() };
    let Ok(kind) = GroupVersionKind::try_from(&types) else { return Ok(()) };
    let is_gone = |error: &kube::Error| match error {
        kube::Error::Api(status) => status.code == 404,
        kube::Error::Discovery(_) => true,
        _ => false,
    };
    let (resource, _) = match kube::discovery::pinned_kind(client, &kind).await {
        Err(error) if is_gone(&error) => return Ok(()),
        found => found?,
    };
    let api = api(client, instance, &resource);
    let Some(there) = api.get_metadata_opt(&leftover.name).await? else { return Ok(()) };
    if !is_owned(there.owner_references(), instance) {
        return Ok(());
    }
    let uid = there.metadata.uid.clone();
    let parameters =
        DeleteParams::background().preconditions(kube::api::Preconditions { uid, resource_version: None });
    match api.delete(&leftover.name, &parameters).await {
        Err(error) if !is_gone(&error) => Err(error),
        _ => Ok(()),
    }
}

fn api(client: &Client, instance: &DynamicObject, resource: &ApiResource) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), &instance.namespace().unwrap_or_default(), resource)
}

fn is_owned(owners: &[OwnerReference], instance: &DynamicObject) -> bool {
    owners
        .iter()
        .any(|owner| owner.controller == Some(true) && Some(&owner.uid) == instance.metadata.uid.as_ref())
}

fn types_of(object: &Value) -> TypeMeta {
    let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
    TypeMeta { api_version: text("apiVersion"), kind: text("kind") }
}
