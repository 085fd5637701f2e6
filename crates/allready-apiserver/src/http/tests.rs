use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    auth::{self, Trust},
    headers, info,
    negotiate::{self, Form, Format, Place},
    path,
    route::{self, Route},
};
use crate::{
    resource::{Endpoint, Registry, Resource, Scale, Strategy, Verb, Version, ready},
    status::{Failure, FieldError},
};

struct Plain;

impl Strategy for Plain {
    fn moves_generation(&self, _: &Value, _: &Value) -> Option<bool> {
        None
    }

    fn validate(&self, _: &Version, _: Endpoint, _: &Value, _: Option<&Value>) -> Vec<FieldError> {
        Vec::new()
    }

    fn reset_fields(&self, _: &Version, _: Endpoint) -> Vec<Vec<&'static str>> {
        Vec::new()
    }
}

fn served(group: &str, plural: &str, namespaced: bool, custom: bool) -> Arc<Resource> {
    let scale = Scale { spec_replicas: ".a".into(), status_replicas: ".b".into(), label_selector: None };
    Arc::new(Resource {
        group: group.into(),
        plural: plural.into(),
        singular: plural.trim_end_matches('s').into(),
        kind: plural.into(),
        list_kind: format!("{plural}List"),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced,
        versions: vec![Version {
            name: "v1".into(),
            schema: ready(Arc::default()),
            status: plural != "configmaps",
            scale: (plural == "deployments").then_some(scale),
            columns: Vec::new(),
            selectable: Vec::new(),
            deprecation: None,
            published: custom.then(|| Arc::new(json!({}))),
        }],
        storage_version: "v1".into(),
        place: plural.into(),
        verbs: if plural == "namespaces" {
            vec!["create", "delete", "get", "list", "patch", "update", "watch"]
        } else {
            Vec::new()
        },
        strategy: Arc::new(Plain),
    })
}

fn registry() -> Registry {
    let mut registry = Registry::default();
    for resource in [
        served("", "namespaces", false, false),
        served("", "nodes", false, false),
        served("", "pods", true, false),
        served("", "configmaps", true, false),
        served("apps", "deployments", true, false),
        served("http.example", "gadgets", true, true),
        served("http.example", "globes", false, true),
    ] {
        registry.insert(resource);
    }
    registry
}

/// What a request means, in one line.
fn meaning(method: &str, uri: &str) -> String {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let Some(path) = path::decode(path) else { return "broken".to_owned() };
    let info = info::read(method, &path, &path::query(query));
    match route::route(method, &info, &registry()) {
        Route::Resource(target) => {
            let name = target.name.as_ref().or(target.watched_name.as_ref());
            format!(
                "{:?} {} {} {} {:?}",
                target.verb,
                target.resource.plural,
                target.namespace.as_deref().unwrap_or("-"),
                name.map_or("-", String::as_str),
                target.endpoint
            )
        }
        Route::Root => "root".into(),
        Route::Version => "version".into(),
        Route::Health { endpoint, check } => format!("{endpoint} {}", check.unwrap_or_default()),
        Route::Api => "api".into(),
        Route::Apis => "apis".into(),
        Route::Group(group) => format!("group {group}"),
        Route::Resources { group, version, .. } => format!("resources {group}/{version}"),
        Route::OpenapiTwo => "version 2".into(),
        Route::OpenapiIndex => "index".into(),
        Route::Openapi { group, version } => format!("document {group}/{version}"),
        Route::NoDocument => "no document".into(),
        Route::NoPage => "404 page".into(),
        Route::Refused(Failure { code, message, .. }) => format!("{code} {message}"),
    }
}

const UNKNOWN: &str = "404 the server could not find the requested resource";
const NOT_ALLOWED: &str = "405 the server does not allow this method on the requested resource";

#[test]
fn paths_mean_what_they_mean_to_the_real_server() {
    for (request, expected) in [
        ("GET /", "root"),
        ("GET /index.html", "root"),
        ("GET /nope", "404 page"),
        ("POST /nope", "404 page"),
        ("GET //api/v1", "404 page"),
        ("GET /api/", "api"),
        ("POST /api", NOT_ALLOWED),
        ("POST /apis", "apis"),
        ("GET /version/", "version"),
        ("HEAD /version", NOT_ALLOWED),
        ("POST /readyz", "readyz "),
        ("GET /livez/ping", "livez ping"),
        ("GET /healthz/", "healthz "),
        ("GET /metrics/nope", "404 page"),
        ("GET /api/v1/", "resources /v1"),
        ("GET /api/v2", UNKNOWN),
        ("GET /api/v1//namespaces", UNKNOWN),
        ("GET /apis/nope.example/v1//x", "404 page"),
        ("GET /apis/apps", "group apps"),
        ("POST /apis/apps/v1", NOT_ALLOWED),
        ("GET /apis/apps/v2/nope", UNKNOWN),
        ("GET /apis/nope", "404 page"),
        ("GET /apis/nope.example/v1/x", "404 page"),
        ("POST /apis/http.example/v1", "resources http.example/v1"),
        ("GET /apis/http.example/v2", "404 page"),
        ("GET /openapi/v3", "index"),
        ("GET /openapi/v3/apis/http.example/v1", "document http.example/v1"),
        ("GET /openapi/v3/nope", "no document"),
        ("GET /openapi/v2", "version 2"),
        ("GET /openapi/v2/", "404 page"),
        ("GET /openapi/v2/x", "404 page"),
    ] {
        let (method, uri) = request.split_once(' ').unwrap();
        assert_eq!(meaning(method, uri), expected, "{request}");
    }
}

#[test]
fn built_in_kinds_are_reached_as_in_the_real_server() {
    for (request, expected) in [
        ("GET /api/v1/nope", UNKNOWN),
        ("GET /api/v1/namespaces/a/nope/x", UNKNOWN),
        ("GET /api/v1/pods", "List pods - - Main"),
        ("GET /api/v1/namespaces//pods", "List pods - - Main"),
        ("GET /api/v1/namespaces/a/pods//", "List pods a - Main"),
        ("GET /api/v1/namespaces/a/pods?watch", "Watch pods a - Main"),
        ("GET /api/v1/namespaces/a/pods?watch=0", "List pods a - Main"),
        ("GET /api/v1/namespaces/a/pods?watch=False", "List pods a - Main"),
        ("GET /api/v1/namespaces/a/pods?watch=nope", "Watch pods a - Main"),
        ("GET /api/v1/namespaces/a/pods/b?watch=1", "Get pods a b Main"),
        ("GET /api/v1/namespaces/a/pods/b%20c", "Get pods a b c Main"),
        ("GET /api/v1/namespaces/a/configmaps/b%2fc", UNKNOWN),
        ("GET /api/v1/namespaces/a/pods/%zz", "broken"),
        ("GET /api/v1/namespaces/a/pods/b/nope", UNKNOWN),
        ("GET /api/v1/namespaces/a/pods/b/status", "Get pods a b Status"),
        ("GET /api/v1/namespaces/a/configmaps/b/status", UNKNOWN),
        ("PUT /apis/apps/v1/namespaces/a/deployments/b/scale", "Update deployments a b Scale"),
        ("GET /api/v1/pods/a", UNKNOWN),
        ("POST /api/v1/pods", NOT_ALLOWED),
        ("DELETE /api/v1/pods", NOT_ALLOWED),
        ("POST /api/v1/namespaces/a/pods", "Create pods a - Main"),
        ("POST /api/v1/namespaces/a/pods/b", NOT_ALLOWED),
        ("PUT /api/v1/namespaces/a/pods", NOT_ALLOWED),
        ("DELETE /api/v1/namespaces/a/pods", "DeleteCollection pods a - Main"),
        ("DELETE /api/v1/namespaces", NOT_ALLOWED),
        ("HEAD /api/v1/namespaces/a", NOT_ALLOWED),
        ("OPTIONS /api/v1/pods", NOT_ALLOWED),
        ("GET /api/v1/namespaces/a", "Get namespaces - a Main"),
        ("GET /api/v1/namespaces/a/status", "Get namespaces - a Status"),
        ("GET /api/v1/namespaces/a/finalize", NOT_ALLOWED),
        ("PUT /api/v1/namespaces/a/finalize", "Update namespaces - a Other(\"finalize\")"),
        ("GET /api/v1/namespaces/a/nodes", UNKNOWN),
        ("GET /api/v1/namespaces/a/namespaces", UNKNOWN),
        ("PATCH /api/v1/nodes/a/status", "Patch nodes - a Status"),
        ("GET /api/v1/watch/namespaces", "Watch namespaces - - Main"),
        ("GET /api/v1/watch/namespaces/a/pods/b", "Watch pods a b Main"),
    ] {
        let (method, uri) = request.split_once(' ').unwrap();
        assert_eq!(meaning(method, uri), expected, "{request}");
    }
}

#[test]
fn custom_kinds_are_reached_as_in_the_real_server() {
    let base = "/apis/http.example/v1/namespaces/a/gadgets";
    for (method, rest, expected) in [
        ("GET", "/", "List gadgets a - Main"),
        ("HEAD", "/b", "Get gadgets a b Main"),
        ("POST", "/b", "Create gadgets a - Main"),
        ("PUT", "", "400 name must be provided"),
        ("GET", "/b/nope", "404 gadgets.http.example \"b\" not found"),
        ("GET", "/b/scale", "404 gadgets.http.example \"b\" not found"),
        ("GET", "/b/status", "Get gadgets a b Status"),
        ("POST", "/b/status", "405 create is not supported on resources of kind \"gadgets.http.example\""),
        ("DELETE", "/b/status", "405 delete is not supported on resources of kind \"gadgets.http.example\""),
        ("OPTIONS", "", "405  is not supported on resources of kind \"gadgets.http.example\""),
    ] {
        assert_eq!(meaning(method, &format!("{base}{rest}")), expected, "{method} {rest}");
    }
    for (request, expected) in [
        ("GET /apis/http.example/v1/gadgets", "List gadgets - - Main"),
        ("POST /apis/http.example/v1/gadgets", "404 page"),
        ("GET /apis/http.example/v1/gadgets/a", "404 page"),
        ("GET /apis/http.example/v1/namespaces/a", "404 page"),
        ("GET /apis/http.example/v1/namespaces/a/globes", "404 page"),
        ("GET /apis/http.example/v1/globes/a", "Get globes - a Main"),
        ("GET /apis/http.example/v1/watch/namespaces/a/gadgets", "Watch gadgets a - Main"),
    ] {
        let (method, uri) = request.split_once(' ').unwrap();
        assert_eq!(meaning(method, uri), expected, "{request}");
    }
}

#[test]
fn clients_read_what_they_ask_for_first_of_what_there_is() {
    let whole = |format| Ok((format, Form::Whole));
    let table = |beta| Ok((Format::Json, Form::Table { beta }));
    let only = Err("only the following media types are accepted: application/json, application/yaml, \
                    application/vnd.kubernetes.protobuf");
    for (accept, expected) in [
        ("", whole(Format::Json)),
        ("*/*", whole(Format::Json)),
        ("application/*", whole(Format::Json)),
        ("application/yaml", whole(Format::Yaml)),
        ("application/vnd.kubernetes.protobuf,application/json", whole(Format::Json)),
        ("application/json;q=0", whole(Format::Json)),
        ("application/json;foo=bar", whole(Format::Json)),
        ("application/json;charset=utf-8", whole(Format::Json)),
        ("text/html;q=0.9, */*;q=0.8", whole(Format::Json)),
        ("application/json;q=0.1, application/yaml", whole(Format::Yaml)),
        ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", table(false)),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io", table(true)),
        ("application/json;as=Table;v=v2;g=meta.k8s.io,application/json", whole(Format::Json)),
        ("application/yaml;as=Table;v=v1;g=meta.k8s.io", Ok((Format::Yaml, Form::Table { beta: false }))),
        (
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            Ok((Format::Json, Form::Metadata { beta: false })),
        ),
        ("text/html", only),
        ("garbage", only),
        ("application/vnd.kubernetes.protobuf", only),
        ("application/json;as=Nope;v=v1;g=meta.k8s.io", only),
        ("application/json;as=Table", only),
    ] {
        let wanted = negotiate::accept(accept, Place::Custom, false);
        let wanted = wanted.map(|wanted| (wanted.format, wanted.form)).map_err(|failure| {
            assert_eq!((failure.code, failure.reason), (406, "NotAcceptable"));
            failure.message
        });
        assert_eq!(wanted, expected.map_err(str::to_owned), "{accept}");
    }
}

#[test]
fn built_in_kinds_are_refused_by_the_router() {
    let refused = |accept, place| negotiate::accept(accept, place, false).unwrap_err().message;
    assert_eq!(
        refused("application/*", Place::Builtin { list: true }),
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf, application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch"
    );
    assert_eq!(
        refused("application/yaml", Place::Version),
        "406: Not Acceptable\n\nAvailable representations: application/json"
    );
    let watch = negotiate::accept("application/yaml", Place::Custom, true).unwrap_err();
    assert_eq!(
        watch.message,
        "only the following media types are accepted: application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch"
    );
}

#[test]
fn bodies_are_of_a_type_that_the_verb_reads() {
    let objects = "the body of the request was in an unknown format - accepted media types include: \
                   application/json, application/yaml, application/vnd.kubernetes.protobuf";
    let patches = "the body of the request was in an unknown format - accepted media types include: \
                   application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    for (header, verb, custom, expected) in [
        ("", Verb::Create, true, Ok("application/json")),
        ("APPLICATION/JSON; charset=utf-8", Verb::Update, true, Ok("application/json")),
        ("application/yaml", Verb::Create, false, Ok("application/yaml")),
        ("text/plain", Verb::Create, true, Err(objects)),
        (";", Verb::Create, true, Err(objects)),
        ("text/plain", Verb::Delete, false, Err(objects)),
        ("", Verb::Patch, true, Err(patches)),
        ("application/strategic-merge-patch+json", Verb::Patch, true, Err(patches)),
        (
            "application/strategic-merge-patch+json",
            Verb::Patch,
            false,
            Ok("application/strategic-merge-patch+json"),
        ),
        ("application/json", Verb::Patch, false, Err("415: Unsupported Media Type")),
        ("application/apply-patch+yaml", Verb::Patch, true, Ok("application/apply-patch+yaml")),
    ] {
        let read = negotiate::content_type(header, verb, custom, b"{}").map_err(|failure| {
            assert_eq!((failure.code, failure.reason), (415, "UnsupportedMediaType"));
            failure.message
        });
        assert_eq!(read, expected.map(str::to_owned).map_err(str::to_owned), "{header} {verb:?}");
    }
    assert_eq!(negotiate::content_type("text/plain", Verb::Delete, true, b""), Ok(String::new()));
}

#[test]
fn aggregated_discovery_is_what_clients_of_today_ask_for() {
    let kubectl = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                   application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    assert!(negotiate::wants_aggregated(kubectl));
    assert!(!negotiate::wants_aggregated("application/json"));
    assert!(!negotiate::wants_aggregated(
        "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json"
    ));
}

#[test]
fn queries_are_read_as_forms() {
    let pairs = path::query("a=1&b=%3d+x&c&&;d=1&%zz=2&a=3");
    let expected = [("a", "1"), ("b", "= x"), ("c", ""), ("a", "3")];
    assert_eq!(pairs, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(path::first(&pairs, "a"), Some("1"));
}

#[test]
fn who_has_no_token_may_only_ask_how_the_server_is() {
    let joe = ("other".to_owned(), crate::resource::User::new("joe"));
    let trust = Trust::Tokens([joe, ("secret".to_owned(), auth::admin())].into());
    let server = crate::rest::Engine::new(
        super::boot::registry(crate::builtin::Ranges::default()),
        crate::store::Window::default(),
        &|| (jiff::Timestamp::UNIX_EPOCH, [0; 32]),
    );
    let message = |method: &str, path: &str| {
        let user = auth::authenticate(&trust, None, |_| None).unwrap();
        auth::authorize(&user, &info::read(method, path, &[]), &[], || server.access())
            .map_err(|failure| failure.message)
    };
    for path in ["/readyz", "/livez", "/healthz", "/version"] {
        assert_eq!(message("GET", path), Ok(()));
    }
    for (request, expected) in [
        ("GET /api", "forbidden: User \"system:anonymous\" cannot get path \"/api\""),
        ("POST /readyz", "forbidden: User \"system:anonymous\" cannot post path \"/readyz\""),
        (
            "GET /api/v1/pods",
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at \
             the cluster scope",
        ),
        (
            "POST /apis/http.example/v1/namespaces/http/gadgets/x/status",
            "gadgets.http.example \"x\" is forbidden: User \"system:anonymous\" cannot create resource \
             \"gadgets/status\" in API group \"http.example\" in the namespace \"http\"",
        ),
    ] {
        let (method, path) = request.split_once(' ').unwrap();
        assert_eq!(message(method, path), Err(expected.to_owned()));
    }
    let account = |token: &str| (token == "issued").then(|| crate::resource::User::service_account("a", "b"));
    let code =
        |header| auth::authenticate(&trust, Some(header), account).map(|user| user.name).map_err(|f| f.code);
    assert_eq!(code("Bearer issued"), Ok("system:serviceaccount:a:b".to_owned()));
    assert_eq!(code("Bearer secret"), Ok("admin".to_owned()));
    assert_eq!(code("bearer secret"), Ok("admin".to_owned()));
    assert_eq!(code("bearer other words"), Ok("joe".to_owned()));
    assert_eq!(code("Bearer wrong"), Err(401));
    assert_eq!(code("Bearer  secret"), Ok("system:anonymous".to_owned()));
    assert_eq!(code("Basic wrong"), Ok("system:anonymous".to_owned()));
}

#[test]
fn warnings_are_headers_each_once_and_cut_when_they_are_many() {
    let written = |texts: &[String]| {
        let mut map = http::HeaderMap::new();
        headers::warn(&mut map, texts);
        let values = map.get_all("warning").iter().map(|v| String::from_utf8(v.as_bytes().to_vec()).unwrap());
        values.collect::<Vec<_>>()
    };
    let texts = ["unknown field \"metadata.fooé\"", "b\\c", "", "b\\c", "line\nbreak"].map(str::to_owned);
    assert_eq!(written(&texts), ["299 - \"unknown field \\\"metadata.fooé\\\"\"", "299 - \"b\\\\c\""]);
    let many: Vec<String> = (0..40).map(|index| format!("{index:03}{}", "x".repeat(500))).collect();
    let cut = written(&many);
    assert_eq!((cut.len(), cut[0].len()), (16, 256 + "299 - \"\"".len()));
}
