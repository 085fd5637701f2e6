//! What answers look like as bytes.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    negotiate::{Form, Format, Wanted},
    route::Target,
};
use crate::{
    rest::ListBody,
    status::Failure,
    table::{self, Include},
};

/// A body and what it is.
pub(crate) struct Written {
    pub(crate) bytes: Bytes,
    pub(crate) format: Format,
}

/// How to write: what the client wants, and whether for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) wanted: Wanted,
    pub(crate) pretty: bool,
}

/// Writes JSON bytes as they are, or for people, or as YAML.
pub(crate) fn bytes(json: Bytes, format: Format, pretty: bool) -> Written {
    if format == Format::Json && !pretty {
        return Written { bytes: ended(json), format };
    }
    match serde_json::from_slice::<Value>(&json) {
        Ok(object) => value(&object, format, pretty),
        Err(_) => Written { bytes: ended(json), format: Format::Json },
    }
}

/// JSON for programs ends its line, JSON for people does not.
fn ended(json: Bytes) -> Bytes {
    if json.ends_with(b"\n") { json } else { [json.as_ref(), b"\n"].concat().into() }
}

/// Writes a value.
pub(crate) fn value(object: &Value, format: Format, pretty: bool) -> Written {
    let text = match format {
        Format::Yaml => serde_saphyr::to_string(object).ok(),
        Format::Json if pretty => serde_json::to_string_pretty(object).ok(),
        Format::Json => None,
    };
    match text {
        Some(text) => Written { bytes: text.into(), format },
        None => Written { bytes: format!("{object}\n").into(), format: Format::Json },
    }
}

/// One object in the form that was asked for.
pub(crate) fn object(
    json: Bytes,
    target: &Target,
    style: Style,
    include: Include,
    now: Timestamp,
) -> Result<Written, Failure> {
    let Style { wanted: Wanted { format, form }, pretty } = style;
    if form == Form::Whole {
        return Ok(bytes(json, format, pretty));
    }
    let parsed: Value = serde_json::from_slice(&json).map_err(Failure::internal)?;
    let shown = match (form, target.resource.version(&target.version)) {
        (Form::Table { .. }, Some(version)) => {
            table::table(&target.resource, version, &[parsed], None, include, now)
        }
        (Form::MetadataList { .. }, _) if target.custom => {
            return Err(Failure::new(500, "", "content is not a list"));
        }
        (Form::MetadataList { .. }, _) => {
            let message = format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
                internal_type(target, &target.resource.kind)
            );
            return Err(Failure::new(406, "NotAcceptable", message));
        }
        _ => table::partial_metadata(&parsed),
    };
    Ok(value(&dated(shown, form), format, pretty))
}

/// A list in the form that was asked for.
pub(crate) fn list(
    list: &ListBody,
    target: &Target,
    style: Style,
    include: Include,
    now: Timestamp,
) -> Result<Written, Failure> {
    let Style { wanted: Wanted { format, form }, pretty } = style;
    if form == Form::Whole {
        return Ok(bytes(whole_list(list, target), format, pretty));
    }
    if matches!(form, Form::Metadata { .. }) {
        let what = if target.custom {
            "*unstructured.UnstructuredList".to_owned()
        } else {
            internal_type(target, &target.resource.list_kind)
        };
        let message =
            format!("you requested PartialObjectMetadata, but the requested object is a list ({what})");
        return Err(Failure::new(406, "NotAcceptable", message));
    }
    let parsed: Result<Vec<Value>, _> = list.items.iter().map(|item| serde_json::from_slice(item)).collect();
    let parsed = parsed.map_err(Failure::internal)?;
    let shown = match (form, target.resource.version(&target.version)) {
        (Form::Table { .. }, Some(version)) => {
            table::table(&target.resource, version, &parsed, Some(list), include, now)
        }
        _ => table::partial_metadata_list(&parsed, list),
    };
    Ok(value(&dated(shown, form), format, pretty))
}

/// A failure as the client reads it, or for people when it reads nothing of ours.
pub(crate) fn failure(failure: &Failure, format: Option<Format>, pretty: bool) -> Written {
    let body = failure.to_body();
    match format {
        Some(format) => value(&body, format, pretty),
        None => value(&body, Format::Json, true),
    }
}

/// Whatever is of `meta.k8s.io` is of the version that was asked for, inside and out.
pub(crate) fn dated(mut shown: Value, form: Form) -> Value {
    let date = |object: &mut Value| {
        if object["apiVersion"] == "meta.k8s.io/v1" {
            object["apiVersion"] = "meta.k8s.io/v1beta1".into();
        }
    };
    if form.is_beta() {
        date(&mut shown);
        for row in shown.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(object) = row.get_mut("object").filter(|object| object.is_object()) {
                date(object);
            }
        }
        shown.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten().for_each(date);
    }
    shown
}

/// The Go type that the real server names in such refusals.
fn internal_type(target: &Target, kind: &str) -> String {
    let package = match target.resource.group.split('.').next() {
        None | Some("" | "events") => "core",
        Some(first) => first,
    };
    format!("*{package}.{kind}")
}

/// The text around the items of a list.
pub(crate) struct ListFrame {
    pub(crate) head: String,
    pub(crate) tail: String,
    custom: bool,
}

impl ListFrame {
    pub(crate) fn new(list: &ListBody, target: &Target) -> Self {
        let mut metadata = json!({ "resourceVersion": list.resource_version.to_string() });
        if target.custom || !list.continue_token.is_empty() {
            metadata["continue"] = list.continue_token.as_str().into();
        }
        if let Some(remaining) = list.remaining {
            metadata["remainingItemCount"] = remaining.into();
        }
        let version = Value::from(target.resource.api_version(&target.version));
        let kind = Value::from(target.resource.list_kind.as_str());
        let head = format!("{{\"apiVersion\":{version},\"items\":[");
        let tail = format!("],\"kind\":{kind},\"metadata\":{metadata}}}\n");
        Self { head, tail, custom: target.custom }
    }

    /// Writes an item: those of built-in kinds do not repeat what they are.
    pub(crate) fn item(&self, item: &[u8], out: &mut Vec<u8>) {
        if self.custom {
            out.extend_from_slice(item);
        } else {
            without_kind(item, out);
        }
    }
}

/// A list as JSON.
pub(super) fn whole_list(list: &ListBody, target: &Target) -> Bytes {
    let frame = ListFrame::new(list, target);
    let items: usize = list.items.iter().map(|item| item.len() + 1).sum();
    let mut out = Vec::with_capacity(frame.head.len() + items + frame.tail.len());
    out.extend_from_slice(frame.head.as_bytes());
    for (index, item) in list.items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        frame.item(item, &mut out);
    }
    out.extend_from_slice(frame.tail.as_bytes());
    out.into()
}

/// Returns true if a list goes out as it is stored, and is long.
pub(crate) fn is_long_list(list: &ListBody, style: Style) -> bool {
    let Style { wanted: Wanted { format, form }, pretty } = style;
    let plain = form == Form::Whole && format == Format::Json && !pretty;
    plain && list.items.iter().map(Bytes::len).sum::<usize>() >= super::list::LONG
}

/// Copies a JSON object without its own `apiVersion` and `kind`. The bytes are ours: an object without white space.
fn without_kind(item: &[u8], out: &mut Vec<u8>) {
    out.push(b'{');
    let mut first = true;
    let inner = item.strip_prefix(b"{").and_then(|item| item.strip_suffix(b"}")).unwrap_or_default();
    for member in members(inner) {
        if member.starts_with(b"\"apiVersion\":") || member.starts_with(b"\"kind\":") {
            continue;
        }
        if !first {
            out.push(b',');
        }
        first = false;
        out.extend_from_slice(member);
    }
    out.push(b'}');
}

/// The members of an object, from what stands between its braces.
fn members(inner: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let top_level_comma = move |byte: &u8| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => return depth == 0,
            _ => {}
        }
        false
    };
    inner.split(top_level_comma).filter(|member| !member.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_loses_its_kind_and_nothing_else() {
        for (item, expected) in [
            (
                r#"{"apiVersion":"v1","data":{"kind":"x","a":"},\"{"},"kind":"ConfigMap","metadata":{}}"#,
                r#"{"data":{"kind":"x","a":"},\"{"},"metadata":{}}"#,
            ),
            (r#"{"kind":"A","apiVersion":"v1"}"#, "{}"),
            (r#"{"a":[1,{"kind":2}],"b":"\\","kind":"A"}"#, r#"{"a":[1,{"kind":2}],"b":"\\"}"#),
        ] {
            let mut out = Vec::new();
            without_kind(item.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
