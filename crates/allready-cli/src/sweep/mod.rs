//! `allready sweep`: what writers left behind that are gone.

mod decide;
mod look;

use std::{collections::BTreeSet, process::ExitCode, time::Duration};

use allready_core::Time;
use allready_kube::{
    report::Layout,
    sweep::{OwnedPrefix, Remains, Removal, Sweeper},
};
use clap::Args;
use kube::Client;
use schemars::JsonSchema;
use serde::Serialize;

use self::{
    decide::{Finding, Sight, findings},
    look::Subject,
};
use crate::{
    age::age,
    cluster::{Cluster, ClusterArgs, Patience, duration},
    failure::Failure,
    input,
    output::{self, Column, Document, Format, Look, Report, Table, document::ObjectName, text},
    printer::{Printer, tame},
    target::ScopeArgs,
};

/// As many rows as a person reads; the rest is in the JSON.
const MAX_ROWS: usize = 200;

/// Where to sweep, and how sure one has to be.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing removes what a reporter wrote when its node is gone: its conditions stay, its
entry in managedFields, its StatusReport. A sweep lists them, and removes them after you
have confirmed, or with --yes.

A reporter counts as gone if its component runs one instance on each node, by the spec of
the ConfigurationStatus or by --component, and its node does not exist. Conditions and
reports are kept if they were written within --older-than, have a recent heartbeat, may
belong to another component, or change before they are removed.

It needs to list nodes, StatusReports and Leases, to get the objects that are reported
into, and to patch their status or delete StatusReports.

Exit codes:
  0 everything was removed or nothing had to be, or --dry-run listed it
  1 something could not be removed, or you declined
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

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
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
    output::print(&Shown { places: &places, is_dry: args.dry_run, now }, args.output, printer)?;
    let going = places.iter().flat_map(|place| &place.findings).filter(|finding| finding.stays.is_none());
    let count = going.count();
    if count == 0 || args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let question = format!("Remove {}?", text::count(count, "item"));
    if !args.yes && !input::confirm(&question, printer)? {
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

/// Everything that was left behind.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SweepReport<'a> {
    left_behind: Vec<Leftover<'a>>,
}

impl Document for SweepReport<'_> {
    const KIND: &'static str = "SweepReport";
}

/// A field manager with its conditions, or a StatusReport.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Leftover<'a> {
    /// The object that was reported into.
    object: ObjectName<'a>,
    writer: &'a str,
    what: String,
    /// The types of the conditions that go.
    conditions: &'a [String],
    /// The types of the conditions that others own too, and that stay.
    kept: &'a [String],
    bytes: usize,
    last_write: Option<Time>,
    /// The reason for which it is kept; none if it goes.
    stays: Option<&'a str>,
}

impl<'a> Leftover<'a> {
    fn of(subject: &'a Subject, finding: &'a Finding) -> Self {
        let removal = &finding.removal;
        Self {
            object: ObjectName {
                api_version: subject.resource.api_version().into(),
                kind: &subject.resource.kind,
                namespace: subject.namespace().unwrap_or_default(),
                name: subject.name(),
            },
            writer: &removal.writer,
            what: what(removal),
            conditions: &removal.conditions,
            kept: &removal.kept,
            bytes: removal.bytes,
            last_write: finding.last_write,
            stays: finding.stays.as_deref(),
        }
    }
}

struct Shown<'a> {
    places: &'a [Place],
    is_dry: bool,
    now: Time,
}

impl<'s> Shown<'s> {
    fn all(&self) -> impl Iterator<Item = (&'s Subject, &'s Finding)> + use<'s> {
        self.places.iter().flat_map(|place| place.findings.iter().map(move |one| (&place.subject, one)))
    }
}

impl Report for Shown<'_> {
    type Value<'a>
        = SweepReport<'a>
    where
        Self: 'a;

    fn value(&self) -> SweepReport<'_> {
        let leftover = |(subject, finding)| Leftover::of(subject, finding);
        SweepReport { left_behind: self.all().map(leftover).collect() }
    }

    fn text(&self, look: Look) -> String {
        let mut columns = vec![Column::fact("OBJECT"), Column::key("WRITER"), Column::key("WHAT")];
        columns.extend(["CONDITIONS", "BYTES", "LAST WRITE"].map(Column::fact));
        columns.push(Column::text("STAYS"));
        columns.extend(look.is_wide.then(|| Column::minor("TYPES")));
        let mut table = Table::new(look, columns);
        let (mut count, mut bytes) = (0, 0);
        for (subject, finding) in self.all() {
            count += 1;
            bytes += if finding.stays.is_none() { finding.removal.bytes } else { 0 };
            if count > MAX_ROWS {
                continue;
            }
            let removal = &finding.removal;
            let mut row = vec![
                subject.title(),
                removal.writer.clone(),
                what(removal),
                removal.conditions.len().to_string(),
                removal.bytes.to_string(),
                finding.last_write.map(|then| age(then, self.now)).unwrap_or_default(),
                finding.stays.clone().unwrap_or_else(|| "no".to_owned()),
            ];
            row.extend(look.is_wide.then(|| removal.conditions.join(" ")));
            table.row(row);
        }
        if count == 0 {
            return format!("Nothing is left behind; objects checked: {}.\n", self.places.len());
        }
        let more = match count.saturating_sub(MAX_ROWS) {
            0 => String::new(),
            more => format!("and {more} more: -o json has them all\n"),
        };
        let verb = if self.is_dry { "Would free" } else { "To be freed" };
        format!("{}{more}{verb}: {bytes} bytes.\n", table.text())
    }
}

fn what(removal: &Removal) -> String {
    match &removal.remains {
        Remains::Manager { manager, .. } => format!("field manager {manager}"),
        Remains::Report { name, .. } => format!("statusreport {name}"),
        _ => String::new(),
    }
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
