//! What can be said to `allready lint`.

use std::{path::PathBuf, time::Duration};

use allready_core::Time;
use allready_inspect::lint::{Severity, Unmet};
use clap::Args;

use crate::{
    cluster::{ClusterArgs, duration},
    declared::DeclaredArgs,
    failure::Failure,
    objects::FileArgs,
    output::{Format, Formats},
    target::{ScopeArgs, SelectorArgs},
};

/// What to look at, and how to say what was found.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.conflicts_with_all(["all_namespaces", "namespace"])), after_help = "\
Forty rules: C for CRDs, O for objects, W for changes during --watch, M for writers,
G for the Gateway API. An error is what a server with the standard schema refuses or a
specification forbids; a warning is bad practice; info is a guess from names and ages.

Findings are ignored by an annotation of the object,
  allready.dev/lint-ignore: \"O04,W01\"
  allready.dev/lint-ignore: \"O04@status.conditions[Ready]=an old client needs it\"
or by .allready-lint.yaml in this directory (or --config FILE):
  ignore: [{rules: [O10], kind: Widget, name: \"legacy-*\", reason: is rewritten}]
  severities: {C01: error}
  thresholds: {unknownAfter: 30m, maxFlaps: 3}
Ignored findings are counted, and an entry that ignores nothing is reported.

--fix prints CRDs with their mistakes mended: lists as maps, the limits of
metav1.Condition, observedGeneration, the status subresource, columns. With --write it
changes the files. Objects that break the new limits can still be read, but only be
written again once they are mended too.

Exit codes:
  0 no finding of --fail-on or worse, 1 there are some
  2 none, but not everything was looked at (such as directories below -f without -R),
    or there are no objects at all (--allow-none accepts that)
  64 wrong usage, 65 unusable input, 66 unreadable input or no kubeconfig,
  69 no answer from the API server, 74 unwritable output, 77 not permitted

Examples:
  allready lint -f config/crd/ --fail-on warning
  allready lint -f crd.yaml --fix | kubectl diff -f -
  allready lint                         everything in the namespace
  allready lint crd                     the CRDs of the cluster
  allready lint gateways,httproutes -A -o sarif > lint.sarif
  allready lint widgets --watch 10m     needless changes and flapping conditions
  allready lint --explain O04")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct LintArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    #[command(flatten)]
    pub(crate) selector: SelectorArgs,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Kinds or objects to check, as kubectl names them; `crd` for CRDs [default: everything].
    #[arg(value_name = "TYPE[/NAME]", conflicts_with = "filename")]
    pub(crate) targets: Vec<String>,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Exit with 0 if there is nothing to lint.
    #[arg(long)]
    pub(crate) allow_none: bool,

    /// Watch for this time, such as 10m, and report what happens.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "filename")]
    pub(crate) watch: Option<Duration>,

    /// Print the CRDs with their mistakes mended.
    #[arg(long, conflicts_with_all = ["targets", "watch", "output"])]
    pub(crate) fix: bool,

    /// With --fix: change the files instead.
    #[arg(long, requires = "fix")]
    pub(crate) write: bool,

    /// With --write: also where comments within a CRD would be lost.
    #[arg(long, requires = "write")]
    pub(crate) drop_comments: bool,

    /// Configuration: ignored findings, severities and thresholds [default: .allready-lint.yaml, if it is there].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Least severity that makes the exit code 1.
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = |text: &str| text.parse::<Severity>())]
    pub(crate) fail_on: Severity,

    /// Least severity that is reported.
    #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = |text: &str| text.parse::<Severity>())]
    pub(crate) severity: Severity,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// Explain a rule, with an example, and how to ignore it.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["targets", "filename", "rules"])]
    pub(crate) explain: Option<String>,

    /// List the rules.
    #[arg(long, conflicts_with_all = ["targets", "filename"])]
    pub(crate) rules: bool,

    /// Time to judge at, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME", conflicts_with = "watch")]
    pub(crate) now: Option<Time>,
}

/// The formats of `lint`.
const FORMATS: Formats =
    Formats(&[Format::Table, Format::Json, Format::Yaml, Format::Junit, Format::Sarif, Format::Github]);

impl LintArgs {
    /// A file that is named is meant for what is looked at; that of the directory may be meant for more.
    pub(super) fn unmet(&self) -> Unmet {
        if self.config.is_some() { Unmet::Told } else { Unmet::Untold }
    }

    /// What cannot be meant.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.fix && !self.input.is_given() {
            return Err(Failure::usage(
                "--fix needs files: give -f FILE, or `kubectl get crd NAME -o yaml | allready lint --fix -f -`",
            ));
        }
        if self.input.is_given() && !self.selector.is_empty() {
            return Err(Failure::usage("-f says which objects: leave --selector and --field-selector out"));
        }
        Ok(())
    }
}
