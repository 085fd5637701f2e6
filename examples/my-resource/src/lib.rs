//! A controller that leaves its whole status, phase included, to the status updater.
//!
//! It keeps the settings of each `MyResource` in a `ConfigMap` of the same name. The reconcile returns what it found out,
//! wherever it ends; the updater makes the status of it. Rights: `rbac.yaml`.

mod kind;
mod reconcile;

use std::{sync::Arc, time::Duration};

use allready::{
    Status,
    events::EventSink,
    set::Untouched,
    transition::Verbosity,
    update::{ReasonedError, ReconcileResult, StatusUpdater},
};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt,
    runtime::{Controller, controller::Action, watcher},
};

pub use kind::{MyResource, MyResourcePhase, MyResourceSpec, MyResourceStatus};

/// What the controller needs for each reconcile.
struct Context {
    client: Client,
    updater: StatusUpdater<MyResource>,
}

/// How the status of a `MyResource` is made: the example of the status updater, in full.
pub fn updater() -> StatusUpdater<MyResource> {
    StatusUpdater::new()
        .phase(|reconciled| {
            let result = reconciled.result;
            let failed = result.error.is_some()
                || result.conditions.iter().any(|condition| condition.status != Status::True);
            Ok::<_, ReasonedError>(if failed { MyResourcePhase::Failed } else { MyResourcePhase::Succeeded })
        })
        .conditions(Untouched::Remove)
}

/// Runs the controller on all namespaces until it is told to stop.
pub async fn run(client: Client, shutdown: impl Future<Output = ()> + Send + Sync + 'static) {
    run_with(client, updater(), shutdown).await;
}

/// Runs the controller with events about changed conditions.
pub async fn run_with_events(
    client: Client,
    sink: Arc<dyn EventSink>,
    shutdown: impl Future<Output = ()> + Send + Sync + 'static,
) {
    run_with(client, updater().events(sink, Verbosity::PerChange), shutdown).await;
}

async fn run_with(
    client: Client,
    updater: StatusUpdater<MyResource>,
    shutdown: impl Future<Output = ()> + Send + Sync + 'static,
) {
    let resources: Api<MyResource> = Api::all(client.clone());
    let maps: Api<ConfigMap> = Api::all(client.clone());
    let context = Arc::new(Context { client, updater });
    Controller::new(resources, watcher::Config::default())
        .owns(maps, watcher::Config::default())
        .graceful_shutdown_on(shutdown)
        .run(reconcile, on_error, context)
        .for_each(|reconciled| async move {
            match reconciled {
                Ok((object, _)) => tracing::debug!(%object, "reconciled"),
                Err(error) => tracing::warn!(%error, "not reconciled"),
            }
        })
        .await;
}

/// The reconcile: the work first, and then the status, however the work ended.
async fn reconcile(resource: Arc<MyResource>, context: Arc<Context>) -> Result<Action, ReasonedError> {
    if resource.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let mut result = ReconcileResult::of(Arc::clone(&resource)).requeue_after(Duration::from_hours(1));
    if let Err(error) = reconcile::reconcile(&resource, &context.client, &mut result).await {
        result = result.failed(error);
    }
    context.updater.update(&context.client, result).await.into_result()
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of an error policy")]
fn on_error(resource: Arc<MyResource>, error: &ReasonedError, _: Arc<Context>) -> Action {
    tracing::warn!(resource = resource.name_any(), %error, "tried again soon");
    // What only the author of the settings can mend is tried again when the settings change.
    match error.reason() {
        Some(reason) if *reason == reconcile::BAD_SETTINGS => Action::await_change(),
        _ => Action::requeue(Duration::from_secs(1)),
    }
}
