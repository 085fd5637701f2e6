//! Subjects: what a finding is about, in one word that reads back.

use std::{
    fmt::{self, Write},
    str::FromStr,
};

/// What a finding is about.
///
/// Its text is one word, and parses back to the same subject:
///
/// | subject | text |
/// |---|---|
/// | the object as a whole | `whole` |
/// | a field of it | `path/spec.rules[0].backendRefs[1]` |
/// | a listener of it | `listener/https` |
/// | another object | `Secret/default/cert`, without a namespace `GatewayClass/public` |
///
/// `%`, white space, control characters, and a slash inside the parts of another object are written as in a URL: `%2F`.
///
/// ```
/// use allready_core::findings::Subject;
///
/// let secret = Subject::namespaced("Secret", "default", "cert");
/// assert_eq!(secret.to_string(), "Secret/default/cert");
/// assert_eq!("Secret/default/cert".parse(), Ok(secret));
/// assert_eq!(Subject::path("metadata.labels[two words]").to_string(), "path/metadata.labels[two%20words]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The object as a whole.
    Whole,
    /// A field of the object.
    Path(String),
    /// A listener of the object, by name.
    Listener(String),
    /// Another object.
    Object {
        /// Its kind.
        kind: String,
        /// Its namespace, if it has one.
        namespace: Option<String>,
        /// Its name.
        name: String,
    },
}

/// A text that is no subject.
///
/// ```
/// use allready_core::findings::Subject;
///
/// assert_eq!("somewhere".parse::<Subject>().unwrap_err().found, "somewhere");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found:?} is no subject of a finding: write `whole`, `path/<path>`, `listener/<name>`, `<Kind>/<name>` or \
     `<Kind>/<namespace>/<name>`, with special characters as %XX"
)]
pub struct SubjectError {
    /// What stood there instead.
    pub found: String,
}

impl Subject {
    /// A field of the object, such as `spec.listeners[2].tls`.
    ///
    /// ```
    /// # use allready_core::findings::Subject;
    /// assert_eq!(Subject::path("spec.listeners[2].tls").to_string(), "path/spec.listeners[2].tls");
    /// ```
    pub fn path(path: impl Into<String>) -> Self {
        Self::Path(path.into())
    }

    /// A listener of the object.
    ///
    /// ```
    /// # use allready_core::findings::Subject;
    /// assert_eq!(Subject::listener("https").to_string(), "listener/https");
    /// ```
    pub fn listener(name: impl Into<String>) -> Self {
        Self::Listener(name.into())
    }

    /// Another object that has no namespace.
    ///
    /// ```
    /// # use allready_core::findings::Subject;
    /// assert_eq!(Subject::object("GatewayClass", "public").to_string(), "GatewayClass/public");
    /// ```
    pub fn object(kind: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Object { kind: kind.into(), namespace: None, name: name.into() }
    }

    /// Another object in a namespace.
    ///
    /// ```
    /// # use allready_core::findings::Subject;
    /// assert_eq!(Subject::namespaced("Secret", "default", "cert").to_string(), "Secret/default/cert");
    /// ```
    pub fn namespaced(
        kind: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self::Object { kind: kind.into(), namespace: Some(namespace.into()), name: name.into() }
    }

    /// Whether the two are the same, or one is a field of the other.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let is_below = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        match (self, other) {
            (Self::Path(a), Self::Path(b)) => is_below(a, b) || is_below(b, a),
            _ => self == other,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Path(path) => write!(f, "path/{}", word(path)),
            Self::Listener(name) => write!(f, "listener/{}", word(name)),
            Self::Object { kind, namespace, name } => {
                match kind.as_str() {
                    // An object of such a kind must not be taken for a path or a listener.
                    "path" => f.write_str("%70ath")?,
                    "listener" => f.write_str("%6Cistener")?,
                    kind => segment(kind).fmt(f)?,
                }
                if let Some(namespace) = namespace {
                    write!(f, "/{}", segment(namespace))?;
                }
                write!(f, "/{}", segment(name))
            }
        }
    }
}

impl FromStr for Subject {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, SubjectError> {
        let wrong = || SubjectError { found: crate::condition::excerpt(text) };
        if text == "whole" {
            return Ok(Self::Whole);
        }
        let (kind, rest) = text.split_once('/').ok_or_else(wrong)?;
        let part = |part: &str| unescaped(part).ok_or_else(wrong);
        Ok(match kind {
            "path" => Self::Path(part(rest)?),
            "listener" => Self::Listener(part(rest)?),
            kind => match rest.split_once('/') {
                None => Self::Object { kind: part(kind)?, namespace: None, name: part(rest)? },
                Some((_, name)) if name.contains('/') => return Err(wrong()),
                Some((namespace, name)) => {
                    Self::Object { kind: part(kind)?, namespace: Some(part(namespace)?), name: part(name)? }
                }
            },
        })
    }
}

/// A part of a subject with what would end it, or end the word, written as in a URL.
struct Escaped<'a> {
    text: &'a str,
    reserved: &'static [char],
}

fn word(text: &str) -> Escaped<'_> {
    Escaped { text, reserved: &[] }
}

fn segment(text: &str) -> Escaped<'_> {
    Escaped { text, reserved: &['/'] }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.text.chars() {
            let special = character == '%' || character.is_whitespace() || character.is_control();
            if special || self.reserved.contains(&character) {
                let mut buffer = [0; 4];
                character.encode_utf8(&mut buffer).bytes().try_for_each(|byte| write!(f, "%{byte:02X}"))?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next()?.as_bytes());
    for piece in pieces {
        let (digits, plain) = piece.split_at_checked(2)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
        bytes.extend_from_slice(plain.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
