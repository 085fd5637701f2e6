//! Scenarios as data: `e2e/cluster/NAME.yaml`.
//!
//! The first document of a file is a [`Scenario`]; the others are applied, in a namespace of that name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

/// One state of a cluster, and the answers that are expected there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Scenario {
    /// The name of the file, and of the namespace.
    #[serde(skip)]
    pub(super) name: String,
    /// The documents to apply.
    #[serde(skip)]
    pub(super) manifest: String,
    /// A controller that runs beside those of Kubernetes.
    pub(super) needs: Option<Controller>,
    /// The object that `explain` and `wait` are asked about, as `deploy/web`.
    pub(super) object: String,
    /// Arguments of kubectl, run one after the other when the manifest is applied; `wait` is repeated until it succeeds.
    #[serde(default)]
    pub(super) steps: Vec<String>,
    /// The verdict of `explain`.
    pub(super) verdict: String,
    /// A part of the first cause of `explain`, of the first cause of `check`, and of the last words of `wait`.
    pub(super) cause: Option<String>,
    /// The exit code of `check` in the namespace.
    pub(super) check: i32,
    /// The greatest number of causes that `check` may list.
    #[serde(default = "one")]
    pub(super) lines: usize,
    /// A part of a hint of `check --hints`.
    pub(super) hint: Option<String>,
    /// The namespaces of the cause in `check -A`.
    #[serde(default)]
    pub(super) namespaces: Vec<String>,
    /// The end of `wait`.
    pub(super) wait: Option<Wait>,
    /// The age of the state when it is judged, as `30m`.
    pub(super) later: Option<String>,
    /// The context of the kubeconfig to ask with.
    pub(super) context: Option<String>,
    /// A state that all clients of the cluster notice: it is made when everything else has been asked.
    #[serde(default)]
    pub(super) last: bool,
}

/// A controller of somebody else.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Controller {
    /// Argo Rollouts.
    ArgoRollouts,
}

/// The way that `wait` ends.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Wait {
    /// Begun in the state, it ends early, because the state does not heal.
    Hopeless,
    /// Begun in the state, it waits until its time is over, because the state may heal.
    Patient,
    /// Begun when the objects are applied, it succeeds.
    Heals,
}

fn one() -> usize {
    1
}

/// Reads the scenarios whose names contain one of these texts, or all.
pub(super) fn read(filters: &[String]) -> Result<Vec<Scenario>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/cluster");
    let files = fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut files = files.map(|file| Ok(file?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut scenarios = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter)) {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let (head, manifest) =
            text.split_once("\n---\n").with_context(|| format!("{} has nothing to apply", file.display()))?;
        let scenario: Scenario = serde_saphyr::from_str(head)
            .with_context(|| format!("{} does not begin with a scenario", file.display()))?;
        scenarios.push(Scenario { name, manifest: manifest.to_owned(), ..scenario });
    }
    ensure!(!scenarios.is_empty(), "no scenario has {} in its name", filters.join(" or "));
    Ok(scenarios)
}
