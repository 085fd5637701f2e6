//! Rules that the conformance tests do not check.

use allready_gateway::{Kind, Object, ObjectError, ObjectKey, ObjectStatus, Support, object::ParametersRef};
use serde_json::json;

use crate::world::{CONTROLLER, World};

const WEB: &str =
    "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}\n";

fn route(rules: &str) -> String {
    format!(
        "- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}], rules: {rules}}}}}\n"
    )
}

#[test]
fn a_gateway_of_somebody_elses_class_or_of_none_has_no_status() {
    let mut world = World::new(
        "- {kind: GatewayClass, metadata: {name: other}, spec: {controllerName: example.org/other}}
- {kind: Gateway, metadata: {name: other}, spec: {gatewayClassName: other, listeners: [{name: http, port: 80, protocol: HTTP}]}}
- {kind: Gateway, metadata: {name: none}, spec: {gatewayClassName: none, listeners: [{name: http, port: 80, protocol: HTTP}]}}
- {kind: HTTPRoute, metadata: {name: r}, spec: {parentRefs: [{name: other}, {name: none}, {name: absent}, {kind: Service, group: '', name: s}]}}",
    );
    world.expect(&[("GatewayClass/other", ""), ("Gateway/infra/other", ""), ("Gateway/infra/none", "")]);
    world.expect(&[
        ("HTTPRoute/infra/r other", ""),
        ("HTTPRoute/infra/r none", ""),
        ("HTTPRoute/infra/r absent", ""),
    ]);
}

#[test]
fn a_class_with_unknown_parameters_is_not_accepted_and_its_gateways_wait() {
    let mut world = World::new(WEB);
    world.apply("- {kind: GatewayClass, metadata: {name: example}, spec: {controllerName: example.com/gateway, parametersRef: {group: x.io, kind: P, name: p}}}");
    world.expect(&[
        ("GatewayClass/example", "Accepted=False:InvalidParameters"),
        ("Gateway/infra/web", "Accepted=Unknown:Pending Programmed=Unknown:Pending"),
        ("Gateway/infra/web http", "Accepted=Unknown:Pending Programmed=Unknown:Pending"),
    ]);
}

#[test]
fn the_version_of_the_crds_is_told_where_it_is_known() {
    for (version, words) in [
        ("v1.6.3", "SupportedVersion=True:SupportedVersion"),
        ("v2.0.0", "SupportedVersion=False:UnsupportedVersion"),
    ] {
        let support = Support { bundle_version: Some(version.into()), ..Support::new(CONTROLLER) };
        World::with(support, "[]").expect(&[("GatewayClass/example", words)]);
    }
    World::new("[]").expect(&[("GatewayClass/example", "!SupportedVersion")]);
}

#[test]
fn listeners_of_one_gateway_that_conflict_are_all_out() {
    for (a, b, words) in [
        (
            "port: 80, protocol: HTTP",
            "port: 80, protocol: HTTP",
            "Conflicted=True:HostnameConflict Programmed=False:HostnameConflict",
        ),
        (
            "port: 80, protocol: HTTP",
            "port: 80, protocol: TCP",
            "Conflicted=True:ProtocolConflict Programmed=False:ProtocolConflict",
        ),
        (
            "port: 80, protocol: HTTP, hostname: A.example.com",
            "port: 80, protocol: HTTP, hostname: a.example.com",
            "Conflicted=True:HostnameConflict",
        ),
        (
            "port: 80, protocol: HTTP, hostname: a.example.com",
            "port: 80, protocol: HTTP, hostname: b.example.com",
            "!Conflicted Accepted=True:Accepted",
        ),
        ("port: 80, protocol: TCP", "port: 80, protocol: UDP", "!Conflicted Accepted=True:Accepted"),
        ("port: 80, protocol: UDP", "port: 80, protocol: UDP", "Conflicted=True:ProtocolConflict"),
        ("port: 80, protocol: HTTP", "port: 81, protocol: HTTP", "!Conflicted Accepted=True:Accepted"),
    ] {
        let mut world = World::new(&format!(
            "- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: a, {a}}}, {{name: b, {b}}}]}}}}"
        ));
        world.expect(&[("Gateway/infra/web a", words), ("Gateway/infra/web b", words)]);
    }
}

#[test]
fn tls_listeners_whose_hostnames_overlap_say_so() {
    let tls = "protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}";
    let mut world = World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [
        {{name: foo, port: 443, hostname: foo.example.com, {tls}}}, {{name: wild, port: 443, hostname: '*.example.com', {tls}}},
        {{name: apart, port: 443, hostname: example.org, {tls}}}, {{name: port, port: 8443, hostname: foo.example.com, {tls}}}]}}}}
- {{kind: Secret, metadata: {{name: cert}}, tls: good}}"));
    let overlaps =
        "OverlappingTLSConfig=True:OverlappingHostnames Accepted=True:Accepted Programmed=True:Programmed";
    world.expect(&[
        ("Gateway/infra/web foo", overlaps),
        ("Gateway/infra/web wild", overlaps),
        ("Gateway/infra/web apart", "!OverlappingTLSConfig"),
        ("Gateway/infra/web port", "!OverlappingTLSConfig"),
    ]);
}

#[test]
fn a_secret_that_is_not_tls_or_a_listener_without_certificate_is_not_resolved() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: none, port: 443, protocol: HTTPS},
    {name: opaque, port: 444, protocol: HTTPS, tls: {certificateRefs: [{name: opaque}]}},
    {name: pass, port: 445, protocol: HTTPS, tls: {mode: Passthrough}}, {name: zero, port: 0, protocol: HTTP}]}}
- {kind: Secret, metadata: {name: opaque}, stringData: {tls.crt: x}}");
    world.expect(&[
        ("Gateway/infra/web none", "ResolvedRefs=False:InvalidCertificateRef Programmed=False:Invalid"),
        ("Gateway/infra/web opaque", "ResolvedRefs=False:InvalidCertificateRef"),
        ("Gateway/infra/web pass", "Accepted=False:UnsupportedValue"),
        ("Gateway/infra/web zero", "Accepted=False:PortUnavailable Programmed=False:PortUnavailable"),
    ]);
}

#[test]
fn a_gateway_sums_up_the_references_of_its_own_and_of_its_listeners() {
    let client = "backend: {clientCertificateRef: {name: NAME}}";
    let validated = "frontend: {default: {validation: {caCertificateRefs: [{kind: ConfigMap, name: NAME}]}}}";
    for (tls, certificate, words) in [
        ("", "cert", "!ResolvedRefs"),
        ("", "absent", "ResolvedRefs=False:ListenersNotResolved"),
        (&*client.replace("NAME", "cert"), "cert", "ResolvedRefs=True:ResolvedRefs"),
        (&*client.replace("NAME", "cert"), "absent", "ResolvedRefs=False:ListenersNotResolved"),
        (&*client.replace("NAME", "absent"), "absent", "ResolvedRefs=False:InvalidClientCertificateRef"),
        (&*validated.replace("NAME", "ca"), "cert", "ResolvedRefs=True:ResolvedRefs"),
        (&*validated.replace("NAME", "absent"), "cert", "ResolvedRefs=False:ListenersNotResolved"),
    ] {
        let mut world = World::new(&format!(
            "- {{kind: Gateway, metadata: {{name: web}}, spec: {{tls: {{{tls}}},
    listeners: [{{name: https, port: 443, protocol: HTTPS, tls: {{certificateRefs: [{{name: {certificate}}}]}}}}]}}}}\n"
        ));
        world.apply(
            "- {kind: Secret, metadata: {name: cert}, tls: good}
- {kind: ConfigMap, metadata: {name: ca}, ca: good}",
        );
        world.expect(&[("Gateway/infra/web", words)]);
    }
}

#[test]
fn a_listener_without_a_valid_authority_for_clients_supports_its_kinds_all_the_same() {
    let mut world = World::new(
        "- {kind: Gateway, metadata: {name: web}, spec: {tls: {frontend: {default: {validation: {caCertificateRefs: [{kind: ConfigMap, name: absent}]}}}},
    listeners: [{name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]}}",
    );
    world.expect(&[(
        "Gateway/infra/web https",
        "Accepted=False:NoValidCACertificate kinds=HTTPRoute,GRPCRoute",
    )]);
}

#[test]
fn an_insecure_fallback_is_told_only_while_it_is_there() {
    let gateway = |mode: &str| {
        format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{tls: {{frontend: {{default: {{validation: {{mode: {mode}, caCertificateRefs: [{{kind: ConfigMap, name: ca}}]}}}}}}}},
        listeners: [{{name: https, port: 443, protocol: HTTPS, tls: {{certificateRefs: [{{name: cert}}]}}}}]}}}}
- {{kind: Secret, metadata: {{name: cert}}, tls: good}}
- {{kind: ConfigMap, metadata: {{name: ca}}, ca: good}}")
    };
    let mut world = World::new(&gateway("AllowInsecureFallback"));
    world.expect(&[(
        "Gateway/infra/web",
        "InsecureFrontendValidationMode=True:ConfigurationChanged Programmed=True:Programmed",
    )]);
    world.write(5);
    world.apply(&gateway("AllowValidOnly"));
    world.expect(&[("Gateway/infra/web", "!InsecureFrontendValidationMode")]);
}

#[test]
fn routes_attach_from_the_namespaces_that_a_listener_lets_in() {
    for (rule, labels, is_in) in [
        ("{from: All}", "{}", true),
        ("{from: Same}", "{}", false),
        ("{}", "{}", false),
        ("{from: None}", "{}", false),
        ("{from: Nonsense}", "{}", false),
        ("{from: Selector}", "{}", false),
        ("{from: Selector, selector: {matchLabels: {a: b}}}", "{a: b}", true),
        ("{from: Selector, selector: {matchLabels: {a: b}}}", "{a: c}", false),
        ("{from: Selector, selector: {matchLabels: {kubernetes.io/metadata.name: apps}}}", "{}", true),
        (
            "{from: Selector, selector: {matchExpressions: [{key: a, operator: In, values: [b, c]}]}}",
            "{a: c}",
            true,
        ),
        (
            "{from: Selector, selector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}}",
            "{a: b}",
            false,
        ),
        ("{from: Selector, selector: {matchExpressions: [{key: a, operator: Exists}]}}", "{a: b}", true),
        (
            "{from: Selector, selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}",
            "{a: b}",
            false,
        ),
        ("{from: Selector, selector: {matchExpressions: [{key: a, operator: Sounds}]}}", "{a: b}", false),
    ] {
        let mut world = World::new(&format!("- {{kind: Namespace, metadata: {{name: apps, labels: {labels}}}}}
- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: http, port: 80, protocol: HTTP, allowedRoutes: {{namespaces: {rule}}}}}]}}}}
- {{kind: HTTPRoute, metadata: {{name: r, namespace: apps}}, spec: {{parentRefs: [{{name: web, namespace: infra}}]}}}}"));
        let words = if is_in { "Accepted=True:Accepted" } else { "Accepted=False:NotAllowedByListeners" };
        world.expect(&[("HTTPRoute/apps/r web", words)]);
    }
}

#[test]
fn an_app_protocol_is_known_in_upper_case_too() {
    let mut world = World::new(&format!(
        "{WEB}{}- {{kind: Service, metadata: {{name: app}}, spec: {{ports: [{{port: 443, appProtocol: HTTPS}}]}}}}",
        route("[{backendRefs: [{name: app, port: 443}]}]")
    ));
    world.expect(&[("HTTPRoute/infra/r web", "ResolvedRefs=True:ResolvedRefs")]);
}

#[test]
fn a_broken_backend_is_told_with_permission_before_existence() {
    for (backend, reason) in [
        ("{name: absent, port: 80}", "BackendNotFound"),
        ("{name: app, port: 81}", "BackendNotFound"),
        ("{name: app}", "BackendNotFound"),
        ("{kind: Thing, group: x.io, name: app, port: 80}", "InvalidKind"),
        ("{name: app, namespace: apps, port: 80}", "RefNotPermitted"),
        ("{name: absent, namespace: apps, port: 80}", "RefNotPermitted"),
        ("{name: odd, port: 80}", "UnsupportedProtocol"),
        ("{name: absent, port: 80}, {name: app, namespace: apps, port: 80}", "RefNotPermitted"),
    ] {
        let mut world = World::new(&format!(
            "{WEB}{}- {{kind: Service, metadata: {{name: app}}, spec: {{ports: [{{port: 80}}]}}}}
- {{kind: Service, metadata: {{name: odd}}, spec: {{ports: [{{port: 80, appProtocol: x.io/odd}}]}}}}
- {{kind: Service, metadata: {{name: app, namespace: apps}}, spec: {{ports: [{{port: 80}}]}}}}",
            route(&format!("[{{backendRefs: [{backend}]}}]"))
        ));
        world.expect(&[(
            "HTTPRoute/infra/r web",
            &format!("Accepted=True:Accepted ResolvedRefs=False:{reason}"),
        )]);
    }
    let mirror =
        "[{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: absent, port: 80}}}]}]";
    World::new(&format!("{WEB}{}", route(mirror)))
        .expect(&[("HTTPRoute/infra/r web", "ResolvedRefs=False:BackendNotFound")]);
}

#[test]
fn backends_of_the_implementations_own_kinds_have_to_be_there_and_permitted_too() {
    let own = |namespace: &str| ParametersRef {
        group: "x.io".into(),
        kind: "Bucket".into(),
        name: "files".into(),
        namespace: Some(namespace.into()),
    };
    let support = Support { backends: vec![own("infra"), own("apps")], ..Support::new(CONTROLLER) };
    for (backend, word) in [
        ("name: files", "True:ResolvedRefs"),
        ("name: absent", "False:BackendNotFound"),
        ("name: files, namespace: apps", "False:RefNotPermitted"),
    ] {
        let rules = format!(
            "[{{backendRefs: [{{name: app, group: y.io, kind: X}}, {{group: x.io, kind: Bucket, {backend}}}]}}]"
        );
        let only = rules.replace("{name: app, group: y.io, kind: X}, ", "");
        World::with(support.clone(), &format!("{WEB}{}", route(&only)))
            .expect(&[("HTTPRoute/infra/r web", &format!("ResolvedRefs={word}"))]);
        let mut world = World::with(support.clone(), &format!("{WEB}{}", route(&rules)));
        world.expect(&[("HTTPRoute/infra/r web", "Accepted=True:Accepted")]);
        let statuses = world.engine.statuses();
        let ObjectStatus::Route(status) = &statuses[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")] else {
            panic!("a route")
        };
        let message = status.parents[0].conditions.find("ResolvedRefs").unwrap().message.as_str();
        assert!(message.contains("path/spec.rules[0].backendRefs[0] InvalidKind"), "{message}");
        assert_eq!(
            message.contains("path/spec.rules[0].backendRefs[1]"),
            word != "True:ResolvedRefs",
            "{message}"
        );
    }
}

#[test]
fn rules_with_unsupported_filters_are_dropped_while_others_work() {
    let bad = "{filters: [{type: Nonsense}]}";
    let clash = "{filters: [{type: RequestRedirect}, {type: URLRewrite}]}";
    for (rules, words) in [
        (format!("[{bad}]"), "Accepted=False:UnsupportedValue !PartiallyInvalid"),
        (format!("[{clash}]"), "Accepted=False:IncompatibleFilters !PartiallyInvalid"),
        (format!("[{clash}, {bad}]"), "Accepted=False:UnsupportedValue !PartiallyInvalid"),
        (format!("[{bad}, {{}}]"), "Accepted=True:Accepted PartiallyInvalid=True:UnsupportedValue"),
        ("[{}]".to_owned(), "Accepted=True:Accepted !PartiallyInvalid"),
    ] {
        let mut world = World::new(&format!("{WEB}{}", route(&rules)));
        world.expect(&[("HTTPRoute/infra/r web", words)]);
        let is_attached = words.starts_with("Accepted=True");
        world.expect(&[("Gateway/infra/web http", if is_attached { "routes=1" } else { "routes=0" })]);
    }
    let mut world = World::new(&format!("{WEB}{}", route(&format!("[{bad}, {{}}]"))));
    world.write(5);
    let statuses = world.engine.statuses();
    let ObjectStatus::Route(status) = &statuses[&ObjectKey::new(Kind::HTTPRoute, "infra", "r")] else {
        panic!("a route")
    };
    let partial = status.parents[0].conditions.find("PartiallyInvalid").unwrap();
    assert!(partial.message.as_str().starts_with("Dropped Rule"), "{}", partial.message);
    world.apply(&route("[{}]"));
    world.expect(&[("HTTPRoute/infra/r web", "!PartiallyInvalid")]);
}

#[test]
fn listeners_beyond_64_are_too_many() {
    let listeners = |from: u16, count: u16| {
        let one = |port| format!("{{name: l{port}, port: {port}, protocol: HTTP}}");
        (from..from + count).map(one).collect::<Vec<_>>().join(", ")
    };
    let mut world = World::new(&format!("- {{kind: Gateway, metadata: {{name: web}}, spec: {{allowedListeners: {{namespaces: {{from: Same}}}}, listeners: [{}]}}}}
- {{kind: ListenerSet, metadata: {{name: s}}, spec: {{parentRef: {{name: web}}, listeners: [{}]}}}}
- {{kind: Gateway, metadata: {{name: huge}}, spec: {{listeners: [{}]}}}}", listeners(1, 62), listeners(101, 3), listeners(1, 65)));
    world.expect(&[
        ("ListenerSet/infra/s l102", "Accepted=True:Accepted"),
        ("ListenerSet/infra/s l103", "Accepted=False:TooManyListeners Programmed=False:Invalid"),
        ("ListenerSet/infra/s", "Accepted=True:ListenersNotValid"),
        ("Gateway/infra/huge", "Accepted=False:Invalid"),
        ("Gateway/infra/huge l65", ""),
    ]);
}

#[test]
fn malformed_objects_say_so_and_the_others_go_on() {
    let mut world = World::new(&format!("{WEB}- {{kind: Gateway, metadata: {{name: bad}}, spec: {{listeners: 7}}}}
- {{kind: Gateway, metadata: {{name: port}}, spec: {{listeners: [{{name: a, port: 70000, protocol: HTTP}}]}}}}
- {{kind: Gateway, metadata: {{name: twice}}, spec: {{listeners: [{{name: a, port: 1, protocol: HTTP}}, {{name: a, port: 2, protocol: HTTP}}]}}}}
- {{kind: Gateway, metadata: {{name: empty}}, spec: {{listeners: null}}}}
- {{kind: ListenerSet, metadata: {{name: bad}}, spec: {{parentRef: {{name: web}}, listeners: 7}}}}
- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}], rules: 7}}}}
- {{kind: GatewayClass, metadata: {{name: bad}}, spec: {{controllerName: example.com/gateway, parametersRef: 7}}}}
- {{kind: HTTPRoute, metadata: {{name: q}}, spec: {{parentRefs: 7}}}}"));
    world.expect(&[
        ("Gateway/infra/web", "Programmed=True:Programmed"),
        ("GatewayClass/bad", "Accepted=False:InvalidParameters"),
        ("Gateway/infra/bad", "Accepted=False:Invalid Programmed=False:Invalid"),
        ("Gateway/infra/port", "Accepted=False:Invalid"),
        ("Gateway/infra/twice", "Accepted=False:Invalid"),
        ("Gateway/infra/empty", "Accepted=True:Accepted Programmed=False:Invalid"),
        ("ListenerSet/infra/bad", "Accepted=False:Invalid Programmed=False:Invalid"),
        ("HTTPRoute/infra/r web", "Accepted=False:UnsupportedValue"),
        ("HTTPRoute/infra/q web", ""),
    ]);
    assert!(matches!(
        Object::read(&json!({"kind": "Pod", "apiVersion": "v1"})),
        Err(ObjectError::UnknownKind { .. })
    ));
    assert!(matches!(
        Object::read(&json!({"kind": "Secret", "apiVersion": "v1"})),
        Err(ObjectError::NoName { .. })
    ));
    assert!(Object::read(&json!(7)).is_err());
}

#[test]
fn what_names_a_class_or_a_parent_that_does_not_exist_is_found() {
    let mut world = World::new(&format!("{WEB}- {{kind: Gateway, metadata: {{name: typo}}, spec: {{gatewayClassName: exampel}}}}
- {{kind: ListenerSet, metadata: {{name: s}}, spec: {{parentRef: {{name: gone}}}}}}
- {{kind: HTTPRoute, metadata: {{name: r}}, spec: {{parentRefs: [{{name: web}}, {{name: gone}}, {{name: gone, port: 80}}, {{group: '', kind: Service, name: x}}]}}}}"));
    let found: Vec<String> = world.engine.dangling().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "Gateway/infra/typo names GatewayClass/exampel, which does not exist",
            "ListenerSet/infra/s names Gateway/infra/gone, which does not exist",
            "HTTPRoute/infra/r names Gateway/infra/gone, which does not exist",
        ]
    );
    world.delete("GatewayClass/example");
    assert_eq!(world.engine.dangling().len(), 4);
}

#[test]
fn a_value_that_is_deeper_than_the_stack_is_read_all_the_same() {
    let mut deep = json!(1);
    for _ in 0..100_000 {
        deep = serde_json::Value::Array(vec![deep]);
    }
    let mut value =
        json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "a"}});
    value["spec"] = json!({"gatewayClassName": "example"});
    value["spec"]["listeners"] = deep;
    assert!(Object::read(&value).unwrap().malformed.is_some());
    // Dropping such a value is recursive, too; that is up to whoever made it.
    std::mem::forget(value);
}

#[test]
fn the_features_of_the_implementation_are_in_the_status_of_its_class_by_name() {
    let features = ["HTTPRoute", "Gateway"].map(str::to_owned).into();
    let mut world = World::with(Support { features, ..Support::new(CONTROLLER) }, "[]");
    let changed = world.write(5);
    let status = serde_json::to_value(changed.values().next().unwrap()).unwrap();
    assert_eq!(status["supportedFeatures"], json!([{"name": "Gateway"}, {"name": "HTTPRoute"}]));
}

#[test]
fn a_listener_set_does_not_get_what_its_gateway_claims_twice_and_is_not_told_by_whom() {
    let mut world = World::new("- {kind: Gateway, metadata: {name: web}, spec: {allowedListeners: {namespaces: {from: All}}, listeners: [
    {name: secret-a, port: 80, protocol: HTTP}, {name: secret-b, port: 80, protocol: HTTP}, {name: other, port: 81, protocol: HTTP}]}}
- {kind: ListenerSet, metadata: {name: s, namespace: apps}, spec: {parentRef: {name: web, namespace: infra}, listeners: [{name: mine, port: 80, protocol: HTTP}]}}");
    world.expect(&[
        ("Gateway/infra/web secret-a", "Conflicted=True:HostnameConflict"),
        ("ListenerSet/apps/s mine", "Conflicted=True:HostnameConflict"),
    ]);
    let statuses = world.engine.statuses();
    let told = serde_json::to_string(&statuses[&ObjectKey::new(Kind::ListenerSet, "apps", "s")]).unwrap();
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn a_regular_expression_that_the_implementation_cannot_read_drops_its_rule_and_refuses_a_route_without_others()
 {
    fn check_regex(regex: &str) -> Result<(), String> {
        if regex.contains('(') { Err("no groups here".to_owned()) } else { Ok(()) }
    }
    let bad = [
        "{path: {type: RegularExpression, value: '('}}",
        "{headers: [{name: a, type: RegularExpression, value: '('}]}",
        "{queryParams: [{name: a, type: RegularExpression, value: '('}]}",
    ];
    for one in bad {
        let objects = format!(
            "
- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: http, port: 80, protocol: HTTP}}]}}}}
- {{kind: HTTPRoute, metadata: {{name: partly}}, spec: {{parentRefs: [{{name: web}}], rules: [{{matches: [{one}]}}, {{matches: [{{path: {{value: '('}}}}]}}]}}}}
- {{kind: HTTPRoute, metadata: {{name: wholly}}, spec: {{parentRefs: [{{name: web}}], rules: [{{matches: [{one}]}}]}}}}"
        );
        World::with(Support { check_regex, ..Support::new(CONTROLLER) }, &objects).expect(&[
            ("HTTPRoute/infra/partly web", "Accepted=True:Accepted PartiallyInvalid=True:UnsupportedValue"),
            ("HTTPRoute/infra/wholly web", "Accepted=False:UnsupportedValue"),
        ]);
    }
    World::with(
        Support { check_regex, ..Support::new(CONTROLLER) },
        "
- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}
- {kind: GRPCRoute, metadata: {name: grpc}, spec: {parentRefs: [{name: web}], rules: [{matches: [{method: {type: RegularExpression, service: '('}}]}]}}
- {kind: HTTPRoute, metadata: {name: method}, spec: {parentRefs: [{name: web}], rules: [{matches: [{method: GET}]}]}}",
    )
    .expect(&[
        ("GRPCRoute/infra/grpc web", "Accepted=False:UnsupportedValue"),
        ("HTTPRoute/infra/method web", "Accepted=True:Accepted !PartiallyInvalid"),
    ]);
}

#[test]
fn a_certificate_with_the_key_of_another_does_not_resolve() {
    let other = json!(include_str!("../certificates/ec-other.key"));
    let certificate = json!(include_str!("../certificates/ec.crt"));
    World::new(&format!(
        "
- {{kind: Gateway, metadata: {{name: web}}, spec: {{listeners: [{{name: https, port: 443, protocol: HTTPS, tls: {{certificateRefs: [{{name: c}}]}}}}]}}}}
- {{kind: Secret, metadata: {{name: c}}, type: kubernetes.io/tls, stringData: {{tls.crt: {certificate}, tls.key: {other}}}}}"
    ))
    .expect(&[("Gateway/infra/web https", "ResolvedRefs=False:InvalidCertificateRef Programmed=False:Invalid")]);
}
