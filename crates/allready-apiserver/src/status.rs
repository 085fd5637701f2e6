//! What went wrong, in the words of the real server: `Status` bodies and the field errors inside them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

mod field;
mod go;
mod refusals;
#[cfg(test)]
mod tests;

// Only what is hidden in this crate hands these out.
#[doc(hidden)]
pub use field::{FieldError, Mistake};
#[doc(hidden)]
pub use go::quote;
pub(crate) use go::{display, general, json_text};

use field::aggregate;

/// A refusal: what becomes a `Status` body with its HTTP code.
///
/// ```
/// use allready_apiserver::status::Failure;
///
/// let server = allready_apiserver::ApiServer::new();
/// let failure: Failure = server.define(serde_json::json!({})).unwrap_err();
/// assert_eq!((failure.code, failure.reason), (422, "Invalid"), "{failure}");
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
///
/// ```
/// let server = allready_apiserver::ApiServer::new();
/// server.define(allready_apiserver::catalog::gateway()).unwrap();
/// let taken = server.define(allready_apiserver::catalog::gateway()).unwrap_err();
/// let details = taken.details.unwrap();
/// assert_eq!(details.kind, "customresourcedefinitions");
/// assert_eq!(details.name, "gateways.gateway.networking.k8s.io");
/// ```
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
///
/// ```
/// let mut gateway = allready_apiserver::catalog::gateway();
/// gateway["spec"]["scope"] = "Everywhere".into();
/// let refused = allready_apiserver::ApiServer::new().define(gateway).unwrap_err();
/// let cause = &refused.details.unwrap().causes[0];
/// assert_eq!((cause.reason.as_str(), cause.field.as_str()), ("FieldValueNotSupported", "spec.scope"));
/// ```
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
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None, warnings: Vec::new() }
    }

    /// 400: the request makes no sense.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 404 for an object: `resource` is `pods` or `widgets.lab.example`.
    pub(crate) fn not_found(resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{resource} {} not found", quote(name))).about(resource, name)
    }

    /// 409 for a name that is taken.
    pub(crate) fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{resource} {} already exists", quote(name)))
            .about(resource, name)
    }

    /// 409 for a write against something that has changed; `why` is the sentence after the colon.
    pub(crate) fn conflict(resource: &str, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {why}", quote(name));
        Self::new(409, "Conflict", message).about(resource, name)
    }

    /// 422 for an object whose fields are wrong; `kind` is the kind, with its group in `group`.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
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
    pub(crate) fn internal(message: impl std::fmt::Display) -> Self {
        let text = message.to_string();
        let causes = vec![Cause { message: text.clone(), ..Cause::default() }];
        let details = Details { causes, ..Details::default() };
        let failure = Self::new(500, "InternalError", format!("Internal error occurred: {text}"));
        Self { details: Some(Box::new(details)), ..failure }
    }

    /// Names the object in the details, from `plural[.group]`.
    pub(crate) fn about(mut self, resource: &str, name: &str) -> Self {
        let (kind, group) = resource.split_once('.').unwrap_or((resource, ""));
        let details = self.details.get_or_insert_default();
        (details.kind, details.group, details.name) = (kind.into(), group.into(), name.into());
        self
    }

    /// The `Status` body.
    ///
    /// ```
    /// let refused = allready_apiserver::ApiServer::new().define(serde_json::json!({})).unwrap_err();
    /// let body = refused.to_body();
    /// assert_eq!((&body["kind"], &body["code"]), (&"Status".into(), &422.into()));
    /// ```
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
