//! The order of keys: letters after other characters, digits by the numbers that they are.

use std::cmp::Ordering;

pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    for (place, (here, there)) in one.iter().zip(&other).enumerate() {
        if here == there {
            continue;
        }
        return match (here.is_alphabetic(), there.is_alphabetic()) {
            (true, true) => here.cmp(there),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => numbers(&one, &other, place).then_with(|| here.cmp(there)),
        };
    }
    one.len().cmp(&other.len())
}

/// Compares the numbers that go on at a place, if any; then how many digits they have.
fn numbers(one: &[char], other: &[char], place: usize) -> Ordering {
    let is_zero = |keys: &[char]| keys.get(place) == Some(&'0');
    let before = one.get(..place).unwrap_or_default().iter().rev();
    // A zero counts only behind other digits.
    let counts = (is_zero(one) || is_zero(other))
        && before.take_while(|letter| is_digit(**letter)).any(|letter| *letter != '0');
    let number = |keys: &[char]| {
        let mut value = i64::from(counts);
        let mut digits = 0_usize;
        for letter in keys.get(place..).unwrap_or_default().iter().take_while(|letter| is_digit(**letter)) {
            let digit = i64::from(u32::from(*letter)) - i64::from(u32::from('0'));
            value = value.wrapping_mul(10).wrapping_add(digit);
            digits += 1;
        }
        (value, digits)
    };
    number(one).cmp(&number(other))
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}
