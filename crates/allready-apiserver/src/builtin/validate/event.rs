//! Events: old ones must be about something in their namespace, new ones must say everything and never change.
//!
//! Follows `pkg/apis/core/validation/events.go` of Kubernetes.

use serde_json::Value;

use super::{Errors, spot::Spot};
use crate::{
    builtin::table::Row,
    names,
    status::{FieldError, Mistake, quote},
};

/// What stays as it is in an event of the new kind, in the names of the old one.
const FIXED: [&str; 13] = [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
];
const SHORT: [&str; 3] = ["reportingInstance", "action", "reason"];

pub(super) fn check(row: &Row, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let event = Spot::root(new);
    let new_style = row.group == "events.k8s.io";
    said(&event, new_style, errors);
    match old {
        _ if !new_style => {}
        None => {
            series(&event.child("series"), errors);
            created(&event, errors);
        }
        Some(old) => {
            let old = Spot::root(old);
            if old.child("series").value != event.child("series").value {
                series(&event.child("series"), errors);
            }
            for field in FIXED.into_iter().filter(|field| old.child(field).value != event.child(field).value)
            {
                fixed(&event.child(field), errors);
            }
        }
    }
}

fn said(event: &Spot<'_>, new_style: bool, errors: &mut Errors) {
    let namespace = event.at("metadata.namespace").text();
    let about = event.at("involvedObject.namespace");
    let timed = event.has("eventTime");
    // An event about something outside of namespaces lives in the default one.
    let misplaced = match about.text() {
        "" if timed => !matches!(namespace, "default" | "kube-system"),
        "" => !matches!(namespace, "default" | ""),
        other => !timed && other != namespace,
    };
    if misplaced {
        about.problems(["does not match event.namespace".to_owned()], errors);
    }
    if !timed {
        return;
    }
    let reporter = event.child("reportingComponent");
    let place = if new_style { "reportingController" } else { "reportingComponent" };
    let reporter = Spot { place: place.into(), ..reporter };
    reporter.filled(errors);
    reporter.problems(names::qualified(reporter.text()), errors);
    for field in SHORT {
        event.child(field).filled(errors);
        at_most(&event.child(field), 128, errors);
    }
    at_most(&event.child("message"), 1024, errors);
}

fn refuse(spot: &Spot<'_>, why: impl Into<String>, errors: &mut Errors) {
    errors.push(FieldError::invalid(spot.place.as_str(), "", why));
}

fn at_most(text: &Spot<'_>, most: usize, errors: &mut Errors) {
    if text.text().len() > most {
        refuse(text, format!("can have at most {most} characters"), errors);
    }
}

fn series(series: &Spot<'_>, errors: &mut Errors) {
    if !series.exists() {
        return;
    }
    if series.child("count").number().unwrap_or(0) < 2 {
        refuse(&series.child("count"), "should be at least 2", errors);
    }
    series.child("lastObservedTime").filled(errors);
}

fn created(event: &Spot<'_>, errors: &mut Errors) {
    event.child("eventTime").filled(errors);
    let kind = event.child("type");
    if !matches!(kind.text(), "Normal" | "Warning") {
        refuse(&kind, format!("has invalid value: {}", kind.text()), errors);
    }
    for field in ["firstTimestamp", "lastTimestamp", "count", "source"] {
        let former = event.child(field);
        if former.exists() && !(field == "source" && former.is_empty()) {
            refuse(&former, "needs to be unset", errors);
        }
    }
}

/// A field that has changed. Structs are shown with the names that they have inside of the real server.
fn fixed(field: &Spot<'_>, errors: &mut Errors) {
    const REFERENCE: [(&str, &str); 7] = [
        ("Kind", "kind"),
        ("Namespace", "namespace"),
        ("Name", "name"),
        ("UID", "uid"),
        ("APIVersion", "apiVersion"),
        ("ResourceVersion", "resourceVersion"),
        ("FieldPath", "fieldPath"),
    ];
    const SOURCE: [(&str, &str); 2] = [("Component", "component"), ("Host", "host")];
    let why = "field is immutable";
    let names: &[_] = match field.place.as_str() {
        "source" => &SOURCE,
        "involvedObject" | "related" if field.exists() => &REFERENCE,
        "reportingComponent" => {
            let field = Spot { place: "reportingController".into(), ..field.clone() };
            return field.problems([why.to_owned()], errors);
        }
        "count" => {
            let count = field.number().unwrap_or(0);
            errors.push(FieldError::invalid("count", count, why));
            return;
        }
        _ => return field.invalid(why, errors),
    };
    let parts: Vec<_> = names
        .iter()
        .map(|(shown, name)| format!("{}:{}", quote(shown), quote(field.child(name).text())))
        .collect();
    field.shown(Mistake::Invalid, &format!("{{{}}}", parts.join(",")), why, errors);
}
