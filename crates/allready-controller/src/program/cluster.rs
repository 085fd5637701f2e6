//! The way to a cluster: where it is, and what its refusals mean to the person who runs a command.

use std::{
    fmt::{self, Write as _},
    io,
    path::PathBuf,
    time::Duration,
};

use allready_kube::refusal::{causes, denied, describe, innermost};
use clap::Args;
use kube::{
    Client, Config,
    client::{AuthError, ClientBuilder},
    config::{AuthInfo, InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError},
};
use rustls::CertificateError;
use tower::util::MapErrLayer;

use super::{
    duration::{self, duration},
    failure::Failure,
    text::tame,
};

/// The heading of these flags in help texts.
pub const CLUSTER_OPTIONS: &str = "Cluster options";

/// The flags that say which cluster, and who asks: those of kubectl, by their names.
#[derive(Debug, Default, Args)]
pub struct ClusterArgs {
    /// Kubeconfig to use [default: KUBECONFIG, ~/.kube/config, or the service account of the pod].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig [default: its current one].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "NAME")]
    pub context: Option<String>,

    /// Cluster of the kubeconfig [default: that of the context].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "NAME")]
    pub cluster: Option<String>,

    /// User of the kubeconfig [default: that of the context].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "NAME")]
    pub user: Option<String>,

    /// Address of the API server [default: that of the cluster].
    #[arg(short, long, help_heading = CLUSTER_OPTIONS, value_name = "URL", value_parser = server)]
    pub server: Option<http::Uri>,

    /// Bearer token, instead of the credentials of the user; other users of the machine can read it in the list of processes.
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "TOKEN", value_parser = |token: &str| Ok::<_, String>(Token(token.to_owned())))]
    pub token: Option<Token>,

    /// User to impersonate; a service account is `system:serviceaccount:NAMESPACE:NAME`.
    #[arg(long = "as", help_heading = CLUSTER_OPTIONS, value_name = "USER")]
    pub impersonate: Option<String>,

    /// Group to impersonate; may be repeated.
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "GROUP")]
    pub as_group: Vec<String>,

    /// UID to impersonate.
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "UID")]
    pub as_uid: Option<String>,

    /// Certificate authority of the API server, as PEM.
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "FILE")]
    pub certificate_authority: Option<PathBuf>,

    /// Do not check the certificate of the API server: anybody between can read and change everything.
    #[arg(long, help_heading = CLUSTER_OPTIONS, conflicts_with = "certificate_authority")]
    pub insecure_skip_tls_verify: bool,

    /// Name that the certificate of the API server is for [default: the host of its address].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "NAME")]
    pub tls_server_name: Option<String>,

    /// Time for a single request: `10s`, `2m`, or seconds; 0 is no limit [default: 30s].
    #[arg(long, help_heading = CLUSTER_OPTIONS, value_name = "DURATION", value_parser = duration)]
    pub request_timeout: Option<Duration>,
}

/// A bearer token, which is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
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
/// The time in which a server has to answer a command.
const TIME_TO_ANSWER: Duration = Duration::from_secs(30);

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

/// A request that got no answer, and the server that it was sent to.
#[derive(Debug)]
struct Unreachable {
    server: String,
    context: Option<String>,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot reach {}", self.server)?;
        match &self.context {
            Some(context) => write!(f, " (context {context})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Unreachable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}

impl ClusterArgs {
    /// Returns true if any of the flags is given.
    pub fn is_given(&self) -> bool {
        !self.flags().is_empty() || self.token.is_some()
    }

    /// The flags that are given, with their values, for a command that speaks to the same cluster. Never the token.
    pub fn flags(&self) -> Vec<(&'static str, Option<String>)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let values = [
            ("--context", self.context.clone()),
            ("--kubeconfig", path(&self.kubeconfig)),
            ("--cluster", self.cluster.clone()),
            ("--user", self.user.clone()),
            ("--server", self.server.as_ref().map(ToString::to_string)),
            ("--as", self.impersonate.clone()),
            ("--as-uid", self.as_uid.clone()),
            ("--certificate-authority", path(&self.certificate_authority)),
            ("--tls-server-name", self.tls_server_name.clone()),
            ("--request-timeout", self.request_timeout.map(duration::shown)),
        ];
        let values = values.into_iter().filter(|(_, value)| value.is_some());
        let groups = self.as_group.iter().map(|group| ("--as-group", Some(group.clone())));
        let insecure = self.insecure_skip_tls_verify.then_some(("--insecure-skip-tls-verify", None));
        values.chain(groups).chain(insecure).collect()
    }

    /// Reads where the cluster is. Nothing is sent yet.
    pub async fn connect(&self, patience: Patience) -> Result<Cluster, Failure> {
        let (mut config, context) = self.config().await?;
        self.replace(&mut config)?;
        config.connect_timeout = Some(TIME_TO_CONNECT);
        if patience == Patience::Command {
            config.default_retry = false;
            config.read_timeout = Some(TIME_TO_ANSWER);
        }
        if let Some(limit) = self.request_timeout {
            let limit = Some(limit).filter(|limit| !limit.is_zero());
            config.connect_timeout = limit;
            // A watch is quiet for longer than any request takes.
            config.read_timeout = limit.filter(|_| patience == Patience::Command);
        }
        let (namespace, server) = (config.default_namespace.clone(), config.cluster_url.to_string());
        let server = server.trim_end_matches('/').to_owned();
        let builder = ClientBuilder::try_from(config).map_err(|error| {
            Failure::unavailable(format_args!("cannot use the kubeconfig: {}", tame(&chain(&error))))
        })?;
        let asked = (server.clone(), context.clone());
        let unreachable = MapErrLayer::new(move |source| {
            let (server, context) = asked.clone();
            Unreachable { server, context, source }
        });
        let client = builder.with_layer(&unreachable).build();
        Ok(Cluster { client, namespace, server, context })
    }

    /// The configuration of a client, and the name of the context that it is from.
    async fn config(&self) -> Result<(Config, Option<String>), Failure> {
        let alone = |failure| match &self.server {
            // An address is enough: everything else may be given by flags too, or not be needed.
            Some(server) if !self.names_an_entry() => Ok((Config::new(server.clone()), None)),
            _ => Err(failure),
        };
        let read = match (&self.kubeconfig, self.names_an_entry()) {
            (Some(path), _) => Kubeconfig::read_from(path),
            (None, true) => Kubeconfig::read(),
            (None, false) => {
                return match Config::infer().await {
                    Ok(config) => Ok((config, Kubeconfig::read().ok().and_then(|read| read.current_context))),
                    Err(error) => alone(Failure::no_input(nowhere(&error))),
                };
            }
        };
        let read = read.map_err(|error| Failure::no_input(unusable(&error, &Names::default())))?;
        let names = Names::of(&read);
        if let Some(user) = self.user.as_ref().filter(|user| !names.users.contains(user)) {
            return Err(Failure::no_input(absent("user", user, &names.users)));
        }
        let context = self.context.clone().or_else(|| read.current_context.clone());
        let (cluster, user) = (self.cluster.clone(), self.user.clone());
        let options = KubeConfigOptions { context: self.context.clone(), cluster, user };
        match Config::from_custom_kubeconfig(read, &options).await {
            Ok(config) => Ok((config, context)),
            Err(error @ KubeconfigError::CurrentContextNotSet) => {
                alone(Failure::no_input(unusable(&error, &names)))
            }
            Err(error) => Err(Failure::no_input(unusable(&error, &names))),
        }
    }

    /// Returns true if a kubeconfig has to have what is named.
    fn names_an_entry(&self) -> bool {
        self.context.is_some() || self.cluster.is_some() || self.user.is_some()
    }

    /// Replaces what the flags say. As in client-go, another address leaves the name for its certificate behind.
    fn replace(&self, config: &mut Config) -> Result<(), Failure> {
        if let Some(server) = &self.server {
            config.cluster_url = server.clone();
            config.tls_server_name = None;
        }
        if self.tls_server_name.is_some() {
            config.tls_server_name.clone_from(&self.tls_server_name);
        }
        if let Some(path) = &self.certificate_authority {
            std::fs::File::open(path).map_err(|error| {
                let name = tame(&path.display().to_string());
                Failure::no_input(format_args!("cannot read the certificate authority {name}: {error}"))
            })?;
            config.root_cert = None;
            config.root_cert_file = Some(path.clone());
            config.accept_invalid_certs = false;
        }
        if self.insecure_skip_tls_verify {
            config.accept_invalid_certs = true;
        }
        let auth = &mut config.auth_info;
        if let Some(Token(token)) = &self.token {
            // The token says who asks, and no certificate or plugin beside it.
            *auth = AuthInfo {
                token: Some(token.clone().into()),
                impersonate: auth.impersonate.take(),
                impersonate_uid: auth.impersonate_uid.take(),
                impersonate_groups: auth.impersonate_groups.take(),
                impersonate_user_extra: auth.impersonate_user_extra.take(),
                ..AuthInfo::default()
            };
        }
        if self.impersonate.is_some() {
            auth.impersonate.clone_from(&self.impersonate);
        }
        if !self.as_group.is_empty() {
            auth.impersonate_groups = Some(self.as_group.clone());
        }
        if self.as_uid.is_some() {
            auth.impersonate_uid.clone_from(&self.as_uid);
        }
        Ok(())
    }
}

/// Reads an address. Without a scheme it is HTTPS.
fn server(text: &str) -> Result<http::Uri, String> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let uri: http::Uri = whole.parse().map_err(|error| format!("no address of a server: {error}"))?;
    match uri.scheme_str() {
        Some("http" | "https") if uri.host().is_some_and(|host| !host.is_empty()) => Ok(uri),
        _ => Err("give an address such as https://10.0.0.1:6443".to_owned()),
    }
}

/// The entries of a kubeconfig.
#[derive(Default)]
struct Names {
    contexts: Vec<String>,
    clusters: Vec<String>,
    users: Vec<String>,
}

impl Names {
    fn of(read: &Kubeconfig) -> Self {
        Self {
            contexts: read.contexts.iter().map(|context| context.name.clone()).collect(),
            clusters: read.clusters.iter().map(|cluster| cluster.name.clone()).collect(),
            users: read.auth_infos.iter().map(|user| user.name.clone()).collect(),
        }
    }
}

/// Says that a kubeconfig does not have what was named, and what it has.
fn absent(what: &str, name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("the kubeconfig has no {what} {name:?}, nor any other");
    }
    let more = if known.len() > MOST_CONTEXTS { ", …" } else { "" };
    let known: Vec<String> = known.iter().take(MOST_CONTEXTS).map(|name| tame(name)).collect();
    format!("the kubeconfig has no {what} {name:?}: it has {}{more}", known.join(", "))
}

/// Nobody said which cluster, and nothing that is looked at without being told knows one.
fn nowhere(error: &InferConfigError) -> String {
    let why = match std::error::Error::source(error).and_then(|it| it.downcast_ref::<KubeconfigError>()) {
        Some(error) => unusable(error, &Names::default()),
        None => tame(&chain(error)),
    };
    format!(
        "there is no cluster to talk to: {why}; this is no pod of a cluster either; pass --kubeconfig FILE or --server URL"
    )
}

/// Says what is wrong with a kubeconfig that has these entries.
fn unusable(error: &KubeconfigError, names: &Names) -> String {
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
        KubeconfigError::LoadContext(name) => absent("context", name, &names.contexts),
        KubeconfigError::LoadClusterOfContext(name) => absent("cluster", name, &names.clusters),
        KubeconfigError::CurrentContextNotSet => {
            "the kubeconfig has no current context: pass --context".to_owned()
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
        other => Failure::unavailable(format_args!("{doing}: {}", tame(&silence(other)))),
    }
}

/// Says which server did not answer, why, and what to do about it. The innermost cause says why, and what is around it is about the
/// parts of a program.
fn silence(error: &kube::Error) -> String {
    let Some(unreachable) = causes(error).find_map(|cause| cause.downcast_ref::<Unreachable>()) else {
        return format!("the API server does not answer: {}", chain(error));
    };
    if causes(unreachable).any(<dyn std::error::Error>::is::<AuthError>) {
        // What a credential plugin printed may be a secret.
        return format!("{unreachable}: {}", describe(error));
    }
    let is_late = causes(unreachable).any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        cause.is::<tokio::time::error::Elapsed>() || io.is_some_and(|io| io.kind() == io::ErrorKind::TimedOut)
    });
    let why = if is_late { "no answer in time".to_owned() } else { innermost(unreachable).to_string() };
    format!("{unreachable}: {why}{}", advice(unreachable).unwrap_or_default())
}

/// The error of TLS behind another. An I/O error hides the one that it was made from among its sources.
fn tls<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(found) = error.downcast_ref::<rustls::Error>() {
        return Some(found);
    }
    let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inside.map_or_else(|| error.source().and_then(tls), |inside| tls(inside))
}

/// Says what to do about a connection that TLS does not accept.
fn advice(unreachable: &Unreachable) -> Option<&'static str> {
    match tls(unreachable)? {
        rustls::Error::InvalidCertificate(wrong) => match wrong {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Some(
                "; if the server is the right one, pass --tls-server-name with a name of its certificate",
            ),
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => {
                Some("; renew the certificate of the server, or set the clock of this machine")
            }
            _ => Some("; pass --certificate-authority FILE with the authority that signed its certificate"),
        },
        rustls::Error::InvalidMessage(_) => {
            Some("; the server does not speak TLS: is its address one of http://?")
        }
        rustls::Error::AlertReceived(_) => {
            Some("; the server refuses the TLS connection: check the client certificate of the user")
        }
        _ => None,
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
        let contexts = |count: usize| (0..count).map(|index| format!("c{index}")).collect::<Vec<_>>();
        let told = |contexts: Vec<String>| {
            let names = Names { contexts, ..Names::default() };
            unusable(&KubeconfigError::LoadContext("nope".to_owned()), &names)
        };
        assert_eq!(told(contexts(2)), r#"the kubeconfig has no context "nope": it has c0, c1"#);
        assert!(told(contexts(11)).ends_with("c8, c9, …"));
        assert!(told(Vec::new()).ends_with("nor any other"));
        let hostile = told(vec!["\u{1b}[2J".to_owned()]);
        assert!(!hostile.contains('\u{1b}'), "{hostile}");
    }

    #[test]
    fn a_kubeconfig_that_is_no_yaml_is_refused_without_quoting_it() {
        let error = Kubeconfig::from_yaml("users:\n- token: [secret").unwrap_err();
        let said = unusable(&error, &Names::default());
        assert!(said.starts_with("the kubeconfig cannot be understood: line 2 column "), "{said}");
        assert!(!said.contains("secret") && !said.contains('\n'), "{said}");
    }

    fn unreachable(source: impl std::error::Error + Send + Sync + 'static) -> kube::Error {
        let (server, context) = ("https://10.0.0.1:6443".to_owned(), Some("dev".to_owned()));
        kube::Error::Service(Box::new(Unreachable { server, context, source: Box::new(source) }))
    }

    #[test]
    fn a_server_that_does_not_answer_is_named_with_its_context_and_the_innermost_cause() {
        let refused = io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let said = super::refused("cannot list pods", &unreachable(io::Error::other(refused)));
        assert_eq!(
            said.to_string(),
            "cannot list pods: cannot reach https://10.0.0.1:6443 (context dev): connection refused"
        );
        let late = io::Error::new(io::ErrorKind::TimedOut, "deadline has elapsed");
        let said = silence(&unreachable(late));
        assert_eq!(said, "cannot reach https://10.0.0.1:6443 (context dev): no answer in time");
    }

    #[test]
    fn a_certificate_that_is_not_accepted_is_told_with_what_to_do() {
        let told = |error: CertificateError| {
            silence(&unreachable(io::Error::other(rustls::Error::InvalidCertificate(error))))
        };
        for (error, advice) in [
            (CertificateError::UnknownIssuer, "pass --certificate-authority FILE"),
            (CertificateError::NotValidForName, "pass --tls-server-name"),
            (CertificateError::Expired, "renew the certificate of the server"),
        ] {
            let said = told(error);
            assert!(said.contains("(context dev): ") && said.contains(advice), "{said}");
        }
    }

    #[test]
    fn what_a_credential_plugin_printed_is_not_in_the_message() {
        let failed = AuthError::AuthExec("hunter2".to_owned());
        let said = silence(&unreachable(failed));
        assert!(said.ends_with("the credentials of the kubeconfig cannot be used"), "{said}");
    }

    fn config() -> Config {
        let mut config = Config::new("https://old.example".parse().unwrap());
        config.tls_server_name = Some("old".to_owned());
        config.auth_info.client_certificate = Some("cert".to_owned());
        config.auth_info.impersonate_groups = Some(vec!["old".to_owned()]);
        config
    }

    #[test]
    fn flags_replace_what_the_kubeconfig_says_and_nothing_else() {
        let mut same = config();
        ClusterArgs::default().replace(&mut same).unwrap();
        assert_eq!(format!("{same:?}"), format!("{:?}", config()));

        let args = ClusterArgs {
            server: Some(server("new.example:6443").unwrap()),
            token: Some(Token("secret".to_owned())),
            impersonate: Some("jane".to_owned()),
            as_group: vec!["devs".to_owned(), "ops".to_owned()],
            as_uid: Some("7".to_owned()),
            insecure_skip_tls_verify: true,
            ..ClusterArgs::default()
        };
        let mut other = config();
        args.replace(&mut other).unwrap();
        assert_eq!(other.cluster_url, "https://new.example:6443");
        assert_eq!((other.tls_server_name, other.accept_invalid_certs), (None, true));
        let auth = other.auth_info;
        assert!(auth.token.is_some() && auth.client_certificate.is_none());
        assert_eq!((auth.impersonate.as_deref(), auth.impersonate_uid.as_deref()), (Some("jane"), Some("7")));
        assert_eq!(auth.impersonate_groups, Some(vec!["devs".to_owned(), "ops".to_owned()]));
        assert!(!format!("{args:?} {:?}", args.flags()).contains("secret"));
    }

    #[test]
    fn an_address_without_a_scheme_is_of_https_and_what_is_none_is_refused() {
        assert_eq!(server("http://127.0.0.1:80").unwrap(), "http://127.0.0.1:80");
        assert_eq!(server("10.0.0.1").unwrap(), "https://10.0.0.1");
        for wrong in ["", "ftp://x", "https://", "a b"] {
            assert!(server(wrong).is_err(), "{wrong}");
        }
    }
}
