//! Texts cut into words, without a copy of them.

/// A word in lower case. Of one longer than any that is known, the beginning is kept.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    bytes: [u8; Self::MAX],
    len: u8,
}

impl Token {
    const MAX: usize = 30;

    fn of(word: &[u8]) -> Self {
        let mut bytes = [0; Self::MAX];
        let mut len = 0;
        for (into, from) in bytes.iter_mut().zip(word) {
            *into = from.to_ascii_lowercase();
            len += 1;
        }
        Self { bytes, len }
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

/// The words of a text: `ImagePullBackOff` has four, `HTTPRoute not found` has four, `phase2` has two.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        let run = |from: usize, is: fn(&u8) -> bool| {
            from + bytes[from..].iter().take_while(|byte| is(byte)).count()
        };
        match bytes.get(start)? {
            b'0'..=b'9' => at = run(start, u8::is_ascii_digit),
            b'a'..=b'z' => at = run(start, u8::is_ascii_lowercase),
            _ => {
                let capitals = run(start, u8::is_ascii_uppercase);
                let is_before_small = bytes.get(capitals).is_some_and(u8::is_ascii_lowercase);
                at = match capitals - start {
                    1 if is_before_small => run(capitals, u8::is_ascii_lowercase),
                    _ if is_before_small => capitals - 1,
                    _ => capitals,
                };
            }
        }
        Some(Token::of(&bytes[start..at]))
    })
}

/// A name with nothing but its letters and digits, in lower case: `In-Progress` and `inProgress` are the same.
pub(crate) struct Flat {
    bytes: [u8; Self::MAX],
    len: u8,
    is_cut: bool,
}

impl Flat {
    const MAX: usize = 64;

    /// A name longer than any that is known comes to nothing.
    pub(crate) fn of(name: &str) -> Self {
        let mut flat = Self { bytes: [0; Self::MAX], len: 0, is_cut: false };
        for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
            let Some(into) = flat.bytes.get_mut(usize::from(flat.len)) else {
                return Self { bytes: [0; Self::MAX], len: 0, is_cut: true };
            };
            *into = byte.to_ascii_lowercase();
            flat.len += 1;
        }
        flat
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }

    /// Tells whether it was too long.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_a_person_sees_them_end() {
        for (text, expected) in [
            ("ImagePullBackOff", "image pull back off"),
            ("HTTPRoute not-found", "http route not found"),
            ("phase2", "phase 2"),
            ("ABc", "a bc"),
            ("A", "a"),
            ("Ab", "ab"),
            ("doesn't exist", "doesn t exist"),
            ("OK", "ok"),
            ("ünïcode", "n code"),
            ("", ""),
            ("…", ""),
        ] {
            let found: Vec<String> = tokens(text).map(|token| token.as_str().to_owned()).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_flat_name_has_no_case_and_no_signs() {
        assert_eq!(Flat::of("In-Progress_2").as_str(), "inprogress2");
        let long = Flat::of(&"a".repeat(65));
        assert_eq!((long.as_str(), long.is_cut()), ("", true));
    }
}
