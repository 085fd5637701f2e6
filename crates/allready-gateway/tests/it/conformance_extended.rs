//! The conformance tests of extended features that check status alone, by their names, on manifests of our own.

use allready_gateway::{Support, object::Address};

use crate::world::{CONTROLLER, World};

#[test]
fn gateway_static_addresses() {
    let address = |value: &str| Address { type_: "IPAddress".into(), value: value.into() };
    let support = Support { usable_addresses: Some(vec![address("10.0.0.1")]), ..Support::new(CONTROLLER) };
    let gateway = |addresses: &str| {
        format!(
            "- {{kind: Gateway, metadata: {{name: web}}, spec: {{addresses: {addresses},
        listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}"
        )
    };
    let mut world = World::with(
        support,
        &gateway("[{type: example.com/fake, value: x}, {value: 10.0.0.9}, {value: 10.0.0.1}]"),
    );
    world.expect(&[("Gateway/infra/web", "Accepted=False:UnsupportedAddress Programmed=False:Invalid")]);
    world.apply(&gateway("[{value: 10.0.0.9}, {value: 10.0.0.1}]"));
    world.expect(&[(
        "Gateway/infra/web",
        "Accepted=True:Accepted Programmed=False:AddressNotUsable addresses=",
    )]);
    world.apply(&gateway("[{value: 10.0.0.1}]"));
    world.expect(&[(
        "Gateway/infra/web",
        "Accepted=True:Accepted Programmed=True:Programmed addresses=10.0.0.1",
    )]);
}

#[test]
fn gateway_optional_address_value() {
    let mut world = World::new(
        "- {kind: Gateway, metadata: {name: web}, spec: {addresses: [{type: IPAddress}], listeners: [{name: http, port: 80, protocol: HTTP}]}}",
    );
    world.expect(&[("Gateway/infra/web", "Programmed=True:Programmed addresses=127.0.0.1")]);
}

#[test]
fn gateway_invalid_tls_backend_configuration() {
    for (reference, reason) in [
        ("{name: absent}", "InvalidClientCertificateRef"),
        ("{group: wrong.io, name: cert}", "InvalidClientCertificateRef"),
        ("{kind: ConfigMap, name: cert}", "InvalidClientCertificateRef"),
        ("{name: malformed}", "InvalidClientCertificateRef"),
        ("{name: cert, namespace: certs}", "RefNotPermitted"),
    ] {
        let mut world = World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{tls: {{backend: {{clientCertificateRef: {reference}}}}},
            listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}
- {{kind: Secret, metadata: {{name: malformed}}, type: kubernetes.io/tls, stringData: {{tls.crt: x}}}}
- {{kind: Secret, metadata: {{name: cert}}, tls: good}}
- {{kind: Secret, metadata: {{name: cert, namespace: certs}}, tls: good}}"));
        let words = format!("ResolvedRefs=False:{reason} Accepted=True:Accepted Programmed=True:Programmed");
        world.expect(&[("Gateway/infra/web", &words)]);
    }
}

#[test]
fn gateway_invalid_frontend_client_certificate_validation() {
    for (reference, reason) in [
        ("{kind: ConfigMap, name: absent}", "InvalidCACertificateRef"),
        ("{kind: ConfigMap, name: empty}", "InvalidCACertificateRef"),
        ("{kind: Secret, name: cert}", "InvalidCACertificateKind"),
        ("{kind: ConfigMap, name: ca, namespace: certs}", "RefNotPermitted"),
    ] {
        let mut world = World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{tls: {{frontend: {{
            default: {{validation: {{caCertificateRefs: [{{kind: ConfigMap, name: ca}}]}}}},
            perPort: [{{port: 8443, tls: {{validation: {{caCertificateRefs: [{reference}]}}}}}}]}}}},
            listeners: [{{name: good, port: 443, protocol: HTTPS, tls: {{certificateRefs: [{{name: cert}}]}}}},
                {{name: bad, port: 8443, protocol: HTTPS, tls: {{certificateRefs: [{{name: cert}}]}}}}]}}}}
- {{kind: Secret, metadata: {{name: cert}}, tls: good}}
- {{kind: ConfigMap, metadata: {{name: empty}}, data: {{}}}}
- {{kind: ConfigMap, metadata: {{name: ca}}, ca: good}}
- {{kind: ConfigMap, metadata: {{name: ca, namespace: certs}}, ca: good}}"));
        let bad = format!(
            "ResolvedRefs=False:{reason} Accepted=False:NoValidCACertificate Programmed=False:Invalid"
        );
        world.expect(&[
            ("Gateway/infra/web bad", &bad),
            (
                "Gateway/infra/web good",
                "Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs Programmed=True:Programmed",
            ),
        ]);
    }
}

const POLICY: &str = "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}
- {kind: Service, metadata: {name: app}, spec: {ports: [{port: 443}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 443}]}]}}
- {kind: ConfigMap, metadata: {name: ca}, ca: good}
";

fn policy(name: &str, meta: &str, reference: &str) -> String {
    format!("- {{kind: BackendTLSPolicy, metadata: {{name: {name}{meta}}}, spec: {{targetRefs: [{{group: '', kind: Service, name: app}}],
    validation: {{caCertificateRefs: [{reference}], hostname: app.example.com}}}}}}\n")
}

#[test]
fn backend_tls_policy_observed_generation_bump() {
    let mut world = World::new(POLICY);
    world.apply(&policy("p", "", "{group: '', kind: ConfigMap, name: ca}"));
    world.expect(&[(
        "BackendTLSPolicy/infra/p web",
        "Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs Accepted@1",
    )]);
    world.write(5);
    world.apply(&policy("p", ", generation: 2", "{group: '', kind: ConfigMap, name: ca}"));
    world.expect(&[("BackendTLSPolicy/infra/p web", "Accepted@2 ResolvedRefs@2")]);
}

#[test]
fn backend_tls_policies_with_bad_authorities_or_the_same_target_are_refused() {
    let mut world = World::new(POLICY);
    world.apply(&policy("p", "", "{group: '', kind: ConfigMap, name: absent}"));
    world.expect(&[(
        "BackendTLSPolicy/infra/p web",
        "Accepted=False:NoValidCACertificate ResolvedRefs=False:InvalidCACertificateRef",
    )]);
    world.apply(&policy("p", "", "{group: x.io, kind: Thing, name: ca}"));
    world.expect(&[(
        "BackendTLSPolicy/infra/p web",
        "Accepted=False:NoValidCACertificate ResolvedRefs=False:InvalidKind",
    )]);
    world.apply(&policy(
        "p",
        ", creationTimestamp: '2020-01-01T00:00:02Z'",
        "{group: '', kind: ConfigMap, name: ca}",
    ));
    world.apply(&policy(
        "q",
        ", creationTimestamp: '2020-01-01T00:00:01Z'",
        "{group: '', kind: ConfigMap, name: ca}",
    ));
    world.expect(&[
        ("BackendTLSPolicy/infra/p web", "Accepted=False:Conflicted"),
        ("BackendTLSPolicy/infra/q web", "Accepted=True:Accepted"),
    ]);
    world.delete("BackendTLSPolicy/infra/q");
    world.expect(&[("BackendTLSPolicy/infra/p web", "Accepted=True:Accepted")]);
    world.delete("HTTPRoute/infra/r");
    world.expect(&[("BackendTLSPolicy/infra/p web", "")]);
}

fn sets(allowed: &str) -> World {
    World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{{allowed}listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}
- {{kind: ListenerSet, metadata: {{name: near}}, spec: {{parentRef: {{name: web}}, listeners: [{{name: a, port: 81, protocol: HTTP}}]}}}}
- {{kind: ListenerSet, metadata: {{name: far, namespace: apps}}, spec: {{parentRef: {{name: web, namespace: infra}}, listeners: [{{name: a, port: 82, protocol: HTTP}}]}}}}
- {{kind: Namespace, metadata: {{name: apps, labels: {{sets: 'yes'}}}}}}
- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{kind: ListenerSet, name: near}}]}}}}"))
}

const REFUSED: &str = "Accepted=False:NotAllowed Programmed=False:NotAllowed";
const ATTACHED: &str = "Accepted=True:Accepted Programmed=True:Programmed";

#[test]
fn listener_set_default_not_allowed() {
    let mut world = sets("");
    world.expect(&[
        ("ListenerSet/infra/near", REFUSED),
        ("ListenerSet/apps/far", REFUSED),
        ("Gateway/infra/web", "sets=0 Accepted=True:Accepted"),
    ]);
    world.expect(&[("HTTPRoute/infra/r near", "Accepted=False:NotAllowedByListeners")]);
}

#[test]
fn listener_set_allowed_namespace_none() {
    let mut world = sets("allowedListeners: {namespaces: {from: None}}, ");
    world.expect(&[
        ("ListenerSet/infra/near", REFUSED),
        ("ListenerSet/apps/far", REFUSED),
        ("Gateway/infra/web", "sets=0"),
    ]);
}

#[test]
fn listener_set_allowed_namespace_same() {
    let mut world = sets("allowedListeners: {namespaces: {from: Same}}, ");
    world.expect(&[
        ("ListenerSet/infra/near", ATTACHED),
        ("ListenerSet/apps/far", REFUSED),
        ("Gateway/infra/web", "sets=1"),
    ]);
    world.expect(&[
        ("ListenerSet/infra/near a", "routes=1 Programmed=True:Programmed"),
        ("HTTPRoute/infra/r near", "Accepted=True:Accepted"),
    ]);
}

#[test]
fn listener_set_allowed_namespace_selector() {
    let mut world =
        sets("allowedListeners: {namespaces: {from: Selector, selector: {matchLabels: {sets: 'yes'}}}}, ");
    world.expect(&[
        ("ListenerSet/infra/near", REFUSED),
        ("ListenerSet/apps/far", ATTACHED),
        ("Gateway/infra/web", "sets=1"),
    ]);
    world.apply("- {kind: Namespace, metadata: {name: apps}}");
    world.expect(&[("ListenerSet/apps/far", REFUSED), ("Gateway/infra/web", "sets=0")]);
}

const OPEN: &str =
    "- {kind: Gateway, metadata: {name: web}, spec: {allowedListeners: {namespaces: {from: All}},
    listeners: [{name: http, port: 80, protocol: HTTP, hostname: a.example.com}]}}\n";

#[test]
fn listener_set_allowed_routes_supported_kinds() {
    let mut world = World::new(OPEN);
    world.apply("- {kind: ListenerSet, metadata: {name: s}, spec: {parentRef: {name: web}, listeners: [
    {name: bad, port: 81, protocol: HTTP, allowedRoutes: {kinds: [{kind: X}]}},
    {name: mixed, port: 82, protocol: HTTP, allowedRoutes: {kinds: [{kind: X}, {kind: HTTPRoute}]}}, {name: good, port: 83, protocol: HTTP}]}}");
    world.expect(&[
        ("ListenerSet/infra/s bad", "ResolvedRefs=False:InvalidRouteKinds kinds="),
        ("ListenerSet/infra/s mixed", "ResolvedRefs=False:InvalidRouteKinds kinds=HTTPRoute"),
        ("ListenerSet/infra/s", "Accepted=True:ListenersNotValid Programmed=True:Programmed"),
    ]);
}

#[test]
fn listener_set_reference_grant() {
    let mut world = World::new(OPEN);
    world.apply(
        "- {kind: ListenerSet, metadata: {name: s}, spec: {parentRef: {name: web}, listeners: [
    {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert, namespace: certs}]}}]}}
- {kind: Secret, metadata: {name: cert, namespace: certs}, tls: good}",
    );
    let bad = "Accepted=False:ListenersNotValid Programmed=False:ListenersNotValid";
    world.expect(&[
        ("ListenerSet/infra/s", bad),
        ("ListenerSet/infra/s https", "ResolvedRefs=False:RefNotPermitted"),
    ]);
    world.apply("- {kind: ReferenceGrant, metadata: {name: g, namespace: certs}, spec: {
    from: [{group: gateway.networking.k8s.io, kind: ListenerSet, namespace: infra}], to: [{group: '', kind: Secret}]}}");
    world.expect(&[
        ("ListenerSet/infra/s", ATTACHED),
        ("ListenerSet/infra/s https", "ResolvedRefs=True:ResolvedRefs"),
    ]);
}

fn two_sets(first: &str, second: &str) -> World {
    let mut world = World::new(OPEN);
    for (name, second_of, listeners) in [("young", 2, second), ("old", 1, first)] {
        world.apply(&format!("- {{kind: ListenerSet, metadata: {{name: {name}, creationTimestamp: '2020-01-01T00:00:0{second_of}Z'}},
    spec: {{parentRef: {{name: web}}, listeners: {listeners}}}}}"));
    }
    world
}

#[test]
fn listener_set_hostname_conflict() {
    let mut world = two_sets(
        "[{name: first, port: 80, protocol: HTTP, hostname: a.example.com}, {name: second, port: 80, protocol: HTTP, hostname: b.example.com}]",
        "[{name: second, port: 80, protocol: HTTP, hostname: b.example.com}]",
    );
    let lost =
        "Accepted=False:HostnameConflict Programmed=False:HostnameConflict Conflicted=True:HostnameConflict";
    world.expect(&[
        ("Gateway/infra/web http", "Accepted=True:Accepted !Conflicted"),
        ("ListenerSet/infra/old first", lost),
        ("ListenerSet/infra/old second", "Accepted=True:Accepted !Conflicted"),
        ("ListenerSet/infra/old", "Accepted=True:ListenersNotValid Programmed=True:Programmed"),
        ("ListenerSet/infra/young second", lost),
        ("ListenerSet/infra/young", "Accepted=False:ListenersNotValid Programmed=False:ListenersNotValid"),
        ("Gateway/infra/web", "sets=1"),
    ]);
    world.delete("ListenerSet/infra/old");
    world.expect(&[
        ("ListenerSet/infra/young second", "Accepted=True:Accepted"),
        ("ListenerSet/infra/young", ATTACHED),
    ]);
}

#[test]
fn listener_set_protocol_conflict() {
    let mut world = two_sets(
        "[{name: first, port: 80, protocol: TCP}, {name: second, port: 90, protocol: HTTP}]",
        "[{name: second, port: 90, protocol: TCP}]",
    );
    let lost =
        "Accepted=False:ProtocolConflict Programmed=False:ProtocolConflict Conflicted=True:ProtocolConflict";
    world.expect(&[
        ("Gateway/infra/web http", "Accepted=True:Accepted !Conflicted"),
        ("ListenerSet/infra/old first", lost),
        ("ListenerSet/infra/old second", "Accepted=True:Accepted !Conflicted"),
        ("ListenerSet/infra/young second", lost),
        ("ListenerSet/infra/young", "Accepted=False:ListenersNotValid"),
    ]);
}

#[test]
fn listener_set_route_status_scoped_to_parent_ref() {
    let mut world = World::new(OPEN);
    world.apply("- {kind: ListenerSet, metadata: {name: s}, spec: {parentRef: {name: web}, listeners: [{name: a, port: 81, protocol: HTTP}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{kind: ListenerSet, name: s}]}}
- {kind: HTTPRoute, metadata: {name: q}, spec: {parentRefs: [{name: web}]}}");
    world.expect(&[
        ("HTTPRoute/infra/r s", "Accepted=True:Accepted"),
        ("HTTPRoute/infra/r web", ""),
        ("HTTPRoute/infra/q web", "Accepted=True:Accepted"),
        ("HTTPRoute/infra/q s", ""),
        ("Gateway/infra/web http", "routes=1"),
        ("ListenerSet/infra/s a", "routes=1"),
    ]);
}

const TLS: &str = "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: pass, port: 443, protocol: TLS, hostname: '*.example.com', tls: {mode: Passthrough}, allowedRoutes: {namespaces: {from: All}}}]}}
- {kind: Service, metadata: {name: app, namespace: apps}, spec: {ports: [{port: 443}]}}\n";

#[test]
fn tls_route_invalid_reference_grant() {
    let mut world = World::new(TLS);
    world.apply("- {kind: TLSRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}], hostnames: [a.example.com], rules: [{backendRefs: [{name: app, namespace: apps, port: 443}]}]}}");
    world.expect(&[("TLSRoute/infra/r web", "Accepted=True:Accepted ResolvedRefs=False:RefNotPermitted")]);
}

#[test]
fn tls_route_invalid_no_matching_listener() {
    let mut world = World::new(
        "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP},
    {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]}}
- {kind: Secret, metadata: {name: cert}, tls: good}
- {kind: TLSRoute, metadata: {name: a}, spec: {parentRefs: [{name: web, sectionName: http}]}}
- {kind: TLSRoute, metadata: {name: b}, spec: {parentRefs: [{name: web, sectionName: https}]}}
- {kind: TLSRoute, metadata: {name: c}, spec: {parentRefs: [{name: web, sectionName: absent}]}}",
    );
    world.expect(&[
        ("TLSRoute/infra/a web#http", "Accepted=False:NotAllowedByListeners"),
        ("TLSRoute/infra/b web#https", "Accepted=False:NotAllowedByListeners"),
        ("TLSRoute/infra/c web#absent", "Accepted=False:NoMatchingParent"),
    ]);
}

#[test]
fn tls_route_invalid_no_matching_listener_hostname() {
    let mut world = World::new(TLS);
    world.apply("- {kind: TLSRoute, metadata: {name: r}, spec: {parentRefs: [{name: web}], hostnames: [a.example.org]}}");
    world.expect(&[("TLSRoute/infra/r web", "Accepted=False:NoMatchingListenerHostname")]);
}

#[test]
fn tls_route_listener_passthrough_supported_kinds() {
    let mut world = World::new(TLS);
    world.expect(&[(
        "Gateway/infra/web pass",
        "kinds=TLSRoute Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs Programmed=True:Programmed",
    )]);
}

const TERMINATE: &str = "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: end, port: 443, protocol: TLS, hostname: a.example.com, tls: {certificateRefs: [{name: cert}]}},
    {name: pass, port: PORT, protocol: TLS, hostname: b.example.com, tls: {mode: Passthrough}}]}}
- {kind: Secret, metadata: {name: cert}, tls: good}";

#[test]
fn tls_route_listener_terminate_supported_kinds() {
    let mut world = World::new(&TERMINATE.replace("PORT", "8443"));
    world.expect(&[(
        "Gateway/infra/web end",
        "kinds=TLSRoute Accepted=True:Accepted Programmed=True:Programmed",
    )]);
}

#[test]
fn tls_route_listener_terminate_not_supported() {
    let support = Support { tls_terminate: false, ..Support::new(CONTROLLER) };
    let mut world = World::with(support, &TERMINATE.replace("PORT", "8443"));
    world.expect(&[
        ("Gateway/infra/web end", "Accepted=False:UnsupportedValue Programmed=False:Invalid"),
        ("Gateway/infra/web pass", "Accepted=True:Accepted"),
    ]);
}

#[test]
fn tls_route_listener_mixed_termination_not_supported() {
    let support = Support { tls_mixed: false, ..Support::new(CONTROLLER) };
    let mut world = World::with(support, &TERMINATE.replace("PORT", "443"));
    for name in ["end", "pass"] {
        world.expect(&[(
            &format!("Gateway/infra/web {name}"),
            "Accepted=False:ProtocolConflict Conflicted=True:ProtocolConflict",
        )]);
    }
    world.expect(&[("Gateway/infra/web", "Accepted=False:ListenersNotValid")]);
}

fn layer_four(kind: &str, protocol: &str, section: &str, backend: &str) -> World {
    World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: l4, port: 53, protocol: {protocol}}}, {{name: http, port: 80, protocol: HTTP}}]}}}}
- {{kind: Service, metadata: {{name: app, namespace: apps}}, spec: {{ports: [{{port: 53}}]}}}}
- {{kind: Service, metadata: {{name: app}}, spec: {{ports: [{{port: 53}}]}}}}
- {{kind: {kind}, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web, sectionName: {section}}}], rules: [{{backendRefs: [{backend}]}}]}}}}"))
}

fn expect_layer_four(kind: &str, protocol: &str) {
    let l4 = format!("{kind}/infra/r web#l4");
    let mut absent = layer_four(kind, protocol, "l4", "{name: absent, port: 53}");
    absent.expect(&[(&l4, "ResolvedRefs=False:BackendNotFound")]);
    let mut elsewhere = layer_four(kind, protocol, "l4", "{name: app, namespace: apps, port: 53}");
    elsewhere.expect(&[(&l4, "Accepted=True:Accepted ResolvedRefs=False:RefNotPermitted")]);
    let mut http = layer_four(kind, protocol, "http", "{name: app, port: 53}");
    http.expect(&[
        (&format!("{kind}/infra/r web#http"), "Accepted=False:NotAllowedByListeners"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
    let mut good = layer_four(kind, protocol, "l4", "{name: app, port: 53}");
    good.expect(&[
        (&l4, "Accepted=True:Accepted ResolvedRefs=True:ResolvedRefs"),
        ("Gateway/infra/web l4", "routes=1"),
    ]);
}

#[test]
fn tcp_route_invalid_backend_ref_nonexistent_cross_namespace_and_non_tcp_listener() {
    expect_layer_four("TCPRoute", "TCP");
}

#[test]
fn udp_route_invalid_backend_ref_nonexistent_cross_namespace_and_non_udp_listener() {
    expect_layer_four("UDPRoute", "UDP");
}
