//! What the API server should accept as a list of conditions.

use allready_core::Message;
use schemars::{Schema, SchemaGenerator, json_schema};

/// What the type of a condition looks like.
pub(super) const CONDITION_TYPE: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

/// What the name of a namespace, or of a cluster, looks like.
pub(super) const DNS_LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// The schema of a list of conditions as Kubernetes' own kinds have it: a map by `type`, so that several writers can each
/// own theirs, with the lengths and patterns of `metav1.Condition`.
///
/// `k8s_openapi` has the shape alone, and without the list type every writer would replace the conditions of all others.
///
/// ```
/// use allready_core::Condition;
///
/// #[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
/// struct PoolStatus {
///     #[serde(default)]
///     #[schemars(schema_with = "allready_kube::kinds::conditions")]
///     conditions: Vec<Condition>,
/// }
///
/// let schema = schemars::schema_for!(PoolStatus);
/// assert_eq!(schema.get("properties").unwrap()["conditions"]["x-kubernetes-list-type"], "map");
/// ```
pub fn conditions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "description": "One aspect of the present state of this object.",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": {
                "type": {
                    "type": "string",
                    "description": "What the condition is about, in CamelCase or as prefix/CamelCase.",
                    "maxLength": 316,
                    "pattern": CONDITION_TYPE,
                },
                "status": {
                    "type": "string",
                    "description": "Whether it holds.",
                    "enum": ["True", "False", "Unknown"],
                },
                "observedGeneration": {
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                    "description": "The metadata.generation that this was found out about.",
                },
                "lastTransitionTime": {
                    "type": "string",
                    "format": "date-time",
                    "description": "When the status last changed.",
                },
                "reason": {
                    "type": "string",
                    "description": "The cause, for programs: one CamelCase word.",
                    "minLength": 1,
                    "maxLength": 1024,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "message": {
                    "type": "string",
                    "description": "The cause, for people. May be empty.",
                    "maxLength": Message::MAX_BYTES,
                },
            },
        },
    })
}

/// The schema of a [`Time`](allready_core::Time).
pub fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time", "nullable": true })
}
