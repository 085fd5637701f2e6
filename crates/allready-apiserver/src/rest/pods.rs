//! What is posted to a pod: its eviction, and the node that it runs on.

use serde_json::{Value, json};

use super::{
    Answer, Body, Engine, Scope, decode,
    delete::{self, Remover},
    finish, meta,
    options::{DeleteOptions, WriteKind, WriteOptions},
};
use crate::{
    status::{Failure, FieldError},
    store::{Draft, Expect},
};

impl Scope<'_> {
    /// Deletes the pod, which says why it went. Nothing here disrupts too much: there are no budgets.
    pub(super) fn evict(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        let (mut eviction, options) = self.posted("Eviction", "policy/v1", warnings)?;
        self.admit_posted(&mut eviction, "policy/v1", warnings)?;
        let mut delete = match &eviction["deleteOptions"] {
            Value::Null => DeleteOptions::default(),
            body => DeleteOptions::read(self.call, Some(body))?,
        };
        delete.dry_run |= options.dry_run;
        self.amend_pod(options.dry_run, |pod| {
            delete::check_preconditions(self.resource, pod, &delete)?;
            let condition = json!({
                "type": "DisruptionTarget", "status": "True", "lastProbeTime": null,
                "lastTransitionTime": finish::timestamp(self.call.now), "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting",
            });
            set_condition(pod, condition);
            Ok(())
        })?;
        // The condition has brought a version of its own.
        delete.version = None;
        let now = self.call.now;
        let removal = self.engine.remove(
            self.resource,
            Remover::SERVER,
            self.namespace(),
            self.name(),
            &delete,
            now,
        )?;
        if !delete.dry_run {
            self.engine.keep(Engine::tasks_after(self.resource, self.namespace(), &removal), now);
        }
        Ok(done())
    }

    /// Says which node the pod runs on.
    pub(super) fn bind(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        let (mut binding, options) = self.posted("Binding", "v1", warnings)?;
        self.admit_posted(&mut binding, "v1", warnings)?;
        let target = |field: &str| binding["target"][field].as_str().unwrap_or_default();
        let mut errors = Vec::new();
        if !["", "Node"].contains(&target("kind")) {
            errors.push(FieldError::not_supported("target.kind", target("kind"), &["Node", "<empty>"]));
        }
        if target("name").is_empty() {
            errors.push(FieldError::required("target.name", ""));
        }
        if !errors.is_empty() {
            let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
            let text = if texts.len() == 1 { texts.join("") } else { format!("[{}]", texts.join(", ")) };
            return Err(Failure::new(500, "", text));
        }
        let name = self.name();
        let conflict = |why: &str| Failure::conflict("pods/binding", name, why);
        self.amend_pod(options.dry_run, |pod| {
            if !pod["metadata"]["deletionTimestamp"].is_null() {
                let why = format!("pod {name} is being deleted, cannot be assigned to a host");
                return Err(conflict(&why));
            }
            let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
            if !node.is_empty() {
                let node = crate::status::quote(node);
                return Err(conflict(&format!("pod {name} is already assigned to node {node}")));
            }
            pod["spec"]["nodeName"] = target("name").into();
            for map in ["labels", "annotations"] {
                for (key, value) in binding["metadata"][map].as_object().into_iter().flatten() {
                    pod["metadata"][map][key] = value.clone();
                }
            }
            let condition = json!({
                "type": "PodScheduled", "status": "True", "lastProbeTime": null,
                "lastTransitionTime": finish::timestamp(self.call.now),
            });
            set_condition(pod, condition);
            Ok(())
        })?;
        Ok(done())
    }

    /// What was posted to the pod of this name.
    fn posted(
        &self,
        kind: &str,
        api_version: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(Value, WriteOptions), Failure> {
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Create)?;
        let registry = self.engine.registry();
        let decoded = decode::object_as(self.call, self.version, &registry, kind, api_version)?;
        warnings.extend(decoded.strict.into_warnings());
        if meta::text(&decoded.object, "name") != self.name() {
            return Err(Failure::bad_request(format!("name in URL does not match name in {kind} object")));
        }
        Ok((decoded.object, options))
    }

    fn amend_pod(
        &self,
        dry_run: bool,
        change: impl Fn(&mut Value) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let spot = self.spot()?;
        loop {
            let live = self.store().get(&self.resource.place, &spot).ok_or_else(|| self.not_found())?;
            let mut pod = live.value()?;
            change(&mut pod)?;
            let expect = Expect::Version(live.version);
            if dry_run || self.store().put(&self.resource.place, &spot, expect, &Draft::new(&pod)).is_ok() {
                return Ok(());
            }
        }
    }
}

fn done() -> Answer {
    let body =
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
    Answer::new(201, Body::Status(body.to_string().into()))
}

fn set_condition(pod: &mut Value, condition: Value) {
    let conditions = &mut pod["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    conditions.retain(|known| known["type"] != condition["type"]);
    conditions.push(condition);
}
