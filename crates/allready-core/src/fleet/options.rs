//! What a fleet index is told once: how to read its members' conditions, and how to word the answer.

use std::collections::BTreeMap;

use crate::{ConditionType, Generation, Polarity, rollup::Grouped};

/// How a [`FleetIndex`](super::FleetIndex) reads its members.
///
/// ```
/// use std::collections::BTreeMap;
/// use allready_core::{Condition, Polarity, Standing, Status, Time, condition_type, reason};
/// use allready_core::fleet::{FleetIndex, FleetOptions};
///
/// let mut fleet = FleetIndex::new(FleetOptions {
///     polarities: BTreeMap::from([(condition_type!("Degraded"), Polarity::AbnormalTrue)]),
///     types: vec![condition_type!("Degraded"), condition_type!("Synced")],
///     ..FleetOptions::default()
/// });
/// let condition = |type_, status| Condition::new(type_, status, reason!("Ok"), "", Time::EPOCH);
/// fleet.apply("a", &[condition(condition_type!("Degraded"), Status::False)]);
/// assert_eq!(fleet.standing(), Standing::Unknown, "it says nothing about Synced");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetOptions {
    /// The polarity of condition types; of a type that is not here, the one that its input says (normal-true, if it is
    /// made from a condition).
    pub polarities: BTreeMap<ConditionType, Polarity>,
    /// The types that every report must have: one that is missing is unknown. A member can be expected to have others, see
    /// [`expect_types`](super::FleetIndex::expect_types).
    pub types: Vec<ConditionType>,
    /// What the report of a member is worth that nobody expects.
    pub unexpected: Unexpected,
    /// The wording of the answer.
    pub wording: Grouped,
}

/// What the report of a member is worth that nobody expects.
///
/// ```
/// # use allready_core::{Condition, Standing, Status, Time, condition_type, reason};
/// use allready_core::fleet::{FleetIndex, FleetOptions, Unexpected};
///
/// # let down = Condition::new(condition_type!("Ready"), Status::False, reason!("Down"), "", Time::EPOCH);
/// let mut fleet = FleetIndex::new(FleetOptions { unexpected: Unexpected::Ignored, ..FleetOptions::default() });
/// fleet.apply("node-1", [&down]);
/// assert_eq!(fleet.standing(), Standing::Unknown, "nobody counts yet");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unexpected {
    /// It counts like any other: the list of expected members may be late, and a red report is never hidden.
    #[default]
    Counted,
    /// It does not count, only the expected members do. For a list that says whom an object concerns; while it is empty
    /// the answer is unknown.
    Ignored,
}

impl FleetOptions {
    pub(super) fn polarity(&self, type_: &str) -> Option<Polarity> {
        self.polarities.get(type_).copied()
    }
}

/// What a member is judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    pub(super) options: &'a FleetOptions,
    pub(super) generation: Generation,
}
