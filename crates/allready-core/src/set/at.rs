//! When a pass happens, and to which version of the object.

use crate::{Generation, Time};

/// When a pass happens, and to which version of the object.
///
/// ```
/// use allready_core::{Time, set::At};
///
/// let now: Time = "2026-03-01T10:00:00Z".parse().unwrap();
/// let created: Time = "2026-03-01T09:59:58Z".parse().unwrap();
/// let at = At::new(1u32, now).created(created);
/// assert_eq!(at.generation.get(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The object's `metadata.generation`.
    pub generation: Generation,
    /// The instant of the pass: every transition in it gets this time.
    pub now: Time,
    /// The object's `metadata.creationTimestamp`: a condition that nobody has reported yet is Unknown since then.
    pub created: Option<Time>,
    /// Whether the object is being deleted. Deletion raises the generation without a change to the spec, so that what was
    /// known of the generation before stays good.
    pub deleting: bool,
}

impl At {
    /// A pass over an object of this generation, now.
    pub fn new(generation: impl Into<Generation>, now: impl Into<Time>) -> Self {
        Self { generation: generation.into(), now: now.into(), created: None, deleting: false }
    }

    /// The same for an object that was created then.
    ///
    /// ```
    /// use allready_core::{ConditionSet, Time, set::At};
    ///
    /// let set: ConditionSet = "Ready: Synced".parse().unwrap();
    /// let (created, now) = (Time::from_second(10).unwrap(), Time::from_second(20).unwrap());
    /// let mut conditions = vec![];
    /// set.pass(&mut conditions, At::new(1u32, now).created(created)).finish();
    /// assert_eq!(conditions[0].last_transition_time, created, "Unknown since then");
    /// ```
    pub fn created(self, created: impl Into<Time>) -> Self {
        Self { created: Some(created.into()), ..self }
    }

    /// The same for an object that is being deleted.
    pub fn deleting(self) -> Self {
        Self { deleting: true, ..self }
    }
}
