//! What is posted to a pod: its eviction, and the node that it runs on.
//!
//! Follows `pkg/registry/core/pod/storage` of Kubernetes (`eviction.go`, `storage.go`).

use serde_json::{Value, json};

use super::{
    Answer, Body, Engine, Scope, convert, decode,
    delete::{self, Remover},
    finish, meta,
    options::{DeleteOptions, WriteKind, WriteOptions},
};
use crate::{
    builtin,
    fields::{self, Writer},
    resource::Endpoint,
    status::{Cause, Details, Failure, FieldError},
    store::{Draft, Expect},
};

/// The place of disruption budgets in the store.
const BUDGETS: &str = "poddisruptionbudgets.policy";

impl Scope<'_> {
    /// Deletes the pod, which says why it went, unless a disruption budget is against it.
    pub(super) fn evict(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        let (mut eviction, options) = self.posted("Eviction", "policy/v1", warnings)?;
        self.admit_posted(&mut eviction, "policy/v1", warnings)?;
        let mut delete = match &eviction["deleteOptions"] {
            Value::Null => DeleteOptions::default(),
            body => DeleteOptions::read(self.call, Some(body))?,
        };
        delete.dry_run |= options.dry_run;
        self.respect_budget(delete.dry_run)?;
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

    /// Refuses an eviction that the disruption budget of the pod does not allow, and counts one that it does. Follows
    /// `pkg/registry/core/pod/storage/eviction.go`.
    fn respect_budget(&self, dry_run: bool) -> Result<(), Failure> {
        let text = |value: &Value, pointer: &str| {
            value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let number =
            |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0);
        loop {
            let pod = self.find()?.value()?;
            let runs = !matches!(text(&pod, "/status/phase").as_str(), "Succeeded" | "Failed" | "Pending");
            if !runs || !pod["metadata"]["deletionTimestamp"].is_null() {
                return Ok(());
            }
            let mut budgets = Vec::new();
            for (key, stored) in &self.store().list(BUDGETS, &format!("{}/", self.namespace()), None).items {
                let budget = stored.value()?;
                let selector = budget.pointer("/spec/selector");
                if builtin::selects(selector, pod.pointer("/metadata/labels")) {
                    budgets.push((key.clone(), stored.version, budget));
                }
            }
            let (key, version, mut budget) = match budgets.len() {
                0 => return Ok(()),
                1 => budgets.remove(0),
                _ => {
                    let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                    return Err(Failure::new(500, "", why));
                }
            };
            let [healthy, desired] =
                ["currentHealthy", "desiredHealthy"].map(|it| number(&budget, &format!("/status/{it}")));
            let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
            let ready =
                conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True");
            let always = text(&budget, "/spec/unhealthyPodEvictionPolicy") == "AlwaysAllow";
            if !ready && (always || desired > 0 && healthy >= desired) {
                return Ok(());
            }
            let name = meta::text(&budget, "name").to_owned();
            if number(&budget, "/status/observedGeneration") < number(&budget, "/metadata/generation") {
                let why = format!("The disruption budget {name} is still being processed by the server.");
                return Err(over_budget(10, why));
            }
            let allowed = number(&budget, "/status/disruptionsAllowed");
            if allowed < 0 {
                let why = "pdb disruptions allowed is negative";
                return Err(Failure::forbidden("poddisruptionbudget.policy", &name, why));
            }
            if allowed == 0 {
                let why = if healthy <= desired {
                    format!(
                        "The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
                    )
                } else {
                    format!("The disruption budget {name} does not allow evicting pods currently")
                };
                return Err(over_budget(0, why));
            }
            let before = budget.clone();
            let now = finish::timestamp(self.call.now);
            budget["status"]["disruptionsAllowed"] = (allowed - 1).into();
            budget["status"]["disruptedPods"][self.name()] = now.as_str().into();
            if allowed == 1 {
                let generation = number(&budget, "/status/observedGeneration");
                let condition = json!({
                    "type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
                    "observedGeneration": generation, "lastTransitionTime": now,
                });
                set_condition(&mut budget, condition);
            }
            let registry = self.engine.registry();
            if let Some(resource) = registry.get("policy", "poddisruptionbudgets")
                && let Some(version) = resource.versions.first()
            {
                let writer = Writer {
                    manager: "kube-apiserver",
                    endpoint: Endpoint::Status,
                    api_version: "policy/v1",
                    now: self.call.now,
                };
                let schemas = convert::PlaceSchemas { resource, version, registry: &registry };
                let reset = resource.strategy.reset_fields(version, Endpoint::Status);
                fields::update(Some(&before), &mut budget, &writer, &schemas, &reset);
            }
            let expect = Expect::Version(version);
            if dry_run || self.store().put(BUDGETS, &key, expect, &Draft::new(&budget)).is_ok() {
                return Ok(());
            }
        }
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

/// An eviction that would go beyond a budget, with the seconds after which to try again.
fn over_budget(seconds: u32, why: String) -> Failure {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let cause = Cause { reason: "DisruptionBudget".into(), message: why, field: String::new() };
    let details = Details { retry_after_seconds: seconds, causes: vec![cause], ..Details::default() };
    Failure { details: Some(Box::new(details)), ..Failure::new(429, "TooManyRequests", message) }
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
