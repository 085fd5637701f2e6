//! How Go prints values: what stands in the texts of the real server.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// A string as Go's `%q` has it.
///
/// ```
/// use allready_apiserver::status::quote;
///
/// assert_eq!(quote("a\"b\u{7f}é"), r#""a\"b\x7fé""#);
/// ```
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            letter if printable(letter) => out.push(letter),
            letter => {
                let code = u32::from(letter);
                let _ = match code {
                    0..=0x7f => write!(out, "\\x{code:02x}"),
                    0x80..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
    out
}

/// Go prints letters, marks, numbers, punctuation, symbols and the ASCII space. The standard library has the same table
/// behind `escape_debug`, which treats marks specially only where they come first.
fn printable(letter: char) -> bool {
    if letter.is_ascii() {
        return (' '..='~').contains(&letter);
    }
    let behind: String = ['a', letter].iter().collect();
    behind.escape_debug().nth(1) == Some(letter)
}

/// A value as an error about a field shows it.
pub(crate) fn display(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Number(number) => match float(number) {
            Some(float) => general(float),
            None => number.to_string(),
        },
        other => json_text(other),
    }
}

/// A value as Go's `json.Marshal` writes it, with what could end a script element escaped.
pub(crate) fn json_text(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out, 0);
    out
}

fn write_json(value: &Value, out: &mut String, depth: usize) {
    match value {
        // The decoder lets nothing this deep in.
        Value::Array(_) | Value::Object(_) if depth > 10_000 => {}
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(item, out, depth + 1);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            for (index, (key, item)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_json(item, out, depth + 1);
            }
            out.push('}');
        }
        Value::String(text) => write_string(text, out),
        Value::Number(number) => match float(number) {
            Some(float) => out.push_str(&marshalled(float)),
            None => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn write_string(text: &str, out: &mut String) {
    for letter in Value::from(text).to_string().chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
}

/// Whole numbers within 64 bits stay whole; everything else is a float there.
fn float(number: &Number) -> Option<f64> {
    if number.is_i64() { None } else { number.as_f64() }
}

/// `%v` of a float: the shortest digits, with an exponent below 1e-4 and from 1e6 on.
pub(crate) fn general(float: f64) -> String {
    let (digits, exponent) = shortest(float);
    if (-4..6).contains(&exponent) { plain(float) } else { scientific(float, &digits, exponent) }
}

/// How `json.Marshal` writes a float.
fn marshalled(float: f64) -> String {
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let (digits, exponent) = shortest(float);
        // Negative exponents lose the leading zero there.
        return scientific(float, &digits, exponent).replace("e-0", "e-");
    }
    plain(float)
}

fn plain(float: f64) -> String {
    // `-0` stays `-0` in Go as well.
    float.to_string()
}

fn scientific(float: f64, digits: &str, exponent: i32) -> String {
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let (first, rest) = digits.split_at(digits.len().min(1));
    let dot = if rest.is_empty() { "" } else { "." };
    let mark = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{dot}{rest}e{mark}{:02}", exponent.abs())
}

/// The shortest digits that mean the float, and the exponent of the first of them.
fn shortest(float: f64) -> (String, i32) {
    let text = format!("{:e}", float.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.replace('.', ""), exponent.parse().unwrap_or(0))
}
