//! The conformance tests of ListenerSets that check status alone, by their names, on manifests of our own.

use crate::world::World;

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
fn a_listener_that_lost_its_port_to_the_gateway_takes_nothing_from_its_own_set() {
    let mut world = two_sets(
        "[{name: good, port: 80, protocol: HTTP, hostname: a.example}, {name: bad, port: 80, protocol: TCP}]",
        "[{name: good, port: 80, protocol: HTTP, hostname: b.example}, {name: bad, port: 80, protocol: TCP}]",
    );
    for set in ["old", "young"] {
        world.expect(&[
            (&format!("ListenerSet/infra/{set} good"), "Accepted=True:Accepted !Conflicted"),
            (&format!("ListenerSet/infra/{set} bad"), "Accepted=False:ProtocolConflict"),
            (
                &format!("ListenerSet/infra/{set}"),
                "Accepted=True:ListenersNotValid Programmed=True:Programmed",
            ),
        ]);
    }
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
