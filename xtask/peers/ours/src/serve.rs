//! The program that answers and measures, as the Go programs do.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::wire::{Answer, Case};

/// A request to a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Question {
    pub peer: String,
    pub case: Case,
    /// For how long calls are measured; the answer of one call is wanted if it is zero.
    #[serde(default)]
    pub milliseconds: u64,
    /// Set if only the versions of the program's modules are wanted.
    #[serde(default)]
    pub versions: bool,
}

/// The cost of calls.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    pub calls: u64,
    /// In nanoseconds, as is the time of the processor.
    pub wall: u64,
    pub processor: u64,
    pub allocations: u64,
    pub bytes: u64,
}

/// Answers questions until there are no more; `allocated` tells the number of allocations so far, and their bytes.
pub fn serve(
    questions: impl BufRead,
    answers: &mut impl Write,
    allocated: impl Fn() -> (u64, u64),
) -> std::io::Result<()> {
    for line in questions.lines() {
        let question: Question = serde_json::from_str(&line?)?;
        if question.milliseconds == 0 {
            serde_json::to_writer(&mut *answers, &crate::answer(&question.peer, &question.case))?;
        } else {
            let at_least = Duration::from_millis(question.milliseconds);
            match measure(&question, at_least, &allocated) {
                Ok(measured) => serde_json::to_writer(&mut *answers, &measured)?,
                Err(error) => {
                    serde_json::to_writer(&mut *answers, &Answer { error, ..Answer::default() })?;
                }
            }
        }
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
    Ok(())
}

fn measure(
    question: &Question,
    at_least: Duration,
    allocated: &impl Fn() -> (u64, u64),
) -> Result<Measured, String> {
    let mut subject = crate::subject(&question.peer, &question.case)?;
    subject.call();
    let (allocations, bytes) = allocated();
    let (start, processor) = (Instant::now(), processor_time());
    let (mut calls, mut batch) = (0, 1);
    while start.elapsed() < at_least {
        for _ in 0..batch {
            subject.call();
        }
        calls += batch;
        if start.elapsed() < at_least / 64 {
            batch *= 2;
        }
    }
    let wall = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let processor = match (processor, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => wall,
    };
    let after = allocated();
    let (allocations, bytes) = (after.0 - allocations, after.1 - bytes);
    Ok(Measured { calls, wall, processor, allocations, bytes })
}

/// The time in nanoseconds that the only thread of this program had a processor, as Linux tells it.
fn processor_time() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}
