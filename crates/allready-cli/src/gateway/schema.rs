//! Refusals of the API server: manifests against the schemas and CEL rules of the CRDs.

use std::collections::{BTreeMap, BTreeSet};

use allready_apiserver::ApiServer;
use allready_gateway::{GROUP, ObjectKey};
use allready_inspect::lint::Severity;
use kube::{
    Client,
    core::{Request, params::PostParams},
};
use serde_json::{Value, json};

use super::{
    manifest::Manifest,
    problem::{Part, Problem, Problems, pointer},
    world::{Given, World},
};

/// The CRDs of the Gateway API, by kind.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    crds: BTreeMap<String, Value>,
}

/// The outcome of a validation.
#[derive(Debug, Default)]
pub(super) struct Validation {
    pub(super) problems: Problems,
    /// Kinds of manifests without a CRD.
    pub(super) unchecked: BTreeSet<String>,
    /// CRDs that cannot be used.
    pub(super) unusable: Vec<String>,
}

impl Schemas {
    /// Takes the CRDs out of objects; a later one replaces an earlier one.
    pub(super) fn new<'a>(objects: impl IntoIterator<Item = &'a Manifest>) -> Self {
        let text = |value: &'a Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        let crds = objects.into_iter().map(|one| &one.value).filter(|value| {
            text(value, "/kind") == Some("CustomResourceDefinition")
                && text(value, "/spec/group") == Some(GROUP)
        });
        let named = |crd: &'a Value| Some((text(crd, "/spec/names/kind")?.to_owned(), crd.clone()));
        Self { crds: crds.filter_map(named).collect() }
    }

    /// Creates every object of a manifest on an API server in memory, as a dry run, and takes what that refuses.
    pub(super) async fn validate(&self, world: &World) -> Validation {
        let mut validation = Validation::default();
        let is_wanted = |given: &&Given| given.text.is_some() && api_version(given).starts_with(GROUP);
        let given: Vec<&Given> = world.given.values().filter(is_wanted).collect();
        let server = ApiServer::new();
        let client = Client::new(server.service(), "default");
        let kinds: BTreeSet<&str> = given.iter().map(|one| one.object.key.kind.as_str()).collect();
        let mut usable = BTreeSet::new();
        for kind in kinds {
            let Some(crd) = self.crds.get(kind) else {
                validation.unchecked.insert(kind.to_owned());
                continue;
            };
            let crd = json!({
                "apiVersion": crd["apiVersion"], "kind": crd["kind"], "spec": crd["spec"],
                "metadata": {"name": crd["metadata"]["name"], "annotations": crd["metadata"]["annotations"]},
            });
            match server.define(crd) {
                Ok(()) => {
                    usable.insert(kind);
                }
                Err(failure) => validation.unusable.push(format!(
                    "the CRD of {kind} cannot be used, so no {kind} is checked against its schema: {}",
                    failure.message
                )),
            }
        }
        let namespaces: BTreeSet<&str> = given.iter().map(|one| &*one.object.key.namespace).collect();
        for name in namespaces {
            // One that cannot be made is told with each object in it.
            let _ = create(&client, "/api/v1/namespaces", &json!({"metadata": {"name": name}}), "").await;
        }
        for one in given.into_iter().filter(|one| usable.contains(one.object.key.kind.as_str())) {
            let Some(crd) = self.crds.get(one.object.key.kind.as_str()) else { continue };
            validation.problems.extend(refusals(&client, crd, one).await);
        }
        validation
    }
}

/// Manifests of kinds that a cluster does not serve.
pub(super) fn unserved(world: &World, kinds: &BTreeSet<String>, served: &BTreeSet<String>) -> Vec<Problem> {
    let is_unserved = |given: &&Given| {
        let kind = given.object.key.kind.as_str();
        given.text.is_some() && kinds.contains(kind) && !served.contains(kind)
    };
    let problem = |given: &Given| {
        let key = given.object.key.clone();
        let message = format!("the API server does not serve {}: install its CRD", key.kind);
        problem(key, "/kind", "NotServed", message)
    };
    world.given.values().filter(is_unserved).map(problem).collect()
}

fn problem(key: ObjectKey, pointer: &str, reason: &str, message: String) -> Problem {
    let (pointer, reason) = (pointer.to_owned(), reason.to_owned());
    Problem { key, part: Part::Whole, severity: Severity::Error, reason, message, pointer, missing: None }
}

fn api_version(given: &Given) -> &str {
    given.value["apiVersion"].as_str().unwrap_or_default()
}

/// The refusals of an object.
async fn refusals(client: &Client, crd: &Value, given: &Given) -> Vec<Problem> {
    let refusal = |pointer: &str, reason: &str, message: String| {
        problem(given.object.key.clone(), pointer, reason, message)
    };
    let ObjectKey { namespace, kind, .. } = &given.object.key;
    let version = api_version(given);
    let versions = crd["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = versions.iter().filter(|one| one["served"] == true).filter_map(|one| one["name"].as_str());
    let names: Vec<&str> = names.collect();
    if !names.iter().any(|name| version == format!("{GROUP}/{name}")) {
        let message = format!("the CRD of {kind} does not serve {version}, but {}", names.join(", "));
        return vec![refusal("/apiVersion", "NotServed", message)];
    }
    let plural = crd["spec"]["names"]["plural"].as_str().unwrap_or_default();
    let path = if crd["spec"]["scope"] == "Namespaced" {
        format!("/apis/{version}/namespaces/{namespace}/{plural}")
    } else {
        format!("/apis/{version}/{plural}")
    };
    let mut object = given.value.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        // Fields of an object that was read from a cluster, which cannot be created as it is.
        for field in ["resourceVersion", "uid", "creationTimestamp", "generation"] {
            metadata.remove(field);
        }
    }
    let mut found = Vec::new();
    // Unknown fields are refused before the rest is looked at.
    for validation in ["Strict", "Ignore"] {
        let options = format!("&dryRun=All&fieldValidation={validation}");
        let Err(error) = create(client, &path, &object, &options).await else { continue };
        let kube::Error::Api(status) = error else {
            found.push(refusal("", "Refused", error.to_string()));
            continue;
        };
        let unknown = status.message.split("strict decoding error: ").nth(1);
        let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
        if let Some(unknown) = unknown {
            for problem in unknown.split("\", ").map(|one| one.trim_end_matches('"')) {
                let (words, field) = problem.split_once(" \"").unwrap_or((problem, ""));
                let reason = if words == "unknown field" { "UnknownField" } else { "StrictDecoding" };
                let message = if field.is_empty() { words.to_owned() } else { format!("{words} {field}") };
                found.push(refusal(&pointer(field), reason, message));
            }
        } else if causes.is_empty() {
            found.push(refusal("", &status.reason, status.message.clone()));
        }
        // An object whose schema is wrong is not held to the rules; that is no error of its own.
        let is_one = |message: &str| !message.contains("some validation rules were not checked");
        for cause in causes.iter().filter(|cause| unknown.is_none() && is_one(&cause.message)) {
            let at = if cause.field.starts_with('<') { "" } else { cause.field.as_str() };
            let message = if at.is_empty() || cause.message.contains(at) {
                cause.message.clone()
            } else {
                format!("{at}: {}", cause.message)
            };
            found.push(refusal(&pointer(at), &cause.reason, message));
        }
    }
    found
}

async fn create(client: &Client, path: &str, object: &Value, options: &str) -> Result<Value, kube::Error> {
    let data = serde_json::to_vec(object).map_err(kube::Error::SerdeError)?;
    let mut request =
        Request::new(path).create(&PostParams::default(), data).map_err(kube::Error::BuildRequest)?;
    if let Ok(uri) = format!("{path}?{}", options.trim_start_matches('&')).parse() {
        *request.uri_mut() = uri;
    }
    client.request(request).await
}
