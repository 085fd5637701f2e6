//! The kind that is reconciled.

use std::collections::BTreeMap;

use allready::{Condition, StatusFields};
use kube::CustomResource;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A kind to make, and the resources that its objects stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::duplicated_attributes, reason = "columns may be of the same type")]
#[kube(
    group = "example.allready.dev",
    version = "v1alpha1",
    kind = "ResourceGraphDefinition",
    plural = "resourcegraphdefinitions",
    shortname = "rgd",
    status = "ResourceGraphStatus",
    derive = "PartialEq",
    printcolumn(name = "Kind", type_ = "string", json_path = ".spec.schema.kind"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ResourceGraphSpec {
    /// The kind to make.
    pub schema: SimpleSchema,
    /// The resources that an object of the kind stands for. References make the graph: `${vpc.status.id}`.
    #[serde(default)]
    pub resources: Vec<GraphResource>,
}

/// A kind in a few words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimpleSchema {
    /// The API group of the kind.
    #[schemars(length(min = 1, max = 253))]
    pub group: String,
    /// Its version, such as `v1alpha1`.
    #[schemars(length(min = 1, max = 63))]
    pub version: String,
    /// Its name, such as `MyCustomKind`.
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
    /// The word in its address; the name in lower case with an `s` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plural: Option<String>,
    /// The fields of its spec: `string`, `integer`, `number`, `boolean`, or a list such as `[]string`; then, if wanted,
    /// `| required` or `| default=…`.
    #[serde(default)]
    pub spec: BTreeMap<String, String>,
}

/// One resource of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphResource {
    /// What others call it in their references.
    #[schemars(length(min = 1, max = 63))]
    pub id: String,
    /// What it looks like.
    #[schemars(schema_with = "anything")]
    pub template: Value,
}

/// How the kind is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase")]
#[status(without(last_reconcile_time, phase, reason, message))]
pub struct ResourceGraphStatus {
    /// The generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The three conditions. Earlier versions of this controller wrote some that are not legal, so they are read leniently.
    #[serde(default, deserialize_with = "allready::kinds::as_found")]
    #[schemars(schema_with = "allready::kinds::conditions")]
    pub conditions: Vec<Condition>,
}

fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

impl SimpleSchema {
    /// The word in the kind's address.
    pub fn plural(&self) -> String {
        self.plural.clone().unwrap_or_else(|| format!("{}s", self.kind.to_lowercase()))
    }

    /// The name of the definition that makes the kind.
    pub fn definition(&self) -> String {
        format!("{}.{}", self.plural(), self.group)
    }
}
