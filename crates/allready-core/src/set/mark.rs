//! Marks: what a reconcile says of one condition of the set.

use std::borrow::Cow;

use super::{MarkError, Pass, pass::Said};
use crate::{
    ConditionType, Polarity, Reason, Status,
    condition::{self, IntoReason},
    findings::{Findings, Fold},
};

impl Pass<'_> {
    /// Marks a condition `True`.
    ///
    /// True of a normal-true condition is good news; of an abnormal-true one it is bad.
    pub fn mark_true<'m>(
        &mut self,
        type_: &str,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        self.mark(type_, Status::True, reason, message)
    }

    /// Marks a condition `False`: for a normal-true one, somebody has to do something.
    pub fn mark_false<'m>(
        &mut self,
        type_: &str,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        self.mark(type_, Status::False, reason, message)
    }

    /// Marks a condition `Unknown`: work on it is going on.
    pub fn mark_unknown<'m>(
        &mut self,
        type_: &str,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        self.mark(type_, Status::Unknown, reason, message)
    }

    /// Marks a condition with a status.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark("Synced", Status::Unknown, reason!("Applying"), "2 of 5 applied").unwrap();
    ///
    /// let error = pass.mark("Ready", Status::True, reason!("Please"), "").unwrap_err();
    /// assert!(error.to_string().contains("it is computed from its dependents"));
    /// let error = pass.mark("Synched", Status::True, reason!("Applied"), "").unwrap_err();
    /// assert!(error.to_string().contains("not a condition of this set (Ready: Synced)"));
    /// ```
    pub fn mark<'m>(
        &mut self,
        type_: &str,
        status: Status,
        reason: impl IntoReason,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        let message = message.into();
        self.say(type_, Said::new(status, reason.into_reason(), &message, self.at.generation))?;
        Ok(self)
    }

    /// Marks a condition with findings: bad if there is an error among them, good otherwise.
    ///
    /// The reason is that of the errors if they agree; every finding is told, in the message, or in `errors` and `warnings`
    /// where the set is [detailed](super::ConditionSetBuilder::detailed). A good condition has the reason `NoErrors`;
    /// [`mark_findings_with`](Self::mark_findings_with) chooses another.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
    /// use allready_core::findings::{Findings, Subject};
    ///
    /// let set: ConditionSet = "Ready: ListenersValid".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// let mut findings = Findings::new();
    /// findings.error(Subject::listener("http"), reason!("PortConflict"), "port 80 is taken");
    /// findings.error(Subject::listener("https"), reason!("PortConflict"), "port 443 is taken");
    /// pass.mark_findings("ListenersValid", &findings)?;
    /// pass.finish();
    /// let valid = condition::find(&conditions, "ListenersValid").unwrap();
    /// assert_eq!((valid.status, valid.reason.as_str()), (Status::False, "PortConflict"));
    /// assert!(valid.message.as_str().starts_with("2 errors\nerror listener/http PortConflict: port 80 is taken"));
    /// # Ok::<(), allready_core::set::MarkError>(())
    /// ```
    pub fn mark_findings(&mut self, type_: &str, findings: &Findings) -> Result<&mut Self, MarkError> {
        self.mark_findings_with(type_, findings, &Fold::new(Reason::from_static("NoErrors")))
    }

    /// The same with words and limits of your own. The polarity is always that of the condition.
    pub fn mark_findings_with(
        &mut self,
        type_: &str,
        findings: &Findings,
        how: &Fold,
    ) -> Result<&mut Self, MarkError> {
        let Ok(legal) = ConditionType::new(type_.to_owned()) else { return Err(self.undeclared(type_)) };
        let how = Fold { polarity: self.set.polarity(type_), ..how.clone() };
        let told = if self.set.detailed {
            findings.detail(&how, legal, None, self.at.now)
        } else {
            findings.fold(&how).into_condition(legal, None, self.at.now)
        };
        self.say(type_, Said { observed: self.at.generation, ..Said::from(&told) })?;
        Ok(self)
    }

    fn say(&mut self, type_: &str, said: Said<'_>) -> Result<(), MarkError> {
        let set = self.set;
        match set.declared.iter().position(|declared| declared.type_ == *type_) {
            Some(index) => {
                self.touched.add(index);
                self.put(index + 1, &set.declared[index].type_, said); // found at this index
            }
            None if self.top.is_some_and(|top| *top == *type_) => {
                return Err(MarkError::Top { type_: set.top.clone() });
            }
            None if set.open => match ConditionType::new(type_.to_owned()) {
                Ok(legal) => self.put_type(&legal, said),
                Err(_) => return Err(self.undeclared(type_)),
            },
            None => return Err(self.undeclared(type_)),
        }
        Ok(())
    }

    fn undeclared(&self, type_: &str) -> MarkError {
        MarkError::Undeclared { type_: condition::excerpt(type_), set: self.set.to_string() }
    }

    /// Marks an undeclared condition.
    pub(super) fn put_type(&mut self, type_: &ConditionType, said: Said<'_>) {
        let place = self.only(type_, Polarity::NormalTrue).unwrap_or(usize::MAX);
        if !self.touched_types.has(type_.as_str()) {
            self.touched_types.put(type_.clone());
        }
        self.put(place, type_, said);
    }

    /// Marks a declared condition by its place in the set: for generated code, which knows that it is there. A place that
    /// the set does not have is ignored.
    #[doc(hidden)]
    pub fn mark_declared(&mut self, index: usize, status: Status, reason: Reason, message: &str) {
        let set = self.set;
        if let Some(declared) = set.declared.get(index) {
            self.touched.add(index);
            self.write(index + 1, &declared.type_, status, reason, message);
        }
    }
}
