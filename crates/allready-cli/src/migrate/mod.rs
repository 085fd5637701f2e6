//! `allready migrate`: objects of the first alpha become those of the second, in files or in a cluster.

mod cluster;
mod convert;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::Value;

use self::convert::{Converted, convert};
use crate::{
    cluster::{ClusterArgs, block_on},
    failure::Failure,
    objects::{self, FileArgs},
    output::{Format, document},
    printer::{Printer, tame},
};

/// Options of `allready migrate`.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.conflicts_with_all(["yes", "ClusterArgs"])), after_help = "\
The second alpha of StatusReport, ConfigurationStatus and StatusAggregation has the same
version, v1alpha1, and other fields. Under the new CRDs the API server shows nothing of the
old fields, so that objects have to be read before the CRDs are replaced.

In a cluster it prints a plan. With --export it saves all objects as they are, and with
--yes it then does what the plan says, in this order:
  saves all objects as they are, to the file of --export
  applies the CRDs of this version
  writes the converted spec of each ConfigurationStatus and StatusAggregation
  deletes the StatusReports of the first alpha: their spec cannot change, and reporters
    make them again. Until they do, Ready is Unknown
Controllers and reporters are upgraded after that; a controller of this version waits
until the CRDs are there. If it is interrupted, the file has everything: run
`allready migrate -f FILE | kubectl apply --server-side -f -`.

With -f it converts manifests and prints them. Statuses are left out: they are computed.
Fields that cannot be converted are listed on standard error; none is dropped silently.

Exit codes:
  0 everything is converted, or there was nothing to do
  1 something cannot be converted automatically and needs a decision
  64 wrong usage, 65 unusable input, 66 unreadable input or no usable kubeconfig,
  69 no answer, 74 unwritable output, 77 not permitted

Examples:
  allready migrate
  allready migrate --export before.yaml --yes
  allready migrate -f manifests/ > migrated.yaml")]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Save all objects as they are to this file, which must not be there yet.
    #[arg(long, value_name = "FILE", conflicts_with = "filename")]
    pub(crate) export: Option<PathBuf>,

    /// Do what the plan says.
    #[arg(short, long, requires = "export")]
    pub(crate) yes: bool,
}

pub(crate) fn run(args: &MigrateArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if args.input.is_given() {
        return files(args, printer);
    }
    block_on(cluster::migrate(args, printer))
}

/// Converts manifests. Other objects are printed as they are.
fn files(args: &MigrateArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let (mut made, mut problems) = (Vec::new(), Vec::new());
    for source in args.input.sources(printer)? {
        for object in objects::read_all(&source)? {
            let Converted { object, notes, problems: undecided, .. } = convert(&object);
            let name = named(&object);
            for note in &notes {
                printer.warning(tame(&format!("{name}: {note}")));
            }
            problems.extend(undecided.iter().map(|problem| format!("{name}: {problem}")));
            made.push(object);
        }
    }
    let kept: Vec<&Value> = made.iter().filter(|object| !object.is_null()).collect();
    if !kept.is_empty() {
        printer.text(&document::objects(&kept, Format::Yaml)?)?;
    }
    for problem in &problems {
        printer.error(&tame(problem));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The name of an object for people.
fn named(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let place = match text(&object["metadata"]["namespace"]) {
        namespace if namespace.is_empty() => String::new(),
        namespace => format!(" in {namespace}"),
    };
    format!("{}/{}{place}", text(&object["kind"]).to_lowercase(), text(&object["metadata"]["name"]))
}
