//! The end of a JSON value, found without understanding it.

/// A value that is being passed over, piece by piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

/// The outcome of passing over some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The value ends behind so many bytes.
    Ended(usize),
    /// It goes on behind them.
    All,
    /// A line break within a string, so many bytes from here: no JSON has that, so that something was cut off before.
    Broken(usize),
}

impl Scan {
    /// Passes over bytes of an object, an array or a string; its first byte is the first one that was ever given.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> Passed {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                if std::mem::take(&mut self.is_escaped) {
                    at += 1;
                    continue;
                }
                // A quote, a backslash or a line break: the bytes that mean something within a string.
                at += memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                match bytes.get(at) {
                    Some(b'"') => {
                        self.in_string = false;
                        at += 1;
                        if self.depth == 0 {
                            return Passed::Ended(at);
                        }
                    }
                    Some(b'\\') => {
                        self.is_escaped = true;
                        at += 1;
                    }
                    Some(_) => return Passed::Broken(at),
                    None => {}
                }
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Passed::Ended(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Passed::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_at_the_same_place_however_it_is_cut() {
        let value = br#"{"a": ["}", "\"]", {"b\\": "a longer text, with \"quotes\" in it"}], "c": 1}"#;
        let text: Vec<u8> = value.iter().chain(b" {}").copied().collect();
        for size in 1..text.len() {
            let (mut scan, mut before) = (Scan::default(), 0);
            let end = text.chunks(size).find_map(|chunk| match scan.pass(chunk) {
                Passed::Ended(at) => Some(before + at),
                Passed::All => {
                    before += chunk.len();
                    None
                }
                Passed::Broken(at) => panic!("broken at {at}"),
            });
            assert_eq!(end, Some(value.len()), "in chunks of {size}");
        }
    }

    #[test]
    fn a_line_break_in_a_string_is_where_something_was_cut_off() {
        assert_eq!(Scan::default().pass(b"{\"a\": \"b\n{}"), Passed::Broken(8));
    }
}
