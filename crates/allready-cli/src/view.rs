//! `allready view`: the live view of a cluster in the browser.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use allready_controller::web::{Door, View, Wanted};
use clap::Args;
use tokio::net::TcpListener;

use crate::{
    cluster::{ClusterArgs, Patience},
    declared::DeclaredArgs,
    failure::Failure,
    printer::{BOLD, DIM, Printer, tame},
    signal::stopped,
    target::{ScopeArgs, discover},
};

/// Options of `allready view`.
#[derive(Debug, Args)]
#[command(after_help = "\
It serves one page: what is wrong in one sentence, the causes worst first, a heat map
of nodes, reporters and clusters, Gateways, a time line, and for each object, why it is
in its state. The page is updated as the cluster changes. It loads nothing from the
internet: everything is part of this program.

It watches what `allready watch` watches, needs the same permissions, and changes
nothing. It listens on this machine only. Everybody who can open a connection there sees
what the kubeconfig may read; on a shared machine, that is every user.

Exit codes:
  0 it was stopped
  64 wrong usage, 66 no kubeconfig, 69 the address is taken or the API server does
  not answer, 74 the history cannot be written, 77 no permission

Examples:
  allready view -A                          everything in the cluster
  allready view -n shop --open              and open it in the browser
  allready view -A --address 127.0.0.1:0    on a free port
  allready view -A --history ~/allready.history")]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Address of this machine to listen on; port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    address: SocketAddr,

    /// Open the page in the browser.
    #[arg(long)]
    open: bool,

    /// File that keeps the time line across restarts, at most 2,000 transitions.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    #[command(flatten)]
    declared: DeclaredArgs,

    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) fn run(args: &ViewArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    Door::local(args.address).check().map_err(Failure::usage)?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let done = runtime.block_on(serve(args, printer));
    // Watches that are still being opened are not waited for.
    runtime.shutdown_background();
    done
}

async fn serve(args: &ViewArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let declared = args.declared.read()?;
    let cluster = args.cluster.connect(Patience::Command).await?;
    // A server that does not answer, or does not know who asks, is told here and not on an empty page.
    discover(&cluster).await?;
    let client = args.cluster.connect(Patience::Service).await?.client;
    let (view, listener, url) = listen(args.address).await?;
    let title = cluster.context.clone().unwrap_or_else(|| cluster.server.clone());
    let namespace = args.scope.namespace(&cluster.namespace);
    let (name, history) = ("cluster".to_owned(), args.history.clone());
    let wanted = Wanted { name, title, namespace, declared, history };
    let _shown = view.show(client, wanted).map_err(|error| {
        let path = args.history.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        Failure::output(format_args!("cannot use the history {}: {error}", tame(&path)))
    })?;
    let stopped = stopped()?;
    printer.text(&format!("Live view: {BOLD}{url}{BOLD:#}\n{DIM}Ctrl-C stops it.{DIM:#}\n"))?;
    if args.open {
        open(&url, printer);
    }
    tokio::select! {
        () = view.serve(&listener) => {}
        () = stopped => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Listens on an address of this machine.
pub(crate) async fn listen(address: SocketAddr) -> Result<(View, TcpListener, String), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::unavailable(format_args!(
            "cannot listen on {address}: {error}; give another address, or port 0 for a free one"
        ))
    };
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    Ok((View::default(), listener, format!("http://{address}/")))
}

/// Opens an address of ours in the browser of whoever sits here.
fn open(url: &str, printer: &mut Printer) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let started = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        printer.warning(format_args!("cannot open a browser with {program}: {error}"));
    }
}
