//! A condition is a name, and names are copied.

use allready::ConditionSet;

#[derive(Debug, ConditionSet)]
enum Conditions {
    Synced,
}

fn main() {}
