//! How long an event takes to reach everyone who watches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use http_body_util::BodyExt as _;
use tokio::sync::mpsc;

use super::load::Load;
use crate::client::Call;

/// Opens so many watches and writes so often; the median and the 99th percentile from before the write to the receipt.
pub(super) async fn latency(load: &Load, watchers: usize, writes: usize) -> Result<(Duration, Duration)> {
    let (sender, mut received) = mpsc::unbounded_channel::<(String, Instant)>();
    let mut tasks = Vec::new();
    let path: Arc<str> = format!("{}?watch=1", load.collection).into();
    for _ in 0..watchers {
        let call = Call { path: path.to_string(), ..Call::default() };
        let response = load.client.stream(&call).await.context("a watch did not open")?;
        if !response.status().is_success() {
            bail!("a watch did not open: {}", response.status());
        }
        let (mut body, sender) = (response.into_body(), sender.clone());
        tasks.push(tokio::spawn(async move {
            let mut rest = Vec::new();
            while let Some(Ok(frame)) = body.frame().await {
                let Ok(data) = frame.into_data() else { continue };
                rest.extend_from_slice(&data);
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    let now = Instant::now();
                    let line: Vec<u8> = rest.drain(..=end).collect();
                    if let Some(mark) = mark(&line) {
                        // Nobody listens any more once the last write was measured.
                        let _ = sender.send((mark, now));
                    }
                }
            }
        }));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    while received.try_recv().is_ok() {}
    let mut taken = Vec::with_capacity(watchers * writes);
    for _ in 0..writes {
        let start = Instant::now();
        let wanted = load.apply_marked(0).await?;
        let mut missing = watchers;
        while missing > 0 {
            let event = tokio::time::timeout(Duration::from_secs(20), received.recv()).await;
            let (mark, at) =
                event.context("an event did not come within 20 s")?.context("every watch ended")?;
            if mark == wanted {
                taken.push(at.saturating_duration_since(start));
                missing -= 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for task in tasks {
        task.abort();
    }
    taken.sort_unstable();
    let at = |percent: usize| {
        taken.get((taken.len() * percent / 100).min(taken.len() - 1)).copied().unwrap_or_default()
    };
    Ok((at(50), at(99)))
}

/// The mark of the write that an event tells of.
fn mark(line: &[u8]) -> Option<String> {
    let start = line.windows(5).position(|window| window == b"\"Mark")? + 1;
    let length = line.get(start..)?.iter().position(|byte| *byte == b'"')?;
    String::from_utf8(line.get(start..start + length)?.to_vec()).ok()
}
