//! Times as they are written: RFC 3339, and what people and programs write in its place where the meaning is clear.

use jiff::{SignedDuration, civil, tz::Offset};

use super::Time;

/// How a time that can be read differs from RFC 3339 as Go and the API server read it; the last one, where several apply.
///
/// ```
/// use allready_core::found::{self, IrregularityKind, TimeProblem};
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Ready", "status": "True", "reason": "Ok", "message": "", "lastTransitionTime": "2026-03-01T10:00:00"}]);
/// let list = found::read(&conditions);
/// let kind = &list.irregularities()[0].kind;
/// assert!(kind.to_string().contains(&TimeProblem::NoZone.to_string()), "{kind}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TimeProblem {
    /// A fraction with a comma or with more than nine digits.
    #[error("has a fraction of a second with a comma or more than nine digits")]
    Fraction,
    /// A space or a small letter.
    #[error("has no `T` between date and time")]
    Separator,
    /// A zone in other words or with another punctuation.
    #[error("has a zone that is neither `Z` nor like `+02:00`")]
    Zone,
    /// More than the time.
    #[error("has something else before or after the time")]
    Surroundings,
    /// No zone at all.
    #[error("names no zone, so that UTC is assumed")]
    NoZone,
    /// A number.
    #[error("counts seconds since 1970")]
    Number,
}

/// The numbers that are taken for seconds since 1970: from 2001, as nothing in a cluster is older, to before the first
/// number that would be a sensible count of milliseconds.
const PLAUSIBLE_SECONDS: std::ops::Range<f64> = 1e9..1e11;

/// The instant that a text means, and how the text differs from RFC 3339.
pub(crate) fn from_text(text: &str) -> Option<(Time, Option<TimeProblem>)> {
    let trimmed = text.trim();
    let mut problems = Problems((trimmed.len() != text.len()).then_some(TimeProblem::Surroundings));
    let mut rest = Rest(trimmed.as_bytes());

    let year = rest.number(4)?;
    rest.one_of(b"-")?;
    let month = rest.two_digits()?;
    rest.one_of(b"-")?;
    let day = rest.two_digits()?;
    if rest.one_of(b"Tt ")? != b'T' {
        problems.note(TimeProblem::Separator);
    }
    let hour = rest.two_digits()?;
    rest.one_of(b":")?;
    let minute = rest.two_digits()?;
    rest.one_of(b":")?;
    let second = rest.two_digits()?;
    if let Some(point) = rest.one_of(b".,") {
        let digits = rest.skip_digits();
        if digits == 0 {
            return None;
        }
        if digits > 9 || point == b',' {
            problems.note(TimeProblem::Fraction);
        }
    }
    let offset = zone(&mut rest, &mut problems)?;
    match rest.0.first() {
        None => {}
        // More of a number could change what was read so far.
        Some(b'0'..=b'9' | b'+' | b'-' | b':' | b'.') => return None,
        Some(_) => problems.note(TimeProblem::Surroundings),
    }

    let local = civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let time = Time::from_second(offset.to_timestamp(local).ok()?.as_second()).ok()?;
    Some((time, problems.0))
}

/// The instant that a number of seconds since 1970 means; none where it may well mean something else.
pub(crate) fn from_number(number: f64) -> Option<Time> {
    if !PLAUSIBLE_SECONDS.contains(&number) {
        return None;
    }
    Time::from_second(SignedDuration::try_from_secs_f64(number).ok()?.as_secs()).ok()
}

fn zone(rest: &mut Rest<'_>, problems: &mut Problems) -> Option<Offset> {
    if rest.0.is_empty() {
        problems.note(TimeProblem::NoZone);
        return Some(Offset::UTC);
    }
    // Go prints `2025-03-24 21:31:02 +0000 UTC`, Python and Ruby ` UTC`.
    if rest.one_of(b" ").is_some() {
        problems.note(TimeProblem::Zone);
    }
    if let Some(after) = rest.0.strip_prefix(b"UTC") {
        rest.0 = after;
        problems.note(TimeProblem::Zone);
        return Some(Offset::UTC);
    }
    let sign = match rest.one_of(b"Zz+-")? {
        b'Z' => return Some(Offset::UTC),
        b'z' => {
            problems.note(TimeProblem::Zone);
            return Some(Offset::UTC);
        }
        b'-' => -1,
        _ => 1,
    };
    let hours = rest.two_digits()?;
    let minutes = if rest.one_of(b":").is_some() {
        rest.two_digits()?
    } else {
        problems.note(TimeProblem::Zone);
        rest.two_digits().unwrap_or(0)
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (i32::from(hours) * 3600 + i32::from(minutes) * 60)).ok()
}

/// The gravest problem so far.
struct Problems(Option<TimeProblem>);

impl Problems {
    fn note(&mut self, problem: TimeProblem) {
        self.0 = self.0.max(Some(problem));
    }
}

/// What is still to be read.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// The next byte, if it is one of these.
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// A number of exactly this many digits, or nothing is read; four are the most that fit.
    fn number(&mut self, digits: usize) -> Option<i16> {
        let (head, rest) = self.0.split_at_checked(digits)?;
        let number = head.iter().try_fold(0_i16, |number, byte| {
            let digit = byte.is_ascii_digit().then(|| i16::from(byte - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })?;
        self.0 = rest;
        Some(number)
    }

    fn two_digits(&mut self) -> Option<i8> {
        // Two digits are at most 99.
        self.number(2).and_then(|number| i8::try_from(number).ok())
    }

    fn skip_digits(&mut self) -> usize {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = self.0.get(digits..).unwrap_or_default();
        digits
    }
}
