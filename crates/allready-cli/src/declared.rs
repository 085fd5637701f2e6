//! Declarations of kinds: built in, by their definitions, and in files of the administrator, of which the later ones win.
//! Every command that judges takes its registry from here.

mod search;
mod seen;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use allready_core::Time;
use allready_inspect::{
    health::Health,
    judge::{Verdict, judge},
    registry::{self, Entry, Registry},
    view::group,
};
use allready_kube::resources::{Catalog, Resource};
use clap::Args;
use serde_json::Value;

pub(crate) use allready_inspect::declared::{Declared, Heard, Learnt, are_custom};

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
};

/// Declarations beyond the built-in ones.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DeclaredArgs {
    /// File of declarations or CRDs that say what conditions mean; it takes precedence over built-in declarations. May be
    /// repeated.
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
        Ok(Declared::of_files(files))
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

/// The registry of a command that looks at these resources of a cluster: with what the definitions there say.
///
/// # RBAC
/// `list` on `customresourcedefinitions.apiextensions.k8s.io`; who may not does without, and is told so.
pub(crate) async fn registry_of(
    mut declared: Declared,
    cluster: &Cluster,
    catalog: &Catalog,
    resources: impl IntoIterator<Item = &Resource>,
    printer: &mut Printer,
) -> Registry {
    if are_custom(resources) {
        printer.warnings(&declared.ask(&cluster.client, catalog).await.all());
    }
    declared.registry()
}

/// Looks for definitions in files, before their objects are judged: they may stand behind them. What can be read only
/// once is left alone.
pub(crate) fn look_through(declared: &mut Declared, sources: &[Source]) -> Vec<String> {
    let rereadable = sources.iter().filter(|source| source.is_rereadable());
    rereadable.flat_map(|source| search::learn(declared, source)).collect()
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
    /// The registry of declarations, with what is needed to tell whom a definition makes look better.
    pub(crate) fn of(declared: &Declared) -> Self {
        let without = (!declared.definitions().is_empty()).then(|| Without {
            definitions: Registry::empty().with(declared.definitions().iter().cloned()),
            rest: Registry::builtin().clone().with(declared.files().iter().cloned()),
        });
        Self { registry: declared.registry(), without }
    }

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
