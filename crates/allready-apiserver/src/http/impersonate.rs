//! Speaking for someone else: the `Impersonate-` headers, for those who may.

use std::{collections::BTreeMap, sync::Arc};

use http::HeaderMap;

use crate::{
    access::{self, Attempt, Policy},
    resource::User,
    status::{Failure, quote},
};

const AUTHENTICATION: &str = "authentication.k8s.io";

/// Whom the headers name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    name: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

/// One of the ways to be allowed: a verb for each property of the user, and for all but the oldest way, one for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Node,
    Account,
    Anyone,
    Old,
}

/// Whom the headers name, when they name someone.
pub(super) fn wanted(headers: &HeaderMap) -> Result<Option<Wanted>, Failure> {
    let texts = |name: &str| -> Vec<String> {
        let values = headers.get_all(name).iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    };
    let first = |name| texts(name).into_iter().next().unwrap_or_default();
    let mut wanted = Wanted {
        name: first("impersonate-user"),
        uid: first("impersonate-uid"),
        groups: texts("impersonate-group"),
        extra: BTreeMap::new(),
    };
    for name in headers.keys() {
        if let Some(key) = name.as_str().strip_prefix("impersonate-extra-") {
            let key = super::path::decode(key).unwrap_or_else(|| key.to_owned());
            wanted.extra.insert(key, texts(name.as_str()));
        }
    }
    if !wanted.name.is_empty() {
        return Ok(Some(wanted));
    }
    if wanted == Wanted::default() {
        return Ok(None);
    }
    let message = format!("requested &{} without impersonating a user name", wanted.describe());
    Err(Failure::bad_request(message))
}

impl Wanted {
    /// The user, if `user` may speak for it in this attempt.
    pub(super) fn allowed(
        self,
        user: &User,
        attempt: &Attempt<'_>,
        policy: impl FnOnce() -> Arc<Policy>,
    ) -> Result<User, Failure> {
        if access::is_master(user) {
            let node = self.is_bare() && node(&self.name).is_some();
            return Ok(self.become_user(node));
        }
        let policy = policy();
        let mut refused = None;
        for way in self.ways() {
            match self.check(way, user, attempt, &policy) {
                Ok(()) => return Ok(self.become_user(way == Way::Node)),
                Err(failure) => _ = refused.get_or_insert(failure),
            }
        }
        Err(refused.unwrap_or_else(|| Failure::internal("all impersonation modes failed")))
    }

    fn is_bare(&self) -> bool {
        self.uid.is_empty() && self.groups.is_empty() && self.extra.is_empty()
    }

    fn ways(&self) -> Vec<Way> {
        let way = match (node(&self.name), account(&self.name), self.is_bare()) {
            (Some(_), _, true) => Some(Way::Node),
            (None, Some(_), true) => Some(Way::Account),
            (None, None, _) => Some(Way::Anyone),
            _ => None,
        };
        way.into_iter().chain([Way::Old]).collect()
    }

    fn check(&self, way: Way, user: &User, attempt: &Attempt<'_>, policy: &Policy) -> Result<(), Failure> {
        let ask = |attempt: Attempt<'_>| {
            let verdict = policy.decide(user, &attempt);
            if verdict.allowed { Ok(()) } else { Err(attempt.refusal(user, &verdict.reason)) }
        };
        let mode = match way {
            Way::Node => "arbitrary-node",
            Way::Account => "serviceaccount",
            Way::Anyone => "user-info",
            Way::Old => "",
        };
        let new = way != Way::Old;
        if new {
            let verb = format!("impersonate-on:{mode}:{}", attempt.verb);
            ask(Attempt { verb: &verb, ..*attempt })?;
        }
        let verb = if new { format!("impersonate:{mode}") } else { "impersonate".to_owned() };
        let group = if new { AUTHENTICATION } else { "" };
        let base = Attempt { verb: &verb, ..Attempt::default() };
        match (way, node(&self.name), account(&self.name)) {
            (Way::Node, Some(name), _) => ask(Attempt { group, resource: "nodes", name, ..base })?,
            (_, _, Some((namespace, name))) => {
                ask(Attempt { group, resource: "serviceaccounts", namespace, name, ..base })?;
            }
            _ => ask(Attempt { group, resource: "users", name: &self.name, ..base })?,
        }
        if !self.uid.is_empty() {
            ask(Attempt { group: AUTHENTICATION, resource: "uids", name: &self.uid, ..base })?;
        }
        for name in &self.groups {
            let attempt = Attempt { group, resource: "groups", name, ..base };
            if new && name.is_empty() {
                let attempt = Attempt { name: "", ..attempt };
                return Err(attempt.refusal(user, "impersonating the empty string group is not allowed"));
            }
            if new && name == "system:masters" {
                return Err(attempt.refusal(user, "impersonating the system:masters group is not allowed"));
            }
            ask(attempt)?;
        }
        for (subresource, values) in &self.extra {
            for name in values {
                let group = AUTHENTICATION;
                ask(Attempt { group, resource: "userextras", subresource, name, ..base })?;
            }
        }
        Ok(())
    }

    fn become_user(self, node: bool) -> User {
        let extra = self.extra;
        let mut user = match account(&self.name) {
            _ if node => User { groups: vec!["system:nodes".to_owned()], name: self.name, extra },
            Some((namespace, name)) if self.groups.is_empty() => {
                return User { extra, ..User::service_account(namespace, name) };
            }
            _ => User { name: self.name, groups: self.groups, extra },
        };
        let unknown = "system:unauthenticated";
        let wanted = match user.name.as_str() {
            "system:anonymous" => unknown,
            _ if user.groups.iter().any(|group| group == unknown) => return user,
            _ => "system:authenticated",
        };
        if !user.groups.iter().any(|group| group == wanted) {
            user.groups.push(wanted.to_owned());
        }
        user
    }

    /// As the real server shows it, which is as Go shows a struct.
    fn describe(&self) -> String {
        let list = |texts: &[String]| {
            let texts: Vec<_> = texts.iter().map(|text| quote(text)).collect();
            format!("[]string{{{}}}", texts.join(", "))
        };
        let groups = if self.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&self.groups) };
        let extra = if self.extra.is_empty() {
            "map[string][]string(nil)".to_owned()
        } else {
            let pairs: Vec<_> =
                self.extra.iter().map(|(key, values)| format!("{}:{}", quote(key), list(values))).collect();
            format!("map[string][]string{{{}}}", pairs.join(", "))
        };
        let (name, uid) = (quote(&self.name), quote(&self.uid));
        format!("user.DefaultInfo{{Name:{name}, UID:{uid}, Groups:{groups}, Extra:{extra}}}")
    }
}

fn node(name: &str) -> Option<&str> {
    name.strip_prefix("system:node:").filter(|name| !name.is_empty())
}

fn account(name: &str) -> Option<(&str, &str)> {
    let (namespace, name) = name.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (!namespace.is_empty() && !name.is_empty() && !name.contains(':')).then_some((namespace, name))
}
