//! Generations that conditions, parts of an object, or what it points to, have observed.

use super::Rule;
use crate::view::{Path, Step, item, number};
use crate::words::Flat;
use serde_json::{Map, Value};

use super::case::{Case, ITEM, behind};
use super::listed::{Listed, Said};
use super::signal::{Place, Signal};
use super::states::is_skipped;
use crate::registry::{ConditionRole, Semantics};

/// The depth to which they are looked for.
const MAX_DEPTH: usize = 2;

/// The first that is behind: a pair of fields, a field and an annotation, or one part of several that count the object's own generations.
pub(super) fn behind_below<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    look(case, case.status?, &mut case.view.status_path(), 0)
}

fn look<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &mut Path<'a>,
    depth: usize,
) -> Option<Signal<'a>> {
    for (key, value) in map {
        let parts = match value {
            Value::Object(_) => std::slice::from_ref(value),
            Value::Array(items) => items.as_slice(),
            Value::Number(_) | Value::String(_) if key.ends_with("eneration") => {
                if let Some(signal) = pair(case, map, key, value, path) {
                    return Some(signal);
                }
                continue;
            }
            _ => continue,
        };
        if depth == MAX_DEPTH || !parts.iter().any(Value::is_object) || is_skipped(key) {
            continue;
        }
        if let Some(signal) = one_of_many(case, key, parts, path) {
            return Some(signal);
        }
        path.push(Step::Field(key));
        for part in parts.iter().filter_map(Value::as_object) {
            if !case.spend(ITEM) {
                return None;
            }
            if let Some(signal) = look(case, part, path, depth + 1) {
                return Some(signal);
            }
        }
        path.pop();
    }
    None
}

/// `observedGeneration` beside `generation`, or `workloadObservedGeneration` beside `workloadGeneration` or an annotation
/// `example.com/workload-generation`.
fn pair<'a>(
    case: &Case<'a>,
    map: &Map<String, Value>,
    key: &'a str,
    value: &Value,
    path: &Path<'a>,
) -> Option<Signal<'a>> {
    let flat = Flat::of(key);
    let (before, after) = flat.as_str().split_once("observed")?;
    let of = after.strip_suffix("generation").map(|after| [before, after].concat())?;
    let is_top = path.steps().len() <= 1;
    if of.is_empty() && is_top {
        return None;
    }
    let observed = number(value)?;
    let wanted =
        ["", "desired", "target", "latest"].iter().map(|which| format!("{which}{of}generation")).find_map(
            |name| by_name(map, &name).or_else(|| if is_top { by_annotation(case, &name) } else { None }),
        )?;
    let place = Place::Path(path.join(Step::Field(key)));
    (observed < wanted).then(|| Signal {
        place,
        rule: Rule::PartBehind,
        ..behind(Place::Fields(""), observed, wanted)
    })
}

fn by_name(map: &Map<String, Value>, name: &str) -> Option<i64> {
    let is = |key: &str| key.ends_with("eneration") && Flat::of(key).as_str() == name;
    map.iter().find(|(key, _)| is(key)).and_then(|(_, value)| number(value))
}

fn by_annotation(case: &Case<'_>, name: &str) -> Option<i64> {
    let annotations = case.metadata?.get("annotations")?.as_object()?;
    let is = |key: &str| Flat::of(key.rsplit('/').next().unwrap_or(key)).as_str() == name;
    annotations
        .iter()
        .find(|(key, _)| key.ends_with("eneration") && is(key))
        .and_then(|(_, value)| number(value))
}

/// A part is behind where another part of the same list is at the object's own generation: that is what they count.
fn one_of_many<'a>(case: &Case<'a>, key: &'a str, parts: &'a [Value], path: &Path<'a>) -> Option<Signal<'a>> {
    let generation = case.generation.filter(|_| parts.len() > 1)?;
    let observed = |part: &Value| part.get("observedGeneration").and_then(number);
    if !parts.iter().any(|part| observed(part) == Some(generation)) {
        return None;
    }
    let late = |part: &Value| observed(part).filter(|observed| *observed < generation);
    let (index, observed) = parts.iter().enumerate().find_map(|(index, part)| Some((index, late(part)?)))?;
    let list = path.join(Step::Field(key));
    let place = Place::Path(list.join(item(&parts[index], index)).join(Step::Field("observedGeneration")));
    Some(Signal { place, rule: Rule::PartBehind, ..behind(Place::Fields(""), observed, generation) })
}

/// Tells whether a condition is about an older wish.
pub(super) fn is_behind(case: &Case<'_>, condition: Listed<'_>) -> bool {
    let observed = condition.observed();
    matches!((observed, case.generation), (Some(observed), Some(generation)) if observed < generation)
}

/// The rank of what says that the whole is good, and says so of the present wish.
pub(super) fn vouches(case: &Case<'_>, condition: Listed<'_>) -> Option<u8> {
    let observed = condition.observed();
    let is_current = matches!((observed, case.generation), (Some(seen), Some(wanted)) if seen >= wanted);
    let semantics = case.kind.condition(condition.type_);
    let is_good =
        semantics.role == ConditionRole::Summary && semantics.is_positive() && condition.said() == Said::True;
    (is_current && is_good).then_some(semantics.rank)
}

/// A part, or a lesser summary, that was good once and has not been looked at since: `Installed` beside `Ready`.
pub(super) fn is_old_step(case: &Case<'_>, condition: Listed<'_>, semantics: Semantics, voucher: u8) -> bool {
    let is_lesser = match semantics.role {
        ConditionRole::Dependent => true,
        ConditionRole::Summary => semantics.rank > voucher,
        _ => false,
    };
    is_lesser && semantics.is_positive() && condition.said() == Said::True && is_behind(case, condition)
}
