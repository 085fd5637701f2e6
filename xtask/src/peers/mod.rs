//! The same random cases for the peers' own packages and for us: every difference is shrunk to one example and has to be a documented
//! choice. `--measure` then compares what calls cost, and `--aggregation` programs that compute one Ready on the real API server.

mod aggregation;
mod agree;
mod choices;
mod generate;
mod measure;
mod plot;
mod program;
mod report;
mod shrink;
mod workload;

use anyhow::{Result, bail};

use crate::printer;
use crate::real::Environment;
use agree::Field;
use program::Built;

/// The options of the comparison.
#[derive(clap::Args, Debug, Clone)]
pub struct Options {
    /// Fewer cases for each peer, as every run of CI has them
    #[arg(long)]
    check: bool,
    /// Number of cases for each peer
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// The seed of the cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the peers whose name contains this
    #[arg(long)]
    peer: Option<String>,
    /// Measure what calls cost on both sides
    #[arg(long, group = "measured")]
    measure: bool,
    /// Number of turns of both sides; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// For how many milliseconds each turn calls
    #[arg(long, default_value_t = 200)]
    milliseconds: u64,
    /// Write what was measured into COMPARE.md and docs/images
    #[arg(long, requires = "measured")]
    write: bool,
    #[command(flatten)]
    aggregation: aggregation::Options,
}

/// The number of cases of a check.
const CHECKED: u64 = 1_000;

/// A package that is compared.
struct Peer {
    name: &'static str,
    /// The call that answers.
    call: &'static str,
    module: &'static str,
    program: &'static str,
    /// The fields that it defines beyond the presence of a condition and its status.
    fields: &'static [Field],
}

const fn peer(
    name: &'static str,
    call: &'static str,
    module: &'static str,
    fields: &'static [Field],
) -> Peer {
    Peer { name, call, module, program: "peers", fields }
}

const ALL: &[Field] = &[Field::Reason, Field::Message, Field::Generation, Field::Time];
const WORDS: &[Field] = &[Field::Reason, Field::Message];
const LIST: &[Field] = &[Field::Reason, Field::Message, Field::Generation, Field::Time, Field::Changed];

const PEERS: &[Peer] = &[
    peer("apimachinery", "meta.SetStatusCondition", "k8s.io/apimachinery", LIST),
    peer("kstatus", "status.Compute", "sigs.k8s.io/cli-utils", &[Field::Reason]),
    // Its conditions have no generation.
    peer(
        "knative",
        "apis.NewLivingConditionSet",
        "knative.dev/pkg",
        &[Field::Reason, Field::Message, Field::Time],
    ),
    peer("operatorpkg", "status.NewReadyConditions", "github.com/awslabs/operatorpkg", ALL),
    peer("kro", "apis.NewReadyConditions", "github.com/kubernetes-sigs/kro", ALL),
    // It leaves generation and time to whoever stores the condition.
    peer("cluster-api", "conditions.NewSummaryCondition", "sigs.k8s.io/cluster-api", WORDS),
    peer("cluster-api-aggregate", "conditions.NewAggregateCondition", "sigs.k8s.io/cluster-api", WORDS),
    peer("flux", "conditions.SetSummary", "github.com/fluxcd/pkg/runtime", ALL),
    peer("openmcp", "conditions.ConditionUpdater", "github.com/openmcp-project/controller-utils", LIST),
    // The time is that of an input.
    Peer {
        program: "librarygo",
        ..peer("library-go", "status.UnionCondition", "github.com/openshift/library-go", WORDS)
    },
];

/// Compares, and measures where that is asked for; false where a difference is not a documented choice, or a choice not used.
pub async fn run(environment: &Environment, options: &Options) -> Result<bool> {
    if !program::has_go() {
        printer::note("skipped: the peers are written in Go, which is not here");
        return Ok(true);
    }
    if options.aggregation.is_wanted() {
        let peer = options.peer.as_deref();
        return aggregation::run(environment, &options.aggregation, peer, options.write).await;
    }
    let wanted: Vec<&Peer> = PEERS
        .iter()
        .filter(|peer| options.peer.as_ref().is_none_or(|part| peer.name.contains(part.as_str())))
        .collect();
    if wanted.is_empty() {
        bail!(
            "there is no such peer: there are {}",
            PEERS.iter().map(|peer| peer.name).collect::<Vec<_>>().join(", ")
        );
    }
    let mut programs = Vec::new();
    for name in ["peers", "librarygo"] {
        if wanted.iter().any(|peer| peer.program == name) {
            programs.push((name, program::build(environment, &format!("compare/{name}"))?));
        }
    }
    let of = |peer: &Peer| programs.iter().find(|(name, _)| *name == peer.program).map(|(_, built)| built);
    let cases = if options.check { CHECKED } else { options.cases };
    printer::line(format!("{cases} cases for each peer, seed {}", options.seed));
    let mut holds = true;
    let mut rows = Vec::new();
    for peer in &wanted {
        match of(peer) {
            Some(Built::Program(path)) => {
                let agreement = agree::run(peer, path, options.seed, cases)?;
                holds &= agreement.holds();
                agreement.print();
                rows.push(agreement.row());
            }
            Some(Built::NotServed(why)) => {
                printer::line(format!("{:<22} not served: {why}", peer.name));
                rows.push(report::Agreed::not_served(peer, why));
            }
            None => bail!("there is no program for {}", peer.name),
        }
    }
    if options.measure {
        let measured = measure::run(&wanted, of, options)?;
        report::print(&measured);
        if options.write {
            report::write(&rows, &measured, options)?;
        }
    }
    Ok(holds)
}
