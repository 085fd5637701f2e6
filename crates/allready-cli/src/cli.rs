//! What can be said to `allready`.

use std::{
    ffi::OsString,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use allready_apiserver::catalog::Set;
use allready_controller::program::ControllerArgs;
use allready_core::{
    ConditionSet, ConditionType, Generation, Time,
    rollup::{Policy, Stale},
};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::{
    aggregate::AggregateArgs,
    check,
    cluster::duration,
    completion,
    dns::DnsArgs,
    explain,
    gateway::GatewayArgs,
    hub::HubArgs,
    install::InstallArgs,
    lint, man,
    migrate::MigrateArgs,
    output::{self, Format},
    owners,
    printer::Color,
    registry,
    report::ReportArgs,
    sweep,
    uninstall::UninstallArgs,
    version::VersionArgs,
    view, wait, watch,
};

/// How the command is called.
pub(crate) const NAME: &str = "allready";
/// How it is called as a plugin of kubectl.
const PLUGIN: &str = "kubectl allready";

/// Is everything all ready? If not: what, since when, who says so, and why?
#[derive(Debug, Parser)]
#[command(
    name = NAME,
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  allready check -A                   report unhealthy objects of the cluster, worst first
  allready check -f release.yaml      the same from files
  allready explain deploy/web         explain its state, down to the root cause
  allready wait -f app.yaml --for Ready --timeout 5m
  allready lint -f crds/              check CRDs for status and condition mistakes
  allready gateway check -f gateways/ compute the status that Gateway API manifests would get
  allready watch -A                   show unhealthy objects live
  allready view -A --open             the same and more, in the browser
  allready owners gateway/web         show which field manager owns each condition
  allready sweep --dry-run -A         list what writers that are gone have left behind
  allready registry show Certificate.cert-manager.io
  allready rollup -f conditions.yaml  compute Ready from a list of conditions
  allready install | kubectl apply --server-side -f -
  allready controller                 run the controllers
  allready apiserver -f crds/         run an in-memory Kubernetes API server
  allready demo                       run the demo

Commands that contact a cluster take the flags of kubectl: --context, --server, --as, …
(see `allready check --help`). Durations are written as 90s, 5m or 1h30m; a number alone
is seconds. Without --color, output has no colours with NO_COLOR=1 or in a pipe. Installed
as kubectl-allready, it is a kubectl plugin: see `allready completion --help`."
)]
pub(crate) struct Cli {
    /// When to write colours; auto heeds the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,

    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// What was said, under the name by which the command was called: as a plugin of kubectl it speaks of itself as one.
    pub(crate) fn said(words: &[OsString]) -> Result<Self, clap::Error> {
        let name = words.first().and_then(|called| Path::new(called).file_stem());
        if name.is_none_or(|name| name != "kubectl-allready") {
            return Self::try_parse_from(words);
        }
        let command = as_plugin(Self::command(), PLUGIN);
        let matches = command.try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }
}

/// The same command, with the name of the plugin wherever its help tells what to type.
fn as_plugin(command: clap::Command, name: &str) -> clap::Command {
    let mut command = command.bin_name(name).display_name(name);
    if let Some(help) = command.get_after_help().map(ToString::to_string) {
        let begins = ["  ", "| ", "`", "$ ", "&& "]
            .map(|before| (format!("{before}{NAME} "), format!("{before}{PLUGIN} ")));
        command =
            command.after_help(begins.iter().fold(help, |help, (plain, plugin)| help.replace(plain, plugin)));
    }
    command.mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        as_plugin(below, &name)
    })
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report unhealthy objects, worst first.
    Check(Box<check::CheckArgs>),
    /// Explain why an object is in its state, down to the root cause.
    Explain(Box<explain::ExplainArgs>),
    /// Wait until objects are healthy or given conditions hold.
    Wait(Box<wait::WaitArgs>),
    /// Check CRDs and objects for status and condition mistakes.
    Lint(Box<lint::LintArgs>),
    /// Show unhealthy objects live in the terminal.
    Watch(Box<watch::WatchArgs>),
    /// Show a cluster live in the browser.
    View(Box<view::ViewArgs>),
    /// Remove conditions and reports left by writers that no longer exist.
    Sweep(Box<sweep::SweepArgs>),
    /// Show which field manager owns each condition.
    Owners(Box<owners::OwnersArgs>),
    /// Show and export the known kinds and the meaning of their conditions.
    Registry(Box<registry::RegistryArgs>),
    /// Print a completion script for a shell.
    Completion(Box<completion::CompletionArgs>),
    /// Write the manual pages.
    Man(Box<man::ManArgs>),
    /// Compute a summary condition from a list of conditions.
    Rollup(Box<RollupArgs>),
    /// Run the demo on embedded servers.
    Demo(DemoArgs),
    /// Run an in-memory Kubernetes API server, for tests and demos.
    Apiserver(ApiserverArgs),
    /// Run the controllers.
    Controller(Box<ControllerArgs>),
    /// Compute a hub object's status from files.
    Aggregate(Box<AggregateArgs>),
    /// Show published DNS targets.
    Dns(Box<DnsArgs>),
    /// Show clusters and aggregations of a hub.
    Hub(HubArgs),
    /// Check Gateway API manifests before they are applied.
    Gateway(GatewayArgs),
    /// Write a status report once, for scripts.
    Report(Box<ReportArgs>),
    /// Print the manifests that install allready in a cluster.
    Install(InstallArgs),
    /// Convert objects and manifests of the first alpha to this version.
    Migrate(MigrateArgs),
    /// Show the versions of the client, the controllers, the CRDs and the server, and if they fit together.
    Version(VersionArgs),
    /// Remove allready from a cluster.
    Uninstall(UninstallArgs),
}

/// How to compute which condition from what.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --dependents and --set, every condition of the input counts but the top
one and the informational ones; an object's own `allready.dev/conditions`
annotation is used where it has one. A declared condition that is missing counts
as Unknown. So does one about an older generation (its own observedGeneration, or
else that of the status), except under bullets, union and first-issue, which take
it at its word: --stale unknown makes them doubt it too.

Policies:
  newest-cause    the worst speaks, and of those the newest (KRO, Knative)
  list-unhealthy  Type=Status of everything that is not good (operatorpkg)
  bullets         one bullet for each problem (Cluster API v1beta2 summary)
  union           Type_Reason joined with `::`; types by suffix (library-go)
  first-issue     the first problem in order (Flux).
                  May be True while something is Unknown!
  semicolon       name message; name message (Kuadrant's hub)
  grouped         equal causes grouped, with counts and names
  knative, kro, operatorpkg, cluster-api, library-go, flux, kuadrant
                  as that peer answers, also where our defaults differ

Exit codes:
  0 the condition is True, 1 False, 2 Unknown
  64 wrong usage, 65 unusable input, 66 unreadable input, 74 unwritable output

Examples:
  allready rollup -f conditions.yaml
  allready rollup --policy bullets --negative Degraded -o json -f object.json
  allready rollup --set 'Ready: Synced, !Degraded, (Cached)' --why -f one.yaml
  kubectl get deploy web -o json | allready rollup --dependents Available -f -")]
pub(crate) struct RollupArgs {
    /// Policy to compute the condition by (see below) [default: newest-cause, or that of the set].
    #[arg(long, value_name = "POLICY", value_parser = |name: &str| name.parse::<Policy>())]
    pub(crate) policy: Option<Policy>,

    /// The type of the condition to compute [default: Ready, or that of the set].
    #[arg(long, value_name = "TYPE")]
    pub(crate) top: Option<ConditionType>,

    /// The types that count, in order of importance.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', conflicts_with = "set")]
    pub(crate) dependents: Vec<ConditionType>,

    /// The types of which True is bad; they count too, unless they are informational.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', conflicts_with = "set")]
    pub(crate) negative: Vec<ConditionType>,

    /// The types that do not count.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', conflicts_with = "set")]
    pub(crate) informational: Vec<ConditionType>,

    /// The whole set in one go: a line such as `Ready: Synced, !Degraded, (Cached)`, or JSON.
    #[arg(long, value_name = "SET", value_parser = |text: &str| text.parse::<ConditionSet>())]
    pub(crate) set: Option<ConditionSet>,

    /// Weight of a condition about an older generation [default: as the policy has it].
    #[arg(long, value_name = "WORTH")]
    pub(crate) stale: Option<StaleArg>,

    /// The object's generation [default: metadata.generation of the input, if it is an object].
    #[arg(long, value_name = "N", value_parser = generation)]
    pub(crate) generation: Option<Generation>,

    /// The instant of the computation, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,

    /// A list of conditions, or an object with status.conditions, as JSON or YAML; `-` for standard input.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) filename: PathBuf,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml", value_parser = output::OBJECTS)]
    pub(crate) output: Format,

    /// Print on standard error which conditions counted, and how.
    #[arg(long)]
    pub(crate) why: bool,
}

/// What an outdated condition is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StaleArg {
    /// No more than Unknown.
    Unknown,
    /// What it says.
    Ignored,
    /// What it says if that is bad; otherwise the top condition stays as it is.
    HoldsTop,
}

impl From<StaleArg> for Stale {
    fn from(stale: StaleArg) -> Self {
        match stale {
            StaleArg::Unknown => Self::Unknown,
            StaleArg::Ignored => Self::Ignored,
            StaleArg::HoldsTop => Self::HoldsTop,
        }
    }
}

/// How the story is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is installed, and no cluster is contacted. The story follows one condition set
through reconciles, on a clock of its own. Then a system of nodes, with a Gateway and its
routes, runs on an API server in this process, and a hub with two clusters on three more.
The system and the hub have a kubeconfig each, for kubectl. In a terminal the live view
stays after the story, until Ctrl-C.

Examples:
  allready demo
  allready demo --pause 2s     wait two seconds after each scene
  allready demo --no-story --nodes 5000    only the system and the hub, until Ctrl-C
  NO_COLOR=1 allready demo | less")]
pub(crate) struct DemoArgs {
    /// Time to wait after each scene: `2s`, or seconds.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    pub(crate) pause: Duration,

    /// Address of this machine for the live view; port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(crate) view: SocketAddr,

    /// Number of nodes of the system.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(2..))]
    pub(crate) nodes: u16,

    /// Run the system and the hub without the story, until Ctrl-C, to look at them with kubectl.
    #[arg(long)]
    pub(crate) no_story: bool,

    /// File for the kubeconfig of the system's API server; `-hub` is added to its name for that of the hub [default: temporary files].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
}

/// Where and what to serve.
#[derive(Debug, Args)]
#[command(after_help = "\
It answers like kube-apiserver 1.36 on what it covers, keeps everything in memory
(and a copy in the file of --data), and runs no controllers of workloads: nothing
schedules pods or rolls out deployments. As in a cluster, what lost its owner is
collected and deleted namespaces are emptied; with --no-controllers neither is
done, as by a kube-apiserver that runs alone.

With --http the kubeconfig is not enough for kubectl and other clients built on
client-go: they send no token without encryption. They need HTTPS, the default.

Exit codes:
  0 it was stopped
  64 wrong usage, 65 unusable manifests or data, 66 unreadable ones,
  69 the address is taken, 74 the kubeconfig or the data cannot be written

Examples:
  allready apiserver
  allready apiserver -f config/crd --kubeconfig dev.kubeconfig
  allready apiserver --with gateway-api,cert-manager --data dev.state
  allready apiserver --listen 127.0.0.1:6443 &
  kubectl --kubeconfig allready.kubeconfig apply --server-side -f widget.yaml")]
pub(crate) struct ApiserverArgs {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,

    /// The file to write with the address, the certificate authority and the token: a secret.
    #[arg(long, value_name = "FILE", default_value = "allready.kubeconfig")]
    pub(crate) kubeconfig: PathBuf,

    /// File or directory of manifests (YAML or JSON) to begin with; may be given several times.
    #[arg(short, long, value_name = "PATH", alias = "crds")]
    pub(crate) filename: Vec<PathBuf>,

    /// Custom resource definitions to begin with: gateway-api, external-dns, cert-manager.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    pub(crate) with: Vec<Set>,

    /// File to go on from, where it is there, and to save everything in: every 30 s, and at the end. A secret.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,

    /// Serve HTTP instead of HTTPS; kubectl sends no token then.
    #[arg(long)]
    pub(crate) http: bool,

    /// Do not collect garbage or empty deleted namespaces.
    #[arg(long)]
    pub(crate) no_controllers: bool,

    /// Allow an address that other machines can connect to. Whoever has the token is administrator.
    #[arg(long)]
    pub(crate) allow_remote: bool,
}

fn generation(text: &str) -> Result<Generation, String> {
    let number: i64 = text.parse().map_err(|_| format!("{text:?} is not a whole number"))?;
    Generation::new(number).map_err(|error| error.to_string())
}
