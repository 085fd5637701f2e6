//! `MutatingAdmissionPolicy`.
//!
//! Follows `pkg/admission/plugin/policy/mutating` (`dispatcher.go`, `patch/smd.go`, `patch/json_patch.go`). As upstream, what
//! a policy writes belongs to no field manager.

use kube_cel::cel::{Value as Cel, objects::Key};
use serde_json::{Map, Value, json};

use super::{
    expression::Expression,
    policy::{Invocation, Policies, Policy, Request},
    rounds::Rounds,
};
use crate::{
    fields, patch,
    status::{Cause, Failure, quote},
};

/// The mutations of a policy.
pub(super) struct Rules {
    mutations: Vec<Mutation>,
    /// Set if it is asked again after a later one has changed the object.
    reinvoked: bool,
}

enum Mutation {
    Apply(Expression),
    JsonPatch(Expression),
}

impl Rules {
    pub(super) fn read(spec: &Value) -> Self {
        let mutations = spec["mutations"].as_array().into_iter().flatten();
        let source = |it: &Value| it["expression"].as_str().unwrap_or_default().to_owned();
        Self {
            mutations: mutations
                .map(|it| match it["patchType"].as_str() {
                    Some("JSONPatch") => Mutation::JsonPatch(Expression::compile(&source(&it["jsonPatch"]))),
                    _ => Mutation::Apply(Expression::compile(&source(&it["applyConfiguration"]))),
                })
                .collect(),
            reinvoked: spec["reinvocationPolicy"] == "IfNeeded",
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.mutations.iter().map(Mutation::expression)
    }
}

impl Mutation {
    fn expression(&self) -> &Expression {
        match self {
            Self::Apply(expression) | Self::JsonPatch(expression) => expression,
        }
    }
}

/// Changes an object as policies want it; says whether any did. `settle` reads, prunes and fills in what was changed.
pub(super) fn mutate(
    policies: &Policies<Rules>,
    request: &Request<'_>,
    object: &mut Option<&mut Value>,
    settle: &dyn Fn(&mut Value) -> Result<(), String>,
    rounds: &mut Rounds,
) -> Result<bool, Failure> {
    let mut errors: Vec<(String, &'static str)> = Vec::new();
    let mut changed = false;
    let mut namespace = None;
    let before = object.as_deref().cloned();
    let invocations = policies.invocations(&Request { object: before.as_ref(), ..*request });
    for invocation in invocations {
        let invocation = match invocation {
            Ok(invocation) => invocation,
            Err(wrong) => {
                if wrong.policy.fails {
                    let binding = wrong.binding.map(|binding| binding.name.as_str());
                    errors.push((denied(&wrong.policy.name, binding, &wrong.message), ""));
                }
                continue;
            }
        };
        let namespace = match &namespace {
            Some(known) => known,
            None => namespace.insert(request.namespace_object()?),
        };
        let Invocation { policy, binding, .. } = &invocation;
        let mut fail = |error: &str| {
            if policy.fails {
                errors.push((denied(&policy.name, Some(&binding.name), error), "Invalid"));
            }
        };
        let depth = policy.depth(policy.rules.expressions());
        let now = object.as_deref().cloned();
        let request = Request { object: now.as_ref(), ..*request };
        let holds =
            request.evaluate(&invocation, depth, None, |evaluation| policy.conditions_hold(evaluation))?;
        match holds {
            Ok(true) => {}
            Ok(false) => continue,
            Err(error) => {
                fail(&error);
                continue;
            }
        }
        let name = |field: &str| {
            invocation.param.as_ref().map_or("", |it| it["metadata"][field].as_str().unwrap_or_default())
        };
        let key = format!("{}/{}/{}/{}", policy.name, binding.name, name("namespace"), name("name"));
        if rounds.again && !rounds.wanted.contains(&key) {
            continue;
        }
        let Some(object) = object.as_deref_mut() else { continue };
        let before = object.clone();
        for mutation in &policy.rules.mutations {
            match one(mutation, policy, &invocation, &request, object, namespace.as_ref()) {
                Ok(Some(mut new)) => match settle(&mut new) {
                    Ok(()) => *object = new,
                    Err(error) => fail(&error),
                },
                Ok(None) => {}
                Err(error) => fail(&error),
            }
        }
        if *object != before {
            changed = true;
            rounds.require();
        }
        if policy.rules.reinvoked {
            rounds.previous.insert(key);
        }
    }
    if changed {
        rounds.require();
    }
    rounds.output = object.as_deref().cloned();
    let Some((message, reason)) = errors.first() else { return Ok(changed) };
    let mut failure = request.attributes.forbidden(object.as_deref(), "");
    failure.message.clone_from(message);
    failure.reason = if reason.is_empty() { failure.reason } else { reason };
    let causes = errors.iter().map(|(message, _)| Cause { message: message.clone(), ..Cause::default() });
    failure.details.get_or_insert_default().causes.extend(causes);
    Err(failure)
}

fn denied(policy: &str, binding: Option<&str>, message: &str) -> String {
    match binding {
        Some(binding) => format!("policy '{policy}' with binding '{binding}' denied request: {message}"),
        None => format!("policy {} denied request: {message}", quote(policy)),
    }
}

/// The object after one mutation; nothing where that does not apply.
fn one(
    mutation: &Mutation,
    policy: &Policy<Rules>,
    invocation: &Invocation<'_, Rules>,
    request: &Request<'_>,
    object: &Value,
    namespace: Option<&Value>,
) -> Result<Option<Value>, String> {
    let request = Request { object: Some(object), ..*request };
    let depth = policy.depth(policy.rules.expressions());
    let expression = mutation.expression();
    let result = request.evaluate(invocation, depth, namespace, |evaluation| {
        evaluation.run(expression).map(|value| to_json(&value)).map_err(super::expression::Trouble::into_text)
    });
    let result = result.map_err(|failure| failure.message)??;
    let result = result.ok_or("the result cannot be written as JSON")?;
    // What a policy of another version makes is taken back to the version of the request.
    let matched = &invocation.matched;
    let there = request.in_version(Some(object), matched).map_err(|failure| failure.message)?;
    let there = there.unwrap_or_default();
    let made = match mutation {
        Mutation::Apply(_) => {
            let Value::Object(_) = result else {
                return Err("unsupported return type from ApplyConfiguration expression".to_owned());
            };
            let mut config = result;
            config["apiVersion"] = there["apiVersion"].clone();
            config["kind"] = there["kind"].clone();
            let version = matched.resource.version(&matched.version);
            let version = version.ok_or_else(|| format!("Resource kind {} not found.", matched.kind.kind))?;
            fields::lay_over(&there, &config, &version.schema)
                .map_err(|why| format!("error applying patch: {why}"))?
        }
        Mutation::JsonPatch(_) => {
            let read = patch::json::Patch::read(&result, false);
            match read.and_then(|patch| patch.apply(there.clone())) {
                Ok(made) => made,
                // Where a test fails, nothing is changed.
                Err(_) if fails_test(&result, &there) => return Ok(None),
                Err(failure) => return Err(format!("JSON Patch: {}", failure.message)),
            }
        }
    };
    request.back(made, matched).map(Some).map_err(|failure| failure.message)
}

/// Tells whether a patch stops at one of its tests.
fn fails_test(operations: &Value, object: &Value) -> bool {
    let list = operations.as_array().map(Vec::as_slice).unwrap_or_default();
    let applies = |end: usize| {
        let part = Value::Array(list.get(..end).unwrap_or_default().to_vec());
        patch::json::Patch::read(&part, false).and_then(|patch| patch.apply(object.clone())).is_ok()
    };
    let first = (1..=list.len()).find(|end| !applies(*end));
    first.and_then(|end| list.get(end - 1)).is_some_and(|operation| operation["op"] == "test")
}

/// A value of the language as JSON; `None` for one that has no such form.
fn to_json(value: &Cel) -> Option<Value> {
    Some(match value {
        Cel::Null => Value::Null,
        Cel::Bool(truth) => json!(truth),
        Cel::Int(number) => json!(number),
        Cel::UInt(number) => json!(number),
        Cel::Float(number) => json!(number),
        Cel::String(text) => json!(text.as_str()),
        Cel::List(items) => items.iter().map(to_json).collect::<Option<Vec<_>>>()?.into(),
        Cel::Map(map) => {
            let mut fields = Map::new();
            for (key, value) in map.map.iter() {
                let Key::String(key) = key else { return None };
                fields.insert(key.to_string(), to_json(value)?);
            }
            fields.into()
        }
        _ => return None,
    })
}
