//! The types that a field of a typed status may have. The derive asks for them, so that a wrong one does not compile.

use allready_core::{Condition, Generation, Message, Reason, Time};
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
    note = "use `Vec<Condition>` or `Option<Vec<Condition>>`, of allready or of k8s-openapi; mark a field that is something else with `#[status(skip)]`"
)]
pub trait ConditionsField {}
accepted!(
    ConditionsField: Vec<Condition>, Option<Vec<Condition>>, Vec<v1::Condition>, Option<Vec<v1::Condition>>
);
