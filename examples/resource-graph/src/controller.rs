//! Finding out how the graphs are doing, and making their kinds.

use std::{future::Future, sync::Arc, time::Duration};

use allready::{
    ConditionType, Time,
    clock::Clock,
    events::{ApiSink, Origin},
    reason,
    refusal::Refusal,
    set::{At, TypedSet as _, Untouched},
    transition::Verbosity,
    update::{Because as _, ReasonedError, ReconcileResult, StatusUpdater},
};
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        reflector::ObjectRef,
        watcher,
    },
};

use crate::{
    ResourceGraphDefinition,
    conditions::{ResourceGraphConditions, ResourceGraphConditionsPass},
    definition::{self, LABEL, MANAGER},
    graph,
};

/// How long reconciles that have begun, and events that wait, may take when the controller is told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// The definition cannot be read or written now; it is tried again.
#[derive(Debug, thiserror::Error)]
#[error("cannot reach the definition {definition} of graph {graph}: {source}")]
pub struct Unreachable {
    /// The graph.
    pub graph: String,
    /// The definition.
    pub definition: String,
    /// What the API server said.
    pub source: kube::Error,
}

/// What every reconcile needs.
struct Context {
    client: Client,
    updater: StatusUpdater<ResourceGraphDefinition>,
}

/// Reconciles every graph, until told to stop.
///
/// # RBAC
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
    let sink = ApiSink::start(client.clone(), Origin::new("example.allready.dev/resource-graph", MANAGER));
    let updater =
        StatusUpdater::new().conditions(Untouched::Keep).events(Arc::new(sink.clone()), Verbosity::PerChange);

    let shutdown = shutdown.shared();
    let controller = Controller::new(graphs, watcher::Config::default())
        // A definition that was changed or deleted wakes its graph, which makes it right again.
        .watches(definitions, ours, of_graph)
        .graceful_shutdown_on(shutdown.clone())
        .run(
            reconcile,
            |_, _, _| Action::requeue(Duration::from_secs(2)),
            Arc::new(Context { client, updater }),
        )
        .for_each(async |reconciled| {
            if let Err(error) = reconciled {
                tracing::warn!(%error, "a graph is tried again");
            }
        });
    // A controller whose first list is still on its way does not notice that it should stop.
    let too_late = async {
        shutdown.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = controller => {}
        () = too_late => {}
    }
    if let Err(unsent) = sink.shutdown(GRACE).await {
        tracing::warn!(%unsent, "events are lost");
    }
}

async fn reconcile(
    graph: Arc<ResourceGraphDefinition>,
    context: Arc<Context>,
) -> Result<Action, ReasonedError> {
    let before = graph.status.clone().unwrap_or_default().conditions;
    let mut conditions = before.clone();
    let mut pass = ResourceGraphConditions::pass(&mut conditions, at(&graph));
    let made = make(&graph, &context.client, &mut pass).await;
    pass.finish();

    let mut result = ReconcileResult::of(graph);
    result.set_all(ResourceGraphConditions::set(), &conditions);
    // What the pass has pruned.
    let gone = |type_: &ConditionType| !conditions.iter().any(|condition| condition.type_ == *type_);
    result.remove = before.into_iter().map(|condition| condition.type_).filter(gone).collect();
    if let Err(unreachable) = made {
        result = result.failed(unreachable.because(reason!("ServerUnavailable")));
    }
    context.updater.update(&context.client, result).await.into_result()
}

/// Checks the graph, makes its kind, and marks what comes of it.
async fn make(
    graph: &ResourceGraphDefinition,
    client: &Client,
    pass: &mut ResourceGraphConditionsPass<'_>,
) -> Result<(), Unreachable> {
    let schema = &graph.spec.schema;
    let wanted =
        graph::order(&graph.spec).and_then(|_| definition::definition(&graph.name_any(), &graph.spec));
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(problem) => {
            pass.mark_graph_broken(&schema.kind, &problem);
            return Ok(());
        }
    };
    pass.mark_graph_ready();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = schema.definition();
    let failed = |pass: &mut ResourceGraphConditionsPass<'_>, source: kube::Error| {
        // Sent again, it would be refused again: somebody has to change the graph.
        if Refusal::of(&source) == Refusal::Invalid {
            pass.mark_kind_refused(format!("{name} is refused: {source}"));
            return Ok(());
        }
        pass.mark_kind_unreached(format!("Cannot read or write {name}; trying again: {source}"));
        Err(Unreachable { graph: graph.name_any(), definition: name.clone(), source })
    };

    let there = match definitions.get_metadata_opt(&name).await {
        Ok(there) => there,
        Err(error) => return failed(pass, error),
    };
    if let Some(there) = &there
        && there.labels().get(LABEL) != Some(&graph.name_any())
    {
        pass.mark_kind_taken(format!(
            "{name} exists and belongs to somebody else: give the kind another name, or delete that."
        ));
        return Ok(());
    }
    let parameters = PatchParams::apply(MANAGER).force();
    match definitions.patch(&name, &parameters, &Patch::Apply(&wanted)).await {
        Ok(definition) => {
            pass.propagate_definition(&schema.kind, &definition);
            Ok(())
        }
        Err(error) => failed(pass, error),
    }
}

fn at(graph: &ResourceGraphDefinition) -> At {
    let at = At::new(graph.metadata.generation, Clock::system().now());
    match &graph.metadata.creation_timestamp {
        Some(created) => at.created(Time::new(created.0)),
        None => at,
    }
}
