//! The kinds that run pods.
//!
//! Follows `pkg/apis/{apps,batch}/validation` of Kubernetes.

use serde_json::Value;

use super::{Errors, immutable, job_policy, pod, rollout, selector, spot::Spot, volume};
use crate::{
    builtin::{
        path::{at, at_mut, carry, flag_at, items, number_at, push, remove, text_at},
        table::Row,
    },
    names,
    status::FieldError,
};

const STATEFUL: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

pub(super) fn check(row: &Row, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    match row.kind {
        "Deployment" => deployment(&spec, errors),
        "ReplicaSet" => {
            counts(&spec, &["replicas", "minReadySeconds"], errors);
            if selected(&spec, "deployment", "invalid label selector", errors) {
                long_running(&spec, "ReplicaSet", errors);
            }
        }
        "DaemonSet" => daemon_set(&spec, errors),
        "StatefulSet" => stateful_set(&spec, errors),
        "Job" => {
            if old.is_none() {
                generated(new, errors);
            }
            job(&spec, errors);
            own_selector(&spec, errors);
            if old.is_none() {
                hostname(new, errors);
            }
        }
        _ => {}
    }
    if let Some(old) = old {
        unchanged(row, new, old, errors);
    }
}

fn counts(spec: &Spot<'_>, fields: &[&str], errors: &mut Errors) {
    for field in fields {
        spec.child(field).at_least_zero(errors);
    }
}

fn deployment(spec: &Spot<'_>, errors: &mut Errors) {
    counts(spec, &["replicas"], errors);
    if selected(spec, "deployment", "invalid label selector", errors) {
        long_running(spec, "ReplicaSet", errors);
    }
    rollout::deployment(&spec.child("strategy"), errors);
    counts(spec, &["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"], errors);
    let deadline = spec.child("progressDeadlineSeconds");
    let ready = spec.child("minReadySeconds").number().unwrap_or(0);
    if deadline.number().is_some_and(|seconds| seconds <= ready) {
        deadline.invalid("must be greater than minReadySeconds", errors);
    }
}

fn daemon_set(spec: &Spot<'_>, errors: &mut Errors) {
    let wanted = spec.child("selector");
    let before = errors.len();
    selector::check(&wanted, errors);
    if errors.len() == before {
        matching(spec, errors);
    }
    if wanted.exists() && wanted.is_empty() {
        wanted.invalid("empty selector is invalid for daemonset", errors);
    }
    always(spec, "DaemonSet", errors);
    counts(spec, &["minReadySeconds"], errors);
    rollout::daemon_set(&spec.child("updateStrategy"), errors);
    counts(spec, &["revisionHistoryLimit"], errors);
}

fn stateful_set(spec: &Spot<'_>, errors: &mut Errors) {
    let policy = spec.child("podManagementPolicy");
    if !matches!(policy.text(), "OrderedReady" | "Parallel") {
        policy.invalid("must be 'OrderedReady' or 'Parallel'", errors);
    }
    rollout::stateful_set(&spec.child("updateStrategy"), errors);
    let kept = spec.child("persistentVolumeClaimRetentionPolicy");
    for field in ["whenDeleted", "whenScaled"] {
        kept.child(field).one_of_if_any(&["Retain", "Delete"], errors);
    }
    for claim in spec.child("volumeClaimTemplates").items() {
        volume::claim(&claim.child("spec"), errors);
    }
    counts(spec, &["replicas", "minReadySeconds"], errors);
    spec.at("ordinals.start").at_least_zero(errors);
    spec.child("serviceName").named_if_any(names::dns_label, errors);
    if selected(spec, "statefulset", "", errors) {
        // Neither counts: each pod gets its own.
        let mut own = spec.value.clone();
        for field in ["subdomain", "hostname"] {
            remove(&mut own, &["template", "spec", field]);
        }
        for volume in volumes_of_claims(spec) {
            push(&mut own, &["template", "spec", "volumes"], volume);
        }
        long_running(&Spot { value: &own, place: spec.place.clone() }, "StatefulSet", errors);
        // The real server looks at these twice.
        pod::template_metadata(&spec.child("template"), errors);
    }
}

/// Containers may mount what a stateful set claims.
fn volumes_of_claims(spec: &Spot<'_>) -> Vec<Value> {
    let taken: Vec<_> = spec
        .at("template.spec.volumes")
        .items()
        .map(|volume| volume.child("name").text().to_owned())
        .collect();
    let claims = spec.child("volumeClaimTemplates").items();
    let names = claims.map(|claim| claim.at("metadata.name").text().to_owned());
    let new = names.filter(|name| !taken.contains(name));
    new.map(|name| serde_json::json!({"name": name, "persistentVolumeClaim": {"claimName": "x"}})).collect()
}

/// Whether there is a selector by which labels can be compared; what is wrong with it.
fn selected(spec: &Spot<'_>, kind: &str, unusable: &str, errors: &mut Errors) -> bool {
    let wanted = spec.child("selector");
    if !wanted.exists() {
        wanted.required("", errors);
        return true;
    }
    let before = errors.len();
    selector::check(&wanted, errors);
    if wanted.is_empty() {
        wanted.invalid(format!("empty selector is invalid for {kind}"), errors);
        return true;
    }
    let usable = errors.len() == before;
    if !usable {
        selector::refuse(&wanted, unusable, errors);
    }
    usable
}

fn matching(spec: &Spot<'_>, errors: &mut Errors) {
    let labels = spec.at("template.metadata.labels");
    let wanted = spec.child("selector");
    if !selector::selects(Some(wanted.value).filter(|value| !value.is_null()), Some(labels.value)) {
        labels.invalid("`selector` does not match template `labels`", errors);
    }
}

/// A template of pods that run for good.
fn long_running(spec: &Spot<'_>, owner: &str, errors: &mut Errors) {
    if !(spec.child("selector").exists() && spec.child("selector").is_empty()) {
        matching(spec, errors);
    }
    always(spec, owner, errors);
}

fn always(spec: &Spot<'_>, owner: &str, errors: &mut Errors) {
    let template = spec.child("template");
    pod::template(&template, errors);
    template.at("spec.restartPolicy").one_of(&["Always"], errors);
    let deadline = template.at("spec.activeDeadlineSeconds");
    if deadline.exists() {
        deadline.forbidden(&format!("activeDeadlineSeconds in {owner} is not Supported"), errors);
    }
}

/// What a job and the template of a job have in common.
pub(super) fn job(spec: &Spot<'_>, errors: &mut Errors) {
    counts(
        spec,
        &[
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "backoffLimitPerIndex",
            "maxFailedIndexes",
        ],
        errors,
    );
    if spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex") {
        spec.child("backoffLimitPerIndex").required("when maxFailedIndexes is specified", errors);
    }
    managed_by(&spec.child("managedBy"), errors);
    let mode = spec.child("completionMode");
    mode.one_of_if_any(&["NonIndexed", "Indexed"], errors);
    match mode.text() {
        "Indexed" => {
            if !spec.has("completions") {
                spec.child("completions").required("when completion mode is Indexed", errors);
            }
            let parallel = spec.child("parallelism");
            if parallel.number().is_some_and(|number| number > 100_000) {
                let why = "must be less than or equal to 100000 when completion mode is Indexed";
                parallel.invalid(why, errors);
            }
            let failed = spec.child("maxFailedIndexes");
            let all = spec.child("completions").number().unwrap_or(i64::MAX);
            if failed.number().is_some_and(|failed| failed > all) {
                failed.invalid("must be less than or equal to completions", errors);
            }
        }
        "NonIndexed" | "" => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if spec.has(field) {
                    spec.child(field).invalid("requires indexed completion mode", errors);
                }
            }
        }
        _ => {}
    }
    job_policy::check(spec, errors);
    let replaced: &[&str] =
        if spec.has("podFailurePolicy") { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    spec.child("podReplacementPolicy").one_of_if_any(replaced, errors);
    pod::template(&spec.child("template"), errors);
    let policy = spec.at("template.spec.restartPolicy");
    match policy.text() {
        "Always" | "" => policy.required("valid values: \"OnFailure\", \"Never\"", errors),
        "Never" => {}
        "OnFailure" => {
            if spec.has("podFailurePolicy") {
                policy.invalid("only \"Never\" is supported when podFailurePolicy is specified", errors);
            }
        }
        _ => policy.one_of(&["OnFailure", "Never"], errors),
    }
}

fn managed_by(controller: &Spot<'_>, errors: &mut Errors) {
    if !controller.exists() {
        return;
    }
    match controller.text().split_once('/') {
        None if controller.is_empty() => controller.required("", errors),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            for problem in names::dns_subdomain(host) {
                errors.push(FieldError::invalid(controller.place.as_str(), host, problem));
            }
        }
        _ => controller.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")", errors),
    }
    if controller.text().len() > 63 {
        errors.push(FieldError::too_long(controller.place.as_str(), 63));
    }
}

fn own_selector(spec: &Spot<'_>, errors: &mut Errors) {
    let wanted = spec.child("selector");
    let before = errors.len();
    if wanted.exists() {
        selector::check(&wanted, errors);
    } else {
        wanted.required("", errors);
        matching(spec, errors);
        return;
    }
    if errors.len() == before && !wanted.is_empty() {
        matching(spec, errors);
    }
}

/// Unless it says that it does, a job chooses neither its selector nor the labels that it selects.
fn generated(new: &Value, errors: &mut Errors) {
    let Some(wanted) = at(new, &["spec", "selector"]) else { return };
    if flag_at(new, &["spec", "manualSelector"]) {
        return;
    }
    let (name, uid) = (text_at(new, &["metadata", "name"]), text_at(new, &["metadata", "uid"]));
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        ("batch.kubernetes.io/controller-uid", uid),
        ("batch.kubernetes.io/job-name", name),
    ];
    let labels = Spot::root(new).at("spec.template.metadata.labels");
    for (key, value) in expected {
        let place = format!("{}[{key}]", labels.place);
        match labels.value.get(key).and_then(Value::as_str) {
            None => errors.push(FieldError::required(place, format!("must be '{value}'"))),
            Some(found) if found != value => {
                errors.push(FieldError::invalid(place, labels.value.clone(), format!("must be '{value}'")));
            }
            Some(_) => {}
        }
    }
    let known: serde_json::Map<_, _> =
        expected.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
    if !selector::selects(Some(wanted), Some(&Value::Object(known))) {
        errors.push(FieldError::invalid("spec.selector", wanted.clone(), "`selector` not auto-generated"));
    }
}

/// The pods of an indexed job are named after it.
fn hostname(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    let completions = spec.child("completions").number().filter(|number| *number > 0);
    let Some(completions) = completions.filter(|_| spec.child("completionMode").text() == "Indexed") else {
        return;
    };
    let name = text_at(new, &["metadata", "name"]);
    let last = format!("{name}-{}", completions - 1);
    if !names::dns_label(&last).is_empty() {
        let why = format!("will not able to create pod with invalid DNS label: {last}");
        errors.push(FieldError::invalid("metadata.name", name, why));
    }
}

fn unchanged(row: &Row, new: &Value, old: &Value, errors: &mut Errors) {
    match row.kind {
        "StatefulSet" => {
            let fixed = ["selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy"];
            if fixed.iter().any(|field| at(new, &["spec", field]) != at(old, &["spec", field])) {
                errors.push(FieldError::forbidden("spec", STATEFUL));
            }
        }
        "Job" => {
            for field in [
                "completions",
                "selector",
                "completionMode",
                "podFailurePolicy",
                "backoffLimitPerIndex",
                "managedBy",
                "successPolicy",
            ] {
                immutable(new, old, &["spec", field], errors);
                // The real server looks at the template after the selector.
                if field == "selector" {
                    job_template(new, old, errors);
                }
            }
        }
        "CronJob" => {}
        _ => immutable(new, old, &["spec", "selector"], errors),
    }
}

/// The pods of a job are all alike. Those of one that is suspended may be placed elsewhere, and get other resources.
fn job_template(new: &Value, old: &Value, errors: &mut Errors) {
    let path = ["spec", "template"];
    let suspended = flag_at(old, &["spec", "suspend"]);
    let conditions = items(old, &["status", "conditions"]);
    let paused = conditions
        .iter()
        .any(|one| text_at(one, &["type"]) == "Suspended" && text_at(one, &["status"]) == "True");
    let open = suspended
        && (at(old, &["status", "startTime"]).is_none() || paused)
        && number_at(old, &["status", "active"]).unwrap_or(0) == 0;
    let mut expected = at(old, &path).cloned().unwrap_or_default();
    let found = at(new, &path).cloned().unwrap_or_default();
    if open {
        for field in ["nodeSelector", "tolerations", "schedulingGates"] {
            carry(&mut expected, &found, &["spec", field]);
        }
        for field in ["annotations", "labels"] {
            carry(&mut expected, &found, &["metadata", field]);
        }
        carry(&mut expected, &found, &["spec", "affinity", "nodeAffinity"]);
        if at(&expected, &["spec", "affinity"])
            .and_then(Value::as_object)
            .is_some_and(serde_json::Map::is_empty)
            && at(&found, &["spec", "affinity"]).is_none()
        {
            remove(&mut expected, &["spec", "affinity"]);
        }
        for list in ["containers", "initContainers"] {
            let resources: Vec<Value> = items(&found, &["spec", list])
                .iter()
                .map(|container| container.get("resources").cloned().unwrap_or_default())
                .collect();
            let containers = at_mut(&mut expected, &["spec", list]).and_then(Value::as_array_mut);
            for (container, resources) in containers.into_iter().flatten().zip(resources) {
                container["resources"] = resources;
            }
        }
    }
    if expected != found {
        Spot::root(new).at("spec.template").invalid("field is immutable", errors);
    }
}
