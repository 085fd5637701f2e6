//! What can be said to `allready check`.

use std::path::PathBuf;

use allready_core::Time;
use allready_inspect::health::Health;
use clap::{Args, ValueEnum};

use crate::{
    cluster::ClusterArgs,
    declared::DeclaredArgs,
    output::{Format, Formats},
    target::{ScopeArgs, SelectorArgs},
};

/// What to check, and how to say what came of it.
#[derive(Debug, Args)]
#[command(after_help = "\
Every object comes to one word: Healthy, Suspended (on purpose), Progressing,
Unknown, Missing or Degraded. What is not understood is Unknown, never Healthy.
Objects with the same kind, health, reason and message are one line of the table,
with the first names and a count; --no-group gives each a line of its own.

Files may be JSON or YAML: objects, lists, documents, or one JSON object after
another. They are read one object at a time, whatever their size; an object may
have 64 MiB. One that cannot be read counts as Unknown, and the rest is read on.

What conditions mean is known for many kinds, told by their definitions (annotation
allready.dev/conditions; in the cluster, or anywhere in the files) or by --registry,
and otherwise read off their names. In standard input a definition counts from where
it stands: put it first.
--as kstatus gives the answers of that library instead, in its words.

jsonl has a line for every object, in the order of the input, or in that of kinds,
namespaces and names in a cluster; json and yaml have
those that are not healthy, or all with --all. The writer is looked up for what is
not healthy.

Exit codes:
  0 all healthy or suspended, 1 something is Degraded or Missing
  2 something is Progressing or Unknown, could not be listed, or was declared too late
  64 wrong usage, 65 unusable input, 66 unreadable input or no kubeconfig,
  69 no answer from the API server, 74 unwritable output, 77 not permitted

Examples:
  allready check                        everything in the namespace
  allready check -A                     everything in the cluster
  allready check deploy,sts -l app=web
  allready check deploy/web svc/web -o wide
  kubectl get pods -A -o json | allready check -f -
  allready check -f dump.json -o jsonl | jq -r 'select(.health == \"Degraded\").name'
  allready check -A -o junit > health.xml
  allready check widgets --registry widgets.yaml --why")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    /// The kinds or objects to check, as kubectl names them [default: everything].
    #[arg(value_name = "TYPE[/NAME]", conflicts_with = "filename")]
    pub(crate) targets: Vec<String>,

    #[command(flatten)]
    pub(crate) selector: SelectorArgs,

    /// A file with objects, a directory of such files, or `-` for standard input; may be said several times.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["all_namespaces", "namespace", "selector", "field_selector"])]
    pub(crate) filename: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Judge as somebody else does.
    #[arg(long = "as", value_name = "WHOM", conflicts_with = "files")]
    pub(crate) judge_as: Option<JudgeAs>,

    /// Say what the rules are that decided.
    #[arg(long)]
    pub(crate) why: bool,

    /// Show what is healthy too.
    #[arg(long)]
    pub(crate) all: bool,

    /// A line for each object, also where the cause is the same.
    #[arg(long)]
    pub(crate) no_group: bool,

    /// What makes the exit code other than 0: this, and what is worse.
    #[arg(long, value_name = "HEALTH", default_value = "progressing")]
    pub(crate) fail_on: FailOn,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// The instant to judge at, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,
}

/// The formats of `check`.
const FORMATS: Formats = Formats(&[
    Format::Table,
    Format::Wide,
    Format::Json,
    Format::Yaml,
    Format::Name,
    Format::Jsonl,
    Format::Junit,
    Format::Github,
    Format::Prometheus,
]);

/// Whose rules to judge by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeAs {
    /// kstatus, as in `helm --wait` and Flux: what has no rule and no Ready condition is good there.
    Kstatus,
}

/// What makes the exit code other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Resting on purpose, and everything that is worse.
    Suspended,
    /// On its way, and everything that is worse.
    Progressing,
    /// Not understood, and everything that is worse.
    Unknown,
    /// Missing or broken.
    Degraded,
}

impl CheckArgs {
    pub(super) fn is_grouped(&self) -> bool {
        !self.no_group
    }

    /// The least health that fails.
    pub(super) fn fail_on(&self) -> Health {
        match self.fail_on {
            FailOn::Suspended => Health::Suspended,
            FailOn::Progressing => Health::Progressing,
            FailOn::Unknown => Health::Unknown,
            FailOn::Degraded => Health::Missing,
        }
    }
}
