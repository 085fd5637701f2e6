//! The names that a record may have, and the targets that it may point to.

use std::{net::IpAddr, sync::Arc};

use super::{RecordType, words::quoted};
use crate::hub::Address;

/// A target and the type of record that it needs.
pub(super) type Target = (RecordType, Arc<str>);

/// Returns the target that this address can be in DNS, or why it cannot be any.
pub(super) fn of_address(address: &Address) -> Result<Target, String> {
    let value = &*address.value;
    match &*address.type_ {
        "IPAddress" | "" => {
            of_ip(value).ok_or_else(|| format!("{} is no IP address to point to", quoted(value)))
        }
        "Hostname" => {
            of_hostname(value).ok_or_else(|| format!("{} is no hostname to point to", quoted(value)))
        }
        other => Err(format!("{} has the type {}, which DNS cannot hold", quoted(value), quoted(other))),
    }
}

/// The target in its canonical form, if a record of this type may point to it.
pub(super) fn of_record(type_: RecordType, text: &str) -> Option<Arc<str>> {
    let (found, target) = match type_ {
        RecordType::A | RecordType::Aaaa => of_ip(text)?,
        RecordType::Cname => of_hostname(text)?,
    };
    (found == type_).then_some(target)
}

fn of_ip(text: &str) -> Option<Target> {
    // An IPv4 address in the clothes of an IPv6 one cannot be reached as such.
    let address = text.parse::<IpAddr>().ok()?.to_canonical();
    let is_of_one_machine = match address {
        IpAddr::V4(four) => four.is_loopback() || four.is_link_local() || four.is_broadcast(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unicast_link_local(),
    };
    // A cluster must not be able to send people to themselves, or to their neighbours. Private networks are served on purpose.
    if address.is_unspecified() || address.is_multicast() || is_of_one_machine {
        return None;
    }
    let type_ = if address.is_ipv4() { RecordType::A } else { RecordType::Aaaa };
    Some((type_, address.to_string().into()))
}

fn of_hostname(text: &str) -> Option<Target> {
    let name = folded(text);
    let is_local = name.rsplit('.').next() == Some("localhost");
    let is_usable = is_name(&name) && name.parse::<IpAddr>().is_err() && !is_local;
    is_usable.then(|| (RecordType::Cname, name.into()))
}

/// A name as it is compared: in lower case, without a dot at the end.
pub(in crate::hub) fn folded(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// Returns true if external-dns would take a record of this name, which is folded; it may stand for all names below another.
pub(super) fn is_record_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES && is_name(name.strip_prefix("*.").unwrap_or(name))
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES && name.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_inner =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    (1..=63).contains(&label.len())
        && label.bytes().all(is_inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

const MAX_NAME_BYTES: usize = 253;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(type_: &str, value: &str) -> Result<Target, String> {
        of_address(&Address { type_: type_.into(), value: value.into() })
    }

    #[test]
    fn an_address_has_one_text_however_it_is_written() {
        assert_eq!(address("IPAddress", "172.31.200.0"), Ok((RecordType::A, "172.31.200.0".into())));
        assert_eq!(address("", "172.31.200.0"), Ok((RecordType::A, "172.31.200.0".into())));
        let six = Ok((RecordType::Aaaa, "2001:db8::1".into()));
        assert_eq!(address("IPAddress", "2001:DB8:0:0:0:0:0:1"), six);
        assert_eq!(address("IPAddress", "::ffff:10.0.0.1"), Ok((RecordType::A, "10.0.0.1".into())));
        assert_eq!(address("Hostname", "LB.Example.NET."), Ok((RecordType::Cname, "lb.example.net".into())));
    }

    #[test]
    fn what_cannot_be_a_target_is_told_with_its_reason() {
        let told = |type_, value| address(type_, value).unwrap_err();
        assert_eq!(told("IPAddress", "10.0.0"), "\"10.0.0\" is no IP address to point to");
        assert_eq!(told("IPAddress", "0.0.0.0"), "\"0.0.0.0\" is no IP address to point to");
        assert_eq!(told("IPAddress", "ff02::1"), "\"ff02::1\" is no IP address to point to");
        assert_eq!(told("Hostname", "10.0.0.1"), "\"10.0.0.1\" is no hostname to point to");
        assert_eq!(told("Hostname", "*.example.com"), "\"*.example.com\" is no hostname to point to");
        assert_eq!(told("Hostname", ""), "\"\" is no hostname to point to");
        assert_eq!(told("Hostname", "a..b"), "\"a..b\" is no hostname to point to");
        assert_eq!(
            told("example.com/Rack", "r1"),
            "\"r1\" has the type \"example.com/Rack\", which DNS cannot hold"
        );
    }

    #[test]
    fn a_hostile_cluster_sends_nobody_to_himself_or_to_his_neighbours() {
        for hostile in [
            "127.0.0.1",
            "127.8.8.8",
            "::1",
            "::ffff:127.0.0.1",
            "169.254.169.254",
            "fe80::1",
            "255.255.255.255",
        ] {
            assert!(address("IPAddress", hostile).is_err(), "{hostile}");
        }
        for hostile in
            ["localhost", "LOCALHOST.", "a.localhost", "*.com", "a b", "a/b", "http://a", "a\nb", "."]
        {
            assert!(address("Hostname", hostile).is_err(), "{hostile}");
        }
        assert!(address("IPAddress", "10.0.0.1").is_ok(), "private networks are served on purpose");
    }

    #[test]
    fn a_record_of_a_type_points_to_that_type_alone() {
        assert_eq!(of_record(RecordType::A, "10.0.0.1"), Some("10.0.0.1".into()));
        assert_eq!(of_record(RecordType::A, "2001:db8::1"), None);
        assert_eq!(of_record(RecordType::Aaaa, "2001:0db8::1"), Some("2001:db8::1".into()));
        assert_eq!(of_record(RecordType::Cname, "10.0.0.1"), None);
    }

    #[test]
    fn a_record_may_be_called_by_a_wildcard_at_the_front_alone() {
        assert!(is_record_name("*.example.com"));
        assert!(is_record_name("_acme.example.com"));
        for illegal in ["", "*", "a.*.example.com", "-a.example.com", "a-.com", "a b", &"a".repeat(64)] {
            assert!(!is_record_name(illegal), "{illegal}");
        }
        assert!(!is_record_name(&format!("{}com", "a.".repeat(126))));
    }
}
