//! Parts of statuses that no aggregation is known to keep up.

use super::{Aggregation, HubKey, HubState};
use crate::hub::{Leftover, ObjectName};

impl HubState {
    /// Takes what was found in statuses. Whether an aggregation keeps it up is decided when that is known.
    pub(super) fn take_leftovers(&mut self, found: Vec<Leftover>) {
        for leftover in found {
            self.due.insert(HubKey::Status(leftover.target()));
            self.leftovers.insert(leftover.target(), leftover);
        }
    }

    /// Remembers what an aggregation that goes, or changes, has written to an object, or may be writing.
    pub(super) fn leave(&mut self, aggregation: &Aggregation, object: &ObjectName) {
        let target = aggregation.target(object);
        let is_ours = aggregation.objects.get(object).is_some_and(|seen| seen.is_ours);
        if is_ours || self.in_flight.contains(&target) {
            let leftover = Leftover {
                api_version: aggregation.plan.target.api_version.as_str().into(),
                kind: aggregation.plan.target.kind.as_str().into(),
                object: object.clone(),
                manager: aggregation.manager.clone(),
            };
            self.leftovers.insert(target, leftover);
        }
    }
}
