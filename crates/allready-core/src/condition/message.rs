//! Messages: the text for a person, bounded in bytes.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize, Serializer, de};

use super::shared::SharedText;

/// The message of a condition: any text of at most 32,768 bytes.
///
/// A longer text is cut on a character boundary and ends with a marker that says how long it was, because a message over
/// the limit would make the API server refuse the whole status, for ever.
///
/// ```
/// use allready_core::Message;
///
/// assert_eq!(Message::new("pool \"a\" overlaps pool \"b\"").as_str(), "pool \"a\" overlaps pool \"b\"");
///
/// let long = Message::new("ü".repeat(40_000));
/// assert!(long.as_str().len() <= Message::MAX_BYTES);
/// assert!(long.as_str().ends_with("… [cut, was 80000 bytes]"));
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message(SharedText);

impl Message {
    /// The API server's limit, in bytes.
    pub const MAX_BYTES: usize = 32_768;

    /// No message.
    pub const EMPTY: Self = Self(SharedText::Static(""));

    /// A message of this text, cut if it is too long.
    ///
    /// ```
    /// use allready_core::Message;
    ///
    /// assert_eq!(Message::new("disk sda is full").as_str(), "disk sda is full");
    /// ```
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        if text.len() <= Self::MAX_BYTES {
            return Self(text.into());
        }
        Self(SharedText::Shared(cut(&text, Self::MAX_BYTES).into()))
    }

    /// The text.
    ///
    /// ```
    /// # use allready_core::Message;
    /// assert_eq!(Message::EMPTY.as_str(), "");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is no text.
    ///
    /// ```
    /// # use allready_core::Message;
    /// assert!(Message::EMPTY.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Cuts a text to at most `limit` bytes on a character boundary, with a marker of how long it was.
///
/// Where not even the marker fits, the text is cut without one.
///
/// ```
/// use allready_core::condition::cut;
///
/// assert_eq!(cut("short", 80), "short");
/// assert_eq!(cut("a message that is rather too long for this", 40), "a message that is… [cut, was 42 bytes]");
/// assert_eq!(cut("äöü", 3), "ä");
/// ```
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let marker = format!("… [cut, was {} bytes]", text.len());
    let Some(room) = limit.checked_sub(marker.len()) else {
        return Cow::Borrowed(&text[..text.floor_char_boundary(limit)]);
    };
    let mut short = String::with_capacity(limit);
    short.push_str(&text[..text.floor_char_boundary(room)]);
    short.push_str(&marker);
    Cow::Owned(short)
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl AsRef<str> for Message {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<Cow<'_, str>> for Message {
    fn from(text: Cow<'_, str>) -> Self {
        Self::new(text.into_owned())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = super::text::read(deserializer, "a message, which is a text, if only an empty one")?;
        if text.len() > Self::MAX_BYTES {
            return Err(de::Error::custom(format_args!(
                "the message has {} bytes; at most {} are allowed",
                text.len(),
                Self::MAX_BYTES
            )));
        }
        Ok(Self::new(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cut_on_a_character_boundary_with_a_marker() {
        for (letter, count) in [("a", 32_769), ("ü", 16_385), ("€", 20_000), ("🦀", 9_000)] {
            let text = letter.repeat(count);
            let message = Message::new(text.clone());
            assert!(message.as_str().len() <= Message::MAX_BYTES);
            assert!(message.as_str().len() > Message::MAX_BYTES - 4, "no more is cut than needed");
            assert!(message.as_str().ends_with(&format!("… [cut, was {} bytes]", text.len())));
        }
    }

    #[test]
    fn a_message_of_exactly_the_limit_is_kept() {
        let text = "a".repeat(Message::MAX_BYTES);
        assert_eq!(Message::new(text.clone()), *text.as_str());
    }
}
