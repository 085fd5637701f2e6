//! How a single value is written: what needs quotes, and which.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Number;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As it is.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// Line by line, after a bar.
    Literal,
}

pub(super) fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character needs no escape. Those beyond sixteen bits do.
pub(super) fn is_printable(letter: char) -> bool {
    matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && letter != '\u{feff}'
}

/// How a text is written, as a key or as a value.
pub(super) fn style(text: &str, key: bool) -> Style {
    let allowed = Allowed::read(text);
    if text.contains('\n') {
        return if allowed.block && !key { Style::Literal } else { Style::Double };
    }
    if means_something_else(text) || key && text.contains(is_break) {
        return Style::Double;
    }
    match allowed {
        Allowed { plain: true, .. } => Style::Plain,
        Allowed { single: true, .. } => Style::Single,
        _ => Style::Double,
    }
}

/// Which styles can hold a text.
struct Allowed {
    plain: bool,
    single: bool,
    block: bool,
}

impl Allowed {
    fn read(text: &str) -> Self {
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let mut before = None;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let then_blank = letters.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
            let after_blank =
                before.is_none_or(|before| matches!(before, ' ' | '\t' | '\0') || is_break(before));
            indicators |= match letter {
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    before.is_none()
                }
                '#' => after_blank,
                '?' | '-' => before.is_none() && then_blank,
                ':' => then_blank,
                _ => false,
            };
            special |= !is_printable(letter);
            breaks |= is_break(letter);
            break_space |= letter == ' ' && before.is_some_and(is_break);
            space_break |= is_break(letter) && before == Some(' ');
            before = Some(letter);
        }
        let edge = |letter: char| letter == ' ' || is_break(letter);
        let ragged = text.starts_with(edge) || text.ends_with(edge);
        Self {
            plain: !(ragged || indicators || breaks || special || space_break || break_space),
            single: !(special || space_break || break_space),
            block: !(special || space_break || text.ends_with(' ')),
        }
    }
}

/// Whether a text without quotes would be read as something other than text.
fn means_something_else(text: &str) -> bool {
    const WORDS: [&str; 38] = [
        "", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On",
        "ON", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", ".nan", ".NaN",
        ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf",
    ];
    WORDS.contains(&text)
        || text == "-.INF"
        // Go does not quote it, and reads it as the key of a merge.
        || text == "<<"
        || match text.chars().next() {
            Some('.') => GO_FLOAT.is_match(text),
            Some('+' | '-' | '0'..='9') => is_timestamp(text) || is_number(&text.replace('_', "")),
            _ => false,
        }
        || SEXAGESIMAL.is_match(text)
}

fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "the patterns are constants, and a test compiles them")]
    Regex::new(text).expect("a pattern that compiles")
}

static SEXAGESIMAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$"));
static GO_FLOAT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$"));
static FLOAT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"));
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^([-+]?)(?:(0[xX])([0-9a-fA-F]+)|(0[bB])([01]+)|(0[oO])([0-7]+)|(0)([0-7]+)|([0-9]+))$")
});
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d{2}:\d{2})| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$",
    )
});

/// Whether Go reads a number from it: decimal, hexadecimal, octal or binary.
fn is_number(text: &str) -> bool {
    let whole = WHOLE.captures(text).is_some_and(|found| {
        let negative = found.get(1).is_some_and(|sign| sign.as_str() == "-");
        let signed = found.get(1).is_some_and(|sign| !sign.as_str().is_empty());
        let bases = [(3, 16), (5, 2), (7, 8), (9, 8), (10, 10)];
        bases.into_iter().any(|(group, base)| {
            let Some(digits) = found.get(group) else { return false };
            match u64::from_str_radix(digits.as_str(), base) {
                Ok(value) if negative => value <= 1 << 63,
                Ok(value) => !signed || i64::try_from(value).is_ok(),
                Err(_) => false,
            }
        })
    });
    // What is too large for a float is none.
    whole || FLOAT.is_match(text) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_timestamp(text: &str) -> bool {
    let Some(found) = DATE.captures(text) else { return false };
    let number = |group: usize| found.get(group).and_then(|part| part.as_str().parse::<i64>().ok());
    let (Some(year), Some(month), Some(day)) = (number(1), number(2), number(3)) else { return false };
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    let within = |group: usize, limit: i64| number(group).is_none_or(|value| value < limit);
    (1..=days).contains(&day)
        && [4, 7].into_iter().all(|group| within(group, 24))
        && [5, 6, 8, 9].into_iter().all(|group| within(group, 60))
}

/// A number as Go writes it into JSON, reads it as YAML and writes it again: whole ones as such, others with an exponent
/// from a million on.
pub(super) fn number(number: &Number) -> String {
    if !number.is_f64() {
        return number.to_string();
    }
    let value = number.as_f64().unwrap_or_default();
    if value.fract() == 0.0 && (-9.2e18..1.8e19).contains(&value) {
        // Without the sign that zero may have.
        return if value == 0.0 { "0".into() } else { format!("{value:.0}") };
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}
