//! What can be said to `allready check`.

use allready_core::Time;
use allready_inspect::health::Health;
use clap::{Args, ValueEnum};

use super::causes::GroupBy;
use crate::{
    cluster::ClusterArgs,
    declared::DeclaredArgs,
    failure::Failure,
    objects::FileArgs,
    output::{Format, Formats},
    printer::Printer,
    target::{ScopeArgs, SelectorArgs},
};

/// Objects to check, and the form of the answer.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.conflicts_with_all(["all_namespaces", "namespace", "selector", "field_selector"])), after_help = "\
Every object gets one verdict: Healthy, Suspended (on purpose), Progressing, Unknown,
Missing or Degraded. An object that cannot be understood is Unknown, never Healthy. The
verdict takes into account what an object controls, selects and refers to: a Service
without ready endpoints is Degraded, and so is a Deployment whose pods cannot start.

The table has a row for each cause, worst first, with what it affects; --by groups the
causes. Rows with ! are hints: nothing is wrong yet, as with a quota that is used up.
With --objects or -o wide it has the objects: those with the same kind, health, reason
and message share a row, and --no-group gives each a row of its own.

Files are JSON or YAML: objects, lists, documents, or one JSON object after another.
They are read one object at a time, whatever their size; an object may have 64 MiB.
One that cannot be read counts as Unknown, and the rest is still read. Of a directory
the files that end in .yaml, .yml or .json are read. Directories below it are read
with -R only: without it, those with such files are named and the exit code is 2 at
best. Links to directories and hidden directories are not followed.

Finding nothing is an error, because a namespace, label or directory may be mistyped.
Pass --allow-none if an empty result is fine.

The meaning of conditions is built in for many kinds, declared by CRDs (annotation
allready.dev/conditions; in the cluster, or anywhere in the files) or by --registry,
and otherwise taken from their names. In standard input a CRD counts for the objects
behind it: put it first.
--rules kstatus gives the statuses and reasons of that library instead.

jsonl has a line for every object, in the order of the input, or of kinds, namespaces
and names in a cluster; json and yaml have the unhealthy ones, or all with --all. The
writer is looked up for unhealthy objects.

Exit codes:
  0 all healthy or suspended, 1 something is Degraded or Missing
  2 something is Progressing or Unknown, could not be listed, was declared too late,
    or is in a directory that was not read; or there are no objects at all
  64 wrong usage, 65 unusable input, 66 unreadable input or no kubeconfig,
  69 no answer from the API server, 74 unwritable output, 77 not permitted

Examples:
  allready check                        everything in the namespace
  allready check -A                     everything in the cluster
  allready check deploy,sts -l app=web
  allready check deploy/web svc/web -o wide
  allready check -R -f manifests/       with everything below the directory
  kubectl get pods -A -o json | allready check -f -
  allready check -f dump.json -o jsonl | jq -r 'select(.health == \"Degraded\").name'
  allready check -A -o junit > health.xml
  allready check widgets --registry widgets.yaml --why")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    /// Kinds or objects to check, as kubectl names them [default: everything].
    #[arg(value_name = "TYPE[/NAME]", conflicts_with = "filename")]
    pub(crate) targets: Vec<String>,

    #[command(flatten)]
    pub(crate) selector: SelectorArgs,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Exit with 0 if there is nothing to check.
    #[arg(long)]
    pub(crate) allow_none: bool,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Rules to judge by [default: those of allready].
    #[arg(long, value_name = "RULES", conflicts_with = "files")]
    pub(crate) rules: Option<Rules>,

    /// Name the rules that decided.
    #[arg(long)]
    pub(crate) why: bool,

    /// Show healthy objects too.
    #[arg(long)]
    pub(crate) all: bool,

    /// Print a row for each object, or those that say the same, in place of each cause.
    #[arg(long)]
    pub(crate) objects: bool,

    /// Exit with 2 if there are hints: problems that are about to happen.
    #[arg(long)]
    pub(crate) hints: bool,

    /// Group causes.
    #[arg(long, value_name = "GROUP", conflicts_with_all = ["objects", "all", "why", "no_group", "rules"])]
    pub(crate) by: Option<GroupBy>,

    /// Print a line for each object, also where the cause is the same.
    #[arg(long)]
    pub(crate) no_group: bool,

    /// Mildest health that makes the command fail.
    #[arg(long, value_name = "HEALTH", default_value = "progressing")]
    pub(crate) fail_on: FailOn,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// Time to judge at, as RFC 3339 [default: now].
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

/// Rules of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rules {
    /// kstatus, as in `helm --wait` and Flux: what has no rule and no Ready condition is good there.
    Kstatus,
}

/// What makes the exit code other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Suspended or worse.
    Suspended,
    /// Progressing or worse.
    Progressing,
    /// Unknown or worse.
    Unknown,
    /// Missing or Degraded.
    Degraded,
}

impl CheckArgs {
    /// Refuses what is not meant, and warns of what may not be: `--as kstatus` chose rules in earlier versions.
    pub(super) fn check(&self, printer: &mut Printer) -> Result<(), Failure> {
        const HINT: &str = "for the rules of kstatus pass --rules kstatus";
        match &self.cluster.impersonate {
            Some(_) if self.input.is_given() => {
                Err(Failure::usage(format_args!("-f asks no cluster: leave --as out; {HINT}")))
            }
            Some(user) if user == "kstatus" => {
                printer.warning(format_args!("--as kstatus impersonates a user of this name; {HINT}"));
                self.check_groups()
            }
            _ => self.check_groups(),
        }
    }

    /// Refuses groups of causes where there is no room for them.
    fn check_groups(&self) -> Result<(), Failure> {
        let has_groups = matches!(self.output, Format::Table | Format::Json | Format::Yaml);
        if self.by.is_some() && !has_groups {
            return Err(Failure::usage("--by groups causes: it works with -o table, json and yaml only"));
        }
        Ok(())
    }

    /// Tells whether a table has rows for objects: what else is asked for is said of objects, and not of causes.
    pub(super) fn shows_objects(&self) -> bool {
        self.objects || self.all || self.why || self.no_group || self.rules.is_some()
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
