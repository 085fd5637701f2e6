//! The table of condition types.

use allready_core::{
    Polarity::{self, AbnormalTrue, NormalTrue},
    Status,
};

use super::{
    ConditionInfo,
    On::{Gateway, GatewayClass, Listener, ListenerSet, PolicyAncestor, RouteParent},
    Presence::{self, Always, Deprecated, OnlyWhenTrue, Optional, Reserved},
    ReasonInfo,
};

const fn yes(reason: &'static str, says: &'static str) -> ReasonInfo {
    ReasonInfo { status: Status::True, reason, says }
}

const fn no(reason: &'static str, says: &'static str) -> ReasonInfo {
    ReasonInfo { status: Status::False, reason, says }
}

const PENDING: ReasonInfo =
    ReasonInfo { status: Status::Unknown, reason: "Pending", says: "No controller has looked at it yet." };

const fn info(
    (on, type_): (super::On, &'static str),
    polarity: Polarity,
    presence: Presence,
    says: &'static str,
    reasons: &'static [ReasonInfo],
) -> ConditionInfo {
    ConditionInfo { on, type_, polarity, presence, says, reasons, precedence: &[] }
}

const fn ranked(info: ConditionInfo, precedence: &'static [&'static str]) -> ConditionInfo {
    ConditionInfo { precedence, ..info }
}

/// Every condition type of the Gateway API.
pub const CONDITIONS: &[ConditionInfo] = &[
    info(
        (GatewayClass, "Accepted"),
        NormalTrue,
        Always,
        "The controller has taken the class on.",
        &[
            yes("Accepted", "The class can be used."),
            no("InvalidParameters", "The parameters do not exist, or are not known to the implementation."),
            no("Unsupported", "The implementation has no room for classes of users."),
            no("UnsupportedVersion", "The CRDs are of a version that the implementation does not know."),
            PENDING,
        ],
    ),
    info(
        (GatewayClass, "SupportedVersion"),
        NormalTrue,
        Optional,
        "The implementation knows the version of the CRDs.",
        &[
            yes("SupportedVersion", "The version is known."),
            no("UnsupportedVersion", "The version is not known; things may not work."),
        ],
    ),
    info(
        (Gateway, "Accepted"),
        NormalTrue,
        Always,
        "The Gateway is valid enough for some configuration of the data plane.",
        &[
            yes("Accepted", "The Gateway is valid."),
            yes("ListenersNotValid", "Some listeners are not valid, and at least one is."),
            no("Invalid", "The Gateway cannot be read, or contradicts itself."),
            no("InvalidParameters", "The parameters do not exist, or are not known to the implementation."),
            no("UnsupportedAddress", "An address is of a type that is not supported."),
            no("ListenersNotValid", "No listener is valid."),
            no("NotReconciled", "No controller has looked at it yet; an old word for Pending."),
            PENDING,
        ],
    ),
    info(
        (Gateway, "Programmed"),
        NormalTrue,
        Always,
        "The data plane has the configuration, and will soon serve it.",
        &[
            yes("Programmed", "The configuration is on its way to the data plane."),
            no("Invalid", "The Gateway is not valid."),
            no("Pending", "The configuration is not made yet."),
            no("NoResources", "There is no room for it on the infrastructure."),
            no("AddressNotAssigned", "There is no address for it."),
            no("AddressNotUsable", "An address that is asked for cannot be used."),
            PENDING,
        ],
    ),
    ranked(
        info(
            (Gateway, "ResolvedRefs"),
            NormalTrue,
            Optional,
            "Everything that the Gateway and its listeners name exists and may be named.",
            &[
                yes("ResolvedRefs", "Every reference is resolved."),
                no("RefNotPermitted", "A reference into another namespace has no ReferenceGrant."),
                no(
                    "InvalidClientCertificateRef",
                    "The client certificate for backends does not exist, or cannot be read.",
                ),
                no("ListenersNotResolved", "A listener has a reference that is not resolved."),
            ],
        ),
        &["RefNotPermitted", "InvalidClientCertificateRef", "ListenersNotResolved"],
    ),
    info(
        (Gateway, "InsecureFrontendValidationMode"),
        AbnormalTrue,
        OnlyWhenTrue,
        "Clients without a valid certificate are let in.",
        &[yes("ConfigurationChanged", "Validation of clients was set to AllowInsecureFallback.")],
    ),
    info(
        (Gateway, "AddressesAssigned"),
        NormalTrue,
        Optional,
        "Every address that is asked for is assigned; since Gateway API 1.7.",
        &[
            yes("AddressesAssigned", "Every address that is asked for is assigned."),
            no("PartiallyAssigned", "Some of the addresses that are asked for are assigned."),
            no("NotAssigned", "None of the addresses that are asked for is assigned."),
        ],
    ),
    info((Gateway, "Ready"), NormalTrue, Reserved, "Nobody may use it: see Programmed.", &[]),
    info((Gateway, "Scheduled"), NormalTrue, Deprecated, "Replaced by Accepted.", &[]),
    ranked(
        info(
            (Listener, "Accepted"),
            NormalTrue,
            Always,
            "The listener is valid, and can be served.",
            &[
                yes("Accepted", "The listener is valid."),
                no("UnsupportedProtocol", "The protocol is not supported."),
                no("UnsupportedValue", "A field has a value that is not supported."),
                no("PortUnavailable", "The port cannot be used."),
                no("TooManyListeners", "The Gateway has as many listeners as it can have."),
                no("ListenerConflict", "The listener conflicts with one that goes before it."),
                no("ProtocolConflict", "Another listener has the port with another protocol."),
                no("HostnameConflict", "Another listener has the port with the same hostname."),
                no("NoValidCACertificate", "No certificate of an authority for clients is valid."),
                PENDING,
            ],
        ),
        &[
            "UnsupportedProtocol",
            "UnsupportedValue",
            "PortUnavailable",
            "TooManyListeners",
            "ProtocolConflict",
            "HostnameConflict",
            "NoValidCACertificate",
        ],
    ),
    info(
        (Listener, "Programmed"),
        NormalTrue,
        Always,
        "The data plane has the listener, and will soon serve it.",
        &[
            yes("Programmed", "The configuration is on its way to the data plane."),
            no("Invalid", "The listener is not valid."),
            no("Pending", "The configuration is not made yet."),
            no("ProtocolConflict", "Another listener has the port with another protocol."),
            no("HostnameConflict", "Another listener has the port with the same hostname."),
            no("PortUnavailable", "The port cannot be used."),
            PENDING,
        ],
    ),
    ranked(
        info(
            (Listener, "ResolvedRefs"),
            NormalTrue,
            Always,
            "Everything that the listener names exists and may be named.",
            &[
                yes("ResolvedRefs", "Every reference is resolved."),
                no("RefNotPermitted", "A reference into another namespace has no ReferenceGrant."),
                no("InvalidCertificateRef", "A certificate does not exist, or cannot be read."),
                no("InvalidRouteKinds", "A kind of routes is not supported."),
                no(
                    "InvalidCACertificateKind",
                    "A certificate of an authority is in an object of a kind that is not supported.",
                ),
                no(
                    "InvalidCACertificateRef",
                    "A certificate of an authority does not exist, or cannot be read.",
                ),
                PENDING,
            ],
        ),
        &[
            "RefNotPermitted",
            "InvalidCertificateRef",
            "InvalidCACertificateKind",
            "InvalidCACertificateRef",
            "InvalidRouteKinds",
        ],
    ),
    info(
        (Listener, "Conflicted"),
        AbnormalTrue,
        Optional,
        "The listener conflicts with another one, and is not served.",
        &[
            yes("HostnameConflict", "Another listener has the port with the same hostname."),
            yes("ProtocolConflict", "Another listener has the port with another protocol."),
            no("NoConflicts", "There is no conflict."),
        ],
    ),
    info(
        (Listener, "OverlappingTLSConfig"),
        AbnormalTrue,
        OnlyWhenTrue,
        "Clients may reuse a connection for another listener of the port.",
        &[
            yes("OverlappingHostnames", "Hostnames overlap with those of another listener."),
            yes(
                "OverlappingCertificates",
                "The certificate is also valid for hostnames of another listener.",
            ),
        ],
    ),
    info((Listener, "Ready"), NormalTrue, Reserved, "Nobody may use it: see Programmed.", &[]),
    info((Listener, "Detached"), AbnormalTrue, Deprecated, "Replaced by Accepted.", &[]),
    info(
        (ListenerSet, "Accepted"),
        NormalTrue,
        Always,
        "The ListenerSet is attached to its Gateway.",
        &[
            yes("Accepted", "The ListenerSet is valid."),
            yes("ListenersNotValid", "Some listeners are not valid, and at least one is."),
            no("Invalid", "The ListenerSet cannot be read, or contradicts itself."),
            no("NotAllowed", "The Gateway does not allow it."),
            no("ParentNotAccepted", "The Gateway is not accepted."),
            no("ListenersNotValid", "No listener is valid."),
            PENDING,
        ],
    ),
    info(
        (ListenerSet, "Programmed"),
        NormalTrue,
        Always,
        "The data plane has its listeners, and will soon serve them.",
        &[
            yes("Programmed", "The configuration is on its way to the data plane."),
            no("Invalid", "The ListenerSet is not valid."),
            no("NotAllowed", "The Gateway does not allow it."),
            no("ParentNotProgrammed", "The Gateway is not programmed."),
            no("ListenersNotValid", "No listener is valid."),
            no("PortUnavailable", "A port cannot be used."),
            PENDING,
        ],
    ),
    ranked(
        info(
            (RouteParent, "Accepted"),
            NormalTrue,
            Always,
            "The route is attached to the parent.",
            &[
                yes("Accepted", "The route is attached."),
                no("NotAllowedByListeners", "No listener allows routes of this kind or namespace."),
                no("NoMatchingListenerHostname", "No listener has a hostname of the route."),
                no("NoMatchingParent", "No listener has the name or port that is asked for."),
                no("UnsupportedValue", "A field has a value that is not supported."),
                no("IncompatibleFilters", "Filters exclude each other."),
                PENDING,
            ],
        ),
        &["UnsupportedValue", "IncompatibleFilters"],
    ),
    ranked(
        info(
            (RouteParent, "ResolvedRefs"),
            NormalTrue,
            Always,
            "Every backend exists and may be named.",
            &[
                yes("ResolvedRefs", "Every reference is resolved."),
                no("RefNotPermitted", "A reference into another namespace has no ReferenceGrant."),
                no("InvalidKind", "A backend is of a kind that is not supported."),
                no("BackendNotFound", "A backend does not exist."),
                no("UnsupportedProtocol", "A backend speaks a protocol that is not supported."),
            ],
        ),
        &["RefNotPermitted", "InvalidKind", "BackendNotFound", "UnsupportedProtocol"],
    ),
    info(
        (RouteParent, "PartiallyInvalid"),
        AbnormalTrue,
        OnlyWhenTrue,
        "Some rules are dropped, and others are served.",
        &[yes("UnsupportedValue", "A rule has a value that is not supported.")],
    ),
    ranked(
        info(
            (PolicyAncestor, "Accepted"),
            NormalTrue,
            Always,
            "The policy is in force for the ancestor.",
            &[
                yes("Accepted", "The policy is in force."),
                no("Invalid", "The policy cannot be read, or contradicts itself."),
                no("TargetNotFound", "A target does not exist."),
                no("Conflicted", "A policy that goes before it has the same target."),
                no("NoValidCACertificate", "No certificate of an authority is valid."),
            ],
        ),
        &["Invalid", "TargetNotFound", "Conflicted", "NoValidCACertificate"],
    ),
    ranked(
        info(
            (PolicyAncestor, "ResolvedRefs"),
            NormalTrue,
            Always,
            "Everything that the policy names exists.",
            &[
                yes("ResolvedRefs", "Every reference is resolved."),
                no(
                    "InvalidKind",
                    "A certificate of an authority is in an object of a kind that is not supported.",
                ),
                no(
                    "InvalidCACertificateRef",
                    "A certificate of an authority does not exist, or cannot be read.",
                ),
            ],
        ),
        &["InvalidKind", "InvalidCACertificateRef"],
    ),
];
