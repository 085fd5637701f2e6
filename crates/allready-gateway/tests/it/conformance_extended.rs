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
        ("Gateway/infra/web end", "Accepted=False:UnsupportedValue Programmed=False:Invalid kinds= routes=0"),
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
            "Accepted=False:ProtocolConflict Conflicted=True:ProtocolConflict kinds= routes=0",
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

fn expect_nonexistent_backend(kind: &str, protocol: &str) {
    let mut world = layer_four(kind, protocol, "l4", "{name: absent, port: 53}");
    world.expect(&[(&format!("{kind}/infra/r web#l4"), "ResolvedRefs=False:BackendNotFound")]);
}

fn expect_cross_namespace_backend(kind: &str, protocol: &str) {
    let mut world = layer_four(kind, protocol, "l4", "{name: app, namespace: apps, port: 53}");
    world.expect(&[(
        &format!("{kind}/infra/r web#l4"),
        "Accepted=True:Accepted ResolvedRefs=False:RefNotPermitted",
    )]);
}

fn expect_other_listener(kind: &str, protocol: &str) {
    let mut world = layer_four(kind, protocol, "http", "{name: app, port: 53}");
    world.expect(&[
        (&format!("{kind}/infra/r web#http"), "Accepted=False:NotAllowedByListeners"),
        ("Gateway/infra/web http", "routes=0"),
    ]);
}

#[test]
fn tcp_route_invalid_backend_ref_nonexistent() {
    expect_nonexistent_backend("TCPRoute", "TCP");
}

#[test]
fn tcp_route_invalid_cross_namespace_backend_ref() {
    expect_cross_namespace_backend("TCPRoute", "TCP");
}

#[test]
fn tcp_route_invalid_non_tcp_listener() {
    expect_other_listener("TCPRoute", "TCP");
}

#[test]
fn udp_route_invalid_backend_ref_nonexistent() {
    expect_nonexistent_backend("UDPRoute", "UDP");
}

#[test]
fn udp_route_invalid_cross_namespace_backend_ref() {
    expect_cross_namespace_backend("UDPRoute", "UDP");
}

#[test]
fn udp_route_invalid_non_udp_listener() {
    expect_other_listener("UDPRoute", "UDP");
}
