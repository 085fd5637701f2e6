//! What names and other words may look like where only built-in kinds have them.
//!
//! Follows `k8s.io/apimachinery/pkg/util/validation`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Errors, spot::Spot};
use crate::{names, status::quote};

/// The name of a port: `http`.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut refuse = |wrong: bool, why: &str| {
        if wrong {
            problems.push(why.to_owned());
        }
    };
    let simple = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    refuse(name.len() > 15, "must be no more than 15 characters");
    refuse(
        name.is_empty() || !name.bytes().all(simple),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    refuse(!name.bytes().any(|byte| byte.is_ascii_lowercase()), "must contain at least one letter (a-z)");
    refuse(name.contains("--"), "must not contain consecutive hyphens");
    refuse(name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen");
    problems
}

/// A port by number or by name.
pub(super) fn port(port: &Spot<'_>, errors: &mut Errors) {
    if port.value.is_string() {
        port.problems(port_name(port.text()), errors);
    } else {
        port.within(1, 65535, errors);
    }
}

/// The key of a config map or a secret.
pub(super) fn data_key(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if key.len() > 253 {
        problems.push("must be no more than 253 characters".to_owned());
    }
    let simple = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if key.is_empty() || !key.bytes().all(simple) {
        problems.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                .to_owned(),
        );
    }
    match key {
        "." => problems.push("must not be '.'".to_owned()),
        ".." => problems.push("must not be '..'".to_owned()),
        _ if key.starts_with("..") => problems.push("must not start with '..'".to_owned()),
        _ => {}
    }
    problems
}

/// The name of an environment variable.
pub(super) fn variable(name: &str) -> Vec<String> {
    if name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        return Vec::new();
    }
    vec![
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
            .to_owned(),
    ]
}

/// Labels, or what selects by them: every mistake is told of the whole map.
pub(super) fn labels(labels: &Spot<'_>, errors: &mut Errors) {
    for (key, value) in labels.entries() {
        let refuse = |found: &str, problems: Vec<String>, errors: &mut Errors| {
            for problem in problems {
                errors.push(crate::status::FieldError::invalid(labels.place.as_str(), found, problem));
            }
        };
        refuse(key, names::qualified(key), errors);
        refuse(value.text(), names::label_value(value.text()), errors);
    }
}

/// The keys of annotations.
pub(super) fn annotations(annotations: &Spot<'_>, errors: &mut Errors) {
    for (key, _) in annotations.entries() {
        for problem in names::qualified(&key.to_lowercase()) {
            errors.push(crate::status::FieldError::invalid(
                annotations.place.as_str(),
                key.as_str(),
                problem,
            ));
        }
    }
}

/// An IP address, as an old API has it.
pub(super) fn address(address: &Spot<'_>, errors: &mut Errors) {
    address.problems(old_address_problems(address.text()), errors);
}

fn old_address_problems(text: &str) -> Vec<String> {
    let Some(read) = read_address(text) else {
        return vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()];
    };
    let zeros = text.parse::<IpAddr>().is_err().then_some("must not have leading 0s");
    let mapped = is_mapped(read).then_some("must not be an IPv4-mapped IPv6 address");
    zeros.into_iter().chain(mapped).map(str::to_owned).collect()
}

/// The problem with an IP address where it must be in canonical form.
pub(crate) fn address_problems(text: &str) -> Vec<String> {
    let mut problems = old_address_problems(text);
    if let (Ok(read), true) = (text.parse::<IpAddr>(), problems.is_empty())
        && read.to_string() != text
    {
        problems.push(format!("must be in canonical form ({})", quote(&read.to_string())));
    }
    problems
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// A range of addresses.
pub(super) fn range(range: &Spot<'_>, errors: &mut Errors) {
    let (start, bits) = range.text().split_once('/').unwrap_or_default();
    let Some(read) = read_address(start).filter(|_| is_range(range.text())) else {
        return range.invalid("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)", errors);
    };
    let kept = bits.parse::<u32>().unwrap_or_default();
    let beyond = match read {
        IpAddr::V4(four) => four.to_bits().checked_shl(kept).unwrap_or(0) != 0,
        IpAddr::V6(six) => six.to_bits().checked_shl(kept).unwrap_or(0) != 0,
    };
    if start.parse::<IpAddr>().is_err() || (bits.len() > 1 && bits.starts_with('0')) {
        range.invalid("must not have leading 0s in IP or prefix length", errors);
    } else if is_mapped(read) {
        range.invalid("must not have an IPv4-mapped IPv6 address", errors);
    } else if beyond {
        range.invalid("must not have bits set beyond the prefix length", errors);
    }
}

fn is_range(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = match read_address(address) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    bits.bytes().all(|byte| byte.is_ascii_digit()) && bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

/// Numbers with leading zeros are read as decimal ones.
pub(crate) fn read_address(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    let mut octets = [0_u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *octet = part.parse().ok()?;
    }
    parts.next().is_none().then_some(IpAddr::V4(Ipv4Addr::from(octets)))
}

/// A path that must lead downwards.
pub(super) fn no_steps_back(path: &Spot<'_>, errors: &mut Errors) {
    if path.text().split('/').any(|part| part == "..") {
        path.invalid("must not contain '..'", errors);
    }
}

/// A path that must lead downwards from where it starts.
pub(super) fn descending(path: &Spot<'_>, errors: &mut Errors) {
    if path.text().starts_with('/') {
        path.invalid("must be a relative path", errors);
    }
    no_steps_back(path, errors);
}

/// The name of an HTTP header.
pub(super) fn header(name: &str) -> Vec<String> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Vec::new();
    }
    vec!["a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')".to_owned()]
}

/// An address that something outside can be reached by.
pub(super) fn not_special(address: &Spot<'_>, errors: &mut Errors) {
    let Some(read) = read_address(address.text()) else { return };
    let (local, multicast) = match read {
        IpAddr::V4(four) => (four.is_link_local(), four.octets().starts_with(&[224, 0, 0])),
        IpAddr::V6(six) => (six.is_unicast_link_local(), six.segments()[0] & 0xff0f == 0xff02),
    };
    if read.is_unspecified() {
        address.invalid(format!("may not be unspecified ({})", address.text()), errors);
    }
    if read.is_loopback() {
        address.invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)", errors);
    }
    if local {
        address.invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)", errors);
    }
    if multicast {
        let why = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
        address.invalid(why, errors);
    }
}
