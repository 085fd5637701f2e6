//! Runs the controller on the cluster of the current context, and installs its kind there first.

use example_resource_graph::ResourceGraphDefinition;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams},
    runtime::{conditions::is_crd_established, wait::await_condition},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = allready::crd::<ResourceGraphDefinition>();
    let parameters = PatchParams::apply("resource-graph-controller").force();
    definitions.patch(&definition.name_any(), &parameters, &Patch::Apply(&definition)).await?;
    await_condition(definitions, &definition.name_any(), is_crd_established()).await?;

    example_resource_graph::run(client, async {
        // Without a signal handler the process ends by itself, at once.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
    .await;
    Ok(())
}
