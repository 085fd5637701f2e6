//! The components: what each of their reconcilers makes of the configuration.

use std::collections::BTreeMap;

use allready::report::{Failure, Identity, Outcome, Reporter, SyncState};
use k8s_openapi::api::core::v1::{Node, Service};
use kube::{Api, Client, api::ListParams};

use crate::config;

/// Which component this process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Component {
    /// The only one, which gives out addresses.
    Controller,
    /// One on each node, which announces them.
    Speaker {
        /// The node.
        node: String,
    },
}

impl Component {
    /// Under which name it reports.
    pub fn identity(&self) -> Identity {
        match self {
            Self::Controller => Identity::of("controller"),
            Self::Speaker { node } => Identity::of("speaker").on(node),
        }
    }

    /// Lets every reconciler digest a configuration, and report what it came to.
    pub(crate) async fn digest(&self, client: &Client, namespace: &str, reporter: &Reporter, given: &Given) {
        // Each reports its result, or its error, or that it was cancelled; nobody has to look at the results.
        match self {
            Self::Controller => {
                let pools = async { given.digest(|texts| config::pools(text(texts, "pools")).map(drop)) };
                let _ = reporter.reporting("poolReconciler", pools).await;
                let services = services(client, namespace, SyncState::ReprocessAll);
                let _ = reporter.reporting("serviceReconciler", services).await;
            }
            Self::Speaker { node } => {
                let config = async { given.digest(|texts| config::config(texts, node).map(drop)) };
                let _ = reporter.reporting("configReconciler", config).await;
                let _ = reporter.reporting("nodeReconciler", known(client, node)).await;
                let services = services(client, namespace, SyncState::Success);
                let _ = reporter.reporting("serviceReconciler", services).await;
                let sessions = async { given.digest(|texts| config::config(texts, node).map(drop)) };
                let _ = reporter.reporting("frrk8sReconciler", sessions).await;
            }
        }
    }
}

fn text<'a>(texts: &'a BTreeMap<String, String>, key: &str) -> &'a str {
    texts.get(key).map(String::as_str).unwrap_or_default()
}

/// The configuration as it was found: its revision and its texts, if it is there.
pub(crate) struct Given {
    pub(crate) found: Option<(String, BTreeMap<String, String>)>,
}

impl Given {
    fn digest(
        &self,
        check: impl Fn(&BTreeMap<String, String>) -> Result<(), config::ConfigError>,
    ) -> Result<Outcome, Failure> {
        let (revision, texts) = self.found.as_ref().ok_or_else(|| {
            Failure::config(format!("there is no ConfigMap {:?} in this namespace", crate::CONFIG))
        })?;
        // An invalid configuration has been observed too: it is this revision that is wrong.
        let outcome = Outcome::of(check(texts).err(), SyncState::Success);
        Ok(outcome.observed(revision))
    }
}

/// Whether the services can be listed: if not, that is not the fault of the configuration.
async fn services(client: &Client, namespace: &str, state: SyncState) -> Result<SyncState, kube::Error> {
    let services: Api<Service> = Api::namespaced(client.clone(), namespace);
    services.list(&ListParams::default().limit(500)).await?;
    Ok(state)
}

/// Whether the node is known.
async fn known(client: &Client, node: &str) -> Result<SyncState, Failure> {
    let nodes: Api<Node> = Api::all(client.clone());
    match nodes.get_opt(node).await.map_err(Failure::retry)? {
        Some(_) => Ok(SyncState::Success),
        None => Err(Failure::no_retry(format!("node {node:?} does not exist"))),
    }
}
