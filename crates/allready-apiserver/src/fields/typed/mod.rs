//! What a value is to server-side apply: the view of a [`Schema`] that decides who can own what.
//!
//! Follows `typed` of `sigs.k8s.io/structured-merge-diff`.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use crate::schema::{Array, List, Object, Schema, Shape};

pub(crate) mod compare;
pub(crate) mod item;
pub(crate) mod merge;
pub(crate) mod named;
pub(crate) mod owned;
pub(crate) mod remove;
pub(crate) mod validate;

/// What may stand at a place.
#[derive(Clone, Copy)]
pub(crate) enum Type<'a> {
    /// What a schema says. `keeps_unknown`: a node above keeps unknown fields, and so does everything below it.
    Schema { schema: &'a Schema, keeps_unknown: bool, place: Place },
    /// Nobody said: maps are owned key by key, lists as a whole.
    Deduced,
    /// Nobody said, and it is inside a list: owned as a whole.
    Whole,
    /// No field may stand here.
    Nothing,
}

/// Which part of an object a place is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The whole object.
    Top,
    /// Its metadata.
    Metadata,
    /// Anything else.
    Inside,
}

/// The forms a value may have at a place: a bit each. Where a value does not decide, maps come before scalars and lists.
pub(crate) const MAP: u8 = 1;
pub(crate) const SCALAR: u8 = 2;
pub(crate) const LIST: u8 = 4;
const ANY: u8 = MAP | SCALAR | LIST;

/// A map or an object.
#[derive(Clone, Copy)]
pub(crate) struct MapType<'a> {
    object: Option<&'a Object>,
    element: Type<'a>,
    keeps_unknown: bool,
    embedded: bool,
    place: Place,
    pub(crate) atomic: bool,
}

/// A list.
#[derive(Clone, Copy)]
pub(crate) struct ListType<'a> {
    pub(crate) list: &'a List,
    pub(crate) items: Type<'a>,
}

static ATOMIC: List = List::Atomic;

impl<'a> Type<'a> {
    /// The type of a whole object.
    pub(crate) fn of(schema: &'a Schema) -> Self {
        Self::Schema { schema, keeps_unknown: false, place: Place::Top }
    }

    /// The forms that a value may have here.
    pub(crate) fn forms(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Deduced | Self::Whole | Self::Schema { schema: Schema { untyped: true, .. }, .. } => ANY,
            Self::Schema { schema, .. } => match &schema.shape {
                Shape::Any => ANY,
                Shape::Object(_) => MAP,
                Shape::Array(_) => LIST,
                // The built-in type is a text with a format; a custom kind writes the extension without a type.
                Shape::IntOrString if format(schema).is_empty() => ANY,
                _ => SCALAR,
            },
        }
    }

    /// The forms that are left once a value is seen. Nothing and `null` decide nothing.
    pub(crate) fn forms_for(self, value: Option<&Value>) -> u8 {
        let forms = self.forms();
        let form = match value {
            None | Some(Value::Null) => return forms,
            Some(Value::Array(_)) => LIST,
            Some(Value::Object(_)) => MAP,
            Some(_) => SCALAR,
        };
        if forms & form == 0 { forms } else { form }
    }

    /// This place as a map.
    pub(crate) fn map(self) -> MapType<'a> {
        let free = |element, atomic| MapType {
            object: None,
            element,
            keeps_unknown: false,
            embedded: false,
            place: Place::Inside,
            atomic,
        };
        match self {
            Self::Deduced => free(Self::Deduced, false),
            Self::Whole => free(Self::Whole, true),
            Self::Nothing => free(Self::Nothing, false),
            Self::Schema { schema, keeps_unknown, place } => {
                let Shape::Object(object) = &schema.shape else { return free(Self::Deduced, false) };
                let keeps_unknown = keeps_unknown || schema.preserve_unknown;
                let declares_nothing = object.properties.is_empty() && !schema.embedded;
                let element = match &object.additional {
                    Some(additional) => {
                        Self::Schema { schema: additional, keeps_unknown, place: Place::Inside }
                    }
                    None if keeps_unknown || declares_nothing => Self::Deduced,
                    None => Self::Nothing,
                };
                MapType {
                    object: Some(object),
                    element,
                    keeps_unknown,
                    embedded: schema.embedded,
                    place,
                    atomic: object.atomic,
                }
            }
        }
    }

    /// This place as a list.
    pub(crate) fn list(self) -> ListType<'a> {
        match self {
            Self::Schema {
                schema: Schema { shape: Shape::Array(Array { items, list }), preserve_unknown, .. },
                keeps_unknown,
                ..
            } => {
                let keeps_unknown = keeps_unknown || *preserve_unknown;
                ListType { list, items: Self::Schema { schema: items, keeps_unknown, place: Place::Inside } }
            }
            _ => ListType { list: &ATOMIC, items: Self::Whole },
        }
    }

    /// Which scalars may stand here.
    pub(crate) fn scalar(self) -> Scalar {
        let Self::Schema { schema, .. } = self else { return Scalar::Any };
        match schema.shape {
            Shape::Integer | Shape::Number => Scalar::Number,
            Shape::Boolean => Scalar::Boolean,
            Shape::String if matches!(format(schema), "" | "byte") => Scalar::Text,
            _ => Scalar::Any,
        }
    }
}

/// Which scalars may stand at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Number,
    Text,
    Boolean,
    Any,
}

fn format(schema: &Schema) -> &str {
    schema.checks.as_ref().and_then(|checks| checks.format.as_deref()).unwrap_or_default()
}

impl<'a> MapType<'a> {
    /// The type under a key, and whether the key is a declared field rather than a key of a map.
    pub(crate) fn field(&self, key: &str) -> (Type<'a>, bool) {
        if self.embedded {
            // An embedded resource has these three whatever its author wrote, and the metadata is the common one.
            let schema: Option<&'static Schema> = match key {
                "metadata" => Some(&METADATA),
                "apiVersion" | "kind" => Some(&TEXT),
                _ => None,
            };
            if let Some(schema) = schema {
                return (Type::Schema { schema, keeps_unknown: false, place: Place::Inside }, true);
            }
        }
        match self.object.and_then(|object| object.properties.get(key)) {
            Some(schema) => {
                let metadata = self.place == Place::Top && key == "metadata";
                let place = if metadata { Place::Metadata } else { Place::Inside };
                (Type::Schema { schema, keeps_unknown: self.keeps_unknown && !metadata, place }, true)
            }
            None => (self.element, false),
        }
    }

    /// Whether this is `metadata.managedFields`, which is written by the server and owned by nobody.
    pub(crate) fn is_bookkeeping(&self, key: &str) -> bool {
        self.place == Place::Metadata && key == "managedFields"
    }

    /// The type of a value whose key is not a declared field.
    pub(crate) fn element(&self) -> Type<'a> {
        self.element
    }

    /// Whether nothing is declared and anything may stand here.
    pub(crate) fn is_free(&self) -> bool {
        let declares = self.embedded || self.object.is_some_and(|object| !object.properties.is_empty());
        let untyped = self.element.forms() & SCALAR != 0 && self.element.scalar() == Scalar::Any;
        !declares && untyped
    }
}

static TEXT: LazyLock<Schema> = LazyLock::new(|| Schema { shape: Shape::String, ..Schema::default() });

/// The metadata of an embedded resource, as far as ownership goes.
static METADATA: LazyLock<Schema> = LazyLock::new(|| {
    let schema = |shape| Arc::new(Schema { shape, ..Schema::default() });
    let list = |items, list| schema(Shape::Array(Array { items, list }));
    let record = |fields: Vec<(&str, Arc<Schema>)>, atomic| {
        let properties = fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        schema(Shape::Object(Object { properties, atomic, ..Object::default() }))
    };
    let texts =
        || schema(Shape::Object(Object { additional: Some(schema(Shape::String)), ..Object::default() }));
    let any_scalar = || {
        let checks = Some(Box::new(crate::schema::Checks {
            format: Some("date-time".into()),
            ..crate::schema::Checks::default()
        }));
        Arc::new(Schema { shape: Shape::String, checks, ..Schema::default() })
    };
    let text = || schema(Shape::String);
    let owner = record(
        vec![
            ("apiVersion", text()),
            ("blockOwnerDeletion", schema(Shape::Boolean)),
            ("controller", schema(Shape::Boolean)),
            ("kind", text()),
            ("name", text()),
            ("uid", text()),
        ],
        true,
    );
    let fields: BTreeMap<&str, Arc<Schema>> = [
        ("annotations", texts()),
        ("creationTimestamp", any_scalar()),
        ("deletionGracePeriodSeconds", schema(Shape::Integer)),
        ("deletionTimestamp", any_scalar()),
        ("finalizers", list(text(), List::Set)),
        ("generateName", text()),
        ("generation", schema(Shape::Integer)),
        ("labels", texts()),
        ("managedFields", list(schema(Shape::Any), List::Atomic)),
        ("name", text()),
        ("namespace", text()),
        ("ownerReferences", list(owner, List::Map(vec!["uid".into()]))),
        ("resourceVersion", text()),
        ("selfLink", text()),
        ("uid", text()),
    ]
    .into();
    let metadata = record(fields.into_iter().collect(), false);
    Schema::clone(&metadata)
});

/// The paths of what a configuration would replace as a whole.
pub(crate) fn atomics(config: &Value, kind: Type<'_>) -> Vec<String> {
    let mut found = Vec::new();
    find_atomics(config, kind, "", &mut found);
    found
}

fn find_atomics(config: &Value, kind: Type<'_>, path: &str, found: &mut Vec<String>) {
    let forms = kind.forms_for(Some(config));
    match config {
        Value::Object(fields) if forms & MAP != 0 => {
            let map = kind.map();
            if map.atomic {
                found.push(path.to_owned());
            }
            for (name, value) in fields {
                find_atomics(value, map.field(name).0, &format!("{path}.{name}"), found);
            }
        }
        Value::Array(items) if forms & LIST != 0 => {
            let list = kind.list();
            if *list.list == List::Atomic {
                found.push(path.to_owned());
            }
            for (index, item) in items.iter().enumerate() {
                find_atomics(item, list.items, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}
