//! Findings as a structured list beside the condition, for CRDs that have the room for it.

use super::{Finding, Findings, Fold, Severity, Subject};
use crate::{
    Condition, ConditionType, Message, Status, Time,
    condition::{SubCondition, cut},
};

impl Findings {
    /// Folds everything into a condition that lists the findings as its `errors` and `warnings`.
    ///
    /// Status and reason are those of [`fold`](Findings::fold), and the message too if there is one finding at most. Of
    /// more it gives the counts and how many are left out of the lists, but does not repeat what is listed.
    ///
    /// The type of an entry is the kind of its subject and its severity: `ListenerError`, `FieldError`, `SecretWarning`,
    /// `ObjectError` for the object as a whole.
    ///
    /// ```
    /// use allready_core::{Time, condition_type, reason};
    /// use allready_core::findings::{Findings, Fold, Subject};
    ///
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
    /// findings.warning(Subject::Whole, reason!("Deprecated"), "use v1");
    /// let detailed = findings.detail(&Fold::new(reason!("Valid")), condition_type!("Valid"), None, Time::EPOCH);
    /// assert_eq!(detailed.message, "1 error, 1 warning");
    /// assert_eq!(serde_json::to_value(&detailed.errors[0]).unwrap(), serde_json::json!({
    ///     "type": "ListenerError", "status": "True", "reason": "PortConflict",
    ///     "message": "listener/http: port 80 is taken",
    /// }));
    /// ```
    pub fn detail(
        &self,
        how: &Fold,
        type_: ConditionType,
        previous: Option<&Condition>,
        now: Time,
    ) -> Condition {
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
        Condition {
            errors: list(Severity::Error),
            warnings: list(Severity::Warning),
            ..folded.into_condition(type_, previous, now)
        }
    }
}

pub(super) fn sub_condition(finding: &Finding, limit: usize) -> SubCondition {
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
