//! The scenes of a Gateway: allready's own controller writes the statuses of it and of its routes.

use std::time::Instant;

use allready_controller::{engine::Running, gateway};
use allready_core::Time;
use allready_gateway::Support;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch},
};
use serde_json::{Value, json};

use super::cast::System;
use crate::{
    demo::stage::{Played, Stage, administrator, coloured, until},
    printer::{DIM, tame},
};

const NAMESPACE: &str = "shop";
const CLASS: &str = "demo";
const GATEWAY: &str = "public";
const GROUP: &str = "gateway.networking.k8s.io/v1";
/// The Services; each route is named as its own is.
const MISSING: &str = "orders";
const PRESENT: &str = "front";
/// Each listener, and the route that attaches to it.
const LISTENERS: [(&str, &str); 2] = [("api", MISSING), ("www", PRESENT)];

/// The status and the reason of `ResolvedRefs` for each listener's route, and the status of the Gateway's `Programmed`.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    routes: Vec<[String; 2]>,
    programmed: String,
}

impl System {
    /// The scene in which the Gateway and both routes are healthy.
    pub(in crate::demo) async fn opens_gateway(&mut self, stage: &mut Stage<'_>) -> Played<()> {
        stage.heading("14. A Gateway with two listeners and a route for each")?;
        let began = Instant::now();
        self.make_gateway(&[PRESENT, MISSING]).await?;
        self.shows_routes(stage, began, "True", &self.where_to_look()).await
    }

    pub(in crate::demo) async fn plays_gateway(&mut self, stage: &mut Stage<'_>) -> Played<()> {
        stage.heading("14. A route names a Service that does not exist")?;
        let (began, before) = (Instant::now(), Time::new(jiff::Timestamp::now()));
        self.make_gateway(&[PRESENT]).await?;
        self.shows_routes(stage, began, "False", &self.where_to_look()).await?;
        let explain = format!("explain httproute/{MISSING} -n {NAMESPACE}");
        stage.says(&format!(
            "\n`allready check -n {NAMESPACE}` names the cause, and `allready {explain}` shows the way to it:\n"
        ))?;
        stage.asks(&format!("check -n {NAMESPACE}"), self.kubeconfig.path(), before)?;
        stage.says("")?;
        stage.asks(&explain, self.kubeconfig.path(), before)?;
        stage.rests().await;

        stage.heading("15. The Service is created")?;
        let began = Instant::now();
        self.make_service(MISSING).await?;
        self.shows_routes(stage, began, "True", "The route itself has not changed, and its status follows:")
            .await?;
        stage.says(&format!("\n`allready {explain}` says now:\n"))?;
        stage.asks(&explain, self.kubeconfig.path(), before)
    }

    fn where_to_look(&self) -> String {
        format!(
            "The API server of the system has the Gateway {GATEWAY}, too, with two listeners and a route for each. The Gateway API controller \
             of\nallready writes their statuses. Look at them at any time:\n\n  \
             kubectl --kubeconfig {} get gateways,httproutes -n {NAMESPACE}",
            self.kubeconfig.shown()
        )
    }

    /// Makes the Gateway, its class and its routes, and these of the Services; and begins to write statuses.
    async fn make_gateway(&mut self, services: &[&str]) -> Played<()> {
        self.server.make_namespace(NAMESPACE).await?;
        for service in services {
            self.make_service(service).await?;
        }
        let client = self.server.client.clone();
        let class = json!({ "controllerName": gateway::CONTROLLER_NAME });
        apply(&client, GROUP, "GatewayClass", CLASS, json!({ "spec": class })).await?;
        let listener =
            |(name, _)| json!({ "name": name, "hostname": hostname(name), "port": 80, "protocol": "HTTP" });
        let gateway = json!({ "gatewayClassName": CLASS, "listeners": LISTENERS.map(listener) });
        apply(&client, GROUP, "Gateway", GATEWAY, json!({ "spec": gateway })).await?;
        for (listener, service) in LISTENERS {
            let route = json!({
                "parentRefs": [{ "name": GATEWAY, "sectionName": listener }],
                "rules": [{ "backendRefs": [{ "name": service, "port": 80 }] }],
            });
            apply(&client, GROUP, "HTTPRoute", service, json!({ "spec": route })).await?;
        }
        let support = Support::new(gateway::CONTROLLER_NAME);
        let controller = gateway::GatewayController { client, support, running: Running::default() };
        self.tasks.spawn(controller.run());
        Ok(())
    }

    /// Makes a Service with an endpoint, as nothing runs here that would look for pods.
    async fn make_service(&self, name: &str) -> Played<()> {
        let client = &self.server.client;
        let service = json!({ "spec": { "ports": [{ "name": "http", "port": 80 }] } });
        let endpoints = json!({
            "metadata": { "name": name, "labels": { "kubernetes.io/service-name": name } },
            "addressType": "IPv4",
            "endpoints": [{ "addresses": ["192.0.2.20"], "conditions": { "ready": true } }],
            "ports": [{ "name": "http", "port": 80 }],
        });
        // The endpoints first: a Service without any would be seen as broken for a moment.
        apply(client, "discovery.k8s.io/v1", "EndpointSlice", name, endpoints).await?;
        apply(client, "v1", "Service", name, service).await
    }

    async fn look_at_routes(&self) -> Played<Seen> {
        let client = &self.server.client;
        let mut seen = Seen::default();
        for (_, route) in LISTENERS {
            let route = api(client, GROUP, "HTTPRoute").get(route).await?;
            let conditions = &route.data["status"]["parents"][0]["conditions"];
            seen.routes.push(["status", "reason"].map(|field| found(conditions, "ResolvedRefs", field)));
        }
        let gateway = api(client, GROUP, "Gateway").get(GATEWAY).await?;
        seen.programmed = found(&gateway.data["status"]["conditions"], "Programmed", "status");
        Ok(seen)
    }

    /// Waits until the route of the missing Service is so, and shows all of them.
    async fn shows_routes(
        &self,
        stage: &mut Stage<'_>,
        began: Instant,
        missing: &str,
        text: &str,
    ) -> Played<()> {
        let wanted = |seen: &Seen| {
            let statuses: Vec<&str> = seen.routes.iter().map(|[status, _]| &**status).collect();
            statuses == [missing, "True"] && seen.programmed == "True"
        };
        let otherwise =
            |seen: &Seen| format!("{MISSING} should be {missing}, and this stands there: {seen:?}");
        let seen = until(async || self.look_at_routes().await, wanted, otherwise).await?;
        stage.takes(began);
        let head = "GATEWAY  LISTENER  HOSTNAME         HTTPROUTE  RESOLVEDREFS  REASON";
        stage.says(&format!("{text}\n\n  {DIM}{head}{DIM:#}"))?;
        for ((listener, route), [status, reason]) in LISTENERS.iter().zip(&seen.routes) {
            let (hostname, status) = (hostname(listener), coloured(status, 13));
            stage.says(&format!(
                "  {GATEWAY:<8} {listener:<9} {hostname:<16} {route:<10} {status} {}",
                tame(reason)
            ))?;
        }
        Ok(())
    }
}

fn hostname(listener: &str) -> String {
    format!("{listener}.example.com")
}

/// A field of the condition of this type.
fn found(conditions: &Value, type_: &str, field: &str) -> String {
    let mut conditions = conditions.as_array().into_iter().flatten();
    let condition = conditions.find(|condition| condition["type"] == type_);
    condition.and_then(|condition| condition[field].as_str()).unwrap_or_default().to_owned()
}

fn api(client: &Client, group_version: &str, kind: &str) -> Api<DynamicObject> {
    let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
    if kind == "GatewayClass" {
        Api::all_with(client.clone(), &resource)
    } else {
        Api::namespaced_with(client.clone(), NAMESPACE, &resource)
    }
}

async fn apply(
    client: &Client,
    group_version: &str,
    kind: &str,
    name: &str,
    mut object: Value,
) -> Played<()> {
    object["apiVersion"] = group_version.into();
    object["kind"] = kind.into();
    object["metadata"]["name"] = name.into();
    api(client, group_version, kind).patch(name, &administrator(), &Patch::Apply(object)).await?;
    Ok(())
}
