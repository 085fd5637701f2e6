//! The hub on a pretended clock, with a pretended store and pretended clusters.

mod faults;
mod placement;
mod samples;
mod simulation;
mod store;
mod truth;
mod world;
