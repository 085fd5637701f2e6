//! Who speaks, and whether they may.

use super::info::Info;
use crate::{
    call::User,
    status::{Details, Failure},
};

/// Whom a service trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Whoever can call it: the same process.
    Caller,
    /// Whoever has the token.
    Token(String),
}

/// Who speaks, from the `Authorization` header.
pub(crate) fn authenticate(trust: &Trust, header: Option<&str>) -> Result<User, Failure> {
    let Trust::Token(token) = trust else { return Ok(admin()) };
    let bearer = header.and_then(|header| {
        let (scheme, token) = header.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    match bearer {
        Some(given) if equal(given.as_bytes(), token.as_bytes()) => Ok(admin()),
        Some(given) if !given.is_empty() => Err(Failure::new(401, "Unauthorized", "Unauthorized")),
        _ => Ok(anonymous()),
    }
}

/// Whether someone may: the administrator everything, anybody the few pages that say how the server is.
pub(crate) fn authorize(user: &User, info: &Info) -> Result<(), Failure> {
    if user.groups.iter().any(|group| group == "system:masters") {
        return Ok(());
    }
    let Some(named) = &info.resource else {
        let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
        if info.verb == "get" && public.contains(&info.path.as_str()) {
            return Ok(());
        }
        let message = format!("forbidden: User {:?} cannot {} path {:?}", user.name, info.verb, info.path);
        return Err(super::route::bare(Failure::new(403, "Forbidden", message)));
    };
    let qualified = if named.group.is_empty() {
        named.plural.clone()
    } else {
        format!("{}.{}", named.plural, named.group)
    };
    let about = if named.name.is_empty() { qualified } else { format!("{qualified} {:?}", named.name) };
    let endpoint = if named.subresource.is_empty() {
        named.plural.clone()
    } else {
        format!("{}/{}", named.plural, named.subresource)
    };
    let scope = if named.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {:?}", named.namespace)
    };
    let message = format!(
        "{about} is forbidden: User {:?} cannot {} resource {endpoint:?} in API group {:?} {scope}",
        user.name, info.verb, named.group
    );
    let (name, group, kind) = (named.name.clone(), named.group.clone(), named.plural.clone());
    let details = Details { name, group, kind, ..Details::default() };
    Err(Failure { details: Some(Box::new(details)), ..Failure::new(403, "Forbidden", message) })
}

/// The one user that there is.
pub(crate) fn admin() -> User {
    let groups = ["system:masters", "system:authenticated"].map(str::to_owned).to_vec();
    User { name: "admin".to_owned(), groups }
}

fn anonymous() -> User {
    User { name: "system:anonymous".to_owned(), groups: vec!["system:unauthenticated".to_owned()] }
}

/// Takes the same time wherever the difference is.
fn equal(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
