//! Sets of definitions, as their projects publish them.

use std::{fmt, str::FromStr};

use serde_json::Value;

/// The definitions of a project that many controllers work with: all that its release serves, without descriptions, and
/// otherwise as they are, with every bound, default and rule.
///
/// ```
/// use allready_apiserver::catalog::Set;
///
/// let names: Vec<&str> = Set::ALL.iter().map(|set| set.name()).collect();
/// assert_eq!(names, ["gateway-api", "external-dns", "cert-manager"]);
/// assert_eq!("cert-manager".parse(), Ok(Set::CertManager));
/// assert_eq!(Set::CertManager.definitions().count(), 6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// `gateway.networking.k8s.io`, the standard channel of the Gateway API.
    GatewayApi,
    /// `externaldns.k8s.io`.
    ExternalDns,
    /// `cert-manager.io` and `acme.cert-manager.io`.
    CertManager,
}

/// A name that no set has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no set {0}: gateway-api, external-dns, cert-manager")]
pub struct UnknownSet(String);

impl Set {
    /// Every set.
    pub const ALL: [Self; 3] = [Self::GatewayApi, Self::ExternalDns, Self::CertManager];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::GatewayApi => "gateway-api",
            Self::ExternalDns => "external-dns",
            Self::CertManager => "cert-manager",
        }
    }

    /// The Go module that it comes from, and its version.
    ///
    /// ```
    /// assert!(allready_apiserver::catalog::Set::GatewayApi.source().starts_with("sigs.k8s.io/gateway-api v"));
    /// ```
    pub fn source(self) -> &'static str {
        self.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// The definitions.
    pub fn definitions(self) -> impl Iterator<Item = Value> {
        // A test reads every line.
        self.lines().skip(1).map(|line| serde_json::from_str(line).unwrap_or_default())
    }

    /// One that says where they are from, and one for each definition: made by `cargo xtask catalog`.
    fn lines(self) -> std::str::Lines<'static> {
        match self {
            Self::GatewayApi => include_str!("gateway-api.jsonl"),
            Self::ExternalDns => include_str!("external-dns.jsonl"),
            Self::CertManager => include_str!("cert-manager.jsonl"),
        }
        .lines()
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Set {
    type Err = UnknownSet;

    fn from_str(name: &str) -> Result<Self, UnknownSet> {
        Self::ALL.into_iter().find(|set| set.name() == name).ok_or_else(|| UnknownSet(name.to_owned()))
    }
}
