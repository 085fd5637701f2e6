//! `cargo xtask sbom`: the parts of a program, as a `CycloneDX` 1.6 document.
//!
//! `cargo tree` resolves for one package, its features and one target, as `cargo build` does; `cargo metadata` would unite the features of
//! the whole workspace. What is linked into the program has the scope `required`; macros and build scripts, and what they
//! need, have `excluded`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::image::archive::sha256;
use crate::image::program::{COMMAND_LINE, CONTROLLER, Platform, Program, Target, Toolchain, cargo};
use crate::image::source::{self, Source, VERSION, output};
use crate::printer;

/// Options of the list of parts.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// The program: allready-controller or allready
    #[arg(long, default_value = "allready-controller", value_parser = ["allready-controller", "allready"])]
    package: String,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Prints or writes the list.
pub fn run(options: &Options) -> Result<bool> {
    let root = source::root()?;
    let program = if options.package == CONTROLLER.name { CONTROLLER } else { COMMAND_LINE };
    let text = Sbom::read(&root, &program, Platform::here().target()?)?.to_json(&Source::read(&root)?)?;
    match &options.output {
        Some(file) => {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        None => printer::line(String::from_utf8(text)?),
    }
    Ok(true)
}

/// The parts of a program.
pub(crate) struct Sbom {
    program: &'static str,
    graph: Graph,
    linked: BTreeSet<Id>,
    lock: Lock,
    /// Parts that are no packages.
    others: Vec<Value>,
}

impl Sbom {
    /// Asks cargo for the packages of a program.
    pub(crate) fn read(root: &Path, program: &Program, target: Target) -> Result<Self> {
        let tree = |edges: &str| {
            output(
                cargo()
                    .args([
                        "tree",
                        "--prefix",
                        "depth",
                        "--format",
                        "|{p}|{l}|",
                        "--charset",
                        "ascii",
                        "--edges",
                        edges,
                    ])
                    .args(["--target", target.triple])
                    .args(program.selected())
                    .current_dir(root),
            )
        };
        let lock = std::fs::read_to_string(root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
        Ok(Self {
            program: program.name,
            graph: Graph::parse(&tree("normal,build")?)?,
            linked: Graph::parse(&tree("normal,no-proc-macro")?)?.packages.into_keys().collect(),
            lock: toml::from_str(&lock).context("cannot read Cargo.lock")?,
            others: vec![standard_library()?, c_library(target)?],
        })
    }

    /// Adds a part that is no package of the program.
    pub(crate) fn add(&mut self, component: Value) {
        self.others.push(component);
    }

    /// The version of a package, by Cargo.lock.
    pub(crate) fn locked_version(&self, name: &str) -> Result<String> {
        let package = self.lock.package.iter().find(|package| package.name == name);
        Ok(package.with_context(|| format!("Cargo.lock has no {name}"))?.version.clone())
    }

    /// The document. It is the same for the same sources, whenever it is made.
    pub(crate) fn to_json(&self, source: &Source) -> Result<Vec<u8>> {
        let Some(root) = &self.graph.root else { bail!("cargo tree shows no package") };
        let packages = self.graph.packages.keys().filter(|id| *id != root);
        let mut components = packages.map(|id| self.component(id)).collect::<Result<Vec<_>>>()?;
        components.extend(self.others.iter().cloned());
        let dependencies: Vec<Value> = self
            .graph
            .edges
            .iter()
            .map(|(from, to)| json!({"ref": from.to_string(), "dependsOn": to.iter().map(Id::to_string).collect::<Vec<_>>()}))
            .collect();
        let content = json!({"components": components, "dependencies": dependencies});
        let document = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": serial_number(&format!("{}{}{content}", self.program, source.revision)),
            "version": 1,
            "metadata": {
                "timestamp": source.time.to_string(),
                "tools": {"components": [{"type": "application", "name": "cargo xtask sbom", "version": VERSION}]},
                "component": {
                    "type": "application",
                    "bom-ref": root.to_string(),
                    "name": self.program,
                    "version": root.version,
                    "licenses": [{"expression": expression(&self.graph.packages[root])}],
                    "properties": [{"name": "allready:revision", "value": source.revision}],
                },
            },
            "components": components,
            "dependencies": dependencies,
        });
        Ok(serde_json::to_vec_pretty(&document)?)
    }

    fn component(&self, id: &Id) -> Result<Value> {
        let locked =
            self.lock.package.iter().find(|package| package.name == id.name && package.version == id.version);
        let locked = locked.with_context(|| format!("Cargo.lock has no {id}"))?;
        let mut component = json!({
            "type": "library",
            "bom-ref": id.to_string(),
            "name": id.name,
            "version": id.version,
            "scope": if self.linked.contains(id) { "required" } else { "excluded" },
        });
        let license = &self.graph.packages[id];
        if !license.is_empty() {
            component["licenses"] = json!([{"expression": expression(license)}]);
        }
        // A package of this repository is on no registry: its name may be another's there.
        if let Some(checksum) = &locked.checksum {
            component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
            component["purl"] = json!(format!("pkg:cargo/{}@{}", id.name, id.version.replace('+', "%2B")));
        }
        Ok(component)
    }
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// A package of one version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    name: String,
    version: String,
}

impl std::fmt::Display for Id {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}@{}", self.name, self.version)
    }
}

/// Packages with their licences, and what each depends on.
#[derive(Default)]
struct Graph {
    root: Option<Id>,
    packages: BTreeMap<Id, String>,
    edges: BTreeMap<Id, BTreeSet<Id>>,
}

impl Graph {
    /// Reads lines as `2|serde v1.0.0 (proc-macro)|MIT|`: the depth in the tree, the package and its licence.
    fn parse(tree: &str) -> Result<Self> {
        let mut graph = Self::default();
        // The packages on the way from the root to the line before.
        let mut path: Vec<Id> = Vec::new();
        for line in tree.lines() {
            // Titles such as `[build-dependencies]` are no packages.
            let [depth, package, license, _] = line.split('|').collect::<Vec<_>>()[..] else { continue };
            let depth: usize =
                depth.parse().with_context(|| format!("cannot read the line of cargo tree: {line}"))?;
            let mut words = package.split(' ');
            let (Some(name), Some(version)) = (words.next(), words.next()) else {
                bail!("cannot read the line of cargo tree: {line}")
            };
            let id = Id { name: name.to_owned(), version: version.trim_start_matches('v').to_owned() };
            path.truncate(depth);
            match path.last() {
                Some(parent) => {
                    graph.edges.entry(parent.clone()).or_default().insert(id.clone());
                }
                None => graph.root = Some(id.clone()),
            }
            graph.packages.insert(id.clone(), license.to_owned());
            graph.edges.entry(id.clone()).or_default();
            path.push(id);
        }
        Ok(graph)
    }
}

/// The licence as SPDX writes it: older packages separate with `/`.
fn expression(license: &str) -> String {
    license.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

/// A number that is the same for the same text, in the form of a UUID of one's own making (RFC 9562, version 8).
fn serial_number(text: &str) -> String {
    let digits = sha256(text.as_bytes());
    format!(
        "urn:uuid:{}-{}-8{}-a{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}

fn standard_library() -> Result<Value> {
    Ok(json!({
        "type": "library",
        "bom-ref": "rust-std",
        "name": "rust-std",
        "version": Toolchain::read()?.release,
        "scope": "required",
        "description": "The standard library of Rust",
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }))
}

/// The C library, which is in a static program, too. That of musl comes with Rust, which does not tell its version.
fn c_library(target: Target) -> Result<Value> {
    let (name, license) = if target.is_musl() { ("musl", "MIT") } else { ("glibc", "LGPL-2.1-or-later") };
    let mut component = json!({
        "type": "library",
        "bom-ref": name,
        "name": name,
        "scope": "required",
        "description": "The C library, linked statically",
        "licenses": [{"expression": license}],
    });
    if !target.is_musl() {
        let text = output(Command::new("ldd").arg("--version"))?;
        let version = text.lines().next().and_then(|line| line.split(' ').next_back());
        component["version"] = json!(version.context("ldd does not tell the version of glibc")?);
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "0|tool v0.1.0 (/src/tool)|Apache-2.0|\n1|a v1.0.0|MIT/Apache-2.0|\n2|b v2.0.0|MIT|\n1|c v3.0.0 (proc-macro)|MIT|\n\
                        2|b v2.0.0|MIT| (*)\n[build-dependencies]\n1|d v4.0.0||\n";

    fn id(name: &str, version: &str) -> Id {
        Id { name: name.into(), version: version.into() }
    }

    #[test]
    fn a_tree_is_read_as_a_graph() {
        let graph = Graph::parse(TREE).unwrap();
        assert_eq!(graph.root, Some(id("tool", "0.1.0")));
        let edges: Vec<String> = graph
            .edges
            .iter()
            .map(|(from, to)| {
                format!("{from}: {}", to.iter().map(Id::to_string).collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(
            edges,
            [
                "a@1.0.0: b@2.0.0",
                "b@2.0.0: ",
                "c@3.0.0: b@2.0.0",
                "d@4.0.0: ",
                "tool@0.1.0: a@1.0.0 c@3.0.0 d@4.0.0"
            ]
        );
    }

    #[test]
    fn a_package_has_a_checksum_a_licence_and_a_scope_and_one_of_ours_no_place_on_the_registry() {
        let lock =
            "[[package]]\nname='a'\nversion='1.0.0'\nchecksum='00'\n[[package]]\nname='c'\nversion='3.0.0'\n";
        let sbom = Sbom {
            program: "tool",
            graph: Graph::parse(TREE).unwrap(),
            linked: BTreeSet::from([id("a", "1.0.0")]),
            lock: toml::from_str(lock).unwrap(),
            others: Vec::new(),
        };
        let linked = sbom.component(&id("a", "1.0.0")).unwrap();
        assert_eq!(linked["scope"], "required");
        assert_eq!(linked["licenses"], json!([{"expression": "MIT OR Apache-2.0"}]));
        assert_eq!(linked["purl"], "pkg:cargo/a@1.0.0");
        assert_eq!(linked["hashes"], json!([{"alg": "SHA-256", "content": "00"}]));
        let ours = sbom.component(&id("c", "3.0.0")).unwrap();
        assert_eq!(ours["scope"], "excluded");
        assert_eq!((ours.get("purl"), ours.get("hashes")), (None, None));
        assert!(sbom.component(&id("b", "2.0.0")).is_err(), "a package that is not locked was let pass");
    }

    #[test]
    fn the_controller_has_its_engine_and_no_server_no_tests_and_no_terminal_in_it() {
        let root = source::root().unwrap();
        let target = Platform::here().target().unwrap();
        let sbom = Sbom::read(&root, &CONTROLLER, target).unwrap();
        let linked = |name: &str| sbom.linked.iter().any(|id| id.name == name);
        let known = |name: &str| sbom.graph.packages.keys().any(|id| id.name == name);
        for name in ["allready-core", "kube-client", "ring", "tokio", "rustls-native-certs"] {
            assert!(linked(name), "{name} is not in the list");
        }
        for name in ["allready-apiserver", "proptest", "ratatui"] {
            assert!(!known(name), "{name} is in the list");
        }
        for name in ["syn", "serde_derive", "cc"] {
            assert!(known(name) && !linked(name), "{name} is there for the build alone");
        }
    }

    #[test]
    fn the_document_is_the_same_each_time() {
        let root = source::root().unwrap();
        let target = Platform::here().target().unwrap();
        let source = Source { revision: "0123abc".into(), time: "2026-01-02T03:04:05Z".parse().unwrap() };
        let document = || Sbom::read(&root, &COMMAND_LINE, target).unwrap().to_json(&source).unwrap();
        let text = document();
        assert_eq!(text, document());
        let value: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(value["metadata"]["component"]["name"], "allready");
        let refs: BTreeSet<&str> =
            value["components"].as_array().unwrap().iter().filter_map(|it| it["bom-ref"].as_str()).collect();
        for dependency in value["dependencies"].as_array().unwrap() {
            for on in dependency["dependsOn"].as_array().unwrap() {
                assert!(refs.contains(on.as_str().unwrap()), "{on} is no component");
            }
        }
    }
}
