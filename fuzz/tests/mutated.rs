//! The fuzz targets on inputs near the seeds: no fuzzer, so that any machine tries them, in seconds.
//!
//! The inputs are always the same, so that a failure is of the change and not of luck. `just fuzz` looks for others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use allready_fuzz::{admission, found, json, kubeconfig, request, watch};
use fastrand::Rng;

/// Values that programs stumble over; the words of the seeds take their place as well.
const WORDS: [&[u8]; 16] = [
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"[]",
    b"{}",
    b"\"\"",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"\"\xff\"",
    b"\"0000-00-00T00:00:00Z\"",
    b"\"Ready\"",
    b"..",
    b"%2e",
];

#[test]
fn any_json_near_the_seeds_is_read_and_made_legal() {
    play("found", 20_000, found::run);
}

#[test]
fn json_near_the_seeds_means_one_thing_or_is_refused() {
    play("json", 20_000, json::run);
}

#[test]
fn no_kubeconfig_near_the_seeds_runs_a_program_or_reads_a_file() {
    play("kubeconfig", 4_000, kubeconfig::run);
}

#[test]
fn any_policy_near_the_seeds_is_asked() {
    play("admission", 1_500, admission::run);
}

#[test]
fn any_request_near_the_seeds_gets_an_answer() {
    request::init();
    play("request", 4_000, request::run);
}

#[test]
fn any_lines_of_a_watch_near_the_seeds_are_events_failures_or_not_complete() {
    play("watch", 20_000, watch::run);
}

/// Runs a target on its seeds as they are, and on so many inputs that are made from them.
fn play(target: &str, inputs: u64, run: fn(&[u8])) {
    let seeds = seeds(target);
    let words: Vec<&[u8]> =
        seeds.iter().flat_map(|seed| tokens(seed)).filter(|token| is_word(token)).chain(WORDS).collect();
    let made = (0..inputs).map(|number| {
        let mut random = Rng::with_seed(number);
        let mut input = seeds[random.usize(..seeds.len())].clone();
        for _ in 0..random.usize(1..8) {
            input = mutated(&input, &words, &mut random);
        }
        input
    });
    for input in seeds.iter().cloned().chain(made) {
        let handled = catch_unwind(AssertUnwindSafe(|| run(&input)));
        assert!(handled.is_ok(), "{target} cannot handle this input:\n{}", input.escape_ascii());
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let mut files: Vec<_> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no seeds in {}", directory.display());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Changes an input in one place. Most changes put a word in the place of another, which leaves JSON what it is.
fn mutated(input: &[u8], words: &[&[u8]], random: &mut Rng) -> Vec<u8> {
    let mut tokens = tokens(input);
    if tokens.is_empty() {
        return words[random.usize(..words.len())].to_vec();
    }
    let (at, other) = (random.usize(..tokens.len()), random.usize(..tokens.len()));
    match random.u8(..16) {
        0 => drop(tokens.drain(at.min(other)..at.max(other))),
        1 => tokens.insert(other, tokens[at]),
        2 => tokens.swap(at, other),
        3 => tokens.truncate(at),
        4 => {
            let mut bytes = input.to_vec();
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
            return bytes;
        }
        _ => {
            if let Some(word) = tokens[at..].iter_mut().find(|token| is_word(token)) {
                *word = words[random.usize(..words.len())];
            }
        }
    }
    tokens.concat()
}

/// The bytes in pieces: whole strings, runs of letters and digits, and every other byte alone.
fn tokens(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    while let Some(&first) = bytes.first() {
        let run = match first {
            b'"' => string(bytes),
            _ => {
                bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)).count()
            }
        };
        let (token, rest) = bytes.split_at(run.max(1));
        tokens.push(token);
        bytes = rest;
    }
    tokens
}

/// The length of the string that the bytes begin with, quotes included; zero when it has no end.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    0
}

fn is_word(token: &[u8]) -> bool {
    token.len() > 1 || token[0].is_ascii_alphanumeric()
}
