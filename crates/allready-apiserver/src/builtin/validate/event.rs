//! Events: old ones must be about something in their namespace, new ones must say everything.

use serde_json::Value;

use super::{Errors, immutable};
use crate::{
    builtin::{
        path::{at, number_at, text_at},
        table::Row,
    },
    rest::names,
    status::FieldError,
};

pub(super) fn check(row: &Row, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let new_style = row.group == "events.k8s.io";
    let namespace = text_at(new, &["metadata", "namespace"]);
    let about = text_at(new, &["involvedObject", "namespace"]);
    // An event about something outside of namespaces lives in the default one.
    if about != namespace && !(about.is_empty() && matches!(namespace, "default" | "kube-system")) {
        errors.push(FieldError::invalid("involvedObject.namespace", about, "does not match event.namespace"));
    }
    let timed = at(new, &["eventTime"]).is_some();
    if new_style && !timed && old.is_none() {
        errors.push(FieldError::required("eventTime", ""));
    }
    let kind = text_at(new, &["type"]);
    let wrong_type = new_style && old.is_none() && !matches!(kind, "Normal" | "Warning");
    let type_error = || FieldError::invalid("type", "", format!("has invalid value: {kind}"));
    if timed {
        said(row, new, errors);
        if wrong_type {
            errors.push(type_error());
        }
        if text_at(new, &["message"]).len() > 1024 {
            errors.push(FieldError::invalid("message", "", "can have at most 1024 characters"));
        }
        if new_style && old.is_none() {
            unset(new, errors);
        }
        if at(new, &["series"]).is_some() {
            if number_at(new, &["series", "count"]).unwrap_or(0) < 2 {
                errors.push(FieldError::invalid("series.count", "", "should be at least 2"));
            }
            if at(new, &["series", "lastObservedTime"]).is_none() {
                errors.push(FieldError::required("series.lastObservedTime", ""));
            }
        }
    } else if wrong_type {
        errors.push(type_error());
    }
    if let Some(old) = old.filter(|_| new_style) {
        for field in ["involvedObject", "reason", "message", "type", "eventTime", "action"] {
            immutable(new, old, &[field], errors);
        }
    }
}

fn said(row: &Row, new: &Value, errors: &mut Errors) {
    let controller = if row.group.is_empty() { "reportingComponent" } else { "reportingController" };
    let reporter = text_at(new, &["reportingComponent"]);
    if reporter.is_empty() {
        errors.push(FieldError::required(controller, ""));
    }
    for problem in names::qualified(reporter) {
        errors.push(FieldError::invalid(controller, reporter, problem));
    }
    for field in ["reportingInstance", "action", "reason"] {
        match text_at(new, &[field]).len() {
            0 => errors.push(FieldError::required(field, "")),
            1..=128 => {}
            _ => errors.push(FieldError::invalid(field, "", "can have at most 128 characters")),
        }
    }
}

fn unset(new: &Value, errors: &mut Errors) {
    for (field, set) in [
        ("firstTimestamp", at(new, &["firstTimestamp"]).is_some()),
        ("lastTimestamp", at(new, &["lastTimestamp"]).is_some()),
        ("count", at(new, &["count"]).is_some()),
        ("source", at(new, &["source"]).is_some_and(|source| *source != serde_json::json!({}))),
    ] {
        if set {
            errors.push(FieldError::invalid(field, "", "needs to be unset"));
        }
    }
}
