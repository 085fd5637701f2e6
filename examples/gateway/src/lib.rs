//! A Gateway implementation, as small as one can be: a proxy in this process that serves `HTTPRoutes`.
//!
//! This file is the control plane: watches feed the engine, and the engine says what to write and what to serve.

mod proxy;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::{io, net::Ipv4Addr, sync::Arc};

use allready_gateway::cluster::{Cluster, Endpoints};
use allready_gateway::object::{Address, GatewaySpec};
use allready_gateway::{Engine, http};
use allready_kube::clock::Clock;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use proxy::Proxy;

/// Serves the Gateways of a controller's classes, and writes the status of everything that is the controller's own.
pub async fn run(client: kube::Client, controller_name: &str) {
    let mut engine = Engine::new(http::support(controller_name, ["HTTP", "HTTPS"]));
    let mut cluster = Cluster::watch(client.clone(), http::KINDS, "example-gateway");
    let endpoints = Endpoints::watch(client);
    let (table, current) = watch::channel(Arc::default());
    let proxy = Proxy::new(current, endpoints.clone());
    let mut ports = BTreeMap::new();
    loop {
        let fed = cluster.feed(&mut engine).await;
        if let Some(unseen) = fed.err().or_else(|| endpoints.unseen()) {
            tracing::warn!("{unseen}");
            continue;
        }
        let gateways = cluster.gateways(controller_name);
        ports.retain(|key, _| gateways.contains_key(key));
        for (key, gateway) in &gateways {
            // An address of its own, from its name. Until all of its ports are open there, it has none, and its status says so.
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
            let [a, b, c, ..] = hash.to_be_bytes().map(|byte| byte.clamp(1, 254));
            let ip = Ipv4Addr::new(127, a, b, c);
            let opened = open(ports.entry(key.clone()).or_default(), ip, gateway, &proxy).await;
            let opened = opened.inspect_err(|error| tracing::warn!("{key}: not served at {ip}: {error}"));
            let address = Address { type_: "IPAddress".to_owned(), value: ip.to_string() };
            engine.assign(key, opened.map(|()| address).into_iter().collect());
        }
        for (key, error) in cluster.write(&mut engine, Clock::system().now()).await {
            tracing::warn!("{key}: {error}");
        }
        table.send_replace(Arc::new(http::Table::new(&engine, |key| Some(&cluster.get(key)?.data))));
    }
}

/// The open ports of a Gateway, and whether they have TLS. Dropping a set ends its tasks, and closes the port.
type Ports = BTreeMap<(u16, bool), JoinSet<()>>;

/// Opens the ports of a Gateway's listeners, and closes those that it has no more.
async fn open(ports: &mut Ports, ip: Ipv4Addr, gateway: &GatewaySpec, proxy: &Proxy) -> io::Result<()> {
    if gateway.tls.as_ref().is_some_and(|tls| tls.frontend.is_some()) {
        return Err(io::Error::other("this proxy does not validate clients' certificates"));
    }
    let http = gateway.listeners.iter().filter(|listener| ["HTTP", "HTTPS"].contains(&&*listener.protocol));
    let wanted: BTreeSet<_> = http.map(|listener| (listener.port, listener.protocol == "HTTPS")).collect();
    ports.retain(|port, _| wanted.contains(port));
    for (port, is_tls) in wanted {
        if !ports.contains_key(&(port, is_tls)) {
            let bound = TcpListener::bind((ip, port)).await?;
            let serve = proxy.clone().serve((ip, port).into(), bound, is_tls);
            ports.entry((port, is_tls)).or_default().spawn(serve);
        }
    }
    Ok(())
}
