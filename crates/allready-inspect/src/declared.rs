//! Declarations of kinds beyond those that are built in: by their definitions, and in files of the administrator, of which the later
//! ones win.

use allready_core::set::ANNOTATION;
use allready_kube::{
    refusal::{Permission, denied, innermost},
    resources::{Catalog, Resource},
};
use kube::{
    Client,
    api::{DynamicObject, ListParams, PartialObjectMeta},
};
use serde_json::{Value, json};

use crate::{
    lint::is_definition,
    registry::{Entry, Registry},
};

/// The number of definitions on a page.
const PAGE: u32 = 500;

/// Declarations beyond the built-in ones, as they were read.
///
/// ```
/// use allready_inspect::declared::Declared;
///
/// assert!(Declared::default().registry().kind("example.com", "Widget").declared().builtin.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Declared {
    definitions: Vec<Entry>,
    files: Vec<Entry>,
}

/// A declaration that was read from a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The group of the kind that it is about.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The reason why it is not used, if it is not.
    pub problem: Option<String>,
}

/// The outcome of reading the definitions of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Declarations that cannot be understood.
    pub problems: Vec<String>,
    /// The reason why not all of them could be read.
    pub gap: Option<String>,
}

impl Heard {
    /// All of it, as warnings.
    pub fn all(self) -> Vec<String> {
        self.problems.into_iter().chain(self.gap).collect()
    }
}

/// Returns true if some of these kinds have definitions: kinds of Kubernetes itself have none.
pub fn are_custom<'a>(resources: impl IntoIterator<Item = &'a Resource>) -> bool {
    resources.into_iter().any(|resource| resource.group.contains('.'))
}

impl Declared {
    /// The declarations of files.
    pub fn of_files(files: Vec<Entry>) -> Self {
        Self { definitions: Vec::new(), files }
    }

    /// The built-in registry, with all of this before it.
    pub fn registry(&self) -> Registry {
        Registry::builtin().clone().with(self.definitions.iter().chain(&self.files).cloned())
    }

    /// The declarations of definitions.
    pub fn definitions(&self) -> &[Entry] {
        &self.definitions
    }

    /// The declarations of files.
    pub fn files(&self) -> &[Entry] {
        &self.files
    }

    /// Takes in what an object declares, if it is a definition that does so. One that cannot be read is not forgotten: what
    /// it was to say may be bad news.
    pub fn learn(&mut self, object: &Value) -> Option<Learnt> {
        if !is_definition(object) {
            return None;
        }
        let read = Entry::of_definition(object)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, kind) = (text(&object["spec"]["group"]), text(&object["spec"]["names"]["kind"]));
        if !is_custom(&group, &kind) {
            let name = text(&object["metadata"]["name"]);
            let problem = format!(
                "annotation {ANNOTATION} of {name}: {kind}.{group} is no custom kind, and what it means is not for a \
                 definition to say: give --registry"
            );
            return Some(Learnt { group, kind, problem: Some(problem) });
        }
        let problem = read.as_ref().err().map(ToString::to_string);
        self.definitions.push(read.unwrap_or_else(|_| Entry::unreadable(&group, &kind)));
        Some(Learnt { group, kind, problem })
    }

    /// Takes in what the definitions among these objects declare; gives what cannot be understood.
    pub fn learn_all<'a>(&mut self, objects: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
        objects.into_iter().filter_map(|object| self.learn(object)?.problem).collect()
    }

    /// Keeps what definitions have declared before, except where they declare something else now: for who could not ask
    /// for all of them.
    pub fn keep(&mut self, before: &Self) {
        let is_of_same = |a: &Entry, b: &Entry| a.groups == b.groups && a.kinds == b.kinds;
        let is_kept = |old: &&Entry| !self.definitions.iter().any(|new| is_of_same(new, old));
        let mut kept: Vec<Entry> = before.definitions.iter().filter(is_kept).cloned().collect();
        kept.append(&mut self.definitions);
        self.definitions = kept;
    }

    /// Takes in what the definitions of a cluster say of their kinds.
    ///
    /// # RBAC
    /// `list` on `customresourcedefinitions.apiextensions.k8s.io`.
    pub async fn ask(&mut self, client: &Client, catalog: &Catalog) -> Heard {
        let mut heard = Heard::default();
        let Some(resource) = catalog.of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition") else {
            return heard;
        };
        let api = resource.api(client.clone(), None);
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = match api.list_metadata(&params).await {
                Ok(page) => page,
                Err(error) => {
                    let why = unlisted(resource, &error);
                    heard.gap = Some(format!("declarations in CRDs are not known: {why}"));
                    return heard;
                }
            };
            let definitions = page.items.iter().filter_map(|definition| whole(definition, catalog));
            for definition in definitions {
                heard.problems.extend(self.learn(&definition).and_then(|learnt| learnt.problem));
            }
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => return heard,
            }
        }
    }
}

/// Why definitions cannot be listed.
fn unlisted(resource: &Resource, error: &kube::Error) -> String {
    let doing = format!("cannot list {}", resource.full_name());
    match error {
        kube::Error::Api(status) if status.code == 403 => {
            let verbs = "list".to_owned();
            let permission = Permission { verbs, resource: resource.full_name(), namespace: None };
            denied(&doing, Some(&permission), &status.message)
        }
        kube::Error::Api(status) => format!("{doing}: {}", status.message),
        other => format!("{doing}: the API server does not answer: {}", innermost(other)),
    }
}

/// Returns true if a definition can bring this kind. Groups without a dot, and kinds with rules of their own, are Kubernetes'.
fn is_custom(group: &str, kind: &str) -> bool {
    let is_pattern = group.contains('*') || kind.contains('*');
    let is_kubernetes = || Registry::builtin().kind(group, kind).declared().builtin.is_some();
    group.contains('.') && !kind.is_empty() && !is_pattern && !is_kubernetes()
}

/// As much of a definition as says what it declares. Its name and annotations are enough: the kind is what the server serves
/// under that name.
fn whole(definition: &PartialObjectMeta<DynamicObject>, catalog: &Catalog) -> Option<Value> {
    let annotation = definition.metadata.annotations.as_ref()?.get(ANNOTATION)?;
    let name = definition.metadata.name.as_deref()?;
    let (plural, group) = name.split_once('.')?;
    let resource =
        catalog.resources.iter().find(|resource| resource.plural == plural && resource.group == group)?;
    Some(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": name, "annotations": { ANNOTATION: annotation } },
        "spec": { "group": group, "names": { "kind": resource.kind } },
    }))
}
