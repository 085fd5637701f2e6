//! `allready dns`: which names point to which clusters, or would.

pub(crate) mod records;

use std::process::ExitCode;

use allready_controller::hub::AGGREGATION_LABEL;
use allready_core::Time;
use clap::Args;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, ListParams},
};
use serde_json::Value;

use self::records::{DnsReport, Record, records};
use crate::{
    cluster::{ClusterArgs, Patience, refused},
    failure::Failure,
    offline::{OfflineArgs, Want, gather},
    output::{self, Format},
    printer::{Printer, tame},
};

/// Which records.
#[derive(Debug, Args)]
#[command(
    mut_arg("filename", |arg| arg.conflicts_with_all(["name", "namespace", "all_namespaces", "kubeconfig", "context"])),
    after_help = "\
On a cluster it shows what the hub has published: every target of the DNSEndpoints with
the label allready.dev/aggregation, the cluster that it came from, and whether it is
leaving. With -f it shows what would be published for an object, from files, as
`allready aggregate` reads them; no cluster is contacted then.

States:
  published       it is a target
  leaving (5m)    it was left by its instance so long ago, and goes after the grace period

A cluster is <unknown> where the annotation allready.dev/targets does not say whose a
target is.

Exit codes:
  0 the records were printed, even if there are none
  64 wrong usage, 65 unusable input, 66 unreadable input, 69 no answer, or no such
  object, 74 unwritable output, 77 not permitted

Examples:
  allready dns -A
  allready dns web -n shop -o wide
  allready dns -f hub.yaml --spoke cluster-1=a.yaml --spoke cluster-2=b.yaml
  allready dns -f hub.yaml --spoke cluster-1=a.yaml --unreachable cluster-2 \\
    --aggregation gateways.yaml --endpoint published.yaml -o json")]
pub(crate) struct DnsArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The object whose records are shown: a Gateway, or its DNSEndpoint [default: all].
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Its namespace [default: that of the kubeconfig].
    #[arg(short, long, value_name = "NAMESPACE", conflicts_with = "all_namespaces")]
    pub(crate) namespace: Option<String>,

    /// In all namespaces.
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,

    #[command(flatten)]
    pub(crate) offline: OfflineArgs,

    /// The instant of the computation, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = output::TABLE)]
    pub(crate) output: Format,
}

pub(crate) fn run(args: &DnsArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let now = args.now.unwrap_or(now);
    let found = if args.offline.filename.is_some() {
        let offline = gather(&args.offline, Want::Records, now)?;
        printer.warnings(&offline.notes);
        let found = offline.endpoint.iter().flat_map(records).collect();
        if let Some(again) = offline.look_again {
            printer.warning(format_args!("this changes at {again}, when a grace period ends"));
        }
        found
    } else {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
        runtime.block_on(published(args))?
    };
    if found.is_empty() && matches!(args.output, Format::Table | Format::Wide) {
        printer.error_text("No records are published.\n");
        return Ok(ExitCode::SUCCESS);
    }
    let report = DnsReport { records: found, has_namespaces: args.all_namespaces, now };
    output::print(&report, args.output, printer)?;
    Ok(ExitCode::SUCCESS)
}

/// What stands on the hub.
async fn published(args: &DnsArgs) -> Result<Vec<Record>, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let namespace = args.namespace.clone().unwrap_or(cluster.namespace);
    let namespace = (!args.all_namespaces).then_some(namespace);
    let mut endpoints = endpoints(cluster.client, namespace.as_deref()).await?;
    if let Some(name) = &args.name {
        endpoints.retain(|endpoint| is_of(endpoint, name));
        if endpoints.is_empty() {
            let place = namespace.map(|namespace| format!(" in {}", tame(&namespace))).unwrap_or_default();
            return Err(Failure::unavailable(format_args!(
                "nothing is published for {}{place}: is it there, and does a StatusAggregation with dns choose it?",
                tame(name)
            )));
        }
    }
    endpoints.sort_by_key(|endpoint| (endpoint.namespace(), endpoint.name_any()));
    let values = endpoints.iter().map(|endpoint| serde_json::to_value(endpoint).unwrap_or_default());
    Ok(values.flat_map(|endpoint: Value| records(&endpoint)).collect())
}

async fn endpoints(client: Client, namespace: Option<&str>) -> Result<Vec<DynamicObject>, Failure> {
    let resource = ApiResource {
        group: "externaldns.k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "externaldns.k8s.io/v1alpha1".to_owned(),
        kind: "DNSEndpoint".to_owned(),
        plural: "dnsendpoints".to_owned(),
    };
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    match api.list(&ListParams::default().labels(AGGREGATION_LABEL)).await {
        Ok(list) => Ok(list.items),
        Err(kube::Error::Api(status)) if status.code == 404 => Err(Failure::unavailable(
            "the API server does not serve DNSEndpoints: install the CRD of external-dns",
        )),
        Err(error) => Err(refused("cannot list dnsendpoints", &error)),
    }
}

/// Whether an endpoint, or the object that it belongs to, has this name.
fn is_of(endpoint: &DynamicObject, name: &str) -> bool {
    endpoint.name_any() == name || endpoint.owner_references().iter().any(|owner| owner.name == name)
}
