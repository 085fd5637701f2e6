//! The forms that an answer takes.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Body as _;

use super::{body::ResponseBody, headers, negotiate::Format, write::Written};

pub(super) type Reply = Response<ResponseBody>;

pub(super) fn answer(code: StatusCode, body: ResponseBody) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = code;
    reply
}

pub(super) fn json(code: StatusCode, written: &Written) -> Reply {
    let mut reply = answer(code, ResponseBody::whole(written.bytes.clone()));
    let kind = match written.format {
        Format::Json => "application/json",
        Format::Yaml => "application/yaml",
    };
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

pub(super) fn page(code: StatusCode, text: impl Into<Bytes>) -> Reply {
    let mut reply = answer(code, ResponseBody::whole(text));
    headers::set(reply.headers_mut(), "content-type", "text/plain; charset=utf-8");
    headers::set(reply.headers_mut(), "x-content-type-options", "nosniff");
    reply
}

/// There was no room for a body in time: what the real server says when it has too much to do.
pub(super) fn busy() -> Reply {
    let mut reply = page(StatusCode::TOO_MANY_REQUESTS, "Too many requests, please try again later.\n");
    headers::set(reply.headers_mut(), "retry-after", "1");
    reply
}

/// The head of a reply: what HEAD is answered with.
pub(super) fn beheaded(reply: Reply) -> Reply {
    let (mut parts, body) = reply.into_parts();
    if let Some(length) = body.size_hint().exact() {
        parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    Response::from_parts(parts, ResponseBody::whole(""))
}
