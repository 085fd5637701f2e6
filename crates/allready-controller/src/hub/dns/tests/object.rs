//! The `DNSEndpoint`: what it looks like, whether a server takes it, and what is left of it when others edit it.

use allready_apiserver::{ApiServer, catalog};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use serde_json::json;

use super::{super::TARGETS_ANNOTATION, *};
use crate::hub::{MANAGER, dns::endpoint_name};

/// One cluster that serves, one that is leaving.
fn world() -> World {
    let mut world = two_names();
    world
        .hears("cluster-2", gateway(&["10.0.0.2", "2001:db8::2"], &[("api", 1), ("web", 1)]))
        .hears("cluster-1", gateway(&["10.0.0.1"], &[("api", 0), ("web", 1)]))
        .after(1);
    world.turns("cluster-1", Presence::Displaced).after(1);
    world
}

#[test]
fn the_object_is_sorted_owned_and_says_whose_the_targets_are() {
    let mut world = world();
    world.options.ttl_seconds = 30;
    world.options.labels.insert("dns".to_owned(), "public".to_owned());
    let endpoint = world.published.endpoint(&gateway_name(), &OWNER, &world.options);
    let leaving = r#""cluster-1":{"leaving":"1970-01-12T13:46:42Z","targets":["10.0.0.1"]}"#;
    let staying = r#""cluster-2":{"targets":["10.0.0.2","2001:db8::2"]}"#;
    let expected = json!({
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {
            "name": "gateway-gateway",
            "namespace": "apps",
            "labels": { "app.kubernetes.io/managed-by": "allready", "dns": "public" },
            "annotations": { "allready.dev/targets": format!("{{{leaving},{staying}}}") },
            "ownerReferences": [{
                "apiVersion": "gateway.networking.k8s.io/v1",
                "kind": "Gateway",
                "name": "gateway",
                "uid": "7f0c",
                "controller": true,
            }],
        },
        "spec": { "endpoints": [
            { "dnsName": API, "recordType": "A", "recordTTL": 30, "targets": ["10.0.0.2"] },
            { "dnsName": API, "recordType": "AAAA", "recordTTL": 30, "targets": ["2001:db8::2"] },
            { "dnsName": WEB, "recordType": "A", "recordTTL": 30, "targets": ["10.0.0.1", "10.0.0.2"] },
            { "dnsName": WEB, "recordType": "AAAA", "recordTTL": 30, "targets": ["2001:db8::2"] },
        ] },
    });
    assert_eq!(endpoint, expected);
}

#[test]
fn a_record_of_a_cluster_carries_its_name_and_what_the_provider_is_told() {
    let mut world = World::new(&[("web", WEB)]);
    world.options = weighted();
    world.hears("cluster-1", gateway(&["10.0.0.1"], &[("web", 1)])).after(1);
    let endpoint = world.published.endpoint(&gateway_name(), &OWNER, &world.options);
    let expected = json!([{
        "dnsName": WEB,
        "recordType": "A",
        "recordTTL": 60,
        "setIdentifier": "cluster-1",
        "targets": ["10.0.0.1"],
        "providerSpecific": [{ "name": "aws/weight", "value": "100" }],
    }]);
    assert_eq!(endpoint["spec"]["endpoints"], expected);
}

#[tokio::test]
async fn a_server_takes_the_object_and_gives_back_the_same() {
    let server = ApiServer::builder().crds([catalog::dns_endpoint()]).build().unwrap();
    let client = Client::new(server.service(), "default");
    let kind = GroupVersionKind::gvk("externaldns.k8s.io", "v1alpha1", "DNSEndpoint");
    let api: Api<DynamicObject> =
        Api::namespaced_with(client, "default", &ApiResource::from_gvk_with_plural(&kind, "dnsendpoints"));
    let params = PatchParams {
        field_validation: Some(kube::api::ValidationDirective::Strict),
        ..PatchParams::apply(MANAGER)
    };

    for options in [DnsOutput::default(), weighted()] {
        let mut world = world();
        world.options = options;
        world.after(1);
        let object = ObjectName::new("default", "gateway");
        let endpoint = world.published.endpoint(&object, &OWNER, &world.options);
        let stored = api.patch("gateway-gateway", &params, &Patch::Apply(&endpoint)).await.unwrap();
        let stored = serde_json::to_value(stored).unwrap();
        assert_eq!(Published::read(&stored), world.published);
        assert_eq!(stored["spec"], endpoint["spec"]);
    }
}

#[test]
fn the_name_can_be_derived_and_is_legal_however_long_the_object_s_is() {
    let long = |last: &str| {
        endpoint_name("Gateway", &ObjectName::new("apps", &format!("{}{last}", "n.".repeat(126))))
    };
    assert_eq!(long("a").len(), 128);
    assert_eq!(long("a"), long("a"));
    assert_ne!(long("a"), long("b"));
    assert!(
        long("a")
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte))
    );
    assert_eq!(endpoint_name("Gateway", &ObjectName::new("apps", &"n".repeat(245))).len(), 253);
}

#[test]
fn what_others_made_of_the_object_is_read_as_far_as_it_makes_sense() {
    let published = Published::read(&json!({
        "metadata": { "annotations": { TARGETS_ANNOTATION: json!({
            "cluster-1": { "targets": ["10.0.0.1", 7, "no name"], "leaving": "soon" },
            "Not A Cluster": { "targets": ["10.0.0.2"] },
            "cluster-3": "text",
        }).to_string() } },
        "spec": { "endpoints": [
            { "dnsName": "Web.Example.com.", "recordType": "A", "targets": ["10.0.0.1", "2001:db8::1", null] },
            { "dnsName": WEB, "recordType": "A", "targets": ["10.0.0.2"], "labels": {} },
            { "dnsName": WEB, "recordType": "TXT", "targets": ["words"] },
            { "dnsName": WEB, "recordType": "AAAA", "targets": ["2001:DB8:0::2"], "setIdentifier": "cluster-2" },
            { "dnsName": WEB, "recordType": "CNAME", "targets": ["lb."], "setIdentifier": "Somebody's" },
            { "dnsName": WEB, "recordType": "CNAME", "targets": [] },
            { "recordType": "A", "targets": ["10.0.0.3"] },
            "text",
        ] },
    }));
    let world = World { published, ..two_names() };
    assert_eq!(
        world.targets(WEB),
        ["A 10.0.0.1", "A 10.0.0.2", "cluster-2: AAAA 2001:db8::2", "unknown_cluster: CNAME lb"]
    );
    let clusters: Vec<_> =
        world.published.clusters.iter().map(|(cluster, of)| (cluster.as_str(), of)).collect();
    let of = |targets: &[&str]| Targets {
        targets: targets.iter().map(|text| Arc::from(*text)).collect(),
        leaving: None,
    };
    assert_eq!(
        clusters,
        [("cluster-1", &of(&["10.0.0.1"])), ("cluster-2", &of(&["2001:db8::2"])), ("cluster-3", &of(&[]))]
    );
    for nothing in [json!(null), json!([]), json!({ "spec": 1, "metadata": { "annotations": [] } })] {
        assert_eq!(Published::read(&nothing), Published::default());
    }
}

#[test]
fn attribution_past_what_annotations_hold_is_left_out_and_found_again() {
    let mut world = World::new(&[("web", WEB)]);
    let address = |number: usize| format!("2001:db8:ffff:ffff:ffff:ffff:{number:x}:1");
    for number in 0..3000 {
        let addresses = [address(number), address(number + 10_000)];
        let addresses = addresses.each_ref().map(String::as_str);
        world.hears(&format!("cluster-{number}"), gateway(&addresses, &[("web", 1)]));
    }
    let published = world.decide().publish;
    let endpoint = published.endpoint(&gateway_name(), &OWNER, &world.options);
    let annotation = endpoint["metadata"]["annotations"][TARGETS_ANNOTATION].as_str().unwrap();
    assert!((150_000..256 * 1024).contains(&annotation.len()), "{}", annotation.len());
    world.published = Published::read(&endpoint);
    assert!(world.published.clusters.len() < 3000);
    assert_eq!(world.decide().publish, published);
}
