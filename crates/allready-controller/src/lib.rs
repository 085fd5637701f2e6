//! The controllers of allready.
//!
//! Each is a pure index that is fed what a watch sees, an answer that is computed from it, and a thin shell that watches
//! and writes. An index never holds a client; a writer never decides.
#![deny(missing_docs)]

pub mod config;
