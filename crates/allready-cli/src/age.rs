//! How long ago something was, as kubectl says it.

pub(crate) use allready_inspect::words::age;

/// How long something took.
pub(crate) fn milliseconds(milliseconds: i64) -> String {
    if milliseconds < 10_000 { format!("{milliseconds}ms") } else { format!("{}s", milliseconds / 1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_long_is_told_in_seconds() {
        assert_eq!((milliseconds(3), milliseconds(10_000)), ("3ms".into(), "10s".into()));
    }
}
