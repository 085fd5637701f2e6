//! Where a pod may run: tolerations, affinity, spreading. And what keeps pods off a node.
//!
//! Follows `validateAffinity` and its neighbours in `pkg/apis/core/validation/validation.go` of Kubernetes.

use serde_json::json;

use super::{Errors, selector, spot::Spot};
use crate::{
    names,
    status::{FieldError, Mistake, quote},
};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

pub(super) fn tolerations(list: &Spot<'_>, errors: &mut Errors) {
    for toleration in list.items() {
        let (key, operator) = (toleration.child("key"), toleration.child("operator"));
        let (value, effect) = (toleration.child("value"), toleration.child("effect"));
        // What is wrong with the value is said of the operator.
        let refuse = |found: &str, why: &str, errors: &mut Errors| {
            errors.push(FieldError::invalid(operator.place.as_str(), found, why));
        };
        key.named_if_any(names::qualified, errors);
        if key.is_empty() && operator.text() != "Exists" {
            let why =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            refuse(operator.text(), why, errors);
        }
        if toleration.has("tolerationSeconds") && effect.text() != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            effect.problems([why.to_owned()], errors);
        }
        match operator.text() {
            "Equal" | "" => {
                let problems = names::label_value(value.text());
                if !problems.is_empty() {
                    refuse(value.text(), &problems.join(";"), errors);
                }
            }
            "Exists" if !value.is_empty() => {
                refuse(value.text(), "value must be empty when `operator` is 'Exists'", errors);
            }
            "Exists" => {}
            "Lt" | "Gt" => errors.push(FieldError::not_supported(
                operator.place.as_str(),
                operator.text(),
                &["Equal", "Exists", "Lt", "Gt"],
            )),
            _ => operator.one_of(&["Equal", "Exists"], errors),
        }
        if !effect.is_empty() {
            effect.one_of(&EFFECTS, errors);
        }
    }
}

pub(super) fn taints(list: &Spot<'_>, errors: &mut Errors) {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for taint in list.items() {
        let (key, value, effect) = (taint.child("key"), taint.child("value"), taint.child("effect"));
        selector::label_name(&key, errors);
        let problems = names::label_value(value.text());
        if !problems.is_empty() {
            value.problems([problems.join(";")], errors);
        }
        if effect.is_empty() {
            effect.required("", errors);
        } else {
            effect.one_of(&EFFECTS, errors);
        }
        if seen.contains(&(key.text(), effect.text())) {
            let added = taint.child("timeAdded");
            let shown = format!(
                r#"{{"Key":{},"Value":{},"Effect":{},"TimeAdded":{}}}"#,
                quote(key.text()),
                quote(value.text()),
                quote(effect.text()),
                added.value
            );
            taint.shown(Mistake::Duplicate, &shown, "taints must be unique by key and effect pair", errors);
        }
        seen.push((key.text(), effect.text()));
    }
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn affinity(affinity: &Spot<'_>, errors: &mut Errors) {
    let nodes = affinity.child("nodeAffinity");
    let required = nodes.child(REQUIRED);
    if required.exists() {
        let terms = required.child("nodeSelectorTerms");
        if terms.is_empty() {
            terms.required("must have at least one node selector term", errors);
        }
        for term in terms.items() {
            node_term(&term, true, errors);
        }
    }
    for term in nodes.child(PREFERRED).items() {
        weight(&term, errors);
        node_term(&term.child("preference"), false, errors);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let pods = affinity.child(kind);
        for term in pods.child(REQUIRED).items() {
            pod_term(&term, errors);
        }
        for term in pods.child(PREFERRED).items() {
            weight(&term, errors);
            pod_term(&term.child("podAffinityTerm"), errors);
        }
    }
}

fn weight(term: &Spot<'_>, errors: &mut Errors) {
    let weight = term.child("weight");
    if !weight.number().is_some_and(|weight| (1..=100).contains(&weight)) {
        let found = weight.number().unwrap_or(0);
        errors.push(FieldError::invalid(weight.place, json!(found), "must be in the range 1-100"));
    }
}

pub(super) fn node_term(term: &Spot<'_>, values_too: bool, errors: &mut Errors) {
    for expression in term.child("matchExpressions").items() {
        selector::requirement(&expression, &["Gt", "Lt"], values_too, errors);
    }
}

fn pod_term(term: &Spot<'_>, errors: &mut Errors) {
    selector::check(&term.child("labelSelector"), errors);
    selector::check(&term.child("namespaceSelector"), errors);
    for name in term.child("namespaces").items() {
        let name = Spot { place: format!("{}.namespace", term.place), ..name };
        name.problems(names::dns_label(name.text()), errors);
    }
    let key = term.child("topologyKey");
    if key.is_empty() {
        key.required("can not be empty", errors);
    }
    selector::label_name(&key, errors);
}

pub(super) fn spreading(list: &Spot<'_>, errors: &mut Errors) {
    let all: Vec<_> = list.items().collect();
    let means = |one: &Spot<'_>| {
        (one.child("topologyKey").text().to_owned(), one.child("whenUnsatisfiable").text().to_owned())
    };
    for (index, one) in all.iter().enumerate() {
        let (skew, key, action) =
            (one.child("maxSkew"), one.child("topologyKey"), one.child("whenUnsatisfiable"));
        if skew.number().unwrap_or(0) <= 0 {
            errors.push(FieldError::invalid(
                skew.place.as_str(),
                skew.number().unwrap_or(0),
                "must be greater than zero",
            ));
        }
        if key.is_empty() {
            key.required("can not be empty", errors);
        }
        action.one_of(&["DoNotSchedule", "ScheduleAnyway"], errors);
        if all.iter().skip(index + 1).any(|other| means(other) == means(one)) {
            let twice = one.child("{topologyKey, whenUnsatisfiable}");
            let shown = format!("{{{}, {}}}", key.text(), action.text());
            errors.push(FieldError::duplicate(twice.place, shown));
        }
        let least = one.child("minDomains");
        if least.exists() {
            if least.number().unwrap_or(0) <= 0 {
                least.invalid("must be greater than zero", errors);
            }
            if action.text() != "DoNotSchedule" {
                let why = format!(
                    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                    action.text()
                );
                least.invalid(why, errors);
            }
        }
        for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            one.child(field).one_of_if_any(&["Honor", "Ignore"], errors);
        }
        selector::check(&one.child("labelSelector"), errors);
    }
}
