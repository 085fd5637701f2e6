//! The registry in the languages of others: health scripts for Argo CD, expressions for Flux, wait rules for kapp.
//!
//! An export is as careful as the registry is: an object is healthy when something speaks for it and nothing speaks against
//! it, about the present generation. What cannot be told in a language is not told in part: the kind is
//! [left out](Export::left_out), with the reason. So are kinds of Kubernetes itself, for which the others have rules.
//!
//! An export is never green where the verdict is not Healthy: what a language cannot read for certain is not good news there. So it is
//! less often green than the verdict; `cargo xtask exports` runs the exports in the engines of the others and counts both.
//!
//! Where the registry leaves it to the reason what a bad status means, the reasons that it declares are told, and any other
//! is taken to be under way; for a type of which `True` is bad, to be broken.

mod cel;
mod kapp;
mod lua;
mod make;
mod recipe;
mod star;
#[cfg(test)]
mod tests;
mod words;

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Map, Value, json};

use super::Registry;

/// A language to export to.
///
/// ```
/// use allready_inspect::registry::{Registry, export::{Format, declared, export}};
///
/// let kapp = export(Registry::builtin(), &declared(Registry::builtin()), Format::Kapp);
/// assert_eq!(kapp.document["kind"], "Config");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Health scripts for Argo CD, as data of the ConfigMap `argocd-cm`.
    ArgoCdLua,
    /// `healthCheckExprs` for a Kustomization of Flux.
    FluxCel,
    /// A `Config` with wait rules for kapp.
    Kapp,
}

/// A kind to export.
///
/// ```
/// use allready_inspect::registry::export::Wanted;
///
/// let issuer = Wanted { group: "cert-manager.io".to_owned(), version: Some("v1".to_owned()), kind: "Issuer".to_owned() };
/// assert_eq!(issuer.to_string(), "Issuer.v1.cert-manager.io");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wanted {
    /// Its API group; empty for the core one.
    pub group: String,
    /// The version, which Flux asks for.
    pub version: Option<String>,
    /// Its kind.
    pub kind: String,
}

/// What was exported.
///
/// ```
/// use allready_inspect::registry::{Registry, export::{Format, Wanted, export}};
///
/// let unversioned = Wanted { group: "cert-manager.io".to_owned(), version: None, kind: "Certificate".to_owned() };
/// let flux = export(Registry::builtin(), &[unversioned], Format::FluxCel);
/// assert_eq!((flux.kinds, flux.left_out.len()), (0, 1));
/// assert!(flux.left_out[0].1.starts_with("Flux asks for the version"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The document.
    pub document: Value,
    /// The kinds that are in it.
    pub kinds: usize,
    /// The kinds that are not, and why.
    pub left_out: Vec<(String, String)>,
}

/// Tells what is declared of some kinds in the language of somebody else.
///
/// ```
/// use allready_inspect::registry::{Registry, export::{Format, Wanted, export}};
///
/// let certificate =
///     Wanted { group: "cert-manager.io".to_owned(), version: Some("v1".to_owned()), kind: "Certificate".to_owned() };
/// let flux = export(Registry::builtin(), &[certificate], Format::FluxCel);
/// let expressions = &flux.document["healthCheckExprs"][0];
/// assert_eq!(expressions["apiVersion"], "cert-manager.io/v1");
/// assert!(expressions["current"].as_str().unwrap().contains("'Ready'"));
/// ```
pub fn export(registry: &Registry, kinds: &[Wanted], format: Format) -> Export {
    let mut told = Vec::new();
    let mut left_out = Vec::new();
    for wanted in kinds {
        match make::recipe(registry, wanted).and_then(|recipe| tell(wanted, &recipe, format)) {
            Ok(one) => told.push(one),
            Err(why) => left_out.push((wanted.to_string(), why)),
        }
    }
    let kinds = told.len();
    let document = match format {
        Format::ArgoCdLua => {
            let health = "resource.customizations.health.";
            let open = told
                .iter()
                .map(|(key, _)| (key.replace(health, "resource.customizations.useOpenLibs."), "true".into()));
            let data: Map<String, Value> = open.collect::<Vec<_>>().into_iter().chain(told).collect();
            json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {
                    "name": "argocd-cm", "namespace": "argocd",
                    "labels": { "app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd" },
                },
                "data": data,
            })
        }
        Format::FluxCel => {
            json!({ "healthCheckExprs": told.into_iter().map(|(_, one)| one).collect::<Vec<_>>() })
        }
        Format::Kapp => json!({
            "apiVersion": "kapp.k14s.io/v1alpha1", "kind": "Config",
            "waitRules": told.into_iter().map(|(_, one)| one).collect::<Vec<_>>(),
        }),
    };
    Export { document, kinds, left_out }
}

/// Every kind that is declared by its name. What is declared for all kinds of a group names none.
///
/// ```
/// use allready_inspect::registry::{Registry, export::declared};
///
/// let kinds = declared(Registry::builtin());
/// assert!(kinds.iter().any(|kind| kind.to_string() == "Certificate.cert-manager.io"));
/// ```
pub fn declared(registry: &Registry) -> Vec<Wanted> {
    let is_exact = |name: &&String| !name.contains('*');
    let of_entry = |entry: &super::Entry| {
        let groups = entry.groups.iter().filter(is_exact);
        let named =
            groups.flat_map(|group| entry.kinds.iter().filter(is_exact).map(move |kind| (group, kind)));
        let named =
            named.map(|(group, kind)| Wanted { group: group.clone(), version: None, kind: kind.clone() });
        named.collect::<Vec<_>>()
    };
    let kinds: BTreeSet<Wanted> = registry.entries().iter().flat_map(of_entry).collect();
    kinds.into_iter().collect()
}

fn tell(wanted: &Wanted, recipe: &recipe::Recipe, format: Format) -> Result<(String, Value), String> {
    match format {
        Format::ArgoCdLua => {
            let group = if recipe.group.is_empty() { String::new() } else { format!("{}_", recipe.group) };
            let key = format!("resource.customizations.health.{group}{}", recipe.kind);
            Ok((key, lua::script(recipe).into()))
        }
        Format::FluxCel => {
            let version =
                wanted.version.as_deref().ok_or("Flux asks for the version: name it KIND.VERSION.GROUP")?;
            let group = if recipe.group.is_empty() { String::new() } else { format!("{}/", recipe.group) };
            let (failed, current) = cel::expressions(recipe)?;
            let mut one =
                json!({ "apiVersion": format!("{group}{version}"), "kind": recipe.kind, "current": current });
            if let Some(failed) = failed {
                one["failed"] = failed.into();
            }
            Ok((String::new(), one))
        }
        Format::Kapp => Ok((String::new(), kapp::rule(recipe))),
    }
}

/// A text in quotes, as Starlark and CEL have them: what is not plain is escaped, so that nothing can end the text early.
fn quoted_in(quote: char, text: &str) -> String {
    let mut quoted = String::from(quote);
    for c in text.chars() {
        match c {
            c if c == quote || c == '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push(quote);
    quoted
}

/// As it is written: `Certificate.v1.cert-manager.io`.
impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(version) = &self.version {
            write!(f, ".{version}")?;
        }
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}
