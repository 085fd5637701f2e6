//! `allready_fuzz::json` under libFuzzer: `just fuzz`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| allready_fuzz::json::run(bytes));
