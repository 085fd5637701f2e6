//! The controllers of allready.
//!
//! Each is a pure index that is fed what a watch sees, an answer that is computed from it, and a thin shell that watches
//! and writes. An index never holds a client; a writer never decides.
//!
//! | controller | makes |
//! |---|---|
//! | [`config`] | one `ConfigurationStatus` from the reports of many |
#![deny(missing_docs)]

pub mod config;
pub mod hub;
pub mod pace;
pub mod polarity;
mod watching;
mod words;
