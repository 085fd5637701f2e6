//! Which fields of a status the updater writes, and where they are.

mod kinds;
mod map;
mod typed;

pub use allready_core::set::Untyped;
pub use kinds::{ConditionsField, GenerationField, MessageField, ReasonField, TimeField};
pub(super) use map::dotted;
pub use map::{Field, FieldMap, FieldProblem};
pub use typed::{NoPhase, Roles, StatusFields};
