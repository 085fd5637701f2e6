//! What a server is measured under: objects of one kind, and applies to their status.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use futures::stream::{StreamExt as _, TryStreamExt as _};
use http::Method;
use serde_json::{Value, json};

use crate::client::{Call, Client};
use crate::conformance::run::Runner;
use crate::conformance::script::Script;

/// The size of an object as the server sends it.
const OBJECT: usize = 1_700;

pub(super) struct Load {
    pub(super) client: Client,
    pub(super) collection: String,
    group: String,
    payload: usize,
    objects: usize,
    writes: AtomicUsize,
}

impl Load {
    /// Defines the kind and finds out how much payload makes an object weigh what it should.
    pub(super) async fn prepare(client: Client, fixtures: &BTreeMap<String, Value>) -> Result<Self> {
        let script = Script { crds: vec!["reports".to_owned()], ..Script::default() };
        let run = format!("{:06x}", jiff::Timestamp::now().as_second() & 0xff_ffff);
        Runner::new(&client, "bench", &run).prepare(&script, fixtures).await?;
        let group = format!("bench.{run}.example.com");
        let collection = format!("/apis/{group}/v1/namespaces/bench-{run}/reports");
        let mut load =
            Self { client, collection, group, payload: 0, objects: 0, writes: AtomicUsize::new(0) };
        load.create(0).await?;
        load.apply(0).await?;
        let empty = load.client.get(&format!("{}/o0", load.collection)).await?.body.len();
        load.payload = OBJECT.saturating_sub(empty);
        load.send(Method::DELETE, "/o0", "", String::new()).await?;
        Ok(load)
    }

    /// Creates objects until there are so many, each with a status.
    pub(super) async fn fill(&mut self, population: usize) -> Result<()> {
        let load = &*self;
        futures::stream::iter(self.objects..population)
            .map(|index| async move {
                load.create(index).await?;
                load.apply(index).await
            })
            .buffer_unordered(8)
            .try_collect::<Vec<()>>()
            .await?;
        self.objects = self.objects.max(population);
        Ok(())
    }

    /// The median time of an apply, one after the other.
    pub(super) async fn apply_cost(&self, times: usize) -> Result<Duration> {
        let mut taken = Vec::with_capacity(times);
        for turn in 0..times {
            let start = Instant::now();
            self.apply((turn * 7919) % self.objects).await?;
            taken.push(start.elapsed());
        }
        taken.sort_unstable();
        Ok(taken.get(times / 2).copied().unwrap_or_default())
    }

    /// Applies a second from so many clients, each with objects of its own.
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    pub(super) async fn applies_per_second(&self, clients: usize, time: Duration) -> Result<f64> {
        let start = Instant::now();
        let counts = futures::future::try_join_all((0..clients).map(|client| async move {
            let mut count = 0_usize;
            while start.elapsed() < time {
                self.apply(client % self.objects).await?;
                count += 1;
            }
            anyhow::Ok(count)
        }))
        .await?;
        Ok(counts.into_iter().sum::<usize>() as f64 / start.elapsed().as_secs_f64())
    }

    /// Applies a status that was never there before; returns what its reason is.
    pub(super) async fn apply(&self, object: usize) -> Result<()> {
        self.apply_marked(object).await.map(drop)
    }

    pub(super) async fn apply_marked(&self, object: usize) -> Result<String> {
        let write = self.writes.fetch_add(1, Ordering::Relaxed);
        let reason = format!("Mark{write}x");
        let body = json!({
            "apiVersion": format!("{}/v1", self.group),
            "kind": "Report",
            "metadata": { "name": format!("o{object}") },
            "status": { "conditions": [
                { "type": "Ready", "status": if write.is_multiple_of(2) { "True" } else { "False" }, "reason": reason,
                  "message": "as it should be", "observedGeneration": 1, "lastTransitionTime": "2024-01-01T00:00:00Z" },
                { "type": "Synced", "status": "True", "reason": "Synced", "message": "", "lastTransitionTime": "2024-01-01T00:00:00Z" },
            ] },
        });
        let path = format!("/o{object}/status?fieldManager=bench&force=true");
        self.send(Method::PATCH, &path, "application/apply-patch+yaml", body.to_string()).await?;
        Ok(reason)
    }

    async fn create(&self, object: usize) -> Result<()> {
        let body = json!({
            "apiVersion": format!("{}/v1", self.group),
            "kind": "Report",
            "metadata": { "name": format!("o{object}") },
            "spec": { "payload": "x".repeat(self.payload) },
        });
        self.send(Method::POST, "", "application/json", body.to_string()).await
    }

    async fn send(&self, method: Method, path: &str, media: &str, body: String) -> Result<()> {
        let call = Call {
            method,
            path: format!("{}{path}", self.collection),
            headers: vec![
                ("content-type".to_owned(), media.to_owned()),
                ("user-agent".to_owned(), "bench/v1".to_owned()),
            ],
            body: body.into(),
            token: None,
        };
        let answer = self.client.send(&call).await?;
        if !answer.status.is_success() {
            bail!(
                "{} {}: {} {}",
                call.method,
                call.path,
                answer.status,
                String::from_utf8_lossy(&answer.body)
            );
        }
        Ok(())
    }
}
