//! What a program takes from its start to its end.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

/// How often a program is looked at while it runs. Its peak can only be missed where it is reached within the last of these.
const GLANCE: Duration = Duration::from_millis(2);
/// The unit of the times in `/proc`, on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// What a program took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) time: Duration,
    /// On all processors together.
    pub(crate) processor: Duration,
    /// The most memory that it held at once, in bytes.
    pub(crate) peak: u64,
}

/// Runs a program, with its output thrown away. An exit code of up to 2 is an answer.
pub(super) fn run(command: &mut Command) -> Result<Measured> {
    let start = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
    let (mut peak, mut processor) = (0, Duration::ZERO);
    let status = loop {
        peak = peak.max(peak_of(child.id()).unwrap_or(0));
        processor = processor.max(processor_of(child.id()).unwrap_or_default());
        // Until it is waited for, an ended program still tells what it took.
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(GLANCE);
    };
    let time = start.elapsed();
    ensure!(status.code().is_some_and(|code| code <= 2), "{command:?} failed: {status}");
    Ok(Measured { time, processor, peak })
}

/// Tells of a program that runs, this time after its start.
pub(crate) fn so_far(id: u32, time: Duration) -> Measured {
    Measured { time, processor: processor_of(id).unwrap_or_default(), peak: peak_of(id).unwrap_or(0) }
}

fn peak_of(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

fn processor_of(id: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program stands in brackets, and may have anything in it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(|field| field.parse::<u32>().ok());
    let ticks = fields.next()?? + fields.next()??;
    Some(TICK * ticks)
}
