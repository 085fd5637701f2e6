//! JSON that somebody else has written, read strictly: of a field that is there twice nobody knows which one is meant.

use std::{borrow::Cow, cell::Cell, fmt};

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The place of a value in a document, which decides what is left out there.
pub trait Place: Copy {
    /// The place of a field; none where it is left out.
    fn field(self, key: &str) -> Option<Self>;
    /// The place of the items of a list.
    fn item(self) -> Self;
}

/// Nothing is left out.
impl Place for () {
    fn field(self, _key: &str) -> Option<Self> {
        Some(())
    }

    fn item(self) -> Self {}
}

/// Reads one value of so many nodes at most: objects, lists, keys and scalars, as the reader of YAML counts them. A node takes up to a hundred
/// times the memory of its text.
///
/// ```
/// use allready_controller::json;
///
/// assert_eq!(json::read(b"[1, 2]", (), 3).unwrap()[1], 2);
/// assert!(json::read(br#"{"ready": false, "ready": true}"#, (), 10).is_err());
/// ```
///
/// # Errors
/// It is no JSON, has a field twice, or has more nodes.
pub fn read<P: Place>(text: &[u8], place: P, most: usize) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let room = Cell::new(most);
    let value = Node { place, room: &room, most }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// A value that is read, and where it stands.
#[derive(Clone, Copy)]
struct Node<'a, P> {
    place: P,
    /// The number of nodes that may still come, of the most there may be.
    room: &'a Cell<usize>,
    most: usize,
}

impl<P> Node<'_, P> {
    /// Counts a node.
    fn count<E: Error>(&self) -> Result<(), E> {
        let most = self.most;
        let room = self.room.get().checked_sub(1);
        let room = room
            .ok_or_else(|| E::custom(format_args!("it has more than {most} values: give fewer at a time")))?;
        self.room.set(room);
        Ok(())
    }
}

impl<'de, P: Place> DeserializeSeed<'de> for Node<'_, P> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de, P: Place> Visitor<'de> for Node<'_, P> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Self { place: self.place.item(), ..self })? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(Key(key)) = fields.next_key()? {
            let Some(place) = self.place.field(&key) else {
                fields.next_value::<IgnoredAny>()?;
                continue;
            };
            self.count()?;
            let value = fields.next_value_seed(Self { place, ..self })?;
            // Of two statuses one may be good and the other not: neither is believed.
            if object.insert(key.into_owned(), value).is_some() {
                return Err(A::Error::custom("a field is there twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

/// A key, borrowed where it can be.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
