//! The formats that the server knows; all others mean nothing.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use regex::Regex;

use crate::schema::{Schema, Shape};

/// The format that counts at a node: one the server knows, on a type it goes with.
pub(crate) fn effective(schema: &Schema) -> Option<&str> {
    let format = schema.checks.as_ref()?.format.as_deref()?;
    let known = match schema.shape {
        _ if schema.untyped => is_known(format),
        Shape::String | Shape::IntOrString | Shape::Any => is_known(format),
        Shape::Integer => matches!(format, "int32" | "int64"),
        Shape::Number => matches!(format, "float" | "double"),
        Shape::Object(_) | Shape::Array(_) | Shape::Boolean => false,
    };
    known.then_some(format)
}

const KNOWN: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

fn is_known(format: &str) -> bool {
    KNOWN.contains(&format.replace('-', "").as_str())
}

/// Whether a text is of a format. Dashes in the format's name mean nothing.
pub(crate) fn matches(format: &str, text: &str) -> bool {
    match format.replace('-', "").as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "uri" => is_request_uri(text),
        "email" => is_email(text),
        "hostname" => is_hostname(text),
        "ipv4" => text.contains('.') && sloppy_ip(text).is_some(),
        "ipv6" => text.contains(':') && text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" => UUID.is_match(text),
        "uuid3" => UUID3.is_match(text),
        "uuid4" => UUID4.is_match(text),
        "uuid5" => UUID5.is_match(text),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => text.len() == 11 && SSN.is_match(text),
        "hexcolor" => HEX_COLOR.is_match(text),
        "rgbcolor" => RGB_COLOR.is_match(text),
        "byte" => BASE64.is_match(text),
        "date" => is_date(text),
        "datetime" => is_date_time(text),
        "duration" => is_go_duration(text) || is_loose_duration(text),
        "k8sshortname" => text.len() <= 63 && SHORT_NAME.is_match(text),
        "k8slongname" => text.len() <= 253 && LONG_NAME.is_match(text),
        _ => true,
    }
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| compiled($pattern));)*
    };
}

patterns! {
    UUID = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID3 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID4 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    UUID5 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    HOSTNAME = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    SSN = "^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$";
    HEX_COLOR = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    RGB_COLOR = r"^rgb\(\s*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*,\s*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*,\s*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*\)$";
    BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$";
    CARD = "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$";
    CLOCK = "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    GO_DURATION = "^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";
    LOOSE_DURATION = r"([0-9]+)\s*([A-Za-zµ]+)";
    SHORT_NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
    LONG_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles every one")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern compiles")
}

fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && HOSTNAME.is_match(text)
}

/// An absolute path, or something with a scheme.
fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return false;
    }
    let (scheme, rest) = match text.split_once(':') {
        _ if text.starts_with('/') => ("", text),
        Some((scheme, rest)) => (scheme, rest),
        None => return false,
    };
    if !text.starts_with('/') {
        let mut letters = scheme.chars();
        let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
        if !first || !letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter)) {
            return false;
        }
        if !rest.starts_with('/') {
            // Opaque, as in `mailto:a@b`.
            return true;
        }
    }
    let before_query = rest.split(['?']).next().unwrap_or(rest);
    let (host, path) = match before_query.strip_prefix("//") {
        Some(after) if !(scheme.is_empty() && before_query.starts_with("///")) => {
            after.find('/').map_or((after, ""), |at| after.split_at(at))
        }
        _ => ("", before_query),
    };
    escapes_are_whole(path) && is_authority(host)
}

fn escapes_are_whole(text: &str) -> bool {
    text.split('%')
        .skip(1)
        .all(|after| after.len() >= 2 && after.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

fn is_authority(text: &str) -> bool {
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let (name, port) = match host.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((_, after)) => ("", after),
            None => return false,
        },
        None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    let allowed = |letter: char| {
        !letter.is_ascii() || letter.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:%\"<>[]".contains(letter)
    };
    port.bytes().all(|byte| byte.is_ascii_digit()) && name.chars().all(allowed)
}

/// `a@b`, or `Name <a@b>`.
fn is_email(text: &str) -> bool {
    let text = text.trim();
    let address = match text.split_once('<') {
        Some((_, rest)) => match rest.strip_suffix('>') {
            Some(address) => address,
            None => return false,
        },
        None => text,
    };
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let atom = |letter: char| {
        !letter.is_ascii() || letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(letter)
    };
    let dots = |part: &str| !part.starts_with('.') && !part.ends_with('.') && !part.contains("..");
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let literal = domain.starts_with('[') && domain.ends_with(']');
    !local.is_empty()
        && !domain.is_empty()
        && (quoted || (local.chars().all(atom) && dots(local)))
        && (literal || (domain.chars().all(atom) && dots(domain)))
}

/// Leading zeros in the parts of an IPv4 address are let through.
fn sloppy_ip(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse().ok();
    }
    let parts: Vec<_> = text.split('.').map(|part| part.trim_start_matches('0')).collect();
    let whole = text.split('.').all(|part| !part.is_empty() && part.len() <= 16);
    let clean: Vec<_> = parts.iter().map(|part| if part.is_empty() { "0" } else { part }).collect();
    if !whole {
        return None;
    }
    clean.join(".").parse::<Ipv4Addr>().ok().map(IpAddr::V4)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let most = match sloppy_ip(address) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    digits && length.parse::<u32>().is_ok_and(|length| length <= most)
}

fn is_mac(text: &str) -> bool {
    let hex =
        |part: &str, size: usize| part.len() == size && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = |mark: char, size: usize, counts: &[usize]| {
        let parts: Vec<_> = text.split(mark).collect();
        counts.contains(&parts.len()) && parts.iter().all(|part| hex(part, size))
    };
    let bare = [12, 16, 40].iter().any(|size| hex(text, *size));
    bare || parts(':', 2, &[6, 8, 20]) || parts('-', 2, &[6, 8, 20]) || parts('.', 4, &[3, 4, 10])
}

fn bare_digits(text: &str) -> Vec<u32> {
    let kept = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '-');
    kept.map(|letter| if letter == 'X' { 10 } else { letter.to_digit(10).unwrap_or(99) }).collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = bare_digits(text);
    digits.len() == 10
        && digits.iter().take(9).all(|digit| *digit < 10)
        && digits.iter().all(|digit| *digit <= 10)
        && (1..).zip(&digits).map(|(weight, digit): (u32, &u32)| weight * digit).sum::<u32>() % 11 == 0
}

fn is_isbn13(text: &str) -> bool {
    let digits = bare_digits(text);
    let weights = [1, 3].into_iter().cycle();
    digits.len() == 13
        && digits.iter().all(|digit| *digit < 10)
        && weights.zip(&digits).map(|(weight, digit)| weight * digit).sum::<u32>() % 10 == 0
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sum: u32 = digits
        .chars()
        .rev()
        .filter_map(|letter| letter.to_digit(10))
        .enumerate()
        .map(|(index, digit)| if index % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit })
        .sum();
    CARD.is_match(&digits) && sum.is_multiple_of(10)
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut halves = lower.split('t');
    let (Some(date), Some(clock)) = (halves.next(), halves.next()) else { return false };
    let Some(parts) = CLOCK.captures(clock) else { return false };
    let most = |index: usize, most: &str| parts.get(index).is_some_and(|part| part.as_str() <= most);
    is_date(date) && most(1, "23") && most(2, "59") && most(3, "59")
}

fn is_go_duration(text: &str) -> bool {
    GO_DURATION.is_match(text)
}

/// `2 days`, anywhere in the text.
fn is_loose_duration(text: &str) -> bool {
    const UNITS: [&[&str]; 8] = [
        &["ns", "nano"],
        &["us", "µs", "micro"],
        &["ms", "milli"],
        &["s", "sec"],
        &["m", "min"],
        &["h", "hr", "hour"],
        &["d", "day"],
        &["w", "wk", "week"],
    ];
    let mut found = false;
    for parts in LOOSE_DURATION.captures_iter(text) {
        let (Some(number), Some(unit)) = (parts.get(1), parts.get(2)) else { continue };
        if number.as_str().parse::<i64>().is_err() {
            return false;
        }
        let unit = unit.as_str().to_lowercase();
        found |= UNITS.iter().any(|names| {
            names.contains(&unit.as_str()) || names.last().is_some_and(|last| unit.starts_with(last))
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, matches};

    #[test]
    fn every_known_format_can_be_asked() {
        for format in KNOWN {
            for text in ["", "x", "1.2.3.4", "2020-01-01T00:00:00Z", "rgb(1,2,3)", "1h"] {
                let _ = matches(format, text);
            }
        }
    }
}
