//! What to wait for.

use allready_core::Status;

use super::ListPath;

/// A condition of this type that is `True`, and not about an older generation of the object.
///
/// ```
/// use allready_kube::wait::has_condition;
/// use serde_json::json;
///
/// let node = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady" }] } });
/// assert!(has_condition("Ready").judge(&node).is_met());
/// assert!(has_condition("Ready").reason("KubeletReady").judge(&node).is_met());
/// assert!(!has_condition("Ready").is_false().judge(&node).is_met());
/// assert!(!has_condition("DiskPressure").is_false().judge(&node).is_met(), "what is not there is not False");
/// ```
pub fn has_condition(type_: impl Into<String>) -> HasCondition {
    HasCondition {
        type_: type_.into(),
        any_case: false,
        status: Some(Status::True),
        reasons: Vec::new(),
        about: About::NotOlder,
        path: ListPath::default(),
        entries: Entries::Every,
    }
}

/// Waits for one condition: made by [`has_condition`].
///
/// Where a list has the type twice, both have to be as they should.
///
/// # Generations
/// A condition that is about an older generation of the object says nothing about what was asked for last. Which one it is
/// about says its `observedGeneration`, and where it has none that of the status. Kinds without `metadata.generation` are
/// always at the current one.
///
/// | | says a lower generation | says nothing |
/// |---|---|---|
/// | as made, like `kubectl wait` | does not count | counts |
/// | [`current`](Self::current) | does not count | does not count |
/// | [`any_generation`](Self::any_generation) | counts | counts |
///
/// ```
/// use allready_kube::wait::has_condition;
/// use serde_json::json;
///
/// let old = json!([{ "type": "Ready", "status": "True", "observedGeneration": 1 }]);
/// let object = json!({ "metadata": { "generation": 2 }, "status": { "conditions": old } });
/// assert!(!has_condition("Ready").judge(&object).is_met(), "of what was asked for before");
/// assert!(has_condition("Ready").any_generation().judge(&object).is_met());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HasCondition {
    pub(super) type_: String,
    pub(super) any_case: bool,
    pub(super) status: Option<Status>,
    pub(super) reasons: Vec<String>,
    pub(super) about: About,
    pub(super) path: ListPath,
    pub(super) entries: Entries,
}

/// Which generations count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// Any.
    Any,
    /// Not one that says it is older.
    NotOlder,
    /// One that says it is the current one.
    Told,
}

/// How many of the lists that a path leads to must have the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entries {
    Every,
    Some,
}

impl HasCondition {
    /// Its type may be written in capital or small letters, as `kubectl wait` takes it.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let node = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    /// assert!(!has_condition("ready").judge(&node).is_met());
    /// assert!(has_condition("ready").any_case().judge(&node).is_met());
    /// ```
    #[must_use]
    pub fn any_case(self) -> Self {
        Self { any_case: true, ..self }
    }

    /// It has this status.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("Ready").status(Status::Unknown).judge(&object("Ready", "Unknown")).is_met());
    /// ```
    #[must_use]
    pub fn status(self, status: Status) -> Self {
        Self { status: Some(status), ..self }
    }

    /// It is `False`, and there.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("DiskPressure").is_false().judge(&object("DiskPressure", "False")).is_met());
    /// ```
    #[must_use]
    pub fn is_false(self) -> Self {
        self.status(Status::False)
    }

    /// It is there, whatever its status.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("Ready").any_status().judge(&object("Ready", "Unknown")).is_met());
    /// assert!(!has_condition("Synced").any_status().judge(&object("Ready", "Unknown")).is_met());
    /// ```
    #[must_use]
    pub fn any_status(self) -> Self {
        Self { status: None, ..self }
    }

    /// It has this reason; called again, either.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let object = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Done" }] } });
    /// assert!(has_condition("Ready").reason("Kept").reason("Done").judge(&object).is_met());
    /// assert!(!has_condition("Ready").reason("Kept").judge(&object).is_met());
    /// ```
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    /// It says that it is about the current generation. For kinds whose controllers always say so: with others this never
    /// comes true.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let silent = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] }, "metadata": { "generation": 2 } });
    /// assert!(has_condition("Ready").judge(&silent).is_met());
    /// assert!(!has_condition("Ready").current().judge(&silent).is_met());
    /// ```
    #[must_use]
    pub fn current(self) -> Self {
        Self { about: About::Told, ..self }
    }

    /// It may be about any generation.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let old = json!([{ "type": "Ready", "status": "True", "observedGeneration": 1 }]);
    /// let object = json!({ "metadata": { "generation": 2 }, "status": { "conditions": old } });
    /// assert!(has_condition("Ready").any_generation().judge(&object).is_met());
    /// ```
    #[must_use]
    pub fn any_generation(self) -> Self {
        Self { about: About::Any, ..self }
    }

    /// It is in every list that this path leads to, and there is at least one.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let programmed = has_condition("Programmed").in_every("status.listeners[].conditions".parse().unwrap());
    /// let yes = json!([{ "type": "Programmed", "status": "True" }]);
    /// let gateway = json!({ "status": { "listeners": [{ "name": "http", "conditions": yes }, { "name": "https" }] } });
    /// assert!(!programmed.judge(&gateway).is_met());
    /// assert!(!programmed.judge(&json!({ "status": { "listeners": [] } })).is_met());
    /// ```
    #[must_use]
    pub fn in_every(self, path: ListPath) -> Self {
        Self { path, entries: Entries::Every, ..self }
    }

    /// It is in one of the lists that this path leads to.
    ///
    /// ```
    /// use allready_kube::wait::has_condition;
    /// use serde_json::json;
    ///
    /// let programmed = has_condition("Programmed").in_some("status.listeners[].conditions".parse().unwrap());
    /// let yes = json!([{ "type": "Programmed", "status": "True" }]);
    /// let gateway = json!({ "status": { "listeners": [{ "name": "http", "conditions": yes }, { "name": "https" }] } });
    /// assert!(programmed.judge(&gateway).is_met());
    /// ```
    #[must_use]
    pub fn in_some(self, path: ListPath) -> Self {
        Self { path, entries: Entries::Some, ..self }
    }

    /// See [`Expectation::unless`].
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("Ready").unless(has_condition("Stalled")).judge(&object("Stalled", "True")).has_failed());
    /// ```
    #[must_use]
    pub fn unless(self, terminal: impl Into<Expectation>) -> Expectation {
        Expectation::from(self).unless(terminal)
    }

    /// See [`Expectation::and_also`].
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(!has_condition("Ready").and_also(has_condition("Synced")).judge(&object("Ready", "True")).is_met());
    /// ```
    #[must_use]
    pub fn and_also(self, other: impl Into<Expectation>) -> Expectation {
        Expectation::from(self).and_also(other)
    }

    /// See [`Expectation::or_else`].
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// assert!(has_condition("Complete").or_else(has_condition("Failed")).judge(&object("Failed", "True")).is_met());
    /// ```
    #[must_use]
    pub fn or_else(self, other: impl Into<Expectation>) -> Expectation {
        Expectation::from(self).or_else(other)
    }
}

/// What to wait for: a condition, or several together.
///
/// ```
/// use allready_kube::wait::{all_of, has_condition};
/// use serde_json::json;
///
/// let ready = all_of(["Ready", "Synced"].map(has_condition)).unless(has_condition("Stalled"));
/// let status = |ready, stalled| json!({ "status": { "conditions": [
///     { "type": "Ready", "status": ready }, { "type": "Synced", "status": "True" }, { "type": "Stalled", "status": stalled },
/// ] } });
/// assert!(ready.judge(&status("True", "False")).is_met());
/// assert!(!ready.judge(&status("False", "False")).is_met());
/// assert!(ready.judge(&status("True", "True")).has_failed(), "bad news goes before good news");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation(pub(super) Node);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Has(Box<HasCondition>),
    All(Vec<Expectation>),
    Any(Vec<Expectation>),
    Unless { wanted: Box<Expectation>, terminal: Box<Expectation> },
}

/// All of these. Of none, nothing can be said: it never holds.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// assert!(!all_of(["Ready", "Synced"].map(has_condition)).judge(&object("Ready", "True")).is_met());
/// assert!(!all_of([] as [HasCondition; 0]).judge(&object("Ready", "True")).is_met());
/// ```
pub fn all_of<E: Into<Expectation>>(expectations: impl IntoIterator<Item = E>) -> Expectation {
    Expectation(Node::All(expectations.into_iter().map(Into::into).collect()))
}

/// One of these, or more. It fails when each of them has.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// assert!(any_of(["Complete", "Failed"].map(has_condition)).judge(&object("Failed", "True")).is_met());
/// ```
pub fn any_of<E: Into<Expectation>>(expectations: impl IntoIterator<Item = E>) -> Expectation {
    Expectation(Node::Any(expectations.into_iter().map(Into::into).collect()))
}

impl Expectation {
    /// This, unless something happens after which it is not worth waiting any longer. If both hold, it has failed.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let done = all_of(["Ready", "Synced"].map(has_condition)).unless(has_condition("Stalled"));
    /// assert!(done.judge(&object("Stalled", "True")).has_failed());
    /// ```
    #[must_use]
    pub fn unless(self, terminal: impl Into<Self>) -> Self {
        Self(Node::Unless { wanted: Box::new(self), terminal: Box::new(terminal.into()) })
    }

    /// Both.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let both = any_of(["Ready"].map(has_condition)).and_also(has_condition("Ready").any_status());
    /// assert!(both.judge(&object("Ready", "True")).is_met());
    /// ```
    #[must_use]
    pub fn and_also(self, other: impl Into<Self>) -> Self {
        all_of([self, other.into()])
    }

    /// Either.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let either = all_of(["Ready", "Synced"].map(has_condition)).or_else(has_condition("Skipped"));
    /// assert!(either.judge(&object("Skipped", "True")).is_met());
    /// ```
    #[must_use]
    pub fn or_else(self, other: impl Into<Self>) -> Self {
        any_of([self, other.into()])
    }
}

impl From<HasCondition> for Expectation {
    fn from(condition: HasCondition) -> Self {
        Self(Node::Has(Box::new(condition)))
    }
}
