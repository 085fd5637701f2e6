//! `allready uninstall`: removes one release, after somebody has agreed, in an order in which no stale status is left.

mod find;
mod plan;

use std::process::ExitCode;

use clap::Args;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, Preconditions},
};

use self::{
    find::{DEFINITION, Leftover, NAMESPACE},
    plan::{Installed, Plan},
};
use crate::{
    cluster::{Cluster, ClusterArgs, Patience, block_on, refused},
    failure::Failure,
    input,
    printer::{DIM, Printer, tame},
};

/// Options of `allready uninstall`.
#[derive(Debug, Args)]
#[command(after_help = "\
It prints the cluster and lists what it would delete, and asks for confirmation.
Without a terminal it deletes only with --yes. It deletes, in this order:
  the controller
  the admission policies, roles, bindings, service accounts and leases
  what a hub has written into the status of objects, by field manager. What others
    wrote there is kept, and so are DNSEndpoints
  with --crds the CRDs of ConfigurationStatus, StatusReport and those of the hub, and
    with them every object. Without --crds they are kept, and are no longer updated
  the namespace of the controller, if it was made for it

It is found by the label app.kubernetes.io/name=allready, and one release of it by the
label app.kubernetes.io/instance. Everything else stays: your components, their
namespaces, and CRDs that another release needs or somebody else has installed.
A release of Helm is left to Helm: `helm uninstall`. CRDs that Helm left behind go with
--crds.

Exit codes:
  0 everything was deleted, or --dry-run has listed it
  1 declined
  64 not confirmed, several releases, or a release of Helm
  66 no usable kubeconfig, 69 no answer, 77 not permitted

Examples:
  allready uninstall --dry-run
  allready uninstall --release metallb-status
  allready uninstall --crds --yes           everything, without a question")]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// Only say what would go.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Delete without asking.
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// The release to remove [default: allready].
    #[arg(long, value_name = "NAME")]
    pub(crate) release: Option<String>,

    /// Delete the CRDs as well, and with them every object of theirs.
    #[arg(long)]
    pub(crate) crds: bool,
}

pub(crate) fn run(args: &UninstallArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    block_on(uninstall(args, printer))
}

async fn uninstall(args: &UninstallArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let client = &cluster.client;
    let found = find::installed(client).await?;
    let plan = plan::plan(found, args.release.as_deref(), args.crds).map_err(Failure::usage)?;
    let leftovers = if plan.is_last { find::leftovers(client, printer).await? } else { Vec::new() };
    list(&cluster, &plan, &leftovers, printer)?;
    if plan.delete.is_empty() && leftovers.is_empty() {
        let nothing =
            if plan.keep.is_empty() { "Nothing is installed." } else { "There is nothing to delete." };
        printer.text(&format!("{DIM}{nothing}{DIM:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !input::confirm("Delete all this?", printer)? {
        printer.text("Nothing was deleted.\n")?;
        return Ok(ExitCode::FAILURE);
    }
    // Statuses after the roles, so that whoever kept them up may not write any more, and before the CRDs.
    let (first, last): (Vec<_>, Vec<_>) =
        plan.delete.into_iter().partition(|it| it.kind != DEFINITION && it.kind != NAMESPACE);
    for installed in &first {
        delete(client, installed, printer).await?;
    }
    for leftover in &leftovers {
        remove(client, leftover, printer).await?;
    }
    for installed in &last {
        delete(client, installed, printer).await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the objects of a cluster that would be deleted, and those that would be kept.
fn list(
    cluster: &Cluster,
    plan: &Plan,
    leftovers: &[Leftover],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let context = cluster.context.as_deref().map_or("of this pod".to_owned(), tame);
    let mut text =
        format!("Context {context}, server {}, release {}\n", tame(&cluster.server), tame(&plan.release));
    let is_late = |it: &&Installed| it.kind == DEFINITION || it.kind == NAMESPACE;
    let described = |it: &Installed| format!("would delete {}\n", it.described());
    text.extend(plan.delete.iter().filter(|it| !is_late(it)).map(described));
    text.extend(leftovers.iter().map(|it| format!("would remove {}\n", it.described())));
    text.extend(plan.delete.iter().filter(is_late).map(described));
    text.extend(plan.keep.iter().map(|(it, why)| format!("would keep {}: {why}\n", it.described())));
    printer.text(&text)
}

async fn delete(client: &Client, installed: &Installed, printer: &mut Printer) -> Result<(), Failure> {
    let (object, what) = (&installed.object, installed.described());
    // What was listed, and not what has its name now.
    let listed = Preconditions { uid: object.uid(), resource_version: None };
    let parameters = DeleteParams::background().preconditions(listed);
    match find::place(client, installed.kind, object).delete(&object.name_any(), &parameters).await {
        Ok(_) => {}
        // It went with something that went before it.
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => return Err(refused(&format!("cannot delete {what}"), &error)),
    }
    printer.text(&format!("deleted {what}\n"))
}

async fn remove(client: &Client, leftover: &Leftover, printer: &mut Printer) -> Result<(), Failure> {
    let (kind, written) = (&leftover.kind, &leftover.written);
    let api: Api<DynamicObject> = match &*written.object.namespace {
        "" => Api::all_with(client.clone(), kind),
        namespace => Api::namespaced_with(client.clone(), namespace, kind),
    };
    let apply = PatchParams::apply(&written.manager).force();
    match api.patch_status(&written.object.name, &apply, &Patch::Apply(written.nothing())).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => return Err(refused(&format!("cannot remove {}", leftover.described()), &error)),
    }
    printer.text(&format!("removed {}\n", leftover.described()))
}
