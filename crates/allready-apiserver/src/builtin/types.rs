//! The Go types behind the built-in kinds: what decoding accepts, and which fields an answer has although nobody set them,
//! follow from them alone.
//!
//! `types.json` has one line a struct: `{"field": "type"}`, in the order of the struct, the type as Go writes it, with the package of a struct spelled
//! out. Before it may stand `@Name ` (the field comes from the embedded struct `Name`), `!` (always written, even when
//! empty), `0` (left out when zero), `*` (a pointer); after a scalar or a map, the name of the type it has in Go.
//! `cargo xtask shapes` makes it.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};

/// The fields of a struct by their JSON names.
pub(crate) type Struct = BTreeMap<String, Field>;

/// One field of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) kind: Kind,
    pub(crate) pointer: bool,
    pub(crate) presence: Presence,
    /// The embedded struct it comes from, which error messages name; empty for none.
    pub(crate) embedded: String,
    /// Which of the fields of its struct it is: Go writes them in order.
    pub(crate) position: usize,
}

/// When a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always, even when empty.
    Always,
    /// Unless it is empty; a struct never is.
    Filled,
    /// Unless it is zero, structs included.
    Nonzero,
}

/// What a field holds.
#[derive(Debug)]
pub(crate) enum Kind {
    Text(String),
    Integer(&'static str),
    Bool,
    Bytes,
    Quantity,
    Time,
    MicroTime,
    IntOrString,
    Raw,
    List(Box<Kind>),
    /// The Go name of the map, and what it holds.
    Map(String, Box<Kind>),
    Struct(String),
}

/// The structs by name, each as it is written, and once it was asked for as it is read.
static TYPES: LazyLock<BTreeMap<&'static str, (&'static str, OnceLock<Struct>)>> = LazyLock::new(|| {
    let lines = include_str!("types.json").lines();
    let named = lines.filter_map(|line| line.strip_prefix('"')?.split_once("\":"));
    named.map(|(name, written)| (name, (written.trim_end_matches(','), OnceLock::new()))).collect()
});

fn read(written: &str) -> Struct {
    let InOrder(fields) = serde_json::from_str(written).unwrap_or(InOrder(Vec::new()));
    let numbered = fields.into_iter().enumerate();
    numbered.map(|(position, (name, written))| (name, Field::parse(&written, position))).collect()
}

/// The fields of a struct as they stand in the file.
struct InOrder(Vec<(String, String)>);

impl<'de> Deserialize<'de> for InOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = InOrder;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the fields of a struct")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(InOrder(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

static NOTHING: Struct = Struct::new();

/// The fields of a struct such as `core.v1.PodSpec`; none for a struct that is not known.
pub(crate) fn fields(name: &str) -> &'static Struct {
    TYPES.get(name).map_or(&NOTHING, |(written, fields)| fields.get_or_init(|| read(written)))
}

impl Field {
    fn parse(written: &str, position: usize) -> Self {
        let (embedded, rest) = match written.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((embedded, rest)) => (embedded, rest),
            None => ("", written),
        };
        let (presence, rest) = match rest.as_bytes().first() {
            Some(b'!') => (Presence::Always, rest.get(1..).unwrap_or_default()),
            Some(b'0') => (Presence::Nonzero, rest.get(1..).unwrap_or_default()),
            _ => (Presence::Filled, rest),
        };
        let (pointer, rest) = match rest.strip_prefix('*') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        Self { kind: Kind::parse(rest), pointer, presence, embedded: embedded.to_owned(), position }
    }
}

impl Kind {
    fn parse(written: &str) -> Self {
        if let Some(item) = written.strip_prefix("[]") {
            return Self::List(Box::new(Self::parse(item)));
        }
        let (name, bare) = match written.strip_prefix("map:").and_then(|rest| rest.split_once(':')) {
            Some((name, bare)) => (name, bare),
            None => ("", written),
        };
        if let Some((_, value)) = bare.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            let value = Self::parse(value);
            let name =
                if name.is_empty() { format!("map[string]{}", value.go_name()) } else { name.to_owned() };
            return Self::Map(name, Box::new(value));
        }
        match bare.split_once(':').unwrap_or((bare, bare)) {
            ("string", name) => Self::Text(name.to_owned()),
            ("int32", _) => Self::Integer("int32"),
            ("int64", _) => Self::Integer("int64"),
            ("bool", _) => Self::Bool,
            ("bytes", _) => Self::Bytes,
            ("resource.Quantity", _) => Self::Quantity,
            ("meta.v1.Time", _) => Self::Time,
            ("meta.v1.MicroTime", _) => Self::MicroTime,
            ("intstr.IntOrString", _) => Self::IntOrString,
            ("meta.v1.FieldsV1" | "runtime.RawExtension", _) => Self::Raw,
            (name, _) => Self::Struct(name.to_owned()),
        }
    }

    /// How Go names the type: `v1.PodSpec`, `[]v1.Container`.
    pub(crate) fn go_name(&self) -> String {
        match self {
            Self::Text(name) | Self::Map(name, _) => name.clone(),
            Self::Integer(name) => (*name).to_owned(),
            Self::Bool => "bool".into(),
            Self::Bytes => "[]uint8".into(),
            Self::Quantity => "resource.Quantity".into(),
            Self::Time | Self::MicroTime => "string".into(),
            Self::IntOrString => "int32".into(),
            Self::Raw => "v1.FieldsV1".into(),
            Self::List(item) => format!("[]{}", item.go_name()),
            Self::Struct(name) => match name.split_once('.') {
                Some((_, rest)) if rest.contains('.') => rest.to_owned(),
                _ => name.clone(),
            },
        }
    }
}
