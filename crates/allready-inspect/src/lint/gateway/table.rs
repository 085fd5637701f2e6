//! The condition types of the Gateway API and their reasons, as data.

use allready_core::Status;

/// The thing that a list of conditions is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Class,
    Gateway,
    Listener,
    ListenerSet,
    SetListener,
    RouteParent,
    Ancestor,
}

impl About {
    /// The types that must be there.
    pub(super) const fn required(self) -> &'static [&'static str] {
        match self {
            Self::Class | Self::Ancestor => &["Accepted"],
            Self::Gateway | Self::ListenerSet => &["Accepted", "Programmed"],
            Self::Listener | Self::SetListener => &["Accepted", "Programmed", "ResolvedRefs"],
            Self::RouteParent => &["Accepted", "ResolvedRefs"],
        }
    }

    /// The types that are known, with their reasons while True and while False. Unknown has reason Pending everywhere.
    fn types(self) -> &'static [Known] {
        match self {
            Self::Class => CLASS,
            Self::Gateway => GATEWAY,
            Self::Listener => LISTENER,
            Self::ListenerSet => LISTENER_SET,
            Self::SetListener => SET_LISTENER,
            Self::RouteParent => ROUTE_PARENT,
            Self::Ancestor => ANCESTOR,
        }
    }

    /// Tells whether the specification has the type here.
    pub(super) fn has_type(self, type_: &str) -> bool {
        self.types().iter().any(|known| known.0 == type_)
    }

    /// Tells whether the specification has reasons for a status of a type, and this is none of them.
    pub(super) fn lacks_reason(self, type_: &str, status: Status, reason: &str) -> bool {
        let known = self.types().iter().find(|known| known.0 == type_);
        let reasons = known.map_or("", |(_, when_true, when_false)| match status {
            Status::True => when_true,
            Status::False => when_false,
            Status::Unknown => "",
        });
        !reasons.is_empty() && !reasons.split(' ').any(|known| known == reason)
    }
}

type Known = (&'static str, &'static str, &'static str);

const CLASS: &[Known] = &[
    ("Accepted", "Accepted", "InvalidParameters Unsupported UnsupportedVersion"),
    ("SupportedVersion", "SupportedVersion", "UnsupportedVersion"),
];

const GATEWAY: &[Known] = &[
    (
        "Accepted",
        "Accepted ListenersNotValid",
        "Invalid InvalidParameters UnsupportedAddress ListenersNotValid NotReconciled Pending",
    ),
    ("Programmed", "Programmed", "Invalid Pending NoResources AddressNotAssigned AddressNotUsable"),
    ("ResolvedRefs", "ResolvedRefs", "RefNotPermitted InvalidClientCertificateRef ListenersNotResolved"),
    ("InsecureFrontendValidationMode", "ConfigurationChanged", ""),
];

const LISTENER: &[Known] = &[
    (
        "Accepted",
        "Accepted",
        "PortUnavailable UnsupportedProtocol NoValidCACertificate UnsupportedValue HostnameConflict ProtocolConflict Pending",
    ),
    ("Programmed", "Programmed", "Invalid Pending"),
    (
        "ResolvedRefs",
        "ResolvedRefs",
        "InvalidCertificateRef InvalidRouteKinds RefNotPermitted InvalidCACertificateRef InvalidCACertificateKind",
    ),
    ("Conflicted", "HostnameConflict ProtocolConflict", "NoConflicts"),
    ("OverlappingTLSConfig", "OverlappingHostnames OverlappingCertificates", ""),
];

const LISTENER_SET: &[Known] = &[
    (
        "Accepted",
        "Accepted ListenersNotValid",
        "Invalid NotAllowed ParentNotAccepted ListenersNotValid Pending",
    ),
    (
        "Programmed",
        "Programmed ListenersNotValid",
        "Invalid ParentNotProgrammed ListenersNotValid NotAllowed PortUnavailable Pending",
    ),
    ("ResolvedRefs", "ResolvedRefs", "RefNotPermitted ListenersNotResolved"),
];

const SET_LISTENER: &[Known] = &[
    (
        "Accepted",
        "Accepted",
        "PortUnavailable UnsupportedProtocol NoValidCACertificate UnsupportedValue HostnameConflict ProtocolConflict ListenerConflict TooManyListeners Pending",
    ),
    ("Programmed", "Programmed", "Invalid Pending HostnameConflict ProtocolConflict PortUnavailable"),
    (
        "ResolvedRefs",
        "ResolvedRefs",
        "InvalidCertificateRef InvalidRouteKinds RefNotPermitted InvalidCACertificateRef InvalidCACertificateKind",
    ),
    ("Conflicted", "HostnameConflict ProtocolConflict ListenerConflict", "NoConflicts"),
    ("OverlappingTLSConfig", "OverlappingHostnames OverlappingCertificates", ""),
];

const ROUTE_PARENT: &[Known] = &[
    (
        "Accepted",
        "Accepted",
        "NotAllowedByListeners NoMatchingListenerHostname NoMatchingParent UnsupportedValue IncompatibleFilters Pending",
    ),
    ("ResolvedRefs", "ResolvedRefs", "RefNotPermitted InvalidKind BackendNotFound UnsupportedProtocol"),
    ("PartiallyInvalid", "UnsupportedValue", ""),
];

const ANCESTOR: &[Known] = &[
    ("Accepted", "Accepted", "Conflicted Invalid TargetNotFound NoValidCACertificate Pending"),
    ("ResolvedRefs", "ResolvedRefs", "InvalidCACertificateRef InvalidKind RefNotPermitted"),
];
