//! `allready registry`: what is known of kinds and their conditions, shown, checked and told to others.

mod named;
mod new;
pub(crate) mod show;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use allready_core::Time;
use allready_inspect::registry::{
    Registry,
    export::{self, Wanted, declared, export},
    schema,
};
use clap::{Args, Subcommand, ValueEnum};

use self::show::{RegistryReport, Shown};
use crate::{
    declared::DeclaredArgs,
    failure::Failure,
    input,
    output::{self, Format, document},
    printer::{Printer, tame},
};

/// What to do with the registry.
#[derive(Debug, Args)]
#[command(after_help = "\
The registry says what the condition types of a kind mean: which speaks for the whole,
of which True is bad, what False and Unknown mean. What is built in is about well-known
projects; the annotation allready.dev/conditions of a CRD says more, a file wins over
both, and without a declaration the names of the conditions decide.

Exit codes:
  0 it is shown, 64 wrong usage, 65 a file cannot be used, 66 or not read,
  69 nothing of what was asked for can be exported, 74 unwritable output

Examples:
  allready registry show Certificate.cert-manager.io
  allready registry show deploy
  allready registry show widgets.example.com --definition crds/widget.yaml
  allready registry check ours.yaml
  allready registry new Widget --from crd.yaml
  allready registry export --format argocd-lua Certificate.cert-manager.io
  allready registry export --format flux-cel Certificate.v1.cert-manager.io")]
pub(crate) struct RegistryArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: RegistryCommand,
}

/// What can be done with the registry.
#[derive(Debug, Subcommand)]
pub(crate) enum RegistryCommand {
    /// Show what the conditions and fields of a kind mean, and who says so.
    Show(ShowArgs),
    /// List the kinds of which something is declared.
    List(ListArgs),
    /// Check a file of declarations.
    Check(CheckFileArgs),
    /// Write the skeleton of a declaration from a CRD.
    New(new::NewArgs),
    /// Print the JSON Schema of a file of declarations.
    Schema,
    /// Export it for Argo CD, Flux or kapp.
    Export(ExportArgs),
}

/// Where more declarations are.
#[derive(Debug, Default, Args)]
pub(crate) struct DeclarationArgs {
    /// A file of declarations, which win over what is built in.
    #[arg(long, value_name = "FILE")]
    pub(crate) registry: Vec<PathBuf>,

    /// A file with CRDs, whose annotation allready.dev/conditions counts.
    #[arg(long, value_name = "FILE")]
    pub(crate) definition: Vec<PathBuf>,
}

/// Which kind.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The kind: KIND, KIND.GROUP, KIND.VERSION.GROUP, its plural, or a short name such as `deploy`.
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,

    /// Only these condition types, declared or not.
    #[arg(value_name = "TYPE")]
    pub(crate) types: Vec<String>,

    #[command(flatten)]
    pub(crate) declarations: DeclarationArgs,

    /// The format of the output; JSON and YAML can be used as a file of declarations.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
}

/// Which declarations.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) declarations: DeclarationArgs,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
}

/// Which file.
#[derive(Debug, Args)]
pub(crate) struct CheckFileArgs {
    /// The file, JSON or YAML; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// What to tell whom.
#[derive(Debug, Args)]
#[command(after_help = "\
  argocd-lua   data for the ConfigMap argocd-cm: a health script for each kind
  flux-cel     healthCheckExprs for the spec of a Kustomization; kinds with their
               version, or --default-version
  kapp         a Config with waitRules

An object is healthy when something speaks for it and nothing speaks against it, about
the present generation: without a status it is progressing. A kind that
cannot be expressed in a format is left out, with the reason on standard error.

Exit codes:
  0 success, 64 wrong usage, 65 unusable input, 66 unreadable input,
  69 none of the kinds can be shown or exported, 74 unwritable output

Examples:
  allready registry export --format argocd-lua --all > argocd-cm.yaml
  allready registry export --format flux-cel Certificate.v1.cert-manager.io
  allready registry export --format kapp --registry ours.yaml Widget.example.com")]
pub(crate) struct ExportArgs {
    /// The language.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: FormatArg,

    /// The kinds: KIND, KIND.GROUP or KIND.VERSION.GROUP.
    #[arg(value_name = "KIND", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) kinds: Vec<String>,

    /// Every kind that is declared by its name.
    #[arg(long)]
    pub(crate) all: bool,

    /// The version of kinds that are named without one; only Flux asks for it.
    #[arg(long, value_name = "VERSION")]
    pub(crate) default_version: Option<String>,

    #[command(flatten)]
    pub(crate) declarations: DeclarationArgs,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml", value_parser = output::OBJECTS)]
    pub(crate) output: Format,
}

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Health scripts for Argo CD.
    #[value(name = "argocd-lua")]
    ArgocdLua,
    /// Expressions for Flux.
    FluxCel,
    /// Wait rules for kapp.
    Kapp,
}

pub(crate) fn run(args: &RegistryArgs, _now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match &args.command {
        RegistryCommand::Show(args) => show(args, printer)?,
        RegistryCommand::List(args) => list(args, printer)?,
        RegistryCommand::Check(args) => check(&args.file, printer)?,
        RegistryCommand::New(args) => new::run(args, printer)?,
        RegistryCommand::Schema => printer.text(&document::value(&schema(), Format::Json)?)?,
        RegistryCommand::Export(args) => tell(args, printer)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The registry, and from where what is in it comes.
pub(crate) struct Sources {
    /// All of it.
    pub(crate) registry: Registry,
    annotations: Registry,
    files: Registry,
}

impl Sources {
    fn read(args: &DeclarationArgs) -> Result<Self, Failure> {
        let mut declared = DeclaredArgs { files: args.registry.clone() }.read()?;
        for path in &args.definition {
            for document in input::read_all(path)? {
                if let Some(problem) = declared.learn(&document).and_then(|learnt| learnt.problem) {
                    let path = path.display().to_string();
                    return Err(Failure::data(tame(&format!("{path}: {problem}"))));
                }
            }
        }
        Ok(Self {
            registry: declared.registry(),
            annotations: Registry::empty().with(declared.definitions().iter().cloned()),
            files: Registry::empty().with(declared.files().iter().cloned()),
        })
    }

    /// Who says what a condition type of a kind means.
    fn of(&self, wanted: &Wanted, type_: &str) -> &'static str {
        let says = |registry: &Registry| registry.condition(&wanted.group, &wanted.kind, type_).is_declared;
        match () {
            () if says(&self.files) => "file",
            () if says(&self.annotations) => "annotation",
            () if says(Registry::builtin()) => "built-in",
            () => "name",
        }
    }
}

fn show(args: &ShowArgs, printer: &mut Printer) -> Result<(), Failure> {
    let sources = Sources::read(&args.declarations)?;
    let wanted = named::kinds(&sources.registry, &args.kind).map_err(|error| Failure::usage(tame(&error)))?;
    let entry = |one: &Wanted| {
        let known = sources.registry.kind(&one.group, &one.kind);
        known.declared().clone().for_kind(&one.group, &one.kind)
    };
    let report = Shown {
        entries: RegistryReport::of(wanted.iter().map(entry))?,
        tables: &|look| {
            let texts = wanted.iter().map(|one| show::text(&sources, one, &args.types, look));
            texts.collect::<Vec<_>>().join("\n")
        },
    };
    output::print(&report, args.output, printer)
}

fn list(args: &ListArgs, printer: &mut Printer) -> Result<(), Failure> {
    let sources = Sources::read(&args.declarations)?;
    let report = Shown {
        entries: RegistryReport::of(sources.registry.entries().iter().cloned())?,
        tables: &|look| show::list(&sources.registry, look),
    };
    output::print(&report, args.output, printer)
}

fn check(path: &Path, printer: &mut Printer) -> Result<(), Failure> {
    let read = DeclaredArgs { files: vec![path.to_owned()] }.read()?;
    let entries = read.files();
    let name = tame(&path.display().to_string());
    if entries.is_empty() {
        return Err(Failure::data(format_args!("{name}: it declares nothing")));
    }
    let registry = Registry::empty().with(entries.iter().cloned());
    let kinds = declared(&registry).len();
    let conditions: usize = entries.iter().map(|entry| entry.conditions.len()).sum();
    let states: usize = entries.iter().map(|entry| entry.states.len()).sum();
    printer.text(&format!(
        "{name} is usable. Entries: {}; kinds by name: {kinds}; condition types: {conditions}; fields: {states}.\n",
        entries.len()
    ))
}

fn tell(args: &ExportArgs, printer: &mut Printer) -> Result<(), Failure> {
    let sources = Sources::read(&args.declarations)?;
    let mut wanted = if args.all {
        declared(&sources.registry)
    } else {
        let named = args.kinds.iter().map(|name| named::kind(&sources.registry, name));
        named.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::usage(tame(&error)))?
    };
    for kind in &mut wanted {
        kind.version = kind.version.take().or_else(|| args.default_version.clone());
    }
    let format = match args.format {
        FormatArg::ArgocdLua => export::Format::ArgoCdLua,
        FormatArg::FluxCel => export::Format::FluxCel,
        FormatArg::Kapp => export::Format::Kapp,
    };
    let told = export(&sources.registry, &wanted, format);
    let left_out: Vec<String> =
        told.left_out.iter().map(|(kind, why)| format!("{kind} is left out: {why}")).collect();
    printer.warnings(&left_out);
    if told.kinds == 0 {
        return Err(Failure::unavailable("none of the given kinds can be exported in this format"));
    }
    printer.text(&document::value(&told.document, args.output)?)
}
