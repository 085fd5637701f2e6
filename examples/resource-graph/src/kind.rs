//! The kind that is reconciled.

use std::collections::BTreeMap;

use allready::{Conditions, StatusFields};
use kube::{CustomResource, api::ApiResource};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A kind to make, and the resources that its objects stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "example.allready.dev",
    version = "v1alpha1",
    kind = "ResourceGraphDefinition",
    plural = "resourcegraphdefinitions",
    shortname = "rgd",
    status = "ResourceGraphStatus",
    derive = "PartialEq",
    printcolumn(name = "Kind", type_ = "string", json_path = ".spec.schema.kind")
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
    /// Further conditions of its objects, which somebody else writes: `!` before one that is bad when it is `True`,
    /// brackets around one that does not count for `Ready`. For example `Announced, !Degraded, (Cached)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
}

/// One resource of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphResource {
    /// The name of the resource in references.
    #[schemars(length(min = 1, max = 63))]
    pub id: String,
    /// The manifest of the resource, with references.
    #[schemars(schema_with = "anything")]
    pub template: Value,
}

/// The state of the graph and of its kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceGraphStatus {
    /// The generation that was reconciled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The conditions of the graph.
    pub conditions: Conditions<crate::conditions::ResourceGraphCondition>,
}

fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

impl SimpleSchema {
    /// The kind, for requests.
    pub fn resource(&self) -> ApiResource {
        ApiResource {
            group: self.group.clone(),
            version: self.version.clone(),
            api_version: format!("{}/{}", self.group, self.version),
            kind: self.kind.clone(),
            plural: self.plural(),
        }
    }

    /// The word in the kind's address.
    pub fn plural(&self) -> String {
        self.plural.clone().unwrap_or_else(|| format!("{}s", self.kind.to_lowercase()))
    }

    /// The name of the definition that makes the kind.
    pub fn definition(&self) -> String {
        format!("{}.{}", self.plural(), self.group)
    }
}
