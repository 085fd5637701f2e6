//! Names of rows: `cluster/address` and `cluster.listener`, joined and taken apart again.

use std::sync::Arc;

use super::{Address, ClusterName};

/// The type of an IP address of a cluster, in the status of a hub object.
pub const IP_ADDRESS: &str = "kuadrant.io/MultiClusterIPAddress";
/// The type of a hostname of a cluster, in the status of a hub object.
pub const HOSTNAME: &str = "kuadrant.io/MultiClusterHostname";
/// The spelling in Kuadrant's code, where its text spells it as above.
const HOSTNAME_TOO: &str = "kuadrant.io/MultiClusterHostnameAddress";

const NATIVE_IP_ADDRESS: &str = "IPAddress";
const NATIVE_HOSTNAME: &str = "Hostname";

/// An address of a cluster as a row of the hub object. None for types that no other cluster could make sense of.
///
/// ```
/// use allready_controller::hub::{Address, join_address, split_address};
///
/// let cluster = "cluster-1".parse().unwrap();
/// let address = Address { type_: "IPAddress".into(), value: "2001:db8::1".into() };
/// let row = join_address(&cluster, &address).unwrap();
/// assert_eq!((&*row.type_, &*row.value), ("kuadrant.io/MultiClusterIPAddress", "cluster-1/2001:db8::1"));
/// assert_eq!(split_address(&row), Some((cluster, address)));
/// ```
pub fn join_address(cluster: &ClusterName, address: &Address) -> Option<Address> {
    let type_ = match &*address.type_ {
        NATIVE_IP_ADDRESS | "" => IP_ADDRESS,
        NATIVE_HOSTNAME => HOSTNAME,
        _ => return None,
    };
    Some(Address { type_: type_.into(), value: format!("{cluster}/{}", address.value).into() })
}

/// The cluster and the address that a row is made of; none for what is no such row.
pub fn split_address(row: &Address) -> Option<(ClusterName, Address)> {
    let type_ = native(&row.type_)?;
    let (cluster, value) = row.value.split_once('/').filter(|(_, value)| !value.is_empty())?;
    Some((ClusterName::new(cluster).ok()?, Address { type_: type_.into(), value: value.into() }))
}

/// Returns true if an address is of a type that only a hub object has.
pub(super) fn is_row(address: &Address) -> bool {
    native(&address.type_).is_some()
}

fn native(type_: &str) -> Option<&'static str> {
    match type_ {
        IP_ADDRESS => Some(NATIVE_IP_ADDRESS),
        HOSTNAME | HOSTNAME_TOO => Some(NATIVE_HOSTNAME),
        _ => None,
    }
}

/// The name of a listener of a cluster in the hub object.
///
/// ```
/// use allready_controller::hub::{join_listener, split_listener};
///
/// let cluster = "cluster-1".parse().unwrap();
/// assert_eq!(join_listener(&cluster, "api.v2"), "cluster-1.api.v2");
/// assert_eq!(split_listener("cluster-1.api.v2"), Some((cluster, "api.v2".into())));
/// ```
pub fn join_listener(cluster: &ClusterName, listener: &str) -> String {
    format!("{cluster}.{listener}")
}

/// The cluster and the listener that a row is about; none for what is no such row. The name of a cluster has no dots.
pub fn split_listener(row: &str) -> Option<(ClusterName, Arc<str>)> {
    let (cluster, listener) = row.split_once('.').filter(|(_, listener)| !listener.is_empty())?;
    Some((ClusterName::new(cluster).ok()?, listener.into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn address(type_: &str, value: &str) -> Address {
        Address { type_: type_.into(), value: value.into() }
    }

    #[test]
    fn mc11_what_was_joined_is_taken_apart_again() {
        let cluster: ClusterName = "cluster-1".parse().unwrap();
        for native in [
            address("IPAddress", "172.31.200.0"),
            address("IPAddress", "2001:db8::1"),
            address("IPAddress", "fe80::1%eth0/64"),
            address("Hostname", "lb.example.com"),
        ] {
            let row = join_address(&cluster, &native).unwrap();
            assert_eq!(split_address(&row), Some((cluster.clone(), native)));
        }
        for listener in ["api", "api.v2", "a.b.c"] {
            let row = join_listener(&cluster, listener);
            assert_eq!(split_listener(&row), Some((cluster.clone(), listener.into())));
        }
    }

    #[test]
    fn mc11_a_value_without_a_separator_is_skipped() {
        for value in ["172.31.200.0", "", "/1.2.3.4", "cluster-1/", "cluster_1/1.2.3.4", "Cluster-1/1.2.3.4"]
        {
            assert_eq!(split_address(&address(IP_ADDRESS, value)), None, "{value:?}");
        }
        for name in ["api", "", ".api", "cluster-1.", "cluster_1.api"] {
            assert_eq!(split_listener(name), None, "{name:?}");
        }
        assert_eq!(split_address(&address("IPAddress", "cluster-1/1.2.3.4")), None, "a native type");
    }

    #[test]
    fn k8_both_spellings_of_a_hostname_are_read_and_one_is_written() {
        let cluster: ClusterName = "cluster-1".parse().unwrap();
        let native = address("Hostname", "lb.example.com");
        assert_eq!(&*join_address(&cluster, &native).unwrap().type_, "kuadrant.io/MultiClusterHostname");
        for type_ in ["kuadrant.io/MultiClusterHostname", "kuadrant.io/MultiClusterHostnameAddress"] {
            let split = split_address(&address(type_, "cluster-1/lb.example.com"));
            assert_eq!(split, Some((cluster.clone(), native.clone())));
        }
    }

    #[test]
    fn k8_an_address_without_a_type_is_an_ip_address_and_other_types_are_dropped() {
        let cluster: ClusterName = "cluster-1".parse().unwrap();
        assert_eq!(&*join_address(&cluster, &address("", "1.2.3.4")).unwrap().type_, IP_ADDRESS);
        for type_ in ["NamedAddress", "example.com/Other", IP_ADDRESS] {
            assert_eq!(join_address(&cluster, &address(type_, "x")), None);
        }
    }

    proptest! {
        #[test]
        fn k9_any_cluster_and_any_name_make_a_row_that_can_be_taken_apart(
            cluster in "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name in ".{1,80}", is_hostname in any::<bool>(),
        ) {
            let cluster: ClusterName = cluster.parse().unwrap();
            let native = address(if is_hostname { "Hostname" } else { "IPAddress" }, &name);
            let row = join_address(&cluster, &native).unwrap();
            prop_assert_eq!(split_address(&row), Some((cluster.clone(), native)));
            prop_assert_eq!(split_listener(&join_listener(&cluster, &name)), Some((cluster, name.as_str().into())));
        }
    }
}
