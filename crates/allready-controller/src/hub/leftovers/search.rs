//! Looking for leftovers: page by page, and only the metadata.

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview};
use kube::{
    Api, Client, Discovery,
    api::{ApiResource, DynamicObject, ListParams, PostParams},
    discovery::verbs,
};

use tokio::time::timeout;

use super::Leftover;
use allready_kube::list_watch::{NO_ANSWER, REQUEST_TIMEOUT};

/// The number of objects that are read at a time.
const PAGE: u32 = 500;

/// The kinds with a status that can be listed, in the version that the API server prefers.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let kinds = allready_controller::hub::leftovers::kinds(&client).await.unwrap();
/// assert!(kinds.iter().any(|kind| kind.kind == "Deployment"));
/// assert!(!kinds.iter().any(|kind| kind.kind == "ConfigMap"), "it has no status");
/// # });
/// ```
pub async fn kinds(client: &Client) -> kube::Result<Vec<ApiResource>> {
    let discovery = match in_time(Discovery::new(client.clone()).run_aggregated()).await {
        Ok(discovery) => discovery,
        // Servers before 1.26 answer in the old way only.
        Err(_) => in_time(Discovery::new(client.clone()).run()).await?,
    };
    let all = discovery.groups().flat_map(kube::discovery::ApiGroup::recommended_resources);
    let with_status = all.filter(|(_, capabilities)| {
        let mut parts = capabilities.subresources.iter();
        capabilities.supports_operation(verbs::LIST) && parts.any(|(part, _)| part.plural == "status")
    });
    Ok(with_status.map(|(resource, _)| resource).collect())
}

/// Finds what aggregations have written into the objects of a kind.
///
/// # Permissions
///
/// `list` on the kind in all namespaces.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let pods = kube::api::ApiResource::erase::<k8s_openapi::api::core::v1::Pod>(&());
/// assert_eq!(allready_controller::hub::leftovers::search(&client, &pods).await.unwrap(), []);
/// # });
/// ```
pub async fn search(client: &Client, resource: &ApiResource) -> kube::Result<Vec<Leftover>> {
    let mut found = Vec::new();
    let api: Api<DynamicObject> = Api::all_with(client.clone(), resource);
    let mut page = ListParams::default().limit(PAGE);
    loop {
        let list = in_time(api.list_metadata(&page)).await?;
        let of = |metadata| Leftover::of(&resource.api_version, &resource.kind, metadata);
        found.extend(list.items.iter().flat_map(|object| of(&object.metadata)));
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => return Ok(found),
        }
    }
}

async fn in_time<T>(answer: impl Future<Output = kube::Result<T>>) -> kube::Result<T> {
    timeout(REQUEST_TIMEOUT, answer).await.unwrap_or_else(|_| Err(kube::Error::Service(NO_ANSWER.into())))
}

/// Returns true if whoever asks may write the status of a kind in all namespaces: where not, it has never done so.
///
/// # Permissions
///
/// `create` on `SelfSubjectAccessReview`s, which every authenticated user has.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let pods = kube::api::ApiResource::erase::<k8s_openapi::api::core::v1::Pod>(&());
/// assert!(allready_controller::hub::leftovers::may_write(&client, &pods).await.unwrap());
/// # });
/// ```
pub async fn may_write(client: &Client, resource: &ApiResource) -> kube::Result<bool> {
    let mut review = SelfSubjectAccessReview::default();
    review.spec.resource_attributes = Some(ResourceAttributes {
        group: Some(resource.group.clone()),
        version: Some(resource.version.clone()),
        resource: Some(resource.plural.clone()),
        subresource: Some("status".to_owned()),
        verb: Some("patch".to_owned()),
        ..ResourceAttributes::default()
    });
    let api: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let answer = in_time(api.create(&PostParams::default(), &review)).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}
