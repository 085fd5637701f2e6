//! `allready demo`: a condition set lives through a reconcile story on a clock of its own, then a whole system and a Gateway with its
//! routes on an API server, and then a Gateway on a hub with two clusters.

mod fleet;
mod hub;
mod kubeconfig;
mod scene;
mod stage;
mod story;
mod system;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

use allready_controller::web::{Door, Shown, View, Wanted};
use kube::Client;

use self::{
    hub::Hub,
    stage::{Played, Stage},
    system::System,
};
use crate::{
    cli::DemoArgs,
    failure::Failure,
    printer::{BOLD, DIM, Printer, tame},
    view,
};

pub(crate) fn run(args: &DemoArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    // Refused before the story is told, and not in the middle of it.
    for path in args.kubeconfig.iter().flat_map(|path| [path.clone(), kubeconfig::of_hub(path)]) {
        crate::kubeconfig::check(&path)?;
    }
    Door::local(args.view).check().map_err(Failure::usage)?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let live = runtime.block_on(Live::begin(args, printer))?;
    let story = if args.no_story { Vec::new() } else { story::tell() };
    for scene in story {
        printer.text(&scene)?;
        if !args.pause.is_zero() {
            thread::sleep(args.pause);
        }
    }
    let played = runtime.block_on(serve(args, &live, printer));
    runtime.shutdown_background();
    played.map_err(|error| Failure::unavailable(format_args!("the demo: {}", tame(&error.to_string()))))?;
    Ok(ExitCode::SUCCESS)
}

/// Plays on embedded API servers until it is over or somebody stops it: nothing is installed, and `kubectl` can look.
async fn serve(args: &DemoArgs, live: &Live, printer: &mut Printer) -> Played<()> {
    let of_system = of_system(args);
    let of_hub = kubeconfig::of_hub(&of_system);
    let mut stage = Stage::new(args, printer);
    let nodes = args.nodes.into();
    let stopped = crate::signal::stopped().map_err(|_| "cannot listen for signals")?;
    let played = async {
        if args.no_story {
            stand(&mut stage, live, nodes, &of_system, &of_hub).await
        } else {
            play(&mut stage, live, nodes, &of_system, &of_hub).await
        }
    };
    tokio::select! {
        played = played => played,
        () = stopped => Ok(()),
    }
}

/// One after the other, through everything that happens.
async fn play(
    stage: &mut Stage<'_>,
    live: &Live,
    nodes: usize,
    of_system: &Path,
    of_hub: &Path,
) -> Played<()> {
    let mut system = System::gather(nodes, of_system).await?;
    let _system = live.shows(system.client(), "system", SYSTEM)?;
    system.plays(stage).await?;
    stage.rests().await;
    system.plays_gateway(stage).await?;
    stage.rests().await;
    let hub = Hub::gather(of_hub).await?;
    let _hub = live.shows(hub.client(), "hub", HUB)?;
    hub.plays(stage).await?;
    if std::io::stdout().is_terminal() {
        stage.says(&format!("\nThat was the story. The live view stays at {} until Ctrl-C.", live.url))?;
        std::future::pending::<()>().await;
    }
    system.leaves().await;
    hub.leaves().await;
    Ok(())
}

/// Both at once as they are when all is well, for as long as they are let.
async fn stand(
    stage: &mut Stage<'_>,
    live: &Live,
    nodes: usize,
    of_system: &Path,
    of_hub: &Path,
) -> Played<()> {
    let mut system = System::gather(nodes, of_system).await?;
    let _system = live.shows(system.client(), "system", SYSTEM)?;
    system.opens(stage).await?;
    system.opens_gateway(stage).await?;
    let hub = Hub::gather(of_hub).await?;
    let _hub = live.shows(hub.client(), "hub", HUB)?;
    hub.opens(stage).await?;
    stage.says(&format!(
        "\nAll of it is at {} too. Ctrl-C stops it, and removes the kubeconfigs.",
        live.url
    ))?;
    std::future::pending().await
}

/// The titles of what the live view shows.
const SYSTEM: &str = "Demo: a system";
const HUB: &str = "Demo: a hub";

/// The kubeconfig of the system.
fn of_system(args: &DemoArgs) -> PathBuf {
    args.kubeconfig.clone().unwrap_or_else(|| {
        let file = format!("allready-demo-{}.kubeconfig", std::process::id());
        std::env::temp_dir().join(file)
    })
}

/// The live view of whatever is played.
struct Live {
    view: View,
    url: String,
}

impl Live {
    /// Listens, and says where before anything else: beside the story, as it differs from run to run.
    async fn begin(args: &DemoArgs, printer: &mut Printer) -> Result<Self, Failure> {
        let (view, listener, url) = view::listen(args.view).await?;
        let kubeconfig = tame(&of_system(args).display().to_string());
        printer.error_text(&format!(
            "Live view: {BOLD}{url}{BOLD:#}\nkubectl:   export KUBECONFIG={kubeconfig}\n{DIM}Ctrl-C stops it.{DIM:#}\n"
        ));
        let serving = view.clone();
        tokio::spawn(async move { serving.serve(&listener).await });
        Ok(Self { view, url })
    }

    fn shows(&self, client: &Client, name: &str, title: &str) -> Played<Shown> {
        Ok(self.view.show(client.clone(), Wanted::everything(name, title))?)
    }
}
