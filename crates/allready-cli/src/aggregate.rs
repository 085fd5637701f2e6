//! `allready aggregate`: the status that a hub would write, from files.

use std::process::ExitCode;

use allready_core::{Status, Time};
use clap::Args;

use crate::{
    failure::Failure,
    offline::{OfflineArgs, Want, gather},
    output::{self, Format, document},
    printer::Printer,
};

/// Options of `allready aggregate`.
#[derive(Debug, Args)]
#[command(mut_arg("filename", |arg| arg.required(true)), after_help = "\
No cluster is contacted. An instance is the object of the same kind, namespace and name
in the file of a cluster, which may have several documents and lists, such as `kubectl
get gateways -A -o yaml` prints; a missing namespace is taken to be the same. A cluster
without an instance counts as Unknown.

What is printed is the object of the hub with its new status. Conditions of other types
stay as they are. If the aggregation asks for DNS records, or --endpoint is given, the
DNSEndpoint follows; where the object has no room for all, an InstanceStatus for each
cluster. In JSON, several objects are a List.

What stands in the status of the object is taken for what was there before: a condition
keeps its lastTransitionTime while its status stays, and a cluster that does not answer
keeps its rows.

A cluster has a name of 1 to 63 small letters, digits and hyphens, with no hyphen at an
end, so that `cluster/address` and `cluster.listener` can be taken apart again.

Exit codes:
  0 everything is good, 1 something is bad, 2 something is not known
  64 wrong usage, 65 unusable input, 66 unreadable input, 74 unwritable output

Examples:
  allready aggregate -f hub.yaml --spoke cluster-1=a.yaml --spoke cluster-2=b.yaml
  allready aggregate -f hub.yaml --spoke cluster-1=a.yaml --unreachable cluster-2 \\
    --conditions Programmed,Degraded --unknown treat-as-bad -o json
  kubectl --context eu get gateways -A -o json | \\
    allready aggregate -f hub.yaml --spoke eu=- --aggregation gateways.yaml")]
pub(crate) struct AggregateArgs {
    #[command(flatten)]
    pub(crate) offline: OfflineArgs,

    /// The instant of the computation, as RFC 3339 [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Time>,

    /// The format of the output.
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml", value_parser = output::OBJECTS)]
    pub(crate) output: Format,
}

pub(crate) fn run(args: &AggregateArgs, now: Time, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let offline = gather(&args.offline, Want::Status, args.now.unwrap_or(now))?;
    printer.warnings(&offline.notes);
    let mut objects = vec![&offline.object];
    objects.extend(&offline.endpoint);
    objects.extend(&offline.reports);
    printer.text(&document::objects(&objects, args.output)?)?;
    Ok(exit_code(offline.worst))
}

/// 0 for good, 1 for bad, 2 for unknown.
pub(crate) fn exit_code(worst: Status) -> ExitCode {
    ExitCode::from(match worst {
        Status::True => 0,
        Status::False => 1,
        Status::Unknown => 2,
    })
}
