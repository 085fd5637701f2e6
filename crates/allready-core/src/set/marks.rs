//! The marks of a pass apart from its list, so that they can be made again over a fresher one.

use super::{
    index::{ByType, Typed},
    pass::{Finished, Pass, Progress},
};
use crate::{Condition, ConditionType, Message, Reason};

/// The error that ended a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) reason: Reason,
    pub(super) message: Message,
}

/// The marks of one reconcile, and how it ended.
///
/// A writer that loses a race reads the object again and makes the same marks over the list that it finds, so that the top
/// condition is computed from what is stored and not from what was read first.
///
/// ```
/// use allready_core::{ConditionSet, Status, Time, condition, reason, set::At};
///
/// let set: ConditionSet = "Ready: Synced, Healthy".parse().unwrap();
/// let (mut seen, at) = (vec![], At::new(1u32, Time::EPOCH));
/// let mut pass = set.pass(&mut seen, at);
/// pass.mark_true("Synced", reason!("Applied"), "").unwrap();
/// let marks = pass.into_marks();
///
/// let mut fresher = vec![]; // somebody else has marked Healthy since
/// let mut other = set.pass(&mut fresher, at);
/// other.mark_false("Healthy", reason!("DiskFull"), "").unwrap();
/// other.finish();
/// marks.finish(set.pass(&mut fresher, at));
/// assert_eq!(condition::find(&fresher, "Ready").unwrap().status, Status::False);
/// assert_eq!(condition::find(&fresher, "Synced").unwrap().status, Status::True);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Marks(ByType<Mark>);

/// The mark under one type; no condition, where it was cleared.
#[derive(Clone, Debug)]
struct Mark {
    type_: ConditionType,
    condition: Option<Condition>,
}

impl Typed for Mark {
    fn type_(&self) -> &ConditionType {
        &self.type_
    }
}

impl Marks {
    pub(crate) fn set(&mut self, condition: Condition) {
        self.0.put(Mark { type_: condition.type_.clone(), condition: Some(condition) });
    }

    pub(crate) fn remove(&mut self, type_: ConditionType) {
        self.0.put(Mark { type_, condition: None });
    }

    /// Tells whether the type was marked, where it was marked or cleared.
    pub(crate) fn keeps(&self, type_: &str) -> Option<bool> {
        self.0.get(type_).map(|mark| mark.condition.is_some())
    }

    /// Tells whether nothing was marked or cleared.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells whether this type was marked or cleared.
    pub fn has(&self, type_: &str) -> bool {
        self.keeps(type_).is_some()
    }

    /// Makes the marks in a new pass that came to its end; see [`Pass::finish`].
    pub fn finish(&self, mut pass: Pass<'_>) -> Finished {
        self.make(&mut pass);
        pass.finish()
    }

    /// Makes the marks in a new pass that ended early; see [`Pass::abandon`].
    pub fn abandon(&self, mut pass: Pass<'_>) -> Finished {
        self.make(&mut pass);
        pass.abandon()
    }

    /// Makes the marks in a new pass that an error ended; see [`Pass::fail`].
    pub fn fail(&self, mut pass: Pass<'_>, reason: Reason, message: impl Into<Message>) -> Finished {
        self.make(&mut pass);
        pass.fail(reason, message)
    }

    fn make(&self, pass: &mut Pass<'_>) {
        for Mark { type_, condition } in self.0.iter() {
            let declared = pass.set.declared.iter().position(|declared| declared.type_ == *type_);
            match (condition, declared) {
                (Some(mark), Some(index)) => {
                    pass.touched.add(index);
                    pass.put(index + 1, type_, mark.into());
                }
                (Some(mark), None) => pass.put_type(type_, mark.into()),
                // A type that must not be cleared was not cleared in the first place.
                (None, _) => drop(pass.clear(type_.as_str())),
            }
        }
    }
}

impl Pass<'_> {
    /// Ends the pass without settling the list, and returns what was marked.
    pub fn into_marks(mut self) -> Marks {
        self.progress = Progress::Settled;
        let declared = self.set.declared.iter().enumerate().filter(|(index, _)| self.touched.has(*index));
        let types = declared.map(|(_, declared)| &declared.type_).chain(self.touched_types.iter());
        let mut marks = ByType::default();
        for type_ in types {
            let place = self.index.find(self.conditions, type_.as_str());
            let condition = place.map(|place| self.conditions[place].clone()); // found at this place
            marks.put(Mark { type_: type_.clone(), condition });
        }
        Marks(marks)
    }
}
