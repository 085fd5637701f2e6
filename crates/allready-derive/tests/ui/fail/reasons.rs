//! Reasons of marks that are no reasons.

use allready::{Conditions, Time, prelude::*, set::At};

#[derive(Clone, Copy, ConditionSet)]
enum Pool {
    AddressesValid,
}

fn main() {
    let mut conditions = Conditions::<Pool>::default();
    let mut pass = conditions.pass(At::new(1u32, Time::EPOCH));
    pass.mark_addresses_valid("AllValid", "");
    pass.mark_ready(reason!("Please"), "");
}
