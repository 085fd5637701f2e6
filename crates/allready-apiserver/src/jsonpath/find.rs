//! From steps and an object to values.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::Value;

use super::{DEEPEST, MOST, Mismatch, Slice, Step};

type Found<'a> = Vec<Cow<'a, Value>>;

pub(super) fn walk<'a>(input: Found<'a>, steps: &[Step], depth: usize) -> Result<Found<'a>, Mismatch> {
    if depth > DEEPEST {
        return Err(Mismatch::TooMuch);
    }
    let mut current = input;
    for step in steps {
        current = one(current, step, depth)?;
        if current.len() > MOST {
            return Err(Mismatch::TooMuch);
        }
    }
    Ok(current)
}

fn one<'a>(input: Found<'a>, step: &Step, depth: usize) -> Result<Found<'a>, Mismatch> {
    match step {
        Step::Field(name) => Ok(input.into_iter().filter_map(|value| field(value, name)).collect()),
        Step::Wildcard => Ok(input.into_iter().flat_map(children).collect()),
        Step::Recursive => {
            let mut found = Vec::new();
            for value in input {
                descend(value, depth, &mut found)?;
            }
            Ok(found)
        }
        Step::Constant(value) => Ok(match value {
            // A text stands for itself once, numbers and booleans once an input: what comparisons see is the same.
            Value::String(_) => vec![Cow::Owned(value.clone())],
            _ => input.iter().map(|_| Cow::Owned(value.clone())).collect(),
        }),
        Step::Identifier => Err(Mismatch::Word),
        Step::Union(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(walk(input.clone(), part, depth + 1)?);
            }
            Ok(found)
        }
        Step::Slice(slice) => {
            let mut found = Vec::new();
            for value in input {
                if value.is_null() {
                    continue;
                }
                let length = value.as_array().ok_or(Mismatch::NoList)?.len();
                let Some((start, end, by)) = bounds(*slice, length)? else { return Ok(found) };
                found.extend(children(value).into_iter().take(end).skip(start).step_by(by));
            }
            Ok(found)
        }
        Step::Exists(left) => {
            filter(input, |item| Ok(walk(vec![item], left, depth + 1).is_ok_and(|found| !found.is_empty())))
        }
        Step::Filter { left, operator, right } => filter(input, |item| {
            let Some(left) = single(walk(vec![item.clone()], left, depth + 1)?)? else { return Ok(false) };
            let Some(right) = single(walk(vec![item], right, depth + 1)?)? else { return Ok(false) };
            holds(&left, operator, &right)
        }),
    }
}

fn field<'a>(value: Cow<'a, Value>, name: &str) -> Option<Cow<'a, Value>> {
    match value {
        Cow::Borrowed(value) => value.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.get(name).cloned().map(Cow::Owned),
    }
}

fn children(value: Cow<'_, Value>) -> Found<'_> {
    match value {
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Object(fields)) => fields.values().map(Cow::Borrowed).collect(),
        Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
        _ => Vec::new(),
    }
}

/// Everything that holds something, itself included, from the outside in.
fn descend<'a>(value: Cow<'a, Value>, depth: usize, found: &mut Found<'a>) -> Result<(), Mismatch> {
    if depth > DEEPEST || found.len() > MOST {
        return Err(Mismatch::TooMuch);
    }
    let inside = children(value.clone());
    if !inside.is_empty() || value.as_str().is_some_and(|text| !text.is_empty()) {
        found.push(value);
    }
    inside.into_iter().try_for_each(|child| descend(child, depth + 1, found))
}

fn filter<'a>(
    input: Found<'a>,
    keeps: impl Fn(Cow<'a, Value>) -> Result<bool, Mismatch>,
) -> Result<Found<'a>, Mismatch> {
    let mut found = Vec::new();
    for value in input {
        if !value.is_array() {
            return Err(Mismatch::NoList);
        }
        for item in children(value) {
            if keeps(item.clone())? {
                found.push(item);
            }
        }
    }
    Ok(found)
}

fn single(found: Found<'_>) -> Result<Option<Cow<'_, Value>>, Mismatch> {
    if found.len() > 1 { Err(Mismatch::Incomparable) } else { Ok(found.into_iter().next()) }
}

/// Where a slice starts and ends in a list of this length, and how far a step goes; `None` when it asks for nothing.
fn bounds(slice: Slice, length: usize) -> Result<Option<(usize, usize, usize)>, Mismatch> {
    let length = i64::try_from(length).map_err(|_| Mismatch::TooMuch)?;
    let given = slice.start.unwrap_or(0);
    let start = if given < 0 { given + length } else { given };
    let end = match slice.end {
        _ if slice.single => given.saturating_add(1),
        Some(end) => end,
        None => length,
    };
    let end = if end < 0 || (end == 0 && slice.single) { end + length } else { end };
    if start == end {
        return Ok(None);
    }
    let step = slice.step.unwrap_or(1);
    if start < 0 || start >= length || end < 0 || end > length || start > end || step <= 0 {
        return Err(Mismatch::OutOfBounds);
    }
    let whole = |number| usize::try_from(number).map_err(|_| Mismatch::OutOfBounds);
    Ok(Some((whole(start)?, whole(end)?, whole(step)?)))
}

fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, Mismatch> {
    let equality = matches!(operator, "==" | "!=");
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) if equality => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()).ok_or(Mismatch::Incomparable)?,
            _ => return Err(Mismatch::Incomparable),
        },
        _ => return Err(Mismatch::Incomparable),
    };
    match operator {
        "==" => Ok(order == Ordering::Equal),
        "!=" => Ok(order != Ordering::Equal),
        "<" => Ok(order == Ordering::Less),
        "<=" => Ok(order != Ordering::Greater),
        ">" => Ok(order == Ordering::Greater),
        ">=" => Ok(order != Ordering::Less),
        _ => Err(Mismatch::Incomparable),
    }
}
