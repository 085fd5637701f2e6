//! Where a JSON value ends, found without understanding it.

/// A value that is being passed over, piece by piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

/// What came of passing over some bytes.
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
                at += plain(&bytes[at..]);
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

/// How many bytes there are before the first one that means something within a string: a quote, a backslash or a line break.
/// Eight at a time: most of a dump is strings.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Not zero exactly where one of the eight is this byte; the lowest such bit is the first of them.
    let find = |word: u64, byte: u8| {
        let other = word ^ (ONES * u64::from(byte));
        other.wrapping_sub(ONES) & !other & HIGH
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = find(word, b'"') | find(word, b'\\') | find(word, b'\n');
        if found != 0 {
            return index * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let tail = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
    words.len() * 8 + tail.unwrap_or(rest.len())
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
    fn the_first_byte_with_a_meaning_is_found_in_every_place() {
        for length in 0..40 {
            for place in 0..length {
                for meaning in [b'"', b'\\', b'\n'] {
                    let mut text = vec![b'x'; length];
                    text[place] = meaning;
                    if place + 1 < length {
                        text[place + 1] = b'"';
                    }
                    assert_eq!(plain(&text), place);
                }
            }
            // Neighbours of the bytes that are looked for, and bytes above ASCII.
            let others: Vec<u8> = [0x21, 0x23, 0x5b, 0x5d, 0x0b, 0x09, 0xa2, 0xdc, 0x8a, 0xff, 0x00]
                .into_iter()
                .cycle()
                .take(length)
                .collect();
            assert_eq!(plain(&others), length);
        }
    }

    #[test]
    fn a_line_break_in_a_string_is_where_something_was_cut_off() {
        assert_eq!(Scan::default().pass(b"{\"a\": \"b\n{}"), Passed::Broken(8));
    }
}
