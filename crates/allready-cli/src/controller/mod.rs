//! `allready controller`: one Ready from the reports of many, and one status from many clusters, until it is stopped.

mod args;
mod hub;
mod pages;
mod sources;

use std::{process::ExitCode, sync::Arc, time::Duration};

use allready_controller::{
    config::{Answering, Statuses, Subject},
    hub::{Hubbing, inventory::Providers},
};
use allready_kube::lease::{Candidacy, Candidate, Leadership};
use futures::future::{OptionFuture, join_all};
use tokio::{
    net::TcpListener,
    time::{Instant, timeout},
};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

pub(crate) use args::ControllerArgs;
use pages::Pages;

use crate::{
    cluster::{Cluster, Patience},
    failure::Failure,
    printer::Printer,
    signal::stopped,
};

pub(crate) fn run(args: &ControllerArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let statuses = statuses(args)?;
    let providers = hub::providers(args)?;
    // Logs go beside the output, as everything that is not an answer.
    logs(args.log);
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(control(args, statuses, &providers, printer))
}

/// Logs to standard error. The client logs every failed request and the whole of an answer that it cannot read: a cluster that
/// does not answer, or sends what it pleases, would fill the log with what stands in statuses already.
fn logs(level: LevelFilter) {
    let of_client = if level > LevelFilter::INFO { level } else { LevelFilter::OFF };
    let only = Targets::new().with_default(level).with_target("kube_client", of_client);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(only).init();
}

async fn control(
    args: &ControllerArgs,
    statuses: Vec<Statuses>,
    providers: &Providers,
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Service).await?;
    // From here on a signal ends the work instead of the process.
    let stopped = stopped()?;
    let mut answering = Answering::new(cluster.client.clone());
    let candidacy = if args.leads() { Some(candidate(args, &cluster)?) } else { None };
    if let Some(candidacy) = candidacy.clone() {
        answering.leading =
            Arc::new(move || candidacy.token().is_some_and(|token| token.is_leading(Instant::now())));
    }
    let hubbing = hub::hubbing(args, &cluster, providers, Arc::clone(&answering.leading));
    let mut writes = vec![("config_status", answering.metrics.clone())];
    writes.extend(hubbing.as_ref().map(|hubbing| ("hub", hubbing.metrics.clone())));
    let pages = Pages::new(writes, candidacy.as_ref().map(Candidacy::leadership));
    if let Some(address) = args.metrics {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Failure::unavailable(format_args!("cannot listen on {address}: {error}")))?;
        let address = listener.local_addr().unwrap_or(address);
        printer.text(&format!("Serving http://{address}/metrics, /healthz and /readyz\n"))?;
        tokio::spawn(pages.clone().serve(listener));
    }
    let contact = async {
        pages.reached(&cluster.client).await;
        std::future::pending::<()>().await;
    };
    let answers = join_all(statuses.into_iter().map(|statuses| statuses.run(answering.clone())));
    let work = async {
        let hub = OptionFuture::from(hubbing.map(Hubbing::run));
        tokio::join!(answers, hub)
    };
    tokio::select! {
        () = stopped => {}
        () = contact => {}
        _ = work => {}
    }
    if let Some(candidacy) = candidacy {
        // The next replica need not wait for the lease to run out; and nobody waits for this one for ever.
        let _ = timeout(Duration::from_secs(5), candidacy.release()).await;
    }
    Ok(ExitCode::SUCCESS)
}

fn candidate(args: &ControllerArgs, cluster: &Cluster) -> Result<Candidacy, Failure> {
    let (namespace, name) = match args.lease.split_once('/') {
        Some((namespace, name)) => (namespace, name),
        None => (cluster.namespace.as_str(), args.lease.as_str()),
    };
    let candidate = Candidate::new(cluster.client.clone(), namespace, name, args.identity());
    candidate.start().map_err(Failure::usage)
}

/// What is answered for: once for each namespace, or once for all of them.
fn statuses(args: &ControllerArgs) -> Result<Vec<Statuses>, Failure> {
    let ensure = args.ensured();
    let stays = |subject: &Subject| args.namespace.is_empty() || args.namespace.contains(&subject.namespace);
    if let Some((subject, _)) = ensure.iter().find(|(subject, _)| !stays(subject)) {
        return Err(Failure::usage(format_args!(
            "--ensure {}/{}: this controller stays in {}: add --namespace {}",
            subject.namespace,
            subject.name,
            args.namespace.join(", "),
            subject.namespace
        )));
    }
    let places: Vec<Option<String>> = match args.namespace.as_slice() {
        [] => vec![None],
        named => named.iter().cloned().map(Some).collect(),
    };
    let one = |namespace: Option<String>| Statuses {
        api_versions: args.group.clone(),
        ensure: ensure
            .iter()
            .filter(|(subject, _)| namespace.as_ref().is_none_or(|stays| *stays == subject.namespace))
            .cloned()
            .collect(),
        namespace,
    };
    Ok(places.into_iter().map(one).collect())
}

/// Whether this replica leads.
fn is_leading(leadership: &Leadership) -> bool {
    matches!(leadership, Leadership::Leading { .. })
}
