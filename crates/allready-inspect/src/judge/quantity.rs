//! Quantities of resources, as in `k8s.io/apimachinery/pkg/api/resource`: `500m`, `4Gi`, `1e3`.

use std::cmp::Ordering;

/// Compares two quantities; nothing where one cannot be read.
pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    parse(one)?.partial_cmp(&parse(other)?)
}

fn parse(text: &str) -> Option<f64> {
    let is_unit = |letter: char| letter.is_ascii_alphabetic();
    let (digits, unit) = text.split_at(text.find(is_unit).unwrap_or(text.len()));
    let factor = match unit {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024_f64,
        "Mi" => 1024_f64.powi(2),
        "Gi" => 1024_f64.powi(3),
        "Ti" => 1024_f64.powi(4),
        "Pi" => 1024_f64.powi(5),
        "Ei" => 1024_f64.powi(6),
        exponent => 10_f64.powi(exponent.strip_prefix(['e', 'E'])?.parse().ok()?),
    };
    let number: f64 = digits.parse().ok()?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_compared_by_their_amount() {
        for (one, other, expected) in [
            ("10", "10", Some(Ordering::Equal)),
            ("4096Mi", "4Gi", Some(Ordering::Equal)),
            ("1500m", "1.5", Some(Ordering::Equal)),
            ("1e3", "1k", Some(Ordering::Equal)),
            ("2E3", "1k", Some(Ordering::Greater)),
            ("900m", "1", Some(Ordering::Less)),
            ("1Gi", "1G", Some(Ordering::Greater)),
            ("", "1", None),
            ("1", "much", None),
            ("1Xi", "1", None),
            ("NaN", "1", None),
            ("inf", "1", None),
        ] {
            assert_eq!(compare(one, other), expected, "{one} {other}");
        }
    }
}
