//! Counters in the status of the kinds that run pods.
//!
//! Follows `pkg/apis/apps/validation` of Kubernetes.

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
            &[
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                "collisionCount",
            ],
            &[
                ("updatedReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "ReplicaSet" => (
            &[
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "observedGeneration",
                "terminatingReplicas",
            ],
            &[
                ("fullyLabeledReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "StatefulSet" => (
            &[
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                "collisionCount",
            ],
            &[
                ("readyReplicas", "replicas"),
                ("currentReplicas", "replicas"),
                ("updatedReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "DaemonSet" => (
            &[
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
                "collisionCount",
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
            let plain = *whole == "readyReplicas" && row.kind != "StatefulSet";
            let prefix = if plain { "" } else { "status." };
            let why = format!("cannot be greater than {prefix}{whole}");
            errors.push(FieldError::invalid(format!("status.{part}"), count(part), why));
        }
    }
}
