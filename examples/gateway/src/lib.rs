//! A Gateway implementation, as small as one can be: a proxy in this process that serves `HTTPRoutes`.
//!
//! This file is the control plane: watches feed the engine, and the engine says what to write and what to serve.

mod proxy;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    net::Ipv4Addr,
    sync::Arc,
};

use allready_gateway::Kind::{Gateway, GatewayClass, HTTPRoute, Namespace, ReferenceGrant, Service};
use allready_gateway::{Engine, Support, cluster::Cluster, http::Table, http::check_regex, object::Address};
use allready_kube::clock::Clock;
use kube::{Client, api::DynamicObject};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use proxy::Proxy;

/// Serves the Gateways of a class, and writes the status of everything that is the controller's own.
pub async fn run(client: Client, class: &str, controller_name: &str) {
    let mut engine = Engine::new(support(class, controller_name));
    let kinds = [Namespace, Service, ReferenceGrant, GatewayClass, Gateway, HTTPRoute];
    let mut cluster = Cluster::watch(client.clone(), kinds, "example-gateway");
    let (table, current) = watch::channel(Arc::default());
    let proxy = Proxy::new(client, current);
    let mut ports = BTreeMap::new();
    loop {
        if let Err(unseen) = cluster.feed(&mut engine).await {
            tracing::warn!("{unseen}");
            continue;
        }
        let is_served = |gateway: &DynamicObject| gateway.data["spec"]["gatewayClassName"] == class;
        ports.retain(|key, _| cluster.get(key).is_some_and(is_served));
        for (key, gateway) in cluster.iter(Gateway).filter(|(_, gateway)| is_served(gateway)) {
            // An address of its own, from its name. Until all of its ports are open there, it has none, and its status says so.
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
            let [a, b, c, ..] = hash.to_be_bytes().map(|byte| byte.clamp(1, 254));
            let ip = Ipv4Addr::new(127, a, b, c);
            let address = Address { type_: "IPAddress".to_owned(), value: ip.to_string() };
            match open(ports.entry(key.clone()).or_default(), ip, gateway, &proxy).await {
                Ok(()) => engine.assign(key, vec![address]),
                Err(error) => {
                    tracing::warn!("{key}: a port of {ip}: {error}");
                    engine.assign(key, Vec::new());
                }
            }
        }
        for (key, error) in cluster.write(&mut engine, Clock::system().now()).await {
            tracing::warn!("{key}: {error}");
        }
        table.send_replace(Arc::new(Table::new(&engine, |route| Some(&cluster.get(route)?.data["spec"]))));
    }
}

/// The abilities of this proxy, and no others.
fn support(class: &str, controller_name: &str) -> Support {
    let filters = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite"];
    Support {
        classes: Some([class.to_owned()].into()),
        protocols: vec!["HTTP".to_owned()],
        route_kinds: vec![HTTPRoute],
        filters: filters.map(String::from).into(),
        app_protocols: vec!["http".to_owned()],
        check_regex,
        listener_sets: false,
        usable_addresses: Some(Vec::new()),
        default_address: None,
        features: include_str!("features.txt").lines().map(String::from).collect(),
        ..Support::new(controller_name)
    }
}

/// Opens the ports of a Gateway's listeners, and closes those that it has no more: dropping a set ends its tasks.
async fn open(
    ports: &mut BTreeMap<u16, JoinSet<()>>,
    ip: Ipv4Addr,
    gateway: &DynamicObject,
    proxy: &Proxy,
) -> std::io::Result<()> {
    let listeners = gateway.data["spec"]["listeners"].as_array().into_iter().flatten();
    let http = listeners.filter(|listener| listener["protocol"] == "HTTP");
    let wanted: BTreeSet<u16> = http.filter_map(|one| one["port"].as_u64()?.try_into().ok()).collect();
    ports.retain(|port, _| wanted.contains(port));
    for port in wanted {
        if !ports.contains_key(&port) {
            let bound = TcpListener::bind((ip, port)).await?;
            ports.entry(port).or_default().spawn(proxy.clone().serve((ip, port).into(), bound));
        }
    }
    Ok(())
}
