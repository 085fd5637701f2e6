//! Counters in the status of the kinds that run pods.

use serde_json::Value;

use super::{Errors, at_least_zero};
use crate::{
    builtin::{path::number_at, table::Row},
    status::FieldError,
};

/// Counters of pods in a status: none is below zero, and no part is more than the whole.
pub(super) fn check(row: &Row, new: &Value, errors: &mut Errors) {
    let (counts, bounds): (&[&str], &[(&str, &str)]) = match row.kind {
        "Deployment" => (
            &["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
            &[
                ("updatedReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "ReplicaSet" => (
            &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
            &[
                ("fullyLabeledReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "StatefulSet" => (
            &["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
            &[
                ("readyReplicas", "replicas"),
                ("currentReplicas", "replicas"),
                ("updatedReplicas", "replicas"),
            ],
        ),
        "DaemonSet" => (
            &[
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
            ],
            &[],
        ),
        _ => return,
    };
    for field in counts {
        at_least_zero(new, &["status", field], errors);
    }
    let count = |field: &str| number_at(new, &["status", field]).unwrap_or(0);
    for (part, whole) in bounds {
        if count(part) > count(whole) {
            let prefix = if *whole == "replicas" { "status." } else { "" };
            let why = format!("cannot be greater than {prefix}{whole}");
            errors.push(FieldError::invalid(format!("status.{part}"), count(part), why));
        }
    }
}
