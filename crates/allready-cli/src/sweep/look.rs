//! Reading a cluster for a sweep: nodes, objects that are reported into, reports and their heartbeats.

use std::collections::{BTreeMap, BTreeSet};

use allready_controller::config::Plan;
use allready_core::Time;
use allready_kube::{
    kinds::{ConfigurationStatusSpec, StatusReport},
    resources::{Catalog, Resource},
};
use k8s_openapi::api::{coordination::v1::Lease, core::v1::Node};
use kube::{
    Api, Client,
    api::{DynamicObject, ListParams},
};

use super::{SweepArgs, decide::Cast};
use crate::{
    cluster::{Cluster, list_all, refused},
    failure::Failure,
    printer::tame,
    target,
};

/// An object that is reported into.
pub(super) struct Subject {
    pub(super) resource: Resource,
    pub(super) object: DynamicObject,
    pub(super) cast: Cast,
}

impl Subject {
    pub(super) fn name(&self) -> &str {
        self.object.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> Option<&str> {
        self.object.metadata.namespace.as_deref()
    }

    /// Its name for people: `configurationstatus default/config-status`.
    pub(super) fn title(&self) -> String {
        let place = self.namespace().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        tame(&format!("{} {place}{}", self.resource.kind.to_lowercase(), self.name()))
    }
}

/// The names of all nodes. A cluster without nodes is refused: it is not known who is gone.
pub(super) async fn nodes(client: &Client) -> Result<BTreeSet<String>, Failure> {
    let nodes: Api<Node> = Api::all(client.clone());
    let mut page = ListParams::default().limit(500);
    let mut names = BTreeSet::new();
    loop {
        let list = nodes.list_metadata(&page).await.map_err(|error| refused("cannot list nodes", &error))?;
        names.extend(list.items.into_iter().filter_map(|node| node.metadata.name));
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => break,
        }
    }
    if names.is_empty() {
        return Err(Failure::unavailable(
            "the cluster shows no nodes, so gone reporters cannot be found and nothing is removed; \
             is this the context of the cluster that the reporters run in?",
        ));
    }
    Ok(names)
}

/// The objects that are reported into: the one that is named, or every ConfigurationStatus there is.
pub(super) async fn subjects(cluster: &Cluster, args: &SweepArgs) -> Result<Vec<Subject>, Failure> {
    let catalog = target::discover(cluster).await?;
    if !args.object.is_empty() {
        let targets = target::parse(&args.object).map_err(Failure::usage)?;
        let mut subjects = Vec::new();
        for target in &targets {
            let object = target::fetch(cluster, &catalog, target, &args.scope).await?;
            let resource = catalog.find(&target.resource).map_err(Failure::unavailable)?;
            let object = serde_json::from_value(object).map_err(Failure::data)?;
            subjects.push(subject(resource, object, &args.component));
        }
        return Ok(subjects);
    }
    of_kind(&catalog, cluster, args).await
}

async fn of_kind(catalog: &Catalog, cluster: &Cluster, args: &SweepArgs) -> Result<Vec<Subject>, Failure> {
    let resources =
        catalog.resources.iter().filter(|found| found.kind == "ConfigurationStatus").collect::<Vec<_>>();
    if resources.is_empty() {
        return Err(Failure::unavailable(
            "the server has no ConfigurationStatus; name the object that is reported into, and its components: \
             `allready sweep TYPE/NAME --component NAME`",
        ));
    }
    let namespace = args.scope.namespace(&cluster.namespace);
    let mut subjects = Vec::new();
    for resource in resources {
        let api = resource.api(cluster.client.clone(), namespace.as_deref());
        let found = list_all(&api, ListParams::default(), &resource.full_name()).await?;
        subjects.extend(found.into_iter().map(|object| subject(resource, object, &args.component)));
    }
    Ok(subjects)
}

fn subject(resource: &Resource, object: DynamicObject, components: &[String]) -> Subject {
    let spec: Option<ConfigurationStatusSpec> = serde_json::from_value(object.data["spec"].clone()).ok();
    let mut cast = spec
        .filter(|_| resource.kind == "ConfigurationStatus")
        .map_or_else(Cast::default, |spec| Cast::of(&Plan::of(&spec)));
    cast.on_nodes.extend(components.iter().cloned());
    cast.unsure.retain(|component| !components.contains(component));
    Subject { resource: resource.clone(), object, cast }
}

/// The reports beside an object, and when their Leases were renewed.
pub(super) async fn reports(
    client: &Client,
    namespace: Option<&str>,
) -> Result<(Vec<StatusReport>, BTreeMap<String, Time>), Failure> {
    let Some(namespace) = namespace else { return Ok(Default::default()) };
    let all = ListParams::default;
    let reports = Api::<StatusReport>::namespaced(client.clone(), namespace);
    let reports = list_all(&reports, all(), "StatusReports").await?;
    let leases = list_all(&Api::<Lease>::namespaced(client.clone(), namespace), all(), "Leases").await?;
    let heartbeats = leases.into_iter().filter_map(|lease| {
        let renewed = lease.spec?.renew_time?;
        Some((lease.metadata.name?, Time::new(renewed.0)))
    });
    Ok((reports, heartbeats.collect()))
}
