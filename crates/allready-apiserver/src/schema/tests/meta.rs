use serde_json::json;

use crate::schema::meta::{is_tidy, tidy};

#[test]
fn metadata_comes_back_from_its_type_without_what_is_empty() {
    let owner = json!({"apiVersion": "v1", "kind": "K", "name": "n", "uid": ""});
    for (given, expected) in [
        (json!(null), json!({})),
        (json!({"labels": {}, "annotations": {}, "finalizers": [], "generateName": ""}), json!({})),
        (
            json!({"labels": {"a": null}, "finalizers": [null]}),
            json!({"labels": {"a": ""}, "finalizers": [""]}),
        ),
        (json!({"generation": 0, "deletionGracePeriodSeconds": 0}), json!({"deletionGracePeriodSeconds": 0})),
        (
            json!({"creationTimestamp": "2020-01-01T01:00:00.5+01:00"}),
            json!({"creationTimestamp": "2020-01-01T00:00:00Z"}),
        ),
        (
            json!({"creationTimestamp": "1960-01-01T00:00:00.5Z"}),
            json!({"creationTimestamp": "1960-01-01T00:00:00Z"}),
        ),
        (
            json!({"ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "controller": null}]}),
            json!({"ownerReferences": [owner]}),
        ),
        (
            json!({"managedFields": [null, {"manager": "", "operation": "Apply", "fieldsV1": {}}]}),
            json!({"managedFields": [{}, {"operation": "Apply", "fieldsV1": {}}]}),
        ),
    ] {
        let mut metadata = given.clone();
        tidy(&mut metadata);
        assert_eq!(metadata, expected, "{given}");
        assert!(!is_tidy(&given) && is_tidy(&metadata), "{given}");
    }
}
