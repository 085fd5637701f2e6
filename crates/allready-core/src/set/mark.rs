//! Marks: what a reconcile says of one condition of the set.

use std::borrow::Cow;

use super::{MarkError, Pass};
use crate::{ConditionType, Polarity, Reason, Status, condition};

impl Pass<'_> {
    /// Marks a condition `True`.
    ///
    /// True of a normal-true condition is good news; of an abnormal-true one it is bad.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: !Degraded".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_true("Degraded", reason!("DiskFull"), "sda is full").unwrap();
    /// pass.finish();
    /// assert_eq!(condition::find(&conditions, "Ready").unwrap().status, Status::False);
    /// ```
    pub fn mark_true<'m>(
        &mut self,
        type_: &str,
        reason: impl Into<Reason>,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        self.mark(type_, Status::True, reason, message)
    }

    /// Marks a condition `False`: for a normal-true one, somebody has to do something.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Time, condition, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_false("Synced", reason!("Forbidden"), "may not list pods").unwrap();
    /// pass.finish();
    /// assert_eq!(condition::find(&conditions, "Ready").unwrap().message, "may not list pods");
    /// ```
    pub fn mark_false<'m>(
        &mut self,
        type_: &str,
        reason: impl Into<Reason>,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        self.mark(type_, Status::False, reason, message)
    }

    /// Marks a condition `Unknown`: work on it is going on.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.mark_unknown("Synced", reason!("Applying"), "2 of 5 applied").unwrap();
    /// pass.finish();
    /// assert_eq!(condition::find(&conditions, "Ready").unwrap().status, Status::Unknown);
    /// ```
    pub fn mark_unknown<'m>(
        &mut self,
        type_: &str,
        reason: impl Into<Reason>,
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
        reason: impl Into<Reason>,
        message: impl Into<Cow<'m, str>>,
    ) -> Result<&mut Self, MarkError> {
        let set = self.set;
        match set.declared.iter().position(|declared| declared.type_ == *type_) {
            Some(index) => self.mark_declared(index, status, reason.into(), &message.into()),
            None if set.top == *type_ => return Err(MarkError::Top { type_: set.top.clone() }),
            None if set.open => match ConditionType::new(type_.to_owned()) {
                Ok(legal) => {
                    let place = self.only(&legal, Polarity::NormalTrue).unwrap_or(usize::MAX);
                    self.write(place, &legal, status, reason.into(), &message.into());
                }
                Err(_) => return Err(self.undeclared(type_)),
            },
            None => return Err(self.undeclared(type_)),
        }
        Ok(self)
    }

    fn undeclared(&self, type_: &str) -> MarkError {
        MarkError::Undeclared { type_: condition::excerpt(type_), set: self.set.to_string() }
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
