//! Points in time as Go reads and writes them: to the second, or to the microsecond.

use jiff::Timestamp;

const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Reads RFC 3339 as Go does, and says what is wrong in Go's words.
pub(crate) fn parse(text: &str, micros: bool) -> Result<Timestamp, String> {
    let layout = if micros { MICROS } else { SECONDS };
    let stuck = |rest: &str, piece: &str| {
        format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {piece:?}")
    };
    let range = |what: &str| format!("parsing time {text:?}: {what} out of range");
    let mut rest = text;
    let mut numbers = [0_i64; 6];
    let pieces =
        [("2006", 4, "-"), ("01", 2, "-"), ("02", 2, "T"), ("15", 2, ":"), ("04", 2, ":"), ("05", 2, "")];
    let limits = [
        ("year", 0, 9999),
        ("month", 1, 12),
        ("day", 1, 31),
        ("hour", 0, 23),
        ("minute", 0, 59),
        ("second", 0, 59),
    ];
    for (((piece, width, after), (what, low, high)), number) in
        pieces.into_iter().zip(limits).zip(numbers.iter_mut())
    {
        let digits = rest.get(..width).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(digits) = digits else { return Err(stuck(rest, piece)) };
        *number = digits.parse().unwrap_or(0);
        if *number < low || *number > high {
            return Err(range(what));
        }
        rest = rest.get(width..).unwrap_or_default();
        rest = rest.strip_prefix(after).ok_or_else(|| stuck(rest, after))?;
    }
    let mut nanos = 0_i64;
    let digits: String = match rest.strip_prefix('.') {
        Some(rest) => rest.chars().take_while(char::is_ascii_digit).collect(),
        None => String::new(),
    };
    if micros {
        if digits.len() < 6 {
            return Err(stuck(rest, ".000000"));
        }
        nanos = digits.get(..6).and_then(|six| six.parse::<i64>().ok()).unwrap_or(0) * 1000;
        rest = rest.get(7..).unwrap_or_default();
    } else if !digits.is_empty() {
        rest = rest.get(1 + digits.len()..).unwrap_or_default();
    }
    let offset = if let Some(after) = rest.strip_prefix('Z') {
        rest = after;
        0
    } else {
        let offset = zone(rest).ok_or_else(|| stuck(rest, "Z07:00"))?;
        rest = rest.get(6..).unwrap_or_default();
        offset
    };
    if !rest.is_empty() {
        return Err(format!("parsing time {text:?}: extra text: {rest:?}"));
    }
    let [year, month, day, hour, minute, second] = numbers;
    let small = |number: i64| i8::try_from(number).unwrap_or(0);
    let civil = jiff::civil::DateTime::new(
        i16::try_from(year).unwrap_or(0),
        small(month),
        small(day),
        small(hour),
        small(minute),
        small(second),
        i32::try_from(nanos).unwrap_or(0),
    )
    .map_err(|_| range("day"))?;
    let offset = jiff::tz::Offset::from_seconds(offset).map_err(|_| stuck(rest, "Z07:00"))?;
    offset.to_timestamp(civil).map_err(|_| range("year"))
}

fn zone(text: &str) -> Option<i32> {
    let bytes = text.get(..6)?;
    let sign = match bytes.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let number = |from: usize| -> Option<i32> {
        bytes.get(from..from + 2).filter(|two| two.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
    };
    if bytes.get(3..4)? != ":" {
        return None;
    }
    Some(sign * (number(1)? * 3600 + number(4)? * 60))
}

/// Writes a time as Go does.
pub(crate) fn format(time: Timestamp, micros: bool) -> String {
    if micros {
        time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
    } else {
        time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
