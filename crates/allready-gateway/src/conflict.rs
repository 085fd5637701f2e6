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
pub(crate) fn mark<'a>(groups: impl Iterator<Item = &'a mut Vec<ListenerState>>, support: &Support) {
    let mut groups: Vec<&mut Vec<ListenerState>> = groups.collect();
    for index in 0..groups.len() {
        let (earlier, rest) = groups.split_at_mut(index);
        let Some(group) = rest.first_mut() else { continue };
        let mut found = Vec::new();
        for (place, one) in group.iter().enumerate().filter(|(_, one)| one.protocol != Protocol::Other) {
            let winners =
                earlier.iter().flat_map(|group| group.iter()).filter(|other| other.conflict.is_none());
            let equals =
                group.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, other)| other);
            let conflict =
                winners.chain(equals).find_map(|other| Some((conflict(one, other, support)?, other)));
            if let Some((reason, other)) = conflict {
                let message =
                    format!("port {} is also that of listener {}", one.attach.port, other.attach.name);
                found.push((place, reason, message));
            }
        }
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
    let is_tls = |state: &&ListenerState| state.protocol.terminates() && state.conflict.is_none();
    let all: Vec<(u16, Option<String>, String)> = groups
        .iter()
        .flat_map(|group| group.iter())
        .filter(is_tls)
        .map(|state| (state.attach.port, state.attach.hostname.clone(), state.attach.name.clone()))
        .collect();
    let mut own = 0;
    for state in groups.iter_mut().flat_map(|group| group.iter_mut()) {
        if !is_tls(&&*state) {
            continue;
        }
        let other = all.iter().enumerate().find(|(index, (port, hostname, _))| {
            *index != own
                && *port == state.attach.port
                && hostname::overlap(hostname.as_deref(), state.attach.hostname.as_deref())
        });
        state.overlaps = other.map(|(_, (port, _, name))| {
            format!("listener {name} on port {port} serves some of the same hostnames")
        });
        own += 1;
    }
}
