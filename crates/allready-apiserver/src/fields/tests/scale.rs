use serde_json::{Value, json};

use crate::fields::{from_scale, to_scale};

fn entry(
    manager: &str,
    operation: &str,
    version: &str,
    subresource: Option<&str>,
    time: Option<&str>,
    fields: &Value,
) -> Value {
    let mut entry = json!({"manager": manager, "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", "fieldsV1": fields});
    if let Some(subresource) = subresource {
        entry["subresource"] = subresource.into();
    }
    if let Some(time) = time {
        entry["time"] = time.into();
    }
    entry
}

/// What kube-apiserver does with `kubectl scale` by `u1` after an apply by `m1`, and then an apply to the scale by `m2`.
#[test]
fn an_owner_of_replicas_is_one_in_the_object_and_in_its_scale() {
    let paths = [("lab/v1".to_owned(), Some(vec!["spec".to_owned(), "size".to_owned()]))];
    let now = Some("2026-11-15T07:18:47Z");
    let size = json!({"f:spec": {"f:size": {}}});
    let replicas = json!({"f:spec": {"f:replicas": {}}});
    let color = json!({"f:spec": {"f:color": {}}});
    let both = json!({"f:spec": {"f:color": {}, "f:size": {}}});

    let parent = json!([entry("m1", "Apply", "lab/v1", None, now, &both)]);
    let seen = to_scale(Some(&parent), &paths).unwrap();
    assert_eq!(json!(seen), json!([entry("m1", "Apply", "autoscaling/v1", None, now, &replicas)]));

    let untouched = from_scale(Some(&parent), Some(&json!(seen)), "lab/v1", &paths).unwrap();
    assert_eq!(json!(untouched), parent);

    let written = json!([entry("u1", "Update", "autoscaling/v1", Some("scale"), now, &replicas)]);
    let parent = json!(from_scale(Some(&parent), Some(&written), "lab/v1", &paths).unwrap());
    let left = entry("m1", "Apply", "lab/v1", None, now, &color);
    let updater = entry("u1", "Update", "lab/v1", Some("scale"), None, &size);
    assert_eq!(parent, json!([left, updater]));

    let mut seen = to_scale(Some(&parent), &paths).unwrap();
    assert_eq!(json!(seen), json!([entry("u1", "Update", "autoscaling/v1", Some("scale"), None, &replicas)]));
    seen.push(entry("m2", "Apply", "autoscaling/v1", Some("scale"), None, &replicas));
    let parent = json!(from_scale(Some(&parent), Some(&json!(seen)), "lab/v1", &paths).unwrap());
    let applier = entry("m2", "Apply", "lab/v1", Some("scale"), None, &size);
    assert_eq!(parent, json!([applier, left, updater]));
}

#[test]
fn a_version_that_is_gone_is_forgotten_and_one_without_a_scale_is_kept() {
    let paths = [("lab/v1".to_owned(), None)];
    let fields = json!({"f:spec": {"f:size": {}}});
    let kept = entry("m", "Apply", "lab/v1", None, None, &fields);
    let parent = json!([kept, entry("n", "Apply", "lab/v9", None, None, &fields)]);
    assert_eq!(to_scale(Some(&parent), &paths).unwrap(), Vec::<Value>::new());
    assert_eq!(from_scale(Some(&parent), None, "lab/v1", &paths).unwrap(), [kept]);
}
