//! Statuses whose fields the compiler knows.

use allready_core::set::Markable;
use serde::{Serialize, de::DeserializeOwned};

use super::{Field, FieldMap};

/// A status that tells where its fields are. Derive it: `#[derive(StatusFields)]` checks when the program is compiled that
/// every field is there and of the right type.
///
/// ```
/// use allready_core::{Condition, Time};
/// use allready_derive::StatusFields;
/// use allready_kube::status::{Field, StatusFields as _};
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
    /// The enum that declares the conditions; [`Untyped`](super::Untyped) where there is none.
    type Set: Markable;

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
}
