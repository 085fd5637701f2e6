//! The system on a server: components that know nothing of each other report, and one object answers for all of them.

mod cast;
mod pools;

use std::{path::Path, time::Instant};

use self::cast::{Cast, NAMESPACE, SUBJECT};
use super::stage::{Played, Stage, coloured};
use crate::printer::{DIM, tame};

/// What is played, and by whom.
pub(super) struct System {
    cast: Cast,
    nodes: usize,
}

impl System {
    pub(super) async fn gather(nodes: usize, kubeconfig: &Path) -> Played<Self> {
        let cast = Cast::gather(nodes, kubeconfig).await?;
        Ok(Self { cast, nodes })
    }

    pub(super) async fn leaves(self) {
        self.cast.leaves().await;
    }

    /// The scene in which all is well.
    pub(super) async fn opens(&self, stage: &mut Stage<'_>) -> Played<()> {
        stage.heading("10. One object answers for a controller and all its speakers")?;
        let (nodes, file) = (self.nodes, self.cast.kubeconfig.shown());
        stage.says(&format!(
            "An API server started in this process, with {nodes} nodes. Look at it at any time:\n\n  \
             kubectl --kubeconfig {file} get configurationstatus {SUBJECT} -n {NAMESPACE}\n"
        ))?;
        let began = Instant::now();
        self.cast.until("True", &self.all_ready()).await?;
        stage.takes(began);
        self.shows(stage, "The controller and every speaker have reported, each in an object of its own:")
            .await
    }

    pub(super) async fn plays(&mut self, stage: &mut Stage<'_>) -> Played<()> {
        self.opens(stage).await?;
        stage.rests().await;

        stage.heading("11. A configuration that is not valid")?;
        let began = Instant::now();
        self.cast.configure(&[("production", "192.0.2.0/24"), ("staging", "192.0.2.128/25")]).await?;
        self.cast.until("False", &format!("{} of {} failing", self.nodes, self.nodes + 1)).await?;
        stage.takes(began);
        self.shows(stage, "Two pools overlap. Every speaker says so, and the cause is told once:").await?;
        stage.rests().await;

        stage.heading("12. The configuration is mended")?;
        let began = Instant::now();
        self.cast.configure(&[("production", "192.0.2.0/25"), ("staging", "192.0.2.128/25")]).await?;
        self.cast.until("True", &self.all_ready()).await?;
        stage.takes(began);
        self.shows(stage, "kubectl wait --for=condition=Ready returns now:").await?;
        stage.rests().await;

        stage.heading("13. A node is lost")?;
        let began = Instant::now();
        let lost = self.cast.lose_a_node().await?;
        self.cast.until("Unknown", "NodeGone").await?;
        stage.takes(began);
        self.shows(stage, &format!("{lost} is gone, and its last report is not believed any more:")).await?;
        self.nodes -= 1;
        self.cast.until("True", &self.all_ready()).await?;
        self.shows(stage, "\n  What it left behind is swept:").await
    }

    fn all_ready(&self) -> String {
        format!("{all} of {all} ready", all = self.nodes + 1)
    }

    /// The object as `kubectl get -o wide` shows it.
    async fn shows(&self, stage: &mut Stage<'_>, text: &str) -> Played<()> {
        let seen = self.cast.look().await?;
        let row = format!(
            "  {:<15} {} {:<20} {:<10} {}",
            SUBJECT,
            coloured(&seen.ready, 9),
            seen.reason,
            seen.reporters,
            tame(&seen.message)
        );
        stage.says(&format!(
            "{text}\n\n  {DIM}{:<15} {:<9} {:<20} {:<10} MESSAGE{DIM:#}\n{}",
            "NAME",
            "READY",
            "REASON",
            "REPORTERS",
            row.trim_end()
        ))
    }
}
