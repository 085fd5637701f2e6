//! Refusals that are about the request rather than about an object's fields.

use super::{Cause, Details, Failure, quote};

impl Failure {
    /// 401: no user, or one that nobody knows.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403 about an object, or about a resource when `name` is empty; `why` is the sentence after the colon.
    pub(crate) fn forbidden(resource: &str, name: &str, why: &str) -> Self {
        let message = if name.is_empty() {
            format!("{resource} is forbidden: {why}")
        } else {
            format!("{resource} {} is forbidden: {why}", quote(name))
        };
        Self::new(403, "Forbidden", message).about(resource, name)
    }

    /// 404 for a path within a served group that names no resource.
    pub(crate) fn no_such_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").with_empty_details()
    }

    /// 405: the path is served, but not with this method.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with_empty_details()
    }

    /// 409 for a generated name that was taken.
    pub(crate) fn generated_name_taken(resource: &str, name: &str) -> Self {
        let quoted = quote(name);
        let message = format!(
            "{resource} {quoted} already exists, the server was not able to generate a unique name for the object"
        );
        let mut failure = Self::new(409, "AlreadyExists", message).about(resource, name);
        failure.details.get_or_insert_default().retry_after_seconds = 1;
        failure
    }

    /// 409 of an apply that wants fields of others: one cause a field.
    pub(crate) fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        Self::new(409, "Conflict", message).with_details(Details { causes, ..Details::default() })
    }

    /// 410: what was asked for has been compacted away (`Expired`).
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 410 of a watch or list from a version that is no longer kept.
    pub(crate) fn too_old(asked: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {asked} ({oldest})"))
    }

    /// 413: a body beyond `limit` bytes.
    pub(crate) fn too_large(limit: u64) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 415 for a body in a format that cannot be decoded; `accepted` are those that can.
    pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let accepted = accepted.join(", ");
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 415 for a patch in a format that the path does not take.
    pub(crate) fn unsupported_patch_type() -> Self {
        Self::new(415, "UnsupportedMediaType", "415: Unsupported Media Type").with_empty_details()
    }

    /// 504: it may still happen; `message` follows `Timeout: `.
    pub(crate) fn timeout(message: &str, retry_after_seconds: u32) -> Self {
        Self::new(504, "Timeout", format!("Timeout: {message}"))
            .with_details(Details { retry_after_seconds, ..Details::default() })
    }

    /// 504 for a list at a version that has not come yet.
    pub(crate) fn version_too_large(asked: u64, current: u64) -> Self {
        let mut failure =
            Self::timeout(&format!("Too large resource version: {asked}, current: {current}"), 1);
        failure.details.get_or_insert_default().causes.push(Cause {
            reason: "ResourceVersionTooLarge".into(),
            message: "Too large resource version".into(),
            field: String::new(),
        });
        failure
    }

    /// The same failure with these details.
    pub(crate) fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    fn with_empty_details(self) -> Self {
        self.with_details(Details::default())
    }
}
