//! `allready hub status`: which clusters a hub hears, and how its aggregations fare.

mod facts;

use std::process::ExitCode;

use allready_core::Time;
use allready_kube::kinds::{ClusterStatus, StatusAggregation};
use clap::{Args, Subcommand};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, ListParams},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::facts::{Aggregation, Cluster, worst};
use crate::{
    age::{age, milliseconds},
    aggregate::exit_code,
    cluster::{ClusterArgs, Patience, refused},
    failure::Failure,
    output::{self, Column, Document, Format, Look, Report, Table},
    printer::Printer,
};

/// What to do with a hub.
#[derive(Debug, Args)]
pub(crate) struct HubArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: HubCommand,
}

/// What can be done with a hub.
#[derive(Debug, Subcommand)]
pub(crate) enum HubCommand {
    /// Show the clusters of a hub, and the state of its aggregations.
    Status(StatusArgs),
}

/// Which hub, and in which form.
#[derive(Debug, Args)]
#[command(after_help = "\
It reads what the controller has written: a ClusterStatus and a Lease for each
cluster, and the StatusAggregations. A cluster that is marked reachable, but whose Lease
was not renewed for three minutes, is Unknown: the controller may not be running.

Exit codes:
  0 every cluster answers, and every aggregation is ready
  1 some cluster is unreachable, or some aggregation is not ready
  2 something is not known, or there is no cluster
  64 wrong usage, 66 no usable kubeconfig, 69 no answer, or nothing is installed,
  74 unwritable output, 77 not permitted

Examples:
  allready hub status
  allready hub status -o wide --context hub
  allready hub status -o json | jq '.clusters[] | select(.reachable != \"True\").name'")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The namespace of the ClusterStatuses [default: all].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    /// The instant that ages are counted to, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
}

pub(crate) fn run(args: &HubArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let HubCommand::Status(args) = &args.command;
    let now = args.now.unwrap_or(now);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let report = runtime.block_on(read(args, now))?;
    output::print(&report, args.output, printer)?;
    if matches!(args.output, Format::Table | Format::Wide) {
        report.warn(printer);
    }
    Ok(exit_code(worst(&report.clusters, &report.aggregations)))
}

/// The label of the Leases of clusters.
const OURS: &str = "app.kubernetes.io/managed-by=allready-hub";

async fn read(args: &StatusArgs, now: Time) -> Result<HubReport, Failure> {
    let client = args.cluster.connect(Patience::Command).await?.client;
    let within = |resource: &ApiResource| match &args.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        None => Api::all_with(client.clone(), resource),
    };
    let resource = ApiResource::erase::<ClusterStatus>(&());
    let statuses = list(&within(&resource), &resource, &ListParams::default()).await?;
    let resource = ApiResource::erase::<Lease>(&());
    let ours = ListParams::default().labels(OURS);
    let leases = list(&within(&resource), &resource, &ours).await?;
    let lease_of = |status: &Value| {
        let name = format!("cluster.{}", status["metadata"]["name"].as_str().unwrap_or_default());
        let is_beside = |lease: &&Value| lease["metadata"]["namespace"] == status["metadata"]["namespace"];
        leases.iter().filter(is_beside).find(|lease| lease["metadata"]["name"] == *name)
    };
    let resource = ApiResource::erase::<StatusAggregation>(&());
    let aggregations =
        list(&Api::all_with(client.clone(), &resource), &resource, &ListParams::default()).await?;
    let clusters = statuses.iter().map(|status| Cluster::of(status, lease_of(status), now));
    let mut clusters: Vec<Cluster> = clusters.collect();
    clusters.sort_by(|one, other| one.name.cmp(&other.name));
    let is_stale = clusters.iter().any(|cluster| cluster.is_stale);
    let aggregations = aggregations.iter().map(|aggregation| Aggregation::of(aggregation, is_stale));
    let mut aggregations: Vec<Aggregation> = aggregations.collect();
    aggregations.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(HubReport { clusters, aggregations, now })
}

async fn list(
    api: &Api<DynamicObject>,
    resource: &ApiResource,
    only: &ListParams,
) -> Result<Vec<Value>, Failure> {
    let plural = &resource.plural;
    match api.list(only).await {
        Ok(list) => {
            let values = list.items.iter().map(|object| serde_json::to_value(object).unwrap_or_default());
            Ok(values.collect())
        }
        Err(kube::Error::Api(status)) if status.code == 404 => Err(Failure::unavailable(format_args!(
            "the API server does not serve {plural}: is the hub installed here? See manifests/hub"
        ))),
        Err(error) => Err(refused(&format!("cannot list {plural}"), &error)),
    }
}

/// The clusters and aggregations of a hub.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HubReport {
    clusters: Vec<Cluster>,
    aggregations: Vec<Aggregation>,
    #[serde(skip)]
    now: Time,
}

impl Document for HubReport {
    const KIND: &'static str = "HubReport";
}

impl HubReport {
    fn warn(&self, printer: &mut Printer) {
        if self.clusters.is_empty() {
            printer
                .warning("no ClusterStatus found: the controller may not be running, or has no --clusters");
        }
        let stale = self.clusters.iter().filter(|cluster| cluster.is_stale).count();
        if stale > 0 {
            printer.warning(format_args!(
                "stale: of {stale} of {} clusters no Lease was renewed for three minutes: the controller may not be running",
                self.clusters.len()
            ));
        }
        if self.aggregations.is_empty() {
            printer.warning("there is no StatusAggregation, so nothing is aggregated");
        }
    }
}

impl Report for HubReport {
    type Value<'a> = &'a Self;

    fn value(&self) -> &Self {
        self
    }

    fn text(&self, look: Look) -> String {
        let mut tables = Vec::new();
        if !self.clusters.is_empty() {
            tables.push(clusters(&self.clusters, look, self.now));
        }
        if !self.aggregations.is_empty() {
            tables.push(aggregations(&self.aggregations, look));
        }
        tables.join("\n")
    }
}

fn number(number: Option<i64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn clusters(clusters: &[Cluster], look: Look, now: Time) -> String {
    let mut columns = vec![Column::key("NAME"), Column::key("REACHABLE")];
    columns.extend(["LATENCY", "LAST-HEARD", "OBJECTS"].map(Column::fact));
    if look.is_wide {
        columns.extend(["SERVER", "SOURCE"].map(Column::minor));
    }
    // Whatever is wrong is told without being asked for.
    let has_messages = look.is_wide || clusters.iter().any(|cluster| !cluster.message.is_empty());
    columns.extend(has_messages.then(|| Column::text("MESSAGE")));
    let mut table = Table::new(look, columns);
    for cluster in clusters {
        let mut row = vec![
            cluster.name.clone(),
            cluster.reachable.to_string(),
            cluster.latency.map(milliseconds).unwrap_or_default(),
            cluster.last_heard.map(|heard| age(heard, now)).unwrap_or_default(),
            number(cluster.objects),
        ];
        if look.is_wide {
            row.extend([cluster.server.clone(), cluster.source.clone()]);
        }
        row.extend(has_messages.then(|| cluster.message.clone()));
        table.row(row);
    }
    table.text()
}

fn aggregations(aggregations: &[Aggregation], look: Look) -> String {
    let mut columns = vec![Column::key("NAME"), Column::key("READY"), Column::key("REASON")];
    columns.extend(["KIND", "OBJECTS", "CLUSTERS"].map(Column::fact));
    columns.push(Column::text("MESSAGE"));
    let mut table = Table::new(look, columns);
    for aggregation in aggregations {
        let (ready, objects) = (aggregation.ready.to_string(), number(aggregation.objects));
        let Aggregation { name, reason, kind, clusters, message, .. } = aggregation;
        table.row([name, &ready, reason, kind, &objects, clusters, message]);
    }
    table.text()
}
