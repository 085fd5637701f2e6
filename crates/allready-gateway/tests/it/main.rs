//! Tests of the engine, on small manifests.
mod conformance;
mod conformance_extended;
mod history;
mod rules;
mod world;
