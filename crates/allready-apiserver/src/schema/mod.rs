//! What an object of a kind looks like: one model for custom and built-in kinds, used by pruning, defaulting, validation,
//! server-side apply, strategic merge and printing.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

mod parse;
#[cfg(test)]
mod tests;

pub use parse::{DEEPEST, Definitions, ParseError, parse};

/// One node of a structural schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
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
pub enum Shape {
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
pub struct Object {
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
pub struct Array {
    /// Every item.
    pub items: Arc<Schema>,
    /// Who may own what of it.
    pub list: List,
}

/// `x-kubernetes-list-type`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum List {
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
pub struct Strategic {
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
pub struct Checks {
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
pub struct Rule {
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
    /// The checks, to add to them.
    pub fn checks_mut(&mut self) -> &mut Checks {
        self.checks.get_or_insert_default()
    }
}
