//! Amounts of resources: `500m`, `1Gi`, `12e6`. Answers have them in their canonical form.

/// An amount, in billionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Quantity {
    nanos: i128,
    style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Style {
    Binary,
    Decimal,
    Exponent,
}

const NANO: i128 = 1_000_000_000;
const FORM: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX: &str = "unable to parse quantity's suffix";
/// Beyond this, a number is cut: far more than any resource has.
const LARGEST: i128 = i128::MAX / 1_000_000;

impl Quantity {
    /// Reads an amount; the error is the real server's sentence.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (whole, rest) = rest.split_at(end);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.find(|l: char| !l.is_ascii_digit()).unwrap_or(rest.len())),
            None => ("", rest),
        };
        if text.is_empty() || suffix.chars().any(|letter| !"eEinumkKMGTP+-0123456789".contains(letter)) {
            return Err(FORM);
        }
        let (style, base, exponent) = interpret(suffix).ok_or(SUFFIX)?;
        let mut nanos = scaled(whole, fraction, base, exponent);
        if style == Style::Binary {
            nanos = nanos.min(i128::from(i64::MAX) * NANO);
        }
        Ok(Self { nanos: if negative { -nanos } else { nanos }, style })
    }

    /// A whole number.
    pub(crate) fn count(number: usize) -> Self {
        Self { nanos: i128::try_from(number).unwrap_or(LARGEST) * NANO, style: Style::Decimal }
    }

    /// The sum, written as the first amount is, or as the second where there is nothing of the first.
    pub(crate) fn plus(self, other: Self) -> Self {
        let style = if self.is_zero() { other.style } else { self.style };
        Self { nanos: self.nanos.saturating_add(other.nanos), style }
    }

    /// The difference, zero at least.
    pub(crate) fn less(self, other: Self) -> Self {
        let style = if self.is_zero() { other.style } else { self.style };
        Self { nanos: self.nanos.saturating_sub(other.nanos).max(0), style }
    }

    /// The number of times that it is another amount.
    pub(crate) fn ratio(self, other: Self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "Go compares ratios as floats too")]
        let ratio = self.nanos as f64 / other.nanos as f64;
        ratio
    }

    /// Rounded up to thousandths, as the amounts of resources are.
    pub(crate) fn to_millis(self) -> Self {
        Self { nanos: round_up(self.nanos, 1_000_000), ..self }
    }

    /// Whether it is zero.
    pub(crate) fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether it is below zero.
    pub(crate) fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(self) -> bool {
        self.nanos % NANO == 0
    }

    /// Compares two amounts, however they are written.
    pub(crate) fn exceeds(self, other: Self) -> bool {
        self.nanos > other.nanos
    }
}

fn round_up(nanos: i128, unit: i128) -> i128 {
    let cut = nanos / unit * unit;
    if nanos > cut { cut + unit } else { cut }
}

fn interpret(suffix: &str) -> Option<(Style, i128, i32)> {
    const DECIMAL: [(&str, i32); 10] = [
        ("n", -9),
        ("u", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((Style::Decimal, 10, *exponent));
    }
    if let Some((_, exponent)) = BINARY.iter().zip(1..).find(|(name, _)| **name == suffix) {
        return Some((Style::Binary, 1024, exponent));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Style::Exponent, 10, exponent))
}

/// The number in billionths, rounded up, and cut at [`LARGEST`].
fn scaled(whole: &str, fraction: &str, base: i128, exponent: i32) -> i128 {
    let mut digits = 0_i128;
    let mut shift = 9_i32;
    let mut rest = false;
    for (position, digit) in whole.bytes().chain(fraction.bytes()).enumerate() {
        if digits > LARGEST / 1_000_000_000_000_000 {
            rest |= digit != b'0';
            shift = shift.saturating_add(i32::from(position < whole.len()));
            continue;
        }
        digits = digits * 10 + i128::from(digit - b'0');
        shift -= i32::from(position >= whole.len());
    }
    let (power, shift) = if base == 10 { (0, shift.saturating_add(exponent)) } else { (exponent, shift) };
    for _ in 0..power {
        digits = digits.saturating_mul(1024).min(LARGEST);
    }
    if shift >= 0 {
        for _ in 0..shift.min(40) {
            digits = digits.saturating_mul(10).min(LARGEST);
        }
        return digits;
    }
    for _ in 0..shift.saturating_neg().min(40) {
        rest |= digits % 10 != 0;
        digits /= 10;
    }
    digits + i128::from(rest)
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mut number, mut exponent) = (self.nanos, -9);
        if number == 0 {
            return f.write_str("0");
        }
        let whole = number / NANO;
        if self.style == Style::Binary && self.is_whole() && whole.abs() >= 1024 {
            let (mut number, mut power) = (whole, 0);
            while number % 1024 == 0 && power < 6 {
                (number, power) = (number / 1024, power + 1);
            }
            return write!(
                f,
                "{number}{}",
                ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(power).unwrap_or(&"")
            );
        }
        while number % 1000 == 0 && exponent < 18 {
            (number, exponent) = (number / 1000, exponent + 3);
        }
        if self.style == Style::Exponent {
            return if exponent == 0 { write!(f, "{number}") } else { write!(f, "{number}e{exponent}") };
        }
        let names = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        let name = usize::try_from(exponent / 3 + 3).ok().and_then(|index| names.get(index)).unwrap_or(&"");
        write!(f, "{number}{name}")
    }
}
