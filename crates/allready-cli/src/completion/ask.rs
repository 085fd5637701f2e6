//! What a cluster knows of a word that is begun: within two seconds, or nothing. A person who presses a key is not told of
//! errors, and does not wait for them.

use std::time::Duration;

use allready_kube::resources::Catalog;
use clap::{Args as _, FromArgMatches as _};
use kube::{Api, api::ListParams, config::Kubeconfig};

use super::words::{Given, Wanted};
use crate::cluster::{ClusterArgs, Patience};

/// So long a person waits.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many words are offered.
const MOST: usize = 200;
/// So many objects are looked at: what is begun may be the name of a later one.
const MOST_READ: u32 = 1000;

/// The words that begin like this.
pub(super) fn ask(wanted: &Wanted, begun: &str, given: &Given) -> Vec<String> {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Vec::new();
    };
    let found = runtime.block_on(async { tokio::time::timeout(PATIENCE, found(wanted, given)).await });
    // A name that is being resolved is not waited for.
    runtime.shutdown_background();
    let mut words = found.ok().flatten().unwrap_or_default();
    words.retain(|word| word.starts_with(begun) && !word.contains(char::is_whitespace));
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST);
    words
}

async fn found(wanted: &Wanted, given: &Given) -> Option<Vec<String>> {
    let args = cluster(given)?;
    if matches!(wanted, Wanted::Contexts | Wanted::Clusters | Wanted::Users) {
        let read = args.kubeconfig.map_or_else(Kubeconfig::read, Kubeconfig::read_from).ok()?;
        return Some(match wanted {
            Wanted::Clusters => read.clusters.into_iter().map(|cluster| cluster.name).collect(),
            Wanted::Users => read.auth_infos.into_iter().map(|user| user.name).collect(),
            _ => read.contexts.into_iter().map(|context| context.name).collect(),
        });
    }
    let cluster = args.connect(Patience::Command).await.ok()?;
    let client = &cluster.client;
    let page = ListParams::default().limit(MOST_READ);
    match wanted {
        Wanted::Namespaces => {
            let api: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(client.clone());
            let list = api.list_metadata(&page).await.ok()?;
            Some(list.items.into_iter().filter_map(|object| object.metadata.name).collect())
        }
        Wanted::Types => {
            let catalog = Catalog::discover(client).await.ok()?;
            let listable = catalog.resources.iter().filter(|resource| resource.can("list"));
            Some(listable.map(allready_kube::resources::Resource::full_name).collect())
        }
        Wanted::Names(type_) => {
            let catalog = Catalog::discover(client).await.ok()?;
            let resource = catalog.find(type_).ok()?;
            let here = given.namespace.as_deref().unwrap_or(&cluster.namespace);
            let namespace = (resource.is_namespaced && !given.all_namespaces).then_some(here);
            let list = resource.api(client.clone(), namespace).list_metadata(&page).await.ok()?;
            Some(list.items.into_iter().filter_map(|object| object.metadata.name).collect())
        }
        Wanted::Contexts | Wanted::Clusters | Wanted::Users => None,
    }
}

/// The cluster that the words before name.
fn cluster(given: &Given) -> Option<ClusterArgs> {
    let words = std::iter::once("").chain(given.cluster.iter().map(String::as_str));
    let matches = ClusterArgs::augment_args(clap::Command::new("")).try_get_matches_from(words).ok()?;
    ClusterArgs::from_arg_matches(&matches).ok()
}
