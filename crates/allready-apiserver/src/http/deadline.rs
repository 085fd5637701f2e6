//! The `timeout` of a request: nothing here takes that long, but one that is none is refused.

use std::fmt::Write as _;

use super::{info::Info, path};
use crate::status::Failure;

/// Refuses a `timeout` that is no duration. Watches have another one, `timeoutSeconds`, and this one means nothing to them.
pub(super) fn check(info: &Info, query: &[(String, String)]) -> Result<(), Failure> {
    let text = path::first(query, "timeout").unwrap_or_default();
    if text.is_empty() || info.verb == "watch" {
        return Ok(());
    }
    parse(text).map_err(|why| {
        Failure::bad_request(format!("invalid timeout specified in the request URL - time: {why}"))
    })
}

/// Reads a duration such as `1h15m30.918s`, or says what is wrong with it.
fn parse(text: &str) -> Result<(), String> {
    let invalid = || format!("invalid duration {}", quote(text));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, after) = rest.split_at(digits(rest));
        let (part, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", after),
        };
        if whole.is_empty() && part.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|letter: char| letter == '.' || letter.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if unit.is_empty() {
            return Err(format!("missing unit in duration {}", quote(text)));
        }
        let Some(nanoseconds) = nanoseconds(unit) else {
            return Err(format!("unknown unit {} in duration {}", quote(unit), quote(text)));
        };
        // A part of a unit cannot make the sum too large by itself.
        let whole = if whole.is_empty() { Some(0) } else { whole.parse::<u64>().ok() };
        let length = whole.and_then(|whole| whole.checked_mul(nanoseconds));
        sum = length.and_then(|length| length.checked_add(sum)).ok_or_else(invalid)?;
        if sum > 1 << 63 {
            return Err(invalid());
        }
        rest = after;
    }
    Ok(())
}

/// A text in quotes, every byte that is no plain letter as its number.
fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn durations_are_read_as_the_real_server_reads_them() {
        for right in ["0", "-0", "5s", "1h15m30.918s", "+.5m", "1.s", "-3ms", "1µs2us", "2562047h"] {
            assert_eq!(parse(right), Ok(()), "{right}");
        }
        for (wrong, why) in [
            ("x", "invalid duration \"x\""),
            ("-", "invalid duration \"-\""),
            (".s", "invalid duration \".s\""),
            ("5", "missing unit in duration \"5\""),
            ("1m5", "missing unit in duration \"1m5\""),
            ("5 s", "unknown unit \" s\" in duration \"5 s\""),
            ("1d", "unknown unit \"d\" in duration \"1d\""),
            ("9999999h", "invalid duration \"9999999h\""),
            ("µ\"", "invalid duration \"\\xc2\\xb5\\\"\""),
        ] {
            assert_eq!(parse(wrong), Err(why.to_owned()));
        }
    }
}
