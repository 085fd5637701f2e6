//! Conditions as they are found in clusters and files, which are not always legal: read leniently, with nothing lost and
//! every irregularity reported.
//!
//! Reading never fails. What is clear is read as it is meant (`status: true`, a time without a zone); what is not clear is
//! never good news (any other status is `Unknown`); both are noted as an [`Irregularity`]. To write what was found, make
//! it legal first: [`FoundList::to_conditions`].
//!
//! ```
//! use allready_core::{Status, Time, found};
//! use allready_core::rollup::{Context, Input, Policy};
//! use serde_json::json;
//!
//! let object = json!({"status": {"conditions": [
//!     {"type": "Synced", "status": true, "message": "all listeners are valid"},
//!     {"type": "Healthy", "status": "degraded", "reason": "DiskFull", "message": "disk sda is full"},
//! ]}});
//! let list = found::of_object(&object);
//! assert_eq!(list.find("Synced").unwrap().status, Status::True);
//! assert_eq!(list.find("Healthy").unwrap().status, Status::Unknown);
//!
//! let context = Context::new("Ready", Time::EPOCH);
//! let top = Policy::newest_cause().roll_up(list.conditions().iter().map(Input::from), &context).unwrap();
//! assert_eq!((top.status, &*top.reason), (Status::Unknown, "DiskFull"));
//! ```

mod condition;
mod field;
mod irregularity;
mod merge;
mod object;
mod sub;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, hash_map::Entry};

use serde_json::Value;

pub use condition::{FoundCondition, began};
pub use irregularity::{Irregularity, IrregularityKind, Path};

pub use crate::condition::TimeProblem;
pub use object::{FoundObject, of_object};
pub use sub::{FoundSubCondition, FoundSubConditions};

use crate::{Condition, Time};
use irregularity::{Notes, describe};

/// Reads a list of conditions: an array, or null for none. Of anything else nothing is read, and that is noted.
///
/// For a whole object, see [`of_object`].
///
/// ```
/// use allready_core::found;
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Ready", "status": "True", "reason": "", "message": "is ready"}]);
/// let list = found::read(&conditions);
/// let noted: Vec<String> = list.irregularities().iter().map(|noted| noted.path.to_string()).collect();
/// assert_eq!(noted, ["conditions[0].reason", "conditions[0].lastTransitionTime"]);
/// assert!(found::read(&json!(null)).irregularities().is_empty());
/// assert_eq!(found::read(&json!({})).irregularities().len(), 1);
/// ```
pub fn read(conditions: &Value) -> FoundList<'_> {
    FoundList::read((!conditions.is_null()).then_some(conditions), Notes::at("conditions"))
}

/// A list of conditions as it was found, and everything that is not as it should be in it.
///
/// Every entry of the array is one condition, at the same index: also a duplicate, which counts in a roll-up like any
/// other, and also an entry that is no object, which has no type and is `Unknown`. So nothing that was listed can be
/// overlooked because it was written badly.
///
/// ```
/// use allready_core::{Status, found};
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Ready", "status": "True"}, "oops"]);
/// let list = found::read(&conditions);
/// assert_eq!(list.conditions()[1].status, Status::Unknown, "it is listed, so it counts");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundList<'a> {
    conditions: Vec<FoundCondition<'a>>,
    irregularities: Vec<Irregularity>,
}

impl<'a> FoundList<'a> {
    fn read(value: Option<&'a Value>, mut notes: Notes) -> Self {
        let conditions = match value {
            None => Vec::new(),
            Some(Value::Array(entries)) => read_entries(entries, &mut notes),
            Some(other) => {
                notes.add(None, IrregularityKind::NotAList { found: describe(other) });
                Vec::new()
            }
        };
        Self { conditions, irregularities: notes.irregularities }
    }

    /// The conditions, in the order and at the indices of the array.
    ///
    /// ```
    /// use allready_core::found;
    /// use serde_json::json;
    ///
    /// let conditions = json!([{"type": "Synced", "status": "True"}, {"type": "Ready", "status": "True"}]);
    /// let list = found::read(&conditions);
    /// let types: Vec<&str> = list.conditions().iter().map(|condition| &*condition.type_).collect();
    /// assert_eq!(types, ["Synced", "Ready"]);
    /// ```
    pub fn conditions(&self) -> &[FoundCondition<'a>] {
        &self.conditions
    }

    /// Everything that is not as it should be, entry by entry; nothing for a list that the API server would accept.
    ///
    /// ```
    /// use allready_core::found;
    /// use serde_json::json;
    ///
    /// let conditions = json!([{"type": "Ready", "status": true, "reason": "Ok", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z"}]);
    /// let list = found::read(&conditions);
    /// let [noted] = list.irregularities() else { panic!("one") };
    /// assert_eq!(noted.path.to_string(), "conditions[0].status");
    /// ```
    pub fn irregularities(&self) -> &[Irregularity] {
        &self.irregularities
    }

    /// The first condition of this type, as `kubectl wait` takes it. Where a type is listed twice, the other may say
    /// something else: [`find_all`](Self::find_all) gives both.
    ///
    /// ```
    /// use allready_core::{Status, found};
    /// use serde_json::json;
    ///
    /// let conditions = json!([{"type": "Ready", "status": "True"}, {"type": "Ready", "status": "False"}]);
    /// let list = found::read(&conditions);
    /// assert_eq!(list.find("Ready").unwrap().status, Status::True);
    /// assert_eq!(list.find_all("Ready").count(), 2);
    /// assert_eq!(list.find("Synced"), None);
    /// ```
    pub fn find(&self, type_: &str) -> Option<&FoundCondition<'a>> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }

    /// Every condition of this type.
    ///
    /// ```
    /// use allready_core::{Status, found};
    /// use serde_json::json;
    ///
    /// let conditions = json!([{"type": "Ready", "status": "True"}, {"type": "Ready", "status": "False"}]);
    /// let list = found::read(&conditions);
    /// let all: Vec<Status> = list.find_all("Ready").map(|condition| condition.status).collect();
    /// assert_eq!(all, [Status::True, Status::False]);
    /// ```
    pub fn find_all(&self, type_: &str) -> impl Iterator<Item = &FoundCondition<'a>> {
        self.conditions.iter().filter(move |condition| condition.type_ == type_)
    }

    /// The nearest list that the API server accepts, with each type once; `fallback` stands in for times that could not
    /// be read.
    ///
    /// Entries of one type that agree in their status become the first of them, about the oldest generation that any of
    /// them is about. Where they disagree, the answer is `Unknown` with reason `DuplicatesDisagree`: nobody can say which
    /// of them is right, nor, without the polarity of the type, which would be the worse.
    ///
    /// ```
    /// use allready_core::{Status, Time, found};
    /// use serde_json::json;
    ///
    /// let conditions = json!([
    ///     {"type": "Ready", "status": "True", "reason": "Accepted"},
    ///     {"type": "Ready", "status": "False", "reason": "DiskFull", "message": "disk sda is full"},
    /// ]);
    /// let legal = found::read(&conditions).to_conditions(Time::EPOCH);
    /// assert_eq!(legal.len(), 1);
    /// assert_eq!((legal[0].status, legal[0].reason.as_str()), (Status::Unknown, "DuplicatesDisagree"));
    /// assert_eq!(
    ///     legal[0].message,
    ///     "Ready is listed 2 times and the entries disagree: entry 0 says True (Accepted); \
    ///      entry 1 says False (DiskFull: disk sda is full)"
    /// );
    /// ```
    pub fn to_conditions(&self, fallback: Time) -> Vec<Condition> {
        merge::to_conditions(&self.conditions, fallback)
    }
}

fn read_entries<'a>(entries: &'a [Value], notes: &mut Notes) -> Vec<FoundCondition<'a>> {
    let mut conditions = Vec::with_capacity(entries.len());
    let mut first_of_type: HashMap<Cow<'a, str>, usize> = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        notes.index = Some(index);
        let condition = FoundCondition::read(entry, notes);
        // That there is no type is noted already.
        if !condition.type_.is_empty() {
            match first_of_type.entry(condition.type_.clone()) {
                Entry::Occupied(first) => {
                    notes.add(Some("type"), IrregularityKind::Duplicate { first: *first.get() });
                }
                Entry::Vacant(place) => {
                    place.insert(index);
                }
            }
        }
        conditions.push(condition);
    }
    conditions
}

/// The instant that a text means, read as leniently as the times of conditions.
///
/// ```
/// use allready_core::found;
///
/// assert_eq!(found::time("2026-03-01 10:00:00").unwrap().to_string(), "2026-03-01T10:00:00Z");
/// assert_eq!(found::time("yesterday"), None);
/// ```
pub fn time(text: &str) -> Option<Time> {
    crate::condition::rfc3339::from_text(text).map(|(time, _)| time)
}
