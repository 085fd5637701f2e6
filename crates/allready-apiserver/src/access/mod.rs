//! Who may do what: roles and bindings decide, as the real server's RBAC authorizer does.
//!
//! [`Policy`] is every role and binding at one moment, and its answers are plain functions of it; [`Index`] keeps one up to
//! date with the store. Members of `system:masters` are never asked about: they may do everything.
//!
//! # What differs
//! - Of the roles and bindings that every cluster has, those of Kubernetes' own components are missing.
//! - Where the real server visits bindings in random order, here it is that of their names.
//! - Reviews leave selectors unread beyond their form, and tokens of service accounts are not issued: a user is made with
//!   [`crate::server::Builder::user`] or [`crate::ApiServer::service_as`].

mod cover;
mod defaults;
mod gather;
mod index;
mod policy;
mod question;
mod review;
mod rule;
#[cfg(test)]
mod tests;

pub(crate) use cover::refuse_escalation;
pub(crate) use defaults::objects as default_objects;
pub(crate) use gather::{LabelSelector, aggregate};
pub(crate) use index::Index;
pub(crate) use policy::Policy;
pub(crate) use review::answer;

use crate::{
    resource::User,
    status::{Details, Failure, quote},
};

/// The API group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// What someone wants to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attempt<'a> {
    /// `list`; the method in lower case for a path.
    pub(crate) verb: &'a str,
    /// The path, when it names no resource.
    pub(crate) path: Option<&'a str>,
    pub(crate) group: &'a str,
    pub(crate) resource: &'a str,
    /// Empty for none.
    pub(crate) subresource: &'a str,
    /// Empty for none.
    pub(crate) namespace: &'a str,
    /// Empty for none.
    pub(crate) name: &'a str,
}

/// Whether someone may, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Verdict {
    pub(crate) allowed: bool,
    /// Which binding allows it, or what stood in the way of finding one. Often nothing.
    pub(crate) reason: String,
}

/// Whether someone is a member of the group that may do everything.
pub(crate) fn is_master(user: &User) -> bool {
    user.groups.iter().any(|group| group == "system:masters")
}

impl Attempt<'_> {
    /// `widgets/status`.
    fn endpoint(&self) -> String {
        if self.subresource.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}/{}", self.resource, self.subresource)
        }
    }

    /// The refusal of it. `reason` is what the verdict says.
    pub(crate) fn refusal(&self, user: &User, reason: &str) -> Failure {
        let who = quote(&user.name);
        let verb = self.verb;
        let mut message = if let Some(path) = self.path {
            format!("User {who} cannot {verb} path {}", quote(path))
        } else {
            let scope = if self.namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {}", quote(self.namespace))
            };
            let (endpoint, group) = (quote(&self.endpoint()), quote(self.group));
            format!("User {who} cannot {verb} resource {endpoint} in API group {group} {scope}")
        };
        // What a client sent comes back as text that no browser takes for a page.
        message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        if !reason.is_empty() {
            message = format!("{message}: {reason}");
        }
        let message = match (self.path, self.name) {
            (Some(_), _) => format!("forbidden: {message}"),
            (None, "") => format!("{} is forbidden: {message}", self.qualified()),
            (None, name) => format!("{} {} is forbidden: {message}", self.qualified(), quote(name)),
        };
        let details = Details {
            name: self.name.to_owned(),
            group: self.group.to_owned(),
            kind: self.resource.to_owned(),
            ..Details::default()
        };
        Failure { details: Some(Box::new(details)), ..Failure::new(403, "Forbidden", message) }
    }

    fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }
}
