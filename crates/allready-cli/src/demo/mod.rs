//! `allready demo`: a condition set lives through a reconcile story on a clock of its own, and then a whole system does on an
//! API server, and a Gateway on a hub with two clusters.

mod fleet;
mod hub;
mod kubeconfig;
mod scene;
mod stage;
mod story;
mod system;

use std::{path::Path, process::ExitCode, thread};

use self::{
    hub::Hub,
    stage::{Played, Stage},
    system::System,
};
use crate::{
    cli::DemoArgs,
    failure::Failure,
    printer::{Printer, tame},
};

pub(crate) fn run(args: &DemoArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    // Refused before the story is told, and not in the middle of it.
    for path in args.kubeconfig.iter().flat_map(|path| [path.clone(), kubeconfig::of_hub(path)]) {
        crate::kubeconfig::check(&path)?;
    }
    let story = if args.no_story { Vec::new() } else { story::tell() };
    for scene in story {
        printer.text(&scene)?;
        if !args.pause.is_zero() {
            thread::sleep(args.pause);
        }
    }
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let played = runtime.block_on(serve(args, printer));
    runtime.shutdown_background();
    played.map_err(|error| Failure::unavailable(format_args!("the demo: {}", tame(&error.to_string()))))?;
    Ok(ExitCode::SUCCESS)
}

/// Plays on embedded API servers until it is over or somebody stops it: nothing is installed, and `kubectl` can look.
async fn serve(args: &DemoArgs, printer: &mut Printer) -> Played<()> {
    let of_system = args.kubeconfig.clone().unwrap_or_else(|| {
        let file = format!("allready-demo-{}.kubeconfig", std::process::id());
        std::env::temp_dir().join(file)
    });
    let of_hub = kubeconfig::of_hub(&of_system);
    let mut stage = Stage::new(args.pause, printer);
    let nodes = args.nodes.into();
    let stopped = crate::signal::stopped().map_err(|_| "cannot listen for signals")?;
    let played = async {
        if args.no_story {
            stand(&mut stage, nodes, &of_system, &of_hub).await
        } else {
            play(&mut stage, nodes, &of_system, &of_hub).await
        }
    };
    tokio::select! {
        played = played => played,
        () = stopped => Ok(()),
    }
}

/// One after the other, through everything that happens.
async fn play(stage: &mut Stage<'_>, nodes: usize, of_system: &Path, of_hub: &Path) -> Played<()> {
    let mut system = System::gather(nodes, of_system).await?;
    system.plays(stage).await?;
    system.leaves().await;
    stage.rests().await;
    let hub = Hub::gather(of_hub).await?;
    hub.plays(stage).await?;
    hub.leaves().await;
    Ok(())
}

/// Both at once as they are when all is well, for as long as they are let.
async fn stand(stage: &mut Stage<'_>, nodes: usize, of_system: &Path, of_hub: &Path) -> Played<()> {
    let system = System::gather(nodes, of_system).await?;
    system.opens(stage).await?;
    let hub = Hub::gather(of_hub).await?;
    hub.opens(stage).await?;
    std::future::pending().await
}
