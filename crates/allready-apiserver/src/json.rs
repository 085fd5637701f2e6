//! Reading JSON from clients: every duplicate key is remembered, and mistakes are told in the real server's words.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

use serde_json::{Map, Value};

/// Deeper than any real object, and shallow enough for every reader of what is stored.
const DEPTH: usize = crate::depth::DEEPEST;

/// JSON as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Parsed {
    /// The value; of duplicate keys the last one counts.
    pub(crate) value: Value,
    /// Keys that were there already.
    pub(crate) duplicates: Vec<Duplicate>,
}

/// A key that an object had already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// `spec.ports[0].name`.
    pub(crate) path: String,
    /// The key alone.
    pub(crate) key: String,
    /// The line it stands on, from 1.
    pub(crate) line: usize,
}

/// The name that Go has for the type of a JSON value.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Reads JSON, or says what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, String> {
    let mut reader = Reader::new(bytes);
    reader.space();
    let value = reader.value("looking for beginning of value")?;
    reader.space();
    if reader.at < bytes.len() {
        return Err(reader.unexpected("after top-level value"));
    }
    Ok(Parsed { value, duplicates: reader.duplicates })
}

/// Every field in the order in which it stands in JSON: whether it stood there before, and its path.
pub(crate) fn order(bytes: &[u8]) -> Vec<(bool, String)> {
    let mut reader = Reader { order: Some(Vec::new()), ..Reader::new(bytes) };
    reader.space();
    let _ = reader.value("");
    reader.order.unwrap_or_default()
}

/// Where every value stands in JSON, by its pointer.
pub(crate) fn spans(bytes: &[u8]) -> Vec<(String, Range<usize>)> {
    let mut reader = Reader { spans: Some(Vec::new()), ..Reader::new(bytes) };
    reader.space();
    let _ = reader.value("");
    reader.spans.unwrap_or_default()
}

enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn pointer(&self) -> String {
        match self {
            Self::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Self::Index(index) => format!("/{index}"),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    path: Vec<Step>,
    duplicates: Vec<Duplicate>,
    order: Option<Vec<(bool, String)>>,
    spans: Option<Vec<(String, Range<usize>)>>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 0, path: Vec::new(), duplicates: Vec::new(), order: None, spans: None }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// What the real server says about the byte at hand, or about the end.
    fn unexpected(&self, context: &str) -> String {
        match self.peek() {
            None => "unexpected end of JSON input".into(),
            Some(byte) => format!("invalid character {} {context}", quote(byte)),
        }
    }

    fn value(&mut self, context: &str) -> Result<Value, String> {
        let start = self.at;
        let value = self.any(context)?;
        if self.spans.is_some() {
            let pointer = self.path.iter().map(Step::pointer).collect();
            self.spans.get_or_insert_default().push((pointer, start..self.at));
        }
        Ok(value)
    }

    fn any(&mut self, context: &str) -> Result<Value, String> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::String(self.string()?.into_owned())),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected(context)),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, String>) -> Result<Value, String> {
        if self.depth >= DEPTH {
            return Err(self.unexpected("exceeded max depth"));
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, String> {
        let mut map = Map::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(map));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let start = self.at;
            let key = self.string()?.into_owned();
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.at += 1;
            self.space();
            let again = map.contains_key(&key);
            if self.order.is_some() {
                let path = self.path_of(&key);
                self.order.get_or_insert_default().push((again, path));
            } else if again {
                self.note(&key, start);
            }
            self.path.push(Step::Key(key));
            let value = self.value("looking for beginning of value")?;
            if let Some(Step::Key(key)) = self.path.pop() {
                map.insert(key, value);
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
            self.space();
        }
    }

    fn array(&mut self) -> Result<Value, String> {
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            self.path.push(Step::Index(items.len()));
            items.push(self.value("looking for beginning of value")?);
            self.path.pop();
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.unexpected("after array element")),
            }
            self.space();
        }
    }

    fn path_of(&self, key: &str) -> String {
        let mut path = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Step::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        path
    }

    fn note(&mut self, key: &str, start: usize) {
        let path = self.path_of(key);
        if self.duplicates.len() < 100 && self.duplicates.iter().all(|known| known.path != path) {
            let before = self.bytes.get(..start).unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            self.duplicates.push(Duplicate { path, key: key.to_owned(), line });
        }
    }

    fn literal(&mut self, word: &'static str, value: Value) -> Result<Value, String> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                let expecting = char::from(expected);
                return Err(self.unexpected(&format!("in literal {word} (expecting '{expecting}')")));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
            self.digits();
        }
        let text =
            self.bytes.get(start..self.at).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("0");
        Ok(number(text))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, String> {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let text = String::from_utf8_lossy(self.bytes.get(start..self.at).unwrap_or_default());
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => return self.escaped(start),
                0..=0x1f => return Err(self.unexpected("in string literal")),
                _ => self.at += 1,
            }
        }
        Err(self.unexpected(""))
    }

    fn escaped(&mut self, start: usize) -> Result<Cow<'a, str>, String> {
        let mut out = self.bytes.get(start..self.at).unwrap_or_default().to_vec();
        let mut text = String::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    text.push_str(&String::from_utf8_lossy(&out));
                    return Ok(Cow::Owned(text));
                }
                b'\\' => {
                    self.at += 1;
                    text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut out)));
                    text.push(self.escape()?);
                }
                0..=0x1f => return Err(self.unexpected("in string literal")),
                other => {
                    out.push(other);
                    self.at += 1;
                }
            }
        }
        Err(self.unexpected(""))
    }

    fn escape(&mut self) -> Result<char, String> {
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode(&mut self) -> Result<char, String> {
        let first = self.hex()?;
        if (0xd800..0xdc00).contains(&first) && self.bytes.get(self.at..self.at + 2) == Some(b"\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// A number. One that is written as a fraction stays a float until it is stored, see [`whole_numbers`].
pub(crate) fn number(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    let number: f64 = text.parse().unwrap_or_default();
    serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Makes whole numbers of those that are written as fractions, as they are on their way through the real server's storage.
pub(crate) fn whole_numbers(value: &mut Value) {
    // The depth is bounded by whoever read the value.
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                *value = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

fn whole(number: f64) -> Option<Value> {
    if number.fract() != 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    if number.abs() < 9.0e18 {
        return Some((number as i64).into());
    }
    large(number).map(Value::from)
}

/// A number beyond 64 signed bits is rounded to the digits that a float keeps.
fn large(number: f64) -> Option<u64> {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e')?;
    let (head, tail) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = exponent.parse::<usize>().ok()?.checked_sub(tail.len())?;
    format!("{head}{tail}{}", "0".repeat(zeros.min(32))).parse().ok()
}

fn quote(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".into(),
        b'"' => "'\"'".into(),
        b'\\' => r"'\\'".into(),
        b'\n' => r"'\n'".into(),
        b'\r' => r"'\r'".into(),
        b'\t' => r"'\t'".into(),
        0x20..=0x7e => format!("'{}'", char::from(byte)),
        0x80.. if byte >= 0xa1 && byte != 0xad => format!("'{}'", char::from(byte)),
        0x80.. => format!("'\\u00{byte:02x}'"),
        7 => r"'\a'".into(),
        8 => r"'\b'".into(),
        11 => r"'\v'".into(),
        12 => r"'\f'".into(),
        other => format!("'\\x{other:02x}'"),
    }
}
