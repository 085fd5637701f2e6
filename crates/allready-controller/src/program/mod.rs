//! The program that runs the controllers in a cluster, until it is stopped: the binary `allready-controller`, and
//! `allready controller` on the command line.
//!
//! Everything here is for these two: it promises nothing to others.

mod args;
pub mod cluster;
mod crds;
pub mod duration;
mod failure;
pub mod file;
mod gateway;
mod hub;
mod pages;
pub mod signal;
mod sources;
pub mod text;

use std::{
    ffi::OsString,
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    path::PathBuf,
    pin::pin,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use allready_kube::lease::{Candidacy, Candidate, Timing};
use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use futures::future::OptionFuture;
use tokio::{
    net::TcpListener,
    time::{Instant, timeout},
};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

pub use args::ControllerArgs;
pub use failure::Failure;

use self::{
    cluster::{Cluster, Patience},
    pages::Pages,
    text::tame,
};
use crate::{
    config::{ConfigController, StatusKey},
    engine::{Leader, Running},
    gateway::GatewayController,
    health::Health,
    hub::{HubController, inventory::Providers},
    web::{Door, Shown, View, Wanted},
};

/// The timing of the controllers' own lease: a replica that is killed is followed within ten seconds. [`Timing::failover`] has
/// the arithmetic; docs/metrics.md has what it costs.
pub const TIMING: Timing = Timing {
    lease_duration: Duration::from_secs(6),
    renew_deadline: Duration::from_secs(4),
    retry_period: Duration::from_secs(1),
};

/// The memory for the objects that the live view shows: the controllers have the rest below the limit of the chart.
const VIEW_BYTES: usize = 96 << 20;

/// Run the controllers of allready in a cluster: one Ready from many reporters, one status from many clusters, and the
/// statuses of Gateway API
#[derive(Debug, Parser)]
#[command(name = "allready-controller", version, max_term_width = 100)]
struct CommandLine {
    #[command(flatten)]
    args: ControllerArgs,
}

/// Runs as the binary: reads its arguments, and says what went wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    let args = match command_line(words) {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { 64 } else { 0 };
            // There is nobody to tell when that fails.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// Reads the arguments of the binary. Its help is that of the command, under its own name.
fn command_line(words: impl Iterator<Item = OsString>) -> Result<ControllerArgs, clap::Error> {
    let mut command = CommandLine::command();
    if let Some(text) = command.get_after_help() {
        let text = text.to_string().replace("allready controller", "allready-controller");
        command = command.after_help(text);
    }
    let mut matches = command.try_get_matches_from(words)?;
    CommandLine::from_arg_matches_mut(&mut matches).map(|line| line.args)
}

/// Runs the controllers until a signal ends them.
pub fn run(args: &ControllerArgs) -> Result<(), Failure> {
    check_namespaces(args)?;
    if let Some(door) = args.door() {
        door.check().map_err(Failure::usage)?;
    }
    let providers = hub::providers(args)?;
    // Logs go beside the output, as everything that is not an answer.
    logs(args.log);
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    runtime.block_on(control(args, &providers))
}

/// Logs to standard error. The client logs every failed request and the whole of an answer that it cannot read: a cluster that
/// does not answer, or sends what it pleases, would fill the log with what stands in statuses already.
fn logs(level: LevelFilter) {
    let of_client = if level > LevelFilter::INFO { level } else { LevelFilter::OFF };
    let only = Targets::new().with_default(level).with_target("kube_client", of_client);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(only).init();
}

async fn control(args: &ControllerArgs, providers: &Providers) -> Result<(), Failure> {
    let cluster = args.cluster.connect(Patience::Service).await?;
    // From here on a signal ends the work instead of the process.
    let mut stopped = pin!(signal::stopped()?);
    let health = Health::default();
    let listener = match args.metrics {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let _viewed = match args.door() {
        Some(door) => Some(view(&door, args.history.clone(), &cluster).await?),
        None => None,
    };
    let waiting = Pages::new(health.clone(), Vec::new(), Arc::new(|| false));
    tokio::select! {
        () = &mut stopped => return Ok(()),
        // Before anybody competes for the lease: a replica that cannot write must not take it from one that can.
        () = crds::until_they_fit(args, &cluster.client, &health) => {}
        () = serve(&waiting, listener.as_ref()) => {}
    }
    let candidacy = candidate(args, &cluster)?;
    let leader = if args.leads() { Leader::elected } else { Leader::alone }(candidacy.clone());
    let running = || Running { leader: leader.clone(), health: health.clone(), ..Running::default() };
    let config = config(args, &cluster, running());
    let hub = hub::controller(args, &cluster, providers, running());
    let gateway = gateway::controller(args, &cluster, running());
    let mut controllers =
        vec![("config_status", config.running.writes.clone(), config.running.metrics.clone())];
    controllers
        .extend(hub.as_ref().map(|hub| ("hub", hub.running.writes.clone(), hub.running.metrics.clone())));
    let of_gateway = gateway.as_ref().map(|gateway| &gateway.running);
    controllers
        .extend(of_gateway.map(|running| ("gateway", running.writes.clone(), running.metrics.clone())));
    let is_leading = {
        let leader = leader.clone();
        move || leader.term(Instant::now()).is_some()
    };
    let pages = Pages::new(health.clone(), controllers, Arc::new(is_leading));
    tokio::spawn(async move { serve(&pages, listener.as_ref()).await });
    let (hub, gateway) = (hub.map(HubController::run), gateway.map(GatewayController::run));
    let work = async { tokio::join!(config.run(), OptionFuture::from(hub), OptionFuture::from(gateway)) };
    tokio::select! {
        () = &mut stopped => {}
        _ = work => {}
    }
    // The next replica need not wait for the lease to run out; and nobody waits for this one for ever.
    let _ = timeout(Duration::from_secs(5), candidacy.release()).await;
    Ok(())
}

/// Listens for whoever reads the pages, and says where.
async fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::unavailable(format_args!("cannot listen on {address}: {error}")))?;
    let address = listener.local_addr().unwrap_or(address);
    say(&format!("Serving http://{address}/metrics, /healthz and /readyz\n"))?;
    Ok(listener)
}

/// Shows the cluster live, until what this gives is dropped.
async fn view(door: &Door, history: Option<PathBuf>, cluster: &Cluster) -> Result<Shown, Failure> {
    let address = door.address;
    let cannot =
        |error: std::io::Error| Failure::unavailable(format_args!("cannot listen on {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let view = View::within(VIEW_BYTES).behind(door, cluster.client.clone());
    let title = cluster.context.clone().unwrap_or_else(|| cluster.server.clone());
    let file = history.as_ref().map(|path| tame(&path.display().to_string())).unwrap_or_default();
    let wanted = Wanted { history, ..Wanted::everything("cluster", &title) };
    let shown = view
        .show(cluster.client.clone(), wanted)
        .map_err(|error| Failure::output(format_args!("cannot use the history {file}: {error}")))?;
    say(&format!("Serving the live view on http://{address}/\n"))?;
    tokio::spawn(async move { view.serve(&listener).await });
    Ok(shown)
}

/// Serves the pages until this is dropped, where somebody asked for them.
async fn serve(pages: &Pages, listener: Option<&TcpListener>) {
    match listener {
        Some(listener) => pages.serve(listener).await,
        None => std::future::pending().await,
    }
}

/// Says something on the standard output. A reader that has gone away is no failure: it has read enough.
fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::output(format_args!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The namespace and the name of the lease.
fn lease<'a>(args: &'a ControllerArgs, cluster: &'a Cluster) -> (&'a str, &'a str) {
    args.lease.split_once('/').unwrap_or((&cluster.namespace, &args.lease))
}

fn candidate(args: &ControllerArgs, cluster: &Cluster) -> Result<Candidacy, Failure> {
    let (namespace, name) = lease(args, cluster);
    let candidate = Candidate::new(cluster.client.clone(), namespace, name, args.identity());
    candidate.timing(TIMING).start().map_err(Failure::usage)
}

/// Refuses objects to make where this controller does not look.
fn check_namespaces(args: &ControllerArgs) -> Result<(), Failure> {
    let stays = |key: &StatusKey| args.namespace.is_empty() || args.namespace.contains(&key.namespace);
    match args.ensured().into_iter().find(|(key, _)| !stays(key)) {
        Some((key, _)) => Err(Failure::usage(format_args!(
            "--ensure {key}: this controller stays in {}: add --namespace {}",
            args.namespace.join(", "),
            key.namespace
        ))),
        None => Ok(()),
    }
}

/// The controller of ConfigurationStatuses.
fn config(args: &ControllerArgs, cluster: &Cluster, running: Running) -> ConfigController {
    let mut controller = ConfigController::new(cluster.client.clone());
    controller.api_versions.clone_from(&args.group);
    controller.namespaces.clone_from(&args.namespace);
    controller.ensure = args.ensured();
    let (namespace, name) = lease(args, cluster);
    controller.options.lease = Some(format!("{namespace}/{name}").into());
    ConfigController { running, ..controller }
}
