//! Requests against rules.

use allready_core::Time;
use http::{HeaderMap, Request};

use super::*;
use crate::{Object, Support};

/// The outcome of one request: the name of the backend, or the answer without one, and the request and the response as filters make them.
struct Answer {
    backend: String,
    request: Parts,
    response: HeaderMap,
}

fn table(rules: &str) -> Table {
    table_at("[{name: http, port: 8080, protocol: HTTP}]", "[{name: web}]", rules)
}

fn table_at(listeners: &str, parents: &str, rules: &str) -> Table {
    table_with(listeners, parents, rules, &Value::Null)
}

/// The table with a Secret called `good` beside it.
fn table_with(listeners: &str, parents: &str, rules: &str, secret: &Value) -> Table {
    let listeners: Value = serde_saphyr::from_str(listeners).unwrap();
    let parents: Value = serde_saphyr::from_str(parents).unwrap();
    let rules: Value = serde_saphyr::from_str(rules).unwrap();
    let route = json!({"spec": {"parentRefs": parents, "rules": rules}});
    let object = |kind: &str, name: &str, spec: &Value| {
        let api = if kind == "Service" { "v1" } else { "gateway.networking.k8s.io/v1" };
        let metadata = json!({"name": name, "namespace": "shop"});
        Object::read(&json!({"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec})).unwrap()
    };
    let default_address = Support::new("").default_address;
    let mut engine =
        Engine::new(Support { default_address, ..support("example.com/gateway", ["HTTP", "HTTPS"]) });
    engine.apply(object("GatewayClass", "example", &json!({"controllerName": "example.com/gateway"})));
    engine.apply(object("Gateway", "web", &json!({"gatewayClassName": "example", "listeners": listeners})));
    for name in ["a", "b", "c", "d"] {
        engine.apply(object("Service", name, &json!({"ports": [{"port": 80}]})));
    }
    if let Some(secret) = secret.as_object() {
        let mut secret = secret.clone();
        secret.insert("apiVersion".to_owned(), "v1".into());
        secret.insert("kind".to_owned(), "Secret".into());
        secret.insert("metadata".to_owned(), json!({"name": "good", "namespace": "shop"}));
        engine.apply(Object::read(&secret.into()).unwrap());
    }
    engine.apply(object("HTTPRoute", "route", &route["spec"]));
    engine.take_changed(Time::EPOCH);
    Table::new(&engine, |key| Some(if key.kind == Kind::Secret { secret } else { &route }))
}

fn at() -> SocketAddr {
    "127.0.0.1:8080".parse().unwrap()
}

fn parts(method: &str, path: &str, headers: &[(&str, &str)]) -> Parts {
    let request = Request::builder().method(method).uri(path).header("Host", "example.com:8080");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.body(()).unwrap().into_parts().0
}

fn ask(table: &Table, request: Parts) -> Answer {
    ask_for(table, request, 0)
}

fn ask_for(table: &Table, mut request: Parts, number: u64) -> Answer {
    let mut response = HeaderMap::new();
    response.insert("server", "old".parse().unwrap());
    response.insert("x-secret", "1".parse().unwrap());
    let backend = match table.route(at(), &mut request, number) {
        Ok(forward) => {
            forward.change_response(&mut response);
            forward.send_to("[2001:db8::1]:3000".parse().unwrap(), &mut request);
            forward.service.name.to_string()
        }
        Err(answer) => {
            let location = answer.headers().get("location").map(|location| location.to_str().unwrap());
            format!("{} {}", answer.status().as_u16(), location.unwrap_or_default()).trim_end().to_owned()
        }
    };
    Answer { backend, request, response }
}

fn backend(table: &Table, request: Parts) -> String {
    ask(table, request).backend
}

#[test]
fn a_rule_without_matches_is_for_every_request() {
    for rules in
        ["[{backendRefs: [{name: a, port: 80}]}]", "[{matches: [], backendRefs: [{name: a, port: 80}]}]"]
    {
        assert_eq!(backend(&table(rules), parts("POST", "/any/path?a=b", &[])), "a", "{rules}");
    }
}

#[test]
fn a_path_goes_before_a_method_a_method_before_headers_and_headers_before_query_parameters() {
    // The worst first, so that their order in the route decides nothing.
    let rule = |backend: &str, matches: &str| {
        format!(
            "{{backendRefs: [{{name: {backend}, port: 80}}], matches: [{{path: {{type: PathPrefix, value: /p}}, {matches}}}]}}"
        )
    };
    let query = rule("a", "queryParams: [{name: q, value: '1'}, {name: r, value: '1'}]");
    let header = rule("b", "headers: [{name: X-H, value: '1'}]");
    let method = rule("c", "method: POST");
    let longer =
        "{backendRefs: [{name: d, port: 80}], matches: [{path: {type: PathPrefix, value: /p/long}}]}";
    let table = table(&format!("[{query}, {header}, {method}, {longer}]"));
    let all: &[(&str, &str)] = &[("X-H", "1")];
    assert_eq!(backend(&table, parts("POST", "/p/long?q=1&r=1", all)), "d");
    assert_eq!(backend(&table, parts("POST", "/p?q=1&r=1", all)), "c");
    assert_eq!(backend(&table, parts("GET", "/p?q=1&r=1", all)), "b");
    assert_eq!(backend(&table, parts("GET", "/p?r=1&q=1", &[])), "a");
    assert_eq!(backend(&table, parts("GET", "/p?q=1", &[])), "404", "all of a match has to hold");
    assert_eq!(backend(&table, parts("GET", "/p?q=1&r=1", &[("X-H", "2")])), "a", "another value");
}

#[test]
fn more_headers_go_before_fewer_and_an_exact_path_before_a_longer_prefix() {
    let table = table(
        "
- {backendRefs: [{name: a, port: 80}], matches: [{path: {type: PathPrefix, value: /}, headers: [{name: one, value: x}]}]}
- {backendRefs: [{name: b, port: 80}], matches: [{path: {type: PathPrefix, value: /}, headers: [{name: one, value: x}, {name: two, value: x}]}]}
- {backendRefs: [{name: c, port: 80}], matches: [{path: {type: Exact, value: /exact}}]}
- {backendRefs: [{name: d, port: 80}], matches: [{path: {type: RegularExpression, value: '/v[0-9]+'}}]}",
    );
    assert_eq!(backend(&table, parts("GET", "/", &[("one", "x"), ("two", "x")])), "b");
    assert_eq!(backend(&table, parts("GET", "/", &[("one", "x"), ("two", "y")])), "a");
    assert_eq!(backend(&table, parts("GET", "/exact", &[("one", "x"), ("two", "x")])), "c");
    assert_eq!(backend(&table, parts("GET", "/v12", &[])), "d");
    assert_eq!(backend(&table, parts("GET", "/v12/more", &[])), "404", "an expression is for the whole path");
}

#[test]
fn weights_share_requests_out_and_a_weight_of_zero_gets_none() {
    let table = table(
        "[{backendRefs: [{name: a, port: 80, weight: 0}, {name: b, port: 80, weight: 3}, {name: missing, port: 80, weight: 2}, {name: c, port: 80}]}]",
    );
    let chosen: Vec<String> =
        (0..12).map(|number| ask_for(&table, parts("GET", "/", &[]), number).backend).collect();
    let round = ["b", "b", "b", "500", "500", "c"];
    assert_eq!(chosen, [round, round].concat());
}

#[test]
fn no_weight_at_all_is_an_error_of_the_server() {
    let table = table("[{backendRefs: [{name: a, port: 80, weight: 0}]}]");
    assert_eq!(ask_for(&table, parts("GET", "/", &[]), 7).backend, "500");
}

#[test]
fn a_redirect_has_the_port_of_the_scheme_that_it_names_and_of_the_listener_otherwise() {
    for (redirect, location) in [
        ("{}", "302 http://example.com:8080/p?q=1"),
        ("{statusCode: 301}", "301 http://example.com:8080/p?q=1"),
        ("{scheme: https}", "302 https://example.com/p?q=1"),
        ("{scheme: http}", "302 http://example.com/p?q=1"),
        ("{scheme: https, port: 8443}", "302 https://example.com:8443/p?q=1"),
        ("{scheme: https, port: 443}", "302 https://example.com/p?q=1"),
        ("{port: 80}", "302 http://example.com/p?q=1"),
        ("{port: 443}", "302 http://example.com:443/p?q=1"),
        ("{hostname: example.org}", "302 http://example.org:8080/p?q=1"),
        ("{path: {type: ReplaceFullPath, replaceFullPath: /full}}", "302 http://example.com:8080/full?q=1"),
        (
            "{path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}",
            "302 http://example.com:8080/new?q=1",
        ),
    ] {
        let table = table(&format!(
            "[{{matches: [{{path: {{type: PathPrefix, value: /p}}}}], filters: [{{type: RequestRedirect, requestRedirect: {redirect}}}]}}]"
        ));
        assert_eq!(backend(&table, parts("GET", "/p?q=1", &[])), location, "{redirect}");
    }
}

#[test]
fn headers_are_set_added_and_removed_on_the_way_there_and_back() {
    let table = table(
        "[{backendRefs: [{name: a, port: 80}], filters: [
    {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-set, value: new}], add: [{name: x-add, value: '2'}], remove: [x-gone]}},
    {type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: Server, value: new}], add: [{name: x-add, value: '2'}], remove: [X-Secret]}}]}]",
    );
    let sent = [("X-Set", "old"), ("X-Add", "1"), ("X-Gone", "1")];
    let answer = ask(&table, parts("GET", "/", &sent));
    let all = |headers: &HeaderMap, name: &str| -> Vec<String> {
        headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(all(&answer.request.headers, "x-set"), ["new"]);
    assert_eq!(all(&answer.request.headers, "x-add"), ["1", "2"]);
    assert!(!answer.request.headers.contains_key("x-gone"));
    assert_eq!(all(&answer.response, "server"), ["new"]);
    assert_eq!(all(&answer.response, "x-add"), ["2"]);
    assert!(!answer.response.contains_key("x-secret"));
}

#[test]
fn filters_of_a_backend_apply_to_its_share_alone_and_after_those_of_the_rule() {
    let table = table(
        "[{filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-who, value: rule}]}}], backendRefs: [
    {name: a, port: 80, filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-who, value: backend}]}}]},
    {name: b, port: 80}]}]",
    );
    let seen = |number: u64| {
        let answer = ask_for(&table, parts("GET", "/", &[]), number);
        answer.request.headers["x-who"].to_str().unwrap().to_owned()
    };
    assert_eq!((seen(0), seen(1)), ("backend".to_owned(), "rule".to_owned()));
}

#[test]
fn a_rewrite_changes_host_and_path_and_keeps_the_query() {
    let table = table(
        "[{backendRefs: [{name: a, port: 80}], matches: [{path: {type: PathPrefix, value: /old}}], filters: [
    {type: URLRewrite, urlRewrite: {hostname: inner.example.org, path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}]}]",
    );
    let answer = ask(&table, parts("GET", "/old/x?y=z", &[]));
    assert_eq!(answer.request.uri, "http://[2001:db8::1]:3000/x?y=z");
    assert_eq!(answer.request.headers["host"], "inner.example.org");
    assert_eq!(ask(&table, parts("GET", "/old", &[])).request.uri, "http://[2001:db8::1]:3000/");
}

#[test]
fn a_rule_with_a_regular_expression_that_is_none_is_dropped_and_told() {
    let table = table(
        "
- {backendRefs: [{name: a, port: 80}], matches: [{headers: [{name: x-h, type: RegularExpression, value: '(['}]}]}
- {backendRefs: [{name: b, port: 80}], matches: [{path: {type: PathPrefix, value: /}}]}",
    );
    assert_eq!(backend(&table, parts("GET", "/", &[("x-h", "([")])), "b");
    assert_eq!(check_regex("([").unwrap_err(), "unclosed character class");
}

#[test]
fn a_listener_with_a_more_specific_hostname_keeps_requests_from_the_routes_of_the_others() {
    let listeners = "[{name: any, port: 8080, protocol: HTTP}, {name: one, port: 8080, protocol: HTTP, hostname: example.com}]";
    let rules = "[{backendRefs: [{name: a, port: 80}]}]";
    let on_any = table_at(listeners, "[{name: web, sectionName: any}]", rules);
    assert_eq!(backend(&on_any, parts("GET", "/", &[])), "404", "example.com is for the other listener");
    let on_one = table_at(listeners, "[{name: web, sectionName: one}]", rules);
    assert_eq!(backend(&on_one, parts("GET", "/", &[])), "a");
}

#[test]
fn the_port_in_the_host_of_a_request_is_no_part_of_its_hostname() {
    let listeners = "[{name: one, port: 8080, protocol: HTTP, hostname: very.specific.com}, {name: two, port: 8080, protocol: HTTP, hostname: '*.wildcard.io'}]";
    let table = table_at(listeners, "[{name: web}]", "[{backendRefs: [{name: a, port: 80}]}]");
    for (host, expected) in [
        ("very.specific.com", "a"),
        ("very.specific.com:1234", "a"),
        ("Very.Specific.com:8080", "a"),
        ("foo.wildcard.io:1234", "a"),
        ("wildcard.io:1234", "404"),
        ("very.specific.com.org:1234", "404"),
        ("", "404"),
    ] {
        let request = Request::builder().uri("/").header("Host", host).body(()).unwrap();
        assert_eq!(backend(&table, request.into_parts().0), expected, "{host}");
    }
    let absolute = Request::builder().uri("http://very.specific.com:1234/").body(()).unwrap();
    assert_eq!(backend(&table, absolute.into_parts().0), "a");
}

#[cfg(feature = "tls")]
#[test]
fn a_connection_gets_the_certificate_of_the_listener_for_its_server_name_and_a_redirect_keeps_its_scheme() {
    let secret = json!({"type": "kubernetes.io/tls", "stringData": {
        "tls.crt": include_str!("../../tests/certificates/ec.crt"), "tls.key": include_str!("../../tests/certificates/ec.key")}});
    let listener = |name: &str, certificate: &str| {
        format!(
            "{{name: {name}, port: 8080, protocol: HTTPS, hostname: {name}.com, tls: {{certificateRefs: [{{name: {certificate}}}]}}}}"
        )
    };
    let listeners = format!("[{}, {}]", listener("example", "good"), listener("other", "missing"));
    let redirect = "[{filters: [{type: RequestRedirect, requestRedirect: {hostname: example.org}}]}]";
    let table = table_with(&listeners, "[{name: web}]", redirect, &secret);
    assert!(table.certificate(at(), Some("example.com")).is_some());
    assert!(table.certificate(at(), Some("EXAMPLE.com")).is_some());
    assert!(table.certificate(at(), Some("other.com")).is_none(), "it is not programmed");
    assert!(table.certificate(at(), Some("nobody.com")).is_none());
    assert!(table.certificate(at(), None).is_none(), "no listener is for every name");
    assert_eq!(backend(&table, parts("GET", "/", &[])), "302 https://example.org:8080/");
}
