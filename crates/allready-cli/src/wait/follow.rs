//! Watching the objects that are waited for.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    pin::pin,
    time::Duration,
};

use allready_kube::{backoff::Backoff, resources::Resource};
use futures::StreamExt as _;
use kube::{
    Client, ResourceExt as _,
    api::DynamicObject,
    runtime::watcher::{self, Event, watcher},
};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet};

use super::gather::Awaited;
use crate::cluster::broken;

/// Up to so many objects of a kind in a namespace are watched by name; of more, all are, and the others left out.
const BY_NAME: usize = 8;
/// A watch ends before a client takes a silent server for a dead one.
const WATCH_SECONDS: u32 = 25;
/// Waiting is what people look at: the server is asked again soon.
pub(super) const BACKOFF: Backoff = Backoff { min: Duration::from_millis(200), max: Duration::from_secs(5) };

/// What is heard.
#[derive(Debug)]
pub(super) enum Heard {
    /// Of the object with this number.
    Object(usize, Option<Box<Value>>),
    /// A watch failed, and is begun again after a while.
    Trouble(Box<Trouble>),
    /// A watch that had failed works.
    Well,
}

/// A watch that failed.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) resource: Resource,
    pub(super) namespace: Option<String>,
    pub(super) error: kube::Error,
}

/// Objects that one watch is for.
struct Group {
    resource: Resource,
    namespace: Option<String>,
    /// The numbers of the objects by their names.
    members: HashMap<String, usize>,
}

/// Watches all of them for as long as the set of tasks is kept.
pub(super) fn follow(client: &Client, objects: &[Awaited]) -> (mpsc::Receiver<Heard>, JoinSet<()>) {
    let (tell, heard) = mpsc::channel(64);
    let mut tasks = JoinSet::new();
    for group in groups(objects) {
        tasks.spawn(watch(client.clone(), group, tell.clone()));
    }
    (heard, tasks)
}

fn groups(objects: &[Awaited]) -> Vec<Group> {
    let mut together: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (number, object) in objects.iter().enumerate() {
        together.entry((object.resource.full_name(), &object.namespace)).or_default().push(number);
    }
    let split = together.into_values().flat_map(|numbers| {
        if numbers.len() > BY_NAME {
            vec![numbers]
        } else {
            numbers.into_iter().map(|number| vec![number]).collect()
        }
    });
    let group = |numbers: Vec<usize>| {
        let first = objects.get(*numbers.first()?)?;
        let members = numbers.iter().filter_map(|&number| Some((objects.get(number)?.name.clone(), number)));
        Some(Group {
            resource: first.resource.clone(),
            namespace: first.namespace.clone(),
            members: members.collect(),
        })
    };
    split.filter_map(group).collect()
}

async fn watch(client: Client, group: Group, tell: mpsc::Sender<Heard>) {
    let api = group.resource.api(client, group.namespace.as_deref());
    let mut config = watcher::Config::default().timeout(WATCH_SECONDS);
    if let (1, Some(name)) = (group.members.len(), group.members.keys().next()) {
        config = config.fields(&format!("metadata.name={name}"));
    }
    let (mut listed, mut failures) = (HashSet::new(), 0_u32);
    let mut events = pin!(watcher(api, config));
    while let Some(event) = events.next().await {
        if event.is_ok() && std::mem::take(&mut failures) > 0 && tell.send(Heard::Well).await.is_err() {
            return;
        }
        let heard = match event {
            Ok(Event::Init) => {
                listed.clear();
                Vec::new()
            }
            Ok(Event::InitApply(object)) => {
                listed.insert(object.name_any());
                group.seen(object)
            }
            Ok(Event::InitDone) => {
                let absent = group.members.iter().filter(|(name, _)| !listed.contains(*name));
                absent.map(|(_, number)| Heard::Object(*number, None)).collect()
            }
            Ok(Event::Apply(object)) => group.seen(object),
            Ok(Event::Delete(object)) => {
                let number = group.members.get(&object.name_any());
                number.map(|number| Heard::Object(*number, None)).into_iter().collect()
            }
            Err(error) => {
                tokio::time::sleep(BACKOFF.delay(failures, 1.0)).await;
                failures = failures.saturating_add(1);
                group.trouble(error).into_iter().collect()
            }
        };
        for heard in heard {
            if tell.send(heard).await.is_err() {
                return;
            }
        }
    }
}

impl Group {
    fn seen(&self, object: DynamicObject) -> Vec<Heard> {
        let Some(&number) = self.members.get(&object.name_any()) else { return Vec::new() };
        let mut value = serde_json::to_value(object).unwrap_or_default();
        // What is watched one by one says what it is, what comes in lists does not.
        if let Value::Object(fields) = &mut value {
            fields.entry("apiVersion").or_insert_with(|| self.resource.api_version().into());
            fields.entry("kind").or_insert_with(|| self.resource.kind.as_str().into());
        }
        vec![Heard::Object(number, Some(Box::new(value)))]
    }

    fn trouble(&self, error: watcher::Error) -> Option<Heard> {
        let error = broken(error)?;
        let (resource, namespace) = (self.resource.clone(), self.namespace.clone());
        Some(Heard::Trouble(Box::new(Trouble { resource, namespace, error })))
    }
}
