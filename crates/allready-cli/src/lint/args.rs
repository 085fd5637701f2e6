//! What can be said to `allready lint`.

use std::path::PathBuf;

use allready_core::Time;
use allready_inspect::lint::{Severity, Unmet};
use clap::Args;
use jiff::SignedDuration;

use crate::{
    cluster::ClusterArgs,
    declared::DeclaredArgs,
    failure::Failure,
    output::{Format, Formats},
    target::{ScopeArgs, SelectorArgs},
};

/// What to look at, and how to say what was found.
#[derive(Debug, Args)]
#[command(after_help = "\
Forty rules: C for definitions, O for objects, W for what happens while --watch
looks on, M for who writes, G for the Gateway API. An error is what a server with
the standard schema refuses or a specification forbids; a warning what one should
not do; info is a guess from names and ages.

What is to be lived with is left out by an annotation of the object,
  allready.dev/lint-ignore: \"O04,W01\"
  allready.dev/lint-ignore: \"O04@status.conditions[Ready]=an old client needs it\"
or by .allready-lint.yaml in this directory (or --config FILE):
  ignore: [{rules: [O10], kind: Widget, name: \"legacy-*\", reason: is rewritten}]
  severities: {C01: error}
  thresholds: {unknownAfter: 30m, maxFlaps: 3}
What is left out is counted, and what is left out for nothing is said.

--fix prints definitions as they should be: lists as maps, the limits of
metav1.Condition, observedGeneration, the status subresource, columns. With --write
it changes the files. Objects that break the new limits can be read as before, and
written again only when they are mended themselves.

Exit codes:
  0 nothing of --fail-on or worse, 1 something
  2 nothing, but not everything could be looked at
  64 wrong usage, 65 unusable input, 66 unreadable input or no kubeconfig,
  69 no answer from the API server, 74 unwritable output, 77 not permitted

Examples:
  allready lint -f config/crd/ --fail-on warning
  allready lint -f crd.yaml --fix | kubectl diff -f -
  allready lint                         everything in the namespace
  allready lint crd                     the definitions of the cluster
  allready lint gateways,httproutes -A -o sarif > lint.sarif
  allready lint widgets --watch 10m     what changes for nothing, and what flaps
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

    /// The kinds or objects to look at, as kubectl names them; `crd` for definitions [default: everything].
    #[arg(value_name = "TYPE[/NAME]", conflicts_with = "filename")]
    pub(crate) targets: Vec<String>,

    /// A file with objects or definitions, a directory of such files, or `-` for standard input; may be said several times.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["all_namespaces", "namespace"])]
    pub(crate) filename: Vec<PathBuf>,

    /// Look on for so long, such as 10m, and say what happens.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "filename")]
    pub(crate) watch: Option<SignedDuration>,

    /// Print definitions as they should be.
    #[arg(long, conflicts_with_all = ["targets", "watch", "output"])]
    pub(crate) fix: bool,

    /// With --fix: change the files instead.
    #[arg(long, requires = "fix")]
    pub(crate) write: bool,

    /// With --write: also where comments within a definition would be lost.
    #[arg(long, requires = "write")]
    pub(crate) drop_comments: bool,

    /// What to leave out, and from when on something is too much [default: .allready-lint.yaml, if it is there].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// What makes the exit code 1: this, and what is worse.
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = |text: &str| text.parse::<Severity>())]
    pub(crate) fail_on: Severity,

    /// Leave out what is milder than this.
    #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = |text: &str| text.parse::<Severity>())]
    pub(crate) severity: Severity,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// Say why a rule exists, with an example, and how to leave it out.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["targets", "filename", "rules"])]
    pub(crate) explain: Option<String>,

    /// List the rules.
    #[arg(long, conflicts_with_all = ["targets", "filename"])]
    pub(crate) rules: bool,

    /// The instant to judge at, as RFC 3339 [default: now].
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
        if self.fix && self.filename.is_empty() {
            return Err(Failure::usage(
                "--fix needs files: give -f FILE, or `kubectl get crd NAME -o yaml | allready lint --fix -f -`",
            ));
        }
        if !self.filename.is_empty() && !self.selector.is_empty() {
            return Err(Failure::usage("-f says which objects: leave --selector and --field-selector out"));
        }
        Ok(())
    }
}

fn duration(text: &str) -> Result<SignedDuration, String> {
    match text.parse::<SignedDuration>() {
        Ok(duration) if duration.is_positive() => Ok(duration),
        _ => Err("write a duration such as 90s, 10m or 1h".to_owned()),
    }
}
