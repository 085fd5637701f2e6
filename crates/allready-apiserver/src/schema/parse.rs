//! Reading a schema: OpenAPI v3 as custom kinds write it, and the definitions of the built-in kinds, which refer to each
//! other by name.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value};

use super::{Array, Checks, List, Object, Rule, Schema, Shape, Strategic};

/// How deep a schema may nest; deeper ones are refused instead of exhausting the stack.
pub(crate) const DEEPEST: usize = 100;

/// Why a schema could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub(crate) struct ParseError {
    /// Where in the schema, as in `properties[spec].items`; empty at its root.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
}

/// Reads an OpenAPI v3 schema as a `CustomResourceDefinition` holds it (`openAPIV3Schema`).
///
/// It reads what can be read; whether the schema is a good one is decided by [`crate::crd`].
pub(crate) fn parse(openapi: &Value) -> Result<Schema, ParseError> {
    Reader { definitions: None }.node(openapi, &Place::Root)
}

/// Definitions that refer to each other by name, such as those of the built-in kinds. What is shared between kinds is read
/// once and shared.
pub(crate) struct Definitions<'a> {
    /// The built-in ones where it is `None`.
    table: Option<&'a Map<String, Value>>,
    done: RefCell<BTreeMap<String, Arc<Schema>>>,
    open: RefCell<Vec<String>>,
}

impl<'a> Definitions<'a> {
    /// Over a table from name to schema. `$ref` may be a bare name or a path that ends in one.
    #[cfg(test)]
    pub(crate) fn new(table: &'a Map<String, Value>) -> Self {
        Self { table: Some(table), done: RefCell::default(), open: RefCell::default() }
    }

    /// Those of the built-in kinds, each read when it is asked for and then forgotten: all of them at once weigh more than
    /// the objects of most tests.
    pub(crate) fn builtin() -> Self {
        Self { table: None, done: RefCell::default(), open: RefCell::default() }
    }

    fn find(&self, name: &str) -> Option<Cow<'a, Value>> {
        match self.table {
            Some(table) => table.get(name).map(Cow::Borrowed),
            None => BUILTIN.get(name).and_then(|line| serde_json::from_str(line).ok()).map(Cow::Owned),
        }
    }

    /// Reads the definition of a name, and everything it refers to. A definition that contains itself, as the schema of
    /// schemas does, is cut where it recurs: there, anything may stand.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Schema>, ParseError> {
        if let Some(known) = self.done.borrow().get(name) {
            return Ok(known.clone());
        }
        if self.open.borrow().iter().any(|open| open == name) {
            return Ok(Arc::new(anything()));
        }
        let Some(definition) = self.find(name) else {
            return Err(Place::Root.error(format!("there is no definition of {name}")));
        };
        self.open.borrow_mut().push(name.to_owned());
        let read = Reader { definitions: Some(self) }.node(&definition, &Place::Root);
        self.open.borrow_mut().pop();
        let schema = Arc::new(as_the_type_behaves(name, read?));
        self.done.borrow_mut().insert(name.to_owned(), schema.clone());
        Ok(schema)
    }
}

/// The definitions of the built-in kinds as they are written: one a line, `"name":{…},`.
static BUILTIN: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../builtin/kinds.json").lines();
    let named = lines.filter_map(|line| line.strip_prefix('"')?.split_once("\":"));
    named.map(|(name, written)| (name, written.trim_end_matches(','))).collect()
});

/// A few definitions say less than the type behind them does.
fn as_the_type_behaves(name: &str, mut schema: Schema) -> Schema {
    if name.ends_with(".api.resource.Quantity") {
        schema = Schema { shape: Shape::IntOrString, ..Schema::default() };
        schema.checks_mut().format = Some("quantity".into());
    } else if name.ends_with(".runtime.RawExtension") {
        schema.shape = Shape::Object(Object { atomic: true, ..Object::default() });
        schema.preserve_unknown = true;
    } else if name.ends_with(".meta.v1.FieldsV1") || schema == Schema::default() {
        schema.preserve_unknown = true;
    }
    schema
}

fn anything() -> Schema {
    Schema { preserve_unknown: true, ..Schema::default() }
}

/// Where the reader is: a chain of borrowed steps, turned into text only for an error.
enum Place<'a> {
    Root,
    Step(&'a Place<'a>, &'a str),
    Named(&'a Place<'a>, &'a str, &'a str),
    Nth(&'a Place<'a>, &'a str, usize),
}

impl Place<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Root => 0,
            Self::Step(up, _) | Self::Named(up, ..) | Self::Nth(up, ..) => 1 + up.depth(),
        }
    }

    fn text(&self) -> String {
        let (up, last) = match self {
            Self::Root => return String::new(),
            Self::Step(up, word) => (up, (*word).to_owned()),
            Self::Named(up, word, name) => (up, format!("{word}[{name}]")),
            Self::Nth(up, word, index) => (up, format!("{word}[{index}]")),
        };
        let before = up.text();
        if before.is_empty() { last } else { format!("{before}.{last}") }
    }

    fn error(&self, problem: impl Into<String>) -> ParseError {
        ParseError { path: self.text(), problem: problem.into() }
    }
}

struct Reader<'a> {
    definitions: Option<&'a Definitions<'a>>,
}

impl Reader<'_> {
    fn node(&self, value: &Value, place: &Place<'_>) -> Result<Schema, ParseError> {
        if place.depth() > DEEPEST {
            return Err(place.error(format!("nested more than {DEEPEST} deep")));
        }
        let Value::Object(source) = value else {
            return Err(place.error("a schema is an object"));
        };
        let mut schema = match self.referred(source, place)? {
            Some(referred) => Schema::clone(&referred),
            None => self.plain(source, place)?,
        };
        if let Some(default) = source.get("default") {
            schema.default = Some(default.clone());
        }
        if source.contains_key("x-kubernetes-patch-strategy")
            || source.contains_key("x-kubernetes-patch-merge-key")
        {
            schema.strategic = strategic(source);
        }
        Ok(schema)
    }

    fn child(&self, value: &Value, place: &Place<'_>) -> Result<Arc<Schema>, ParseError> {
        if let Value::Object(source) = value
            && source.len() == 1
            && let Some(shared) = self.referred(source, place)?
        {
            return Ok(shared);
        }
        self.node(value, place).map(Arc::new)
    }

    fn referred(
        &self,
        source: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Result<Option<Arc<Schema>>, ParseError> {
        // Published documents wrap a reference that has siblings in an `allOf` of one.
        let alone = match source.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([one]) if !source.contains_key("type") => one.get("$ref"),
            _ => None,
        };
        let Some(reference) = source.get("$ref").or(alone).and_then(Value::as_str) else { return Ok(None) };
        let Some(definitions) = self.definitions else {
            return Err(place.error("$ref is not supported"));
        };
        let found = definitions.get(reference.rsplit('/').next().unwrap_or(reference))?;
        // A field may be owned in parts although its type is owned as a whole elsewhere, or the other way round.
        let atomic = text(source, "x-kubernetes-map-type").map(|kind| kind == "atomic");
        match (&found.shape, atomic) {
            (Shape::Object(object), Some(atomic)) if object.atomic != atomic => {
                let shape = Shape::Object(Object { atomic, ..object.clone() });
                Ok(Some(Arc::new(Schema { shape, ..found.as_ref().clone() })))
            }
            _ => Ok(Some(found)),
        }
    }

    fn plain(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<Schema, ParseError> {
        let (shape, untyped) = self.shape(source, place)?;
        let checks = self.checks(source, place)?;
        Ok(Schema {
            shape,
            untyped,
            nullable: flag(source, "nullable"),
            default: None,
            preserve_unknown: flag(source, "x-kubernetes-preserve-unknown-fields"),
            embedded: flag(source, "x-kubernetes-embedded-resource"),
            checks: (checks != Checks::default()).then(|| Box::new(checks)),
            strategic: Strategic::default(),
        })
    }

    fn shape(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<(Shape, bool), ParseError> {
        // Built-in types say it with a format, which means nothing in a custom schema.
        let by_format = self.definitions.is_some()
            && source.get("format").and_then(Value::as_str) == Some("int-or-string");
        if flag(source, "x-kubernetes-int-or-string") || by_format {
            return Ok((Shape::IntOrString, false));
        }
        let named = source.get("type").and_then(Value::as_str).unwrap_or_default();
        let shape = match named {
            "object" => Shape::Object(self.object(source, place)?),
            "array" => Shape::Array(self.array(source, place)?),
            "string" => Shape::String,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "boolean" => Shape::Boolean,
            "" => return self.untyped(source, place),
            other => return Err(place.error(format!("there is no type {other:?}"))),
        };
        Ok((shape, false))
    }

    /// A node without a type may still say what an object or a list has inside, if it is one.
    fn untyped(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<(Shape, bool), ParseError> {
        let has = |words: &[&str]| words.iter().any(|word| source.contains_key(*word));
        if has(&["properties", "additionalProperties", "required"]) {
            Ok((Shape::Object(self.object(source, place)?), true))
        } else if has(&["items"]) {
            Ok((Shape::Array(self.array(source, place)?), true))
        } else {
            Ok((Shape::Any, true))
        }
    }

    fn object(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<Object, ParseError> {
        let mut properties = BTreeMap::new();
        for (name, inner) in source.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let child = self.child(inner, &Place::Named(place, "properties", name))?;
            properties.insert(name.clone(), child);
        }
        let additional = match source.get("additionalProperties") {
            None | Some(Value::Null | Value::Bool(false)) => None,
            // What stands below it is known to nobody, and so is pruned.
            Some(Value::Bool(true)) => Some(Arc::default()),
            Some(inner) => Some(self.child(inner, &Place::Step(place, "additionalProperties"))?),
        };
        let atomic = text(source, "x-kubernetes-map-type").as_deref() == Some("atomic");
        Ok(Object { properties, additional, required: texts(source, "required"), atomic })
    }

    fn array(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<Array, ParseError> {
        let items = match source.get("items") {
            None | Some(Value::Null) => Arc::new(anything()),
            Some(inner) => self.child(inner, &Place::Step(place, "items"))?,
        };
        let list = match text(source, "x-kubernetes-list-type").as_deref() {
            Some("set") => List::Set,
            Some("map") => List::Map(texts(source, "x-kubernetes-list-map-keys")),
            _ => List::Atomic,
        };
        Ok(Array { items, list })
    }

    fn checks(&self, source: &Map<String, Value>, place: &Place<'_>) -> Result<Checks, ParseError> {
        let number = |word: &str| source.get(word).and_then(Value::as_f64);
        let count = |word: &str| source.get(word).and_then(Value::as_u64);
        let bound = |word: &str, exclusive: &str| number(word).map(|at| (at, flag(source, exclusive)));
        let many = |word: &str| -> Result<Vec<Schema>, ParseError> {
            let list = source.get(word).and_then(Value::as_array).into_iter().flatten().enumerate();
            list.map(|(index, inner)| self.node(inner, &Place::Nth(place, word, index))).collect()
        };
        let not = match source.get("not") {
            None | Some(Value::Null) => None,
            Some(inner) => Some(Box::new(self.node(inner, &Place::Step(place, "not"))?)),
        };
        let rules = source.get("x-kubernetes-validations").and_then(Value::as_array);
        Ok(Checks {
            format: text(source, "format").filter(|format| !format.is_empty()),
            allowed: source.get("enum").and_then(Value::as_array).cloned(),
            minimum: bound("minimum", "exclusiveMinimum"),
            maximum: bound("maximum", "exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            pattern: text(source, "pattern").filter(|pattern| !pattern.is_empty()),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            unique_items: flag(source, "uniqueItems"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            all_of: many("allOf")?,
            any_of: many("anyOf")?,
            one_of: many("oneOf")?,
            not,
            rules: rules.into_iter().flatten().filter_map(Value::as_object).map(rule).collect(),
        })
    }
}

fn rule(source: &Map<String, Value>) -> Rule {
    Rule {
        rule: text(source, "rule").unwrap_or_default(),
        message: text(source, "message").filter(|message| !message.is_empty()),
        message_expression: text(source, "messageExpression").filter(|expression| !expression.is_empty()),
        reason: text(source, "reason"),
        field_path: text(source, "fieldPath").filter(|path| !path.is_empty()),
        optional_old_self: flag(source, "optionalOldSelf"),
    }
}

fn strategic(source: &Map<String, Value>) -> Strategic {
    let words = text(source, "x-kubernetes-patch-strategy").unwrap_or_default();
    let has = |word: &str| words.split(',').any(|part| part.trim() == word);
    Strategic {
        merge: has("merge"),
        replace: has("replace"),
        retain_keys: has("retainKeys"),
        key: text(source, "x-kubernetes-patch-merge-key"),
    }
}

fn flag(source: &Map<String, Value>, word: &str) -> bool {
    source.get(word).and_then(Value::as_bool).unwrap_or_default()
}

fn text(source: &Map<String, Value>, word: &str) -> Option<String> {
    source.get(word).and_then(Value::as_str).map(str::to_owned)
}

fn texts(source: &Map<String, Value>, word: &str) -> Vec<String> {
    let list = source.get(word).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
