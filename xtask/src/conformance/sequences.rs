//! Runs random sequences on both servers, many at a time, and shrinks what differs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use futures::StreamExt as _;
use jiff::Timestamp;

use super::compare::{Difference, compare};
use super::generate::{Kinds, admission, sequence};
use super::known::{self, Known};
use super::mask::mask;
use super::run::Runner;
use super::script::Script;
use super::shrink::shrink;
use super::webhook::Webhook;
use super::{fixtures, known_differences, print_differences};
use crate::client::Client;
use crate::printer;

/// A short sequence waits for answers most of its time: this many keep two cores busy.
const IN_FLIGHT: usize = 16;

/// How often a sequence that differs is run again, to see whether the real server answers one way or another. Where it tosses
/// a coin, one sequence in two thousand of those shows the same side each time.
const AGAIN: usize = 12;

/// After so many different sequences the rest would say the same.
const ENOUGH: usize = 12;

/// Which sequences to run.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The seed.
    pub seed: u64,
    /// The first index.
    pub from: u64,
    /// How many.
    pub count: usize,
    /// The kinds that they are about.
    pub kinds: Kinds,
}

/// Runs sequences; returns whether none differs. Shrunk ones are saved in `saved`.
pub async fn run(range: Range, run: &str, embedded: &Client, real: &Client, saved: &Path) -> Result<bool> {
    printer::line(format!("{} sequences of seed {} from {}", range.count, range.seed, range.from));
    let place = sequence(range.seed, range.from, range.kinds);
    let fixtures = fixtures()?;
    let admission = admission(range.kinds)?;
    let webhook = match &admission {
        Some(script) => Webhook::of(script).await?,
        None => None,
    };
    let host = |client| Runner::new(client, &place.name, run).with_webhook(webhook.as_ref());
    let mut hosts = [host(embedded), host(real)];
    for host in &mut hosts {
        host.prepare(&place, &fixtures).await?;
        if let Some(admission) = &admission {
            host.stage(admission).await?;
        }
    }
    let start = Instant::now();
    let (done, steps) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut found = futures::stream::iter(range.from..range.from + range.count as u64)
        .map(|index| {
            let (done, steps) = (&done, &steps);
            async move {
                let script = sequence(range.seed, index, range.kinds);
                let outcome = differences(&script, run, &format!("q{index}"), embedded, real).await;
                steps.fetch_add(script.steps.len(), Ordering::Relaxed);
                let so_far = done.fetch_add(1, Ordering::Relaxed) + 1;
                if so_far.is_multiple_of(1000) {
                    printer::note(format!("{so_far} sequences in {:.0} s", start.elapsed().as_secs_f64()));
                }
                (script, outcome)
            }
        })
        .buffer_unordered(IN_FLIGHT)
        .filter_map(|(script, outcome)| async move {
            match outcome {
                Ok(differences) if differences.is_empty() => None,
                outcome => Some((script, outcome)),
            }
        })
        .boxed_local();
    let mut different = Vec::new();
    let mut fickle = 0;
    while let Some((script, outcome)) = found.next().await {
        let differences = outcome?;
        if is_fickle(&script, &differences, run, real).await? {
            fickle += 1;
            continue;
        }
        different.push((script, differences));
        if different.len() >= ENOUGH {
            break;
        }
    }
    drop(found);
    let (mut differ, mut once) = (0, 0);
    for (number, (script, differences)) in different.iter().enumerate() {
        let lasts = Box::pin(report(number, script, differences, run, embedded, real, saved)).await?;
        *(if lasts { &mut differ } else { &mut once }) += 1;
    }
    printer::line(format!(
        "{} sequences, {} requests to each server in {:.1} s: {differ} differ, {once} differed once and not again, {fickle} \
         where the real server answers one way or another",
        done.load(Ordering::Relaxed),
        steps.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64(),
    ));
    for host in &mut hosts {
        host.clean().await;
    }
    Ok(differ == 0)
}

/// Shows a difference, shrunk; says whether it is found again at all. What is not was a matter of luck: the clocks of the
/// servers ticked between two of the requests on one of them, or the real one went through a map in another order.
async fn report(
    number: usize,
    script: &Script,
    first: &[Difference],
    run: &str,
    embedded: &Client,
    real: &Client,
    saved: &Path,
) -> Result<bool> {
    let attempt = AtomicUsize::new(0);
    let again = |candidate: Script| {
        let name = format!("s{number}-{}", attempt.fetch_add(1, Ordering::Relaxed));
        async move { differences(&candidate, run, &name, embedded, real).await }
    };
    let mut lasts = false;
    for _ in 0..AGAIN {
        lasts = lasts || !again(script.clone()).await?.is_empty();
    }
    if !lasts {
        printer::line(format!("{}: differed once and not again", script.topic));
        print_differences(first, run);
        return Ok(false);
    }
    let shrunk = Box::pin(shrink(script, |candidate| {
        let outcome = again(candidate);
        async move { outcome.await.is_ok_and(|differences| !differences.is_empty()) }
    }))
    .await;
    printer::line(format!("{}, shrunk to {} steps:", script.topic, shrunk.steps.len()));
    print_differences(&again(shrunk.clone()).await?, run);
    let mut text = shrunk.render()?;
    printer::line(text.trim_end());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    std::fs::create_dir_all(saved)?;
    let file = saved.join(format!("{}.yaml", script.topic.to_lowercase().replace(' ', "-")));
    std::fs::write(&file, text)?;
    printer::line(format!("saved; run it again with: cargo xtask conformance --scripts {}", file.display()));
    Ok(true)
}

/// Whether the real server differs from itself wherever it was found to differ: where it goes through a map in no order of
/// its own and stops at the first mistake.
async fn is_fickle(script: &Script, found: &[Difference], run: &str, real: &Client) -> Result<bool> {
    let mut answers = Vec::new();
    for _ in 0..AGAIN {
        let transcript = Runner::new(real, &script.name, run).sequence(script, "again").await?;
        answers.push(mask(&transcript, Timestamp::now()));
    }
    let mut varying = HashSet::new();
    if let Some((first, others)) = answers.split_first() {
        for other in others {
            let places = compare(script, first, other).into_iter();
            varying.extend(places.map(|difference| (difference.step, difference.at)));
        }
    }
    Ok(found.iter().all(|difference| varying.contains(&(difference.step.clone(), difference.at.clone()))))
}

/// Differences that are not known.
async fn differences(
    script: &Script,
    run: &str,
    name: &str,
    embedded: &Client,
    real: &Client,
) -> Result<Vec<Difference>> {
    static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| known_differences().unwrap_or_default());
    let (ours, theirs) = tokio::join!(
        Runner::new(embedded, &script.name, run).sequence(script, name),
        Runner::new(real, &script.name, run).sequence(script, name),
    );
    let now = Timestamp::now();
    let found = compare(script, &mask(&ours?, now), &mask(&theirs?, now));
    let plural = script.topic.rsplit_once(" about ").map_or("nests", |(_, plural)| plural);
    Ok(known::of_sequence(&KNOWN, plural, &found))
}
