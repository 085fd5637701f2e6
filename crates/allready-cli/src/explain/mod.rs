//! `allready explain`: from an object to the first cause of how it is.

mod files;
mod graph;
pub(crate) mod shown;
mod structured;
mod tree;
mod words;

use std::{io::IsTerminal as _, path::PathBuf, process::ExitCode, time::Duration};

use allready_core::Time;
use allready_inspect::cluster::{Budget, follow};
use allready_inspect::{
    explain::{Bounds, Explanation, ObjectId, Reference, explain},
    health::Health,
};
use clap::{Args, ValueEnum};

use self::tree::Look;
pub(crate) use self::tree::Signs;
use crate::{
    cli::Output,
    cluster::{ClusterArgs, Patience},
    declared::{DeclaredArgs, are_custom},
    failure::Failure,
    printer::Printer,
    render,
    target::{self, Target},
};

/// What is wide enough where nobody says how wide it is.
const WIDTH: usize = 120;

/// What to explain, and how.
#[derive(Debug, Args)]
#[command(after_help = "\
Below the object stand its conditions, what it owns, selects and refers to, who reports
to it, and the warnings that were told about it; then the same for each of them that is
not healthy. The last line names the first cause: the end of the worst branch. Each line
has a word for how it is, since when, `gen 3/4` where what it says is about an older
spec, and who wrote it. What may not be read is said, and never taken for good or bad.
Messages are cut to fit the line; -o json has all of them.

With --filename nothing is asked of a cluster. What is not in the files may exist all the
same; with --complete it is missing. What conditions mean is known as for `check`: built
in, by definitions in the cluster or in the files, and by --registry.

Of secrets and config maps only the metadata is read.

Exit codes:
  0 the object is healthy, or suspended
  1 it is degraded or missing, 2 it is progressing, or nobody knows
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
    /// The object: TYPE/NAME, or TYPE NAME.
    #[arg(value_name = "TYPE/NAME", num_args = 0..=2)]
    pub(crate) object: Vec<String>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// In this namespace [default: that of the context].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    /// A file with objects, a directory of such files, or `-` for standard input; may be said several times.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["kubeconfig", "context"])]
    pub(crate) filename: Vec<PathBuf>,

    /// The files are all there is: what is not in them is missing.
    #[arg(long, requires = "filename")]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Show what is healthy too.
    #[arg(long)]
    pub(crate) all: bool,

    /// The form of the answer [default: a tree].
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<ExplainOutput>,

    /// Draw with nothing but ASCII [default: unless the locale has UTF-8].
    #[arg(long)]
    pub(crate) ascii: bool,

    /// How many columns a line may have [default: those of the terminal, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub(crate) width: Option<u16>,

    /// How many steps to follow.
    #[arg(long, value_name = "STEPS", default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) depth: u8,

    /// How many requests to send at most.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) requests: u16,

    /// How many seconds to ask at most.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) timeout: u16,

    /// Explain a rule that `check --why` names, such as C02; `all` for every rule.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["object", "filename"])]
    pub(crate) rule: Option<String>,

    /// The instant that ages are counted to, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,
}

/// The form of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainOutput {
    /// A graph for Graphviz.
    Dot,
    /// For programs.
    Json,
    /// A graph for Markdown.
    Mermaid,
}

pub(crate) fn run(args: &ExplainArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if let Some(rule) = &args.rule {
        let json = args.output.map(|_| Output::Json);
        return crate::lint::explain::verdict(rule, json, printer);
    }
    let now = args.now.unwrap_or(now);
    let target = one(&args.object)?;
    let bounds = bounds(args);
    let explanation = if args.filename.is_empty() {
        let Some(target) = target else {
            return Err(Failure::usage("say what to explain: allready explain TYPE/NAME"));
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
        runtime.block_on(from_cluster(args, &target, &bounds, now, printer))?
    } else {
        let mut declared = args.declared.read()?;
        let known = files::read(&args.filename, args.complete)?;
        let id = files::find(&known, target.as_ref(), args.namespace.as_deref())?;
        printer.warnings(&declared.learn_all(known.objects().map(|(_, object)| object)));
        explain(&known, &Reference::to(&id), &declared.registry(), now, &bounds)
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
    target::get(&cluster.client, resource, namespace, name).await?;
    let root = ObjectId::new(&resource.group, &resource.kind, namespace.unwrap_or_default(), name);
    let root = Reference::to(&root);
    let budget = Budget { requests: args.requests.into(), time: Duration::from_secs(args.timeout.into()) };
    // What is behind a kind of Kubernetes may be of any other.
    let mut heard = declared.ask(&cluster, &catalog).await;
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
    let text = match args.output {
        Some(ExplainOutput::Json) => render::value(&structured::value(explanation, now), Output::Json)?,
        Some(ExplainOutput::Dot) => graph::dot(explanation, now),
        Some(ExplainOutput::Mermaid) => graph::mermaid(explanation, now),
        None => tree::text(explanation, now, look(args)),
    };
    printer.text(&text)
}

/// The signs for the locale, unless ASCII is asked for.
pub(crate) fn signs(is_ascii: bool) -> &'static Signs {
    if is_ascii || !is_utf8_locale() { &tree::ASCII } else { &tree::LINES }
}

fn look(args: &ExplainArgs) -> Look {
    let columns = || {
        let size = std::io::stdout().is_terminal().then(ratatui::crossterm::terminal::size);
        size.and_then(Result::ok).map(|(columns, _)| columns)
    };
    let width = args.width.or_else(columns).map_or(WIDTH, usize::from).max(40);
    Look { is_ascii: args.ascii || !is_utf8_locale(), width }
}

/// As the C library decides it: the first of these that is set and not empty.
fn is_utf8_locale() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let locale = locale.unwrap_or_default().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn exit_code(health: Health) -> ExitCode {
    match health {
        Health::Healthy | Health::Suspended => ExitCode::SUCCESS,
        Health::Missing | Health::Degraded => ExitCode::from(1),
        Health::Progressing | Health::Unknown => ExitCode::from(2),
    }
}
