//! Reading all objects of a resource, page by page.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use futures::{Stream, StreamExt, stream};
use kube::{
    Client,
    api::{DynamicObject, ListParams},
    core::Request,
};
use serde::Deserialize;
use serde_json::Value;

use super::Resource;

/// So many objects are on a page.
const PAGE: u32 = 500;

/// Which objects are meant.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// use allready_kube::resources::{Catalog, Selection, list_pages};
///
/// let catalog = Catalog::discover(&client).await.unwrap();
/// let default = Selection { fields: Some("metadata.name=default".into()), ..Selection::default() };
/// let mut found = 0;
/// list_pages(&client, catalog.find("ns").unwrap(), &default, &mut |page| found += page.len()).await.unwrap();
/// assert_eq!(found, 1);
/// # });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// In this namespace; in all where there is none.
    pub namespace: Option<String>,
    /// With these labels.
    pub labels: Option<String>,
    /// With these fields.
    pub fields: Option<String>,
}

/// Reads all objects of a resource, page by page, and hands each page on as it comes. Each object has `apiVersion` and `kind`;
/// `metadata.managedFields` stays.
///
/// # When the server forgets the list while it is read
/// A long list is read as it was when reading began, and a server forgets that after some minutes. Then it is read anew, and
/// what was handed on already is left out: each object comes at most once, as it was when it was first read. Objects that were
/// deleted meanwhile may have been handed on, and ones that were made meanwhile may come.
///
/// # RBAC
/// `list` on the resource.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// use allready_kube::resources::{Catalog, Selection, list_pages};
///
/// let catalog = Catalog::discover(&client).await.unwrap();
/// let mut kinds = Vec::new();
/// list_pages(&client, catalog.find("ns").unwrap(), &Selection::default(), &mut |page| {
///     kinds.extend(page.iter().map(|object| object["kind"].clone()));
/// }).await.unwrap();
/// assert!(!kinds.is_empty() && kinds.iter().all(|kind| kind == "Namespace"));
/// # });
/// ```
pub async fn list_pages(
    client: &Client,
    resource: &Resource,
    selection: &Selection,
    page: &mut (dyn FnMut(Vec<Value>) + Send),
) -> Result<(), kube::Error> {
    let mut pages = std::pin::pin!(pages(client, resource, selection));
    while let Some(read) = pages.next().await {
        page(read?);
    }
    Ok(())
}

/// The pages of [`list_pages`] as a stream, which reads the next page when it is asked for it. It ends with the first error.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// use allready_kube::resources::{Catalog, Selection, pages};
/// use futures::TryStreamExt;
///
/// let catalog = Catalog::discover(&client).await.unwrap();
/// let (namespaces, selection) = (catalog.find("ns").unwrap(), Selection::default());
/// let pages: Vec<_> = pages(&client, namespaces, &selection).try_collect().await.unwrap();
/// assert_eq!(pages.len(), 1, "few enough for one page");
/// # });
/// ```
pub fn pages<'a>(
    client: &'a Client,
    resource: &'a Resource,
    selection: &'a Selection,
) -> impl Stream<Item = Result<Vec<Value>, kube::Error>> + Send + 'a {
    let reading = Reading {
        client,
        resource,
        selection,
        next: Next::Page(None),
        forgotten: 0,
        seen: HashSet::new(),
        hasher: RandomState::new(),
    };
    stream::try_unfold(reading, Reading::step)
}

/// How a list goes on.
enum Next {
    /// With the page of this token, or the first.
    Page(Option<String>),
    /// With everything at once: the server has forgotten the list twice.
    Whole,
    /// Not at all.
    End,
}

struct Reading<'a> {
    client: &'a Client,
    resource: &'a Resource,
    selection: &'a Selection,
    next: Next,
    /// How often the server has forgotten the list.
    forgotten: u32,
    /// What was handed on, as hashes: eight bytes an object.
    seen: HashSet<u64>,
    hasher: RandomState,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    metadata: ListMeta,
    // Servers written in Go may say null for an empty list.
    items: Option<Vec<Value>>,
}

#[derive(Default, Deserialize)]
struct ListMeta {
    #[serde(default, rename = "continue")]
    token: Option<String>,
}

impl Reading<'_> {
    async fn step(mut self) -> Result<Option<(Vec<Value>, Self)>, kube::Error> {
        loop {
            let params = match &self.next {
                Next::End => return Ok(None),
                Next::Whole => self.params(),
                Next::Page(None) => self.params().limit(PAGE),
                Next::Page(Some(token)) => self.params().limit(PAGE).continue_token(token),
            };
            let url =
                <DynamicObject as kube::Resource>::url_path(&self.resource.api_resource(), self.namespace());
            let request = Request::new(url).list(&params).map_err(kube::Error::BuildRequest)?;
            match self.client.request::<List>(request).await {
                Ok(list) => {
                    let token = list.metadata.token.filter(|token| !token.is_empty());
                    self.next = match (token, &self.next) {
                        (Some(token), Next::Page(_)) => Next::Page(Some(token)),
                        _ => Next::End,
                    };
                    let page = self.fresh(list.items.unwrap_or_default());
                    if !page.is_empty() {
                        return Ok(Some((page, self)));
                    }
                }
                Err(kube::Error::Api(status))
                    if status.code == 410 && matches!(self.next, Next::Page(Some(_))) =>
                {
                    self.forgotten += 1;
                    self.next = if self.forgotten < 2 { Next::Page(None) } else { Next::Whole };
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn params(&self) -> ListParams {
        ListParams {
            label_selector: self.selection.labels.clone(),
            field_selector: self.selection.fields.clone(),
            ..ListParams::default()
        }
    }

    fn namespace(&self) -> Option<&str> {
        self.selection.namespace.as_deref().filter(|_| self.resource.is_namespaced)
    }

    /// What was not handed on yet, each with its kind.
    fn fresh(&mut self, mut items: Vec<Value>) -> Vec<Value> {
        let api_version = self.resource.api_version();
        let (seen, hasher, forgotten) = (&mut self.seen, &self.hasher, self.forgotten);
        items.retain(|item| {
            let metadata = &item["metadata"];
            let id = hasher.hash_one((
                metadata["uid"].as_str(),
                metadata["namespace"].as_str(),
                metadata["name"].as_str(),
            ));
            seen.insert(id) || forgotten == 0
        });
        for item in &mut items {
            if let Value::Object(fields) = item {
                // Lists of built-in kinds say it once, for the whole list.
                fields.entry("apiVersion").or_insert_with(|| Value::from(api_version.as_str()));
                fields.entry("kind").or_insert_with(|| Value::from(self.resource.kind.as_str()));
            }
        }
        items
    }
}
