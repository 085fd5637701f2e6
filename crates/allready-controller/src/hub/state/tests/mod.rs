//! The hub on a pretended clock, with a pretended store and pretended clusters.

mod contest;
mod edits;
mod faults;
mod placement;
mod reachable;
mod samples;
mod simulation;
mod store;
mod truth;
mod world;
