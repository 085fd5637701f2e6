//! Taking over what a child says.

use super::{MarkError, Pass};
use crate::{Reason, rollup::Input};

impl Pass<'_> {
    /// Marks a condition with what a child's condition says: its standing, under this condition's polarity, and its reason
    /// and message.
    ///
    /// ```
    /// use allready_core::{Condition, ConditionSet, Status, Time, condition, condition_type, reason, set::At};
    ///
    /// let set: ConditionSet = "Ready: DatabaseReady, !DatabaseLost".parse().unwrap();
    /// let child = Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", Time::EPOCH);
    ///
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.propagate("DatabaseReady", &child).unwrap();
    /// pass.propagate("DatabaseLost", &child).unwrap();
    /// pass.finish();
    /// let lost = condition::find(&conditions, "DatabaseLost").unwrap();
    /// assert_eq!((lost.status, lost.reason.as_str()), (Status::True, "DiskFull"), "abnormal-true: True is the bad one");
    /// ```
    pub fn propagate<'c>(
        &mut self,
        type_: &str,
        child: impl Into<Input<'c>>,
    ) -> Result<&mut Self, MarkError> {
        let child = child.into();
        let polarity = self.declared(type_).map(|declared| declared.polarity).unwrap_or_default();
        let (reason, message) = child.words(self.at().generation);
        self.mark(type_, polarity.status(child.standing()), Reason::sanitized(&reason), message)
    }
}
