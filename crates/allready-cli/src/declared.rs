//! Declarations of kinds: built in, by their definitions, and in files of the administrator, of which the later ones win.
//! Every command that judges takes its registry from here.

mod search;
mod seen;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use allready_core::{Time, set::ANNOTATION};
use allready_inspect::{
    health::Health,
    judge::{Verdict, judge},
    lint::is_definition,
    registry::{self, Entry, Registry},
    view::group,
};
use allready_kube::resources::{Catalog, Resource};
use clap::Args;
use kube::api::{DynamicObject, ListParams, PartialObjectMeta};
use serde_json::{Value, json};

pub(crate) use self::{
    search::learn_batch,
    seen::{Seen, too_late},
};
use crate::{
    cluster::Cluster,
    failure::Failure,
    input,
    objects::Source,
    printer::{Printer, tame},
    target::refused_to,
};

/// The number of definitions on a page.
const PAGE: u32 = 500;

/// Declarations beyond the built-in ones.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DeclaredArgs {
    /// What conditions of kinds mean, as `allready registry` shows it, or definitions that say so; comes before what is
    /// built in. May be said several times.
    #[arg(long = "registry", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

impl DeclaredArgs {
    /// Reads the files.
    pub(crate) fn read(&self) -> Result<Declared, Failure> {
        let mut files = Vec::new();
        for path in &self.files {
            for document in input::read_all(path)? {
                files.extend(of_document(&document).map_err(|error| unusable(path, &error))?);
            }
        }
        Ok(Declared { definitions: Vec::new(), files })
    }
}

fn of_document(document: &Value) -> Result<Vec<Entry>, registry::RegistryError> {
    if document["kind"] == "CustomResourceDefinition" {
        return Entry::of_definition(document).into_iter().collect();
    }
    if document.is_null() { Ok(Vec::new()) } else { registry::read(document) }
}

fn unusable(path: &Path, error: &registry::RegistryError) -> Failure {
    Failure::data(format_args!("{}: {}", tame(&path.display().to_string()), tame(&error.to_string())))
}

/// Declarations beyond the built-in ones, as they were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    definitions: Vec<Entry>,
    files: Vec<Entry>,
}

/// A declaration that was read from a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Learnt {
    pub(crate) group: String,
    pub(crate) kind: String,
    /// The reason why it is not used, if it is not.
    pub(crate) problem: Option<String>,
}

/// The outcome of reading the definitions of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// Declarations that cannot be understood.
    pub(crate) problems: Vec<String>,
    /// The reason why not all of them could be read.
    pub(crate) gap: Option<String>,
}

impl Heard {
    /// All of it, as warnings.
    pub(crate) fn all(self) -> Vec<String> {
        self.problems.into_iter().chain(self.gap).collect()
    }
}

/// Returns true if some of these kinds have definitions: kinds of Kubernetes itself have none.
pub(crate) fn are_custom<'a>(resources: impl IntoIterator<Item = &'a Resource>) -> bool {
    resources.into_iter().any(|resource| resource.group.contains('.'))
}

impl Declared {
    /// The built-in registry, with all of this before it.
    pub(crate) fn registry(&self) -> Registry {
        Registry::builtin().clone().with(self.definitions.iter().chain(&self.files).cloned())
    }

    /// The registry of a command that looks at these resources of a cluster: with what the definitions there say.
    ///
    /// # RBAC
    /// `list` on `customresourcedefinitions.apiextensions.k8s.io`; who may not does without, and is told so.
    pub(crate) async fn registry_of(
        mut self,
        cluster: &Cluster,
        catalog: &Catalog,
        resources: impl IntoIterator<Item = &Resource>,
        printer: &mut Printer,
    ) -> Registry {
        if are_custom(resources) {
            printer.warnings(&self.ask(cluster, catalog).await.all());
        }
        self.registry()
    }

    /// The declarations of definitions.
    pub(crate) fn definitions(&self) -> &[Entry] {
        &self.definitions
    }

    /// The declarations of files.
    pub(crate) fn files(&self) -> &[Entry] {
        &self.files
    }

    /// The same, with what is needed to tell whom a definition makes look better.
    pub(crate) fn known(&self) -> Known {
        let without = (!self.definitions.is_empty()).then(|| Without {
            definitions: Registry::empty().with(self.definitions.iter().cloned()),
            rest: Registry::builtin().clone().with(self.files.iter().cloned()),
        });
        Known { registry: self.registry(), without }
    }

    /// Takes in what an object declares, if it is a definition that does so. One that cannot be read is not forgotten: what
    /// it was to say may be bad news.
    pub(crate) fn learn(&mut self, object: &Value) -> Option<Learnt> {
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
    pub(crate) fn learn_all<'a>(&mut self, objects: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
        objects.into_iter().filter_map(|object| self.learn(object)?.problem).collect()
    }

    /// Looks for definitions in files, before their objects are judged: they may stand behind them. What can be read only
    /// once is left alone.
    pub(crate) fn look_through(&mut self, sources: &[Source]) -> Vec<String> {
        sources
            .iter()
            .filter(|source| source.is_rereadable())
            .flat_map(|it| search::learn(self, it))
            .collect()
    }

    /// Keeps what definitions have declared before, except where they declare something else now: for who could not ask
    /// for all of them.
    pub(crate) fn keep(&mut self, before: &Self) {
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
    pub(crate) async fn ask(&mut self, cluster: &Cluster, catalog: &Catalog) -> Heard {
        let mut heard = Heard::default();
        let Some(resource) = catalog.of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition") else {
            return heard;
        };
        let api = resource.api(cluster.client.clone(), None);
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = match api.list_metadata(&params).await {
                Ok(page) => page,
                Err(error) => {
                    let why = refused_to("list", resource, None, None, &error);
                    heard.gap = Some(format!("what definitions declare of their kinds is not known: {why}"));
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

/// A registry, and what there is without the word of definitions.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) registry: Registry,
    without: Option<Without>,
}

#[derive(Debug)]
struct Without {
    definitions: Registry,
    rest: Registry,
}

impl Known {
    /// Judges an object. The second value is true if its definition alone makes it healthy, and it would be degraded otherwise.
    pub(crate) fn judge(&self, object: &Value, now: Time) -> (Verdict, bool) {
        let verdict = judge(object, &self.registry, now);
        let is_excused = verdict.health == Health::Healthy
            && self.without.as_ref().is_some_and(|without| {
                let kind = object["kind"].as_str().unwrap_or_default();
                without.definitions.kind(group(object), kind).is_declared()
                    && judge(object, &without.rest, now).health == Health::Degraded
            });
        (verdict, is_excused)
    }

    /// Returns true if nothing is declared but what is built in.
    pub(crate) fn is_builtin(&self) -> bool {
        self.registry.entries().len() == Registry::builtin().entries().len()
    }
}
