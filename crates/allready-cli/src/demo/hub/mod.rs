//! A Gateway on a hub that answers for those of two clusters.

mod cast;
mod gateway;
mod seen;
mod wire;

use std::time::Instant;

use allready_controller::hub::AGGREGATED;

pub(super) use self::cast::Hub;
use self::{
    cast::CLUSTERS,
    gateway::{API, GATEWAY, NAMESPACE, Said, WELL, WWW},
    seen::{PROGRAMMED, Seen},
};
use super::stage::{Played, Stage, until};

const ONE: &str = "cluster-1";
const TWO: &str = "cluster-2";
const ADDRESSES: [(&str, &str); 2] = [(ONE, "172.31.200.0"), (TWO, "172.31.202.0")];

/// The state of the hub that a scene waits for.
struct Wanted {
    /// The status of `Programmed`, and how its message begins.
    programmed: (&'static str, &'static str),
    /// The status of the condition that says whether what the clusters said is all here.
    aggregated: &'static str,
    /// The clusters with addresses in the status, and those that the names lead to.
    clusters: &'static [&'static str],
    api: &'static [&'static str],
    www: &'static [&'static str],
}

const BOTH: &[&str] = &[ONE, TWO];
const ALL_WELL: Wanted =
    Wanted { programmed: ("True", ""), aggregated: "True", clusters: BOTH, api: BOTH, www: BOTH };

impl Hub {
    /// The scene in which all is well.
    pub(super) async fn opens(&self, stage: &mut Stage<'_>) -> Played<()> {
        stage.heading("16. A hub answers for the Gateways of two clusters")?;
        stage.says(&format!(
            "Three more API servers: a hub and two clusters, each with the Gateway {GATEWAY}. The hub knows the clusters by \
             the\nkubeconfigs in its namespace {CLUSTERS}. Look at it at any time:\n\n  \
             kubectl --kubeconfig {} get gateway {GATEWAY} -n {NAMESPACE} -o yaml\n",
            self.kubeconfig.shown()
        ))?;
        let began = Instant::now();
        let text = "The status of the hub's Gateway is made from both of theirs, and so are the DNS records:";
        self.shows(stage, began, ALL_WELL, text).await
    }

    pub(super) async fn plays(&self, stage: &mut Stage<'_>) -> Played<()> {
        self.opens(stage).await?;
        stage.rests().await;

        stage.heading("17. A certificate expires in one of them")?;
        let began = Instant::now();
        let expired = Said { trouble: Some("Listener certificate is expired"), api_routes: 0 };
        self.says(ONE, &expired).await?;
        let wanted = Wanted { programmed: ("False", ONE), api: &[TWO], ..ALL_WELL };
        let text = format!(
            "The listener {} of {ONE} has lost its route: {} leads to {TWO} alone, {} still to both:",
            API.0, API.1, WWW.1
        );
        self.shows(stage, began, wanted, &text).await?;
        stage.rests().await;

        stage.heading("18. It is renewed")?;
        let began = Instant::now();
        self.says(ONE, &WELL).await?;
        self.shows(stage, began, ALL_WELL, "kubectl wait --for=condition=Programmed returns now:").await?;
        stage.rests().await;

        stage.heading("19. A cluster is cut off")?;
        let began = Instant::now();
        self.wire(TWO)?.cut();
        let wanted = Wanted { programmed: ("Unknown", TWO), aggregated: "Unknown", ..ALL_WELL };
        let text = format!(
            "Nobody knows how {TWO} is, and it may well be serving: what it said last stays, in the status and in DNS:"
        );
        self.shows(stage, began, wanted, &text).await?;
        let began = Instant::now();
        self.wire(TWO)?.mend();
        self.shows(stage, began, ALL_WELL, "\n  It is back:").await?;
        stage.rests().await;

        stage.heading("20. A cluster is taken out of the hub")?;
        let began = Instant::now();
        self.forget(ONE).await?;
        let others: &[&str] = &[TWO];
        let wanted = Wanted { clusters: others, api: others, www: others, ..ALL_WELL };
        let text = format!(
            "Its Secret is deleted. Alone, that would be an outage; the annotation allready.dev/remove-clusters makes it a \
             decision, and everything of {ONE} leaves at once:"
        );
        self.shows(stage, began, wanted, &text).await
    }

    /// Waits until this stands there, and shows it.
    async fn shows(&self, stage: &mut Stage<'_>, began: Instant, wanted: Wanted, text: &str) -> Played<()> {
        let (status, begins) = wanted.programmed;
        let stands = |seen: &Seen| {
            seen.says(PROGRAMMED, status, begins)
                && seen.says(AGGREGATED, wanted.aggregated, "")
                && seen.clusters() == wanted.clusters
                && seen.behind(API.1) == wanted.api
                && seen.behind(WWW.1) == wanted.www
        };
        let otherwise = |seen: &Seen| {
            format!("{PROGRAMMED} should be {status} on the hub, and this stands there: {}", seen.shown())
        };
        let seen = until(async || self.look().await, stands, otherwise).await?;
        stage.takes(began);
        stage.says(&format!("{text}\n\n{}", seen.shown()))
    }
}
