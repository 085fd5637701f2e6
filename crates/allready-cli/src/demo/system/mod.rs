//! The scenes of the system on a server: components report, and one object answers for all of them; then a Gateway on the same server.

mod cast;
mod gateway;
mod pools;

use std::time::Instant;

use allready_core::Time;

pub(super) use self::cast::System;
use self::cast::{NAMESPACE, SUBJECT};
use super::stage::{Played, Stage, coloured};
use crate::printer::{DIM, tame};

impl System {
    /// The scene in which all is well.
    pub(super) async fn opens(&self, stage: &mut Stage<'_>) -> Played<()> {
        stage.heading("10. One object answers for a controller and all its speakers")?;
        let (nodes, file) = (self.nodes, self.kubeconfig.shown());
        stage.says(&format!(
            "An API server started in this process, with {nodes} nodes. Look at it at any time:\n\n  \
             kubectl --kubeconfig {file} get configurationstatus {SUBJECT} -n {NAMESPACE}\n"
        ))?;
        let began = Instant::now();
        self.until("True", &self.all_ready()).await?;
        stage.takes(began);
        self.shows(stage, "The controller and every speaker have reported, each in an object of its own:")
            .await
    }

    pub(super) async fn plays(&mut self, stage: &mut Stage<'_>) -> Played<()> {
        self.opens(stage).await?;
        stage.rests().await;

        stage.heading("11. A configuration that is not valid")?;
        let (began, before) = (Instant::now(), Time::new(jiff::Timestamp::now()));
        self.configure(&[("production", "192.0.2.0/24"), ("staging", "192.0.2.128/25")]).await?;
        self.until("False", &format!("{} of {} failing", self.nodes, self.nodes + 1)).await?;
        stage.takes(began);
        self.shows(stage, "Two pools overlap. Every speaker says so, and the cause is told once:").await?;
        stage.says("\n`allready check -A` asks the whole cluster, and has a row for each cause:\n")?;
        stage.asks("check -A", self.kubeconfig.path(), before)?;
        stage.rests().await;

        stage.heading("12. The configuration is mended")?;
        let began = Instant::now();
        self.configure(&[("production", "192.0.2.0/25"), ("staging", "192.0.2.128/25")]).await?;
        self.until("True", &self.all_ready()).await?;
        stage.takes(began);
        self.shows(stage, "kubectl wait --for=condition=Ready returns now:").await?;
        stage.rests().await;

        stage.heading("13. A node is lost")?;
        let began = Instant::now();
        let lost = self.lose_a_node().await?;
        self.nodes -= 1;
        self.until("True", &self.all_ready()).await?;
        stage.takes(began);
        self.shows(stage, &format!("{lost} is gone, and nobody waits for it; what it left behind is swept:"))
            .await
    }

    fn all_ready(&self) -> String {
        format!("{all} of {all} ready", all = self.nodes + 1)
    }

    /// The object as `kubectl get -o wide` shows it.
    async fn shows(&self, stage: &mut Stage<'_>, text: &str) -> Played<()> {
        let [ready, reason, message, reporters] = self.look().await?;
        let (ready, message) = (coloured(&ready, 9), tame(&message));
        let row = format!("  {SUBJECT:<15} {ready} {reason:<20} {reporters:<10} {message}");
        let head = "NAME            READY     REASON               REPORTERS  MESSAGE";
        stage.says(&format!("{text}\n\n  {DIM}{head}{DIM:#}\n{}", row.trim_end()))
    }
}
