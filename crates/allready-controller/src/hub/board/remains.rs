//! What stands in statuses for aggregations that are no more.

use std::time::Duration;

use super::Hub;
use crate::hub::{Draft, Remains};

impl Hub {
    pub(super) fn take_remains(&mut self, found: Vec<Remains>, now: Duration) {
        self.remains.extend(found);
        self.look_at_remains(now);
    }

    /// Takes away what nobody keeps up. What an aggregation may still want is its own business: it sees these objects.
    pub(super) fn look_at_remains(&mut self, now: Duration) {
        // An aggregation that cannot be seen is not one that is gone.
        if self.seen.is_unsettled() {
            return;
        }
        for remains in std::mem::take(&mut self.remains) {
            let is_kept = self.aggregations.values().any(|aggregation| {
                aggregation.is_about(&remains.api_version, &remains.kind)
                    && aggregation.may_choose(&remains.object)
                    && aggregation.manager() == *remains.manager
            });
            if !is_kept {
                self.outbox.want(&remains.place(), Some(Draft::calm(Some(remains.nothing()))), now);
            }
        }
    }
}
