//! `allready_fuzz::request` under libFuzzer: `just fuzz`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: allready_fuzz::request::init(), |bytes: &[u8]| allready_fuzz::request::run(bytes));
