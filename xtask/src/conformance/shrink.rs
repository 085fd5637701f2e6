//! From a sequence that shows a difference to a short one that still does.

use std::future::Future;

use serde_json::Value;

use super::script::{Script, Step};

/// How many tries a shrink may cost.
const TRIES: usize = 400;

/// The smallest sequence found for which `differs` still holds.
pub async fn shrink<F, R>(script: &Script, mut differs: F) -> Script
where
    F: FnMut(Script) -> R,
    R: Future<Output = bool>,
{
    let mut best = script.clone();
    let mut tries = 0;
    loop {
        let before = (best.steps.len(), weight(&best));
        let mut size = best.steps.len() / 2;
        while size >= 1 {
            let mut start = 0;
            while start < best.steps.len() && tries < TRIES {
                let end = (start + size).min(best.steps.len());
                let mut candidate = best.clone();
                candidate.steps.drain(start..end);
                tries += 1;
                if !candidate.steps.is_empty() && differs(candidate.clone()).await {
                    best = candidate;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
        for index in 0..best.steps.len() {
            let mut place = 0;
            while tries < TRIES {
                let Some(candidate) = best.steps.get(index).and_then(|step| simpler(step, place)) else {
                    break;
                };
                let mut next = best.clone();
                next.steps[index] = candidate;
                tries += 1;
                if differs(next.clone()).await {
                    best = next;
                } else {
                    place += 1;
                }
            }
        }
        if tries >= TRIES || (best.steps.len(), weight(&best)) == before {
            return best;
        }
    }
}

/// The step with the part of its body at `place` taken out; parts are counted from the outside in.
fn simpler(step: &Step, place: usize) -> Option<Step> {
    let body = step.body.as_ref()?;
    let mut parts = Vec::new();
    collect(body, &mut Vec::new(), &mut parts);
    parts.sort_by_key(Vec::len);
    let mut simpler = step.clone();
    remove(simpler.body.as_mut()?, parts.get(place)?);
    Some(simpler)
}

fn collect(value: &Value, at: &mut Vec<String>, parts: &mut Vec<Vec<String>>) {
    let names: Vec<String> = match value {
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(items) => (0..items.len()).map(|index| index.to_string()).collect(),
        _ => Vec::new(),
    };
    for name in names {
        // Without these a body is another request, not a simpler one.
        let needed = matches!(name.as_str(), "apiVersion" | "kind" | "$from" | "op" | "path");
        let inner = match value {
            Value::Object(fields) => fields.get(&name),
            Value::Array(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        at.push(name);
        if !needed {
            parts.push(at.clone());
        }
        if let Some(inner) = inner {
            collect(inner, at, parts);
        }
        at.pop();
    }
}

fn remove(value: &mut Value, at: &[String]) {
    let Some((name, rest)) = at.split_first() else { return };
    match value {
        Value::Object(fields) if rest.is_empty() => drop(fields.remove(name)),
        Value::Object(fields) => {
            if let Some(inner) = fields.get_mut(name) {
                remove(inner, rest);
            }
        }
        Value::Array(items) => {
            let Ok(index) = name.parse::<usize>() else { return };
            if rest.is_empty() && index < items.len() {
                items.remove(index);
            } else if let Some(inner) = items.get_mut(index) {
                remove(inner, rest);
            }
        }
        _ => {}
    }
}

fn weight(script: &Script) -> usize {
    script.steps.iter().filter_map(|step| step.body.as_ref()).map(|body| body.to_string().len()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_sequence_shrinks_to_the_step_and_the_field_that_matter() {
        let step = |body: Value| Step { body: Some(body), ..Step::default() };
        let script = Script {
            steps: (0..20)
                .map(|number| step(json!({ "spec": { "a": number, "b": [1, 2, { "c": 3 }] } })))
                .collect(),
            ..Script::default()
        };
        let shrunk = shrink(&script, |candidate| async move {
            candidate
                .steps
                .iter()
                .any(|step| step.body.as_ref().and_then(|body| body.pointer("/spec/a")) == Some(&json!(13)))
        })
        .await;
        let bodies: Vec<_> = shrunk.steps.into_iter().filter_map(|step| step.body).collect();
        assert_eq!(bodies, [json!({ "spec": { "a": 13 } })]);
    }
}
