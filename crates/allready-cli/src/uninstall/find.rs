//! The installed objects, as they are found in a cluster.

use allready_controller::hub::leftovers;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams},
};

use super::plan::Installed;
use crate::{
    cluster::{list_all, refused},
    failure::Failure,
    printer::{Printer, tame},
    version::OURS,
};

/// A kind that is installed: group, version, kind and plural.
pub(super) type Kind = (&'static str, &'static str, &'static str, &'static str);

pub(super) const DEPLOYMENT: Kind = ("apps", "v1", "Deployment", "deployments");
pub(super) const DEFINITION: Kind =
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
const LEASE: Kind = ("coordination.k8s.io", "v1", "Lease", "leases");

/// The kinds that are installed beside the controller and the CRDs: bindings before what they bind.
pub(super) const BESIDE: [Kind; 12] = [
    ("monitoring.coreos.com", "v1", "PodMonitor", "podmonitors"),
    ("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    ("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
    ("", "v1", "Service", "services"),
    ("", "v1", "ConfigMap", "configmaps"),
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
    ),
    ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles"),
    ("rbac.authorization.k8s.io", "v1", "Role", "roles"),
    ("", "v1", "ServiceAccount", "serviceaccounts"),
];
pub(super) const NAMESPACE: Kind = ("", "v1", "Namespace", "namespaces");

/// A part of a status that an aggregation wrote.
pub(super) struct Leftover {
    pub(super) kind: ApiResource,
    pub(super) written: leftovers::Leftover,
}

impl Leftover {
    /// Its name for people.
    pub(super) fn described(&self) -> String {
        let (kind, name) = (tame(&self.kind.kind.to_lowercase()), tame(&self.written.object.name));
        let place = match &*self.written.object.namespace {
            "" => String::new(),
            namespace => format!(" in {}", tame(namespace)),
        };
        format!("what {} wrote into {kind}/{name}{place}", tame(&self.written.manager))
    }
}

/// Everything that is installed, of whichever release, in the order in which it would go.
pub(super) async fn installed(client: &Client) -> Result<Vec<Installed>, Failure> {
    let mut found = Vec::new();
    for deployment in objects(client, DEPLOYMENT).await? {
        // The lease of the controller has its name, and no label: who leads has made it.
        let place = place(client, LEASE, &deployment);
        let lease = place.get_opt(&deployment.name_any()).await;
        let lease = lease.map_err(|error| refused("cannot get leases", &error))?;
        // Those of the clusters that a hub has heard.
        let of_hub = ListParams::default().labels("app.kubernetes.io/managed-by=allready-hub");
        let heard = list_all(&place, of_hub, "leases").await?;
        let mut leases: Vec<_> = lease.into_iter().chain(heard).collect();
        for lease in &mut leases {
            lease.metadata.labels.clone_from(&deployment.metadata.labels);
            lease.metadata.annotations.clone_from(&deployment.metadata.annotations);
        }
        found.push(Installed { kind: DEPLOYMENT, object: deployment, objects: None });
        found.extend(leases.into_iter().map(|object| Installed { kind: LEASE, object, objects: None }));
    }
    for kind in BESIDE {
        let objects = objects(client, kind).await?.into_iter();
        found.extend(objects.map(|object| Installed { kind, object, objects: None }));
    }
    for object in objects(client, DEFINITION).await? {
        let objects = objects_of(client, &object).await;
        found.push(Installed { kind: DEFINITION, object, objects });
    }
    let namespaces = objects(client, NAMESPACE).await?.into_iter();
    found.extend(namespaces.map(|object| Installed { kind: NAMESPACE, object, objects: None }));
    Ok(found)
}

/// Everything that aggregations have written into statuses, of whatever kind.
pub(super) async fn leftovers(client: &Client, printer: &mut Printer) -> Result<Vec<Leftover>, Failure> {
    let mut all = Vec::new();
    let kinds = leftovers::kinds(client).await;
    for kind in kinds.map_err(|error| refused("cannot find out which kinds there are", &error))? {
        match leftovers::search(client, &kind).await {
            Ok(found) => {
                all.extend(found.into_iter().map(|written| Leftover { kind: kind.clone(), written }));
            }
            // The kind is gone since it was found.
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            // Most kinds have nothing of ours: whoever may not look there can still uninstall the rest.
            Err(kube::Error::Api(status)) if status.code == 403 => {
                printer.text(&format!("not looked through: {}\n", tame(&status.message)))?;
            }
            Err(error) => return Err(refused(&format!("cannot list {}", tame(&kind.plural)), &error)),
        }
    }
    Ok(all)
}

/// The objects of a kind that are ours. None where the kind is not served.
async fn objects(client: &Client, kind: Kind) -> Result<Vec<DynamicObject>, Failure> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource(kind));
    let mut objects = list_all(&api, ListParams::default().labels(OURS), kind.3).await?;
    // What is being deleted goes without further ado.
    objects.retain(|object| object.metadata.deletion_timestamp.is_none());
    Ok(objects)
}

/// Counts the objects of a CRD, as far as that can be found out: one that is just being made or unmade has none to show.
async fn objects_of(client: &Client, definition: &DynamicObject) -> Option<usize> {
    let spec = &definition.data["spec"];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (group, version) = (text(&spec["group"]), text(&spec["versions"][0]["name"]));
    let kind = GroupVersionKind { group, version, kind: text(&spec["names"]["kind"]) };
    let resource = ApiResource::from_gvk_with_plural(&kind, &text(&spec["names"]["plural"]));
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    api.list_metadata(&ListParams::default()).await.ok().map(|list| list.items.len())
}

/// The place of an object of this kind, beside another one.
pub(super) fn place(client: &Client, kind: Kind, object: &DynamicObject) -> Api<DynamicObject> {
    match object.namespace() {
        Some(namespace) => Api::namespaced_with(client.clone(), &namespace, &resource(kind)),
        None => Api::all_with(client.clone(), &resource(kind)),
    }
}

fn resource((group, version, kind, plural): Kind) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
}
