//! The tables of the embedded server that come from Kubernetes itself: made here, never by hand.
//!
//! What the Go types say is printed by `xtask/kube/shapes`; what the OpenAPI documents and the first objects of a cluster say
//! comes from a real server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use crate::client::Client;
use crate::printer;
use crate::real::{Environment, Private};

/// The documents, and the kinds in them that are served.
const KINDS: [(&str, &[&str]); 11] = [
    (
        "api/v1",
        &[
            "Binding",
            "ConfigMap",
            "Event",
            "Namespace",
            "Node",
            "Pod",
            "PodTemplate",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
    (
        "apis/admissionregistration.k8s.io/v1",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apis/apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("apis/apps/v1", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    (
        "apis/authorization.k8s.io/v1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    ("apis/autoscaling/v1", &["Scale"]),
    ("apis/batch/v1", &["CronJob", "Job"]),
    ("apis/coordination.k8s.io/v1", &["Lease"]),
    ("apis/events.k8s.io/v1", &["Event"]),
    ("apis/policy/v1", &["PodDisruptionBudget"]),
    ("apis/rbac.authorization.k8s.io/v1", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
];

/// What every kind needs.
const COMMON: [&str; 4] = ["Condition", "DeleteOptions", "Patch", "Status"];

/// The roles that users meet, those that others gather from first.
const ROLES: [&str; 11] = [
    "cluster-admin",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
    "system:monitoring",
    "system:aggregate-to-view",
    "system:aggregate-to-edit",
    "system:aggregate-to-admin",
    "view",
    "edit",
    "admin",
];

/// Who has some of them from the start.
const BINDINGS: [&str; 5] = [
    "cluster-admin",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
    "system:monitoring",
];

/// Makes the tables, or with `check` only says which are not as they would be made. Returns whether all are.
pub async fn run(environment: &Environment, check: bool) -> Result<bool> {
    let server = Private::start(environment).await?;
    let client = server.client()?;
    let tables = [
        ("http/protobuf/messages.json", from_go("messages")?),
        ("builtin/types.json", from_go("types")?),
        ("builtin/kinds.json", kinds(&client).await?),
        ("access/defaults.json", defaults(&client).await?),
    ];
    let mut same = true;
    for (name, made) in tables {
        let path = source().join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if found == made {
            printer::line(format!("{name}: as it should be"));
        } else if check {
            same = false;
            printer::line(format!("{name}: not what Kubernetes says; run cargo xtask shapes"));
        } else {
            std::fs::write(&path, made).with_context(|| format!("cannot write {}", path.display()))?;
            printer::line(format!("{name}: written"));
        }
    }
    Ok(same)
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/allready-apiserver/src")
}

fn from_go(table: &str) -> Result<String> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("kube");
    // As the server is built, so that Go compiles once what both consist of.
    let output =
        Command::new("go").args(["run", "-trimpath", "./shapes", table]).current_dir(module).output();
    let output = output.context("cannot run go")?;
    if !output.status.success() {
        bail!("go run ./shapes {table} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

async fn get(client: &Client, path: &str) -> Result<Value> {
    let answer = client.get(path).await?;
    if !answer.status.is_success() {
        bail!("{path}: {}", answer.status);
    }
    serde_json::from_slice(&answer.body).with_context(|| format!("{path} is no JSON"))
}

async fn kinds(client: &Client) -> Result<String> {
    let mut known = Map::new();
    let mut wanted: Vec<String> =
        COMMON.iter().map(|name| format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}")).collect();
    for (path, kinds) in KINDS {
        let mut document = get(client, &format!("/openapi/v3/{path}")).await?;
        let group = path.strip_prefix("apis/").and_then(|path| path.strip_suffix("/v1")).unwrap_or_default();
        let Value::Object(schemas) = document["components"]["schemas"].take() else {
            bail!("an OpenAPI document without schemas");
        };
        for (name, schema) in &schemas {
            let named = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
            let mut own = named.filter(|kind| kind["group"] == group && kind["version"] == "v1");
            if own.any(|own| kinds.iter().any(|kind| own["kind"] == *kind)) {
                wanted.push(name.clone());
            }
        }
        known.extend(schemas);
    }
    let mut made: BTreeMap<String, Value> = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        if made.contains_key(&name) {
            continue;
        }
        let schema = known.get(&name).with_context(|| format!("no definition of {name}"))?;
        let mut schema = bare(schema, false);
        // What is accepted everywhere is of another kind in every document.
        let everywhere =
            schema["x-kubernetes-group-version-kind"].as_array().is_some_and(|kinds| kinds.len() > 1);
        if everywhere && let Some(schema) = schema.as_object_mut() {
            schema.remove("x-kubernetes-group-version-kind");
        }
        let mut found = BTreeSet::new();
        references(&schema, &mut found);
        wanted.extend(found);
        made.insert(name, schema);
    }
    let lines = made.iter().map(|(name, schema)| format!("{}:{schema}", Value::from(name.as_str())));
    Ok(format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n")))
}

/// A schema without prose, with references by name alone.
fn bare(schema: &Value, properties: bool) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(|item| bare(item, false)).collect(),
        Value::Object(fields) if properties => {
            fields.iter().map(|(name, field)| (name.clone(), bare(field, false))).collect()
        }
        Value::Object(fields) => {
            if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                return serde_json::json!({ "$ref": target.rsplit('/').next() });
            }
            // A reference with a default stands alone in an `allOf`.
            if let Some([only]) = fields.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
                && only.get("$ref").is_some()
                && fields.keys().all(|key| matches!(key.as_str(), "allOf" | "default" | "description"))
            {
                let mut reference = bare(only, false);
                if let Some(default) = fields.get("default") {
                    reference["default"] = default.clone();
                }
                return reference;
            }
            let kept = fields.iter().filter(|(key, _)| *key != "description");
            kept.map(|(key, field)| (key.clone(), bare(field, key == "properties"))).collect()
        }
        other => other.clone(),
    }
}

fn references(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(fields) => {
            for (key, field) in fields {
                match field {
                    Value::String(target) if key == "$ref" => _ = found.insert(target.clone()),
                    other => references(other, found),
                }
            }
        }
        _ => {}
    }
}

async fn defaults(client: &Client) -> Result<String> {
    let roles = ROLES.map(|name| ("clusterroles", name));
    let bindings = BINDINGS.map(|name| ("clusterrolebindings", name));
    let mut lines = Vec::new();
    for (plural, name) in roles.into_iter().chain(bindings) {
        let mut object = get(client, &format!("/apis/rbac.authorization.k8s.io/v1/{plural}/{name}")).await?;
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|field, _| matches!(field.as_str(), "annotations" | "labels" | "name"));
        }
        if let Some(object) = object.as_object_mut() {
            object.retain(|_, field| !field.is_null());
        }
        lines.push(object.to_string());
    }
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}
