//! What must cost no allocation. A process of its own, because the count is global; one test, because tests run at once.

use std::alloc::System;

use allready_core::{Condition, ConditionSet, Status, Time, reason, set::At, transition};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocations<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let result = work();
    (result, region.change().allocations)
}

#[test]
fn a_pass_that_changes_nothing_allocates_nothing() {
    let set: ConditionSet = "Ready: A, B, C, D, E, F, G, !Degraded".parse().unwrap();
    let mut conditions: Vec<Condition> = Vec::new();
    let message = String::from("a text that was put together at run time");
    let mut pass = |broken: Status| {
        let mut pass = set.pass(&mut conditions, At::new(3u32, Time::EPOCH));
        for type_ in ["A", "B", "C", "D", "E", "F"] {
            pass.mark_true(type_, reason!("Accepted"), message.as_str()).unwrap();
        }
        pass.mark("G", broken, reason!("Checked"), message.as_str()).unwrap();
        pass.mark_false("Degraded", reason!("Healthy"), "").unwrap();
        pass.finish().changed
    };
    for status in [Status::True, Status::False] {
        assert!(pass(status), "the first pass with this status changes the list");
        assert_eq!(allocations(|| pass(status)), (false, 0), "with G {status}");
    }

    let before = conditions.clone();
    let (transitions, count) = allocations(|| transition::diff(&before, &conditions));
    assert_eq!((transitions, count), (vec![], 0), "nor does comparing two lists that say the same");
}
