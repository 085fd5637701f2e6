//! Whether a value can be owned at all: it must be of the shape that the schema says, to the depth that ownership sees.

use serde_json::Value;

use super::{MAP, SCALAR, Scalar, Type, item};
use crate::{
    fields::{path::PathElement, value},
    schema::List,
};

/// Deeper than any object that a server accepts.
const DEEPEST: usize = 256;

/// What is wrong with a value, one entry a mistake: where, and what.
type Mistakes = Vec<(String, String)>;

/// Checks a whole object. The error is one text, whatever the number of mistakes.
pub(crate) fn validate(object: &Value, root: Type<'_>, duplicates: Duplicates) -> Result<(), String> {
    let mut walker = Walker { duplicates, path: Vec::new(), mistakes: Vec::new() };
    walker.value(object, root);
    let line = |(path, text): &(String, String)| {
        if path.is_empty() { text.clone() } else { format!("{path}: {text}") }
    };
    match walker.mistakes.as_slice() {
        [] => Ok(()),
        [one] => Err(line(one)),
        many => {
            let lines: Vec<_> = many.iter().map(|mistake| format!("  {}", line(mistake))).collect();
            Err(format!("errors:\n{}", lines.join("\n")))
        }
    }
}

/// Whether two items of a list may be the same: in what is stored, but not in what is applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duplicates {
    Allowed,
    Refused,
}

struct Walker<'a> {
    duplicates: Duplicates,
    path: Vec<Step<'a>>,
    mistakes: Mistakes,
}

/// A step that becomes text only when there is something to say.
enum Step<'a> {
    Field(&'a str),
    Element(PathElement<'a>),
}

impl<'a> Walker<'a> {
    fn report(&mut self, text: String) {
        let step = |step: &Step<'_>| match step {
            Step::Field(name) => format!(".{name}"),
            Step::Element(element) => element.to_string(),
        };
        self.mistakes.push((self.path.iter().map(step).collect(), text));
    }

    fn value(&mut self, value: &'a Value, kind: Type<'a>) {
        if self.path.len() > DEEPEST {
            return self.report("exceeded max depth".into());
        }
        match kind.forms_for(Some(value)) {
            forms if forms & MAP != 0 => self.map(value, kind),
            forms if forms & SCALAR != 0 => self.scalar(value, kind.scalar()),
            0 => self.report("schema error: invalid atom: inlined".into()),
            _ => self.list(value, kind),
        }
    }

    fn scalar(&mut self, value: &Value, scalar: Scalar) {
        match (scalar, value) {
            (_, Value::Null)
            | (Scalar::Number, Value::Number(_))
            | (Scalar::Text, Value::String(_))
            | (Scalar::Boolean, Value::Bool(_))
            | (Scalar::Any, Value::Number(_) | Value::String(_) | Value::Bool(_)) => {}
            (Scalar::Number, other) => {
                self.report(format!("expected numeric (int or float), got {}", value::type_name(other)));
            }
            (Scalar::Text, other) => {
                let code = value::printed_as_code(other);
                self.report(format!("expected string, got &value.valueUnstructured{{Value:{code}}}"));
            }
            (Scalar::Boolean, other) => {
                self.report(format!("expected boolean, got &{{{}}}", value::printed(other)));
            }
            (Scalar::Any, other) => {
                self.report(format!("expected any scalar, got &{{{}}}", value::printed(other)));
            }
        }
    }

    fn map(&mut self, value: &'a Value, kind: Type<'a>) {
        let map = match value {
            Value::Object(map) => map,
            Value::Null => return,
            other => return self.report(format!("expected map, got &{{{}}}", value::printed(other))),
        };
        let kind = kind.map();
        for (key, value) in map {
            if kind.is_bookkeeping(key) {
                continue;
            }
            let (below, declared) = kind.field(key);
            self.path.push(Step::Field(key));
            if !declared && matches!(below, Type::Nothing) {
                self.report("field not declared in schema".into());
                self.path.pop();
                return;
            }
            self.value(value, below);
            self.path.pop();
        }
    }

    fn list(&mut self, value: &'a Value, kind: Type<'a>) {
        let items = match value {
            Value::Array(items) => items,
            Value::Null => return,
            other => return self.report(format!("expected list, got &{{{}}}", value::printed(other))),
        };
        let kind = kind.list();
        let mut seen: Vec<PathElement<'a>> = Vec::new();
        for (index, one) in items.iter().enumerate() {
            let element = if *kind.list == List::Atomic {
                PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
            } else {
                match item::element(kind, one) {
                    Ok(element) => element,
                    Err(text) => return self.report(format!("element {index}: {text}")),
                }
            };
            if self.duplicates == Duplicates::Refused && *kind.list != List::Atomic {
                match seen.binary_search(&element) {
                    Ok(_) => self.report(format!("duplicate entries for key {element}")),
                    Err(place) => seen.insert(place, element.clone()),
                }
            }
            self.path.push(Step::Element(element));
            self.value(one, kind.items);
            self.path.pop();
        }
    }
}
