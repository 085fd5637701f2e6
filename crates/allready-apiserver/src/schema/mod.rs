//! What an object of a kind looks like: one model for custom and built-in kinds, used by pruning, defaulting, validation,
//! server-side apply, strategic merge and printing.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver/schema` (structural schemas: pruning, defaulting, list types).

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

mod coerce;
mod defaults;
pub(crate) mod malformed;
pub(crate) mod meta;
mod parse;
mod prune;
mod settled;
#[cfg(test)]
mod tests;
pub(crate) mod validate;

pub(crate) use coerce::{coerce, coerce_metadata};
pub(crate) use defaults::default;
pub(crate) use defaults::default_keeping_nulls;
pub(crate) use parse::{DEEPEST, Definitions, parse};
pub(crate) use prune::prune;
pub(crate) use prune::with_object_meta;
pub(crate) use settled::is_settled;
pub(crate) use validate::Validator;

/// One node of a structural schema.
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of OpenAPI, independent of each other")]
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Schema {
    /// What kind of value stands here, and what is inside it.
    pub shape: Shape,
    /// No type was written: the shape then speaks only of values that have it, and lets others pass.
    pub untyped: bool,
    /// Whether `null` may stand here.
    pub nullable: bool,
    /// What stands here when nothing was given.
    pub default: Option<Value>,
    /// `x-kubernetes-preserve-unknown-fields`: what no property names stays, instead of being pruned.
    pub preserve_unknown: bool,
    /// `x-kubernetes-embedded-resource`: a whole object with `apiVersion`, `kind` and `metadata`.
    pub embedded: bool,
    /// Checks beyond the shape; most nodes have none.
    pub checks: Option<Box<Checks>>,
    /// How a strategic merge patch treats this field, where that is not plain merging.
    pub strategic: Strategic,
}

/// What kind of value stands at a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Shape {
    /// Anything: a node without a type.
    #[default]
    Any,
    /// An object.
    Object(Object),
    /// A list.
    Array(Array),
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A whole number or text: `x-kubernetes-int-or-string`, `IntOrString`, `Quantity`.
    IntOrString,
}

/// The inside of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object {
    /// Fields by name.
    pub properties: BTreeMap<String, Arc<Schema>>,
    /// The schema of every value whose key is not among the properties: a map.
    pub additional: Option<Arc<Schema>>,
    /// Fields that must be there.
    pub required: Vec<String>,
    /// `x-kubernetes-map-type: atomic`: one owner for the whole.
    pub atomic: bool,
}

/// The inside of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Array {
    /// Every item.
    pub items: Arc<Schema>,
    /// Who may own what of it.
    pub list: List,
}

/// `x-kubernetes-list-type`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum List {
    /// One owner for the whole list; also what a list without a list type is.
    #[default]
    Atomic,
    /// Every item is owned by its value.
    Set,
    /// Every item is owned by the values of these fields.
    Map(Vec<String>),
}

/// How a strategic merge patch treats a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Strategic {
    /// `x-kubernetes-patch-strategy` contains `merge`: for a list, items are merged instead of replaced.
    pub merge: bool,
    /// `x-kubernetes-patch-strategy` contains `replace`.
    pub replace: bool,
    /// `x-kubernetes-patch-strategy` contains `retainKeys`.
    pub retain_keys: bool,
    /// `x-kubernetes-patch-merge-key`.
    pub key: Option<String>,
}

/// Checks beyond the shape, as OpenAPI words them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Checks {
    /// `format`.
    pub format: Option<String>,
    /// `enum`.
    pub allowed: Option<Vec<Value>>,
    /// `minimum` and whether it is exclusive.
    pub minimum: Option<(f64, bool)>,
    /// `maximum` and whether it is exclusive.
    pub maximum: Option<(f64, bool)>,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `minLength`.
    pub min_length: Option<u64>,
    /// `maxLength`.
    pub max_length: Option<u64>,
    /// `pattern`.
    pub pattern: Option<String>,
    /// `minItems`.
    pub min_items: Option<u64>,
    /// `maxItems`.
    pub max_items: Option<u64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `minProperties`.
    pub min_properties: Option<u64>,
    /// `maxProperties`.
    pub max_properties: Option<u64>,
    /// `allOf`, `anyOf`, `oneOf`, `not`, as they were written: value validation only.
    pub all_of: Vec<Schema>,
    /// See `all_of`.
    pub any_of: Vec<Schema>,
    /// See `all_of`.
    pub one_of: Vec<Schema>,
    /// See `all_of`.
    pub not: Option<Box<Schema>>,
    /// `x-kubernetes-validations`.
    pub rules: Vec<Rule>,
}

/// One CEL rule.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_field_names, reason = "the field of the definition is called so")]
pub(crate) struct Rule {
    /// The expression.
    pub rule: String,
    /// What to say when it is false.
    pub message: Option<String>,
    /// An expression that says it.
    pub message_expression: Option<String>,
    /// Which kind of mistake it is; `FieldValueInvalid` when absent.
    pub reason: Option<String>,
    /// The field to name, relative to the node.
    pub field_path: Option<String>,
    /// Whether the rule also runs where there is no old value.
    pub optional_old_self: bool,
}

impl Schema {
    /// The schema of a field of an object: a property, or else what every other key holds.
    pub(crate) fn field(&self, name: &str) -> Option<&Schema> {
        match &self.shape {
            Shape::Object(object) => {
                object.properties.get(name).or(object.additional.as_ref()).map(AsRef::as_ref)
            }
            _ => None,
        }
    }

    /// The schema of a property.
    pub(crate) fn property(&self, name: &str) -> Option<&Schema> {
        match &self.shape {
            Shape::Object(object) => object.properties.get(name).map(AsRef::as_ref),
            _ => None,
        }
    }

    /// Whether there are lists of type set or map below.
    pub(crate) fn has_lists(&self) -> bool {
        match &self.shape {
            Shape::Array(array) => array.list != List::Atomic || array.items.has_lists(),
            Shape::Object(object) => {
                object.properties.values().chain(&object.additional).any(|inner| inner.has_lists())
            }
            _ => false,
        }
    }

    /// Whether there are embedded objects here or below.
    pub(crate) fn has_embedded(&self) -> bool {
        self.embedded
            || match &self.shape {
                Shape::Array(array) => array.items.has_embedded(),
                Shape::Object(object) => {
                    object.properties.values().chain(&object.additional).any(|inner| inner.has_embedded())
                }
                _ => false,
            }
    }

    /// The schema of the items of a list.
    pub(crate) fn items(&self) -> Option<&Schema> {
        match &self.shape {
            Shape::Array(array) => Some(&array.items),
            _ => None,
        }
    }

    /// Shows every node below and including this one to a visitor, branches of `allOf` and its kin included.
    pub(crate) fn visit(&self, visitor: &mut dyn FnMut(&Schema)) {
        visitor(self);
        match &self.shape {
            Shape::Object(object) => {
                object.properties.values().chain(&object.additional).for_each(|inner| inner.visit(visitor));
            }
            Shape::Array(array) => array.items.visit(visitor),
            _ => {}
        }
        if let Some(checks) = &self.checks {
            let branches = checks.all_of.iter().chain(&checks.any_of).chain(&checks.one_of);
            branches.chain(checks.not.as_deref()).for_each(|inner| inner.visit(visitor));
        }
    }

    /// The checks, to add to them.
    pub(crate) fn checks_mut(&mut self) -> &mut Checks {
        self.checks.get_or_insert_default()
    }
}
