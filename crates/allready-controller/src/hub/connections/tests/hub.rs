//! Whoever listens to the connections, and remembers.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc, time::Duration};

use allready_apiserver::ApiServer;
use allready_kube::kinds::{StatusAggregationSpec, TargetKind};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams},
    config::Kubeconfig,
};
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::super::{ClusterConnections, ClusterUpdate, ClusterUpdates, Probe, Topic, TopicId};
use crate::hub::{
    ClusterName, NoAnswer, Plan, Reader,
    inventory::{Access, Cluster},
};

/// How long anything may take.
const DEADLINE: Duration = Duration::from_secs(30);

fn quick() -> Probe {
    Probe::new(Duration::from_millis(200), Duration::from_millis(500))
}

/// What was heard of one cluster.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// What its objects are like: the number of the hub's generation that stands in them.
    pub(super) objects: BTreeMap<String, i64>,
    pub(super) topics: BTreeMap<Arc<str>, Result<(), Arc<str>>>,
    pub(super) link: Option<Result<Duration, NoAnswer>>,
    /// How often it was said that it answers, and that it does not.
    pub(super) links: (usize, usize),
}

pub(super) struct Hub {
    connections: ClusterConnections,
    heard: ClusterUpdates,
    pub(super) clusters: BTreeMap<ClusterName, Cluster>,
    pub(super) topics: BTreeMap<TopicId, Topic>,
    pub(super) epochs: BTreeMap<ClusterName, u64>,
    said: BTreeMap<ClusterName, Said>,
}

impl Hub {
    pub(super) fn new() -> Self {
        let (connections, heard) = ClusterConnections::with(quick());
        let topics = [(("maps".into(), 1), topic("v1", "ConfigMap"))].into();
        let (clusters, epochs, said) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { connections, heard, clusters, topics, epochs, said }
    }

    /// A cluster joins, or is to be got at in another way.
    pub(super) fn join(&mut self, name: &str, access: Access) {
        let cluster = Cluster { labels: BTreeMap::new(), source: "a test".into(), access };
        self.clusters.insert(name.parse().unwrap(), cluster);
        self.follow();
    }

    pub(super) fn leave(&mut self, name: &str) {
        self.clusters.remove(name);
        self.follow();
    }

    pub(super) fn follow(&mut self) {
        let opened = self.connections.follow(&self.clusters, &self.topics);
        for (name, epoch) in opened {
            self.said.remove(&name);
            self.epochs.insert(name, epoch);
        }
        self.said.retain(|name, _| self.clusters.contains_key(name));
    }

    pub(super) fn said(&self, name: &str) -> Option<&Said> {
        self.said.get(name)
    }

    /// Listens until it is so.
    #[track_caller]
    pub(super) fn until<'a>(
        &'a mut self,
        what: &'a str,
        is_so: impl Fn(&Self) -> bool + 'a,
    ) -> impl Future<Output = Duration> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let begun = Instant::now();
            while !is_so(self) {
                let Ok(updates) = timeout_at(begun + DEADLINE, self.heard.next()).await else {
                    panic!("{caller}: not heard in time: {what}; but {:#?}", self.said)
                };
                for update in updates {
                    self.hear(update);
                }
            }
            begun.elapsed()
        }
    }

    fn hear(&mut self, update: ClusterUpdate) {
        assert_eq!(
            Some(&update.epoch),
            self.epochs.get(&update.cluster),
            "only the last connection is heard"
        );
        let said = self.said.entry(update.cluster).or_default();
        for (_, name, instance) in update.objects {
            let generation = instance.map(|instance| instance.hub_generation.unwrap_or_default().get());
            match generation {
                Some(generation) => said.objects.insert(name.to_string(), generation),
                None => said.objects.remove(&name.to_string()),
            };
        }
        said.topics.extend(update.topics.into_iter().map(|((name, _), verdict)| (name, verdict)));
        match &update.link {
            Some(Ok(_)) => said.links.0 += 1,
            Some(Err(_)) => said.links.1 += 1,
            None => {}
        }
        said.link = update.link.or(said.link.take());
    }

    /// Whether a cluster answers, and all of its objects are known.
    pub(super) fn is_well(&self, name: &str) -> bool {
        self.said(name).is_some_and(|said| {
            matches!(said.link, Some(Ok(_)))
                && said.topics.len() == self.topics.len()
                && said.topics.values().all(Result::is_ok)
        })
    }

    /// Whether a cluster does not answer, because of this.
    pub(super) fn is_silent(&self, name: &str, why: &str) -> bool {
        matches!(self.said(name), Some(Said { link: Some(Err(said)), .. }) if said.why.contains(why))
    }

    /// Whether a topic of a cluster cannot be seen, because of this.
    pub(super) fn is_unseen(&self, name: &str, topic: &str, why: &str) -> bool {
        matches!(self.said(name).and_then(|said| said.topics.get(topic)), Some(Err(said)) if said.contains(why))
    }

    /// Changes an object of a cluster that is well, and waits until that is heard: promptly, whatever others do.
    pub(super) async fn hears(&mut self, name: &str, server: &ApiServer, generation: i64) {
        write(server, "default", "calm", generation).await;
        let heard = |hub: &Self| {
            hub.said(name).is_some_and(|said| said.objects.get("default/calm") == Some(&generation))
        };
        let took = self.until("a calm cluster", heard).await;
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}

pub(super) fn topic(api_version: &str, kind: &str) -> Topic {
    let target_ref = TargetKind { api_version: api_version.to_owned(), kind: kind.to_owned() };
    let spec = StatusAggregationSpec { target_ref, ..StatusAggregationSpec::default() };
    Topic {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        namespaces: Vec::new(),
        selector: Some("watched".to_owned()),
        clusters: None,
        reader: Arc::new(Reader::new(&Plan::of(&spec))),
    }
}

/// Any free port of this machine.
pub(super) fn anywhere() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

pub(super) fn access(kubeconfig: &str) -> Access {
    Access::Kubeconfig(Arc::new(Kubeconfig::from_yaml(kubeconfig).unwrap()))
}

/// Writes an object that says which generation of the hub's it was made from.
pub(super) async fn write(server: &ApiServer, namespace: &str, name: &str, generation: i64) {
    let api: Api<ConfigMap> = Api::namespaced(Client::new(server.service(), "default"), namespace);
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name,
        "labels": { "watched": "" }, "annotations": { "allready.dev/hub-generation": generation.to_string() } } });
    api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&object)).await.unwrap();
}

pub(super) async fn delete(server: &ApiServer, name: &str) {
    let api: Api<ConfigMap> = Api::namespaced(Client::new(server.service(), "default"), "default");
    api.delete(name, &DeleteParams::default()).await.unwrap();
}

pub(super) fn objects(said: Option<&Said>) -> Vec<(&str, i64)> {
    said.into_iter()
        .flat_map(|said| &said.objects)
        .map(|(name, generation)| (name.as_str(), *generation))
        .collect()
}
