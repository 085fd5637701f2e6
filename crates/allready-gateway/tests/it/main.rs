//! Tests of the engine, on small manifests.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod conformance_extended;
mod conformance_listener_sets;
mod conformance_mixed;
mod history;
mod rules;
mod served;
mod world;
mod writes;
