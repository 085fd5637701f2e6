//! The conditions of a list as they stand there, however they are written.

use std::borrow::Cow;
use std::sync::LazyLock;

use allready_core::{
    Time,
    found::{self, FoundSubConditions, time as instant},
};
use serde_json::{Map, Value};

/// One condition as it stands in a list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a> {
    pub(crate) type_: &'a str,
    pub(crate) map: &'a Map<String, Value>,
    /// Its status; in a map of types to truths, that is all there is.
    status: Option<&'a Value>,
}

/// The rest of a condition that is no more than a truth.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The status of a condition, however it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said<'a> {
    True,
    False,
    Unknown,
    Other(&'a str),
}

impl<'a> Listed<'a> {
    /// The conditions of a list, or of a map by type.
    pub(crate) fn list(value: &'a Value) -> Vec<Self> {
        let items = value.as_array().into_iter().flatten().filter_map(item);
        let keyed = value.as_object().into_iter().flatten();
        items.chain(keyed.filter_map(|(key, value)| by_key(key, value))).collect()
    }

    pub(crate) fn said(&self) -> Said<'a> {
        match self.status {
            Some(Value::Bool(true)) => Said::True,
            Some(Value::Bool(false)) => Said::False,
            Some(Value::String(text)) => {
                let text = text.trim();
                let is = |word: &str| text.eq_ignore_ascii_case(word);
                match text {
                    _ if is("true") => Said::True,
                    _ if is("false") => Said::False,
                    _ if is("unknown") || text.is_empty() => Said::Unknown,
                    other => Said::Other(other),
                }
            }
            None | Some(Value::Null) => Said::Unknown,
            Some(_) => Said::Other(""),
        }
    }

    pub(crate) fn reason(&self) -> Cow<'a, str> {
        text(value(self.map, "reason"))
    }

    pub(crate) fn message(&self) -> Cow<'a, str> {
        text(value(self.map, "message"))
    }

    pub(crate) fn since(&self) -> Option<&'a str> {
        value(self.map, "lastTransitionTime")?.as_str()
    }

    /// The generation that it is about.
    pub(crate) fn observed(&self) -> Option<i64> {
        self.map.get("observedGeneration").and_then(number)
    }

    /// Since when, as an instant. A clock that is ahead by minutes is believed; what lies further ahead tells nothing, nor does the epoch.
    pub(crate) fn since_when(&self, now: Time) -> Option<Time> {
        let since = found::began(self.since().and_then(instant), None)?;
        (since.as_second() <= now.as_second().saturating_add(AHEAD)).then_some(since)
    }

    /// The errors that are listed with it.
    pub(crate) fn errors(&self) -> FoundSubConditions<'a> {
        FoundSubConditions::read(value(self.map, "errors"))
    }

    /// The warnings that are listed with it.
    pub(crate) fn warnings(&self) -> FoundSubConditions<'a> {
        FoundSubConditions::read(value(self.map, "warnings"))
    }
}

/// The seconds that a clock may be ahead.
const AHEAD: i64 = 600;

/// A field of a condition. `Type` and `Status` are as good as `type` and `status` where a controller writes them so.
fn value<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    map.get(key).or_else(|| {
        // Of those that are written as usual, the rest is not looked at again.
        if map.contains_key("type") || map.is_empty() {
            return None;
        }
        map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    })
}

fn item(entry: &Value) -> Option<Listed<'_>> {
    let map = entry.as_object()?;
    Some(Listed { type_: value(map, "type")?.as_str()?, map, status: value(map, "status") })
}

/// One of a map: `Ready: {status: "False"}`, or `Ready: false`.
fn by_key<'a>(key: &'a str, value: &'a Value) -> Option<Listed<'a>> {
    let is_truth =
        |text: &str| ["true", "false", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word));
    match value {
        Value::Object(map) => {
            let type_ = map.get("type").and_then(Value::as_str).unwrap_or(key);
            Some(Listed { type_, map, status: Some(self::value(map, "status")?) })
        }
        Value::Bool(_) => Some(Listed { type_: key, map: &NOTHING, status: Some(value) }),
        Value::String(text) if is_truth(text) => {
            Some(Listed { type_: key, map: &NOTHING, status: Some(value) })
        }
        _ => None,
    }
}

/// A whole number, also one that is written as text.
pub(crate) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "what is too large is the largest there is")]
            Some(number as i64)
        }),
        Value::String(text) if text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok()
        }
        _ => None,
    }
}

/// A text; whatever else stands there becomes its JSON, shortened.
pub(crate) fn text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other) => Cow::Owned(json(other)),
    }
}

/// The beginning of a value as JSON.
pub(crate) fn json(value: &Value) -> String {
    /// Takes what there is room for and then refuses, so that a large value is not written out.
    struct Short(Vec<u8>);

    impl std::io::Write for Short {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let room = 200_usize.saturating_sub(self.0.len());
            if room == 0 && !bytes.is_empty() {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            let taken = room.min(bytes.len());
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut short = Short(Vec::new());
    let whole = serde_json::to_writer(&mut short, value).is_ok();
    let mut text = String::from_utf8_lossy(&short.0).into_owned();
    if !whole {
        text.push('…');
    }
    text
}
