//! The types that a field of a typed status may have. The derive asks for them, so that a wrong one does not compile.

use allready_core::{
    Condition, Conditions, Generation, Message, Reason, Time,
    set::{Markable, Untyped},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1;

macro_rules! accepted {
    ($trait:ident: $($type:ty),+) => {
        $(impl $trait for $type {})+
    };
}

/// What can hold the observed generation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the observed generation",
    label = "not a generation",
    note = "use `Option<i64>`, `i64`, `Option<Generation>` or `Generation`; mark a field that is something else with `#[status(skip)]`"
)]
pub trait GenerationField {}
accepted!(GenerationField: i64, Option<i64>, Generation, Option<Generation>);

/// What can hold the time of the last reconcile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the time of the last reconcile",
    label = "not a time",
    note = "use `Option<Time>` or `Time`, of allready or of k8s-openapi; mark a field that is something else with `#[status(skip)]`"
)]
pub trait TimeField {}
accepted!(TimeField: Time, Option<Time>, v1::Time, Option<v1::Time>);

/// What can hold the reason, and be without one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the reason of a status",
    label = "not a reason that may be absent",
    note = "use `Option<Reason>`, `Option<String>` or `String`; mark a field that is something else with `#[status(skip)]`"
)]
pub trait ReasonField {}
accepted!(ReasonField: String, Option<String>, Option<Reason>);

/// What can hold the message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the message of a status",
    label = "not a message",
    note = "use `Option<Message>`, `Message`, `Option<String>` or `String`; mark a field that is something else with `#[status(skip)]`"
)]
pub trait MessageField {}
accepted!(MessageField: String, Option<String>, Message, Option<Message>);

/// What can hold the conditions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the conditions of a status",
    label = "not a list of conditions",
    note = "use `Conditions<C>`, where `C` is the enum that derives `ConditionSet`, or `Conditions` where there is none; mark a field that is something else with `#[status(skip)]`"
)]
pub trait ConditionsField {
    /// The enum that declares them; [`Untyped`] where there is none.
    type Set: Markable;
}

impl<C: Markable> ConditionsField for Conditions<C> {
    type Set = C;
}

macro_rules! untyped {
    ($($type:ty),+) => {
        $(impl ConditionsField for $type { type Set = Untyped; })+
    };
}
untyped!(Vec<Condition>, Option<Vec<Condition>>, Vec<v1::Condition>, Option<Vec<v1::Condition>>);
