//! Validation: everything that the server checks about a custom object, in its order and words.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver/validation`, and `pkg/apiserver/schema/cel` with its ratcheting (KEP-4008).

mod composite;
mod correlate;
mod embedded;
pub(crate) mod formats;
mod lists;
mod numbers;
mod outcome;
pub(crate) mod path;
pub(crate) mod pattern;
pub(crate) mod rules;
mod structural;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use self::embedded::malformed;
use self::{correlate::Pair, pattern::Patterns};
use super::Schema;
use crate::status::{FieldError, Mistake};

/// A schema made ready to validate with: its patterns and rules are compiled once.
pub(crate) struct Validator {
    schema: Arc<Schema>,
    patterns: Patterns,
    rules: Option<rules::Node>,
    lists: bool,
    embedded: bool,
}

impl Validator {
    /// Over a schema as its author wrote it, without what [`super::with_object_meta`] adds.
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        Self {
            patterns: Patterns::of(&schema),
            rules: rules::Node::of(&schema),
            lists: schema.has_lists(),
            embedded: schema.has_embedded(),
            schema,
        }
    }

    /// What is wrong with an object. On an update, what was as wrong before is forgiven.
    #[cfg(test)]
    pub(crate) fn validate(&self, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        self.validate_with(new, old, Vec::new(), &mut Vec::new())
    }

    /// The mistakes of an object, with further errors that are told after those of types and bounds. On an update, what was
    /// as wrong before is forgiven; where a rule fails so, there is a warning.
    pub(crate) fn validate_with(
        &self,
        new: &Value,
        old: Option<&Value>,
        more: Vec<FieldError>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let pair = old.map(|old| Pair { new, old, schema: &self.schema });
        let mut errors = structural::check(&self.schema, &self.patterns, "", new, pair);
        errors.extend(more);
        if self.embedded {
            errors.extend(embedded::check(&self.schema, new));
        }
        self.lists_and_rules(errors, new, old, warnings)
    }

    /// What is wrong with an object of another kind, which is not held to the schema, but to everything else.
    pub(crate) fn validate_foreign(
        &self,
        new: &Value,
        old: Option<&Value>,
        mut found: Vec<FieldError>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        if self.embedded {
            found.extend(embedded::check(&self.schema, new));
        }
        self.lists_and_rules(found, new, old, warnings)
    }

    /// What is wrong with an object whose `status` alone was written.
    #[cfg(test)]
    pub(crate) fn validate_status(&self, new: &Value, old: &Value) -> Vec<FieldError> {
        self.validate_status_with(new, old, Vec::new(), &mut Vec::new())
    }

    /// As [`Validator::validate_with`], of an object whose `status` alone was written.
    pub(crate) fn validate_status_with(
        &self,
        new: &Value,
        old: &Value,
        more: Vec<FieldError>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if let (Some(status), Some(schema)) = (new.get("status"), self.schema.property("status")) {
            // A status that was not there counts as `null` before.
            let nothing = &Value::Null;
            let before = Pair { new: status, old: old.get("status").unwrap_or(nothing), schema };
            let pair = Pair { new, old, schema: &self.schema }.key("status").or(Some(before));
            errors = structural::check(schema, &self.patterns, "status", status, pair);
        }
        errors.extend(more);
        self.lists_and_rules(errors, new, Some(old), warnings)
    }

    /// What is wrong with a value that stands at a place, such as a default.
    pub(crate) fn validate_below(&self, at: &str, value: &Value) -> Vec<FieldError> {
        let errors = structural::check(&self.schema, &self.patterns, at, value, None);
        let Some(rules) = self.rules.as_ref().filter(|_| errors.is_empty()) else { return errors };
        let errors = rules.check(at, value, Some(value), None).errors;
        if errors.is_empty() { rules.check(at, value, None, None).errors } else { errors }
    }

    fn lists_and_rules(
        &self,
        mut errors: Vec<FieldError>,
        new: &Value,
        old: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        if self.lists {
            let twice = lists::check(&self.schema, new);
            if !twice.is_empty() && old.is_none_or(|old| lists::check(&self.schema, old).is_empty()) {
                errors.extend(twice);
            }
        }
        let Some(rules) = &self.rules else { return errors };
        if errors.iter().any(blocks_rules) {
            let detail = "some validation rules were not checked because the object was invalid; correct the existing \
                          errors to complete validation";
            errors.push(FieldError::invalid("<nil>", Value::Null, detail));
            return errors;
        }
        let pair = old.map(|old| Pair { new, old, schema: &self.schema });
        let failures = rules.check("", new, old, pair);
        warnings.extend(failures.warnings);
        errors.extend(failures.errors);
        errors
    }
}

/// Errors that leave nothing for rules to be asked about.
fn blocks_rules(error: &FieldError) -> bool {
    use Mistake::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
    matches!(error.mistake, NotSupported | Required | TooLong | TooMany | TypeInvalid)
}
