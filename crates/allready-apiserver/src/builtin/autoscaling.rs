//! Autoscalers have two forms, `autoscaling/v1` and `autoscaling/v2`. They are stored in the newer one.
//!
//! Fields that the older version lacks are kept in annotations there. Follows `pkg/apis/autoscaling/v1/conversion.go`.

use serde_json::{Map, Value, json};

use super::{
    defaults, normal,
    path::{at, entry, items, remove, text_at},
};

const NEW: &str = "autoscaling.v2.HorizontalPodAutoscaler";
const OLD: &str = "autoscaling.v1.HorizontalPodAutoscaler";
/// `(annotation of the old form, path in the new one)`.
const KEPT: [(&str, [&str; 2]); 4] = [
    ("autoscaling.alpha.kubernetes.io/metrics", ["spec", "metrics"]),
    ("autoscaling.alpha.kubernetes.io/behavior", ["spec", "behavior"]),
    ("autoscaling.alpha.kubernetes.io/current-metrics", ["status", "currentMetrics"]),
    ("autoscaling.alpha.kubernetes.io/conditions", ["status", "conditions"]),
];

fn is_cpu(metric: &Value) -> bool {
    text_at(metric, &["type"]) == "Resource" && text_at(metric, &["resource", "name"]) == "cpu"
}

/// From `autoscaling/v1` to `autoscaling/v2`.
pub(crate) fn to_stored(object: &mut Value) {
    for (annotation, path) in KEPT {
        let kept = ["metadata", "annotations", annotation];
        let read = serde_json::from_str::<Value>(text_at(object, &kept)).ok();
        remove(object, &kept);
        if let (Some(read), Some(map)) = (read, object.as_object_mut()) {
            entry(map, &path[..1]).insert(path[1].to_owned(), read);
        }
    }
    let target = at(object, &["spec", "targetCPUUtilizationPercentage"]).cloned();
    let seen = at(object, &["status", "currentCPUUtilizationPercentage"]).cloned();
    let Some(map) = object.as_object_mut() else { return };
    let mut put_last = |part: &str, list: &str, metric: Value| {
        let list = entry(map, &[part]).entry(list).or_insert(json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(metric);
        }
    };
    if let Some(target) = target {
        let target = json!({"type": "Utilization", "averageUtilization": target});
        put_last(
            "spec",
            "metrics",
            json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}),
        );
    }
    if let Some(seen) = seen {
        let current = json!({"averageUtilization": seen, "averageValue": "0"});
        let metric = json!({"type": "Resource", "resource": {"name": "cpu", "current": current}});
        put_last("status", "currentMetrics", metric);
    }
    if items(object, &["metadata", "annotations"]).is_empty()
        && at(object, &["metadata", "annotations"]).and_then(Value::as_object).is_some_and(Map::is_empty)
    {
        remove(object, &["metadata", "annotations"]);
    }
    normal::normalise(NEW, object);
    if let Some(map) = object.as_object_mut() {
        defaults::fill(NEW, map);
    }
}

/// From `autoscaling/v2` to `autoscaling/v1`.
pub(crate) fn to_old(object: &mut Value) {
    let mut annotations = Map::new();
    for (annotation, path) in KEPT {
        let Some(mut found) = at(object, &path).cloned() else { continue };
        if let Some(list) = found.as_array_mut().filter(|_| path[1] != "conditions") {
            if let Some(place) = list.iter().position(is_cpu)
                && at(&list[place], &["resource", "target", "averageValue"]).is_none()
            {
                let cpu = list.remove(place);
                let field = if path[0] == "spec" {
                    ("target", "targetCPUUtilizationPercentage")
                } else {
                    ("current", "currentCPUUtilizationPercentage")
                };
                let percent = at(&cpu, &["resource", field.0, "averageUtilization"]).cloned();
                if let (Some(percent), Some(map)) = (percent, object.as_object_mut()) {
                    entry(map, &path[..1]).insert(field.1.to_owned(), percent);
                }
            }
            if list.is_empty() {
                continue;
            }
        }
        annotations.insert(annotation.to_owned(), found.to_string().into());
    }
    if let Some(map) = object.as_object_mut().filter(|_| !annotations.is_empty()) {
        entry(map, &["metadata", "annotations"]).extend(annotations);
    }
    normal::normalise(OLD, object);
}
