//! Conditions of the Gateway API as data: types, polarity and reasons. What became of those of early versions is in
//! `allready_inspect::registry::gateway`.
//!
//! The source is the Go types of Gateway API 1.6.3 (`apis/v1`), and for a few reasons its conformance tests.
//!
//! # Gateway API 1.7
//! The Go types of 1.7.0 have the same conditions and reasons, and one type more: `AddressesAssigned` of a Gateway. It is in the table, so
//! that it is known on Gateways of others; the engine does not write it, and writes the same statuses on CRDs of either version.
//!
//! Else new are, in the experimental channel, the `routability` of addresses and the `filters` of listeners, which are not looked at, and
//! `ClusterTrustBundles` as `caCertificateRefs`, which are told as a kind that is not supported. The names of two features are gone:
//! `HTTPRouteRetry` and `HTTPRouteRetryBackendTimeout`.

use allready_core::{Polarity, Status};

mod table;

pub use table::CONDITIONS;

/// The version of Gateway API that this is written after.
pub const VERSION: &str = "v1.6.3";

/// Tells whether CRDs of this bundle version have what is written here: the first major version.
pub(crate) fn is_supported_version(bundle: &str) -> bool {
    bundle.strip_prefix('v').unwrap_or(bundle).starts_with("1.")
}

/// The list that a condition stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum On {
    /// `status.conditions` of a GatewayClass.
    GatewayClass,
    /// `status.conditions` of a Gateway.
    Gateway,
    /// `status.conditions` of a ListenerSet.
    ListenerSet,
    /// `status.listeners[].conditions` of a Gateway or a ListenerSet.
    Listener,
    /// `status.parents[].conditions` of a route.
    RouteParent,
    /// `status.ancestors[].conditions` of a policy.
    PolicyAncestor,
}

/// The circumstances in which a condition is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// On every object that a controller has taken on.
    Always,
    /// There where a controller has something to say.
    Optional,
    /// Only while it is `True`; never as `False`.
    OnlyWhenTrue,
    /// Reserved: nobody may use it.
    Reserved,
    /// Replaced by another.
    Deprecated,
}

/// A condition type of the Gateway API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionInfo {
    /// The list that it stands in.
    pub on: On,
    /// The type.
    pub type_: &'static str,
    /// Its polarity.
    pub polarity: Polarity,
    /// The circumstances in which it is there.
    pub presence: Presence,
    /// Its meaning, in a sentence.
    pub says: &'static str,
    /// Its reasons.
    pub reasons: &'static [ReasonInfo],
    /// The bad reasons, in order of precedence.
    pub precedence: &'static [&'static str],
}

/// A reason of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonInfo {
    /// The status that it goes with.
    pub status: Status,
    /// The reason.
    pub reason: &'static str,
    /// Its meaning, in a sentence.
    pub says: &'static str,
}

/// The condition type in this place, if the Gateway API has it.
///
/// ```
/// use allready_core::Polarity;
/// use allready_gateway::catalog::{On, find};
///
/// assert_eq!(find(On::Listener, "Conflicted").unwrap().polarity, Polarity::AbnormalTrue);
/// assert!(find(On::Listener, "Detached").is_some(), "deprecated, but known");
/// assert!(find(On::Gateway, "Green").is_none());
/// ```
pub fn find(on: On, type_: &str) -> Option<&'static ConditionInfo> {
    CONDITIONS.iter().find(|info| info.on == on && info.type_ == type_)
}

/// Tells whether the Gateway API has this reason for this status of a condition.
///
/// ```
/// use allready_core::Status;
/// use allready_gateway::catalog::{On, is_known};
///
/// assert!(is_known(On::Gateway, "Accepted", Status::True, "ListenersNotValid"));
/// assert!(!is_known(On::Gateway, "Accepted", Status::True, "Invalid"));
/// ```
pub fn is_known(on: On, type_: &str, status: Status, reason: &str) -> bool {
    find(on, type_)
        .is_some_and(|info| info.reasons.iter().any(|known| known.status == status && known.reason == reason))
}

pub(crate) fn precedence(on: On, type_: &str) -> &'static [&'static str] {
    find(on, type_).map_or(&[], |info| info.precedence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use allready_core::{ConditionType, Reason};

    use super::*;

    #[test]
    fn every_type_and_reason_is_legal_and_is_there_once() {
        let mut seen = BTreeSet::new();
        for info in CONDITIONS {
            assert!(seen.insert((info.on, info.type_)), "{:?} {} is there twice", info.on, info.type_);
            ConditionType::new(info.type_).unwrap();
            let mut reasons = BTreeSet::new();
            for reason in info.reasons {
                Reason::new(reason.reason).unwrap();
                assert!(reasons.insert((reason.status.as_str(), reason.reason)), "{} {reason:?}", info.type_);
                assert!(reason.says.ends_with('.'), "{} {reason:?} is no sentence", info.type_);
            }
            for reason in info.precedence {
                assert!(is_known(info.on, info.type_, Status::False, reason), "{} {reason}", info.type_);
            }
        }
    }

    #[test]
    fn what_is_only_there_when_true_has_no_reason_for_false() {
        for info in CONDITIONS.iter().filter(|info| info.presence == Presence::OnlyWhenTrue) {
            assert!(info.reasons.iter().all(|reason| reason.status == Status::True), "{}", info.type_);
        }
    }

    #[test]
    fn what_an_old_condition_became_is_known_today() {
        use allready_inspect::registry::gateway::{OLD, On as OldOn};

        for old in OLD {
            for &(on, type_, status, reason) in old.today {
                let on = match on {
                    OldOn::Gateway => On::Gateway,
                    OldOn::Listener => On::Listener,
                    OldOn::RouteParent => On::RouteParent,
                };
                assert!(is_known(on, type_, status, reason), "{}: {on:?} {type_} {reason}", old.type_);
            }
        }
    }
}
