//! The names that a record may have, and the targets that it may point to.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

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
    // A cluster must not be able to send people to themselves, or to their neighbours. Private networks are served on purpose.
    let is_refused = match address {
        IpAddr::V4(four) => is_nobodys(four),
        IpAddr::V6(six) => {
            six.is_unspecified()
                || six.is_loopback()
                || six.is_multicast()
                || six.is_unicast_link_local()
                || METADATA_V6.contains(&six)
                || embedded(six).is_some_and(is_nobodys)
        }
    };
    if is_refused {
        return None;
    }
    let type_ = if address.is_ipv4() { RecordType::A } else { RecordType::Aaaa };
    Some((type_, address.to_string().into()))
}

/// Metadata services of clouds beside the link-local ones, where machines get their credentials: of AWS and of Google.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];
/// The same of Alibaba, and of Oracle.
const METADATA_V4: [Ipv4Addr; 2] = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192)];

/// Returns true for an address that means the reader's own machine, its neighbours or its cloud, or that no host can have: this network
/// (0.0.0.0/8), loopback, link-local, multicast and reserved (240.0.0.0/4).
fn is_nobodys(four: Ipv4Addr) -> bool {
    let first = four.octets()[0];
    first == 0
        || first >= 240
        || four.is_loopback()
        || four.is_link_local()
        || four.is_multicast()
        || METADATA_V4.contains(&four)
}

/// The IPv4 address that an IPv6 one leads to: `::a.b.c.d`, NAT64 (RFC 6052, RFC 8215) and 6to4 (RFC 3056).
fn embedded(six: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match six.segments() {
        [0, 0, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

/// Names that mean the reader's own machine, or what its cloud answers to them alone.
const LOCAL: [&str; 5] = ["localhost", "localdomain", "ip6-localhost", "ip6-loopback", "internal"];

fn of_hostname(text: &str) -> Option<Target> {
    let name = folded(text);
    let is_local = name.rsplit('.').next().is_some_and(|last| LOCAL.contains(&last));
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
            "0.0.0.1",
            "240.0.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "::127.0.0.1",
            "::169.254.169.254",
            "64:ff9b::127.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::10:127.0.0.1",
            "2002:7f00:1::1",
            "fd00:ec2::254",
            "fd20:ce::254",
        ] {
            assert!(address("IPAddress", hostile).is_err(), "{hostile}");
        }
        for hostile in
            ["localhost", "LOCALHOST.", "a.localhost", "*.com", "a b", "a/b", "http://a", "a\nb", "."]
                .into_iter()
                .chain(["ip6-localhost", "ip6-loopback", "localhost.localdomain", "metadata.google.internal"])
        {
            assert!(address("Hostname", hostile).is_err(), "{hostile}");
        }
        for private in
            ["10.0.0.1", "100.64.0.1", "192.168.0.1", "fd00::1", "64:ff9b::10.0.0.1", "2002:a00:1::1"]
        {
            assert!(
                address("IPAddress", private).is_ok(),
                "{private}: private networks are served on purpose"
            );
        }
        assert!(address("Hostname", "internal.example.com").is_ok());
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
