//! The conformance tests of core features that check status alone, by their names, on manifests of our own.

use crate::world::World;

const WEB: &str =
    "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}\n";
const SERVICE: &str = "- {kind: Service, metadata: {name: app}, spec: {ports: [{port: 8080}]}}\n";

fn good_web() -> String {
    format!("{WEB}{SERVICE}")
}

#[test]
fn gateway_class_observed_generation_bump() {
    let mut world = World::new("[]");
    world.expect(&[("GatewayClass/example", "Accepted=True:Accepted Accepted@1")]);
    world.write(5);
    world.apply("- {kind: GatewayClass, metadata: {name: example, generation: 2}}");
    world.expect(&[("GatewayClass/example", "Accepted@2 !Accepted@1")]);
}

#[test]
fn gateway_observed_generation_bump() {
    let mut world = World::new(WEB);
    world.expect(&[("Gateway/infra/web", "Accepted=True:Accepted Programmed=True:Programmed Accepted@1")]);
    world.write(5);
    world.apply(
        "- {kind: Gateway, metadata: {name: web, generation: 2}, spec: {listeners: [
        {name: http, port: 80, protocol: HTTP}, {name: more, port: 81, protocol: HTTP}]}}",
    );
    world.expect(&[
        ("Gateway/infra/web", "Accepted@2 Programmed@2"),
        ("Gateway/infra/web http", "Accepted@2 Programmed@2 ResolvedRefs@2"),
        ("Gateway/infra/web more", "Accepted@2"),
    ]);
}

#[test]
fn gateway_modify_listeners() {
    let mut world = World::new(&good_web());
    world.apply("- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 8080}]}]}}");
    world.expect(&[(
        "Gateway/infra/web http",
        "Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs routes=1",
    )]);
    world.apply(
        "- {kind: Gateway, metadata: {name: web, generation: 2}, spec: {listeners: [
        {name: http, port: 80, protocol: HTTP}, {name: more, port: 81, protocol: HTTP}]}}",
    );
    world.expect(&[
        ("Gateway/infra/web more", "Accepted=True:Accepted routes=1"),
        ("Gateway/infra/web http", "routes=1"),
    ]);
    world.apply("- {kind: Gateway, metadata: {name: web, generation: 3}, spec: {listeners: [{name: more, port: 81, protocol: HTTP}]}}");
    world.expect(&[("Gateway/infra/web more", "routes=1"), ("Gateway/infra/web http", "")]);
}

#[test]
fn gateway_name_maximum_length() {
    let name = "a".repeat(253);
    let mut world = World::new(&WEB.replace("web", &name));
    world.expect(&[(&format!("Gateway/infra/{name}"), "Accepted@1 Programmed@1")]);
}

#[test]
fn gateway_invalid_route_kind() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: only}, spec: {listeners: [
        {name: http, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: InvalidRoute}]}}]}}
- {kind: Gateway, metadata: {name: mixed}, spec: {listeners: [
        {name: http, port: 80, protocol: HTTP, allowedRoutes: {kinds: [{kind: InvalidRoute}, {kind: HTTPRoute}]}}]}}");
    world.expect(&[
        ("Gateway/infra/only http", "ResolvedRefs=False:InvalidRouteKinds kinds= Programmed=False:Invalid"),
        ("Gateway/infra/mixed http", "ResolvedRefs=False:InvalidRouteKinds kinds=HTTPRoute"),
    ]);
}

#[test]
fn gateway_invalid_tls_configuration() {
    let references = [
        ("absent", "{name: absent}"),
        ("group", "{group: wrong.io, name: good}"),
        ("kind", "{kind: ConfigMap, name: good}"),
        ("malformed", "{name: malformed}"),
    ];
    let gateway = |(name, reference): (&str, &str)| {
        format!(
            "- {{kind: Gateway, metadata: {{name: {name}}}, spec: {{listeners: [
    {{name: https, port: 443, protocol: HTTPS, tls: {{certificateRefs: [{reference}]}}}}]}}}}\n"
        )
    };
    let yaml = references.map(gateway).concat()
        + "- {kind: Secret, metadata: {name: malformed}, type: kubernetes.io/tls, stringData: {tls.crt: Hello, tls.key: World}}
- {kind: Secret, metadata: {name: good}, tls: good}";
    let mut world = World::new(&yaml);
    for name in ["absent", "group", "kind", "malformed"] {
        let key = format!("Gateway/infra/{name} https");
        world.expect(&[(
            &key,
            "Accepted=True:Accepted ResolvedRefs=False:InvalidCertificateRef Programmed=False:Invalid",
        )]);
    }
}

#[test]
fn gateway_listener_unsupported_protocol() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: none}, spec: {listeners: [{name: x, port: 80, protocol: example.com/x}]}}
- {kind: Gateway, metadata: {name: some}, spec: {listeners: [{name: x, port: 80, protocol: example.com/x}, {name: http, port: 81, protocol: HTTP}]}}");
    world.expect(&[
        ("Gateway/infra/none", "Accepted=False:ListenersNotValid Programmed=False:Invalid"),
        ("Gateway/infra/none x", "Accepted=False:UnsupportedProtocol kinds= routes=0"),
        ("Gateway/infra/some", "Accepted=True:ListenersNotValid Programmed=True:Programmed"),
        ("Gateway/infra/some http", "Accepted=True:Accepted"),
    ]);
}

#[test]
fn gateway_invalid_parameters_ref() {
    let mut world = World::new(
        "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}],
        infrastructure: {parametersRef: {group: x.io, kind: P, name: p}}}}",
    );
    world.expect(&[
        ("Gateway/infra/web", "Accepted=False:InvalidParameters Programmed=False:Invalid"),
        ("Gateway/infra/web http", "Programmed=Unknown:Pending"),
    ]);
}

const SECRET_ELSEWHERE: &str = "- {kind: Secret, metadata: {name: cert, namespace: certs}, tls: good}
- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert, namespace: certs}]}}]}}
";

fn grant(from: &str, to: &str) -> String {
    format!(
        "- {{kind: ReferenceGrant, metadata: {{name: g, namespace: certs}}, spec: {{from: [{from}], to: [{to}]}}}}"
    )
}

const FROM_GATEWAYS: &str = "{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}";

#[test]
fn gateway_secret_missing_reference_grant() {
    let mut world = World::new(SECRET_ELSEWHERE);
    world.expect(&[(
        "Gateway/infra/web https",
        "ResolvedRefs=False:RefNotPermitted Programmed=False:Invalid",
    )]);
    world.delete("Secret/certs/cert");
    world.expect(&[("Gateway/infra/web https", "ResolvedRefs=False:RefNotPermitted")]);
}

#[test]
fn gateway_secret_invalid_reference_grant() {
    let mut world = World::new(SECRET_ELSEWHERE);
    for (from, to) in [
        ("{group: gateway.networking.k8s.io, kind: Gateway, namespace: other}", "{group: '', kind: Secret}"),
        ("{group: wrong.io, kind: Gateway, namespace: infra}", "{group: '', kind: Secret}"),
        (
            "{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: infra}",
            "{group: '', kind: Secret}",
        ),
        (FROM_GATEWAYS, "{group: wrong.io, kind: Secret}"),
        (FROM_GATEWAYS, "{group: '', kind: Secret, name: other}"),
        (FROM_GATEWAYS, "{group: '', kind: Service}"),
    ] {
        world.apply(&grant(from, to));
        world.expect(&[("Gateway/infra/web https", "ResolvedRefs=False:RefNotPermitted")]);
    }
}

#[test]
fn gateway_secret_reference_grant_all_in_namespace() {
    let mut world = World::new(SECRET_ELSEWHERE);
    world.apply(&grant(FROM_GATEWAYS, "{group: '', kind: Secret}"));
    world.expect(&[("Gateway/infra/web https", "ResolvedRefs=True:ResolvedRefs Programmed=True:Programmed")]);
    world.delete("ReferenceGrant/certs/g");
    world.expect(&[(
        "Gateway/infra/web https",
        "ResolvedRefs=False:RefNotPermitted Programmed=False:Invalid",
    )]);
}

#[test]
fn gateway_secret_reference_grant_specific() {
    let mut world = World::new(SECRET_ELSEWHERE);
    world.apply(&grant(FROM_GATEWAYS, "{group: '', kind: Secret, name: cert}"));
    world.expect(&[("Gateway/infra/web https", "ResolvedRefs=True:ResolvedRefs Programmed=True:Programmed")]);
}

#[test]
fn gateway_with_attached_routes() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP, hostname: a.example.com}]}}
- {kind: Gateway, metadata: {name: unresolved}, spec: {listeners: [{name: tls, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: absent}]}}]}}
- {kind: HTTPRoute, metadata: {name: a}, spec: {parentRefs: [{name: web}]}}
- {kind: HTTPRoute, metadata: {name: b}, spec: {parentRefs: [{name: web}], hostnames: [a.example.com]}}
- {kind: HTTPRoute, metadata: {name: c}, spec: {parentRefs: [{name: web}], hostnames: [c.example.com]}}
- {kind: HTTPRoute, metadata: {name: d}, spec: {parentRefs: [{name: unresolved}]}}");
    world.expect(&[
        ("Gateway/infra/web http", "routes=2 Programmed=True:Programmed"),
        ("HTTPRoute/infra/c web", "Accepted=False:NoMatchingListenerHostname"),
        (
            "Gateway/infra/unresolved tls",
            "routes=1 ResolvedRefs=False:InvalidCertificateRef Programmed=False:Invalid",
        ),
        ("HTTPRoute/infra/d unresolved", "Accepted=True:Accepted"),
    ]);
}

#[test]
fn gateway_with_attached_routes_with_port_8080() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: a, port: 80, protocol: HTTP}, {name: b, port: 8080, protocol: HTTP}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: b}]}}");
    world.expect(&[("Gateway/infra/web a", "routes=0"), ("Gateway/infra/web b", "routes=1")]);
}

#[test]
fn http_route_observed_generation_bump() {
    let mut world = World::new(&good_web());
    world.apply("- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 8080}]}]}}");
    world.expect(&[("HTTPRoute/infra/r web", "Accepted=True:Accepted Accepted@1 ResolvedRefs@1")]);
    world.write(5);
    world.apply("- {kind: HTTPRoute, metadata: {name: r, generation: 2}, spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 8080}]}]}}");
    world.expect(&[(
        "HTTPRoute/infra/r web",
        "Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs Accepted@2 ResolvedRefs@2",
    )]);
}

#[test]
fn http_route_invalid_cross_namespace_parent_ref() {
    let mut world = World::new(WEB);
    world.apply("- {kind: HTTPRoute, metadata: {name: r, namespace: apps}, spec: {parentRefs: [{name: web, namespace: infra}]}}");
    world.expect(&[
        ("HTTPRoute/apps/r web", "Accepted=False:NotAllowedByListeners ResolvedRefs=True:ResolvedRefs"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn http_route_invalid_parent_ref_not_matching_section_name() {
    let mut world = World::new(WEB);
    world.apply(
        "- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: other}]}}",
    );
    world.expect(&[
        ("HTTPRoute/infra/r web#other", "Accepted=False:NoMatchingParent"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn http_route_invalid_parent_ref_not_matching_listener_port() {
    let mut world = World::new(WEB);
    world.apply("- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, port: 81}]}}");
    world.expect(&[
        ("HTTPRoute/infra/r web", "Accepted=False:NoMatchingParent"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn http_route_invalid_parent_ref_section_name_not_matching_port() {
    let mut world = World::new(WEB);
    world.apply("- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: http, port: 81}]}}");
    world.expect(&[
        ("HTTPRoute/infra/r web#http", "Accepted=False:NoMatchingParent"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn http_route_disallowed_kind() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: tls, port: 443, protocol: TLS, tls: {mode: Passthrough}, allowedRoutes: {kinds: [{kind: TLSRoute}]}}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}]}}");
    world.expect(&[
        ("HTTPRoute/infra/r web", "Accepted=False:NotAllowedByListeners"),
        ("Gateway/infra/web tls", "routes=0"),
    ]);
}
