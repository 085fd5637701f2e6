//! One fault: on what, when, and what happens.

use std::time::Duration;

use crate::resource::Verb;

/// What happens when a rule fires.
///
/// ```
/// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
/// # use k8s_openapi::api::core::v1::Namespace;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = ApiServer::new();
/// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
/// use k8s_openapi::api::core::v1::Namespace as Object;
///
/// // The worst that can happen to a writer: the write took effect, and it is told of an error.
/// server.faults().add(Rule::new(Effect::ResetAfter).verb(Verb::Create).next_calls(1));
/// let shop: Object = serde_json::from_value(serde_json::json!({ "metadata": { "name": "shop" } })).unwrap();
/// assert!(namespaces.create(&Default::default(), &shop).await.is_err());
/// assert!(namespaces.get("shop").await.is_ok());
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The answer comes later by this much.
    Latency(Duration),
    /// 409, as if somebody else had written; nothing is written.
    Conflict,
    /// 429; nothing is done.
    TooManyRequests {
        /// Seconds, in the body and in `Retry-After`; 0 for neither.
        retry_after: u32,
    },
    /// 500; nothing is done.
    InternalError,
    /// 503; nothing is done.
    Unavailable,
    /// 403; nothing is done.
    Forbidden,
    /// The connection is cut, and nothing was done.
    ResetBefore,
    /// The connection is cut after the write took effect: the client sees an error, the object has changed.
    ResetAfter,
    /// What has happened so far is forgotten before the call is served: older watches and pages get 410.
    Compact,
    /// An event of a watch never arrives.
    DropEvent,
    /// An event of a watch arrives twice.
    DuplicateEvent,
    /// A watch ends in place of an event.
    CloseWatch,
}

impl Effect {
    pub(super) fn is_about_events(&self) -> bool {
        matches!(self, Self::DropEvent | Self::DuplicateEvent | Self::CloseWatch)
    }
}

/// When a rule fires, among the calls that it matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// Every time.
    Always,
    /// On this call alone; the first is 1.
    Nth(u64),
    /// On this many calls from now on.
    Next(u64),
    /// On this share of the calls, from 0 to 1.
    Rate(f64),
}

/// A fault: on what, when, and what happens. What is not said matches everything.
///
/// ```
/// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
/// # use k8s_openapi::api::core::v1::Namespace;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = ApiServer::new();
/// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
/// server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Get).resource("namespaces").name("kube-system"));
/// assert!(namespaces.get("kube-system").await.is_err());
/// assert!(namespaces.get("default").await.is_ok());
/// # });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub(super) effect: Effect,
    pub(super) when: When,
    verb: Option<Verb>,
    group: Option<String>,
    resource: Option<String>,
    kind: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    agent: Option<String>,
}

/// A call as rules see it. What it does not have is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    /// What it does.
    pub verb: Option<Verb>,
    /// To which API group.
    pub group: String,
    /// To which resource, such as `pods`.
    pub resource: String,
    /// To which kind, such as `Pod`.
    pub kind: String,
    /// In which namespace.
    pub namespace: String,
    /// To which object.
    pub name: String,
    /// To which subresource, such as `status`.
    pub subresource: String,
    /// Whose `User-Agent`.
    pub agent: String,
}

impl Rule {
    /// A rule that fires on every call.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable));
    /// assert!(namespaces.get("default").await.is_err());
    /// assert!(namespaces.list(&Default::default()).await.is_err(), "on every call");
    /// # });
    /// ```
    pub fn new(effect: Effect) -> Self {
        let (when, verb) = (When::Always, None);
        let [group, resource, kind, namespace] = [const { None }; 4];
        let [name, subresource, agent] = [const { None }; 3];
        Self { effect, when, verb, group, resource, kind, namespace, name, subresource, agent }
    }

    /// Only calls with this verb.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).verb(Verb::List));
    /// assert!(namespaces.get("default").await.is_ok());
    /// assert!(namespaces.list(&Default::default()).await.is_err());
    /// # });
    /// ```
    #[must_use]
    pub fn verb(self, verb: Verb) -> Self {
        Self { verb: Some(verb), ..self }
    }

    /// Only this API group; empty for the core group.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).group("apps"));
    /// assert!(namespaces.get("default").await.is_ok(), "of the core group");
    /// # });
    /// ```
    #[must_use]
    pub fn group(self, group: impl Into<String>) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// Only this resource, such as `pods`.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).resource("namespaces"));
    /// assert!(namespaces.get("default").await.is_err());
    /// # });
    /// ```
    #[must_use]
    pub fn resource(self, plural: impl Into<String>) -> Self {
        Self { resource: Some(plural.into()), ..self }
    }

    /// Only this kind, such as `Pod`.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).kind("Pod"));
    /// assert!(namespaces.get("default").await.is_ok());
    /// # });
    /// ```
    #[must_use]
    pub fn kind(self, kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..self }
    }

    /// Only this namespace.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = ApiServer::new();
    /// server.faults().add(Rule::new(Effect::Forbidden).namespace("kube-system"));
    /// let client = kube::Client::new(server.service(), "default");
    /// let pods = |namespace| kube::Api::<Pod>::namespaced(client.clone(), namespace);
    /// assert!(pods("kube-system").list(&Default::default()).await.is_err());
    /// assert!(pods("default").list(&Default::default()).await.is_ok());
    /// # });
    /// ```
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        Self { namespace: Some(namespace.into()), ..self }
    }

    /// Only objects of this name.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).name("kube-system"));
    /// assert!(namespaces.get("kube-system").await.is_err());
    /// assert!(namespaces.get("default").await.is_ok());
    /// # });
    /// ```
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Only this subresource; empty for the object itself.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Conflict).subresource("status"));
    /// assert!(namespaces.get("default").await.is_ok());
    /// assert!(namespaces.get_status("default").await.is_err());
    /// # });
    /// ```
    #[must_use]
    pub fn subresource(self, subresource: impl Into<String>) -> Self {
        Self { subresource: Some(subresource.into()), ..self }
    }

    /// Only clients whose `User-Agent` begins like this.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).agent("kubectl/"));
    /// assert!(namespaces.get("default").await.is_ok(), "this client is another");
    /// # });
    /// ```
    #[must_use]
    pub fn agent(self, prefix: impl Into<String>) -> Self {
        Self { agent: Some(prefix.into()), ..self }
    }

    /// Only on the nth call that matches; the first is 1.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).nth_call(2));
    /// let answers = [namespaces.get("default").await, namespaces.get("default").await, namespaces.get("default").await];
    /// assert_eq!(answers.map(|answer| answer.is_ok()), [true, false, true]);
    /// # });
    /// ```
    #[must_use]
    pub fn nth_call(self, nth: u64) -> Self {
        Self { when: When::Nth(nth), ..self }
    }

    /// Only on the next calls that match.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::Unavailable).next_calls(2));
    /// let answers = [namespaces.get("default").await, namespaces.get("default").await, namespaces.get("default").await];
    /// assert_eq!(answers.map(|answer| answer.is_ok()), [false, false, true]);
    /// # });
    /// ```
    #[must_use]
    pub fn next_calls(self, count: u64) -> Self {
        Self { when: When::Next(count), ..self }
    }

    /// On this share of the calls that match, from 0 to 1.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let never = server.faults().add(Rule::new(Effect::Unavailable).rate(0.0));
    /// assert!(namespaces.get("default").await.is_ok());
    /// let always = server.faults().add(Rule::new(Effect::Unavailable).rate(1.0));
    /// assert!(namespaces.get("default").await.is_err());
    /// assert_eq!((server.faults().fired(never), server.faults().fired(always)), (0, 1));
    /// # });
    /// ```
    #[must_use]
    pub fn rate(self, rate: f64) -> Self {
        Self { when: When::Rate(rate), ..self }
    }

    pub(super) fn matches(&self, call: &Seen) -> bool {
        let same = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|text| text == is);
        self.verb.is_none_or(|verb| call.verb == Some(verb))
            && same(&self.group, &call.group)
            && same(&self.resource, &call.resource)
            && same(&self.kind, &call.kind)
            && same(&self.namespace, &call.namespace)
            && same(&self.name, &call.name)
            && same(&self.subresource, &call.subresource)
            && self.agent.as_deref().is_none_or(|prefix| call.agent.starts_with(prefix))
    }
}
