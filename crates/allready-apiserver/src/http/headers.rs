//! Headers of answers.

use http::{HeaderMap, HeaderValue, header};

/// After this many characters of warnings each is cut short.
const WARNINGS: usize = 4 * 1024;
/// How short.
const WARNING: usize = 256;

/// What every answer has.
pub(crate) fn common(headers: &mut HeaderMap, audit: &str) {
    set(headers, "audit-id", audit);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
}

/// Sets a header, unless its value is none that a header can have.
pub(crate) fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}

/// Adds `Warning` headers: each text once, and cut short when all of them together are long.
pub(crate) fn warn(headers: &mut HeaderMap, texts: &[String]) {
    let mut unique: Vec<&str> = Vec::new();
    for text in texts.iter().map(String::as_str).filter(|text| !text.is_empty()) {
        if !unique.contains(&text) {
            unique.push(text);
        }
    }
    let total: usize = unique.iter().map(|text| text.chars().count()).sum();
    let mut written = 0;
    for text in unique {
        if total > WARNINGS && written >= WARNINGS {
            break;
        }
        let text: String = text.chars().take(if total > WARNINGS { WARNING } else { usize::MAX }).collect();
        // What has control characters cannot be a header.
        if text.chars().any(char::is_control) {
            continue;
        }
        written += text.chars().count();
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{quoted}\"").as_bytes()) {
            headers.append(header::WARNING, value);
        }
    }
}
