//! The way to a cluster: where it is, and what its refusals mean to the person who runs a command.

use std::{fmt::Write as _, path::PathBuf, time::Duration};

use clap::Args;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

use crate::{failure::Failure, printer::tame};

/// Which cluster.
#[derive(Debug, Default, Args)]
pub(crate) struct ClusterArgs {
    /// The kubeconfig [default: KUBECONFIG, ~/.kube/config, or the service account of the pod].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,

    /// The context in it [default: its current one].
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

/// How long a command is willing to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// It is run by a person or a script that wants to know: what fails is said at once.
    Command,
    /// It runs for ever, and what fails is tried again.
    Service,
}

/// A client, and the namespace that is meant when none is named.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) namespace: String,
}

impl ClusterArgs {
    /// Reads where the cluster is. Nothing is sent yet.
    pub(crate) async fn connect(&self, patience: Patience) -> Result<Cluster, Failure> {
        let mut config = self.config().await?;
        config.connect_timeout = Some(Duration::from_secs(10));
        if patience == Patience::Command {
            config.default_retry = false;
            config.read_timeout = Some(Duration::from_secs(30));
        }
        let namespace = config.default_namespace.clone();
        let client = Client::try_from(config).map_err(|error| {
            Failure::unavailable(format_args!("cannot use the kubeconfig: {}", chain(&error)))
        })?;
        Ok(Cluster { client, namespace })
    }

    async fn config(&self) -> Result<Config, Failure> {
        let options = KubeConfigOptions { context: self.context.clone(), ..KubeConfigOptions::default() };
        let read = match &self.kubeconfig {
            Some(path) => {
                let read = Kubeconfig::read_from(path).map_err(|error| {
                    let path = tame(&path.display().to_string());
                    Failure::no_input(format_args!("cannot read the kubeconfig {path}: {}", chain(&error)))
                })?;
                Config::from_custom_kubeconfig(read, &options).await
            }
            None if self.context.is_some() => Config::from_kubeconfig(&options).await,
            None => {
                return Config::infer().await.map_err(|error| {
                    Failure::no_input(format_args!(
                        "there is no cluster to talk to: {}; give --kubeconfig",
                        chain(&error)
                    ))
                });
            }
        };
        read.map_err(|error| Failure::no_input(format_args!("cannot use the kubeconfig: {}", chain(&error))))
    }
}

/// What stopped a command, when the API server did not do what it was asked.
pub(crate) fn refused(doing: &str, error: &kube::Error) -> Failure {
    match error {
        kube::Error::Api(status) if matches!(status.code, 401 | 403) => {
            Failure::permission(format_args!("{doing}: {}", tame(&status.message)))
        }
        kube::Error::Api(status) => Failure::unavailable(format_args!("{doing}: {}", tame(&status.message))),
        other => Failure::unavailable(format_args!(
            "{doing}: the API server does not answer: {}",
            tame(&chain(other))
        )),
    }
}

/// An error and what is behind it, each once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        let said = cause.to_string();
        if !text.contains(&said) {
            let _ = write!(text, ": {said}");
        }
        behind = cause.source();
    }
    text
}
