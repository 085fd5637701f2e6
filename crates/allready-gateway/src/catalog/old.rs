//! Conditions of the first versions, when the project was called service-apis, and what says the same today.

use allready_core::{Polarity, Status};

use super::On;

/// A condition type of an early version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldCondition {
    /// The type.
    pub type_: &'static str,
    /// The list that it stood in.
    pub on: On,
    /// The polarity that it had.
    pub polarity: Polarity,
    /// The positive condition that was considered instead.
    pub alternative: Option<&'static str>,
    /// The conditions that say the same today: place, type, status and reason; nothing where no controller says it any more.
    pub today: &'static [(On, &'static str, Status, &'static str)],
    /// A sentence on what became of it.
    pub says: &'static str,
}

const fn old(
    (on, type_): (On, &'static str),
    alternative: Option<&'static str>,
    today: &'static [(On, &'static str, Status, &'static str)],
    says: &'static str,
) -> OldCondition {
    OldCondition { type_, on, polarity: Polarity::AbnormalTrue, alternative, today, says }
}

use Status::{False, True, Unknown};

/// Every condition of the early versions.
pub const OLD: &[OldCondition] = &[
    old(
        (On::Gateway, "NoSuchGatewayClass"),
        Some("MatchedGatewayClass"),
        &[(On::Gateway, "Accepted", Unknown, "Pending")],
        "Nobody owns such a Gateway, so the default of the CRD stays; a tool has to find it.",
    ),
    old(
        (On::Gateway, "ForbiddenNamespaceForClass"),
        None,
        &[],
        "Removed: classes do not restrict namespaces.",
    ),
    old(
        (On::Gateway, "GatewayNotScheduled"),
        Some("Scheduled"),
        &[(On::Gateway, "Accepted", Unknown, "Pending"), (On::Gateway, "Programmed", False, "NoResources")],
        "Became Scheduled, and then Accepted; want of room is a reason of Programmed.",
    ),
    old(
        (On::Gateway, "ListenersNotReady"),
        Some("Ready"),
        &[(On::Gateway, "Programmed", False, "Pending"), (On::Gateway, "Programmed", False, "Invalid")],
        "Became Ready, which is reserved today: see Programmed.",
    ),
    old(
        (On::Gateway, "InvalidListeners"),
        Some("ListenersReady"),
        &[
            (On::Gateway, "Accepted", True, "ListenersNotValid"),
            (On::Gateway, "Accepted", False, "ListenersNotValid"),
        ],
        "A reason of Accepted: True as long as one listener is valid.",
    ),
    old(
        (On::Gateway, "InvalidAddress"),
        Some("AddressAssigned"),
        &[
            (On::Gateway, "Accepted", False, "UnsupportedAddress"),
            (On::Gateway, "Programmed", False, "AddressNotUsable"),
            (On::Gateway, "Programmed", False, "AddressNotAssigned"),
        ],
        "Reasons of Accepted and Programmed.",
    ),
    old(
        (On::Listener, "InvalidListener"),
        Some("Accepted"),
        &[
            (On::Listener, "Accepted", False, "UnsupportedValue"),
            (On::Listener, "Programmed", False, "Invalid"),
        ],
        "Accepted of the listener says so, with the reason.",
    ),
    old(
        (On::Listener, "NotReady"),
        Some("Ready"),
        &[(On::Listener, "Programmed", False, "Pending"), (On::Listener, "Programmed", Unknown, "Pending")],
        "Became Ready, which is reserved today: see Programmed.",
    ),
    old(
        (On::Listener, "PortConflict"),
        None,
        &[
            (On::Listener, "Conflicted", True, "HostnameConflict"),
            (On::Listener, "Conflicted", True, "ProtocolConflict"),
            (On::Listener, "Accepted", False, "PortUnavailable"),
        ],
        "Conflicted stayed a negative condition; a port that cannot be used is a reason of Accepted.",
    ),
    old(
        (On::Listener, "InvalidCertificateRef"),
        Some("ReferencesResolved"),
        &[
            (On::Listener, "ResolvedRefs", False, "InvalidCertificateRef"),
            (On::Listener, "ResolvedRefs", False, "RefNotPermitted"),
        ],
        "Reasons of ResolvedRefs.",
    ),
    old(
        (On::Listener, "RoutesNotReady"),
        None,
        &[],
        "Removed: see attachedRoutes, and the parents of each route.",
    ),
    old(
        (On::Listener, "InvalidRoutes"),
        None,
        &[
            (On::RouteParent, "ResolvedRefs", False, "BackendNotFound"),
            (On::RouteParent, "PartiallyInvalid", True, "UnsupportedValue"),
            (On::Listener, "ResolvedRefs", False, "InvalidRouteKinds"),
        ],
        "Each route says so for each of its parents.",
    ),
    old(
        (On::Listener, "ForbiddenRoutesForClass"),
        None,
        &[(On::RouteParent, "Accepted", False, "NotAllowedByListeners")],
        "Each route says so for each of its parents.",
    ),
    old(
        (On::Listener, "UnsupportedProtocol"),
        None,
        &[(On::Listener, "Accepted", False, "UnsupportedProtocol")],
        "A reason of Accepted.",
    ),
    OldCondition {
        polarity: Polarity::NormalTrue,
        ..old(
            (On::RouteParent, "Admitted"),
            None,
            &[(On::RouteParent, "Accepted", True, "Accepted")],
            "Accepted today.",
        )
    },
];
