//! Listeners against each other: conflicts on a port, and TLS hostnames that overlap.
//!
//! Those of one object are equals: all that conflict are out, since the Gateway API lets nobody pick a winner among them. Those of the
//! Gateway go before those of ListenerSets, and an older ListenerSet before a younger one (GEP-1713).

use allready_core::{Reason, reason};

use crate::{
    Support, hostname,
    listener::{ListenerState, Protocol},
};

/// Marks every listener that conflicts, or that overlaps; groups are in order of precedence.
///
/// Messages name listeners of the same object only: what a Gateway or another ListenerSet has may not be for everybody to know.
pub(crate) fn mark<'a>(groups: impl Iterator<Item = &'a mut Vec<ListenerState>>, support: &Support) {
    let mut groups: Vec<&mut Vec<ListenerState>> = groups.collect();
    // Listeners that hold their port against all that come later. Those that conflict with an equal do so, too: a ListenerSet does not
    // get what its Gateway claims twice.
    let mut holders: Vec<ListenerState> = Vec::new();
    for group in &mut groups {
        let lost: Vec<Option<Reason>> =
            group.iter().map(|one| holders.iter().find_map(|other| conflict(one, other, support))).collect();
        let mut found = Vec::new();
        let mut held = Vec::new();
        for (place, (one, reason)) in group.iter().zip(&lost).enumerate() {
            if one.protocol == Protocol::Other {
                continue;
            }
            let port = one.attach.port;
            if let Some(reason) = reason {
                found.push((
                    place,
                    reason.clone(),
                    format!("a listener that goes before this one has port {port}"),
                ));
                continue;
            }
            held.push(one.clone());
            // One that has lost already takes nothing from its equals.
            let mut equals = group
                .iter()
                .zip(&lost)
                .enumerate()
                .filter(|(other, (_, lost))| *other != place && lost.is_none());
            if let Some((reason, name)) =
                equals.find_map(|(_, (other, _))| Some((conflict(one, other, support)?, &other.attach.name)))
            {
                found.push((place, reason, format!("port {port} is also that of listener {name}")));
            }
        }
        holders.append(&mut held);
        for (place, reason, message) in found {
            if let Some(one) = group.get_mut(place) {
                one.refuse(reason.clone(), message.clone());
                one.conflict = Some((reason, message));
            }
        }
    }
    mark_overlaps(&mut groups);
}

fn conflict(one: &ListenerState, other: &ListenerState, support: &Support) -> Option<Reason> {
    use Protocol::{Http, Https, Other, Tcp, Tls, Udp};
    if one.attach.port != other.attach.port {
        return None;
    }
    match (one.protocol, other.protocol) {
        (Udp, Udp) => Some(reason!("ProtocolConflict")),
        // Ports of UDP are others than those of TCP; what is not supported has no port.
        (Udp | Other, _) | (_, Udp | Other) => None,
        (Tls { terminates: a }, Tls { terminates: b }) if a != b && !support.tls_mixed => {
            Some(reason!("ProtocolConflict"))
        }
        (Http, Http) | (Https | Tls { .. }, Https | Tls { .. }) => {
            let (a, b) = (one.attach.hostname.as_deref(), other.attach.hostname.as_deref());
            hostname::is_same(a, b).then_some(reason!("HostnameConflict"))
        }
        (Tcp | Http, _) | (_, Tcp | Http) => Some(reason!("ProtocolConflict")),
    }
}

fn mark_overlaps(groups: &mut [&mut Vec<ListenerState>]) {
    let is_tls = |state: &ListenerState| state.protocol.terminates() && state.conflict.is_none();
    let mut all = Vec::new();
    for (group, states) in groups.iter().enumerate() {
        for (place, state) in states.iter().enumerate().filter(|(_, state)| is_tls(state)) {
            all.push(((group, place), state.attach.clone()));
        }
    }
    for ((group, place), own) in &all {
        let other = all.iter().find(|(at, other)| {
            *at != (*group, *place)
                && other.port == own.port
                && hostname::overlap(other.hostname.as_deref(), own.hostname.as_deref())
        });
        let message = other.map(|((of, _), other)| {
            let name =
                if of == group { format!("listener {}", other.name) } else { "another listener".to_owned() };
            format!("{name} on port {} serves some of the same hostnames", own.port)
        });
        if let Some(state) = groups.get_mut(*group).and_then(|states| states.get_mut(*place)) {
            state.overlaps = message;
        }
    }
}
