//! What a client sends and what it wants to read: media types.

use crate::{resource::Verb, status::Failure};

use super::route::bare;

const OBJECTS: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const STREAMS: &str = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// What typed clients send.
pub(crate) const YAML: &str = "application/yaml";
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// What of an object is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// All of it.
    Whole,
    /// A row of a table; of `v1beta1` when true.
    Table { beta: bool },
    /// Its metadata; of `v1beta1` when true.
    Metadata { beta: bool },
    /// The metadata of many; of `v1beta1` when true.
    MetadataList { beta: bool },
}

impl Form {
    /// Whether `v1beta1` was asked for.
    pub(crate) fn is_beta(self) -> bool {
        match self {
            Self::Whole => false,
            Self::Table { beta } | Self::Metadata { beta } | Self::MetadataList { beta } => beta,
        }
    }
}

/// What a client wants to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) format: Format,
    pub(crate) form: Form,
}

/// Where negotiation happens: what is allowed differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Objects of a built-in kind; whether the path is that of a list.
    Builtin { list: bool },
    /// Objects of a custom kind.
    Custom,
    /// Discovery of built-in groups.
    Discovery,
    /// `/version`, which has JSON alone.
    Version,
}

/// One clause of an `Accept` header.
struct Clause<'a> {
    kind: &'a str,
    subtype: &'a str,
    quality: f32,
    parameters: Vec<(&'a str, &'a str)>,
}

/// What to write for an `Accept` header, or the 406.
pub(crate) fn accept(header: &str, place: Place, watch: bool) -> Result<Wanted, Failure> {
    router_accepts(header, place)?;
    let forms = !matches!(place, Place::Discovery | Place::Version);
    let Some(wanted) = negotiate(header, forms) else {
        return Err(Failure::new(406, "NotAcceptable", only(OBJECTS)));
    };
    if watch && wanted.format == Format::Yaml {
        return Err(Failure::new(406, "NotAcceptable", only(STREAMS)));
    }
    Ok(wanted)
}

/// How to write a failure: as the client wants to read it, or else as JSON for people.
pub(crate) fn for_failure(header: &str) -> Option<Format> {
    negotiate(header, false).map(|wanted| wanted.format)
}

/// Whether a client takes an OpenAPI document. One that names its protobuf form gets JSON nevertheless.
pub(crate) fn takes_document(header: &str) -> bool {
    let fits = |clause: &Clause<'_>| match (clause.kind, clause.subtype) {
        ("*", "*") | ("application", "json" | "*") => true,
        ("application", other) => other.starts_with("com.github.proto-openapi.spec.v3"),
        _ => false,
    };
    header.trim().is_empty() || clauses(header).iter().any(fits)
}

/// Whether a client wants the OpenAPI document of version 2 as protobuf; `None` when it takes no form of it.
pub(crate) fn second_document(header: &str) -> Option<bool> {
    if header.trim().is_empty() {
        return Some(false);
    }
    clauses(header).iter().find_map(|clause| match (clause.kind, clause.subtype) {
        ("*", "*") | ("application", "json" | "*") => Some(false),
        (
            "application",
            "com.github.proto-openapi.spec.v2@v1.0+protobuf"
            | "com.github.proto-openapi.spec.v2.v1.0+protobuf",
        ) => Some(true),
        _ => None,
    })
}

/// Whether a client asks for aggregated discovery.
pub(crate) fn wants_aggregated(header: &str) -> bool {
    let best = clauses(header).into_iter().find(|clause| {
        matches!((clause.kind, clause.subtype), ("application", "json" | "*") | ("*", "*"))
            && (clause.target().is_none() || clause.is_aggregated())
    });
    best.is_some_and(|clause| clause.is_aggregated())
}

fn only(types: &str) -> String {
    format!("only the following media types are accepted: {types}")
}

/// The router of the built-in kinds looks at `Accept` before anything else does, and knows no `application/*`.
fn router_accepts(header: &str, place: Place) -> Result<(), Failure> {
    let available = match place {
        Place::Custom => return Ok(()),
        Place::Version => "application/json".to_owned(),
        Place::Builtin { list: true } => format!("{OBJECTS}, {STREAMS}"),
        Place::Builtin { list: false } | Place::Discovery => OBJECTS.to_owned(),
    };
    let types: &[&str] = match place {
        Place::Version => &["*/*", "application/json"],
        _ => &["*/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
    };
    let mut named = header.split(',').map(|part| part.split(';').next().unwrap_or_default().trim());
    if header.trim().is_empty() || named.any(|name| types.contains(&name)) {
        return Ok(());
    }
    let message = format!("406: Not Acceptable\n\nAvailable representations: {available}");
    Err(bare(Failure::new(406, "NotAcceptable", message)))
}

fn negotiate(header: &str, forms: bool) -> Option<Wanted> {
    if header.is_empty() {
        return Some(Wanted { format: Format::Json, form: Form::Whole });
    }
    clauses(header).iter().find_map(|clause| {
        let formats = [("json", Format::Json), ("yaml", Format::Yaml)];
        let mut matching = formats.iter().filter(|(subtype, _)| match (clause.kind, clause.subtype) {
            ("*" | "application", "*") => true,
            ("application", other) => other == *subtype,
            _ => false,
        });
        matching.find_map(|(_, format)| {
            let form = clause.form(*format)?;
            (forms || form == Form::Whole).then_some(Wanted { format: *format, form })
        })
    })
}

/// The clauses of a header, the dearest first. What is no media type is left out.
fn clauses(header: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = header.split(',').filter_map(clause).collect();
    clauses.sort_by(|left, right| {
        let rank = |clause: &Clause<'_>| (clause.kind == "*", clause.subtype == "*");
        right.quality.total_cmp(&left.quality).then_with(|| rank(left).cmp(&rank(right)))
    });
    clauses
}

fn clause(text: &str) -> Option<Clause<'_>> {
    let mut parts = text.split(';');
    let media = parts.next().unwrap_or_default().trim();
    let (kind, subtype) = match media.split_once('/') {
        Some((kind, subtype)) if !subtype.is_empty() && !subtype.contains('/') => {
            (kind.trim(), subtype.trim())
        }
        _ if media == "*" => ("*", "*"),
        _ => return None,
    };
    let mut quality = 1.0;
    let mut parameters = Vec::new();
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        match key.trim() {
            "q" => quality = value.trim().parse().unwrap_or(0.0),
            key if !value.is_empty() && !value.contains('=') => parameters.push((key, value.trim())),
            _ => {}
        }
    }
    Some(Clause { kind, subtype, quality, parameters })
}

impl Clause<'_> {
    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Kind, group and version that the object is to be turned into.
    fn target(&self) -> Option<(&str, &str, &str)> {
        let [kind, group, version] = ["as", "g", "v"].map(|name| self.parameter(name));
        (kind.is_some() || group.is_some() || version.is_some())
            .then(|| (kind.unwrap_or_default(), group.unwrap_or_default(), version.unwrap_or_default()))
    }

    fn is_aggregated(&self) -> bool {
        self.target() == Some(("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2"))
    }

    fn form(&self, format: Format) -> Option<Form> {
        if self.parameter("stream").is_some_and(|stream| stream != "watch" || format == Format::Yaml)
            || self.parameter("sv").is_some()
        {
            return None;
        }
        let Some((kind, group, version)) = self.target() else { return Some(Form::Whole) };
        let beta = match version {
            "v1" => false,
            "v1beta1" => true,
            _ => return None,
        };
        match (kind, group) {
            ("Table", "meta.k8s.io") => Some(Form::Table { beta }),
            ("PartialObjectMetadata", "meta.k8s.io") => Some(Form::Metadata { beta }),
            ("PartialObjectMetadataList", "meta.k8s.io") => Some(Form::MetadataList { beta }),
            _ => None,
        }
    }
}

/// The media type of a body in the words that [`crate::rest`] knows, or the refusal.
pub(crate) fn content_type(header: &str, verb: Verb, custom: bool, body: &[u8]) -> Result<String, Failure> {
    let named = header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match verb {
        Verb::Get | Verb::List | Verb::Watch => Ok(String::new()),
        Verb::Patch => patch_type(named, custom),
        Verb::Delete | Verb::DeleteCollection if body.is_empty() => Ok(String::new()),
        Verb::Delete | Verb::DeleteCollection | Verb::Create | Verb::Update => match named.as_str() {
            "" if header.is_empty() => Ok("application/json".to_owned()),
            "application/json" | "application/yaml" => Ok(named),
            // Typed clients send built-in kinds like this; custom kinds have no such form.
            PROTOBUF if !custom => Ok(named),
            _ => Err(Failure::new(415, "UnsupportedMediaType", unknown_format(OBJECTS))),
        },
    }
}

fn patch_type(named: String, custom: bool) -> Result<String, Failure> {
    match named.as_str() {
        "application/json-patch+json" | "application/merge-patch+json" | "application/apply-patch+yaml" => {
            Ok(named)
        }
        "application/strategic-merge-patch+json" if !custom => Ok(named),
        _ if custom => {
            let allowed =
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
            Err(Failure::new(415, "UnsupportedMediaType", unknown_format(allowed)))
        }
        _ => Err(bare(Failure::new(415, "UnsupportedMediaType", "415: Unsupported Media Type"))),
    }
}

fn unknown_format(allowed: &str) -> String {
    format!("the body of the request was in an unknown format - accepted media types include: {allowed}")
}
