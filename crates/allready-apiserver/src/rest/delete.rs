//! delete and deletecollection: what goes at once, what is only marked, and what waits for its dependents.

use std::{cell::RefCell, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Answer, Body, Engine, ListBody, Scope, convert, decode, finish,
    keeper::Task,
    key, meta,
    options::{DeleteOptions, ListOptions, seconds},
};
use crate::{
    resource::{Registry, Resource, Version},
    status::Failure,
    store::{Expect, Stored},
};

/// The finalizer under which a definition waits for its objects to go.
pub(super) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// A check that may refuse the removal of an object.
type Check<'a> = &'a dyn Fn(&Value) -> Result<(), Failure>;

/// The one who removes an object.
#[derive(Clone, Copy)]
pub(super) struct Remover<'a> {
    /// The version that a custom object is removed through, where a client does it.
    pub(super) through: Option<&'a Version>,
    /// Refuses the removal of an object.
    pub(super) check: Option<Check<'a>>,
}

impl Remover<'_> {
    /// The server itself, which asks nobody.
    pub(super) const SERVER: Self = Self { through: None, check: None };
}

/// What became of an object.
pub(super) enum Removal {
    /// It is gone; this was its last state.
    Gone(Value),
    /// It is marked, and waits.
    Marked(Value),
    /// It was waiting already.
    Waiting(Value),
}

impl Scope<'_> {
    /// Removes one object.
    pub(super) fn delete(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        let options = self.delete_options()?;
        self.warn_of_orphans(&options, warnings);
        let immortal = ["default", "kube-system", "kube-public"];
        if self.is("", "namespaces") && immortal.contains(&self.name()) {
            return Err(Failure::forbidden("namespaces", self.name(), "this namespace may not be deleted"));
        }
        let now = self.call.now;
        self.spot()?;
        let warned = RefCell::default();
        let removal = self.remove(self.namespace(), self.name(), &options, &warned);
        warnings.append(&mut warned.take());
        let removal = removal?;
        let (object, gone) = match &removal {
            Removal::Gone(object) => (object, true),
            Removal::Marked(object) | Removal::Waiting(object) => (object, false),
        };
        let code = if !gone && options.orphan == Some(false) { 202 } else { 200 };
        let waiting = matches!(removal, Removal::Waiting(_));
        let answer = if (gone || waiting) && !self.returns_deleted() {
            let body = self.gone_status(object).to_string().into();
            Answer::new(code, Body::Status(body))
        } else {
            let shown = convert::served_value(self.resource, self.version, object.clone())?;
            Answer::object(code, shown.to_string().into())
        };
        if !options.dry_run {
            self.engine.keep(self.follow_up(&removal), now);
        }
        Ok(answer)
    }

    /// Removes an object unless admission refuses that.
    fn remove(
        &self,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
        warnings: &RefCell<Vec<String>>,
    ) -> Result<Removal, Failure> {
        let check = |old: &Value| self.admit_removal(old, options, &mut warnings.borrow_mut());
        let remover =
            Remover { through: Some(self.version).filter(|_| self.is_custom()), check: Some(&check) };
        self.engine.remove(self.resource, remover, namespace, name, options, self.call.now)
    }

    fn follow_up(&self, removal: &Removal) -> Vec<Task> {
        Engine::tasks_after(self.resource, self.namespace(), removal)
    }

    fn delete_options(&self) -> Result<DeleteOptions, Failure> {
        decode::check_size(self.call)?;
        if self.call.body.is_empty() {
            return DeleteOptions::read(self.call, None);
        }
        let parsed = match self.call.content_type.as_str() {
            "" | "application/json" => super::json::parse(&self.call.body).map_err(|error| {
                Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}"))
            })?,
            "application/yaml" => super::yaml::parse(&self.call.body).map_err(Failure::bad_request)?,
            _ => {
                let accepted =
                    ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
                return Err(Failure::unsupported_media_type(&accepted));
            }
        };
        let body = parsed.value;
        let kind = body["kind"].as_str().unwrap_or("DeleteOptions");
        let api_version =
            body["apiVersion"].as_str().filter(|text| !text.is_empty()).unwrap_or("meta.k8s.io/v1");
        if !kind.is_empty() && kind != "DeleteOptions" {
            return Err(Failure::bad_request(decode::not_registered(kind, api_version)));
        }
        DeleteOptions::read(self.call, Some(&body))
    }

    /// The pods of a job stay unless the client says otherwise.
    fn warn_of_orphans(&self, options: &DeleteOptions, warnings: &mut Vec<String>) {
        if self.is("batch", "jobs") && options.policy.is_none() && options.orphan.is_none() {
            warnings.push("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning".to_owned());
        }
    }

    /// Some kinds answer with the object that went, others with a `Status`.
    fn returns_deleted(&self) -> bool {
        self.resource.strategy.returns_deleted()
    }

    fn gone_status(&self, object: &Value) -> Value {
        let mut details = json!({
            "name": meta::text(object, "name"), "kind": self.resource.plural, "uid": meta::text(object, "uid"),
        });
        if !self.resource.group.is_empty() {
            details["group"] = self.resource.group.clone().into();
        }
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details })
    }

    /// Removes what a list would show, and answers with that list.
    pub(super) fn delete_collection(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        let options = ListOptions::read(self.call, false)?;
        let delete = self.delete_options()?;
        self.warn_of_orphans(&delete, warnings);
        let selection = self.select(&options)?;
        let now = self.call.now;
        let mut items = Vec::with_capacity(selection.items.len());
        let mut tasks = Vec::new();
        for (key, stored) in &selection.items {
            items.push(convert::served_bytes(self.resource, self.version, stored)?);
            let (namespace, name) = split(key);
            let warned = RefCell::default();
            let removal = self.remove(namespace, name, &delete, &warned);
            warnings.append(&mut warned.take());
            match removal {
                Ok(removal) if !delete.dry_run => {
                    tasks.extend(Engine::tasks_after(self.resource, namespace, &removal));
                }
                Err(failure) if failure.code != 404 => return Err(failure),
                _ => {}
            }
        }
        self.engine.keep(tasks, now);
        let body = ListBody {
            items,
            resource_version: selection.revision,
            continue_token: selection.token,
            remaining: selection.remaining,
        };
        Ok(Answer::new(200, Body::List(body)))
    }
}

/// Namespace and name of a key.
pub(super) fn split(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or(("", key))
}

impl Engine {
    /// Removes an object or marks it, as its kind, its finalizers and the options want it. Who marks a custom object through
    /// another version than the stored one writes it anew, without what that version does not know.
    pub(super) fn remove(
        &self,
        resource: &Arc<Resource>,
        remover: Remover<'_>,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
        now: Timestamp,
    ) -> Result<Removal, Failure> {
        let key = key(namespace, name);
        let Remover { through, check } = remover;
        loop {
            let Some(live) = self.store().get(&resource.place, &key) else {
                return Err(Failure::not_found(&resource.qualified(), name));
            };
            let old = convert::current(resource, &live)?;
            if let Some(version) = through.filter(|_| resource.strategy.calls_webhook()) {
                // What cannot be read is not removed either.
                convert::served(resource, version, &live)?;
            }
            check_preconditions(resource, &old, options)?;
            let mut new = old.clone();
            let plan = plan(resource, &mut new, options, now);
            if let Some(check) = check.filter(|_| !matches!(plan, Plan::Wait)) {
                check(&old)?;
            }
            let attempt = match plan {
                Plan::Wait => return Ok(Removal::Waiting(old)),
                Plan::Mark => self.mark(resource, through, &key, &live, new, options.dry_run)?,
                Plan::Remove => self.drop_object(resource, &key, &live, new, options.dry_run),
                Plan::MarkAndRemove if options.dry_run => Some(Removal::Gone(new)),
                Plan::MarkAndRemove => {
                    let marked = self.mark(resource, through, &key, &live, new, false)?;
                    let Some((last, live)) = marked.and_then(|removal| match removal {
                        Removal::Marked(last) => self.store().get(&resource.place, &key).map(|it| (last, it)),
                        _ => None,
                    }) else {
                        continue;
                    };
                    self.drop_object(resource, &key, &live, last, false)
                }
            };
            if let Some(removal) = attempt {
                return Ok(removal);
            }
        }
    }

    fn mark(
        &self,
        resource: &Resource,
        through: Option<&Version>,
        key: &str,
        live: &Stored,
        new: Value,
        dry_run: bool,
    ) -> Result<Option<Removal>, Failure> {
        let seen = match through {
            Some(version) => convert::served_value(resource, version, new)?,
            None => new,
        };
        let written = convert::Written::new(resource, through, &seen)?;
        let mut read = written.read().clone();
        if dry_run || written.is_same_as(live, None)? {
            return Ok(Some(Removal::Marked(read)));
        }
        let expect = Expect::Version(live.version);
        let Ok(stored) = self.store().put(&resource.place, key, expect, &written.draft(resource)) else {
            return Ok(None);
        };
        meta::set(&mut read, "resourceVersion", Some(stored.version.to_string().into()));
        Ok(Some(Removal::Marked(read)))
    }

    fn drop_object(
        &self,
        resource: &Resource,
        key: &str,
        live: &Stored,
        mut last: Value,
        dry_run: bool,
    ) -> Option<Removal> {
        if !dry_run {
            let version = self.store().remove(&resource.place, key, live.version).ok()?;
            meta::set(&mut last, "resourceVersion", Some(version.to_string().into()));
        }
        Some(Removal::Gone(last))
    }

    /// The resource whose objects are kept at a place.
    pub(super) fn at_place(registry: &Registry, place: &str) -> Option<Arc<Resource>> {
        registry.iter().find(|resource| resource.place == place).cloned()
    }
}

/// Refuses an object that is not the one that the options mean.
pub(super) fn check_preconditions(
    resource: &Resource,
    object: &Value,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let kind = if resource.group.is_empty() {
        resource.kind.clone()
    } else {
        format!("{}.{}", resource.kind, resource.group)
    };
    let name = meta::text(object, "name");
    let uid = meta::text(object, "uid");
    if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
        let why = format!(
            "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
        );
        return Err(Failure::conflict(&kind, name, &why));
    }
    let version = meta::text(object, "resourceVersion");
    if let Some(wanted) = options.version.as_deref().filter(|wanted| *wanted != version) {
        let why = format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({version}). The object might have been modified"
        );
        return Err(Failure::conflict(&kind, name, &why));
    }
    Ok(())
}

/// What a deletion does to an object.
enum Plan {
    Remove,
    /// What could have been given time and is given none is seen marked before it goes.
    MarkAndRemove,
    Mark,
    Wait,
}

/// Works out what a deletion does; `object` becomes what is to be stored.
fn plan(resource: &Resource, object: &mut Value, options: &DeleteOptions, now: Timestamp) -> Plan {
    if resource.group.is_empty() && resource.plural == "namespaces" {
        return plan_namespace(object, options, now);
    }
    let definition =
        resource.group == "apiextensions.k8s.io" && resource.plural == "customresourcedefinitions";
    if definition && object["metadata"]["deletionTimestamp"].is_null() {
        mark_definition(object, now);
        return Plan::Mark;
    }
    let graceful = match graceful(resource, object, options, now) {
        Grace::Wait => return Plan::Wait,
        Grace::Period => true,
        Grace::None => false,
    };
    let finalizers = garbage_finalizers(resource, object, options);
    set_finalizers(object, &finalizers);
    if graceful && object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() > 0 {
        return Plan::Mark;
    }
    if finalizers.is_empty() {
        return if graceful { Plan::MarkAndRemove } else { Plan::Remove };
    }
    mark(object, now);
    Plan::Mark
}

fn set_finalizers(object: &mut Value, finalizers: &[String]) {
    meta::set(object, "finalizers", Some(json!(finalizers)).filter(|_| !finalizers.is_empty()));
}

fn mark(object: &mut Value, now: Timestamp) {
    let marked = !object["metadata"]["deletionTimestamp"].is_null();
    if !marked {
        move_generation(object);
        meta::set(object, "deletionTimestamp", Some(finish::timestamp(now).into()));
    }
    meta::set(object, "deletionGracePeriodSeconds", Some(0.into()));
}

fn move_generation(object: &mut Value) {
    if let Some(generation) = object["metadata"]["generation"].as_i64().filter(|generation| *generation > 0) {
        meta::set(object, "generation", Some(generation.saturating_add(1).into()));
    }
}

/// A namespace is marked first and goes when its content has gone.
fn plan_namespace(object: &mut Value, options: &DeleteOptions, now: Timestamp) -> Plan {
    let marked = !object["metadata"]["deletionTimestamp"].is_null();
    let holds = |object: &Value| object["spec"]["finalizers"].as_array().is_some_and(|list| !list.is_empty());
    if !marked {
        meta::set(object, "deletionTimestamp", Some(finish::timestamp(now).into()));
        object["status"]["phase"] = "Terminating".into();
        if options.policy.as_deref() == Some("Orphan") || options.orphan == Some(true) {
            let mut finalizers: Vec<String> =
                meta::texts(object, "finalizers").into_iter().map(str::to_owned).collect();
            finalizers.push(ORPHAN.into());
            set_finalizers(object, &finalizers);
        }
        return Plan::Mark;
    }
    if holds(object) || !meta::texts(object, "finalizers").is_empty() {
        return Plan::Mark;
    }
    Plan::Remove
}

/// A definition waits for its objects to go.
fn mark_definition(object: &mut Value, now: Timestamp) {
    let stamp = finish::timestamp(now);
    meta::set(object, "deletionTimestamp", Some(stamp.clone().into()));
    let mut finalizers: Vec<String> =
        meta::texts(object, "finalizers").into_iter().map(str::to_owned).collect();
    if !finalizers.iter().any(|finalizer| finalizer == CLEANUP) {
        finalizers.push(CLEANUP.into());
    }
    set_finalizers(object, &finalizers);
    let condition = json!({
        "type": "Terminating", "status": "True", "lastTransitionTime": stamp, "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
    if let Some(conditions) = object["status"]["conditions"].as_array_mut() {
        conditions.retain(|known| known["type"] != "Terminating");
        conditions.push(condition);
    } else {
        object["status"]["conditions"] = json!([condition]);
    }
}

enum Grace {
    None,
    Period,
    Wait,
}

/// Pods are the one kind that is given time to stop.
fn graceful(resource: &Resource, object: &mut Value, options: &DeleteOptions, now: Timestamp) -> Grace {
    if !resource.group.is_empty() || resource.plural != "pods" {
        return Grace::None;
    }
    let asked = options.grace.map(|grace| if grace < 0 { 1 } else { grace });
    let metadata = &object["metadata"];
    if let Some(stamp) = metadata["deletionTimestamp"].as_str() {
        let current = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
        if current == 0 {
            return Grace::None;
        }
        let Some(asked) = asked.filter(|asked| *asked < current) else { return Grace::Wait };
        let stamp: Timestamp = stamp.parse().unwrap_or(now);
        let moved = stamp
            .checked_add(seconds(current.wrapping_neg()))
            .and_then(|began| began.checked_add(seconds(asked)))
            .unwrap_or(now);
        let (moved, period) = if moved < now { (now, asked.min(1)) } else { (moved, asked) };
        meta::set(object, "deletionTimestamp", Some(finish::timestamp(moved).into()));
        meta::set(object, "deletionGracePeriodSeconds", Some(period.into()));
        return Grace::Period;
    }
    let mut period =
        asked.or_else(|| object["spec"]["terminationGracePeriodSeconds"].as_i64()).unwrap_or_default();
    let node = object["spec"]["nodeName"].as_str().unwrap_or_default();
    let over = matches!(object["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    if node.is_empty() || over {
        period = 0;
    }
    let period = if period < 0 { 1 } else { period };
    let stamp = now.checked_add(seconds(period)).unwrap_or(now);
    meta::set(object, "deletionTimestamp", Some(finish::timestamp(stamp).into()));
    meta::set(object, "deletionGracePeriodSeconds", Some(period.into()));
    move_generation(object);
    Grace::Period
}

/// The finalizers that an object waits for, with those that the garbage collector works off.
fn garbage_finalizers(resource: &Resource, object: &Value, options: &DeleteOptions) -> Vec<String> {
    let finalizers = meta::texts(object, "finalizers");
    let has = |name: &str| finalizers.contains(&name);
    if resource.place == "events" {
        return finalizers.into_iter().map(str::to_owned).collect();
    }
    let orphan_by_default = matches!(
        (resource.group.as_str(), resource.plural.as_str()),
        ("batch", "jobs") | ("", "replicationcontrollers")
    );
    let orphan = match (options.orphan, options.policy.as_deref()) {
        (Some(orphan), _) => orphan,
        (None, Some(policy)) => policy == "Orphan",
        (None, None) => {
            let first = finalizers.iter().find(|name| **name == ORPHAN || **name == FOREGROUND);
            first.map_or(orphan_by_default, |name| *name == ORPHAN)
        }
    };
    let foreground = match (options.orphan, options.policy.as_deref()) {
        (Some(_), _) => false,
        (None, Some(policy)) => policy == "Foreground",
        (None, None) => {
            let first = finalizers.iter().find(|name| **name == ORPHAN || **name == FOREGROUND);
            first.is_some_and(|name| *name == FOREGROUND)
        }
    };
    if orphan == has(ORPHAN) && foreground == has(FOREGROUND) {
        return finalizers.into_iter().map(str::to_owned).collect();
    }
    let mut out: Vec<String> = finalizers
        .iter()
        .filter(|name| **name != ORPHAN && **name != FOREGROUND)
        .map(|name| (*name).to_owned())
        .collect();
    if orphan {
        out.push(ORPHAN.into());
    }
    if foreground {
        out.push(FOREGROUND.into());
    }
    out
}
