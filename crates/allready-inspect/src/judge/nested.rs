//! Lists of conditions below the top one: listeners, parents, ancestors, components.

use super::Rule;
use serde_json::{Map, Value};

use super::case::Case;
use super::conditions;
use super::listed::{Listed, read};
use super::signal::{Place, Signal, Worst, push_part};
use crate::health::Health::Progressing;

/// How many maps deep it is looked for lists.
const MAX_DEPTH: usize = 8;

/// The worst of what the lists say. A list in which nothing is understood has no summary yet, which counts unless
/// something above it speaks.
pub(super) fn judge<'a>(case: &Case<'a>, top_speaks: impl Fn() -> bool) -> Option<Signal<'a>> {
    let mut worst = Worst::default();
    each_list(case, &mut |path, list| {
        let signal = match conditions::judge(case, list) {
            Some(signal) => signal,
            None if top_speaks() => return,
            None => Signal::at(Progressing, Rule::NoSummaryYet, "").reason("NoSummaryYet"),
        };
        if worst.would_take(signal.health) {
            let place = match signal.place {
                Place::Condition(type_) => Place::Listed { list: path.to_owned(), type_ },
                _ => Place::Field(path.to_owned().into()),
            };
            worst.add(Signal { place, ..signal });
        }
    });
    worst.0
}

/// Whether a condition of one of these types is in some list.
pub(super) fn has_any(case: &Case<'_>, types: &[String]) -> bool {
    let mut found = false;
    each_list(case, &mut |_, list| {
        found |= list.iter().any(|one| types.iter().any(|type_| type_ == one.type_));
    });
    found
}

fn each_list<'a>(case: &Case<'a>, visit: &mut dyn FnMut(&str, &[Listed<'a>])) {
    let Some(status) = case.status else { return };
    let mut path = "status".to_owned();
    walk(case, status, &mut path, 0, visit);
}

fn walk<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &mut String,
    depth: usize,
    visit: &mut dyn FnMut(&str, &[Listed<'a>]),
) {
    if depth > MAX_DEPTH || !case.spend(1) {
        return;
    }
    for (key, value) in map {
        let above = path.len();
        match value {
            Value::Array(_) | Value::Object(_) if key == "conditions" && depth > 0 => {
                let list = read(case, Some(value));
                // Of a map of another meaning, nothing is read.
                if !list.is_empty() || value.is_array() {
                    path.push_str(".conditions");
                    visit(path, &list);
                }
            }
            _ if key == "conditions" => {}
            Value::Array(items) if is_list_of_conditions(key, items) => {
                push_part(path, key, None);
                visit(path, &read(case, Some(value)));
            }
            Value::Object(below) => {
                push_part(path, key, None);
                walk(case, below, path, depth + 1, visit);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let Value::Object(below) = item else { continue };
                    path.truncate(above);
                    // An item is called by its name, or by its place.
                    match below.get("name").and_then(Value::as_str) {
                        Some(name) => {
                            push_part(path, key, None);
                            path.extend(["[", name, "]"]);
                        }
                        None => push_part(path, key, Some(index)),
                    }
                    walk(case, below, path, depth + 1, visit);
                    if case.is_spent() {
                        break;
                    }
                }
            }
            _ => {}
        }
        path.truncate(above);
    }
}

/// `instanceConditions`: a list of another name, in which everything has a type and a status.
fn is_list_of_conditions(key: &str, items: &[Value]) -> bool {
    let is_condition = |item: &Value| item.get("type").is_some() && item.get("status").is_some();
    key.ends_with("Conditions") && !items.is_empty() && items.iter().all(is_condition)
}
