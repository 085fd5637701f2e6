//! How long an event takes to reach everyone who watches.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::load::Load;
use super::wire::Wire;

/// Opens so many watches with a query and writes so often; the median and the 99th percentile from before the write to the receipt.
pub(super) async fn latency(
    load: &Load,
    query: &str,
    watchers: usize,
    writes: usize,
) -> Result<(Duration, Duration)> {
    let (sender, mut received) = mpsc::unbounded_channel();
    // From now on: nobody is sent what is there already.
    let list = load.client.get(&format!("{}?limit=1", load.collection)).await?;
    let list: serde_json::Value = serde_json::from_slice(&list.body)?;
    let version = list["metadata"]["resourceVersion"].as_str().context("a list without a version")?;
    let request = request(load, query, version);
    let mut tasks = Vec::new();
    for _ in 0..watchers {
        let mut stream = load.client.raw().await.context("a watch did not open")?;
        stream.write_all(request.as_bytes()).await?;
        tasks.push(tokio::spawn(follow(stream, sender.clone())));
    }
    let mut open = 0;
    while open < watchers {
        match next(&mut received).await? {
            (Seen::Head(true), _) => open += 1,
            (Seen::Head(false), _) => bail!("a watch did not open"),
            (Seen::Mark(_), _) => {}
        }
    }
    let mut taken = Vec::with_capacity(watchers * writes);
    let mut wire = Wire::connect(&load.client)?;
    for _ in 0..writes {
        let (load, start) = (load.clone(), Instant::now());
        let writing = tokio::task::spawn_blocking(move || {
            let wanted = load.apply(&mut wire, 0)?;
            anyhow::Ok((wire, wanted))
        });
        let mut events: Vec<(u64, Instant)> = Vec::with_capacity(watchers);
        while events.len() < watchers {
            if let (Seen::Mark(mark), at) = next(&mut received).await? {
                events.push((mark, at));
            }
        }
        let (again, wanted) = writing.await??;
        wire = again;
        if events.iter().any(|(mark, _)| format!("Mark{mark}x") != wanted) {
            bail!("a watch was sent another event than {wanted}");
        }
        taken.extend(events.into_iter().map(|(_, at)| at.saturating_duration_since(start)));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for task in tasks {
        task.abort();
    }
    taken.sort_unstable();
    let at = |percent: usize| taken.get(taken.len() * percent / 100).copied().unwrap_or_default();
    Ok((at(50), at(99)))
}

enum Seen {
    /// A watch is open, or was refused.
    Head(bool),
    /// The write that an event tells of.
    Mark(u64),
}

async fn next(received: &mut mpsc::UnboundedReceiver<(Seen, Instant)>) -> Result<(Seen, Instant)> {
    let event = tokio::time::timeout(Duration::from_secs(20), received.recv()).await;
    event.context("an event did not come within 20 s")?.context("every watch ended")
}

fn request(load: &Load, query: &str, version: &str) -> String {
    let endpoint = load.client.endpoint();
    format!(
        "GET {}?watch=1{query}&resourceVersion={version} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        load.collection, endpoint.address, endpoint.token
    )
}

/// Reads a watch and tells of every event as soon as its last byte is there. Chunks are not taken apart: an event is what
/// stands before a line feed.
async fn follow(mut stream: impl AsyncRead + Unpin, sender: mpsc::UnboundedSender<(Seen, Instant)>) {
    let mut buffer = vec![0; 8 * 1024];
    let (mut length, mut opened) = (0, false);
    while let Ok(read) = stream.read(buffer.get_mut(length..).unwrap_or_default()).await {
        if read == 0 {
            return;
        }
        let now = Instant::now();
        length += read;
        let mut done = 0;
        let text = buffer.get(..length).unwrap_or_default();
        if !opened {
            let Some(end) = find(text, b"\r\n\r\n") else { continue };
            (opened, done) = (true, end + 4);
            // Nobody listens any more once the last write was measured.
            let _ = sender.send((Seen::Head(text.starts_with(b"HTTP/1.1 200")), now));
        }
        while let Some(end) = find(text.get(done..).unwrap_or_default(), b"}\n") {
            let line = text.get(done..done + end).unwrap_or_default();
            if let Some(mark) = mark(line) {
                let _ = sender.send((Seen::Mark(mark), now));
            }
            done += end + 2;
        }
        buffer.copy_within(done..length, 0);
        length -= done;
        if length == buffer.len() {
            buffer.resize(length * 2, 0);
        }
    }
}

fn find<const N: usize>(text: &[u8], wanted: &[u8; N]) -> Option<usize> {
    text.windows(N).position(|window| window == wanted)
}

/// The number of the write that an event tells of.
fn mark(line: &[u8]) -> Option<u64> {
    let rest = line.get(find(line, b"\"Mark")? + 5..)?;
    let digits = rest.get(..rest.iter().position(|byte| *byte == b'x')?)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_the_number_of_its_write() {
        assert_eq!(mark(br#"{"status":{"conditions":[{"reason":"Mark12x","status":"True"}]}"#), Some(12));
        assert_eq!(mark(br#"{"reason":"Synced"}"#), None);
    }
}
