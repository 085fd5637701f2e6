//! Why a report is not taken at its word.

use std::{collections::BTreeMap, time::Duration};

use allready_core::{Reason, reason};

use super::{
    board::Board,
    plan::{PlannedComponent, PlannedInstances},
};

/// A doubt about a reporter: the reason and the message under which it counts as unknown.
pub(super) type Doubt = (Reason, String);

/// Whether the node and the pod of an instance are there and ready.
pub(super) fn place(board: &Board, component: &PlannedComponent, instance: Option<&str>) -> Option<Doubt> {
    let node = instance.filter(|_| component.instances.are_nodes())?;
    match board.nodes.get(node) {
        None => return Some((reason!("NodeGone"), "its node is gone".to_owned())),
        Some(facts) if !facts.ready => {
            return Some((reason!("NodeNotReady"), "its node is not ready".to_owned()));
        }
        Some(_) => {}
    }
    let PlannedInstances::DaemonSet(name) = &component.instances else { return None };
    let pods = board.places.get(name).and_then(|nodes| nodes.get(node));
    match pods {
        None => Some((reason!("PodGone"), format!("DaemonSet {name} has no pod on its node"))),
        Some(pods) if pods.values().any(|ready| *ready) => None,
        Some(_) => {
            Some((reason!("PodNotReady"), format!("the pod of DaemonSet {name} on its node is not ready")))
        }
    }
}

/// Whether a reporter whose heartbeat was last seen then has been heard of lately.
pub(super) fn heartbeat(seen: Duration, limit: u32, now: Duration) -> Option<Doubt> {
    // Without the instant: who fell silent for one cause is to be told as one.
    (silent_at(seen, limit) <= now)
        .then(|| (reason!("HeartbeatLost"), format!("has not been heard of for more than {limit} seconds")))
}

/// The time at which a heartbeat is older than it may be.
pub(super) fn silent_at(seen: Duration, limit: u32) -> Duration {
    seen + Duration::from_secs(limit.into())
}

/// Whether a reporter has digested the revision that is asked for. Who does not say is not believed to.
pub(super) fn revision<'a>(
    mut stated: impl Iterator<Item = Option<&'a str>>,
    expected: Option<&str>,
) -> Option<Doubt> {
    let expected = expected?;
    let other = stated.find(|stated| *stated != Some(expected))?;
    let message = match other {
        Some(other) => format!("has digested revision {other}, and not yet {expected}"),
        None => format!("has not said that it has digested revision {expected}"),
    };
    Some((reason!("RevisionNotDigested"), message))
}

/// DaemonSets of which it is not known where all their pods will be.
pub(super) fn unscheduled(board: &Board) -> impl Iterator<Item = String> {
    board.plan.daemon_sets().filter_map(|name| {
        let there = board.places.get(name).map_or(0, BTreeMap::len);
        match board.daemon_sets.get(name) {
            None => Some(format!("DaemonSet {name} is not there")),
            Some(facts) if !facts.current => Some(format!("DaemonSet {name} has not been scheduled yet")),
            Some(facts) if usize::try_from(facts.desired).unwrap_or(0) > there => {
                Some(format!("{there} of {} pods of DaemonSet {name} are there", facts.desired))
            }
            Some(_) => None,
        }
    })
}
