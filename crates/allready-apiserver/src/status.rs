//! What went wrong, in the words of the real server: `Status` bodies and the field errors inside them.

use serde_json::{Map, Value, json};

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
}

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
        Self { code, reason, message: message.into(), details: None }
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 404 for an object: `resource` is `pods` or `widgets.lab.example`.
    pub fn not_found(resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{resource} {name:?} not found")).about(resource, name)
    }

    /// 409 for a name that is taken.
    pub fn already_exists(resource: &str, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{resource} {name:?} already exists")).about(resource, name)
    }

    /// 409 for a write against something that has changed; `why` is the sentence after the colon.
    pub fn conflict(resource: &str, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {resource} {name:?}: {why}");
        Self::new(409, "Conflict", message).about(resource, name)
    }

    /// 422 for an object whose fields are wrong; `kind` is the kind, with its group in `group`.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = format!("{qualified} {name:?} is invalid: {}", aggregate(errors));
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

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// Which of the kinds of mistake.
    pub mistake: Mistake,
    /// Where, as in `spec.ports[0].name` or `metadata.labels`.
    pub field: String,
    /// What stood there.
    pub value: Value,
    /// What to do, or what is allowed.
    pub detail: String,
}

/// The kinds of mistake a field can have, as the real server names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// A reference to something that is not there.
    NotFound,
    /// Nothing stands where something must.
    Required,
    /// The same value, or the same key, twice.
    Duplicate,
    /// A value out of bounds or of the wrong form.
    Invalid,
    /// Not one of the allowed values.
    NotSupported,
    /// A field that may not be set or changed here.
    Forbidden,
    /// Too many bytes.
    TooLong,
    /// Too many items.
    TooMany,
    /// The server's own fault.
    Internal,
    /// A value of the wrong JSON type.
    TypeInvalid,
}

impl Mistake {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NotFound => ("FieldValueNotFound", "Not found"),
            Self::Required => ("FieldValueRequired", "Required value"),
            Self::Duplicate => ("FieldValueDuplicate", "Duplicate value"),
            Self::Invalid => ("FieldValueInvalid", "Invalid value"),
            Self::NotSupported => ("FieldValueNotSupported", "Unsupported value"),
            Self::Forbidden => ("FieldValueForbidden", "Forbidden"),
            Self::TooLong => ("FieldValueTooLong", "Too long"),
            Self::TooMany => ("FieldValueTooMany", "Too many"),
            Self::Internal => ("InternalError", "Internal error"),
            Self::TypeInvalid => ("FieldValueTypeInvalid", "Invalid value"),
        }
    }
}

impl FieldError {
    /// An error of any kind.
    pub fn new(
        mistake: Mistake,
        field: impl Into<String>,
        value: impl Into<Value>,
        detail: impl Into<String>,
    ) -> Self {
        Self { mistake, field: field.into(), value: value.into(), detail: detail.into() }
    }

    /// `Required value`.
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Mistake::Required, field, Value::Null, detail)
    }

    /// `Invalid value: …`.
    pub fn invalid(field: impl Into<String>, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(Mistake::Invalid, field, value, detail)
    }

    /// `Forbidden`.
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Mistake::Forbidden, field, Value::Null, detail)
    }

    /// `Unsupported value: … supported values: …`.
    pub fn not_supported(field: impl Into<String>, value: impl Into<Value>, allowed: &[&str]) -> Self {
        let quoted: Vec<_> = allowed.iter().map(|word| format!("{word:?}")).collect();
        Self::new(Mistake::NotSupported, field, value, format!("supported values: {}", quoted.join(", ")))
    }

    /// What follows the field's name: `Invalid value: 0: must be …`.
    pub fn body(&self) -> String {
        let word = self.mistake.words().1;
        let head = match self.mistake {
            Mistake::Required | Mistake::Forbidden | Mistake::TooLong | Mistake::Internal => word.to_owned(),
            _ => format!("{word}: {}", self.value),
        };
        if self.detail.is_empty() { head } else { format!("{head}: {}", self.detail) }
    }

    fn to_cause(&self) -> Cause {
        let reason = self.mistake.words().0.into();
        Cause { reason, message: self.body(), field: self.field.clone() }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) }
}
