//! The status half of conformance tests that send traffic as well, by their names, on manifests of our own.

use crate::world::World;

fn route(kind: &str, name: &str, spec: &str) -> String {
    format!("- {{kind: {kind}, metadata: {{name: {name}}}, spec: {{parentRefs: [{{name: web}}], {spec}}}}}\n")
}

const WEB: &str = "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP},
    {name: pass, port: 443, protocol: TLS, tls: {mode: Passthrough}}, {name: tcp, port: 90, protocol: TCP}, {name: udp, port: 90, protocol: UDP}]}}
- {kind: Service, metadata: {name: app}, spec: {ports: [{port: 80}]}}
- {kind: Service, metadata: {name: app, namespace: apps}, spec: {ports: [{port: 80}]}}
";

fn backend(backend: &str) -> String {
    format!("rules: [{{backendRefs: [{backend}]}}]")
}

#[test]
fn http_route_and_tls_route_invalid_backend_refs() {
    for kind in ["HTTPRoute", "GRPCRoute", "TLSRoute"] {
        for (reference, reason) in [
            ("{name: absent, port: 80}", "BackendNotFound"),
            ("{group: x.io, kind: Thing, name: app, port: 80}", "InvalidKind"),
            ("{name: app, namespace: apps, port: 80}", "RefNotPermitted"),
        ] {
            let mut world = World::new(&format!("{WEB}{}", route(kind, "r", &backend(reference))));
            let words = format!("Accepted=True:Accepted ResolvedRefs=False:{reason}");
            world.expect(&[(&format!("{kind}/infra/r web"), &words)]);
        }
    }
}

#[test]
fn http_route_reference_grant() {
    let elsewhere = backend("{name: app, namespace: apps, port: 80}");
    let mut world = World::new(&format!("{WEB}{}", route("HTTPRoute", "r", &elsewhere)));
    let grant = "- {kind: ReferenceGrant, metadata: {name: g, namespace: apps}, spec: {
        from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: infra}], to: [{group: '', kind: Service, name: app}]}}";
    world.apply(grant);
    world.expect(&[("HTTPRoute/infra/r web", "ResolvedRefs=True:ResolvedRefs")]);
    world.delete("ReferenceGrant/apps/g");
    world.expect(&[("HTTPRoute/infra/r web", "ResolvedRefs=False:RefNotPermitted")]);
    world.apply(&grant.replace("HTTPRoute", "GRPCRoute"));
    world.expect(&[("HTTPRoute/infra/r web", "ResolvedRefs=False:RefNotPermitted")]);
}

#[test]
fn http_route_partially_invalid_via_invalid_reference_grant() {
    let rules = "rules: [{backendRefs: [{name: app, namespace: apps, port: 80}]}, {backendRefs: [{name: app, port: 80}]}]";
    let mut world = World::new(&format!("{WEB}{}", route("HTTPRoute", "r", rules)));
    world.expect(&[("HTTPRoute/infra/r web", "Accepted=True:Accepted ResolvedRefs=False:RefNotPermitted")]);
}

#[test]
fn http_route_hostname_intersection() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: exact, port: 80, protocol: HTTP, hostname: one.shop.test},
    {name: wild, port: 80, protocol: HTTP, hostname: '*.wild.test'}, {name: other, port: 80, protocol: HTTP, hostname: '*.notwild.test'}]}}");
    for (name, hostnames, words) in [
        ("a", "[no.test, '*.no.test', one.shop.test]", "Accepted=True:Accepted"),
        ("b", "[a.wild.test, a.b.wild.test]", "Accepted=True:Accepted"),
        ("c", "['*.shop.test']", "Accepted=True:Accepted"),
        ("d", "['*.notwild.test']", "Accepted=True:Accepted"),
        ("e", "[two.shop.test, wild.test]", "Accepted=False:NoMatchingListenerHostname"),
    ] {
        world.apply(&route("HTTPRoute", name, &format!("hostnames: {hostnames}")));
        world.expect(&[(&format!("HTTPRoute/infra/{name} web"), words)]);
    }
    world.expect(&[
        ("Gateway/infra/web exact", "routes=2"),
        ("Gateway/infra/web wild", "routes=1"),
        ("Gateway/infra/web other", "routes=1"),
    ]);
}

#[test]
fn tcp_and_udp_route_multiple_routes_attachment() {
    for (kind, listener) in [("TCPRoute", "tcp"), ("UDPRoute", "udp")] {
        let routes = ["a", "b"].map(|name| route(kind, name, &backend("{name: app, port: 80}"))).concat();
        let mut world = World::new(&format!("{WEB}{routes}"));
        world.expect(&[
            (&format!("{kind}/infra/a web"), "Accepted=True:Accepted"),
            (&format!("{kind}/infra/b web"), "Accepted=True:Accepted"),
            (&format!("Gateway/infra/web {listener}"), "routes=2"),
        ]);
    }
}

const SET: &str = "- {kind: Gateway, metadata: {name: web}, spec: {allowedListeners: {namespaces: {from: All}}, listeners: [{name: http, port: 80, protocol: HTTP}]}}
- {kind: ListenerSet, metadata: {name: s}, spec: {parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP},
    {name: open, port: 82, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]}}
";

#[test]
fn listener_set_gateway_parent_section_name_not_found() {
    let mut world = World::new(SET);
    world.apply(
        "- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: extra}]}}",
    );
    world.expect(&[
        ("HTTPRoute/infra/r web#extra", "Accepted=False:NoMatchingParent"),
        ("ListenerSet/infra/s extra", "routes=0"),
    ]);
}

#[test]
fn listener_set_dual_parent_ref_independence() {
    let mut world = World::new(SET);
    world.apply("- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web, sectionName: absent}, {kind: ListenerSet, name: s, sectionName: extra}]}}");
    world.expect(&[
        ("HTTPRoute/infra/r web#absent", "Accepted=False:NoMatchingParent"),
        ("HTTPRoute/infra/r s#extra", "Accepted=True:Accepted"),
        ("ListenerSet/infra/s extra", "routes=1"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn listener_set_allowed_routes_namespaces() {
    let mut world = World::new(SET);
    world.apply("- {kind: HTTPRoute, metadata: {name: r, namespace: apps}, spec: {parentRefs: [{kind: ListenerSet, name: s, namespace: infra}]}}");
    world.expect(&[
        ("HTTPRoute/apps/r s", "Accepted=True:Accepted"),
        ("ListenerSet/infra/s extra", "routes=0"),
        ("ListenerSet/infra/s open", "routes=1"),
    ]);
}

#[test]
fn gateway_frontend_invalid_default_client_certificate_validation() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {tls: {frontend: {default: {validation: {caCertificateRefs: [{kind: ConfigMap, name: absent}]}},
    perPort: [{port: 8443, tls: {validation: {caCertificateRefs: [{kind: ConfigMap, name: ca}]}}}]}},
    listeners: [{name: http, port: 80, protocol: HTTP}, {name: bad, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}},
        {name: good, port: 8443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]}}
- {kind: Secret, metadata: {name: cert}, tls: good}
- {kind: ConfigMap, metadata: {name: ca}, ca: good}");
    let bad = "Accepted=False:NoValidCACertificate ResolvedRefs=False:InvalidCACertificateRef Programmed=False:Invalid";
    world.expect(&[
        ("Gateway/infra/web bad", bad),
        ("Gateway/infra/web good", "Accepted=True:Accepted Programmed=True:Programmed"),
        ("Gateway/infra/web http", "Accepted=True:Accepted Programmed=True:Programmed"),
    ]);
}
