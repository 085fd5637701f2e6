//! `allready report`: one word about a component, from a script.

use std::{process::ExitCode, time::Duration};

use allready_kube::{
    backoff::Backoff,
    report::{Identity, Layout, Outcome, Reporter, SyncState, Trouble},
};
use clap::{Args, ValueEnum};
use kube::{
    Api, Client,
    core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta},
};
use tokio::time::{Instant, sleep};

use crate::{
    cluster::{ClusterArgs, Patience, block_on, duration, shown},
    failure::Failure,
    printer::{Printer, tame},
};

/// Options of `allready report`.
#[derive(Debug, Args)]
#[command(after_help = "\
In the sharded layout the report is a StatusReport of the component's own, which is
created if it does not exist; its conditions of other reconcilers are kept. In the
singleton layout it is one condition in the ConfigurationStatus, which must exist.
The time of the last transition is kept while the status does not change.

Exit codes:
  0 the report is stored
  64 wrong usage, 65 refused as not valid, or another reporter has taken the name,
  66 no usable kubeconfig, 69 no answer, or nothing to report into, 77 not permitted

Examples:
  allready report --component speaker --node worker-1 --reconciler configReconciler \\
    --outcome ConfigError --message 'pool \"a\" overlaps with \"b\"' -n metallb-system
  allready report --component backup --reconciler nightly --outcome SyncStateSuccess
  allready report --component speaker --node worker-1 --reconciler configReconciler \\
    --outcome SyncStateSuccess --revision \"$(sha256sum < pools.yaml | cut -c1-16)\"
  allready report --layout singleton --group metallb.io/v1beta1 -n metallb-system \\
    --component controller --reconciler poolReconciler --outcome SyncStateSuccess")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The component that reports.
    #[arg(long, value_name = "NAME", value_parser = named)]
    pub(crate) component: String,

    /// The instance of it, where there are several: its node, mostly.
    #[arg(long, visible_alias = "instance", value_name = "NAME", value_parser = named)]
    pub(crate) node: Option<String>,

    /// What the report is about; the condition is named after it, with `Valid` at the end.
    #[arg(long, value_name = "NAME", value_parser = named)]
    pub(crate) reconciler: String,

    /// The outcome.
    #[arg(long, value_name = "OUTCOME", ignore_case = true)]
    pub(crate) outcome: OutcomeArg,

    /// The text of the error, for people.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    pub(crate) message: String,

    /// The object that the report is part of.
    #[arg(long, value_name = "NAME", default_value = "config-status")]
    pub(crate) target: String,

    /// Its namespace [default: that of the kubeconfig].
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,

    /// Into an object of its own, or into one for all.
    #[arg(long, value_name = "LAYOUT", default_value = "sharded")]
    pub(crate) layout: LayoutArg,

    /// The group and version of the one object for all.
    #[arg(long, value_name = "GROUP/VERSION", default_value = "allready.dev/v1alpha1")]
    pub(crate) group: String,

    /// The revision of the configuration that was observed: a hash or a generation.
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,

    /// Time to try for: `30s`, `2m`, or seconds.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
}

/// The outcome of a reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutcomeArg {
    /// The configuration is valid and applied.
    #[value(name = "SyncStateSuccess", alias = "Success")]
    Success,
    /// It is applied, and everything that depends on it has to be processed again.
    #[value(name = "SyncStateReprocessAll", alias = "ReprocessAll")]
    ReprocessAll,
    /// The configuration is not valid.
    #[value(name = "ConfigError")]
    ConfigError,
    /// Something else failed, and will be tried again.
    #[value(name = "SyncStateError", alias = "Error")]
    Error,
    /// Something else failed, and trying again is of no use.
    #[value(name = "SyncStateErrorNoRetry", alias = "ErrorNoRetry")]
    ErrorNoRetry,
}

/// The object that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// A StatusReport of its own.
    Sharded,
    /// The ConfigurationStatus itself.
    Singleton,
}

pub(crate) fn run(args: &ReportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    if args.layout == LayoutArg::Singleton && args.revision.is_some() {
        return Err(Failure::usage(
            "--revision: an object that many reporters share has no place for the revision of each: use --layout sharded",
        ));
    }
    block_on(report(args, printer))
}

async fn report(args: &ReportArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let namespace = args.namespace.clone().unwrap_or(cluster.namespace);
    let identity = Identity::of(&args.component).on(args.node.clone().unwrap_or_default());
    let layout = args.layout(&namespace)?;
    let object = match args.layout {
        LayoutArg::Sharded => format!("statusreport {namespace}/{}", layout.object_name(&identity)),
        LayoutArg::Singleton => format!("configurationstatus {namespace}/{}", args.target),
    };
    let backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };
    let client = cluster.client.clone();
    let (reporter, running) = Reporter::builder(cluster.client, identity, layout)
        .refresh(None)
        .timeout(Duration::from_secs(10))
        .backoff(backoff)
        .spawn();
    reporter.report(&args.reconciler, args.outcome());
    let limit = Instant::now() + args.timeout;
    let trouble = settled(&reporter, limit).await;
    let ended = running.stop(Duration::ZERO).await;
    if ended.unwritten == 0 {
        let outcome = args.outcome();
        let (status, reason) = (outcome.status(), outcome.reason());
        printer.text(&format!("{object}: {} is {status} ({reason})\n", tame(&args.reconciler)))?;
        if args.layout == LayoutArg::Sharded && !has_target(&client, &namespace, &args.target).await {
            printer.warning(format_args!(
                "nobody reads this report: namespace {namespace} has no ConfigurationStatus {target}; \
                 make one, or name the right one with --target and -n",
                target = tame(&args.target),
            ));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let said = reporter.refusal().map(|said| tame(&said));
    let failed = |advice: &dyn std::fmt::Display| match &said {
        Some(said) => format!("{object}: {said}; {advice}"),
        None => format!("{object}: {advice}"),
    };
    Err(match trouble {
        Some(trouble @ Trouble::Forbidden) => Failure::permission(failed(&trouble)),
        Some(trouble @ (Trouble::Invalid | Trouble::Taken)) => Failure::data(failed(&trouble)),
        Some(trouble) => Failure::unavailable(failed(&trouble)),
        None => Failure::unavailable(failed(&format_args!("no answer within {}", shown(args.timeout)))),
    })
}

/// Returns true if there is a ConfigurationStatus of this name, in any group. Where that cannot be seen, it is taken to be there.
async fn has_target(client: &Client, namespace: &str, name: &str) -> bool {
    for api_version in ["allready.dev/v1alpha1", "metallb.io/v1beta1"] {
        let Some(resource) = configuration_status(api_version) else { continue };
        let api: Api<PartialObjectMeta<DynamicObject>> =
            Api::namespaced_with(client.clone(), namespace, &resource);
        let looked = tokio::time::timeout(Duration::from_secs(5), api.get_opt(name)).await;
        let is_absent = match looked {
            Ok(Ok(found)) => found.is_none(),
            // Of a kind that is not served there is none.
            Ok(Err(kube::Error::Api(status))) => status.code == 404,
            Ok(Err(_)) | Err(_) => false,
        };
        if !is_absent {
            return true;
        }
    }
    false
}

fn configuration_status(api_version: &str) -> Option<ApiResource> {
    let (group, version) = api_version.split_once('/')?;
    let kind = GroupVersionKind::gvk(group, version, "ConfigurationStatus");
    Some(ApiResource::from_gvk_with_plural(&kind, "configurationstatuses"))
}

/// Waits until everything is stored, or it is clear that it will not be. Returns what keeps it, if something does.
async fn settled(reporter: &Reporter, limit: Instant) -> Option<Trouble> {
    let settled = reporter.settled();
    let mut settled = std::pin::pin!(settled);
    loop {
        tokio::select! {
            () = &mut settled => return None,
            () = sleep(Duration::from_millis(20)) => {}
        }
        let trouble = reporter.trouble();
        let is_final = matches!(
            trouble,
            Some(Trouble::Missing | Trouble::Forbidden | Trouble::Invalid | Trouble::Taken)
        );
        if is_final || Instant::now() >= limit {
            return trouble;
        }
    }
}

impl ReportArgs {
    fn outcome(&self) -> Outcome {
        let outcome = match self.outcome {
            OutcomeArg::Success => SyncState::Success.into(),
            OutcomeArg::ReprocessAll => SyncState::ReprocessAll.into(),
            OutcomeArg::ConfigError => Outcome::config_error(""),
            OutcomeArg::Error => SyncState::Error.into(),
            OutcomeArg::ErrorNoRetry => SyncState::ErrorNoRetry.into(),
        };
        let outcome = outcome.because(&self.message);
        match &self.revision {
            Some(revision) => outcome.observed(revision),
            None => outcome,
        }
    }

    fn layout(&self, namespace: &str) -> Result<Layout, Failure> {
        if self.layout == LayoutArg::Sharded {
            return Ok(Layout::sharded(namespace, &self.target));
        }
        let resource = configuration_status(&self.group).ok_or_else(|| {
            Failure::usage(format_args!(
                "--group: {:?} is no GROUP/VERSION, such as allready.dev/v1alpha1",
                self.group
            ))
        })?;
        Ok(Layout::singleton(resource, namespace, &self.target))
    }
}

fn named(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("a name must not be empty".to_owned()) } else { Ok(text.to_owned()) }
}
