//! Where the files come from, as an in-toto statement with SLSA provenance: <https://slsa.dev/spec/v1.0/provenance>.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::Files;
use crate::image::Recipe;
use crate::image::archive::sha256;
use crate::image::program::Toolchain;
use crate::image::source::VERSION;

/// The statement on all files: the commit, the locked dependencies and the compiler. It is unsigned, and has no time but the commit's, so
/// that whoever builds the commit again makes the same statement.
pub(super) fn statement(root: &Path, recipe: &Recipe, files: &Files) -> Result<Value> {
    let lock = std::fs::read(root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let toolchain = Toolchain::read()?;
    let subjects: Vec<Value> = files
        .iter()
        .map(|(name, bytes)| json!({"name": name, "digest": {"sha256": sha256(bytes)}}))
        .collect();
    let repository = recipe.url.as_deref().unwrap_or("allready");
    Ok(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:allready:cargo-xtask-release:v1",
                "externalParameters": {"version": VERSION, "target": recipe.target.triple, "source": recipe.url},
                "internalParameters": {"sourceDateEpoch": recipe.source.seconds()},
                "resolvedDependencies": [
                    {"name": "source", "uri": format!("git+{repository}"), "digest": {"gitCommit": recipe.source.revision}},
                    {"name": "Cargo.lock", "digest": {"sha256": sha256(&lock)}},
                    {
                        "name": "rustc",
                        "uri": format!("pkg:generic/rustc@{}", toolchain.release),
                        "digest": {"gitCommit": toolchain.commit},
                    },
                ],
            },
            "runDetails": {"builder": {"id": "urn:allready:cargo-xtask", "version": {"xtask": VERSION}}},
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::program::Platform;
    use crate::image::source::{self, Source};

    #[test]
    fn every_file_is_a_subject_and_the_commit_a_dependency() {
        let recipe = Recipe {
            source: Source { revision: "0123abc".into(), time: jiff::Timestamp::UNIX_EPOCH },
            platform: Platform::here(),
            target: Platform::here().target().unwrap(),
            url: None,
        };
        let files = Files::from([("a".into(), b"{}".to_vec()), ("b".into(), Vec::new())]);
        let statement = statement(&source::root().unwrap(), &recipe, &files).unwrap();
        let names: Vec<&str> =
            statement["subject"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(statement["subject"][0]["digest"]["sha256"], sha256(b"{}"));
        let dependencies = &statement["predicate"]["buildDefinition"]["resolvedDependencies"];
        assert_eq!(dependencies[0]["digest"]["gitCommit"], "0123abc");
        assert_eq!(dependencies[1]["digest"]["sha256"].as_str().unwrap().len(), 64);
    }
}
