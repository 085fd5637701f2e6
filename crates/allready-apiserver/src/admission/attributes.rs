//! A request as the chain sees it: `admission.Attributes` upstream.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    resource::{Resource, User},
    status::{Cause, Failure},
};

/// The operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// A kind in a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupVersionKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl GroupVersionKind {
    pub(super) fn to_value(&self) -> Value {
        json!({ "group": self.group, "version": self.version, "kind": self.kind })
    }
}

/// One request, but for the objects that it is about.
pub(crate) struct Attributes<'a> {
    pub(crate) operation: Operation,
    pub(crate) resource: &'a Arc<Resource>,
    /// The version of the resource that the request came through.
    pub(crate) version: &'a str,
    /// The kind of what was sent; that of the resource unless a subresource has its own.
    pub(crate) kind: GroupVersionKind,
    /// Empty for none.
    pub(crate) subresource: &'a str,
    /// The namespace; for a Namespace its own name.
    pub(crate) namespace: String,
    /// Empty for a name that is still to be generated.
    pub(crate) name: String,
    pub(crate) user: &'a User,
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions`.
    pub(crate) options: Value,
    pub(crate) dry_run: bool,
}

/// The match of a rule: the resource, in the version that the rule speaks of.
pub(super) struct Matched {
    pub(super) resource: Arc<Resource>,
    pub(super) version: String,
    pub(super) kind: GroupVersionKind,
}

impl Attributes<'_> {
    /// Tells whether the object configures admission itself, which webhooks are not asked about: nobody could take back what
    /// forbids its own removal.
    pub(super) fn is_configuration(&self) -> bool {
        let kinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
        self.is_policy()
            || self.kind.group == "admissionregistration.k8s.io" && kinds.contains(&self.kind.kind.as_str())
    }

    /// Tells whether the object is a policy or a binding, which policies are not asked about.
    pub(super) fn is_policy(&self) -> bool {
        let kinds = [
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ];
        self.kind.group == "admissionregistration.k8s.io" && kinds.contains(&self.kind.kind.as_str())
    }

    /// Tells whether the object is a question about rights, which policies are not asked about.
    pub(super) fn is_review(&self) -> bool {
        let plural = self.resource.plural.as_str();
        match self.resource.group.as_str() {
            "authentication.k8s.io" => ["selfsubjectreviews", "tokenreviews"].contains(&plural),
            "authorization.k8s.io" => true,
            _ => false,
        }
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.resource.group.is_empty() && self.resource.plural == "namespaces"
    }

    pub(super) fn as_sent(&self) -> Matched {
        Matched {
            resource: Arc::clone(self.resource),
            version: self.version.to_owned(),
            kind: self.kind.clone(),
        }
    }

    /// The `request` variable, and most of an `AdmissionReview`.
    pub(super) fn to_request(&self, matched: &Matched) -> Value {
        let resource = |resource: &Resource, version: &str| json!({ "group": resource.group, "version": version, "resource": resource.plural });
        let mut user = json!({ "username": self.user.name, "groups": self.user.groups });
        if !self.user.extra.is_empty() {
            user["extra"] = json!(self.user.extra);
        }
        let mut request = json!({
            "kind": matched.kind.to_value(),
            "resource": resource(&matched.resource, &matched.version),
            "requestKind": self.kind.to_value(),
            "requestResource": resource(self.resource, self.version),
            "operation": self.operation.name(),
            "userInfo": user,
            "dryRun": self.dry_run,
            "options": self.options,
        });
        let texts = [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", &self.name),
            ("namespace", &self.namespace),
        ];
        for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            request[field] = text.into();
        }
        request
    }

    /// A refusal that names the object and nothing else, 403 as it comes from `admission.NewForbidden`.
    pub(super) fn forbidden(&self, object: Option<&Value>, message: &str) -> Failure {
        let text =
            |field: &str| object.and_then(|object| object["metadata"][field].as_str()).unwrap_or_default();
        let names = [self.name.as_str(), text("name"), text("generateName"), "Unknown"];
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        Failure::forbidden(&self.resource.qualified(), name, message)
    }

    /// A refusal with a cause, and with the code that a reason has.
    pub(super) fn denied(&self, object: Option<&Value>, message: &str, reason: &str) -> Failure {
        let (code, reason) = match reason {
            "Forbidden" => (403, "Forbidden"),
            "Unauthorized" => (401, "Unauthorized"),
            "RequestEntityTooLarge" => (413, "RequestEntityTooLarge"),
            _ => (422, "Invalid"),
        };
        let mut failure = Failure { code, reason, ..self.forbidden(object, message) };
        let cause = Cause { message: message.to_owned(), ..Cause::default() };
        failure.details.get_or_insert_default().causes.push(cause);
        failure
    }
}
