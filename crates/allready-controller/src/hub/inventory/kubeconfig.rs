//! Kubeconfigs that somebody else has written.
//!
//! Whoever may write a Secret is not thereby somebody who may run programs in the controller, or have its files sent to
//! a server of their choice.

use std::sync::Arc;

use kube::{
    Config,
    config::{AuthInfo, Cluster, Kubeconfig},
};

use super::Access;
use crate::hub::access::in_words;

/// The access by a kubeconfig from a Secret or a profile: everything that it says is in it, and nothing is run.
pub fn foreign(text: &[u8]) -> Access {
    match read(text) {
        Ok(kubeconfig) => Access::Kubeconfig(Arc::new(kubeconfig)),
        Err(why) => Access::Unusable(why.into()),
    }
}

fn read(text: &[u8]) -> Result<Kubeconfig, String> {
    let unusable = |why: &str| format!("its kubeconfig cannot be used: {why}");
    let text = std::str::from_utf8(text).map_err(|_| unusable("it is not text"))?;
    let kubeconfig = Kubeconfig::from_yaml(text).map_err(|error| unusable(in_words(&error)))?;
    if let Some(field) = reaches_out(&kubeconfig) {
        return Err(format!(
            "its kubeconfig is refused: {field} would run a program or read a file of the controller; \
             put tokens and certificates into it as data"
        ));
    }
    // All that it needs is in it, so that it can be seen here whether it holds together.
    Config::try_from(kubeconfig.clone()).map_err(|error| unusable(in_words(&error)))?;
    Ok(kubeconfig)
}

/// The field by which a kubeconfig reaches beyond itself, whichever context it belongs to.
fn reaches_out(kubeconfig: &Kubeconfig) -> Option<&'static str> {
    let clusters = kubeconfig.clusters.iter().filter_map(|named| named.cluster.as_ref());
    let users = kubeconfig.auth_infos.iter().filter_map(|named| named.auth_info.as_ref());
    clusters.filter_map(cluster_reaches_out).chain(users.filter_map(user_reaches_out)).next()
}

/// The field by which a cluster of a kubeconfig reaches beyond it.
pub(super) fn cluster_reaches_out(cluster: &Cluster) -> Option<&'static str> {
    cluster.certificate_authority.is_some().then_some("certificate-authority")
}

fn user_reaches_out(user: &AuthInfo) -> Option<&'static str> {
    let fields = [
        (user.exec.is_some(), "exec"),
        (user.auth_provider.is_some(), "auth-provider"),
        (user.token_file.is_some(), "tokenFile"),
        (user.client_certificate.is_some(), "client-certificate"),
        (user.client_key.is_some(), "client-key"),
    ];
    fields.into_iter().find_map(|(is_there, field)| is_there.then_some(field))
}
