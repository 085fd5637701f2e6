//! The `DNSEndpoint` that publishes records.

use std::collections::BTreeMap;

use allready_core::Time;
use allready_kube::{kinds::DnsOutput, manager::Manager};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Published, RecordKey, TARGETS_ANNOTATION, Targets};
use crate::hub::{ClusterName, ObjectName};

/// Whom a made object belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// Its group and version.
    pub api_version: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its uid.
    pub uid: &'a str,
}

/// The name of the `DNSEndpoint` of an object, such as `gateway-web`. The kind stands in it, so that objects of several kinds
/// can share a name.
///
/// ```
/// use allready_controller::hub::{ObjectName, dns::endpoint_name};
///
/// assert_eq!(endpoint_name("Gateway", &ObjectName::new("apps", "web")), "gateway-web");
/// ```
pub fn endpoint_name(kind: &str, object: &ObjectName) -> String {
    let whole = format!("{}-{}", kind.to_ascii_lowercase(), object.name);
    if whole.len() <= MAX_NAME_BYTES {
        whole
    } else {
        // Names of managers are shortened the same way: the beginning, and a digest of the whole.
        Manager::of(&whole).as_str().to_owned()
    }
}

impl Published {
    /// The `DNSEndpoint` that publishes this, to be applied beside the object that it belongs to. `DNSEndpoints` live in
    /// namespaces: an object without one cannot have it.
    ///
    /// ```
    /// use allready_controller::hub::{ObjectName, dns::{Owner, Published}};
    ///
    /// let owner = Owner { api_version: "gateway.networking.k8s.io/v1", kind: "Gateway", uid: "7f0c" };
    /// let gateway = ObjectName::new("apps", "web");
    /// let endpoint = Published::default().endpoint(&gateway, &owner, &Default::default());
    /// assert_eq!(endpoint["metadata"]["ownerReferences"][0]["name"], "web");
    /// assert_eq!(Published::read(&endpoint), Published::default());
    /// ```
    ///
    /// # RBAC
    ///
    /// `get`, `list`, `watch`, `create`, `patch` and `delete` on `dnsendpoints` of `externaldns.k8s.io`.
    pub fn endpoint(&self, object: &ObjectName, owner: &Owner<'_>, options: &DnsOutput) -> Value {
        let mut labels = options.labels.clone();
        labels.insert("app.kubernetes.io/managed-by".to_owned(), "allready".to_owned());
        let endpoints: Vec<_> =
            self.records.iter().map(|(key, targets)| entry(key, targets, options)).collect();
        let mut endpoint = json!({
            "apiVersion": "externaldns.k8s.io/v1alpha1",
            "kind": "DNSEndpoint",
            "metadata": {
                "name": endpoint_name(owner.kind, object),
                "labels": labels,
                "annotations": { TARGETS_ANNOTATION: attribution(&self.clusters) },
                "ownerReferences": [{
                    "apiVersion": owner.api_version,
                    "kind": owner.kind,
                    "name": &*object.name,
                    "uid": owner.uid,
                    "controller": true,
                }],
            },
            "spec": { "endpoints": endpoints },
        });
        if !object.namespace.is_empty() {
            endpoint["metadata"]["namespace"] = (*object.namespace).into();
        }
        endpoint
    }
}

fn entry<'a, T: AsRef<str> + 'a>(
    key: &RecordKey,
    targets: impl IntoIterator<Item = &'a T>,
    options: &DnsOutput,
) -> Value {
    let ttl = options.ttl_seconds.min(MAX_TTL_SECONDS);
    let targets: Vec<_> = targets.into_iter().map(AsRef::as_ref).collect();
    let mut entry = Map::new();
    entry.insert("dnsName".to_owned(), (*key.name).into());
    entry.insert("recordType".to_owned(), key.type_.as_str().into());
    entry.insert("recordTTL".to_owned(), ttl.into());
    entry.insert("targets".to_owned(), targets.into());
    if let Some(set) = &key.set {
        entry.insert("setIdentifier".to_owned(), (**set).into());
    }
    if !options.provider_specific.is_empty() {
        let told = options.provider_specific.iter();
        let told: Vec<_> = told.map(|said| json!({ "name": said.name, "value": said.value })).collect();
        entry.insert("providerSpecific".to_owned(), told.into());
    }
    entry.into()
}

/// The entry of the annotation for one cluster.
#[derive(Serialize)]
struct Said<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    leaving: Option<Time>,
    targets: Vec<&'a str>,
}

/// The annotation, compact and sorted. Clusters past what annotations may hold are left out: of their targets it is not
/// known any more whose they are, which is found out again when they are heard.
fn attribution(clusters: &BTreeMap<ClusterName, Targets>) -> String {
    let mut annotation = "{".to_owned();
    for (cluster, of) in clusters {
        let said = Said { leaving: of.leaving, targets: of.targets.iter().map(AsRef::as_ref).collect() };
        // Plain text and times cannot fail to be written, and names of clusters need no escapes.
        let Ok(said) = serde_json::to_string(&said) else { continue };
        let comma = if annotation.len() > 1 { "," } else { "" };
        let entry = format!("{comma}\"{cluster}\":{said}");
        if annotation.len() + entry.len() >= MAX_ANNOTATION_BYTES {
            break;
        }
        annotation += &entry;
    }
    annotation + "}"
}

const MAX_NAME_BYTES: usize = 253;

/// The longest time that DNS can hold, which is more than an option can say.
const MAX_TTL_SECONDS: u32 = 0x7fff_ffff;

/// All annotations of an object have 256 KiB together.
const MAX_ANNOTATION_BYTES: usize = 192 * 1024;
