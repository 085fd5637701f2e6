//! Which declared conditions a pass has touched.

use std::collections::BTreeSet;

/// Which declared conditions, by index. The first 64 take no allocation.
#[derive(Debug, Default)]
pub(super) struct Touched {
    first: u64,
    rest: BTreeSet<usize>,
}

impl Touched {
    pub(super) fn add(&mut self, index: usize) {
        if index < 64 {
            self.first |= 1 << index;
        } else {
            self.rest.insert(index);
        }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        if index < 64 { self.first & (1 << index) != 0 } else { self.rest.contains(&index) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_empty()
    }
}
