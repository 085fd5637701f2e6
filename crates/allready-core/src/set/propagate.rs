//! Taking over what a child says.

use std::borrow::Cow;

use serde::Serialize;

use super::{MarkError, Pass};
use crate::{
    Polarity, Reason,
    found::FoundObject,
    rollup::{Freshness, Input},
};

impl Pass<'_> {
    /// Marks a condition with what a child's condition says: its standing, under this condition's polarity, and its reason
    /// and message.
    ///
    /// The polarity is that of the child's condition: whether its `True` is good or bad cannot be read off it.
    ///
    /// ```
    /// use allready_core::{
    ///     Condition, ConditionSet, Polarity, Status, Time, condition, condition_type, reason, set::At,
    /// };
    ///
    /// let set: ConditionSet = "Ready: DatabaseReady, !DatabaseLost".parse().unwrap();
    /// let child = Condition::new(condition_type!("Degraded"), Status::True, reason!("DiskFull"), "sda is full", Time::EPOCH);
    ///
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.propagate("DatabaseReady", &child, Polarity::AbnormalTrue).unwrap();
    /// pass.propagate("DatabaseLost", &child, Polarity::AbnormalTrue).unwrap();
    /// pass.finish();
    /// let ready = condition::find(&conditions, "DatabaseReady").unwrap();
    /// assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "DiskFull"));
    /// let lost = condition::find(&conditions, "DatabaseLost").unwrap();
    /// assert_eq!((lost.status, lost.reason.as_str()), (Status::True, "DiskFull"), "abnormal-true: True is the bad one");
    /// ```
    pub fn propagate<'c>(
        &mut self,
        type_: &str,
        child: impl Into<Input<'c>>,
        polarity: Polarity,
    ) -> Result<&mut Self, MarkError> {
        let child = child.into().with_polarity(polarity);
        let own = self.set.polarity(type_);
        let (reason, message) = child.words(self.at.generation);
        self.mark(type_, own.status(child.standing()), Reason::sanitized(&reason), message)
    }

    /// Marks a condition with what a whole child object says in its own top condition: `Ready`, or `Succeeded` where it
    /// has no `Ready`.
    ///
    /// A child is taken at its word only if it speaks about its current generation; one that is missing, has not
    /// reported, is outdated or is being deleted makes the condition `Unknown`. A child that has its top condition twice
    /// counts with the worse of them.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Status, Time, condition, set::At};
    ///
    /// let set: ConditionSet = "Ready: DatabaseReady".parse().unwrap();
    /// let child = serde_json::json!({
    ///     "kind": "Database",
    ///     "metadata": {"name": "orders", "generation": 3},
    ///     "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True", "reason": "Up"}]},
    /// });
    /// let mut conditions = vec![];
    /// let mut pass = set.pass(&mut conditions, At::new(1u32, Time::EPOCH));
    /// pass.propagate_object("DatabaseReady", &child).unwrap();
    /// pass.finish();
    /// let database = condition::find(&conditions, "DatabaseReady").unwrap();
    /// assert_eq!((database.status, database.reason.as_str()), (Status::Unknown, "LatestGenerationNotObserved"));
    /// ```
    pub fn propagate_object<'o, O: Serialize + 'o>(
        &mut self,
        type_: &str,
        child: impl Into<Option<&'o O>>,
    ) -> Result<&mut Self, MarkError> {
        let Some(child) = child.into() else {
            return self.mark_unknown(
                type_,
                Reason::from_static("NotFound"),
                "the object does not exist yet",
            );
        };
        match serde_json::to_value(child) {
            Ok(child) => self.propagate(type_, top_of(&FoundObject::read(&child)), Polarity::NormalTrue),
            Err(error) => self.mark_unknown(type_, Reason::from_static("Unreadable"), error.to_string()),
        }
    }
}

/// What a child says about itself, with every doubt turned into words.
fn top_of<'a>(child: &'a FoundObject<'a>) -> Input<'a> {
    let name = match (&*child.kind, &*child.name) {
        ("", "") => "the object".to_owned(),
        (kind, name) => format!("{kind}/{name}"),
    };
    let top = ["Ready", "Succeeded"].into_iter().find(|type_| child.conditions.find(type_).is_some());
    let doubt = |reason: &'static str, message: String| Input {
        freshness: Freshness::Fresh,
        reason: Cow::Borrowed(reason),
        message: Cow::Owned(message),
        ..Input::missing("Ready", Polarity::NormalTrue)
    };
    if child.deleting {
        return doubt("Deleting", format!("{name} is being deleted"));
    }
    let generation = child.generation.unwrap_or_default();
    // Of two that say the same, the one that cannot be taken at its word is the worse.
    let worse = |input: &Input<'_>| (input.standing(), input.is_behind(generation));
    let tops = top.into_iter().flat_map(|top| child.conditions.find_all(top));
    let Some(top) = tops.map(|found| Input::from(found).or_about(child.observed)).max_by_key(worse) else {
        return doubt("AwaitingReconciliation", format!("{name} has not reported Ready or Succeeded yet"));
    };
    if let Some(observed) = top.observed.filter(|_| top.is_behind(generation)) {
        return doubt(
            "LatestGenerationNotObserved",
            format!("{name} speaks of its generation {observed}, and is at generation {generation}"),
        );
    }
    top
}
