//! Statuses whose fields the compiler knows.

use serde::{Serialize, de::DeserializeOwned};

use super::{Field, FieldMap};

/// A status that tells where its fields are. Derive it: `#[derive(StatusFields)]` checks when the program is compiled that
/// every field is there and of the right type.
///
/// ```
/// use allready_core::{Condition, Time};
/// use allready_derive::StatusFields;
/// use allready_kube::update::{Field, StatusFields as _};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize)]
/// enum Phase {
///     #[default]
///     Progressing,
///     Ready,
/// }
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, StatusFields)]
/// #[status(crate = allready_kube)]
/// #[serde(rename_all = "camelCase")]
/// struct PoolStatus {
///     observed_generation: Option<i64>,
///     last_reconcile_time: Option<Time>,
///     #[status(phase)]
///     state: Phase,
///     reason: Option<String>,
///     message: Option<String>,
///     conditions: Vec<Condition>,
///     addresses: u32,
/// }
///
/// assert_eq!(PoolStatus::fields().path(Field::Phase).unwrap(), ["state"]);
/// assert_eq!(PoolStatus::fields().path(Field::ObservedGeneration).unwrap(), ["observedGeneration"]);
/// ```
///
/// The default of the type is the status of an object that has none yet, and what a field goes back to when it is cleared.
pub trait StatusFields: Default + Serialize + DeserializeOwned {
    /// The type of the phase; [`NoPhase`] where there is none.
    type Phase;

    /// The fields that the type has, or has switched off.
    const ROLES: Roles;

    /// Where the fields are.
    fn fields() -> FieldMap;
}

/// The phase of a status that has none. There is no value of it, so a function that computes one cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPhase {}

/// Which fields a type speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles(u8);

impl Roles {
    /// None.
    pub const NONE: Self = Self(0);

    /// These and one more.
    pub const fn with(self, field: Field) -> Self {
        self.and(Self(1 << field as u8))
    }

    /// These and one more, which may be among them already.
    pub const fn or(self, field: Field) -> Self {
        Self(self.0 | 1 << field as u8)
    }

    /// Those of a nested type too.
    ///
    /// # Panics
    /// When the program is compiled, if both have the same field.
    pub const fn and(self, nested: Self) -> Self {
        assert!(
            self.0 & nested.0 == 0,
            "a field of the status is there twice, once in a nested struct: mark one of them with #[status(skip)]"
        );
        Self(self.0 | nested.0)
    }

    /// Whether the type speaks for a field.
    pub const fn has(self, field: Field) -> bool {
        self.0 & (1 << field as u8) != 0
    }

    /// Checks that no field is missing. For code made by the derive.
    ///
    /// # Panics
    /// When the program is compiled, if one is.
    #[doc(hidden)]
    pub const fn complete(self) {
        assert!(
            self.has(Field::ObservedGeneration),
            "the status has no field for the observed generation: name one `observed_generation`, mark another with \
             #[status(observed_generation)], or do without it: #[status(without(observed_generation))]"
        );
        assert!(
            self.has(Field::LastReconcileTime),
            "the status has no field for the time of the last reconcile: name one `last_reconcile_time`, mark another with \
             #[status(last_reconcile_time)], or do without it: #[status(without(last_reconcile_time))]"
        );
        assert!(
            self.has(Field::Phase),
            "the status has no field for the phase: name one `phase`, mark another with #[status(phase)], or do without it: \
             #[status(without(phase))]"
        );
        assert!(
            self.has(Field::Reason),
            "the status has no field for the reason: name one `reason`, mark another with #[status(reason)], or do without \
             it: #[status(without(reason))]"
        );
        assert!(
            self.has(Field::Message),
            "the status has no field for the message: name one `message`, mark another with #[status(message)], or do \
             without it: #[status(without(message))]"
        );
        assert!(
            self.has(Field::Conditions),
            "the status has no field for the conditions: name one `conditions`, mark another with #[status(conditions)], or \
             do without it: #[status(without(conditions))]"
        );
    }
}
