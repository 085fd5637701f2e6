//! What a pass does not do.

use allready::{ConditionSet, Time, reason, set::At};

#[derive(Clone, Copy, ConditionSet)]
enum Conditions {
    Synced,
}

fn main() {
    let mut conditions = vec![];
    let mut pass = Conditions::pass(&mut conditions, At::new(1u32, Time::EPOCH));
    pass.mark_ready(reason!("Please"), "the top condition is computed");
    pass.mark_true(Conditions::Synched, reason!("Applied"), "misspelt");
}
