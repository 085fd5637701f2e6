//! What a reconcile came to.

use std::{sync::Arc, time::Duration};

use allready_core::{Condition, ConditionSet, ConditionType, Message, Reason, Status, Time};

use super::{Because, ReasonedError, Requeue};

/// What happened during a reconcile, as the status should tell it.
///
/// ```
/// use std::time::Duration;
/// use allready_core::{Status, condition_type, reason};
/// use allready_kube::{kinds::StatusReport, update::{Because, ReconcileResult}};
///
/// let mut result = ReconcileResult::<StatusReport>::default().requeue_after(Duration::from_secs(30));
/// result.set(condition_type!("Synced"), Status::True, Some(reason!("Applied")), "3 of 3 objects");
/// let result = result.failed(std::io::Error::other("the remote is away").because(reason!("RemoteAway")));
/// assert_eq!(result.reason_or_errors().unwrap(), "RemoteAway");
/// assert_eq!(result.message_or_errors().unwrap(), "the remote is away");
/// ```
#[derive(Debug)]
pub struct ReconcileResult<K> {
    /// When to reconcile again if nothing changes. It is passed on as it is, unless a smart requeue asks for a shorter wait;
    /// a `kube` `Action` cannot be read, so this is what one is made of.
    pub requeue_after: Option<Duration>,
    /// What went wrong.
    pub error: Option<ReasonedError>,
    /// The reason in the status; that of the error where there is none.
    pub reason: Option<Reason>,
    /// The message in the status; the text of the error where there is none.
    pub message: Option<Message>,
    /// The conditions that this reconcile has to say something about: its own, and no others. Their times do not matter, and
    /// those without a generation get that of the object.
    pub conditions: Vec<Condition>,
    /// Conditions to take away; that wins over setting them.
    pub remove: Vec<ConditionType>,
    /// The object that was reconciled; without one there is no status to write.
    pub object: Option<Arc<K>>,
    /// The object before its status was edited in memory: what differs between the two statuses is written too. Without it,
    /// nothing was edited.
    pub old_object: Option<Arc<K>>,
    /// When to look at the object again, where the updater has a store for that.
    pub smart_requeue: Option<Requeue>,
}

impl<K> Default for ReconcileResult<K> {
    fn default() -> Self {
        Self {
            requeue_after: None,
            error: None,
            reason: None,
            message: None,
            conditions: Vec::new(),
            remove: Vec::new(),
            object: None,
            old_object: None,
            smart_requeue: None,
        }
    }
}

impl<K> ReconcileResult<K> {
    /// The result of having reconciled this object, with nothing to say yet.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let result = ReconcileResult::of(report);
    /// assert_eq!(result.object.unwrap().metadata.name.as_deref(), Some("web"));
    /// ```
    pub fn of(object: impl Into<Arc<K>>) -> Self {
        Self { object: Some(object.into()), ..Self::default() }
    }

    /// Sets a condition. Without a reason it gets one made of its type and status.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let mut result = ReconcileResult::of(report);
    /// result.set(condition_type!("Synced"), Status::True, None, "3 of 3 objects");
    /// assert_eq!(result.conditions[0].reason, "Synced_True");
    /// ```
    pub fn set(
        &mut self,
        type_: ConditionType,
        status: Status,
        reason: Option<Reason>,
        message: impl Into<Message>,
    ) -> &mut Self {
        let reason = reason.unwrap_or_else(|| Reason::sanitized(&format!("{type_}_{status}")));
        self.conditions.push(Condition::new(type_, status, reason, message, Time::EPOCH));
        self
    }

    /// Takes over what a [pass](ConditionSet::pass) made of the conditions of this set, and of no others.
    ///
    /// ```
    /// use allready_core::{Condition, ConditionSet, Status, Time, condition_type, reason, set::{At, Declared}};
    /// use allready_kube::{kinds::StatusReport, update::ReconcileResult};
    ///
    /// let set = ConditionSet::living().declare(Declared::new(condition_type!("Synced"))).build().unwrap();
    /// let mut list = vec![Condition::new(condition_type!("Foreign"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// set.pass(&mut list, At::new(1u32, Time::EPOCH)).finish();
    ///
    /// let mut result = ReconcileResult::<StatusReport>::default();
    /// result.set_all(&set, &list);
    /// assert_eq!(result.conditions.iter().map(|c| c.type_.as_str()).collect::<Vec<_>>(), ["Ready", "Synced"]);
    /// ```
    pub fn set_all(&mut self, set: &ConditionSet, conditions: &[Condition]) -> &mut Self {
        let own = |condition: &&Condition| {
            condition.type_ == *set.top() || set.get(condition.type_.as_str()).is_some()
        };
        self.conditions.extend(conditions.iter().filter(own).cloned());
        self
    }

    /// With an error more.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let result = ReconcileResult::of(report)
    ///     .failed(Error::other("one").because(reason!("First")))
    ///     .failed(Error::other("two").because(reason!("Second")));
    /// assert_eq!(result.error.unwrap().errors().count(), 2);
    /// ```
    pub fn failed(mut self, error: impl Into<ReasonedError>) -> Self {
        self.error = ReasonedError::join(self.error.take().into_iter().chain([error.into()]));
        self
    }

    /// With an error more that knows no reason.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let result = ReconcileResult::of(report).failed_without_reason(Error::other("the remote is away"));
    /// assert_eq!(result.reason_or_errors(), None);
    /// assert_eq!(result.message_or_errors().unwrap(), "the remote is away");
    /// ```
    pub fn failed_without_reason(self, error: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.failed(error.without_reason())
    }

    /// To be reconciled again after this time.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let minute = std::time::Duration::from_mins(1);
    /// assert_eq!(ReconcileResult::of(report).requeue_after(minute).requeue_after, Some(minute));
    /// ```
    pub fn requeue_after(self, wait: Duration) -> Self {
        Self { requeue_after: Some(wait), ..self }
    }

    /// The reason that the status will give.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let failed = ReconcileResult::of(report).failed(Error::other("away").because(reason!("RemoteAway")));
    /// assert_eq!(failed.reason_or_errors().unwrap(), "RemoteAway");
    /// ```
    pub fn reason_or_errors(&self) -> Option<Reason> {
        self.reason.clone().or_else(|| self.error.as_ref()?.reason().cloned())
    }

    /// The message that the status will give.
    ///
    /// ```
    /// # use std::io::Error;
    /// # use allready_core::{Status, condition_type, reason};
    /// # use allready_kube::update::{Because, ReconcileResult};
    /// # let report: k8s_openapi::api::core::v1::ConfigMap = serde_json::from_value(serde_json::json!({ "metadata": { "name": "web" } })).unwrap();
    /// let mut result = ReconcileResult::of(report).failed_without_reason(Error::other("away"));
    /// result.message = Some("the remote is away since yesterday".into());
    /// assert_eq!(result.message_or_errors().unwrap(), "the remote is away since yesterday");
    /// ```
    pub fn message_or_errors(&self) -> Option<Message> {
        self.message.clone().or_else(|| Some(Message::new(self.error.as_ref()?.to_string())))
    }
}
