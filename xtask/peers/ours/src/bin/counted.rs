//! Answers questions about our side of the comparison with the peers, and counts what is allocated.

use std::alloc::System;
use std::io::{stdin, stdout};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> std::io::Result<()> {
    allready_peers::serve::serve(stdin().lock(), &mut stdout(), || {
        let stats = ALLOCATOR.stats();
        // A buffer that grows is a new one, as it is in Go.
        let counted = stats.allocations + stats.reallocations;
        let bytes = stats.bytes_allocated;
        (counted as u64, bytes as u64)
    })
}
