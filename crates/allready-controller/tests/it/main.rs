//! The controllers on the embedded API server.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod cases;
mod config;
mod deposed;
mod faults;
mod hub;
