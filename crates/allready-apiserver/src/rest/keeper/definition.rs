//! Definitions: accepted, established, served, and taken down with their objects.
//!
//! Follows `pkg/controller` of `k8s.io/apiextensions-apiserver` (`status`, `establish`, `finalizer`).

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Task, is_marked, set_condition};
use crate::{
    crd,
    fields::{self, Writer},
    resource::{Endpoint, Resource},
    rest::{Engine, convert::PlaceSchemas, delete::CLEANUP, finish, meta},
};

impl Engine {
    /// Looks after a definition as it is now: one at a time, so that what is served never goes back to what it was.
    pub(super) fn keep_definition(
        &self,
        definitions: &Arc<Resource>,
        name: &str,
        now: Timestamp,
    ) -> Vec<Task> {
        let mut served = self.served_definitions();
        let Some(stored) = self.store().get(&definitions.place, name) else { return Vec::new() };
        if stored.is_marked() {
            let Ok(definition) = stored.value() else { return Vec::new() };
            return self.take_down(definitions, &definition, name, now);
        }
        let registry = self.registry();
        let tasks = self.amend(definitions, name, |object| {
            if is_marked(object) {
                return;
            }
            let before = object.clone();
            if crd::accept(object, &registry, now)
                && let Some(version) = definitions.versions.first()
            {
                let writer = Writer {
                    manager: "kube-apiserver",
                    endpoint: Endpoint::Status,
                    api_version: &definitions.api_version(&version.name),
                    now,
                };
                let schemas = PlaceSchemas { resource: definitions, version, registry: &registry };
                let reset = definitions.strategy.reset_fields(version, Endpoint::Status);
                fields::update(Some(&before), object, &writer, &schemas, &reset);
            }
        });
        let stored = self.store().get(&definitions.place, name).filter(|stored| !stored.is_marked());
        let Some(Ok(definition)) = stored.map(|stored| stored.value()) else { return tasks };
        let Some(resource) = crd::serve(&definition, self.store().revision(), self.services()) else {
            return tasks;
        };
        let place = resource.place.clone();
        let uid = meta::text(&definition, "uid");
        if served.get(name).is_some_and(|known| known != uid) {
            // Another definition of the same name went and was not seen going: its objects are not those of this one.
            self.store().close(&place);
            self.change_served(|registry| drop(registry.remove(&resource.group, &resource.plural)));
        }
        self.set_terminating(name, false);
        served.insert(name.to_owned(), uid.to_owned());
        let before = self.registry().get(&resource.group, &resource.plural).cloned();
        if before.as_ref().and_then(|before| before.strategy.definition())
            == Some(&crd::made_from(&definition))
        {
            return tasks;
        }
        self.store().open(&place);
        self.change_served(|registry| registry.insert(Arc::new(resource)));
        if before.is_some() {
            // Whoever watches saw objects as they were: it starts anew.
            self.store().renew(&place);
        }
        tasks
    }

    /// Removes the objects of a definition; when none is left, the definition may go too.
    fn take_down(
        &self,
        definitions: &Arc<Resource>,
        object: &Value,
        name: &str,
        now: Timestamp,
    ) -> Vec<Task> {
        let mut tasks = Vec::new();
        self.set_terminating(name, true);
        if !meta::texts(object, "finalizers").contains(&CLEANUP) {
            return tasks;
        }
        let registry = self.registry();
        let group = object["spec"]["group"].as_str().unwrap_or_default();
        let plural = object["spec"]["names"]["plural"].as_str().unwrap_or_default();
        if let Some(resource) = registry.get(group, plural) {
            self.store().shut(&resource.place);
            // Nothing new comes any more: another look is for those that changed while they were removed.
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for (key, version) in self.store().survey(&resource.place, "").unmarked {
                    match self.discard_at(resource, &key, version, now) {
                        Some(more) => tasks.extend(more),
                        None => changed = true,
                    }
                }
            }
            if self.store().survey(&resource.place, "").count > 0 {
                let stamp = finish::timestamp(now);
                tasks.extend(self.amend(definitions, name, |object| {
                    let condition = json!({
                        "type": "Terminating", "status": "True", "lastTransitionTime": stamp,
                        "reason": "InstanceDeletionInProgress", "message": "CustomResource deletion is in progress",
                    });
                    set_condition(object, condition);
                }));
                return tasks;
            }
        }
        let stamp = finish::timestamp(now);
        tasks.extend(self.amend(definitions, name, |object| {
            let condition = json!({
                "type": "Terminating", "status": "False", "lastTransitionTime": stamp,
                "reason": "InstanceDeletionCompleted", "message": "removed all instances",
            });
            set_condition(object, condition);
            let rest: Vec<Value> = meta::texts(object, "finalizers")
                .into_iter()
                .filter(|name| *name != CLEANUP)
                .map(Value::from)
                .collect();
            meta::set(object, "finalizers", Some(Value::Array(rest.clone())).filter(|_| !rest.is_empty()));
            meta::set(object, "deletionGracePeriodSeconds", Some(0.into()));
        }));
        tasks
    }

    /// Stops serving what a definition defined, unless another of its name has taken its place.
    pub(super) fn stop_serving(&self, definition: &Value) {
        let mut served = self.served_definitions();
        let name = meta::text(definition, "name");
        if served.get(name).is_some_and(|known| known != meta::text(definition, "uid")) {
            return;
        }
        if served.remove(name).is_none() {
            self.set_terminating(name, false);
            return;
        }
        let group = definition["spec"]["group"].as_str().unwrap_or_default();
        let plural = definition["spec"]["names"]["plural"].as_str().unwrap_or_default();
        let mut removed = None;
        self.change_served(|registry| removed = registry.remove(group, plural));
        if let Some(resource) = removed {
            self.store().close(&resource.place);
        }
        self.set_terminating(name, false);
    }
}
