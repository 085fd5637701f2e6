//! Text that fits: wrapped between words, shortened at its end, and the branches of a tree.

/// The signs that a tree is drawn with.
#[derive(Debug)]
pub(crate) struct Signs {
    pub(crate) fork: &'static str,
    pub(crate) last: &'static str,
    pub(crate) bar: &'static str,
    pub(crate) gap: &'static str,
    pub(crate) dots: &'static str,
}

const LINES: Signs = Signs { fork: "├─ ", last: "└─ ", bar: "│  ", gap: "   ", dots: "…" };
const ASCII: Signs = Signs { fork: "|- ", last: "`- ", bar: "|  ", gap: "   ", dots: "..." };

impl Signs {
    /// Returns the signs of ASCII, or those of Unicode.
    pub(crate) fn of(is_ascii: bool) -> &'static Self {
        if is_ascii { &ASCII } else { &LINES }
    }

    pub(crate) fn is_ascii(&self) -> bool {
        self.dots == ASCII.dots
    }

    /// The beginning of a line, and that of the lines below it.
    pub(crate) fn branch(&self, prefix: &str, is_last: bool) -> (String, String) {
        let (own, below) = if is_last { (self.last, self.gap) } else { (self.fork, self.bar) };
        (format!("{prefix}{own}"), format!("{prefix}{below}"))
    }
}

/// Tells whether the locale is not UTF-8. As the C library decides it: the first of these that is set and not empty.
pub(crate) fn is_ascii_locale() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let locale = locale.unwrap_or_default().to_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// The number of columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// A text of at most so many characters, the last of which says that there is more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.char_indices().nth(most).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// `1 object`, `2 objects`.
pub(crate) fn count(count: impl TryInto<u64>, one: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Lines of a text, broken between words: a word that is longer than a line has one of its own.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The same in at most so many lines of this width; the last one says that there is more.
pub(crate) fn wrap_at_most(text: &str, room: usize, most: usize) -> Vec<String> {
    let mut lines = wrap(text, room);
    let is_cut = lines.len() > most;
    lines.truncate(most);
    for line in &mut lines {
        *line = cut(line, room);
    }
    if is_cut && let Some(last) = lines.last_mut() {
        // Words make room for the sign, but for a single one, which is cut itself.
        while width(last) + 2 > room
            && let Some((begin, _)) = last.rsplit_once(' ')
        {
            *last = begin.to_owned();
        }
        *last = if width(last) + 2 > room { cut(&format!("{last}…"), room) } else { format!("{last} …") };
    }
    lines
}

/// Lines that begin with an indent; whole where there is no terminal to fit.
pub(crate) fn indented(text: &str, indent: &str, room: Option<usize>) -> String {
    let lines = match room {
        Some(room) => wrap(text, room.saturating_sub(width(indent)).max(20)),
        None => vec![text.to_owned()],
    };
    lines.iter().fold(String::new(), |text, line| text + indent + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words_and_shortened_at_its_end() {
        assert_eq!(cut("élan", 4), "élan");
        assert_eq!(cut("élans", 4), "éla…");
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("a long-word b", 4), ["a", "long-word", "b"]);
        assert_eq!(wrap_at_most("one two three four", 9, 2), ["one two", "three …"]);
        assert_eq!(wrap_at_most("one two three four", 9, 3), ["one two", "three", "four"]);
        assert_eq!(wrap_at_most("abcdefgh ijkl", 6, 1), ["abcde…"]);
        assert_eq!(indented("one two", "  ", None), "  one two\n");
    }

    #[test]
    fn things_are_counted_in_words() {
        assert_eq!((count(1_usize, "kind"), count(0_u64, "kind")), ("1 kind".into(), "0 kinds".into()));
    }
}
