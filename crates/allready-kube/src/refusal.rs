//! What a failed request means for the one who sent it.

use std::time::Duration;

use kube::core::Status;

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
pub fn innermost<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    let mut cause = error;
    while let Some(behind) = cause.source() {
        cause = behind;
    }
    cause
}

fn retry_after(status: &Status) -> Option<Duration> {
    let seconds = status.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()).min(Refusal::LONGEST))
}
