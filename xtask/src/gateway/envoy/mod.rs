//! A second opinion: the statuses that Envoy Gateway writes for the same objects.
//!
//! The control plane of Envoy Gateway runs on a real kube-apiserver (`xtask/envoy/control`). One after the other it is given the manifests
//! of the conformance suite, each beside the suite's base, and the examples of the Gateway API. Its statuses are read back when they
//! stay as they are, and `allready_gateway::status` computes ours from the same stored objects. `xtask/envoy/differences.yaml` explains
//! the differences; one that nothing there explains fails the command.

mod explanations;
mod facts;
mod manifests;
mod stage;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use allready_core::Time;
use allready_gateway::{Object, Support, object::Address, status};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use self::explanations::{Explanation, Told};
use self::facts::{Difference, Facts};
use self::manifests::Manifest;
use self::stage::{ADDRESS, CONTROLLER, EnvoyStage};
use crate::printer;
use crate::real::Environment;

/// The two statuses of every object, by `Kind/namespace/name`: ours, and that of Envoy Gateway.
type Pairs = BTreeMap<String, (Facts, Facts)>;

/// Compares the statuses for the manifests whose path has one of these texts in it, or for all, and returns false if a difference is
/// unexplained.
pub(super) async fn run(environment: &Environment, only: &[String], directory: &Path) -> Result<bool> {
    let start = Instant::now();
    let explanations = explanations::read()?;
    let manifests = manifests::all()?;
    let chosen: Vec<_> = manifests.iter().filter(|manifest| manifest.is_one_of(only)).collect();
    ensure!(!chosen.is_empty(), "no manifest has {} in its path", only.join(" or "));
    let directory = directory.join("envoy");
    std::fs::create_dir_all(&directory)?;
    let mut stage = EnvoyStage::start(environment, &directory).await?;
    let base = manifests::base()?;
    stage.apply(&base).await?;
    let first = pairs(&stage.settled().await?)?;
    let mut compared = Compared::default();
    compared.take(&base, &first, &explanations);
    let count = chosen.len();
    for (index, manifest) in chosen.into_iter().enumerate() {
        printer::note(format!("{} of {count}: {}", index + 1, manifest.name));
        let refused = stage.apply(manifest).await?;
        for line in refused {
            printer::note(format!("  refused by the API server: {line}"));
        }
        let mut both = pairs(&stage.settled().await?)?;
        // An object of the base counts again only where the manifest changes its status.
        both.retain(|key, pair| first.get(key) != Some(pair));
        compared.take(manifest, &both, &explanations);
        stage.delete(manifest).await?;
    }
    stage.stop().await?;
    Ok(compared.tell(&explanations, only.is_empty(), start.elapsed().as_secs()))
}

/// Computes our statuses of the stored objects, and puts them beside the stored ones.
fn pairs(stored: &[Value]) -> Result<Pairs> {
    let mut support = Support::new(CONTROLLER);
    let address = Address { type_: "IPAddress".to_owned(), value: ADDRESS.to_owned() };
    support.usable_addresses = Some(vec![address.clone()]);
    support.default_address = Some(address);
    let mut objects = Vec::new();
    let mut pairs = Pairs::new();
    for value in stored {
        let mut object = Object::read(value).context("kubectl get returned an unknown kind")?;
        // Ours owes nothing to theirs.
        object.status = None;
        let theirs =
            facts::facts(value.get("status").unwrap_or(&Value::Null), &object.key.namespace, CONTROLLER);
        pairs.insert(object.key.to_string(), (Facts::new(), theirs));
        objects.push(object);
    }
    for (key, ours) in status(objects, &support, Time::EPOCH) {
        let ours = facts::facts(&serde_json::to_value(&ours)?, &key.namespace, CONTROLLER);
        pairs.entry(key.to_string()).or_default().0 = ours;
    }
    pairs.retain(|_, (ours, theirs)| !ours.is_empty() || !theirs.is_empty());
    Ok(pairs)
}

/// The sum of everything that was compared.
#[derive(Default)]
struct Compared {
    objects: usize,
    equal: usize,
    /// By the index of the explanation.
    explained: BTreeMap<usize, Vec<Difference>>,
    unexplained: Vec<Difference>,
}

impl Compared {
    fn take(&mut self, manifest: &Manifest, pairs: &Pairs, explanations: &[Explanation]) {
        for (object, (ours, theirs)) in pairs {
            let differences = facts::differences(&manifest.name, object, ours, theirs);
            self.objects += 1;
            self.equal += usize::from(differences.is_empty());
            for difference in differences {
                match explanations.iter().position(|known| known.explains(&difference)) {
                    Some(index) => self.explained.entry(index).or_default().push(difference),
                    None => self.unexplained.push(difference),
                }
            }
        }
    }

    /// Prints it, and returns true if every difference is explained, and every explanation is needed.
    fn tell(&self, explanations: &[Explanation], is_whole: bool, seconds: u64) -> bool {
        let mut unneeded = 0;
        for (index, known) in explanations.iter().enumerate() {
            match self.explained.get(&index) {
                Some(found) => printer::line(Told { known, found }.to_string()),
                None if is_whole => {
                    unneeded += 1;
                    printer::line(format!(
                        "UNNEEDED, remove it from xtask/envoy/differences.yaml: {}",
                        known.because
                    ));
                }
                None => {}
            }
        }
        for difference in &self.unexplained {
            printer::line(format!("UNEXPLAINED {difference}"));
        }
        let explained: usize = self.explained.values().map(Vec::len).sum();
        printer::line(format!(
            "{} objects compared, {} statuses equal; {explained} differences explained, {} unexplained; {seconds} s; manifests and the log \
             of Envoy Gateway in target/gateway-conformance/envoy",
            self.objects,
            self.equal,
            self.unexplained.len()
        ));
        self.unexplained.is_empty() && unneeded == 0
    }
}
