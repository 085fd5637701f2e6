//! The hub controller alone in a process, for a benchmark that weighs it: takes the kubeconfig of the hub and a directory with
//! the kubeconfigs of the clusters, and runs until standard input ends.

use allready_controller::hub::{HubController, inventory::DirectoryInventory};
use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(hub), Some(clusters)) = (arguments.next(), arguments.next()) else {
        return Err("usage: hub-controller HUB-KUBECONFIG CLUSTERS-DIRECTORY".into());
    };
    let hub = Kubeconfig::read_from(hub)?;
    let config = kube::Config::from_custom_kubeconfig(hub, &KubeConfigOptions::default()).await?;
    let controller = HubController::new(
        Client::try_from(config)?,
        Box::new(DirectoryInventory::new(clusters.as_os_str())),
    );
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop));
    tokio::select! {
        () = controller.run() => {}
        ended = ended => ended?,
    }
    Ok(())
}
