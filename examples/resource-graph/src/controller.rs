//! Finding out about graphs, and making their kinds.

use std::{future::Future, sync::Arc, time::Duration};

use allready::{
    StatusUpdater, reason,
    status::{Because as _, ReasonedError, Requeue},
};
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams},
    runtime::{
        controller::{Action, Controller, Error as ControllerError},
        reflector::ObjectRef,
        watcher,
    },
};

use crate::{
    ResourceGraphDefinition,
    definition::{self, LABEL, MANAGER},
    finding::Finding,
    graph,
    instances::Instances,
};

/// The time that reconciles which have begun, and events that wait, may take when the controller is told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// The tools of every reconcile.
struct Context {
    client: Client,
    status: StatusUpdater<ResourceGraphDefinition>,
    instances: Arc<Instances>,
}

/// Reconciles every graph and every instance of their kinds, until told to stop.
///
/// # RBAC
/// Besides these rules it needs `get`, `list` and `watch` on the kinds that graphs make, `patch` on their `status`, and `get`,
/// `list`, `watch`, `create`, `patch` and `delete` on the kinds of their resources.
/// ```yaml
/// rules:
///   - apiGroups: [example.allready.dev]
///     resources: [resourcegraphdefinitions]
///     verbs: [get, list, watch]
///   - apiGroups: [example.allready.dev]
///     resources: [resourcegraphdefinitions/status]
///     verbs: [patch]
///   - apiGroups: [apiextensions.k8s.io]
///     resources: [customresourcedefinitions]
///     verbs: [get, list, watch, create, patch]
///   - apiGroups: [events.k8s.io]
///     resources: [events]
///     verbs: [create, patch]
/// ```
pub async fn run(client: Client, shutdown: impl Future<Output = ()> + Send + Sync + 'static) {
    let graphs: Api<ResourceGraphDefinition> = Api::all(client.clone());
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let ours = watcher::Config::default().labels(LABEL);
    let of_graph = |definition: CustomResourceDefinition| {
        definition.labels().get(LABEL).map(|graph| ObjectRef::<ResourceGraphDefinition>::new(graph))
    };
    let shutdown = shutdown.shared();
    let controller = Controller::new(graphs.clone(), watcher::Config::default())
        // A CRD that was changed or deleted wakes its graph, which makes it right again.
        .watches(definitions, ours, of_graph)
        // The deletion of a graph wakes nobody as such; as an object that is watched for another it does.
        .watches(graphs, watcher::Config::default(), |graph| [ObjectRef::from_obj(&graph)])
        .graceful_shutdown_on(shutdown.clone());
    let status = StatusUpdater::new(client.clone(), MANAGER);
    let instances = Arc::new(Instances::new(client.clone(), controller.store()));
    let context = Context { client, status: status.clone(), instances: Arc::clone(&instances) };
    let controller = controller.run(reconcile, |_, error, _| error.action(), Arc::new(context)).for_each(
        async |reconciled| match reconciled {
            Ok(_) => {}
            Err(ControllerError::ObjectNotFound(graph)) => instances.unfollow(&graph.name),
            Err(error) => tracing::warn!(%error, "a graph is tried again"),
        },
    );
    // A controller whose first list is still on its way does not notice that it should stop.
    let too_late = async {
        shutdown.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = controller => {}
        () = too_late => {}
    }
    instances.shutdown(GRACE).await;
    if let Err(unsent) = status.shutdown(GRACE).await {
        tracing::warn!(%unsent, "events are lost");
    }
}

/// Checks the graph, makes its kind, and follows the objects of that.
async fn reconcile(
    graph: Arc<ResourceGraphDefinition>,
    context: Arc<Context>,
) -> Result<Action, ReasonedError> {
    let (name, kind) = (graph.name_any(), &graph.spec.schema.kind);
    let reconciled = context.status.reconcile(&graph, async |c| {
        let checked = graph::order(&graph.spec);
        let wanted = checked.and_then(|order| Ok((order, definition::definition(&name, &graph.spec)?)));
        let (order, wanted) = match wanted {
            Ok(wanted) => wanted,
            Err(problem) => {
                c.mark_graph_broken(kind, &problem);
                return Ok(Requeue::AwaitChange);
            }
        };
        c.mark_graph_valid(format!("The graph is valid; its resources in order: {}.", order.join(", ")));

        let definition = match apply(&context.client, &wanted).await {
            Ok(definition) => definition,
            Err(found) => {
                c.mark_kind(found);
                return Ok(Requeue::Backoff);
            }
        };
        if !c.propagate_definition(kind, &definition) {
            return Ok(Requeue::AwaitChange);
        }
        let followed = context.instances.follow(&graph, &order, &definition).await;
        followed.map_err(|error| error.because(reason!("ServerUnavailable")))
    });
    reconciled.await
}

/// Applies the CRD, unless there is one of its name that belongs to somebody else.
async fn apply(
    client: &Client,
    wanted: &CustomResourceDefinition,
) -> Result<CustomResourceDefinition, Finding> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = wanted.name_any();
    let failed = |error: kube::Error| Finding::of_error(&error, reason!("KindRefused")).about(&name);
    let there = definitions.get_metadata_opt(&name).await.map_err(failed)?;
    if there.is_some_and(|there| there.labels().get(LABEL) != wanted.labels().get(LABEL)) {
        let message = "it belongs to somebody else: give the kind another name, or delete that";
        return Err(Finding::bad(reason!("KindTaken"), message).about(&name));
    }
    let parameters = PatchParams::apply(MANAGER).force();
    definitions.patch(&name, &parameters, &Patch::Apply(wanted)).await.map_err(failed)
}
