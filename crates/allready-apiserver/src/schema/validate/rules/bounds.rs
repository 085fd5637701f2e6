//! How deep an expression nests, found out before anything that recurses reads it.
//!
//! cel-go reads no expression that nests deeper than 250 levels or is longer than 100,000 characters. The parser here has no
//! limit of its own and would run out of stack, so the same limits are applied to the text. A program within them is read
//! and run on a stack that has room for it.

/// Levels of brackets and of conditions in conditions; and how many operators of one level may lean on each other.
pub(super) const DEEPEST: u16 = 250;
/// How high an expression may be altogether, when brackets and operators alternate.
const HIGHEST: usize = 500;
/// Characters of an expression.
const LONGEST: usize = 100_000;
/// Up to this depth any thread's stack will do.
const SHALLOW: usize = 4;
/// Room for one level of an expression. Only what is used of it is ever taken from the machine.
const ROOM: usize = 1 << 20;

/// How deep an expression nests, or why it is refused; and the expression with pairs of `!` and of signs blanked out: the
/// parser reads what follows a pair twice, and then takes the pair for one.
pub(super) fn measure(source: &str) -> Result<(usize, String), String> {
    let characters = source.chars().count();
    if characters > LONGEST {
        let why = format!("expression code point size exceeds limit: size: {characters}, limit {LONGEST}");
        return Err(refusal(&why));
    }
    let mut scan = Scan { open: vec![Level::default()], deepest: 0 };
    let mut words = Words { source: source.as_bytes(), at: 0, unclosed: [false; 2] };
    let mut before = Word::Operator;
    let mut plain = source.as_bytes().to_vec();
    let mut sign = None;
    let mut next = words.next();
    while let Some(word) = next {
        let at = words.at.saturating_sub(1);
        next = words.next();
        scan.take(word, before, next)?;
        let byte = source.as_bytes().get(at).copied().filter(|byte| b"!-".contains(byte));
        let unary = word == Word::Operator && !matches!(before, Word::Operand | Word::Close);
        sign = match (byte.filter(|_| unary), sign) {
            (Some(byte), Some((other, first))) if byte == other => {
                for place in [first, at] {
                    plain.get_mut(place).into_iter().for_each(|byte| *byte = b' ');
                }
                None
            }
            (Some(byte), _) => Some((byte, at)),
            (None, _) => None,
        };
        before = word;
    }
    while scan.open.len() > 1 {
        scan.close();
    }
    scan.check()?;
    Ok((scan.deepest, String::from_utf8(plain).unwrap_or_else(|_| source.to_owned())))
}

/// Does something with an expression of this depth where there is room for it.
pub(crate) fn roomy<T>(depth: usize, run: impl FnOnce() -> T) -> T {
    if depth <= SHALLOW {
        return run();
    }
    let room = ROOM.saturating_mul(depth);
    stacker::maybe_grow(room, room, run)
}

fn refusal(why: &str) -> String {
    format!("ERROR: <input>:-1:0: {why}")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// A name, a number or a text.
    Operand,
    Open,
    Close,
    Dot,
    Question,
    /// What parts one expression from the next: a comma, a colon, and the operators whose chains are balanced.
    Parts {
        comma: bool,
    },
    Operator,
}

/// The words of an expression; comments and blanks left out.
struct Words<'a> {
    source: &'a [u8],
    at: usize,
    /// Whether triple quotes of a kind are known to be closed nowhere.
    unclosed: [bool; 2],
}

impl Words<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.source.get(self.at.saturating_add(ahead)).copied().unwrap_or_default()
    }

    fn next(&mut self) -> Option<Word> {
        loop {
            let byte = *self.source.get(self.at)?;
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == b'/' && self.peek(1) == b'/' {
                self.skip(|byte| byte != b'\n');
            } else {
                return Some(self.word(byte));
            }
        }
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        self.at += self.source.iter().skip(self.at).take_while(|byte| wanted(**byte)).count();
    }

    fn word(&mut self, byte: u8) -> Word {
        let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        if name(byte) {
            let start = self.at;
            self.skip(name);
            let prefix = self.source.get(start..self.at).unwrap_or_default();
            let quoted = matches!(self.peek(0), b'"' | b'\'') && prefix.len() <= 2;
            if quoted && prefix.iter().all(|byte| b"rRbB".contains(byte)) {
                self.text(prefix.iter().any(|byte| b"rR".contains(byte)));
            }
            return Word::Operand;
        }
        let double = byte == self.peek(1);
        let (length, word) = match byte {
            b'"' | b'\'' => {
                self.text(false);
                return Word::Operand;
            }
            b'(' | b'[' | b'{' => (1, Word::Open),
            b')' | b']' | b'}' => (1, Word::Close),
            b'.' => (1, Word::Dot),
            b'?' => (1, Word::Question),
            b',' => (1, Word::Parts { comma: true }),
            b':' => (1, Word::Parts { comma: false }),
            b'&' | b'|' if double => (2, Word::Parts { comma: false }),
            b'=' | b'!' | b'<' | b'>' if self.peek(1) == b'=' => (2, Word::Operator),
            _ => (1, Word::Operator),
        };
        self.at += length;
        word
    }

    /// A text in quotes, triple or single. Where it is none, the quote is passed over alone: nothing hides behind it.
    fn text(&mut self, raw: bool) {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        let known = usize::from(quote != b'"');
        if triple && self.unclosed.get(known) == Some(&false) {
            if let Some(end) = self.end_of_text(3, raw) {
                self.at = end;
                return;
            }
            // Looked for once, it need not be looked for again.
            if let Some(unclosed) = self.unclosed.get_mut(known) {
                *unclosed = true;
            }
        }
        self.at = self.end_of_text(1, raw).unwrap_or(self.at + 1);
    }

    fn end_of_text(&self, width: usize, raw: bool) -> Option<usize> {
        let quote = self.peek(0);
        let mut at = self.at + width;
        loop {
            let rest = self.source.get(at..)?;
            match rest.first()? {
                byte if *byte == quote && rest.iter().take_while(|byte| **byte == quote).count() >= width => {
                    return Some(at + width);
                }
                b'\n' | b'\r' if width == 1 => return None,
                b'\\' if !raw => at += escape(rest.get(1..)?)?,
                _ => at += 1,
            }
        }
    }
}

/// How long an escape is with its backslash; `None` for what is no escape.
fn escape(after: &[u8]) -> Option<usize> {
    let digits = |count: usize, digit: fn(&u8) -> bool| {
        after.get(1..=count).is_some_and(|digits| digits.iter().all(digit)).then_some(count + 2)
    };
    match after.first()? {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`' => Some(2),
        b'x' | b'X' => digits(2, u8::is_ascii_hexdigit),
        b'u' => digits(4, u8::is_ascii_hexdigit),
        b'U' => digits(8, u8::is_ascii_hexdigit),
        b'0'..=b'3' => digits(2, |digit| matches!(digit, b'0'..=b'7')),
        _ => None,
    }
}

/// What stands between two brackets, as far as it was read.
#[derive(Default)]
struct Level {
    /// Whether it holds an expression, and not only blanks.
    filled: bool,
    /// Conditions (`a ? b : …`) that what follows is the last part of.
    conditions: usize,
    /// The last operand: `a.b[c].d` leans on itself.
    operand: Height,
    /// The chain of operators up to here.
    chain: Height,
    /// The highest of what was parted off.
    highest: Height,
}

impl Level {
    fn height(&self) -> Height {
        self.highest.max(self.chain).max(self.operand)
    }
}

/// How high something is, with what its brackets hold and without.
#[derive(Default, Clone, Copy)]
struct Height {
    whole: usize,
    bare: usize,
}

impl Height {
    fn max(self, other: Self) -> Self {
        Self { whole: self.whole.max(other.whole), bare: self.bare.max(other.bare) }
    }

    fn plus(self, more: usize) -> Self {
        Self { whole: self.whole + more, bare: self.bare + more }
    }
}

struct Scan {
    open: Vec<Level>,
    deepest: usize,
}

impl Scan {
    fn take(&mut self, word: Word, before: Word, next: Option<Word>) -> Result<(), String> {
        let operand_before = matches!(before, Word::Operand | Word::Close);
        let Some(level) = self.open.last_mut() else { return Ok(()) };
        match word {
            Word::Dot => level.operand = level.operand.plus(1),
            Word::Open => {
                level.operand = level.operand.plus(usize::from(operand_before));
                let filled = next != Some(Word::Close);
                self.open.push(Level { filled, ..Level::default() });
            }
            Word::Close => self.close(),
            Word::Question if operand_before => {
                level.conditions += 1;
                Self::part(level);
            }
            Word::Parts { comma } => {
                Self::part(level);
                if comma {
                    level.conditions = 0;
                }
            }
            // `--a` and `!!a` are one operator.
            Word::Operator if operand_before => {
                level.chain = level.chain.max(level.operand).plus(1);
                level.operand = Height::default();
            }
            Word::Operand | Word::Question | Word::Operator => {}
        }
        self.check()
    }

    fn part(level: &mut Level) {
        level.highest = level.height();
        level.chain = Height::default();
        level.operand = Height::default();
    }

    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(closed) = self.open.pop() else { return };
        let whole = closed.height().whole + closed.conditions + 1;
        if let Some(level) = self.open.last_mut() {
            level.operand.whole = level.operand.whole.max(whole);
        }
    }

    fn check(&mut self) -> Result<(), String> {
        let levels = self.open.iter().map(|level| usize::from(level.filled) + level.conditions);
        let depth = levels.sum::<usize>() + 1;
        let height = self.open.last().map(Level::height).unwrap_or_default();
        self.deepest = self.deepest.max(depth).max(height.whole);
        if depth > usize::from(DEEPEST) {
            return Err(refusal(&format!("expression recursion limit exceeded: {DEEPEST}")));
        }
        if height.bare > usize::from(DEEPEST) || height.whole > HIGHEST {
            return Err(refusal("max recursion depth exceeded"));
        }
        Ok(())
    }
}
