//! From what a request is about to what is to be done.

use std::sync::Arc;

use super::info::{Info, Named};
use crate::{
    resource::{Endpoint, Registry, Resource, Verb, Version},
    status::{Details, Failure},
};

/// What is to be done.
pub(crate) enum Route {
    /// Something to an object or to many.
    Resource(Target),
    /// `/`: the paths that there are.
    Root,
    /// `/version`.
    Version,
    /// `/readyz`, `/livez` or `/healthz`, and which of its checks alone.
    Health { endpoint: &'static str, check: Option<String> },
    /// `/api`.
    Api,
    /// `/apis`.
    Apis,
    /// `/apis/GROUP`.
    Group(String),
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    Resources { group: String, version: String, custom: bool },
    /// `/openapi/v2`.
    OpenapiTwo,
    /// `/openapi/v3`.
    OpenapiIndex,
    /// `/openapi/v3/...` of a group version.
    Openapi { group: String, version: String },
    /// An OpenAPI document that there is not.
    NoDocument,
    /// The plain 404 page.
    NoPage,
    /// A refusal that needs no look at anything else.
    Refused(Failure),
}

/// What of a resource is meant.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) verb: Verb,
    pub(crate) resource: Arc<Resource>,
    pub(crate) version: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) endpoint: Endpoint,
    /// Whether it is a custom kind: those answer a little differently.
    pub(crate) custom: bool,
    /// A name to watch alone: the old watch paths have it in the path.
    pub(crate) watched_name: Option<String>,
}

impl Target {
    /// The warning that using its version brings.
    pub(crate) fn deprecation(&self) -> Vec<String> {
        self.resource
            .version(&self.version)
            .and_then(|version| version.deprecation.clone())
            .into_iter()
            .collect()
    }
}

/// The warning that using a version brings, even where nothing comes of it.
pub(crate) fn deprecation(named: &Named, registry: &Registry) -> Vec<String> {
    let resource = registry.get(&named.group, &named.plural);
    let version = resource.and_then(|resource| resource.version(&named.version));
    version.and_then(|version| version.deprecation.clone()).into_iter().collect()
}

/// Decides what a request means against what is served.
pub(crate) fn route(method: &str, info: &Info, registry: &Registry) -> Route {
    if info.path.starts_with("//") {
        return Route::NoPage;
    }
    match &info.resource {
        Some(named) => resource(method, info, named, registry),
        None => other(method, &info.path, registry),
    }
}

fn other(method: &str, path: &str, registry: &Registry) -> Route {
    let reads = method == "GET";
    let segments = super::path::segments(path);
    match segments.as_slice() {
        [] | ["index.html"] => Route::Root,
        ["version" | "api"] if !reads => Route::Refused(method_not_allowed()),
        ["version"] => Route::Version,
        ["api"] => Route::Api,
        ["apis"] => Route::Apis,
        ["api", version] => resources(reads, "", version, registry),
        ["apis", group] if serves(registry, group) => Route::Group((*group).to_owned()),
        ["apis", group, version] => resources(reads, group, version, registry),
        ["api", _, ..] => Route::Refused(unknown()),
        ["apis", group, _, ..] => nothing(group, registry),
        ["openapi", "v3"] => Route::OpenapiIndex,
        ["openapi", "v3", "api", version] => document("", version, registry),
        ["openapi", "v3", "apis", group, version] => document(group, version, registry),
        ["openapi", "v3", ..] => Route::NoDocument,
        ["openapi", "v2"] if path == "/openapi/v2" => Route::OpenapiTwo,
        // The other pages are looked up as they are written: a slash at their end is another page.
        _ => health(path),
    }
}

fn health(path: &str) -> Route {
    for endpoint in ["healthz", "livez", "readyz"] {
        match path.strip_prefix('/').and_then(|path| path.strip_prefix(endpoint)) {
            Some("") => return Route::Health { endpoint, check: None },
            Some(rest) if rest.starts_with('/') => {
                return Route::Health { endpoint, check: rest.get(1..).map(str::to_owned) };
            }
            _ => {}
        }
    }
    Route::NoPage
}

fn resources(reads: bool, group: &str, version: &str, registry: &Registry) -> Route {
    let served = || registry.iter().filter(|resource| resource.group == group);
    if !served().any(|resource| resource.version(version).is_some()) {
        return nothing(group, registry);
    }
    let custom = served().all(|resource| is_custom(resource));
    // Custom groups answer every method alike.
    if !reads && !custom {
        return Route::Refused(method_not_allowed());
    }
    Route::Resources { group: group.into(), version: version.into(), custom }
}

fn document(group: &str, version: &str, registry: &Registry) -> Route {
    let served =
        registry.iter().any(|resource| resource.group == group && resource.version(version).is_some());
    if served { Route::Openapi { group: group.into(), version: version.into() } } else { Route::NoDocument }
}

fn resource(method: &str, info: &Info, named: &Named, registry: &Registry) -> Route {
    let found = registry.get(&named.group, &named.plural);
    let Some((resource, version)) =
        found.and_then(|resource| Some((resource, resource.version(&named.version)?)))
    else {
        return nothing(&named.group, registry);
    };
    if is_custom(resource) {
        return custom(info, named, resource, version);
    }
    builtin(method, named, resource, version, &info.verb)
}

fn custom(info: &Info, named: &Named, resource: &Arc<Resource>, version: &Version) -> Route {
    let everywhere = matches!(info.verb.as_str(), "list" | "watch");
    let namespace = if named.in_namespace { named.namespace.as_str() } else { "" };
    if resource.namespaced == namespace.is_empty() && !(resource.namespaced && everywhere) {
        return Route::NoPage;
    }
    let qualified = resource.qualified();
    let endpoint = match named.subresource.as_str() {
        "" => Endpoint::Main,
        "status" if version.status => Endpoint::Status,
        "scale" if version.scale.is_some() => Endpoint::Scale,
        _ => return Route::Refused(Failure::not_found(&qualified, &named.name)),
    };
    let verb = match (info.verb.as_str(), endpoint) {
        ("get", _) => Verb::Get,
        ("update", _) => Verb::Update,
        ("patch", _) => Verb::Patch,
        ("list", Endpoint::Main) => Verb::List,
        ("watch", Endpoint::Main) => Verb::Watch,
        ("create", Endpoint::Main) => Verb::Create,
        ("delete", Endpoint::Main) => Verb::Delete,
        ("deletecollection", Endpoint::Main) => Verb::DeleteCollection,
        (verb, _) => return Route::Refused(unsupported(verb, resource)),
    };
    if verb == Verb::Update && named.name.is_empty() {
        return Route::Refused(Failure::bad_request("name must be provided"));
    }
    Route::Resource(target(verb, named, resource, endpoint, true))
}

fn builtin(method: &str, named: &Named, resource: &Arc<Resource>, version: &Version, verb: &str) -> Route {
    if named.deeper || resource.namespaced != named.in_namespace && named.in_namespace {
        return Route::Refused(unknown());
    }
    // Namespaced kinds have one path without a namespace: that of all of them.
    if resource.namespaced && !named.in_namespace && !named.name.is_empty() {
        return Route::Refused(unknown());
    }
    if named.legacy_watch {
        return if method == "GET" && named.subresource.is_empty() {
            Route::Resource(target(Verb::Watch, named, resource, Endpoint::Main, false))
        } else {
            Route::Refused(if method == "GET" { unknown() } else { method_not_allowed() })
        };
    }
    let everywhere = resource.namespaced && (!named.in_namespace || named.namespace.is_empty());
    let Some((endpoint, methods)) = methods(named, resource, version, everywhere) else {
        return Route::Refused(unknown());
    };
    let allowed = resource.verbs.is_empty() || endpoint != Endpoint::Main || resource.verbs.contains(&verb);
    if !methods.contains(&method) || !allowed {
        return Route::Refused(method_not_allowed());
    }
    let verb = match (method, named.name.is_empty()) {
        ("GET", true) if verb == "watch" => Verb::Watch,
        ("GET", true) => Verb::List,
        ("GET", false) => Verb::Get,
        ("POST", _) => Verb::Create,
        ("PUT", _) => Verb::Update,
        ("PATCH", _) => Verb::Patch,
        ("DELETE", true) => Verb::DeleteCollection,
        _ => Verb::Delete,
    };
    Route::Resource(target(verb, named, resource, endpoint, false))
}

fn methods(
    named: &Named,
    resource: &Resource,
    version: &Version,
    everywhere: bool,
) -> Option<(Endpoint, &'static [&'static str])> {
    let sub = (resource.group.as_str(), resource.plural.as_str(), named.subresource.as_str());
    Some(match (named.name.is_empty(), sub) {
        (true, (_, _, "")) if everywhere => (Endpoint::Main, &["GET"]),
        (true, (_, _, "")) => (Endpoint::Main, &["GET", "POST", "DELETE"]),
        (false, (_, _, "")) => (Endpoint::Main, &["GET", "PUT", "PATCH", "DELETE"]),
        (false, (_, _, "status")) if version.status => (Endpoint::Status, &["GET", "PUT", "PATCH"]),
        (false, (_, _, "scale")) if version.scale.is_some() => (Endpoint::Scale, &["GET", "PUT", "PATCH"]),
        (false, ("", "pods", "binding")) => (Endpoint::Other("binding"), &["POST"]),
        (false, ("", "pods", "eviction")) => (Endpoint::Other("eviction"), &["POST"]),
        (false, ("", "pods", "resize")) => (Endpoint::Other("resize"), &["GET", "PUT", "PATCH"]),
        (false, ("", "pods", "ephemeralcontainers")) => {
            (Endpoint::Other("ephemeralcontainers"), &["GET", "PUT", "PATCH"])
        }
        (false, ("", "serviceaccounts", "token")) => (Endpoint::Other("token"), &["POST"]),
        (false, ("certificates.k8s.io", _, "approval")) => {
            (Endpoint::Other("approval"), &["GET", "PUT", "PATCH"])
        }
        (false, ("", "namespaces", "finalize")) => (Endpoint::Other("finalize"), &["PUT"]),
        _ => return None,
    })
}

fn target(verb: Verb, named: &Named, resource: &Arc<Resource>, endpoint: Endpoint, custom: bool) -> Target {
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    // A collection has no name, and a name in the path of a create is not looked at.
    let named_verb = endpoint != Endpoint::Main
        || !matches!(verb, Verb::Create | Verb::List | Verb::Watch | Verb::DeleteCollection);
    Target {
        verb,
        resource: Arc::clone(resource),
        version: named.version.clone(),
        namespace: if resource.namespaced { filled(&named.namespace) } else { None },
        name: if named_verb { filled(&named.name) } else { None },
        endpoint,
        custom,
        watched_name: if verb == Verb::Watch { filled(&named.name) } else { None },
    }
}

/// Whether a kind comes from a definition: those have the schema that their author wrote.
pub(crate) fn is_custom(resource: &Resource) -> bool {
    resource.versions.iter().any(|version| version.published.is_some())
}

fn serves(registry: &Registry, group: &str) -> bool {
    !group.is_empty() && registry.iter().any(|resource| resource.group == group)
}

/// What there is not: a `Status` in groups of built-in kinds, a page everywhere else.
fn nothing(group: &str, registry: &Registry) -> Route {
    let builtin = registry.iter().any(|resource| resource.group == group && !is_custom(resource));
    if builtin || group.is_empty() { Route::Refused(unknown()) } else { Route::NoPage }
}

fn unknown() -> Failure {
    bare(Failure::new(404, "NotFound", "the server could not find the requested resource"))
}

fn method_not_allowed() -> Failure {
    let message = "the server does not allow this method on the requested resource";
    bare(Failure::new(405, "MethodNotAllowed", message))
}

fn unsupported(verb: &str, resource: &Resource) -> Failure {
    let message = format!("{verb} is not supported on resources of kind {:?}", resource.qualified());
    let details =
        Details { group: resource.group.clone(), kind: resource.plural.clone(), ..Details::default() };
    Failure { details: Some(Box::new(details)), ..Failure::new(405, "MethodNotAllowed", message) }
}

/// Details that are there and say nothing, as the real server has them where its router answers.
pub(crate) fn bare(failure: Failure) -> Failure {
    Failure { details: Some(Box::default()), ..failure }
}
