//! The limits of the schema of a kind on a status.

use allready_core::condition::cut;
use allready_kube::kinds::TargetKind;

use super::Address;

/// The limits of the schema of a kind on a status: what goes beyond it would make the API server refuse all of it.
///
/// ```
/// use allready_controller::hub::Limits;
/// use allready_kube::kinds::TargetKind;
///
/// let of = |api_version: &str, kind: &str| Limits::of(&TargetKind {
///     api_version: api_version.into(), kind: kind.into(), ..Default::default()
/// });
/// let gateway = of("gateway.networking.k8s.io/v1", "Gateway");
/// assert_eq!((gateway.addresses, gateway.listeners, gateway.conditions), (16, 64, 8));
/// assert_eq!(of("example.com/v1", "Widget"), Limits::NONE);
/// assert!(!of("apps/v1", "Deployment").has_generations);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most addresses.
    pub addresses: usize,
    /// The most bytes of the value of an address.
    pub address_bytes: usize,
    /// The most listeners.
    pub listeners: usize,
    /// The most bytes of the name of a listener; it is a DNS subdomain then.
    pub listener_bytes: Option<usize>,
    /// The most conditions, everybody's together.
    pub conditions: usize,
    /// True if a condition can say which generation it is about.
    pub has_generations: bool,
}

impl Limits {
    /// None that are known.
    pub const NONE: Self = Self {
        addresses: usize::MAX,
        address_bytes: usize::MAX,
        listeners: usize::MAX,
        listener_bytes: None,
        conditions: usize::MAX,
        has_generations: true,
    };

    /// Those of kinds that are older than the usual form of a condition.
    pub const BUILT_IN: Self = Self { has_generations: false, ..Self::NONE };

    /// Those of a Gateway of the Gateway API.
    pub const GATEWAY: Self = Self {
        addresses: 16,
        address_bytes: 253,
        listeners: 64,
        listener_bytes: Some(253),
        conditions: 8,
        has_generations: true,
    };

    /// Those of this kind.
    pub fn of(target: &TargetKind) -> Self {
        let group = target.api_version.split_once('/').map_or("", |(group, _)| group);
        match (group, target.kind.as_str()) {
            ("gateway.networking.k8s.io", "Gateway") => Self::GATEWAY,
            // Their conditions have a form of their own, and a field too many is refused with all the others.
            (
                ""
                | "apps"
                | "autoscaling"
                | "batch"
                | "apiregistration.k8s.io"
                | "certificates.k8s.io"
                | "flowcontrol.apiserver.k8s.io",
                _,
            ) => Self::BUILT_IN,
            _ => Self::NONE,
        }
    }

    /// Why an address cannot stand in a status; none where it can.
    pub(super) fn against_address(&self, address: &Address) -> Option<String> {
        let bytes = address.value.len();
        (bytes > self.address_bytes).then(|| {
            let most = self.address_bytes;
            format!("address {} has {bytes} bytes, and {most} is the most", cut(&address.value, SHOWN))
        })
    }

    /// Why a listener of this name cannot stand in a status; none where it can.
    pub(super) fn against_listener(&self, name: &str) -> Option<String> {
        let most = self.listener_bytes?;
        if name.len() > most {
            Some(format!("listener {} has {} bytes, and {most} is the most", cut(name, SHOWN), name.len()))
        } else if !is_subdomain(name) {
            Some(format!("listener {:?} is no name of small letters, digits, `-` and `.`", cut(name, SHOWN)))
        } else {
            None
        }
    }
}

/// The most bytes of a name that cannot stand.
const SHOWN: usize = 120;

fn is_subdomain(name: &str) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.split('.').all(|label| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(is_word)
            && bytes.last().is_some_and(is_word)
            && bytes.iter().all(|byte| is_word(byte) || *byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k9_the_name_of_a_listener_is_a_dns_subdomain_of_253_bytes() {
        let limits = Limits::GATEWAY;
        for name in ["cluster-1.api", "cluster-1.a.b", &format!("c.{}", "a".repeat(251))] {
            assert_eq!(limits.against_listener(name), None, "{name}");
        }
        for name in [
            "cluster_1.api",
            "cluster-1.API",
            "cluster-1.",
            "cluster-1.-a",
            &format!("c.{}", "a".repeat(252)),
        ] {
            assert!(limits.against_listener(name).is_some(), "{name}");
            assert_eq!(Limits::NONE.against_listener(name), None, "other kinds have no such rule");
        }
    }

    #[test]
    fn k8_an_address_has_253_bytes() {
        let of = |bytes: usize| Address { type_: "x/y".into(), value: "a".repeat(bytes).into() };
        assert_eq!(Limits::GATEWAY.against_address(&of(253)), None);
        let told = Limits::GATEWAY.against_address(&of(254)).unwrap();
        assert!(told.ends_with("has 254 bytes, and 253 is the most"), "{told}");
        assert_eq!(Limits::NONE.against_address(&of(254)), None);
    }
}
