//! The way to a cluster: a client from its kubeconfig.

use std::time::Duration;

use http::{HeaderValue, header::USER_AGENT};
use kube::{
    Client, Config,
    client::ClientBuilder,
    config::{Kubeconfig, KubeconfigError},
};

use super::{MANAGER, bounded::BoundedLayer};
use allready_kube::refusal::describe;

/// The longest time that connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest time that a connection may be silent in the middle of an answer: longer than a watch lasts. Whatever is no watch is
/// given up sooner by who asks.
const SILENCE: Duration = Duration::from_mins(1);

/// Why there is no client. Nothing of the kubeconfig is in it but names that are no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its kubeconfig cannot be used: {0}")]
pub(super) struct Unusable(String);

/// A client of a cluster. May run a credential plugin and read files: not for a thread that others wait for.
pub(super) fn client(kubeconfig: &Kubeconfig) -> Result<Client, Unusable> {
    let mut config =
        Config::try_from(kubeconfig.clone()).map_err(|error| Unusable(in_words(&error).to_owned()))?;
    config.connect_timeout = Some(CONNECT);
    config.read_timeout = Some(SILENCE);
    config.reset_reader_on_write = true;
    // Who asks tries again, later each time.
    config.default_retry = false;
    config.headers.push((USER_AGENT, HeaderValue::from_static(MANAGER)));
    let builder = ClientBuilder::try_from(config).map_err(|error| Unusable(describe(&error)))?;
    Ok(builder.with_layer(&BoundedLayer::default()).build())
}

/// True if a program has to be run for the credentials.
pub(super) fn has_plugin(kubeconfig: &Kubeconfig) -> bool {
    let mut users = kubeconfig.auth_infos.iter().filter_map(|user| user.auth_info.as_ref());
    users.any(|user| user.exec.is_some() || user.auth_provider.is_some())
}

/// The fault of a kubeconfig. Its own errors quote it, and what they quote may be secret.
#[allow(clippy::match_wildcard_for_single_variants, reason = "features of kube bring more of them")]
pub(super) fn in_words(error: &KubeconfigError) -> &'static str {
    match error {
        KubeconfigError::CurrentContextNotSet => "it has no current-context",
        KubeconfigError::LoadContext(_) => "its current-context is not among its contexts",
        KubeconfigError::LoadClusterOfContext(_) => {
            "the cluster of its current-context is not among its clusters"
        }
        KubeconfigError::ReadConfig(..) => "the file cannot be read",
        KubeconfigError::Parse(_) => "it is not the YAML of a kubeconfig",
        KubeconfigError::MissingClusterUrl => "its cluster has no server",
        KubeconfigError::ParseClusterUrl(_) => "the server of its cluster is not an address",
        KubeconfigError::ParseProxyUrl(_) => "its proxy-url is not an address",
        KubeconfigError::LoadCertificateAuthority(_) | KubeconfigError::ParseCertificates(_) => {
            "its certificate authority cannot be read"
        }
        KubeconfigError::LoadClientCertificate(_) => "its client certificate cannot be read",
        KubeconfigError::LoadClientKey(_) => "its client key cannot be read",
        KubeconfigError::KindMismatch | KubeconfigError::ApiVersionMismatch => {
            "its documents are not of one kind and version"
        }
        _ => "it cannot be understood",
    }
}
