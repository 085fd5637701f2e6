//! The hub on a pretended clock, with a pretended store and pretended clusters.

mod contest;
mod departures;
mod edits;
mod faults;
mod forged;
mod placement;
mod reachable;
mod samples;
mod simulation;
mod store;
mod tenants;
mod truth;
mod world;
