//! Components that report how they are doing into one object: the controller and the speakers of a load balancer, each with
//! its reconcilers, digesting one configuration.
//!
//! The configuration is the `ConfigMap` `metallb-config`: `pools` has lines such as `blue 10.0.0.0/24`, `peers` has lines such
//! as `tor blue` or, for one node, `tor blue kind-worker`. With [`singleton`] all report into the
//! `ConfigurationStatus` `config-status`, with [`sharded`] each into a `StatusReport` of its own.
//!
//! ```text
//! kubectl get configurationstatus config-status -o yaml
//! kubectl get statusreports
//! ```

mod components;
pub mod config;
mod kind;
#[cfg(test)]
mod tests;

use std::pin::pin;

use allready::{
    kinds::StatusReport,
    report::{Ended, Layout, Reporter},
};
use futures::StreamExt;
use k8s_openapi::{
    api::core::v1::ConfigMap, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        wait::{await_condition, conditions},
        watcher,
    },
};

pub use components::Component;
use components::Given;
pub use kind::{
    ConfigurationStatus, ConfigurationStatusFields, ConfigurationStatusStatus, NAME, sharded, singleton,
};

/// The name of the configuration.
pub const CONFIG: &str = "metallb-config";

/// Installs both kinds, and the object that all share, and waits until the kinds are served.
pub async fn install(
    client: &Client,
    namespace: &str,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("example-speaker").force();
    let kinds = [ConfigurationStatus::crd_name(), StatusReport::crd_name()];
    for definition in definitions_of(&kinds) {
        let name = definition.name_any();
        definitions.patch(&name, &params, &Patch::Apply(&definition)).await?;
        await_condition(definitions.clone(), &name, conditions::is_crd_established()).await?;
    }
    let objects: Api<ConfigurationStatus> = Api::namespaced(client.clone(), namespace);
    let object = ConfigurationStatus::new(NAME, ConfigurationStatusFields {});
    objects.patch(NAME, &params, &Patch::Apply(&object)).await?;
    Ok(())
}

/// The definitions as they are shipped.
fn definitions_of(kinds: &[&str]) -> impl Iterator<Item = CustomResourceDefinition> {
    let shipped = allready::kinds::definitions().into_iter().chain([allready::kinds::metallb_definition()]);
    shipped.filter(move |definition| kinds.contains(&definition.name_any().as_str()))
}

/// Runs one component until told to stop, and writes its last reports.
///
/// It never fails: where the kinds or the permissions are missing, it works on without being heard.
pub async fn run(
    client: Client,
    namespace: &str,
    component: Component,
    layout: Layout,
    stop: impl Future<Output = ()>,
) -> Ended {
    let builder = Reporter::builder(client.clone(), component.identity(), layout.clone());
    // Only an object of one's own is worth watching.
    let builder = if matches!(layout, Layout::Sharded { .. }) { builder.watch() } else { builder };
    let (reporter, task) = builder.build();
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let reconciling = async {
        let work = reconcile(&client, namespace, &component, &reporter);
        futures::future::select(pin!(work), pin!(stop)).await;
        // The task is gone already if nobody receives this.
        let _ = stopping.send(());
    };
    let reporting = task.run_until(async { drop(stopped.await) });
    futures::future::join(reconciling, reporting).await.1
}

/// Takes in every version of the configuration.
async fn reconcile(client: &Client, namespace: &str, component: &Component, reporter: &Reporter) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let mut seen = watcher::watch_object(maps, CONFIG).default_backoff().boxed();
    while let Some(seen) = seen.next().await {
        // The watch heals itself; what was reported last still holds.
        let Ok(map) = seen else { continue };
        let given = Given {
            found: map.map(|map| (map.resource_version().unwrap_or_default(), map.data.unwrap_or_default())),
        };
        component.digest(client, namespace, reporter, &given).await;
    }
}
