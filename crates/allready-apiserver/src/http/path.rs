//! Paths and queries, decoded.

/// A path with its escapes resolved; `None` when an escape is broken.
pub(crate) fn decode(path: &str) -> Option<String> {
    unescape(path, false)
}

/// The segments of a decoded path. Slashes at its end mean nothing.
pub(crate) fn segments(path: &str) -> Vec<&str> {
    let trimmed = path.trim_end_matches('/');
    let inner = trimmed.strip_prefix('/').unwrap_or(trimmed);
    if inner.is_empty() { Vec::new() } else { inner.split('/').collect() }
}

/// The pairs of a query, in order. What cannot be decoded is left out, and so is what has a semicolon.
pub(crate) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
    pairs
        .filter_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescape(key, true)?, unescape(value, true)?))
        })
        .collect()
}

/// The first value of a parameter, which is the one that counts.
pub(crate) fn first<'a>(query: &'a [(String, String)], name: &str) -> Option<&'a str> {
    query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn unescape(text: &str, plus_is_space: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => bytes.push(hex(rest.next()?)? << 4 | hex(rest.next()?)?),
            b'+' if plus_is_space => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
