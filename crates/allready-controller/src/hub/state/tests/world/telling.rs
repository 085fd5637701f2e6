//! What the hub is told, and when.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::store::{Store, What},
    Connection, MS, Watch, World,
};
use crate::hub::{
    ClusterName, ClusterUpdate, HubEvent, Leftover, ObjectEvent,
    inventory::{Access, Cluster, Inventory},
};

impl World {
    pub(super) fn tell_inventory(&mut self) {
        let joined: BTreeMap<_, _> = self
            .spokes
            .iter()
            .filter(|(_, spoke)| spoke.is_joined)
            .map(|(name, spoke)| (name.clone(), spoke.access))
            .collect();
        let why = || "the Secrets cannot be listed".to_owned();
        let news = self.has_inventory.then_some(joined).ok_or_else(why);
        if self.inventory.as_ref() == Some(&news) {
            return;
        }
        let event = match &news {
            Err(why) => Err(why.clone()),
            Ok(joined) => {
                self.told = Some(joined.keys().cloned().collect());
                let clusters = joined.iter().map(|(name, access)| {
                    let access = Access::Unusable(access.to_string().into());
                    let source = format!("Secret allready-system/{name}").into();
                    (name.clone(), Cluster { labels: BTreeMap::new(), source, access })
                });
                Ok(Inventory { clusters: clusters.collect(), problems: Vec::new() })
            }
        };
        self.inventory = Some(news);
        self.see(HubEvent::Inventory(event));
    }

    /// As the spokes do: whoever leaves is forgotten, and whose access changes is connected to anew.
    pub(super) fn connect(&mut self) {
        let clusters: BTreeMap<ClusterName, u64> = self
            .hub()
            .clusters()
            .iter()
            .map(|(name, cluster)| {
                let Access::Unusable(access) = &cluster.access else { panic!("no other is made") };
                (name.clone(), access.parse().unwrap())
            })
            .collect();
        self.connections.retain(|name, _| clusters.contains_key(name));
        let mut opened = BTreeMap::new();
        for (name, access) in clusters {
            if self.connections.get(&name).is_none_or(|connection| connection.access != access) {
                self.epochs += 1;
                let connection = Connection { epoch: self.epochs, access, ..Connection::default() };
                self.connections.insert(name.clone(), connection);
                opened.insert(name, self.epochs);
            }
        }
        if !opened.is_empty() {
            self.see(HubEvent::Connected(opened));
        }
    }

    pub(super) fn tell_words(&mut self) {
        let topics = self.hub().topics();
        let every = self.hub().ask_every();
        let mut words = Vec::new();
        for (name, connection) in &mut self.connections {
            let spoke = &self.spokes[name];
            let mut word = ClusterUpdate {
                cluster: name.clone(),
                epoch: connection.epoch,
                objects: Vec::new(),
                topics: BTreeMap::new(),
                link: None,
            };
            connection.topics.retain(|id, _| topics.contains_key(id));
            if connection.asked.is_none_or(|asked| self.now >= asked + every) {
                connection.asked = Some(self.now);
                word.link = Some(if spoke.is_up { Ok(MS(3)) } else { Err(spoke.trouble.clone()) });
            }
            for (id, topic) in topics
                .iter()
                .filter(|(_, topic)| topic.clusters.as_ref().is_none_or(|chosen| chosen.contains(name)))
            {
                let (sent, said) = connection.topics.entry(id.clone()).or_default();
                if !spoke.is_up {
                    continue;
                }
                if !spoke.is_readable {
                    if said.replace(false) != Some(false) {
                        word.topics.insert(id.clone(), Err("forbidden".into()));
                    }
                    continue;
                }
                let what = What::of_kind(&topic.kind);
                let there = spoke.objects.iter().filter(|((kind, _), _)| *kind == what);
                let there: BTreeMap<_, _> =
                    there.map(|((_, name), object)| (name.clone(), object.clone())).collect();
                let is_partial = !spoke.is_whole && said.is_none();
                for (name, object) in there.iter().take(if is_partial { 1 } else { usize::MAX }) {
                    if sent.get(name) != Some(object) {
                        let instance = topic.reader.read(object).1;
                        word.objects.push((id.clone(), name.clone(), Some(Box::new(instance))));
                        sent.insert(name.clone(), object.clone());
                    }
                }
                if is_partial {
                    continue;
                }
                for name in sent.keys().filter(|name| !there.contains_key(*name)) {
                    word.objects.push((id.clone(), name.clone(), None));
                }
                *sent = there;
                if said.replace(true) != Some(true) {
                    word.topics.insert(id.clone(), Ok(()));
                }
            }
            if word.link.is_some() || !word.objects.is_empty() || !word.topics.is_empty() {
                words.push(word);
            }
        }
        self.see(HubEvent::Clusters(words));
    }

    pub(super) fn tell_changes(&mut self) {
        let topics = self.hub().topics();
        self.watches.retain(|id, _| id.as_ref().is_some_and(|id| topics.contains_key(id)));
        for (id, topic) in topics {
            let what = What::of_kind(&topic.kind);
            let watch = || Watch { what, at: 0, is_listed: false };
            self.watches.entry(Some(id)).or_insert_with(watch);
        }
        let mut events = Vec::new();
        for (id, watch) in &mut self.watches {
            let id = id.clone().unwrap();
            let changes = watch.changes(&self.store, &self.failing);
            events.extend(changes.into_iter().map(|change| HubEvent::Objects(id.clone(), change)));
        }
        if self.has_decisions && self.hub().wants_decisions() {
            let watch = || Watch { what: What::Decision, at: 0, is_listed: false };
            self.fixed.entry(What::Decision).or_insert_with(watch);
        }
        for (what, watch) in &mut self.fixed {
            let event = match what {
                What::Aggregation => HubEvent::Aggregations,
                What::InstanceStatus => HubEvent::InstanceStatuses,
                What::Decision => HubEvent::Decisions,
                What::ClusterStatus => HubEvent::ClusterStatuses,
                What::Lease => HubEvent::Leases,

                _ => HubEvent::Endpoints,
            };
            events.extend(watch.changes(&self.store, &self.failing).into_iter().map(event));
        }
        for event in events {
            self.see(event);
        }
    }

    /// Whoever follows looks at the number alone, and so must not miss anything.
    pub(super) fn look_at_turn(&mut self) {
        let topics = self.hub().topics();
        let topics: Vec<_> = topics.iter().map(|(id, topic)| (id, &topic.clusters)).collect();
        let clusters: Vec<_> =
            self.hub().clusters().iter().map(|(name, cluster)| (name, &cluster.access)).collect();
        let now = (self.hub().turn(), format!("{topics:?} {clusters:?}"));
        if let Some(before) = &self.followed {
            assert!(now.1 == before.1 || now.0 != before.0, "{now:?} after {before:?}");
        }
        self.followed = Some(now);
    }

    /// As the search of a controller that begins: once, and only if the objects can be listed.
    pub(super) fn tell_leftovers(&mut self) {
        if self.is_searched || self.failing.contains(&What::Gateway) {
            return;
        }
        self.is_searched = true;
        let found = self.hub_objects().flat_map(|(_, _, object)| {
            let text = |field: &str| object[field].as_str().unwrap_or_default();
            let metadata = serde_json::from_value(object["metadata"].clone()).unwrap();
            Leftover::of(text("apiVersion"), text("kind"), &metadata)
        });
        let found = found.collect();
        self.see(HubEvent::Leftovers(found));
    }
}

impl Watch {
    pub(super) fn changes(&mut self, store: &Store, failing: &BTreeSet<What>) -> Vec<ObjectEvent> {
        if failing.contains(&self.what) {
            self.is_listed = false;
            return vec![ObjectEvent::Failed("the API server does not answer".into())];
        }
        let at = std::mem::replace(&mut self.at, store.log.len());
        if std::mem::replace(&mut self.is_listed, true) {
            let news = store.log[at..].iter().filter(|(what, _)| *what == self.what);
            return news.map(|(_, event)| event.clone()).collect();
        }
        let there = store.objects.iter().filter(|((what, _), _)| *what == self.what);
        let there =
            there.map(|((_, name), object)| ObjectEvent::Apply(name.clone(), Box::new(object.clone())));
        [ObjectEvent::Init].into_iter().chain(there).chain([ObjectEvent::InitDone]).collect()
    }
}
