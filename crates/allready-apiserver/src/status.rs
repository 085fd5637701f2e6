//! What went wrong, in the words of the real server: `Status` bodies and the field errors inside them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

mod field;
mod go;
mod refusals;
#[cfg(test)]
mod tests;

pub use field::{FieldError, Mistake};
pub use go::quote;
pub(crate) use go::{display, general, json_text};

use field::aggregate;

/// A refusal: what becomes a `Status` body with its HTTP code.
///
/// ```
/// use allready_apiserver::status::Failure;
///
/// let failure = Failure::not_found("pods", "web");
/// assert_eq!((failure.code, failure.message.as_str()), (404, "pods \"web\" not found"));
/// assert_eq!(failure.to_body()["reason"], "NotFound");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The HTTP status code, which the body repeats.
    pub code: u16,
    /// The machine-readable reason, such as `NotFound`; empty for none.
    pub reason: &'static str,
    /// The sentence for people.
    pub message: String,
    /// What it is about.
    pub details: Option<Box<Details>>,
    /// Texts of `Warning` headers that were due before the refusal.
    pub warnings: Vec<String>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The `details` of a [`Failure`]. Empty strings are left out of the body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Name of the object.
    pub name: String,
    /// API group, without its version.
    pub group: String,
    /// Resource (`pods`), or kind (`Pod`) for an invalid object, as the real server has it.
    pub kind: String,
    /// uid of the object.
    pub uid: String,
    /// One entry a cause.
    pub causes: Vec<Cause>,
    /// Seconds after which trying again makes sense; also the `Retry-After` header.
    pub retry_after_seconds: u32,
    /// Where a list that can no longer be continued as it was can go on; it stands in the body's metadata.
    pub continue_token: String,
}

/// One cause in the details of a [`Failure`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cause {
    /// Such as `FieldValueInvalid` or `FieldManagerConflict`; empty for none.
    pub reason: String,
    /// The sentence for people.
    pub message: String,
    /// The field, as in `spec.size` or `.spec.size`.
    pub field: String,
}

impl Failure {
    /// A failure without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None, warnings: Vec::new() }
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 404 for an object: `resource` is `pods` or `widgets.lab.example`.
    pub fn not_found(resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{resource} {} not found", quote(name))).about(resource, name)
    }

    /// 409 for a name that is taken.
    pub fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{resource} {} already exists", quote(name)))
            .about(resource, name)
    }

    /// 409 for a write against something that has changed; `why` is the sentence after the colon.
    pub fn conflict(resource: &str, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {why}", quote(name));
        Self::new(409, "Conflict", message).about(resource, name)
    }

    /// 422 for an object whose fields are wrong; `kind` is the kind, with its group in `group`.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let mut message = format!("{qualified} {} is invalid", quote(name));
        if !errors.is_empty() {
            let _ = write!(message, ": {}", aggregate(errors));
        }
        let causes = errors.iter().map(FieldError::to_cause).collect();
        let details = Details {
            name: name.into(),
            group: group.into(),
            kind: kind.into(),
            causes,
            ..Details::default()
        };
        Self { details: Some(Box::new(details)), ..Self::new(422, "Invalid", message) }
    }

    /// 500: something that should not happen.
    pub fn internal(message: impl std::fmt::Display) -> Self {
        let text = message.to_string();
        let causes = vec![Cause { message: text.clone(), ..Cause::default() }];
        let details = Details { causes, ..Details::default() };
        let failure = Self::new(500, "InternalError", format!("Internal error occurred: {text}"));
        Self { details: Some(Box::new(details)), ..failure }
    }

    /// Names the object in the details, from `plural[.group]`.
    pub fn about(mut self, resource: &str, name: &str) -> Self {
        let (kind, group) = resource.split_once('.').unwrap_or((resource, ""));
        let details = self.details.get_or_insert_default();
        (details.kind, details.group, details.name) = (kind.into(), group.into(), name.into());
        self
    }

    /// The `Status` body.
    pub fn to_body(&self) -> Value {
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            body["reason"] = self.reason.into();
        }
        if let Some(details) = &self.details {
            if !details.continue_token.is_empty() {
                body["metadata"]["continue"] = details.continue_token.as_str().into();
                return body;
            }
            body["details"] = details.to_value();
        }
        body
    }
}

impl Details {
    fn to_value(&self) -> Value {
        let mut out = Map::new();
        for (key, text) in
            [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)]
        {
            put(&mut out, key, text);
        }
        if !self.causes.is_empty() {
            out.insert("causes".into(), self.causes.iter().map(Cause::to_value).collect());
        }
        if self.retry_after_seconds > 0 {
            out.insert("retryAfterSeconds".into(), self.retry_after_seconds.into());
        }
        Value::Object(out)
    }
}

impl Cause {
    fn to_value(&self) -> Value {
        let mut out = Map::new();
        for (key, text) in [("reason", &self.reason), ("message", &self.message), ("field", &self.field)] {
            put(&mut out, key, text);
        }
        Value::Object(out)
    }
}

fn put(out: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        out.insert(key.into(), text.into());
    }
}
