//! `allready explain`: from an object to the first cause of how it is.

mod files;
mod graph;
pub(crate) mod shown;
pub(crate) mod structured;
mod tree;
mod words;

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use allready_inspect::cluster::{Budget, follow};
use allready_inspect::{
    explain::{Bounds, Explanation, explain},
    graph::{ObjectId, Reference},
    health::Health,
};
use clap::Args;

use self::structured::Structured;
use crate::{
    cluster::{ClusterArgs, Patience, block_on, duration},
    declared::{DeclaredArgs, are_custom},
    failure::Failure,
    objects::FileArgs,
    output::{self, Format, Formats, Look, Report, text::is_ascii_locale},
    printer::Printer,
    target::{self, Target},
};

/// The formats of `explain`.
const FORMATS: Formats = Formats(&[Format::Table, Format::Json, Format::Yaml, Format::Dot, Format::Mermaid]);

/// What to explain, and how.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.conflicts_with("ClusterArgs")), after_help = "\
Below the object are its conditions, the objects that it owns, selects and refers to, its
reporters, and its warning events; then the same for each of them that is not healthy. The
last line names the first cause: the end of the worst branch. Each line has the health,
its age, `gen 3/4` if the status is about an older generation, and the writer. Objects that
may not be read are listed as not seen, neither good nor bad. In a terminal, messages are
cut to fit the line, and the writer gives way to the reason; -o json has all of it.

With -f no cluster is contacted. An object that is not in the files may still exist in the
cluster; with --complete it is missing. The meaning of conditions is known as for `check`:
built in, from CRDs in the cluster or in the files, and from --registry.

Only the metadata of Secrets and ConfigMaps is read.

Exit codes:
  0 the object is healthy, or suspended
  1 it is degraded or missing, 2 progressing or unknown
  64 wrong usage, 65 unusable input, 66 unreadable input, no kubeconfig,
  69 no answer, 74 unwritable output, 77 not permitted

Examples:
  allready explain deploy/web
  allready explain gateway/public -n infra --all
  allready explain httproute web -o mermaid
  kubectl get all,secrets -o yaml | allready explain deploy/web -f -
  allready explain cluster/prod -o dot | dot -Tsvg > prod.svg
  allready explain deploy/web -o json | jq -r .firstCause.text")]
pub(crate) struct ExplainArgs {
    /// Object to explain: TYPE/NAME, or TYPE NAME.
    #[arg(value_name = "TYPE/NAME", num_args = 0..=2)]
    pub(crate) object: Vec<String>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Namespace [default: that of the context].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Treat the files as complete: an object that is not in them is missing.
    #[arg(long, requires = "filename")]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Show healthy objects too.
    #[arg(long)]
    pub(crate) all: bool,

    /// The format of the output; a table is a tree here.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = FORMATS)]
    pub(crate) output: Format,

    /// Draw with nothing but ASCII [default: unless the locale has UTF-8].
    #[arg(long)]
    pub(crate) ascii: bool,

    /// Width of a line in columns [default: that of the terminal; no limit in a pipe].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub(crate) width: Option<u16>,

    /// Number of steps to follow.
    #[arg(long, value_name = "STEPS", default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) depth: u8,

    /// Limit of requests to the API server.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) requests: u16,

    /// Time to ask the cluster for: `30s`, `2m`, or seconds.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,

    /// Explain a rule that `check --why` names, such as C02; `all` for every rule.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["object", "filename"])]
    pub(crate) rule: Option<String>,

    /// Time that ages are counted to, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,
}

pub(crate) use words::first_cause;

pub(crate) fn run(args: &ExplainArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if let Some(rule) = &args.rule {
        return crate::lint::explain::verdict(rule, args.output, printer);
    }
    let now = args.now.unwrap_or(now);
    let target = one(&args.object)?;
    let bounds = bounds(args);
    let explanation = if args.input.is_given() {
        let mut declared = args.declared.read()?;
        let known = files::read(&args.input.sources(printer)?, args.complete)?;
        let id = files::find(&known, target.as_ref(), args.namespace.as_deref())?;
        printer.warnings(&declared.learn_all(known.objects().map(|(_, object)| object)));
        explain(&known, &Reference::to(&id), &declared.registry(), now, &bounds)
    } else {
        let Some(target) = target else {
            return Err(Failure::usage("say what to explain: allready explain TYPE/NAME"));
        };
        block_on(from_cluster(args, &target, &bounds, now, printer))?
    };
    show(args, &explanation, now, printer)?;
    Ok(exit_code(explanation.health()))
}

/// The one object that is meant.
fn one(arguments: &[String]) -> Result<Option<Target>, Failure> {
    let mut targets = target::parse(arguments).map_err(Failure::usage)?;
    match (targets.pop(), targets.is_empty()) {
        (target, true) => Ok(target),
        _ => Err(Failure::usage("one object at a time is explained: give TYPE/NAME, or TYPE NAME")),
    }
}

fn bounds(args: &ExplainArgs) -> Bounds {
    let bounds = Bounds { depth: args.depth.into(), all: args.all, ..Bounds::default() };
    if args.all { Bounds { children: 1000, nodes: 5000, ..bounds } } else { bounds }
}

async fn from_cluster(
    args: &ExplainArgs,
    target: &Target,
    bounds: &Bounds,
    now: Time,
    printer: &mut Printer,
) -> Result<Explanation, Failure> {
    let mut declared = args.declared.read()?;
    let cluster = args.cluster.connect(Patience::Command).await?;
    let catalog = target::discover(&cluster).await?;
    let Some(name) = &target.name else {
        return Err(Failure::usage("say which object to explain: TYPE/NAME, or TYPE NAME"));
    };
    let resource = catalog.find(&target.resource).map_err(|error| target::no_such(&error))?;
    let namespace = args.namespace.as_ref().unwrap_or(&cluster.namespace);
    let namespace = resource.is_namespaced.then_some(namespace.as_str());
    // Whether it may be read at all is not a part of an explanation.
    let found = target::get(&cluster.client, resource, namespace, name).await?;
    if let Some(namespace) = namespace.filter(|_| found.is_none()) {
        printer
            .warnings(&target::absent_namespace(&cluster, namespace).await.into_iter().collect::<Vec<_>>());
    }
    let root = ObjectId::new(&resource.group, &resource.kind, namespace.unwrap_or_default(), name);
    let root = Reference::to(&root);
    let budget = Budget { requests: args.requests.into(), time: args.timeout };
    // What is behind a kind of Kubernetes may be of any other.
    let mut heard = declared.ask(&cluster.client, &catalog).await;
    // The answer is about the one object, and if that is Kubernetes' own no definition is missed for it.
    heard.gap = heard.gap.filter(|_| are_custom([resource]));
    printer.warnings(&heard.all());
    Ok(follow(&cluster.client, &catalog, &root, &declared.registry(), now, bounds, budget).await)
}

fn show(
    args: &ExplainArgs,
    explanation: &Explanation,
    now: Time,
    printer: &mut Printer,
) -> Result<(), Failure> {
    match args.output {
        Format::Dot => printer.text(&graph::dot(explanation, now)),
        Format::Mermaid => printer.text(&graph::mermaid(explanation, now)),
        format => {
            let (width, is_ascii) = (args.width.map(usize::from), args.ascii || is_ascii_locale());
            output::print(&Shown { explanation, now, width, is_ascii }, format, printer)
        }
    }
}

/// An explanation at an instant, with what was said of its look.
struct Shown<'a> {
    explanation: &'a Explanation,
    now: Time,
    width: Option<usize>,
    is_ascii: bool,
}

impl Report for Shown<'_> {
    type Value<'a>
        = Structured<'a>
    where
        Self: 'a;

    fn value(&self) -> Structured<'_> {
        Structured::of(self.explanation, self.now)
    }

    fn text(&self, look: Look) -> String {
        tree::text(self.explanation, self.now, self.width.or(look.width), self.is_ascii)
    }
}

fn exit_code(health: Health) -> ExitCode {
    match health {
        Health::Healthy | Health::Suspended => ExitCode::SUCCESS,
        Health::Missing | Health::Degraded => ExitCode::from(1),
        Health::Progressing | Health::Unknown => ExitCode::from(2),
    }
}
