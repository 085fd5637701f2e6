//! What a request is about, from its method, path and query alone: what authorization speaks of before anything is known
//! about what is served.
//!
//! Follows `k8s.io/apiserver/pkg/endpoints/request` (`requestinfo.go`).

use super::path;

/// A request before it is known whether what it names exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Info {
    /// `list`, or for paths without a resource the method in lower case.
    pub(crate) verb: String,
    /// The path, decoded.
    pub(crate) path: String,
    /// The resource, when the path is one of those that name one.
    pub(crate) resource: Option<Named>,
}

/// The resource that a path names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Named {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Empty for none.
    pub(crate) namespace: String,
    pub(crate) plural: String,
    /// Empty for none.
    pub(crate) name: String,
    /// Empty for none.
    pub(crate) subresource: String,
    /// Whether there is more after the subresource.
    pub(crate) deeper: bool,
    /// Whether the path began with `watch/`.
    pub(crate) legacy_watch: bool,
    /// Whether the path had a `namespaces/` part in front of the resource.
    pub(crate) in_namespace: bool,
}

/// Reads a request. `path` is decoded.
pub(crate) fn read(method: &str, path: &str, query: &[(String, String)]) -> Info {
    let segments = path::segments(path);
    let resource = match segments.as_slice() {
        ["api", version, rest @ ..] if !rest.is_empty() => named("", version, rest),
        ["apis", group, version, rest @ ..] if !rest.is_empty() => named(group, version, rest),
        _ => None,
    };
    let verb = match &resource {
        None => method.to_ascii_lowercase(),
        Some(named) if named.legacy_watch => "watch".to_owned(),
        Some(named) => verb(method, named.name.is_empty(), query).to_owned(),
    };
    Info { verb, path: path.to_owned(), resource }
}

fn named(group: &str, version: &str, rest: &[&str]) -> Option<Named> {
    let (legacy_watch, rest) = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        _ => (false, rest),
    };
    let (namespace, in_namespace, rest) = match rest {
        ["namespaces", namespace, plural, ..] if !matches!(*plural, "status" | "finalize") => {
            (*namespace, true, rest.get(2..).unwrap_or_default())
        }
        ["namespaces", name, ..] => (*name, false, rest),
        _ => ("", false, rest),
    };
    let part = |index: usize| rest.get(index).copied().unwrap_or_default().to_owned();
    let named = Named {
        group: group.into(),
        version: version.into(),
        namespace: namespace.into(),
        plural: part(0),
        name: part(1),
        subresource: part(2),
        deeper: rest.len() > 3,
        legacy_watch,
        in_namespace,
    };
    (!named.plural.is_empty()).then_some(named)
}

fn verb(method: &str, collection: bool, query: &[(String, String)]) -> &'static str {
    match (method, collection) {
        ("POST", _) => "create",
        ("GET" | "HEAD", false) => "get",
        ("GET" | "HEAD", true) if wants_watch(query) => "watch",
        ("GET" | "HEAD", true) => "list",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", false) => "delete",
        ("DELETE", true) => "deletecollection",
        _ => "",
    }
}

/// Anything but `false` and `0` is a yes, nothing included.
fn wants_watch(query: &[(String, String)]) -> bool {
    path::first(query, "watch").is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
}
