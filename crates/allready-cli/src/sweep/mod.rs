//! `allready sweep`: what writers left behind that are gone.

mod decide;
mod look;

use std::{
    collections::BTreeSet,
    io::{BufRead as _, IsTerminal as _},
    process::ExitCode,
    time::Duration,
};

use allready_core::Time;
use allready_kube::{
    report::Layout,
    sweep::{OwnedPrefix, Remains, Removal, Sweeper},
};
use clap::Args;
use kube::Client;
use serde_json::{Value, json};

use self::{
    decide::{Finding, Sight, findings},
    look::Subject,
};
use crate::{
    age::age,
    cluster::{Cluster, ClusterArgs, Patience, duration},
    failure::Failure,
    printer::{Printer, tame},
    render::{self, TableOutput},
    table::Table,
    target::ScopeArgs,
};

/// As many rows as a person reads; the rest is in the JSON.
const MAX_ROWS: usize = 200;

/// Where to sweep, and how sure one has to be.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing removes what a reporter wrote when its node is gone: its conditions stay, its
entry in managedFields, its StatusReport. A sweep shows them, and takes them away after
you have agreed, or with --yes.

Somebody is gone who belongs to a component that has one instance on each node, by the
spec of the ConfigurationStatus or by --component, and whose node does not exist. What
was written within --older-than stays, what has a recent heartbeat, and what may be of
another component. What is written between the look and the broom stays too.

It needs to list nodes, StatusReports and Leases, to get the objects that are reported
into, and to patch their status or delete StatusReports.

Exit codes:
  0 nothing is left behind that should go, or --dry-run has shown it
  1 something could not be removed, or you did not agree
  64 wrong usage, 66 no such object or no usable kubeconfig, 69 no answer, or no nodes
  are shown, 74 unwritable output, 77 not permitted

Examples:
  allready sweep --dry-run -A
  allready sweep --yes -n metallb-system
  allready sweep widgetset/main --component agent --dry-run -o json")]
pub(crate) struct SweepArgs {
    /// The objects that are reported into [default: every ConfigurationStatus].
    #[arg(value_name = "TYPE/NAME")]
    pub(crate) object: Vec<String>,

    /// A component that has one instance on each node, beside those that a spec names.
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Vec<String>,

    /// Only print what would be removed.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask.
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// Leave what was written within this time: `90s`, `10m`, or seconds.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = duration)]
    pub(crate) older_than: Duration,

    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The form of the answer [default: a table].
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<TableOutput>,
}

/// What was found in one place.
struct Place {
    subject: Subject,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &SweepArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(sweep(args, now, printer))
}

async fn sweep(args: &SweepArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let places = look(&cluster, args, now).await?;
    show(&places, args, now, printer)?;
    let going = places.iter().flat_map(|place| &place.findings).filter(|finding| finding.stays.is_none());
    let count = going.count();
    if count == 0 || args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !agreed(count, printer)? {
        printer.warning("nothing was removed");
        return Ok(ExitCode::from(1));
    }
    // Somebody may have taken their time to agree, and a node may be back.
    let nodes = look::nodes(&cluster.client).await?;
    let mut is_clean = true;
    for place in places {
        is_clean &= remove(&cluster.client, place, &nodes, printer).await?;
    }
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

async fn look(cluster: &Cluster, args: &SweepArgs, now: Time) -> Result<Vec<Place>, Failure> {
    let nodes = look::nodes(&cluster.client).await?;
    let mut places = Vec::new();
    for subject in look::subjects(cluster, args).await? {
        let (reports, leases) = look::reports(&cluster.client, subject.namespace()).await?;
        let heartbeats = |name: &str| leases.get(name).copied();
        let sight =
            Sight { object: &subject.object, reports: &reports, nodes: &nodes, heartbeats: &heartbeats };
        let findings = findings(&subject.cast, &sight, args.older_than, now);
        places.push(Place { subject, findings });
    }
    Ok(places)
}

fn show(places: &[Place], args: &SweepArgs, now: Time, printer: &mut Printer) -> Result<(), Failure> {
    let all = places.iter().flat_map(|place| place.findings.iter().map(move |finding| (place, finding)));
    if let Some(output) = args.output.and_then(TableOutput::structured) {
        let values: Vec<Value> = all.map(|(place, finding)| json(&place.subject, finding)).collect();
        return printer.text(&render::value(&json!({ "leftBehind": values }), output)?);
    }
    let mut head = vec!["OBJECT", "WRITER", "WHAT", "CONDITIONS", "BYTES", "LAST WRITE", "STAYS"];
    if args.output.is_some() {
        head.push("TYPES");
    }
    let mut table = Table::new(head);
    let mut count = 0;
    let mut bytes = 0;
    for (place, finding) in all {
        count += 1;
        bytes += if finding.stays.is_none() { finding.removal.bytes } else { 0 };
        if count > MAX_ROWS {
            continue;
        }
        let removal = &finding.removal;
        table.row([
            place.subject.title(),
            removal.writer.clone(),
            what(removal),
            removal.conditions.len().to_string(),
            removal.bytes.to_string(),
            finding.last_write.map(|then| age(then, now)).unwrap_or_default(),
            finding.stays.clone().unwrap_or_else(|| "no".to_owned()),
            removal.conditions.join(" "),
        ]);
    }
    if count == 0 {
        let looked = places.len();
        return printer.text(&format!("Nothing is left behind; objects that were looked at: {looked}.\n"));
    }
    printer.text(&table.text())?;
    if count > MAX_ROWS {
        printer.text(&format!("and {} more: -o json has them all\n", count - MAX_ROWS))?;
    }
    let verb = if args.dry_run { "Would free" } else { "To be freed" };
    printer.text(&format!("{verb}: {bytes} bytes.\n"))
}

fn json(subject: &Subject, finding: &Finding) -> Value {
    let removal = &finding.removal;
    json!({
        "object": { "kind": subject.resource.kind, "namespace": subject.namespace(), "name": subject.name() },
        "writer": removal.writer, "what": what(removal), "conditions": removal.conditions, "kept": removal.kept,
        "bytes": removal.bytes, "lastWrite": finding.last_write, "stays": finding.stays,
    })
}

fn what(removal: &Removal) -> String {
    match &removal.remains {
        Remains::Manager { manager, .. } => format!("field manager {manager}"),
        Remains::Report { name, .. } => format!("statusreport {name}"),
        _ => String::new(),
    }
}

/// Asks the person at the terminal. Who is no person has to say --yes.
fn agreed(count: usize, printer: &mut Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nobody is there to agree: say --yes to remove them, or --dry-run to look only",
        ));
    }
    printer.error_text(&format!("Remove what is not said to stay ({count})? [y/N] "));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::no_input(format_args!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Takes away what is to go, unless its node is back. Whether all of it went.
async fn remove(
    client: &Client,
    place: Place,
    nodes: &BTreeSet<String>,
    printer: &mut Printer,
) -> Result<bool, Failure> {
    let Place { subject, findings } = place;
    let is_back = |removal: &Removal| nodes.iter().any(|node| removal.writer.ends_with(&format!("-{node}")));
    let going = findings.into_iter().filter(|finding| finding.stays.is_none() && !is_back(&finding.removal));
    let (shared, own): (Vec<Removal>, Vec<Removal>) = going
        .map(|finding| finding.removal)
        .partition(|removal| matches!(removal.remains, Remains::Manager { .. }));
    let resource = subject.resource.api_resource();
    let singleton = match subject.namespace() {
        Some(namespace) => Layout::singleton(resource, namespace, subject.name()),
        None => Layout::cluster_singleton(resource, subject.name()),
    };
    let beside = Layout::sharded(subject.namespace().unwrap_or_default(), subject.name());
    let mut is_clean = true;
    for (layout, removals) in [(singleton, shared), (beside, own)] {
        let Some(owned) = removals.first().and_then(|removal| OwnedPrefix::new(&removal.writer)) else {
            continue;
        };
        let swept = Sweeper::new(client.clone(), layout, owned).execute(removals).await;
        for removal in &swept.done {
            let place = match &removal.remains {
                Remains::Manager { .. } => format!(" from {}", subject.title()),
                _ => String::new(),
            };
            printer.text(&format!("removed {}{place}\n", tame(&what(removal))))?;
        }
        for removal in &swept.spared {
            printer.warning(format_args!("{} was written just now, and stays", tame(&what(removal))));
        }
        for (removal, error) in &swept.failed {
            printer.warning(format_args!(
                "cannot remove {}: {}",
                tame(&what(removal)),
                tame(&error.to_string())
            ));
        }
        is_clean &= swept.spared.is_empty() && swept.failed.is_empty();
    }
    Ok(is_clean)
}
