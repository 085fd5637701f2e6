//! How much memory the index of a fleet takes, with four conditions for each member.
//!
//! `cargo bench -p allready-core --bench fleet_memory`. Apart from the times, because counting slows the allocator down.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]
#![expect(dead_code, reason = "the scenarios are shared with a benchmark that uses all of them")]

mod scenarios;

use std::alloc::System;

use scenarios::{LIMITED, Random, SCENARIOS, SIZES, Start};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const MAX_BYTES: usize = 64 << 20;

fn main() {
    println!("live bytes of the index alone, at most 64 MiB for {LIMITED} members\n");
    println!("{:<12} {:>8} {:>10} {:>10}", "scenario", "members", "memory", "a member");
    for (name, scenario) in SCENARIOS {
        for members in SIZES {
            let start = Start::new(scenario, members, &mut Random(0x5EED));
            let region = Region::new(ALLOCATOR);
            let fleet = start.build();
            let change = region.change();
            let bytes = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
            let verdict = match (members == LIMITED, bytes <= MAX_BYTES) {
                (false, _) => "",
                (true, true) => "  within limit",
                (true, false) => "  OVER LIMIT",
            };
            println!("{name:<12} {members:>8} {:>6} KiB {:>8} B{verdict}", bytes >> 10, bytes / members);
            drop(fleet);
        }
    }
}
