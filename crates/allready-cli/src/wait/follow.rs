//! Watching the objects that are waited for.

use std::{
    collections::{BTreeMap, HashMap},
    pin::pin,
    time::Duration,
};

use allready_kube::{
    list_watch::{Store, WatchError, WatchEvent, list_watch_opened},
    resources::Resource,
};
use futures::StreamExt as _;
use kube::{
    Client, ResourceExt as _,
    api::DynamicObject,
    runtime::watcher::{self, Event},
};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet};

use super::gather::Awaited;

/// Up to so many objects of a kind in a namespace are watched by name; of more, all are, and the others left out.
const BY_NAME: usize = 8;

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
    pub(super) error: WatchError,
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
    let mut only = watcher::Config::default();
    if let (1, Some(name)) = (group.members.len(), group.members.keys().next()) {
        only = only.fields(&format!("metadata.name={name}"));
    }
    let mut store = Store::new(Duration::ZERO);
    let mut is_failing = false;
    let mut events = pin!(list_watch_opened(api, only));
    while let Some(event) = events.next().await {
        let heard = match event {
            Ok(Some(event)) => group.hear(event, &mut store),
            // Only a watch that is open shows that nothing is in the way any more.
            Ok(None) if std::mem::take(&mut is_failing) => vec![Heard::Well],
            Ok(None) => Vec::new(),
            Err(error) => {
                is_failing = true;
                store.apply(WatchEvent::Failed(error.to_string().into()), Duration::ZERO);
                let (resource, namespace) = (group.resource.clone(), group.namespace.clone());
                vec![Heard::Trouble(Box::new(Trouble { resource, namespace, error }))]
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
    /// What an event says of the objects that are waited for. The store knows which of them there are.
    fn hear(&self, event: Event<DynamicObject>, store: &mut Store<String, ()>) -> Vec<Heard> {
        let mut apply = |event| store.apply(event, Duration::ZERO);
        match event {
            Event::Init => {
                apply(WatchEvent::Init);
                Vec::new()
            }
            Event::InitApply(object) | Event::Apply(object) => {
                let name = object.name_any();
                let Some(&number) = self.members.get(&name) else { return Vec::new() };
                apply(WatchEvent::Apply(name, ()));
                vec![Heard::Object(number, Some(Box::new(self.whole(object))))]
            }
            Event::Delete(object) => {
                let gone = apply(WatchEvent::Delete(object.name_any()));
                let numbers = gone.iter().filter_map(|name| self.members.get(name));
                numbers.map(|number| Heard::Object(*number, None)).collect()
            }
            Event::InitDone => {
                apply(WatchEvent::InitDone);
                let absent = self.members.iter().filter(|(name, _)| store.get(*name).is_none());
                absent.map(|(_, number)| Heard::Object(*number, None)).collect()
            }
        }
    }

    /// An object with its kind, which the entries of a list do not have.
    fn whole(&self, object: DynamicObject) -> Value {
        let mut value = serde_json::to_value(object).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.entry("apiVersion").or_insert_with(|| self.resource.api_version().into());
            fields.entry("kind").or_insert_with(|| self.resource.kind.as_str().into());
        }
        value
    }
}
