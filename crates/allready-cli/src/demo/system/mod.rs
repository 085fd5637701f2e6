//! The system on a server: components that know nothing of each other report, and one object answers for all of them.

mod cast;
mod pools;

use std::{path::Path, time::Instant};

use self::cast::{Cast, NAMESPACE, SUBJECT};
use super::scene::Scene;
use crate::{
    cli::DemoArgs,
    failure::Failure,
    printer::{BAD, DIM, GOOD, Printer, UNKNOWN, tame},
};

type Played<T> = Result<T, Box<dyn std::error::Error>>;

/// Plays the system on an embedded API server: nothing is installed, and `kubectl` can look.
pub(super) fn play(args: &DemoArgs, printer: &mut Printer) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let played = runtime.block_on(tell(args, printer));
    runtime.shutdown_background();
    played.map_err(|error| {
        Failure::unavailable(format_args!("the demo's system: {}", tame(&error.to_string())))
    })
}

async fn tell(args: &DemoArgs, printer: &mut Printer) -> Played<()> {
    let kubeconfig = args.kubeconfig.clone().unwrap_or_else(|| {
        let file = format!("allready-demo-{}.kubeconfig", std::process::id());
        std::env::temp_dir().join(file)
    });
    let mut cast = Cast::gather(args.nodes.into(), &kubeconfig).await?;
    let mut stage = Stage { args, printer, nodes: args.nodes.into() };
    if args.no_story {
        stage.opens(&kubeconfig)?;
        cast.until("True", &stage.all_ready()).await?;
        stage.shows(&cast, "All of them have reported.").await?;
        crate::signal::stopped().map_err(|_| "cannot listen for signals")?.await;
    } else {
        stage.plays(&mut cast, &kubeconfig).await?;
    }
    cast.leaves().await;
    // Somebody may have removed it already.
    drop(std::fs::remove_file(&kubeconfig));
    Ok(())
}

struct Stage<'a> {
    args: &'a DemoArgs,
    printer: &'a mut Printer,
    nodes: usize,
}

impl Stage<'_> {
    async fn plays(&mut self, cast: &mut Cast, kubeconfig: &Path) -> Played<()> {
        self.opens(kubeconfig)?;
        let began = Instant::now();
        cast.until("True", &self.all_ready()).await?;
        self.takes(began);
        self.shows(cast, "The controller and every speaker have reported, each in an object of its own:")
            .await?;
        self.rests().await;

        self.heading("11. A configuration that is not valid")?;
        let began = Instant::now();
        cast.configure(&[("production", "192.0.2.0/24"), ("staging", "192.0.2.128/25")]).await?;
        cast.until("False", &format!("{} of {} failing", self.nodes, self.nodes + 1)).await?;
        self.takes(began);
        self.shows(cast, "Two pools overlap. Every speaker says so, and the cause is told once:").await?;
        self.rests().await;

        self.heading("12. The configuration is mended")?;
        let began = Instant::now();
        cast.configure(&[("production", "192.0.2.0/25"), ("staging", "192.0.2.128/25")]).await?;
        cast.until("True", &self.all_ready()).await?;
        self.takes(began);
        self.shows(cast, "kubectl wait --for=condition=Ready returns now:").await?;
        self.rests().await;

        self.heading("13. A node is lost")?;
        let began = Instant::now();
        let lost = cast.lose_a_node().await?;
        cast.until("Unknown", "NodeGone").await?;
        self.takes(began);
        self.shows(cast, &format!("{lost} is gone, and its last report is not believed any more:")).await?;
        self.nodes -= 1;
        cast.until("True", &self.all_ready()).await?;
        self.shows(cast, "\n  What it left behind is swept:").await
    }

    fn all_ready(&self) -> String {
        format!("{all} of {all} ready", all = self.nodes + 1)
    }

    fn opens(&mut self, kubeconfig: &Path) -> Played<()> {
        self.heading("10. One object answers for a controller and all its speakers")?;
        let nodes = self.nodes;
        let file = tame(&kubeconfig.display().to_string());
        self.says(&format!(
            "An API server started in this process, with {nodes} nodes. Look at it at any time:\n\n  \
             kubectl --kubeconfig {file} get configurationstatus {SUBJECT} -n {NAMESPACE}\n"
        ))
    }

    fn heading(&mut self, title: &str) -> Played<()> {
        self.printer.text(&Scene::new(title).done()).map_err(|failure| failure.to_string().into())
    }

    fn says(&mut self, text: &str) -> Played<()> {
        self.printer.text(&format!("{text}\n")).map_err(|failure| failure.to_string().into())
    }

    /// How long it took, on the side: it differs from run to run.
    fn takes(&mut self, began: Instant) {
        self.printer.error_text(&format!("{DIM}(after {:.2} s){DIM:#}\n", began.elapsed().as_secs_f64()));
    }

    /// The object as `kubectl get -o wide` shows it.
    async fn shows(&mut self, cast: &Cast, text: &str) -> Played<()> {
        let seen = cast.look().await?;
        let style = match seen.ready.as_str() {
            "True" => GOOD,
            "False" => BAD,
            _ => UNKNOWN,
        };
        let row = format!(
            "  {:<15} {style}{:<9}{style:#} {:<20} {:<10} {}",
            SUBJECT,
            seen.ready,
            seen.reason,
            seen.reporters,
            tame(&seen.message)
        );
        self.says(&format!(
            "{text}\n\n  {DIM}{:<15} {:<9} {:<20} {:<10} MESSAGE{DIM:#}\n{}",
            "NAME",
            "READY",
            "REASON",
            "REPORTERS",
            row.trim_end()
        ))
    }

    async fn rests(&self) {
        tokio::time::sleep(std::time::Duration::from_secs(self.args.pause)).await;
    }
}
