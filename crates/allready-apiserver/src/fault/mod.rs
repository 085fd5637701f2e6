//! Faults on demand, for tests: what a client must survive, made to happen when the test says so.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
//! use k8s_openapi::api::core::v1::Namespace;
//!
//! let server = ApiServer::new();
//! let rule = server.faults().add(Rule::new(Effect::Unavailable).verb(Verb::Get).kind("Namespace").next_calls(1));
//!
//! let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
//! assert!(namespaces.get("default").await.unwrap_err().to_string().contains("unable to handle the request"));
//! assert!(namespaces.get("default").await.is_ok(), "one call was asked for");
//! assert_eq!(server.faults().fired(rule), 1);
//! # });
//! ```

mod rule;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use rule::{Effect, Rule};
pub(crate) use rule::{Seen, When};

use crate::status::{Details, Failure};

/// The rules of a server, shared by everything that serves it.
///
/// ```
/// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
/// # use k8s_openapi::api::core::v1::Namespace;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let server = ApiServer::new();
/// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
/// server.faults().add(Rule::new(Effect::InternalError));
/// assert!(namespaces.get("default").await.is_err());
/// server.faults().clear();
/// assert!(namespaces.get("default").await.is_ok());
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Faults {
    state: Arc<Mutex<State>>,
}

/// Which rule: what [`Faults::add`] returns.
///
/// ```
/// # use allready_apiserver::{ApiServer, fault::{Effect, Rule}};
/// let server = ApiServer::new();
/// let first = server.faults().add(Rule::new(Effect::Conflict));
/// let second = server.faults().add(Rule::new(Effect::Conflict));
/// assert_ne!(first, second, "the same rule twice is two rules");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RuleId(u64);

#[derive(Default)]
struct State {
    seed: u64,
    next: u64,
    rules: Vec<Active>,
}

struct Active {
    id: u64,
    rule: Rule,
    seen: u64,
    fired: u64,
}

impl Faults {
    /// No rules yet; rates are drawn from this seed, so that a test that failed fails again.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { state: Arc::new(Mutex::new(State { seed, ..State::default() })) }
    }

    /// Adds a rule. Rules that match one call all fire, in the order in which they were added.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let slow = Effect::Latency(std::time::Duration::from_millis(1));
    /// let rules = [server.faults().add(Rule::new(slow)), server.faults().add(Rule::new(Effect::Unavailable))];
    /// assert!(namespaces.get("default").await.is_err());
    /// assert_eq!(rules.map(|rule| server.faults().fired(rule)), [1, 1]);
    /// # });
    /// ```
    pub fn add(&self, rule: Rule) -> RuleId {
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        state.rules.push(Active { id, rule, seen: 0, fired: 0 });
        RuleId(id)
    }

    /// Takes a rule away, and says how often it fired.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let rule = server.faults().add(Rule::new(Effect::Forbidden));
    /// assert!(namespaces.get("default").await.is_err());
    /// assert_eq!(server.faults().remove(rule), 1);
    /// assert!(namespaces.get("default").await.is_ok());
    /// # });
    /// ```
    pub fn remove(&self, rule: RuleId) -> u64 {
        let mut state = self.lock();
        let fired = state.fired(rule);
        state.rules.retain(|active| active.id != rule.0);
        fired
    }

    /// Takes every rule away.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// server.faults().add(Rule::new(Effect::ResetBefore));
    /// server.faults().clear();
    /// assert!(namespaces.get("default").await.is_ok());
    /// # });
    /// ```
    pub fn clear(&self) {
        self.lock().rules.clear();
    }

    /// How often a rule fired.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let rule = server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Delete));
    /// assert!(namespaces.get("default").await.is_ok());
    /// assert_eq!(server.faults().fired(rule), 0, "nothing was deleted");
    /// # });
    /// ```
    pub fn fired(&self, rule: RuleId) -> u64 {
        self.lock().fired(rule)
    }

    /// How many calls a rule matched, fired or not.
    ///
    /// ```
    /// # use allready_apiserver::{ApiServer, Verb, fault::{Effect, Rule}};
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let server = ApiServer::new();
    /// # let namespaces = kube::Api::<Namespace>::all(kube::Client::new(server.service(), "default"));
    /// let second = server.faults().add(Rule::new(Effect::InternalError).nth_call(2));
    /// assert!(namespaces.get("default").await.is_ok());
    /// assert_eq!((server.faults().matched(second), server.faults().fired(second)), (1, 0));
    /// # });
    /// ```
    pub fn matched(&self, rule: RuleId) -> u64 {
        self.lock().rules.iter().find(|active| active.id == rule.0).map_or(0, |active| active.seen)
    }

    /// What is to happen to a call: the effects of every rule that fires on it, except those on events.
    pub(crate) fn decide(&self, call: &Seen) -> Vec<Effect> {
        self.lock().decide(call, |effect| !effect.is_about_events())
    }

    /// What is to happen to one event of a watch; `event` is the watch, with the event's namespace and name.
    pub(crate) fn decide_event(&self, event: &Seen) -> Vec<Effect> {
        self.lock().decide(event, Effect::is_about_events)
    }

    /// Whether there are rules at all: without any, nothing has to be described to [`Faults::decide`].
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().rules.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fired(&self, rule: RuleId) -> u64 {
        self.rules.iter().find(|active| active.id == rule.0).map_or(0, |active| active.fired)
    }

    fn decide(&mut self, call: &Seen, about: impl Fn(&Effect) -> bool) -> Vec<Effect> {
        let seed = self.seed;
        let matching =
            self.rules.iter_mut().filter(|active| about(&active.rule.effect) && active.rule.matches(call));
        let mut effects = Vec::new();
        for active in matching {
            active.seen += 1;
            let fires = match active.rule.when {
                When::Always => true,
                When::Nth(nth) => active.seen == nth,
                When::Next(count) => active.fired < count,
                When::Rate(rate) => draw(seed, active.id, active.seen) < rate,
            };
            if fires {
                active.fired += 1;
                effects.push(active.rule.effect.clone());
            }
        }
        effects
    }
}

/// A number from 0 up to 1 that depends on nothing but its arguments.
fn draw(seed: u64, rule: u64, call: u64) -> f64 {
    let mixed = mix(seed ^ mix(rule ^ mix(call)));
    // 53 bits are what fits into the number exactly.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let (part, whole) = ((mixed >> 11) as f64, (1_u64 << 53) as f64);
    part / whole
}

/// Scatters the bits of a number: the finalizer of `splitmix64`.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The answer that an effect puts in place of the real one, if it does.
pub(crate) fn refusal(effect: &Effect, call: &Seen) -> Option<Failure> {
    let resource = if call.group.is_empty() {
        call.resource.clone()
    } else {
        format!("{}.{}", call.resource, call.group)
    };
    Some(match effect {
        Effect::Conflict => Failure::conflict(
            &resource,
            &call.name,
            "the object has been modified; please apply your changes to the latest version and try again",
        ),
        Effect::TooManyRequests { retry_after } => {
            let details = Details { retry_after_seconds: *retry_after, ..Details::default() };
            let message = "too many requests, please try again later";
            Failure { details: Some(Box::new(details)), ..Failure::new(429, "TooManyRequests", message) }
        }
        Effect::InternalError => Failure::internal("a fault was injected"),
        Effect::Unavailable => {
            Failure::new(503, "ServiceUnavailable", "the server is currently unable to handle the request")
        }
        Effect::Forbidden => {
            let message = format!("{resource} {:?} is forbidden: a fault was injected", call.name);
            Failure::new(403, "Forbidden", message).about(&resource, &call.name)
        }
        _ => return None,
    })
}
