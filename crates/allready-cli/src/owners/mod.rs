//! `allready owners`: who wrote which condition of an object, what each writer costs, and how much room is left.

mod limits;
pub(crate) mod view;

use std::process::ExitCode;

use allready_core::Time;
use clap::Args;
use serde_json::Value;

use self::view::{Facts, Owners};
use crate::{
    cluster::{ClusterArgs, Patience},
    failure::Failure,
    objects::{FileArgs, Source, read_all},
    output::{self, Format},
    printer::{Printer, tame},
    target::{self, ScopeArgs},
};

/// Which objects, and in which form.
#[derive(Debug, Args)]
#[command(after_help = "\
The API server notes in metadata.managedFields who wrote which field. The writer of a
condition is who owns its status; of several that agree, who changed something last.

  sole        one manager owns the condition
  shared      several own it, and agree
  contested   several own parts of it: one has written over what another says

OWNS are the bytes of the fields that a manager owns, ENTRY those of its entry in
managedFields, and SHARE what both are of the object; what two own counts for both.
Sizes are those of the object as JSON, which is how custom resources are stored.

kubectl leaves managedFields out of what it prints: for -f, get the object with
`kubectl get TYPE NAME -o yaml --show-managed-fields`.

Exit codes:
  0 the owners were printed
  64 wrong usage, 65 unusable input, 66 unreadable input, no such object or no
  usable kubeconfig, 69 no answer, 74 unwritable output, 77 not permitted

Examples:
  allready owners gateway/web -n edge
  allready owners deploy web -o wide
  kubectl get gateway web -o json --show-managed-fields | allready owners -f -
  allready owners node/worker-1 -o json | jq '.objects[].conditions[] | select(.agreement == \"Contested\")'")]
pub(crate) struct OwnersArgs {
    /// Objects: TYPE/NAME…, or TYPE NAME….
    #[arg(value_name = "TYPE/NAME", required_unless_present = "filename", conflicts_with = "filename")]
    pub(crate) objects: Vec<String>,

    #[command(flatten)]
    pub(crate) input: FileArgs,

    /// Namespace [default: that of the context].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Time that ages are counted to, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
}

pub(crate) fn run(args: &OwnersArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = args.now.unwrap_or(now);
    let objects =
        if args.input.is_given() { from_files(&args.input.sources(printer)?)? } else { from_cluster(args)? };
    let mut owners = Owners { objects: Vec::new(), now };
    for object in &objects {
        let facts = Facts::of(object);
        if facts.ownership.managers.is_empty() {
            printer.warning(nobody(&facts.title(), args.input.is_given()));
        }
        printer.warnings(&facts.warnings());
        owners.objects.push(facts);
    }
    output::print(&owners, args.output, printer)?;
    Ok(ExitCode::SUCCESS)
}

fn nobody(title: &str, is_file: bool) -> String {
    if is_file {
        format!(
            "{title} has no metadata.managedFields, so the writers are not known: kubectl leaves them out \
             unless it is called with --show-managed-fields"
        )
    } else {
        format!("{title} has no metadata.managedFields, so the writers are not known")
    }
}

fn from_files(sources: &[Source]) -> Result<Vec<Value>, Failure> {
    let mut objects = Vec::new();
    for source in sources {
        let found = read_all(source)?;
        if found.is_empty() {
            return Err(Failure::data(format_args!("{}: there is no object in it", source.name())));
        }
        objects.extend(found);
    }
    Ok(objects)
}

fn from_cluster(args: &OwnersArgs) -> Result<Vec<Value>, Failure> {
    let targets = target::parse(&args.objects).map_err(Failure::usage)?;
    if let Some(target) = targets.iter().find(|target| target.name.is_none()) {
        let type_ = tame(&target.resource);
        return Err(Failure::usage(format_args!("{type_} names no object: write {type_}/NAME")));
    }
    let scope = ScopeArgs { namespace: args.namespace.clone(), all_namespaces: false };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(async {
        let cluster = args.cluster.connect(Patience::Command).await?;
        let catalog = target::discover(&cluster).await?;
        let mut objects = Vec::new();
        for target in &targets {
            objects.push(target::fetch(&cluster, &catalog, target, &scope).await?);
        }
        Ok(objects)
    })
}
