//! The modules of the crate use each other as ARCHITECTURE.md says, and no two of them each other.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod graph;

const MODULES: &str = "## Rooms of the inspector";

#[test]
fn every_module_uses_what_the_table_of_the_architecture_says() {
    graph::holds(MODULES);
}

#[test]
fn no_module_uses_itself_by_way_of_others() {
    graph::is_acyclic(MODULES);
}
