//! Asking an API server what it serves.

use futures::{StreamExt, future, stream};
use http::{Request, header::ACCEPT};
use kube::Client;
use serde_json::Value;

use super::{
    Catalog,
    document::{self, Group, Version},
};
use crate::refusal::innermost;

/// One document with everything, and for servers that do not know it the old ones.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                          application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,\
                          application/json";

/// So many of the old documents are read at a time.
const PARALLEL: usize = 16;

impl Catalog {
    /// Asks an API server what it serves: two requests, or one for each group and version where it is an old one.
    ///
    /// Groups that cannot be read, such as those of a server behind it that is down, are [`problems`](Self::problems). It is
    /// an error only when nothing could be learnt at all.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// use allready_kube::resources::Catalog;
    ///
    /// let catalog = Catalog::discover(&client).await.unwrap();
    /// assert_eq!(catalog.find("deploy").unwrap().full_name(), "deployments.apps");
    /// # });
    /// ```
    pub async fn discover(client: &Client) -> Result<Self, kube::Error> {
        let (core, groups) =
            future::join(get(client, "/api", AGGREGATED), get(client, "/apis", AGGREGATED)).await;
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        match (core, groups) {
            (Err(error), Err(_)) => return Err(error),
            (core, groups) => {
                match core {
                    Ok(core) => found.extend(core_groups(client, &core).await),
                    Err(error) => problems.push(format!("the core group: {}", reason(&error))),
                }
                match groups {
                    Ok(groups) => found.extend(other_groups(client, &groups).await),
                    Err(error) => problems.push(format!("all groups but the core one: {}", reason(&error))),
                }
            }
        }
        let mut catalog = document::catalog(found);
        catalog.problems.splice(0..0, problems);
        Ok(catalog)
    }
}

async fn core_groups(client: &Client, document: &Value) -> Vec<Group> {
    if document::is_aggregated(document) {
        return document::aggregated(document);
    }
    let wanted = vec![(String::new(), document::core_versions(document))];
    read_lists(client, wanted).await
}

async fn other_groups(client: &Client, document: &Value) -> Vec<Group> {
    if document::is_aggregated(document) {
        return document::aggregated(document);
    }
    read_lists(client, document::group_versions(document)).await
}

/// Reads the old documents of these groups, in their order.
async fn read_lists(client: &Client, groups: Vec<(String, Vec<String>)>) -> Vec<Group> {
    let flat = groups.iter().enumerate();
    let flat =
        flat.flat_map(|(at, (group, versions))| versions.iter().map(move |version| (at, group, version)));
    let read = flat.map(|(at, group, version)| async move {
        let path = match group.as_str() {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        let resources = match get(client, &path, "application/json").await {
            Ok(document) => Ok(document::resource_list(group, version, &document)),
            Err(error) => Err(reason(&error)),
        };
        (at, Version { name: version.clone(), resources })
    });
    let read: Vec<_> = read.collect();
    let read: Vec<(usize, Version)> = stream::iter(read).buffered(PARALLEL).collect().await;
    let mut found: Vec<Group> =
        groups.iter().map(|(name, _)| Group { name: name.clone(), versions: Vec::new() }).collect();
    for (at, version) in read {
        if let Some(group) = found.get_mut(at) {
            group.versions.push(version);
        }
    }
    found
}

async fn get(client: &Client, path: &str, accept: &str) -> Result<Value, kube::Error> {
    let request = Request::get(path).header(ACCEPT, accept).body(Vec::new());
    client.request(request.map_err(kube::Error::HttpError)?).await
}

/// What went wrong, without how it is written in Rust.
pub(super) fn reason(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        kube::Error::Api(status) => format!("the server answers {}", status.code),
        other => innermost(other).to_string(),
    }
}
