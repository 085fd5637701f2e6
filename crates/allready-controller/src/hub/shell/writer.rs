//! Executes what was decided.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use allready_kube::{
    kinds::{ClusterStatus, InstanceStatus, StatusAggregation},
    list_watch::{NO_ANSWER, REQUEST_TIMEOUT},
    refusal::Refusal,
};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, Preconditions},
    error::DiscoveryError,
};
use serde_json::Value;
use tokio::time::timeout;

use super::dns_endpoint;
use crate::engine::Written;
use crate::hub::{
    MANAGER, ObjectName, Target,
    state::{AGGREGATION_LABEL, MADE_BY, cluster_statuses::lease_name},
};

/// The names in requests of the kinds that are aggregated, by version and kind.
pub(super) type Kinds = Arc<Mutex<BTreeMap<(String, String), ApiResource>>>;

/// Executes what was decided.
#[derive(Clone)]
pub(super) struct Writer {
    pub(super) client: Client,
    /// The namespace of ClusterStatuses and Leases.
    pub(super) namespace: Arc<str>,
    pub(super) kinds: Kinds,
}

impl Writer {
    pub(super) async fn write(&self, target: &Target, body: Option<&Value>) -> Written {
        match timeout(REQUEST_TIMEOUT, self.attempt(target, body)).await {
            Ok(Ok(object)) => match body.zip(object.as_ref()).and_then(|(body, object)| lost(body, object)) {
                // Nobody was faster: it is refused in effect, and tried again later each time.
                Some(what) => Err((Refusal::Unanswered, what)),
                None => Ok(object),
            },
            Ok(Err(error)) => Err((Refusal::of(&error), in_words(&error))),
            Err(_) => Err((Refusal::Unanswered, NO_ANSWER.to_owned())),
        }
    }

    async fn attempt(&self, target: &Target, body: Option<&Value>) -> kube::Result<Option<Value>> {
        let manager = match target {
            Target::Status(status) => &status.manager,
            _ => MANAGER,
        };
        let apply = PatchParams::apply(manager).force();
        let (api, name) = self.api(target, body)?;
        let Some(body) = body else {
            return remove(&api, &name).await;
        };
        let object = match target {
            Target::Status(_) | Target::Aggregation(_) => {
                api.patch_status(&name, &apply, &Patch::Apply(body)).await?
            }
            // A Lease is one of ours, too.
            Target::Endpoint(_) | Target::Lease(_) => {
                // One whose version is known was seen by its label.
                let is_known = body["metadata"].get("resourceVersion").is_some();
                if !is_known && api.get_opt(&name).await?.is_some_and(|found| !is_made_by_us(&found)) {
                    return Err(kube::Error::Service(NOT_OURS.into()));
                }
                api.patch(&name, &apply, &Patch::Apply(body)).await?
            }
            Target::InstanceStatus(_) | Target::ClusterStatus(_) => {
                let without = |part: &str| {
                    let mut rest = body.clone();
                    if let Some(fields) = rest.as_object_mut() {
                        fields.remove(part);
                    }
                    rest
                };
                let (mut whole, status) = (without("status"), without("spec"));
                if let Some(metadata) = whole["metadata"].as_object_mut() {
                    // It is written after the status, or after nothing was found.
                    metadata.remove("resourceVersion");
                }
                // It is there, most of the time, and nothing but its status changes.
                match api.patch_status(&name, &apply, &Patch::Apply(&status)).await {
                    Ok(object) if carries(&object, body) => object,
                    Ok(_) => api.patch(&name, &apply, &Patch::Apply(&whole)).await?,
                    Err(error) if Refusal::of(&error) == Refusal::NotFound => {
                        api.patch(&name, &apply, &Patch::Apply(&whole)).await?;
                        let mut status = status;
                        if let Some(metadata) = status["metadata"].as_object_mut() {
                            metadata.remove("resourceVersion");
                        }
                        api.patch_status(&name, &apply, &Patch::Apply(&status)).await?
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Some(serde_json::to_value(&object).unwrap_or_default()))
    }

    fn api(&self, target: &Target, body: Option<&Value>) -> kube::Result<(Api<DynamicObject>, String)> {
        let client = self.client.clone();
        let (object, resource) = match target {
            Target::Status(status) => {
                let text =
                    |field: &str| body.and_then(|body| body[field].as_str()).unwrap_or_default().to_owned();
                let kind = (text("apiVersion"), text("kind"));
                let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
                // It was seen, so its kind has been discovered.
                let unknown = || kube::Error::Discovery(DiscoveryError::MissingKind(kind.1.clone()));
                (status.object.clone(), kinds.get(&kind).cloned().ok_or_else(unknown)?)
            }
            Target::Endpoint(object) => (object.clone(), dns_endpoint()),
            Target::InstanceStatus(object) => (object.clone(), ApiResource::erase::<InstanceStatus>(&())),
            Target::ClusterStatus(cluster) => {
                let object = ObjectName::new(&self.namespace, cluster.as_str());
                (object, ApiResource::erase::<ClusterStatus>(&()))
            }
            Target::Lease(cluster) => {
                let object = ObjectName::new(&self.namespace, &lease_name(cluster));
                (object, ApiResource::erase::<Lease>(&()))
            }
            Target::Aggregation(name) => {
                (ObjectName::new("", name), ApiResource::erase::<StatusAggregation>(&()))
            }
        };
        let api = if object.namespace.is_empty() {
            Api::all_with(client, &resource)
        } else {
            Api::namespaced_with(client, &object.namespace, &resource)
        };
        Ok((api, object.name.as_ref().to_owned()))
    }
}

/// Takes an object away, if it is the one that was made here.
async fn remove(api: &Api<DynamicObject>, name: &str) -> kube::Result<Option<Value>> {
    let Some(found) = api.get_opt(name).await?.filter(is_made_by_us) else { return Ok(None) };
    let preconditions = Preconditions { uid: found.uid(), resource_version: found.resource_version() };
    let only_this = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
    match api.delete(name, &only_this).await {
        Ok(_) => Ok(None),
        Err(error) if Refusal::of(&error) == Refusal::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if an object was made here.
fn is_made_by_us(object: &DynamicObject) -> bool {
    let labels = object.labels();
    labels.contains_key(AGGREGATION_LABEL) || labels.get(MADE_BY.0).is_some_and(|made| made == MADE_BY.1)
}

const NOT_OURS: &str = "an object of this name is there already, and is somebody else's: rename or remove it";

/// Returns true if an object has all that is wanted of it but for its status, which is written by itself.
fn carries(object: &DynamicObject, wanted: &Value) -> bool {
    let object = serde_json::to_value(object).unwrap_or_default();
    let metadata = |object: &Value, part: &str| object["metadata"][part].clone();
    let labels = metadata(wanted, "labels");
    let mut labels = labels.as_object().into_iter().flatten();
    object["spec"] == wanted["spec"]
        && labels.all(|(name, value)| object["metadata"]["labels"].get(name) == Some(value))
        && metadata(&object, "ownerReferences")[0]["uid"] == metadata(wanted, "ownerReferences")[0]["uid"]
}

/// Finds what was accepted and does not stand nevertheless: somebody changes what is written on its way.
fn lost(sent: &Value, stands: &Value) -> Option<String> {
    let stands = &stands["status"];
    let conditions = sent["status"]["conditions"].as_array()?;
    let found = |type_: &Value| stands["conditions"].as_array()?.iter().find(|found| found["type"] == *type_);
    let lost = conditions.iter().find(|condition| {
        found(&condition["type"]).is_none_or(|found| found["status"] != condition["status"])
    })?;
    Some(format!("the condition {} was accepted, and another one stands", lost["type"]))
}

fn in_words(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}
