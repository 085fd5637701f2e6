//! Who speaks, and whether they may.

use std::sync::Arc;

use super::info::Info;
use crate::{
    access::{self, Attempt, Policy},
    resource::User,
    rest::exact_name,
    status::Failure,
};

/// Whom a service trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Whoever can call it, as this user: the same process.
    Caller(User),
    /// Whoever has one of the tokens.
    Tokens(Arc<[(String, User)]>),
}

/// Who speaks, from the `Authorization` header; a token that is not known from the start may be one of a service account.
pub(crate) fn authenticate(
    trust: &Trust,
    header: Option<&str>,
    service_account: impl FnOnce(&str) -> Option<User>,
) -> Result<User, Failure> {
    let known = match trust {
        Trust::Caller(user) => return Ok(user.clone()),
        Trust::Tokens(known) => known,
    };
    let mut words = header.unwrap_or_default().trim().split(' ');
    let given = match (words.next(), words.next()) {
        (Some(scheme), Some(token)) if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() => token,
        _ => return Ok(anonymous()),
    };
    let found = known.iter().rev().find(|(token, _)| equal(given.as_bytes(), token.as_bytes()));
    let found = found.map(|(_, user)| user.clone()).or_else(|| service_account(given));
    found.ok_or_else(Failure::unauthorized)
}

/// Whether someone may, as the roles and bindings say. The policy is looked up only for those who are not administrators.
pub(crate) fn authorize(
    user: &User,
    info: &Info,
    query: &[(String, String)],
    policy: impl FnOnce() -> Arc<Policy>,
) -> Result<(), Failure> {
    if access::is_master(user) {
        return Ok(());
    }
    attempt(info, query, |attempt| {
        let verdict = policy().decide(user, &attempt);
        if verdict.allowed { Ok(()) } else { Err(attempt.refusal(user, &verdict.reason)) }
    })
}

/// What a request attempts.
pub(super) fn attempt<T>(info: &Info, query: &[(String, String)], then: impl FnOnce(Attempt<'_>) -> T) -> T {
    let verb = info.verb.as_str();
    let Some(named) = &info.resource else {
        return then(Attempt { verb, path: Some(&info.path), ..Attempt::default() });
    };
    // Who lists or watches one object by its name may do so with a right to that object alone.
    let selected = if named.name.is_empty() && matches!(verb, "list" | "watch") {
        super::path::first(query, "fieldSelector").and_then(exact_name)
    } else {
        None
    };
    then(Attempt {
        verb,
        path: None,
        group: &named.group,
        resource: &named.plural,
        subresource: &named.subresource,
        namespace: &named.namespace,
        name: selected.as_deref().unwrap_or(&named.name),
    })
}

/// The administrator.
pub(crate) fn admin() -> User {
    User::new("admin").in_group("system:masters")
}

fn anonymous() -> User {
    User { groups: vec!["system:unauthenticated".to_owned()], ..User::new("system:anonymous") }
}

/// Takes the same time wherever the difference is.
fn equal(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
