//! The shipped manifests, installed for the scenarios, and clients as those who have permissions in them.

use allready_apiserver::User;
use allready_e2e::Server;
use allready_kube::kinds::{definitions, metallb_definition};
use k8s_openapi::api::{
    authentication::v1::{BoundObjectReference, TokenRequest, TokenRequestSpec},
    core::v1::{Node, Pod, ServiceAccount},
};
use kube::{
    Api, Client, Resource,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    discovery,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// What is installed, in namespaces of its own.
pub(super) struct Installed {
    /// Where the reporters and the objects are.
    pub(super) namespace: &'static str,
    release: &'static str,
}

impl Installed {
    /// With a report for each reporter.
    pub(super) async fn sharded(server: &Server) -> Self {
        let manifest = include_str!("../../../manifests/sharded.yaml");
        Self::new(server, "allready-e2e-sharded", manifest).await
    }

    /// With one object for all reporters.
    pub(super) async fn singleton(server: &Server) -> Self {
        let manifest = include_str!("../../../manifests/singleton.yaml");
        Self::new(server, "allready-e2e-singleton", manifest).await
    }

    async fn new(server: &Server, name: &'static str, manifest: &str) -> Self {
        for definition in definitions().into_iter().chain([metallb_definition()]) {
            server.define(definition).await;
        }
        let client = server.client();
        apply(&client, &json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }))
            .await;
        for account in ["speaker", "controller", "stranger"] {
            let metadata = json!({ "name": account, "namespace": name });
            apply(&client, &json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata }))
                .await;
        }
        for object in serde_saphyr::from_multiple::<Value>(manifest).unwrap() {
            apply(&client, &object).await;
        }
        Self { namespace: name, release: name }
    }

    /// A client as the controller.
    pub(super) async fn controller(&self, server: &Server) -> Client {
        account(server, "allready-e2e-system", &format!("{}-controller", self.release), None).await
    }

    /// A client as the speaker in a pod on this node.
    pub(super) async fn speaker(&self, server: &Server, node: &str) -> Client {
        self.account(server, "speaker", Some(node)).await
    }

    /// A client as a service account beside the object, in a pod on a node or without one.
    pub(super) async fn account(&self, server: &Server, name: &str, node: Option<&str>) -> Client {
        account(server, self.namespace, name, node).await
    }
}

/// A client as a service account, in a pod on a node or without one.
pub(super) async fn account(server: &Server, namespace: &str, name: &str, node: Option<&str>) -> Client {
    if let Some(embedded) = server.faulty() {
        // Its tokens are bound to no pod, so the node is said instead.
        let user = User::service_account(namespace, name);
        let user = match node {
            Some(node) => user.with_extra("authentication.kubernetes.io/node-name", [node]),
            None => user,
        };
        return Client::new(embedded.service_as(user), namespace);
    }
    let token = token(&server.client(), namespace, name, node).await;
    server.client_as(|who| who.token = Some(token.into())).await
}

/// Makes a node.
pub(super) async fn node(server: &Server, name: &str) {
    let ready = json!([{ "type": "Ready", "status": "True" }]);
    let node = json!({ "metadata": { "name": name }, "status": { "conditions": ready } });
    made(&Api::<Node>::all(server.client()), &node).await;
}

/// A token as a pod gets it: bound to the pod, and so to its node.
async fn token(client: &Client, namespace: &str, name: &str, node: Option<&str>) -> String {
    let mut spec = TokenRequestSpec::default();
    if let Some(node) = node {
        let pod = format!("{name}-{node}");
        made(&Api::<Node>::all(client.clone()), &json!({ "metadata": { "name": node } })).await;
        let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
        let container = json!({ "name": "only", "image": "only" });
        let wanted = json!({ "metadata": { "name": pod },
            "spec": { "nodeName": node, "serviceAccountName": name, "containers": [container] } });
        made(&pods, &wanted).await;
        let reference =
            BoundObjectReference { kind: Some("Pod".to_owned()), name: Some(pod), ..Default::default() };
        spec.bound_object_ref = Some(reference);
    }
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let answer: TokenRequest =
        accounts.create_subresource("token", name, &PostParams::default(), &request).await.unwrap();
    answer.status.and_then(|status| status.token).unwrap()
}

/// Makes an object, or finds it made by another scenario.
async fn made<K>(api: &Api<K>, wanted: &Value)
where
    K: Resource + Clone + DeserializeOwned + Serialize + std::fmt::Debug,
    K::DynamicType: Default,
{
    let object: K = serde_json::from_value(wanted.clone()).unwrap();
    match api.create(&PostParams::default(), &object).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        Err(error) => panic!("cannot make {wanted}: {error}"),
    }
}

pub(super) async fn apply(client: &Client, object: &Value) {
    let wanted: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    let types = wanted.types.clone().unwrap();
    let kind = (&types).try_into().unwrap();
    let (resource, _) = discovery::pinned_kind(client, &kind).await.unwrap();
    let name = wanted.metadata.name.clone().unwrap();
    let api: Api<DynamicObject> = match &wanted.metadata.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let parameters = PatchParams::apply("allready-e2e").force();
    let applied = api.patch(&name, &parameters, &Patch::Apply(object)).await;
    applied.unwrap_or_else(|error| panic!("cannot apply {} {name}: {error}", types.kind));
}
