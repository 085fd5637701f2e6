//! The licences, bans and sources of `deny.toml`, held against `cargo metadata`.
//!
//! cargo-deny reads the same file and knows more, advisories above all, but takes minutes to build: `just nightly` runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::printer;

#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

/// Licences that are allowed for one package alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    /// The only packages that may depend on it.
    #[serde(default)]
    wrappers: BTreeSet<String>,
    reason: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    license: Option<String>,
    /// Absent for packages of this repository.
    source: Option<String>,
    dependencies: Vec<Requirement>,
}

#[derive(Deserialize)]
struct Requirement {
    name: String,
    req: String,
    source: Option<String>,
    /// Absent for the registry that cargo uses by itself.
    registry: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    dependencies: Vec<String>,
}

/// Prints every dependency that `deny.toml` forbids. Returns whether there is none.
pub fn run() -> Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rules = std::fs::read_to_string(root.join("deny.toml")).context("cannot read deny.toml")?;
    let rules: Rules = toml::from_str(&rules).context("cannot read deny.toml")?;
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .current_dir(root)
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let wrong = wrong(&rules, &metadata);
    for what in &wrong {
        printer::line(what);
    }
    printer::line(format!("{} packages, {} that may not be here", metadata.packages.len(), wrong.len()));
    Ok(wrong.is_empty())
}

fn wrong(rules: &Rules, metadata: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    let names: BTreeMap<&str, &str> =
        metadata.packages.iter().map(|package| (&*package.id, &*package.name)).collect();
    for Package { name, license, source, dependencies, .. } in &metadata.packages {
        let exception = rules.licenses.exceptions.iter().find(|exception| exception.name == *name);
        let allowed = |license: &str| {
            rules.licenses.allow.contains(license)
                || exception.is_some_and(|exception| exception.allow.contains(license))
        };
        let license = license.as_deref().unwrap_or("none");
        if !satisfied(license, &allowed) {
            wrong.push(format!("{name}: its licence is {license}"));
        }
        if source.as_ref().is_some_and(|source| !source.starts_with("registry+")) {
            wrong.push(format!("{name}: it is from no registry"));
        }
        // What a registry holds was checked by it; a requirement without a version is a mistake of ours.
        for required in dependencies.iter().filter(|_| source.is_none()) {
            if required.registry.is_some() {
                wrong.push(format!("{name}: {} is from another registry", required.name));
            }
            if required.source.is_some() && required.req == "*" {
                wrong.push(format!("{name}: {} is of any version", required.name));
            }
        }
    }
    for node in &metadata.resolve.nodes {
        let by = names.get(&*node.id).copied().unwrap_or_default();
        let depended = node.dependencies.iter().filter_map(|id| names.get(&**id).copied());
        for on in depended {
            let ban = rules.bans.deny.iter().find(|ban| ban.name == on && !ban.wrappers.contains(by));
            if let Some(ban) = ban {
                wrong.push(format!("{by}: it depends on {on} ({})", ban.reason));
            }
        }
    }
    wrong
}

/// Tells whether an SPDX expression can be satisfied with the licences that are allowed.
fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = expression.split_whitespace().peekable();
    let holds = any(&mut words, allowed);
    holds && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut holds = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        holds |= all(words, allowed);
    }
    holds
}

fn all(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut holds = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        holds &= one(words, allowed);
    }
    holds
}

fn one(words: &mut Words<'_>, allowed: &dyn Fn(&str) -> bool) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let holds = any(words, allowed);
        return words.next() == Some(")") && holds;
    }
    let Some(license) = words.next() else { return false };
    match words.next_if_eq(&"WITH") {
        Some(_) => allowed(&format!("{license} WITH {}", words.next().unwrap_or_default())),
        None => allowed(license),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_license_expression_holds_when_what_is_allowed_satisfies_it() {
        let allowed = |license: &str| ["MIT", "ISC"].contains(&license);
        for holds in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND ISC", "X WITH Y OR ISC"] {
            assert!(satisfied(holds, &allowed), "{holds}");
        }
        for fails in ["", "none", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH Y", "(MIT", "MIT ISC"] {
            assert!(!satisfied(fails, &allowed), "{fails}");
        }
    }

    #[test]
    fn what_deny_toml_forbids_is_found() {
        let rules: Rules = toml::from_str(
            r#"
            [licenses]
            allow = ["MIT"]
            exceptions = [{ crate = "special", allow = ["NCSA"] }]
            [bans]
            deny = [{ crate = "old", wrappers = ["wrapper"], reason = "archived" }]
            "#,
        )
        .unwrap();
        let package = |name: &str, license: &str, source: Option<&str>, dependencies: serde_json::Value| json!({ "id": name, "name": name, "license": license, "source": source, "dependencies": dependencies });
        let registry = Some("registry+there");
        let metadata = serde_json::from_value(json!({
            "packages": [
                package("ours", "MIT", None, json!([{ "name": "old", "req": "*", "source": "registry+there" }])),
                package("old", "MIT", registry, json!([])),
                package("wrapper", "MIT", registry, json!([])),
                package("special", "NCSA", registry, json!([])),
                package("strict", "GPL-3.0", registry, json!([])),
                package("forked", "MIT", Some("git+there"), json!([])),
            ],
            "resolve": { "nodes": [
                { "id": "ours", "dependencies": ["old", "wrapper"] },
                { "id": "wrapper", "dependencies": ["old"] },
            ] },
        }))
        .unwrap();
        assert_eq!(
            wrong(&rules, &metadata),
            [
                "ours: old is of any version",
                "strict: its licence is GPL-3.0",
                "forked: it is from no registry",
                "ours: it depends on old (archived)",
            ]
        );
    }
}
