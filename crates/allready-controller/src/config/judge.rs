//! Why a report is not taken at its word.

use std::{collections::BTreeMap, time::Duration};

use allready_core::{Reason, Time, reason};
use allready_kube::kinds::ComponentRole;

use super::{
    fleet::Fleet,
    plan::{PlannedComponent, PlannedInstances},
    status::OWN,
};

/// A doubt about a reporter: the reason and the message under which it counts as unknown.
pub(super) type Doubt = (Reason, String);

/// The doubt about an instance whose node or pod is not there, or not ready.
pub(super) fn place(fleet: &Fleet, component: &PlannedComponent, instance: Option<&str>) -> Option<Doubt> {
    let node = instance.filter(|_| component.instances.are_nodes())?;
    match fleet.nodes.get(node) {
        None => return Some((reason!("NodeGone"), "its node is gone".to_owned())),
        Some(facts) if !facts.ready => {
            return Some((reason!("NodeNotReady"), "its node is not ready".to_owned()));
        }
        Some(_) => {}
    }
    let PlannedInstances::DaemonSet(name) = &component.instances else { return None };
    let pods = fleet.places.get(name).and_then(|nodes| nodes.get(node));
    match pods {
        None => Some((reason!("PodGone"), format!("DaemonSet {name} has no pod on its node"))),
        Some(pods) if pods.values().any(|ready| *ready) => None,
        Some(_) => {
            Some((reason!("PodNotReady"), format!("the pod of DaemonSet {name} on its node is not ready")))
        }
    }
}

/// The reason of a reporter that has fallen silent. It is also read from the status that stands, after a restart.
pub(super) const HEARTBEAT_LOST: &str = "HeartbeatLost";

/// The doubt about a reporter whose heartbeat was last seen then, if that is too long ago.
pub(super) fn heartbeat(seen: Duration, limit: u32, now: Duration) -> Option<Doubt> {
    (silent_at(seen, limit) <= now).then(|| silent(limit))
}

/// The doubt about a reporter that has been silent for too long.
pub(super) fn silent(limit: u32) -> Doubt {
    // Without the instant: who fell silent for one cause is to be told as one.
    (reason!("HeartbeatLost"), format!("has not been heard of for more than {limit} seconds"))
}

/// Returns true if a Lease that is seen for the first time was last renewed too long ago, by the time of day. Clocks of nodes differ, so
/// twice the time is allowed, and a minute; one that is further behind is believed with its next renewal.
pub(super) fn is_old(renewed: Option<Time>, wall: Option<Time>, limit: Option<u32>) -> bool {
    let (Some(renewed), Some(wall), Some(limit)) = (renewed, wall, limit) else { return false };
    wall.as_second().saturating_sub(renewed.as_second()) > 2 * i64::from(limit) + 60
}

/// The time at which a heartbeat is older than it may be.
pub(super) fn silent_at(seen: Duration, limit: u32) -> Duration {
    seen + Duration::from_secs(limit.into())
}

/// Doubts a reporter that has not observed the revision that is asked for, given where it reports and what it states. A reporter
/// that states none has not.
pub(super) fn revision<'a>(
    mut stated: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    expected: Option<&str>,
) -> Option<Doubt> {
    let expected = expected?;
    let (kind, other) = stated.find(|(_, stated)| *stated != Some(expected))?;
    let message = match other {
        Some(other) => format!("has observed revision {other}, and not yet {expected}"),
        None if kind == OWN => "reports in a condition of this object, which cannot state a revision: \
            let it report in a StatusReport, or remove spec.revision"
            .to_owned(),
        None => format!("has not stated that it has observed revision {expected}"),
    };
    Some((reason!("RevisionNotObserved"), message))
}

/// DaemonSets of which it is not known where all their pods will be, of components with this role.
pub(super) fn unscheduled(fleet: &Fleet, role: ComponentRole) -> impl Iterator<Item = String> {
    let components = fleet.plan.components.iter().filter(move |component| component.role == role);
    components.filter_map(PlannedComponent::daemon_set).filter_map(|name| {
        let there = fleet.places.get(name).map_or(0, BTreeMap::len);
        match fleet.daemon_sets.get(name) {
            None => Some(format!("DaemonSet {name} is not there")),
            Some(facts) if !facts.current => Some(format!("DaemonSet {name} has not been scheduled yet")),
            Some(facts) if usize::try_from(facts.desired).unwrap_or(0) > there => {
                Some(format!("{there} of {} pods of DaemonSet {name} are there", facts.desired))
            }
            Some(_) => None,
        }
    })
}
