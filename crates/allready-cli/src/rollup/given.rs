//! The input: conditions, and the generations and annotation of the object around them.

use std::borrow::Cow;

use allready_core::{
    ConditionSet, Generation,
    found::{self, FoundList, FoundObject, Irregularity},
    set,
};
use serde_json::Value;

use crate::{cli::RollupArgs, failure::Failure, printer::tame};

/// The conditions of the input, and the generations and annotation of its object.
pub(super) struct Given<'a> {
    pub(super) conditions: FoundList<'a>,
    /// Irregularities of the object and of its conditions.
    pub(super) irregularities: Vec<Irregularity>,
    pub(super) generation: Generation,
    /// The generation that the status as a whole is about, if it says so.
    pub(super) observed: Option<Generation>,
    /// Set if there was a list of conditions at all.
    pub(super) has_conditions: bool,
    annotation: Option<Cow<'a, str>>,
}

impl<'a> Given<'a> {
    pub(super) fn read(value: &'a Value) -> Result<Self, Failure> {
        if value.is_array() {
            return Ok(Self::list(found::read(value), None));
        }
        if let Some(conditions) = value.get("conditions").filter(|_| value.get("status").is_none()) {
            let observed = value.get("observedGeneration").and_then(Value::as_i64);
            return Ok(Self::list(
                found::read(conditions),
                observed.and_then(|number| Generation::new(number).ok()),
            ));
        }
        if let Some(items) = value.get("items").and_then(Value::as_array) {
            return Err(Failure::data(format_args!(
                "the input is a list of {} objects: give one of them, as `kubectl get KIND NAME` does",
                items.len()
            )));
        }
        let has_conditions = value.pointer("/status/conditions").is_some();
        // An object whose controller has not spoken yet is an object all the same.
        if !has_conditions && value.get("kind").is_none() {
            return Err(Failure::data(
                "the input has no conditions: give a list of conditions, or an object with status.conditions",
            ));
        }
        let object = FoundObject::read(value);
        Ok(Self {
            has_conditions,
            irregularities: object.irregularities().cloned().collect(),
            generation: object.generation.unwrap_or_default(),
            observed: object.observed,
            conditions: object.conditions,
            annotation: value
                .pointer("/metadata/annotations")
                .and_then(|annotations| annotations.get(set::ANNOTATION))
                .filter(|annotation| !annotation.is_null())
                // In a file it may stand there as what it means, not yet as the text that the API server wants.
                .map(|annotation| match annotation {
                    Value::String(text) => Cow::Borrowed(text.as_str()),
                    other => Cow::Owned(other.to_string()),
                }),
        })
    }

    /// Conditions without an object around them.
    fn list(conditions: FoundList<'a>, observed: Option<Generation>) -> Self {
        Self {
            has_conditions: true,
            irregularities: conditions.irregularities().to_vec(),
            conditions,
            generation: Generation::NONE,
            observed,
            annotation: None,
        }
    }

    /// The set that the object itself declares, unless the command line says what counts.
    pub(super) fn annotated(&self, args: &RollupArgs) -> Result<Option<ConditionSet>, Failure> {
        let said = !(args.dependents.is_empty() && args.negative.is_empty() && args.informational.is_empty());
        match &self.annotation {
            Some(text) if !said => text.parse().map(Some).map_err(|error| {
                Failure::data(format_args!(
                    "the annotation {} of the input: {}",
                    set::ANNOTATION,
                    tame(&format!("{error}"))
                ))
            }),
            _ => Ok(None),
        }
    }
}
