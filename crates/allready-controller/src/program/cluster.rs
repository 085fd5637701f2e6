//! The way to a cluster: where it is, and what its refusals mean to the person who runs a command.

use std::{fmt::Write as _, path::PathBuf, time::Duration};

use allready_kube::refusal::{denied, innermost};
use clap::Args;
use kube::{
    Client, Config,
    config::{InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError},
};

use super::{failure::Failure, text::tame};

/// Which cluster.
#[derive(Debug, Default, Args)]
pub struct ClusterArgs {
    /// The kubeconfig [default: KUBECONFIG, ~/.kube/config, or the service account of the pod].
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// The context in it [default: its current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// The patience of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It is run by a person or a script that wants to know: what fails is said at once.
    Command,
    /// It runs for ever, and what fails is tried again.
    Service,
}

/// So many contexts are named to who asked for one that is not there.
const MOST_CONTEXTS: usize = 10;
/// The time in which a server has to take up the connection.
const TIME_TO_CONNECT: Duration = Duration::from_secs(10);

/// A client, and the namespace that is meant when none is named.
pub struct Cluster {
    /// A client of it.
    pub client: Client,
    /// The namespace of the context, or of the pod.
    pub namespace: String,
    /// The address of its API server.
    pub server: String,
    /// The name of the context; none in a pod.
    pub context: Option<String>,
}

impl ClusterArgs {
    /// Reads where the cluster is. Nothing is sent yet.
    pub async fn connect(&self, patience: Patience) -> Result<Cluster, Failure> {
        let (mut config, context) = self.config().await?;
        config.connect_timeout = Some(TIME_TO_CONNECT);
        if patience == Patience::Command {
            config.default_retry = false;
            config.read_timeout = Some(Duration::from_secs(30));
        }
        let (namespace, server) = (config.default_namespace.clone(), config.cluster_url.to_string());
        let server = server.trim_end_matches('/').to_owned();
        let client = Client::try_from(config).map_err(|error| {
            Failure::unavailable(format_args!("cannot use the kubeconfig: {}", chain(&error)))
        })?;
        Ok(Cluster { client, namespace, server, context })
    }

    /// The configuration of a client, and the name of the context that it is from.
    async fn config(&self) -> Result<(Config, Option<String>), Failure> {
        let read = match (&self.kubeconfig, &self.context) {
            (Some(path), _) => Kubeconfig::read_from(path),
            (None, Some(_)) => Kubeconfig::read(),
            (None, None) => {
                let config = Config::infer().await.map_err(|error| Failure::no_input(nowhere(&error)))?;
                return Ok((config, Kubeconfig::read().ok().and_then(|read| read.current_context)));
            }
        };
        let read = read.map_err(|error| Failure::no_input(unusable(&error, &[])))?;
        let contexts: Vec<String> = read.contexts.iter().map(|context| context.name.clone()).collect();
        let context = self.context.clone().or_else(|| read.current_context.clone());
        let options = KubeConfigOptions { context: self.context.clone(), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(read, &options).await;
        Ok((config.map_err(|error| Failure::no_input(unusable(&error, &contexts)))?, context))
    }
}

/// Nobody said which cluster, and nothing that is looked at without being told knows one.
fn nowhere(error: &InferConfigError) -> String {
    let why = match std::error::Error::source(error).and_then(|it| it.downcast_ref::<KubeconfigError>()) {
        Some(error) => unusable(error, &[]),
        None => tame(&chain(error)),
    };
    format!("there is no cluster to talk to: {why}; this is no pod of a cluster either; give --kubeconfig")
}

/// Says what is wrong with a kubeconfig that has these contexts.
fn unusable(error: &KubeconfigError, contexts: &[String]) -> String {
    match error {
        KubeconfigError::ReadConfig(error, path) => {
            format!("cannot read the kubeconfig {}: {error}", tame(&path.display().to_string()))
        }
        KubeconfigError::Parse(error) => {
            // The rest quotes the file, in which there may be a token.
            let said = error.to_string();
            let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
            format!("the kubeconfig cannot be understood: {}", tame(said))
        }
        KubeconfigError::LoadContext(name) if contexts.is_empty() => {
            format!("the kubeconfig has no context {name:?}, nor any other")
        }
        KubeconfigError::LoadContext(name) => {
            let more = if contexts.len() > MOST_CONTEXTS { ", …" } else { "" };
            let known: Vec<String> = contexts.iter().take(MOST_CONTEXTS).map(|name| tame(name)).collect();
            format!("the kubeconfig has no context {name:?}: it has {}{more}", known.join(", "))
        }
        KubeconfigError::CurrentContextNotSet => {
            "the kubeconfig has no current context: give --context".to_owned()
        }
        other => format!("cannot use the kubeconfig: {}", tame(&chain(other))),
    }
}

/// The failure of a command, when the API server did not do what it was asked.
pub fn refused(doing: &str, error: &kube::Error) -> Failure {
    match error {
        kube::Error::Api(status) if status.code == 401 => {
            Failure::permission(tame(&denied(doing, None, "Unauthorized")))
        }
        kube::Error::Api(status) if status.code == 403 => {
            Failure::permission(tame(&denied(doing, None, &status.message)))
        }
        kube::Error::Api(status) => Failure::unavailable(format_args!("{doing}: {}", tame(&status.message))),
        other => Failure::unavailable(format_args!(
            "{doing}: the API server does not answer: {}",
            tame(&silence(other))
        )),
    }
}

/// Why there is no answer: the innermost cause says it, and what is around it is about the parts of a program.
fn silence(error: &kube::Error) -> String {
    if !matches!(error, kube::Error::Service(_) | kube::Error::HyperError(_)) {
        return chain(error);
    }
    match innermost(error).to_string() {
        said if said == "deadline has elapsed" => {
            format!("there is no connection after {} seconds", TIME_TO_CONNECT.as_secs())
        }
        said => said,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_that_is_not_there_is_told_with_those_that_are() {
        let error = || KubeconfigError::LoadContext("nope".to_owned());
        let contexts = |count: usize| (0..count).map(|index| format!("c{index}")).collect::<Vec<_>>();
        assert_eq!(
            unusable(&error(), &contexts(2)),
            r#"the kubeconfig has no context "nope": it has c0, c1"#
        );
        assert!(unusable(&error(), &contexts(11)).ends_with("c8, c9, …"));
        assert!(unusable(&error(), &[]).ends_with("nor any other"));
        let hostile = unusable(&error(), &["\u{1b}[2J".to_owned()]);
        assert!(!hostile.contains('\u{1b}'), "{hostile}");
    }

    #[test]
    fn a_kubeconfig_that_is_no_yaml_is_refused_without_quoting_it() {
        let error = Kubeconfig::from_yaml("users:\n- token: [secret").unwrap_err();
        let said = unusable(&error, &[]);
        assert!(said.starts_with("the kubeconfig cannot be understood: line 2 column "), "{said}");
        assert!(!said.contains("secret") && !said.contains('\n'), "{said}");
    }

    #[test]
    fn what_does_not_answer_is_said_by_the_innermost_cause() {
        let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
        let outer = std::io::Error::other(refused);
        assert_eq!(silence(&kube::Error::Service(Box::new(outer))), "connection refused");
        let late = std::io::Error::other("deadline has elapsed");
        let said = silence(&kube::Error::Service(Box::new(late)));
        assert_eq!(said, "there is no connection after 10 seconds");
    }
}
