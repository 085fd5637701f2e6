//! Findings as a structured list beside the condition, for CRDs that have the room for it.

use serde::{Deserialize, Serialize};

use super::{Finding, Findings, Fold, Severity, Subject};
use crate::{Condition, ConditionType, Message, Reason, Status, Time, condition::cut};

/// A condition with its findings listed beside it, shaped as Contour's `DetailedCondition`.
///
/// ```
/// use allready_core::{Time, condition_type, reason};
/// use allready_core::findings::{Findings, Fold, Subject};
///
/// let mut findings = Findings::new();
/// findings.error(Subject::listener("https"), reason!("InvalidCertificateRef"), "Secret cert not found");
/// findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
/// let valid = findings.detail(&Fold::new(reason!("Valid")), condition_type!("Valid"), None, Time::EPOCH);
///
/// let json = serde_json::to_value(&valid).unwrap();
/// assert_eq!(json["status"], "False");
/// assert_eq!(json["message"], "1 error, 1 warning");
/// assert_eq!(json["errors"][0], serde_json::json!({
///     "type": "ListenerError", "status": "True", "reason": "InvalidCertificateRef",
///     "message": "listener/https: Secret cert not found",
/// }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailedCondition {
    /// The condition.
    #[serde(flatten)]
    pub condition: Condition,
    /// What makes it bad; empty if and only if it is good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<SubCondition>,
    /// What somebody should know all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SubCondition>,
}

/// One finding, shaped as Contour's `SubCondition`: abnormal-true, and there only while it is true.
///
/// ```
/// # use allready_core::{Time, condition_type, reason};
/// use allready_core::findings::{Findings, Fold, Subject};
///
/// let mut findings = Findings::new();
/// findings.error(Subject::path("spec.tls"), reason!("Required"), "must be set");
/// let detailed = findings.detail(&Fold::new(reason!("Valid")), condition_type!("Valid"), None, Time::EPOCH);
/// assert_eq!((detailed.errors[0].type_.as_str(), detailed.errors[0].reason.as_str()), ("FieldError", "Required"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubCondition {
    /// What kind of thing it is about, and whether it is an error: `ListenerError`, `FieldError`, `SecretWarning`,
    /// `ObjectError` for the object as a whole. Not unique.
    #[serde(rename = "type")]
    pub type_: ConditionType,
    /// Always `True` in what we write.
    pub status: Status,
    /// The reason of the finding.
    pub reason: Reason,
    /// The subject and the message of the finding.
    pub message: Message,
}

impl Findings {
    /// Folds everything into a condition with the findings listed beside it.
    ///
    /// Status and reason are those of [`fold`](Findings::fold), and the message too if there is one finding at most. Of
    /// more it gives the counts and how many are left out of the lists, but does not repeat what is listed.
    ///
    /// ```
    /// use allready_core::{Time, condition_type, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
    /// let detailed = findings.detail(&Fold::new(reason!("Valid")), condition_type!("Valid"), None, Time::EPOCH);
    /// assert_eq!(detailed.condition.message, "1 error, 1 warning");
    /// assert_eq!(detailed.errors[0].type_, "ListenerError");
    /// ```
    pub fn detail(
        &self,
        how: &Fold,
        type_: ConditionType,
        previous: Option<&Condition>,
        now: Time,
    ) -> DetailedCondition {
        let counts = self.counts();
        let listed = how.max_listed.max(1);
        let omitted = counts.after(listed);
        let mut folded = self.fold(how);
        if counts.total() > 1 {
            let left_out = if omitted.is_empty() { String::new() } else { format!("\n{omitted} not listed") };
            folded.message = Message::new(format!("{counts}{left_out}"));
        }
        let list = |severity| {
            let chosen = self.iter().take(listed).filter(|finding| finding.severity == severity);
            chosen.map(|finding| sub_condition(finding, how.limit())).collect()
        };
        DetailedCondition {
            errors: list(Severity::Error),
            warnings: list(Severity::Warning),
            condition: folded.into_condition(type_, previous, now),
        }
    }
}

fn sub_condition(finding: &Finding, limit: usize) -> SubCondition {
    let kind = match &finding.subject {
        Subject::Whole => "Object",
        Subject::Path(_) => "Field",
        Subject::Listener(_) => "Listener",
        Subject::Object { kind, .. } => kind,
    };
    let severity = match finding.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    SubCondition {
        type_: ConditionType::sanitized(&format!("{kind}{severity}")),
        status: Status::True,
        reason: finding.reason.clone(),
        message: message(finding, limit),
    }
}

fn message(finding: &Finding, limit: usize) -> Message {
    let Finding { subject, message, .. } = finding;
    let text = match (subject, message.is_empty()) {
        (Subject::Whole, _) => message.to_string(),
        (subject, true) => subject.to_string(),
        (subject, false) => format!("{subject}: {message}"),
    };
    Message::from(cut(&text, limit))
}
