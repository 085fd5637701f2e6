//! What a server is measured under: objects of one kind, and applies to their status.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::wire::Wire;
use crate::client::Client;
use crate::conformance::run::Runner;
use crate::conformance::script::Script;

/// The size of an object as the server sends it.
const OBJECT: usize = 1_700;

/// Objects of one kind on one server. Clones are the same objects.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) client: Client,
    pub(super) collection: Arc<str>,
    group: Arc<str>,
    payload: usize,
    objects: usize,
    writes: Arc<AtomicUsize>,
}

impl Load {
    /// Defines the kind and finds out how much payload makes an object weigh what it should.
    pub(super) async fn prepare(client: Client, fixtures: &BTreeMap<String, Value>) -> Result<Self> {
        let script = Script { crds: vec!["reports".to_owned()], ..Script::default() };
        let run = format!("{:06x}", jiff::Timestamp::now().as_second() & 0xff_ffff);
        Runner::new(&client, "bench", &run).prepare(&script, fixtures).await?;
        let group = format!("bench.{run}.example.com").into();
        let collection = format!("/apis/bench.{run}.example.com/v1/namespaces/bench-{run}/reports").into();
        let writes = Arc::default();
        let mut load = Self { client, collection, group, payload: 0, objects: 0, writes };
        load.fill(1).await?;
        let empty = load.client.get(&format!("{}/o0", load.collection)).await?.body.len();
        load.payload = OBJECT.saturating_sub(empty);
        load.objects = 0;
        load.with_clients(1, |load, _, wire| {
            wire.send("DELETE", &format!("{}/o0", load.collection), "application/json", "")
        })
        .await?;
        Ok(load)
    }

    /// Creates objects until there are so many, each with a status.
    pub(super) async fn fill(&mut self, population: usize) -> Result<()> {
        let present = self.objects;
        self.with_clients(8, move |load, client, wire| {
            for object in (present..population).filter(|object| object % 8 == client) {
                load.create(wire, object)?;
                load.apply(wire, object)?;
            }
            Ok(())
        })
        .await?;
        self.objects = present.max(population);
        Ok(())
    }

    /// The median time of an apply, one after the other.
    pub(super) async fn apply_cost(&self, times: usize) -> Result<Duration> {
        let taken = self.with_clients(1, move |load, _, wire| {
            let mut taken = Vec::with_capacity(times);
            for turn in 0..times {
                let start = Instant::now();
                load.apply(wire, (turn * 7919) % load.objects)?;
                taken.push(start.elapsed());
            }
            Ok(taken)
        });
        let mut taken = taken.await?.concat();
        taken.sort_unstable();
        Ok(taken.get(times / 2).copied().unwrap_or_default())
    }

    /// How many applies so many clients get done in a time, each with an object of its own.
    pub(super) async fn applies_within(&self, clients: usize, time: Duration) -> Result<usize> {
        let start = Instant::now();
        let counts = self.with_clients(clients, move |load, client, wire| {
            let mut count = 0_usize;
            while start.elapsed() < time {
                load.apply(wire, client % load.objects)?;
                count += 1;
            }
            Ok(count)
        });
        Ok(counts.await?.into_iter().sum())
    }

    /// Lets so many clients work at once, each on a thread and a connection of its own.
    async fn with_clients<T: Send + 'static>(
        &self,
        clients: usize,
        work: impl Fn(&Self, usize, &mut Wire) -> Result<T> + Send + Sync + 'static,
    ) -> Result<Vec<T>> {
        let work = Arc::new(work);
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                let (load, work) = (self.clone(), Arc::clone(&work));
                tokio::task::spawn_blocking(move || {
                    let mut wire = Wire::connect(&load.client)?;
                    work(&load, client, &mut wire)
                })
            })
            .collect();
        let mut done = Vec::with_capacity(clients);
        for task in tasks {
            done.push(task.await.context("a client panicked")??);
        }
        Ok(done)
    }

    /// Applies a status that was never there before; returns what its reason is.
    pub(super) fn apply(&self, wire: &mut Wire, object: usize) -> Result<String> {
        let write = self.writes.fetch_add(1, Ordering::Relaxed);
        let reason = format!("Mark{write}x");
        let status = if write.is_multiple_of(2) { "True" } else { "False" };
        let body = format!(
            concat!(
                r#"{{"apiVersion":"{group}/v1","kind":"Report","metadata":{{"name":"o{object}"}},"status":{{"conditions":["#,
                r#"{{"type":"Ready","status":"{status}","reason":"{reason}","message":"as it should be","#,
                r#""observedGeneration":1,"lastTransitionTime":"2024-01-01T00:00:00Z"}},"#,
                r#"{{"type":"Synced","status":"True","reason":"Synced","message":"","lastTransitionTime":"2024-01-01T00:00:00Z"}}"#,
                "]}}}}"
            ),
            group = self.group,
            object = object,
            status = status,
            reason = reason,
        );
        let path = format!("{}/o{object}/status?fieldManager=bench&force=true", self.collection);
        wire.send("PATCH", &path, "application/apply-patch+yaml", &body)?;
        Ok(reason)
    }

    fn create(&self, wire: &mut Wire, object: usize) -> Result<()> {
        let body = format!(
            r#"{{"apiVersion":"{}/v1","kind":"Report","metadata":{{"name":"o{object}","labels":{{"app":"bench"}}}},"spec":{{"payload":"{}"}}}}"#,
            self.group,
            "x".repeat(self.payload),
        );
        wire.send("POST", &self.collection, "application/json", &body)
    }
}
