//! The fuzz targets as functions: `cargo test` runs them on inputs near the seeds, cargo-fuzz on whatever libFuzzer finds.
#![forbid(unsafe_code)]
#![expect(clippy::missing_panics_doc, reason = "a panic is the way to tell that an input was not handled")]

pub mod admission;
pub mod found;
pub mod json;
pub mod kubeconfig;
pub mod request;
pub mod watch;
