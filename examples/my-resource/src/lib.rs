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
    reason,
    set::Untouched,
    status::{OrMark as _, ReasonedError, StatusUpdater},
};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    runtime::{Controller, controller::Action, watcher},
};

pub use kind::{MyResource, MyResourcePhase, MyResourceSpec, MyResourceStatus};

/// What the controller needs for each reconcile.
struct Context {
    client: Client,
    status: StatusUpdater<MyResource>,
}

/// The updater of the status: the example of openmcp's status updater, in full.
pub fn updater(client: Client) -> StatusUpdater<MyResource> {
    StatusUpdater::new(client, "my-resource").untouched(Untouched::Remove).phase(|view| {
        let is_fine = view.error.is_none() && view.conditions.iter().all(|c| c.status == Status::True);
        Ok::<_, ReasonedError>(if is_fine { MyResourcePhase::Succeeded } else { MyResourcePhase::Failed })
    })
}

/// Runs the controller on all namespaces until it is told to stop.
pub async fn run(client: Client, shutdown: impl Future<Output = ()> + Send + Sync + 'static) {
    run_with(updater(client.clone()), client, shutdown).await;
}

/// Runs the controller with events that go here.
pub async fn run_with_events(
    client: Client,
    sink: Arc<dyn EventSink>,
    shutdown: impl Future<Output = ()> + Send + Sync + 'static,
) {
    run_with(updater(client.clone()).events(sink), client, shutdown).await;
}

async fn run_with(
    status: StatusUpdater<MyResource>,
    client: Client,
    shutdown: impl Future<Output = ()> + Send + Sync + 'static,
) {
    let resources: Api<MyResource> = Api::all(client.clone());
    let maps: Api<ConfigMap> = Api::all(client.clone());
    Controller::new(resources, watcher::Config::default())
        .owns(maps, watcher::Config::default())
        .graceful_shutdown_on(shutdown)
        .run(reconcile, |_, error, _| error.action(), Arc::new(Context { client, status }))
        .for_each(|reconciled| async move {
            match reconciled {
                Ok((object, _)) => tracing::debug!(%object, "reconciled"),
                Err(error) => tracing::warn!(%error, "not reconciled"),
            }
        })
        .await;
}

/// Does the work, and writes the status, however the work ended.
async fn reconcile(resource: Arc<MyResource>, context: Arc<Context>) -> Result<Action, ReasonedError> {
    if resource.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let work = context.status.reconcile(&resource, async |c| {
        // What only the author of the settings can mend is tried again when the settings change.
        let settings = reconcile::parse(&resource.spec.settings)
            .or_mark(c, "Valid", reason!("BadSettings"))
            .map_err(ReasonedError::terminal)?;
        c.mark_true("Valid", reason!("Accepted"), format!("{} settings", settings.len()))?;
        reconcile::apply(&resource, &context.client, settings).await.or_mark(
            c,
            "Applied",
            reason!("CannotApply"),
        )?;
        c.mark_true("Applied", reason!("UpToDate"), "the ConfigMap has the settings")?;
        Ok(Duration::from_hours(1))
    });
    work.await
}
