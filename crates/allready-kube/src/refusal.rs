//! What a failed request means for the one who sent it.

use std::{error::Error, time::Duration};

use kube::{client::AuthError, core::Status};

/// The kinds of failure that writers of a status treat differently.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::refusal::Refusal;
/// use kube::core::Status;
///
/// let busy = serde_json::json!({ "status": "Failure", "code": 429, "details": { "retryAfterSeconds": 3 } });
/// let busy: Status = serde_json::from_value(busy).unwrap();
/// let refusal = Refusal::of(&kube::Error::Api(busy.boxed()));
/// assert_eq!(refusal, Refusal::Busy { after: Some(Duration::from_secs(3)) });
/// assert!(refusal.may_pass());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// Somebody else wrote first, or owns the field: look again.
    Conflict,
    /// There is no such object, or no such kind.
    NotFound,
    /// It exists already.
    AlreadyExists,
    /// Not allowed, or not known: somebody has to give a permission.
    Forbidden,
    /// The request itself is wrong: sent again, it will be refused again.
    Invalid,
    /// The server has too much to do.
    Busy {
        /// How long it asks to be left alone; [a minute](Refusal::LONGEST) at most.
        after: Option<Duration>,
    },
    /// No answer, or a failure of the server. **The request may have taken effect.**
    Unanswered,
}

impl Refusal {
    /// The longest that anybody is left alone for: a proxy may ask for an hour, and a writer that is silent for that long
    /// tells nobody what has turned red meanwhile.
    pub const LONGEST: Duration = Duration::from_mins(1);

    /// What this error means.
    ///
    /// ```
    /// use allready_kube::refusal::Refusal;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let error = kube::Api::<ConfigMap>::default_namespaced(client).get("absent").await.unwrap_err();
    /// assert_eq!(Refusal::of(&error), Refusal::NotFound);
    /// # });
    /// ```
    pub fn of(error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::of_status(status),
            kube::Error::BuildRequest(_)
            | kube::Error::Discovery(_)
            | kube::Error::LinesCodecMaxLineLengthExceeded => Self::Invalid,
            _ => Self::Unanswered,
        }
    }

    fn of_status(status: &Status) -> Self {
        match status.code {
            _ if status.is_already_exists() => Self::AlreadyExists,
            409 => Self::Conflict,
            401 | 403 => Self::Forbidden,
            404 | 410 => Self::NotFound,
            429 => Self::Busy { after: retry_after(status) },
            400..500 => Self::Invalid,
            _ if retry_after(status).is_some() => Self::Busy { after: retry_after(status) },
            _ => Self::Unanswered,
        }
    }

    /// Whether the same request may succeed later without anybody doing something about it.
    ///
    /// ```
    /// use allready_kube::refusal::Refusal;
    ///
    /// assert!(Refusal::Busy { after: None }.may_pass());
    /// assert!(!Refusal::Forbidden.may_pass(), "somebody has to give a permission");
    /// ```
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Conflict | Self::Busy { .. } | Self::Unanswered)
    }
}

/// What is behind all that went wrong: `Connection refused` says more than `client error`, which is about the parts of a program.
///
/// ```
/// use std::io::Error;
/// use allready_kube::refusal::innermost;
///
/// let error = kube::Error::ReadEvents(Error::other(Error::other("Connection refused")));
/// assert_eq!(innermost(&error).to_string(), "Connection refused");
/// ```
pub fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}

/// An error and what is behind it, from the outside in.
///
/// ```
/// use std::io::Error;
/// use allready_kube::refusal::causes;
///
/// let error = kube::Error::ReadEvents(Error::other(Error::other("Connection refused")));
/// assert!(causes(&error).any(|cause| cause.is::<Error>()));
/// ```
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&cause| cause.source())
}

/// Says why a request failed, for the reader of a condition: in one line, and without what a credential plugin printed or where a proxy
/// is, since there may be secrets in it.
///
/// ```
/// use allready_kube::refusal::describe;
///
/// let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "Connection refused");
/// assert_eq!(describe(&kube::Error::ReadEvents(std::io::Error::other(refused))), "Connection refused");
/// ```
pub fn describe(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if status.code == 401 => REFUSED_CREDENTIALS.to_owned(),
        // Nothing but a path that nobody serves is refused without an object that says why.
        kube::Error::Api(status) if status.code == 404 && status.details.is_none() => {
            "the API server does not serve this kind".to_owned()
        }
        kube::Error::Api(status) => status.message.clone(),
        kube::Error::SerdeError(_) | kube::Error::FromUtf8(_) => {
            "what answers does not speak like an API server".to_owned()
        }
        kube::Error::Auth(_) | kube::Error::InferKubeconfig(_) => CREDENTIALS.to_owned(),
        kube::Error::ProxyProtocolUnsupported { .. } | kube::Error::ProxyProtocolDisabled { .. } => {
            "the kubeconfig asks for a proxy that this build cannot speak to".to_owned()
        }
        kube::Error::TlsRequired => "this build has no TLS".to_owned(),
        other if causes(other).any(<dyn Error>::is::<AuthError>) => CREDENTIALS.to_owned(),
        other => innermost(other).to_string(),
    }
}

/// The words for a server that does not know who we are.
pub const REFUSED_CREDENTIALS: &str = "the API server refuses the credentials (401 Unauthorized)";
const CREDENTIALS: &str = "the credentials of the kubeconfig cannot be used";

/// What somebody would have to be permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// `get`, or `list and watch`.
    pub verbs: String,
    /// `pods`, `deployments.apps`, `widgets.example.com/status`.
    pub resource: String,
    /// Where; everywhere, or nowhere in particular, if there is none.
    pub namespace: Option<String>,
}

impl Permission {
    /// What an API server says to be missing, in its own words.
    ///
    /// ```
    /// use allready_kube::refusal::Permission;
    ///
    /// let said = r#"pods is forbidden: User "eve" cannot list resource "pods" in API group "" in the namespace "shop""#;
    /// let missing = Permission::of_refusal(said).unwrap();
    /// assert_eq!((missing.verbs.as_str(), missing.resource.as_str()), ("list", "pods"));
    /// assert_eq!(missing.namespace.as_deref(), Some("shop"));
    /// ```
    pub fn of_refusal(said: &str) -> Option<Self> {
        let (_, rest) = said.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (plural, rest) = rest.split_once('"')?;
        let (group, rest) = rest.strip_prefix(" in API group \"")?.split_once('"')?;
        let namespace = rest.strip_prefix(" in the namespace \"").and_then(|rest| rest.split_once('"'));
        let (plural, part) = plural
            .split_once('/')
            .map_or((plural, String::new()), |(plural, part)| (plural, format!("/{part}")));
        let dot = if group.is_empty() { "" } else { "." };
        Some(Self {
            verbs: verb.to_owned(),
            resource: format!("{plural}{dot}{group}{part}"),
            namespace: namespace.map(|(namespace, _)| namespace.to_owned()),
        })
    }
}

/// What to say to somebody who may not do something: what was to be done, what is missing and where, and what the server
/// says. Where it is not known what was wanted, it is what the server says to be missing.
///
/// ```
/// use allready_kube::refusal::denied;
///
/// let said = r#"pods is forbidden: User "eve" cannot list resource "pods" in API group "" in the namespace "shop""#;
/// assert_eq!(
///     denied("cannot list pods in namespace shop", None, said),
///     format!("cannot list pods in namespace shop: eve needs a role with the verb list on pods in namespace shop (the server says: {said})")
/// );
/// let expired = denied("cannot list pods", None, "Unauthorized");
/// assert!(expired.ends_with("they may have expired, so log in again"));
/// ```
pub fn denied(doing: &str, wanted: Option<&Permission>, said: &str) -> String {
    if said == "Unauthorized" {
        return format!(
            "{doing}: the server does not accept the credentials of this context: they may have expired, so log in again"
        );
    }
    let named = said.split_once("User \"").and_then(|(_, rest)| rest.split_once('"'));
    let who = named.map_or("the user of this context", |(user, _)| user);
    let Some(Permission { verbs, resource, namespace }) =
        wanted.cloned().or_else(|| Permission::of_refusal(said))
    else {
        return format!("{doing}: {who} is not permitted to (the server says: {said})");
    };
    let (verb, role) = (
        if verbs.contains(' ') { "verbs" } else { "verb" },
        if namespace.is_some() { "role" } else { "cluster role" },
    );
    let place = namespace.map(|namespace| format!(" in namespace {namespace}")).unwrap_or_default();
    format!(
        "{doing}: {who} needs a {role} with the {verb} {verbs} on {resource}{place} (the server says: {said})"
    )
}

fn retry_after(status: &Status) -> Option<Duration> {
    let seconds = status.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()).min(Refusal::LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_credential_plugin_prints_is_not_told() {
        let output = std::process::Output {
            status: std::process::ExitStatus::default(),
            stdout: b"hunter2".to_vec(),
            stderr: Vec::new(),
        };
        let failed =
            || AuthError::AuthExecRun { cmd: "plugin hunter2".to_owned(), out: Box::new(output.clone()) };
        for error in [kube::Error::Auth(failed()), kube::Error::Service(Box::new(failed()))] {
            assert_eq!(describe(&error), CREDENTIALS);
        }
    }
}
