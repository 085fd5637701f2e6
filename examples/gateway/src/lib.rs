//! A Gateway implementation, as small as one can be: a proxy in this process that serves `HTTPRoutes`.
//!
//! This file is the control plane: watches feed the engine, and the engine says what to write and what to serve.

mod proxy;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::{io, net::Ipv4Addr, sync::Arc};

use allready_gateway::Kind::{Gateway, GatewayClass, HTTPRoute, Namespace, ReferenceGrant, Secret, Service};
use allready_gateway::cluster::{Cluster, Endpoints};
use allready_gateway::{Engine, Support, http, object::Address};
use allready_kube::clock::Clock;
use kube::{Client, api::DynamicObject};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use proxy::Proxy;

/// Serves the Gateways of a controller's classes, and writes the status of everything that is the controller's own.
pub async fn run(client: Client, controller_name: &str) {
    let mut engine = Engine::new(Support {
        protocols: ["HTTP", "HTTPS"].map(String::from).into(),
        listener_sets: false,
        usable_addresses: Some(Vec::new()),
        default_address: None,
        ..http::support(controller_name)
    });
    let kinds = [Namespace, Service, Secret, ReferenceGrant, GatewayClass, Gateway, HTTPRoute];
    let mut cluster = Cluster::watch(client.clone(), kinds, "example-gateway");
    let endpoints = Endpoints::watch(client);
    let (table, current) = watch::channel(Arc::default());
    let proxy = Proxy::new(current, endpoints.clone());
    let mut ports = BTreeMap::new();
    loop {
        if let Err(unseen) = cluster.feed(&mut engine).await {
            tracing::warn!("{unseen}");
            continue;
        }
        if let Some(unseen) = endpoints.unseen() {
            tracing::warn!("{unseen}");
        }
        let gateways: BTreeMap<_, _> = cluster.gateways(controller_name).collect();
        ports.retain(|key, _| gateways.contains_key(key));
        for (key, gateway) in gateways {
            // An address of its own, from its name. Until all of its ports are open there, it has none, and its status says so.
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
            let [a, b, c, ..] = hash.to_be_bytes().map(|byte| byte.clamp(1, 254));
            let ip = Ipv4Addr::new(127, a, b, c);
            let address = Address { type_: "IPAddress".to_owned(), value: ip.to_string() };
            match open(ports.entry(key.clone()).or_default(), ip, gateway, &proxy).await {
                Ok(()) => engine.assign(key, vec![address]),
                Err(error) => {
                    tracing::warn!("{key}: cannot serve it at {ip}: {error}");
                    engine.assign(key, Vec::new());
                }
            }
        }
        for (key, error) in cluster.write(&mut engine, Clock::system().now()).await {
            tracing::warn!("{key}: {error}");
        }
        table.send_replace(Arc::new(http::Table::new(&engine, |key| Some(&cluster.get(key)?.data))));
    }
}

/// Opens the ports of a Gateway's listeners, and closes those that it has no more: dropping a set ends its tasks.
async fn open(
    ports: &mut BTreeMap<(u16, bool), JoinSet<()>>,
    ip: Ipv4Addr,
    gateway: &DynamicObject,
    proxy: &Proxy,
) -> io::Result<()> {
    let spec = &gateway.data["spec"];
    if !spec["tls"]["frontend"].is_null() {
        return Err(io::Error::other("this proxy does not validate clients' certificates"));
    }
    let mut wanted = BTreeSet::<(u16, bool)>::new();
    for listener in spec["listeners"].as_array().into_iter().flatten() {
        let port = listener["port"].as_u64().and_then(|port| port.try_into().ok());
        let protocol = listener["protocol"].as_str().filter(|protocol| ["HTTP", "HTTPS"].contains(protocol));
        wanted.extend(port.zip(protocol.map(|protocol| protocol == "HTTPS")));
    }
    ports.retain(|port, _| wanted.contains(port));
    for (port, is_tls) in wanted {
        if !ports.contains_key(&(port, is_tls)) {
            let bound = TcpListener::bind((ip, port)).await?;
            ports.entry((port, is_tls)).or_default().spawn(proxy.clone().serve(bound, is_tls)?);
        }
    }
    Ok(())
}
