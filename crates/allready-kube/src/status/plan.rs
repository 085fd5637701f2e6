//! What has to be written: a pure function over the stored object, what the reconcile said, and the time.

use std::sync::Arc;

use allready_core::{
    Condition, Message, Reason, Time,
    damping::{Damping, DampingMemory},
    set::{At, Marks},
    transition::{self, Transition},
};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{
    Field, FieldMap, FieldProblem, ReasonedError, ReconcileTime,
    conditions::{self, Held, Rules},
    json, owners,
};

/// An object as it is stored: as much of it as a status depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stored {
    pub(super) uid: Option<String>,
    pub(super) version: Option<String>,
    /// The generation; a status about a newer one than this tells of what nobody can have seen.
    pub(super) generation: Option<i64>,
    pub(super) status: Value,
    /// The `managedFields`, where they were not taken out.
    pub(super) managed: Value,
}

impl Stored {
    /// Tells whether this is a generation that the object does not have yet. Whoever claims to have seen it could otherwise
    /// keep the controller from ever being heard.
    pub(super) fn is_ahead(&self, observed: i64) -> bool {
        self.generation.is_some_and(|generation| observed > generation)
    }

    /// What an object says as JSON.
    pub(super) fn read(object: &Value) -> Self {
        let metadata = |name: &str| Some(object.get("metadata")?.get(name)?.as_str()?.to_owned());
        let status = object.get("status").cloned().unwrap_or_default();
        Self {
            uid: metadata("uid"),
            version: metadata("resourceVersion"),
            generation: object.pointer("/metadata/generation").and_then(Value::as_i64),
            status: json::without_nulls(status),
            managed: object.pointer("/metadata/managedFields").cloned().unwrap_or_default(),
        }
    }
}

/// Everything that a reconcile has to say, without the types of its object.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) uid: Option<String>,
    pub(super) at: At,
    pub(super) reason: Option<Reason>,
    pub(super) message: Option<Message>,
    pub(super) marks: Marks,
    pub(super) end: End,
    pub(super) edits: Edits,
}

/// The end of a reconcile.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It came to its end.
    Finished,
    /// An error ended it.
    Failed(ReasonedError),
    /// Somebody stopped waiting for it.
    Cancelled,
}

impl Said {
    pub(super) fn error(&self) -> Option<&ReasonedError> {
        match &self.end {
            End::Failed(error) => Some(error),
            End::Finished | End::Cancelled => None,
        }
    }

    /// Tells whether there is nothing to write but times and generations.
    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
            && self.edits == Edits::default()
            && self.reason.is_none()
            && self.message.is_none()
    }

    fn reason(&self) -> Option<Reason> {
        self.reason.clone().or_else(|| self.error()?.reason().cloned())
    }

    fn message(&self) -> Option<Message> {
        self.message.clone().or_else(|| Some(Message::new(self.error()?.to_string())))
    }
}

/// How the updater was built.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) fields: FieldMap,
    pub(super) rules: Rules,
    pub(super) damping: Option<Arc<Damping>>,
    /// The field manager that writes.
    pub(super) manager: String,
    pub(super) reconcile_time: ReconcileTime,
    /// The status of an object that has none yet, and what a field goes back to when it is cleared.
    pub(super) blank: Value,
}

/// The parts of an updater that its user wrote.
#[derive(Default)]
pub(super) struct Functions<'a> {
    pub(super) phase: Option<&'a Phase<'a>>,
    pub(super) edit: Option<&'a Edit<'a>>,
}

type Phase<'a> = dyn Fn(&[Condition]) -> Result<Value, ReasonedError> + 'a;
type Edit<'a> = dyn Fn(&mut Value, &[Condition]) -> Result<(), ReasonedError> + 'a;

/// What to do.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) verdict: Verdict,
    /// The status as it should be.
    pub(super) status: Value,
    /// Which conditions take another status by it.
    pub(super) transitions: Vec<Transition>,
    /// What the user's functions failed with.
    pub(super) errors: Vec<ReasonedError>,
    pub(super) held: Held,
}

/// Whether to write.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// This merge patch of the status.
    Write(Value),
    /// The stored status says all that.
    Unchanged,
    /// The stored status is about a newer generation.
    Outdated,
    /// The stored object is another one of the same name.
    Replaced,
}

/// What was changed in the status of the object in memory during the reconcile.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Edits {
    rest: Option<Value>,
    conditions: Vec<(String, Option<Value>)>,
}

impl Edits {
    /// What has to be done to one status to get the other; to conditions, type by type.
    pub(super) fn between(old: &Value, new: &Value, fields: &FieldMap) -> Self {
        let Some(path) = fields.path(Field::Conditions) else {
            return Self { rest: json::difference(old, new), conditions: Vec::new() };
        };
        let list =
            |status: &Value| json::get(status, path).and_then(Value::as_array).cloned().unwrap_or_default();
        let (before, after) = (list(old), list(new));
        let find = |list: &[Value], type_: &str| {
            list.iter().find(|entry| conditions::type_of(entry) == type_).cloned()
        };
        let mut conditions: Vec<_> = after
            .iter()
            .filter(|entry| find(&before, conditions::type_of(entry)).as_ref() != Some(entry))
            .map(|entry| (conditions::type_of(entry).to_owned(), Some(entry.clone())))
            .collect();
        let gone = before.iter().map(conditions::type_of).filter(|type_| find(&after, type_).is_none());
        conditions.extend(gone.map(|type_| (type_.to_owned(), None)));
        let without = |status: &Value| {
            let mut status = status.clone();
            json::remove(&mut status, path);
            status
        };
        Self { rest: json::difference(&without(old), &without(new)), conditions }
    }

    fn apply(&self, status: &mut Value, fields: &FieldMap) -> Result<(), FieldProblem> {
        if let Some(rest) = &self.rest {
            json::merge(status, rest.clone());
        }
        if self.conditions.is_empty() {
            return Ok(());
        }
        let mut list = list(status, fields)?;
        for (type_, entry) in &self.conditions {
            list.retain(|old| conditions::type_of(old) != type_);
            list.extend(entry.clone());
        }
        put(status, fields, Field::Conditions, Value::Array(list))
    }
}

/// What has to be done for the stored object to say what the reconcile came to.
pub(super) fn plan(
    stored: &Stored,
    said: &Said,
    options: &Options,
    functions: &Functions<'_>,
    damping: DampingMemory,
) -> Result<Plan, FieldProblem> {
    let (fields, At { generation, now, .. }) = (&options.fields, said.at);
    let mut held = Held { damping, look_again: None };
    let as_it_is = |verdict, held| Plan {
        verdict,
        status: stored.status.clone(),
        transitions: Vec::new(),
        errors: Vec::new(),
        held,
    };
    if let (Some(theirs), Some(ours)) = (&stored.uid, &said.uid)
        && theirs != ours
    {
        return Ok(as_it_is(Verdict::Replaced, held));
    }
    let observed = fields.read(Field::ObservedGeneration, &stored.status)?.and_then(Value::as_i64);
    let is_newer = |observed: i64| observed > generation.get() && !stored.is_ahead(observed);
    if !generation.is_none() && observed.is_some_and(is_newer) {
        return Ok(as_it_is(Verdict::Outdated, held));
    }

    let mut errors = Vec::new();
    let mut status = if stored.status.is_null() { options.blank.clone() } else { stored.status.clone() };
    said.edits.apply(&mut status, fields)?;
    // A reconcile that was cancelled speaks of its marks alone.
    if !matches!(said.end, End::Cancelled) {
        if !generation.is_none() {
            put(&mut status, fields, Field::ObservedGeneration, json!(generation))?;
        }
        put_or_clear(&mut status, options, Field::Message, said.message().map(|message| json!(message)))?;
        put_or_clear(&mut status, options, Field::Reason, said.reason().map(|reason| json!(reason)))?;
    }
    update_conditions(&mut status, stored, said, options, &mut held)?;

    let list = conditions::legal(fields.read(Field::Conditions, &status)?, now);
    if let (Some(phase), Some(_)) = (functions.phase, fields.path(Field::Phase)) {
        let phase = phase(&list).map_err(|error| errors.push(error.context("error computing phase"))).ok();
        put_or_clear(&mut status, options, Field::Phase, phase)?;
    }
    if let Some(edit) = functions.edit {
        let mut edited = status.clone();
        match edit(&mut edited, &list) {
            Ok(()) => status = json::without_nulls(edited),
            Err(error) => errors.push(error.context("error in the custom update of the status")),
        }
    }

    let changed = json::difference(&stored.status, &status).is_some();
    let reconciled = fields.read(Field::LastReconcileTime, &stored.status)?.and_then(Value::as_str);
    if options.reconcile_time.moves(reconciled.and_then(|text| text.parse().ok()), changed, now) {
        put(&mut status, fields, Field::LastReconcileTime, json!(now))?;
    }
    let before = conditions::legal(fields.read(Field::Conditions, &stored.status)?, now);
    let after = conditions::legal(fields.read(Field::Conditions, &status)?, now);
    let verdict = match json::difference(&stored.status, &status) {
        Some(patch) => Verdict::Write(patch),
        None => Verdict::Unchanged,
    };
    Ok(Plan { verdict, status, transitions: transition::diff(&before, &after), errors, held })
}

fn update_conditions(
    status: &mut Value,
    stored: &Stored,
    said: &Said,
    options: &Options,
    held: &mut Held,
) -> Result<(), FieldProblem> {
    let Some(path) = options.fields.path(Field::Conditions) else { return Ok(()) };
    let others = owners::others(&stored.managed, path, &options.manager);
    let list = list(status, &options.fields)?;
    let is_ahead = |observed| stored.is_ahead(observed);
    let damping = options.damping.as_deref();
    match conditions::update(&list, said, &options.rules, &others, &is_ahead, damping, held) {
        Some(new) => put(status, &options.fields, Field::Conditions, Value::Array(new)),
        None => Ok(()),
    }
}

fn list(status: &Value, fields: &FieldMap) -> Result<Vec<Value>, FieldProblem> {
    let list = fields.read(Field::Conditions, status)?;
    Ok(list.and_then(Value::as_array).cloned().unwrap_or_default())
}

/// Puts a value where a field is; nowhere, if it is switched off.
fn put(status: &mut Value, fields: &FieldMap, field: Field, value: Value) -> Result<(), FieldProblem> {
    let Some(path) = fields.path(field) else { return Ok(()) };
    fields.read(field, status)?;
    json::set(status, path, value).map_err(|steps| {
        let way = path.get(..steps).unwrap_or_default();
        let found = json::get(status, way).unwrap_or(&Value::Null);
        FieldProblem::new(way, found, "an object")
    })
}

fn put_or_clear(
    status: &mut Value,
    options: &Options,
    field: Field,
    value: Option<Value>,
) -> Result<(), FieldProblem> {
    let Some(path) = options.fields.path(field) else { return Ok(()) };
    if let Some(value) = value.or_else(|| json::get(&options.blank, path).cloned()) {
        return put(status, &options.fields, field, value);
    }
    options.fields.read(field, status)?;
    json::remove(status, path);
    Ok(())
}

impl ReconcileTime {
    /// Whether the time of the last reconcile moves to now.
    pub(super) fn moves(self, last: Option<Time>, changed: bool, now: Time) -> bool {
        match self {
            Self::Precise => true,
            Self::Off => false,
            Self::Coarse(age) => {
                let age = SignedDuration::try_from(age).unwrap_or(SignedDuration::MAX);
                changed || last.is_none_or(|last| now.since(last) >= age)
            }
        }
    }
}
