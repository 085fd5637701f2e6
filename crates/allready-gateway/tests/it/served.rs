//! Listeners and routes for a data plane, and the addresses that it assigns.

use allready_gateway::{Kind, ObjectKey, Support, object::Address};

use crate::world::{CONTROLLER, World, at};

/// Every listener that is served, with its routes, their hostnames, rules and backends, in words.
fn served(world: &mut World) -> Vec<String> {
    world.engine.take_changed(at(1));
    let mut words = Vec::new();
    for listener in world.engine.listeners() {
        words.push(format!("{}#{}", listener.owner, listener.spec.name));
        for route in &listener.routes {
            let rules = route.rules.iter().map(|rule| {
                let backend = |one: &Option<allready_gateway::AttachedBackend<'_>>| match one {
                    Some(found) => format!("{}:{}", found.service.name, found.port.port),
                    None => "broken".to_owned(),
                };
                format!("{}={}", rule.index, rule.backends.iter().map(backend).collect::<Vec<_>>().join("+"))
            });
            let rules = rules.collect::<Vec<_>>().join(" ");
            words.push(format!("  {} [{}] {rules}", route.key.name, route.hostnames.join(" ")));
        }
    }
    words
}

#[test]
fn routes_are_served_with_what_their_status_calls_good_alone() {
    let mut world = World::new(
        "
- {kind: Gateway, metadata: {name: web}, spec: {listeners: [
    {name: any, port: 80, protocol: HTTP},
    {name: wild, port: 80, protocol: HTTP, hostname: '*.example.com'},
    {name: broken, port: 443, protocol: HTTPS}]}}
- {kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}
- {kind: Service, metadata: {name: b, namespace: apps}, spec: {ports: [{port: 80}]}}
- {kind: HTTPRoute, metadata: {name: young, creationTimestamp: '2020-01-01T00:00:02Z'}, spec: {
    parentRefs: [{name: web}], hostnames: [a.example.com, example.org],
    rules: [{filters: [{type: Nonsense}]}, {backendRefs: [{name: a, port: 80}, {name: a, port: 81}, {name: a, port: 81}]}]}}
- {kind: HTTPRoute, metadata: {name: old, creationTimestamp: '2020-01-01T00:00:01Z'}, spec: {
    parentRefs: [{name: web, sectionName: wild}], rules: [{backendRefs: [{name: b, namespace: apps, port: 80}]}]}}",
    );
    let young = "  young [a.example.com] 1=a:80+broken+broken";
    assert_eq!(
        served(&mut world),
        [
            "Gateway/infra/web#any",
            "  young [a.example.com example.org] 1=a:80+broken+broken",
            "Gateway/infra/web#wild",
            "  old [*.example.com] 0=broken",
            young,
        ]
    );

    world.apply(
        "
- {kind: ReferenceGrant, metadata: {name: g, namespace: apps}, spec: {
    from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: infra}], to: [{group: '', kind: Service}]}}
- {kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}, {port: 81}]}}",
    );
    assert_eq!(
        served(&mut world)[2..],
        [
            "Gateway/infra/web#wild",
            "  old [*.example.com] 0=b:80",
            "  young [a.example.com] 1=a:80+a:81+a:81"
        ]
    );

    world.delete("HTTPRoute/infra/young");
    world.delete("GatewayClass/example");
    assert_eq!(served(&mut world), Vec::<String>::new());
}

#[test]
fn a_gateway_has_the_addresses_that_it_was_given_and_waits_without_any() {
    let key = ObjectKey::new(Kind::Gateway, "infra", "web");
    let address = |value: &str| Address { type_: "IPAddress".to_owned(), value: value.to_owned() };
    let gateway = "- {kind: Gateway, metadata: {name: web}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}";
    let support = Support { default_address: None, ..Support::new(CONTROLLER) };
    let mut world = World::with(support, gateway);
    world.expect(&[("Gateway/infra/web", "Programmed=False:AddressNotAssigned")]);
    assert!(served(&mut world).is_empty());

    world.engine.assign(&key, vec![address("192.0.2.1"), address("192.0.2.2")]);
    let changed = world.write(1);
    let words = crate::world::show(&changed).remove("Gateway/infra/web").expect("a status that changed");
    assert!(words.contains("Programmed=True:Programmed"), "{words}");
    assert!(words.contains("addresses=192.0.2.1,192.0.2.2"), "{words}");
    let listener = world.engine.listeners_of(&key).next().expect("a listener that is served");
    assert_eq!(listener.addresses, [address("192.0.2.1"), address("192.0.2.2")]);

    world.engine.assign(&key, Vec::new());
    assert!(crate::world::show(&world.write(2))["Gateway/infra/web"].contains("AddressNotAssigned"));
    world.engine.assign(&key, vec![address("192.0.2.1")]);
    world.delete("Gateway/infra/web");
    world.apply(gateway);
    world.expect(&[("Gateway/infra/web", "Programmed=False:AddressNotAssigned")]);
}
