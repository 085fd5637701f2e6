//! What happens in the clusters, and how the hub follows.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures::future::try_join_all;

use super::fleet::{Change, Fleet};
use super::said::ADDRESSES_SHOWN;
use super::stage::Stage;

/// How long after a burst it is waited for writes that were not needed.
const AFTERWARDS: Duration = Duration::from_millis(800);
const MIXED: [Change; 5] = [Change::Bad, Change::Words, Change::Routes, Change::Good, Change::Address];

/// The times from when a cluster had accepted a change until the hub showed it, one change at a time.
pub(super) async fn one_at_a_time(fleet: &mut Fleet, stage: &Stage, changes: usize) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for round in 0..changes {
        // The next Gateway each time, so that none of them has reached the bounds of its pace.
        let gateway = round % fleet.gateways();
        let cluster = mix(fleet, gateway, round / fleet.gateways());
        times.push(follow(fleet, stage, gateway, cluster).await?);
    }
    Ok(times)
}

/// The same where every Gateway changes at once, each in another cluster.
pub(super) async fn all_at_once(fleet: &mut Fleet, stage: &Stage, rounds: usize) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for round in 0..rounds {
        let changed: Vec<_> =
            (0..fleet.gateways()).map(|gateway| (gateway, mix(fleet, gateway, round + gateway))).collect();
        let fleet = &*fleet;
        let followed = changed.into_iter().map(|(gateway, cluster)| follow(fleet, stage, gateway, cluster));
        times.extend(try_join_all(followed).await?);
        tokio::time::sleep(AFTERWARDS).await;
    }
    Ok(times)
}

async fn follow(fleet: &Fleet, stage: &Stage, gateway: usize, cluster: usize) -> Result<Duration> {
    let accepted = fleet.write(gateway, cluster).await?;
    let seen = stage.until_right(fleet, gateway).await?;
    Ok(seen.at.saturating_duration_since(accepted))
}

/// Makes one change of a mix of them to a Gateway; says in which cluster.
fn mix(fleet: &mut Fleet, gateway: usize, round: usize) -> usize {
    let change = MIXED[round % MIXED.len()];
    let from = round * 37 + gateway * 11;
    // Only the first clusters have rows in the object.
    let shown = from % fleet.clusters().min(ADDRESSES_SHOWN);
    let (cluster, change) = match change {
        Change::Routes | Change::Address => (Some(shown), change),
        Change::Bad => (fleet.find(gateway, true, from), change),
        Change::Words | Change::Good => match fleet.find(gateway, false, from) {
            Some(cluster) => (Some(cluster), change),
            None => (fleet.find(gateway, true, from), Change::Bad),
        },
    };
    let (cluster, change) = cluster.map_or((shown, Change::Routes), |cluster| (cluster, change));
    fleet.change(gateway, cluster, change);
    cluster
}

/// Everything recovers, and the hub shows it.
pub(super) async fn recover(fleet: &mut Fleet, stage: &Stage) -> Result<()> {
    for gateway in 0..fleet.gateways() {
        while let Some(cluster) = fleet.find(gateway, false, 0) {
            fleet.change(gateway, cluster, Change::Good);
            fleet.write(gateway, cluster).await?;
        }
    }
    stage.until_all_right(fleet).await?;
    tokio::time::sleep(AFTERWARDS).await;
    Ok(())
}

/// All clusters change the same Gateway at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    /// From the first request until the last was accepted.
    pub(super) within: Duration,
    /// How often the hub object was written.
    pub(super) writes: usize,
    /// From when the last was accepted until the hub was right.
    pub(super) right_after: Duration,
}

/// Bursts of one kind of change, each upon another Gateway.
pub(super) async fn bursts(
    fleet: &mut Fleet,
    stage: &Stage,
    change: Change,
    rounds: usize,
) -> Result<Vec<Burst>> {
    let mut bursts = Vec::new();
    for gateway in 0..rounds.min(fleet.gateways()) {
        for cluster in 0..fleet.clusters() {
            fleet.change(gateway, cluster, change);
        }
        let (before, start) = (stage.writes(gateway), Instant::now());
        let accepted = fleet.write_all_of(gateway).await?;
        let last = accepted.into_iter().max().unwrap_or(start);
        let seen = stage.until_right(fleet, gateway).await?;
        tokio::time::sleep(AFTERWARDS).await;
        bursts.push(Burst {
            within: last - start,
            writes: stage.writes(gateway) - before,
            right_after: seen.at.saturating_duration_since(last),
        });
    }
    Ok(bursts)
}

/// Everything changes as fast as it can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storm {
    /// How long the changes took.
    pub(super) within: Duration,
    /// How often the objects of the hub were written.
    pub(super) writes: usize,
    /// From when the last was accepted until all of the hub was right.
    pub(super) right_after: Duration,
    /// The same for the reports on instances.
    pub(super) reported_after: Duration,
}

/// Every object in every cluster changes: most have other routes, every tenth fails or recovers.
pub(super) async fn storm(fleet: &mut Fleet, stage: &Stage) -> Result<Storm> {
    for gateway in 0..fleet.gateways() {
        for cluster in 0..fleet.clusters() {
            let change = match (gateway + cluster) % 10 {
                0 => Change::Bad,
                1 if fleet.find(gateway, false, cluster) == Some(cluster) => Change::Good,
                _ => Change::Routes,
            };
            fleet.change(gateway, cluster, change);
        }
    }
    let (before, start) = (stage.all_writes(), Instant::now());
    let last = fleet.write_all().await?.context("there are no clusters")?;
    let seen = stage.until_all_right(fleet).await?.context("there are no Gateways")?;
    stage.until_reported(fleet).await?;
    let reported_after = last.elapsed();
    tokio::time::sleep(AFTERWARDS).await;
    stage.is_right(fleet).await?;
    Ok(Storm {
        within: last - start,
        writes: stage.all_writes() - before,
        right_after: seen.saturating_duration_since(last),
        reported_after,
    })
}
