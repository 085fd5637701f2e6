//! The sources of the clusters of a hub, as the command line gives them.

use std::path::PathBuf;

use kube::Client;

use crate::hub::inventory::{
    ClusterInventory, DirectoryInventory, FilesInventory, Merged, ProfileInventory, Providers,
    SecretInventory, merged,
};

/// One source of clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Secrets with kubeconfigs.
    Secrets {
        /// The place where they are.
        namespace: Scope,
        /// Which of them, as a selector is written in a request.
        selector: Option<String>,
    },
    /// ClusterProfiles.
    Profiles {
        /// The place where they are.
        namespace: Scope,
    },
    /// A directory of kubeconfigs.
    Directory(PathBuf),
    /// A directory of objects, for offline use.
    Files(PathBuf),
}

/// In which namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// In that of the hub.
    Own,
    /// In this one.
    Named(String),
    /// In all.
    All,
}

impl Scope {
    fn read(text: Option<&str>) -> Result<Self, String> {
        match text {
            None => Ok(Self::Own),
            Some("*") => Ok(Self::All),
            Some(name) if !name.is_empty() && !name.contains('/') => Ok(Self::Named(name.to_owned())),
            Some(name) => Err(format!("{name:?} is no namespace; `*` is all of them")),
        }
    }

    /// The namespace to stay in, given that of the hub; none for all.
    fn within(&self, own: &str) -> Option<String> {
        match self {
            Self::Own => Some(own.to_owned()),
            Self::Named(name) => Some(name.clone()),
            Self::All => None,
        }
    }
}

/// Reads one source.
pub(super) fn source(text: &str) -> Result<Source, String> {
    let (kind, rest) = match text.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (text, None),
    };
    let path = |rest: Option<&str>| match rest {
        Some(path) if !path.is_empty() => Ok(PathBuf::from(path)),
        _ => Err(format!("{kind}:PATH needs the path of a directory")),
    };
    match kind {
        "secrets" => {
            let (namespace, selector) = match rest.and_then(|rest| rest.split_once('/')) {
                Some((_, "")) => return Err("there is no selector after the `/`".to_owned()),
                Some((namespace, selector)) => (Some(namespace), Some(selector.to_owned())),
                None => (rest, None),
            };
            Ok(Source::Secrets { namespace: Scope::read(namespace)?, selector })
        }
        "profiles" => Ok(Source::Profiles { namespace: Scope::read(rest)? }),
        "dir" => path(rest).map(Source::Directory),
        "files" => path(rest).map(Source::Files),
        _ => Err(format!(
            "clusters come from secrets[:NAMESPACE[/SELECTOR]], profiles[:NAMESPACE], dir:PATH or files:PATH, and not \
             from {text:?}"
        )),
    }
}

/// All of them as one inventory.
pub(super) fn inventory(sources: &[Source], providers: &Providers, own: &str, client: &Client) -> Merged {
    let one = |source: &Source| -> Box<dyn ClusterInventory> {
        match source {
            Source::Secrets { namespace, selector } => {
                let mut secrets = SecretInventory::new(client.clone());
                if let Some(namespace) = namespace.within(own) {
                    secrets = secrets.namespace(namespace);
                }
                if let Some(selector) = selector {
                    secrets = secrets.selector(selector);
                }
                Box::new(secrets)
            }
            Source::Profiles { namespace } => {
                let mut profiles = ProfileInventory::new(client.clone()).providers(providers.clone());
                if let Some(namespace) = namespace.within(own) {
                    profiles = profiles.namespace(namespace);
                }
                Box::new(profiles)
            }
            Source::Directory(path) => Box::new(DirectoryInventory::new(path)),
            Source::Files(path) => Box::new(FilesInventory::new(path)),
        }
    };
    merged(sources.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(namespace: Scope, selector: Option<&str>) -> Source {
        Source::Secrets { namespace, selector: selector.map(str::to_owned) }
    }

    #[test]
    fn a_source_is_a_word_and_where_to_look() {
        let named = || Scope::Named("fleet".to_owned());
        assert_eq!(source("secrets"), Ok(secrets(Scope::Own, None)));
        assert_eq!(source("secrets:*"), Ok(secrets(Scope::All, None)));
        assert_eq!(source("secrets:fleet"), Ok(secrets(named(), None)));
        let selected = "cluster.x-k8s.io/cluster-name,region in (eu,us)";
        assert_eq!(source(&format!("secrets:fleet/{selected}")), Ok(secrets(named(), Some(selected))));
        assert_eq!(source("profiles:fleet"), Ok(Source::Profiles { namespace: named() }));
        assert_eq!(source("dir:/etc/fleet"), Ok(Source::Directory("/etc/fleet".into())));
        assert_eq!(source("files:C:x"), Ok(Source::Files("C:x".into())));
    }

    #[test]
    fn what_is_no_source_is_refused_with_what_there_is() {
        let told = |text| source(text).unwrap_err();
        assert_eq!(told("dir"), "dir:PATH needs the path of a directory");
        assert_eq!(told("files:"), "files:PATH needs the path of a directory");
        assert_eq!(told("secrets:"), "\"\" is no namespace; `*` is all of them");
        assert_eq!(told("secrets:a/"), "there is no selector after the `/`");
        assert_eq!(told("profiles:a/b"), "\"a/b\" is no namespace; `*` is all of them");
        assert!(told("fleet").starts_with("clusters come from secrets[:NAMESPACE[/SELECTOR]], profiles"));
    }

    #[tokio::test]
    async fn secrets_without_a_namespace_are_those_beside_the_hub() {
        let server = allready_apiserver::ApiServer::new();
        let client = Client::new(server.service(), "default");
        let sources = ["secrets", "secrets:*", "dir:/a"].map(|text| source(text).unwrap());
        let name = inventory(&sources, &Providers::default(), "hub", &client).name();
        assert_eq!(
            name,
            "Secrets in hub with allready.dev/cluster, Secrets with allready.dev/cluster, kubeconfigs in /a"
        );
    }
}
