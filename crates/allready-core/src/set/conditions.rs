//! The list of conditions in a status.

use std::{fmt, marker::PhantomData, ops::Deref};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

#[cfg(feature = "schemars")]
use super::ConditionSet;
use super::{At, Markable, Pass, TypedSet, Untouched, Untyped};
use crate::{Condition, Generation, Time, condition, found};

/// The list of conditions in a status, declared by the enum `C`; without one, any conditions.
///
/// It reads as a slice of [`Condition`]s and is written by a [pass](Self::pass). It can stand at the top of a status and as
/// well in its parts, such as one list for each listener.
///
/// Reading is lenient: one illegal entry, written before the schema forbade it, must not keep a controller from reading the
/// object, and so from ever repairing it. What is not legal is made so, and never into good news.
///
/// ```
/// use allready_core::{Status, set::Conditions};
///
/// let stored = r#"[{"type": "Ready", "status": "True", "reason": ""}]"#;
/// let conditions: Conditions = serde_json::from_str(stored)?;
/// assert_eq!(conditions.find("Ready").unwrap().status, Status::True);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// With the feature `schemars` it has the schema of Kubernetes' own condition lists: a map by `type`, so that several writers
/// can each own theirs, with the lengths and patterns of `metav1.Condition`.
pub struct Conditions<C = Untyped> {
    list: Vec<Condition>,
    declared: PhantomData<fn() -> C>,
}

impl<C> Conditions<C> {
    /// The condition of this type.
    pub fn find(&self, type_: &str) -> Option<&Condition> {
        condition::find(&self.list, type_)
    }

    /// The list, for what is not done by a pass.
    pub fn as_mut_vec(&mut self) -> &mut Vec<Condition> {
        &mut self.list
    }

    /// The list alone.
    pub fn into_vec(self) -> Vec<Condition> {
        self.list
    }
}

impl<C: Markable> Conditions<C> {
    /// Begins a pass over this list: the way to write it.
    pub fn pass(&mut self, at: At) -> C::Pass<'_> {
        C::typed(match C::declared_set() {
            Some(set) => set.pass(&mut self.list, at),
            None => Pass::over_list(&mut self.list, Untouched::Keep, at),
        })
    }
}

impl<C: TypedSet> Conditions<C> {
    /// The condition that a variant declares.
    pub fn get(&self, condition: C) -> Option<&Condition> {
        self.find(condition.condition_type().as_str())
    }

    /// The top condition.
    pub fn top(&self) -> Option<&Condition> {
        self.find(C::set().top().as_str())
    }

    /// Tells whether the top condition is good *and* is about this generation.
    pub fn is_good(&self, generation: impl Into<Generation>) -> bool {
        C::set().is_good(&self.list, generation)
    }
}

impl<C> Deref for Conditions<C> {
    type Target = [Condition];

    fn deref(&self) -> &[Condition] {
        &self.list
    }
}

impl<C> From<Vec<Condition>> for Conditions<C> {
    fn from(list: Vec<Condition>) -> Self {
        Self { list, declared: PhantomData }
    }
}

impl<C> FromIterator<Condition> for Conditions<C> {
    fn from_iter<I: IntoIterator<Item = Condition>>(conditions: I) -> Self {
        Vec::from_iter(conditions).into()
    }
}

impl<C> IntoIterator for Conditions<C> {
    type Item = Condition;
    type IntoIter = std::vec::IntoIter<Condition>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'a, C> IntoIterator for &'a Conditions<C> {
    type Item = &'a Condition;
    type IntoIter = std::slice::Iter<'a, Condition>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl<C> Clone for Conditions<C> {
    fn clone(&self) -> Self {
        self.list.clone().into()
    }
}

impl<C> Default for Conditions<C> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<C> fmt::Debug for Conditions<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl<C> PartialEq for Conditions<C> {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl<C> Eq for Conditions<C> {}

impl<C> Serialize for Conditions<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

impl<'de, C> Deserialize<'de> for Conditions<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Value::deserialize(deserializer)?;
        Ok(found::read(&stored).to_conditions(Time::EPOCH).into())
    }
}

#[cfg(feature = "schemars")]
impl<C: Markable> schemars::JsonSchema for Conditions<C> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Conditions".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let is_detailed = C::declared_set().is_some_and(ConditionSet::is_detailed);
        schemars::json_schema!({
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "items": if is_detailed { condition::detailed_schema() } else { condition::schema() },
        })
    }
}
