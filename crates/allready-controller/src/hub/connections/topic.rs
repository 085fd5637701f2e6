//! One topic in one cluster: its watches, and what they show.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_kube::{
    backoff::Backoff,
    list_watch::{self, WatchError},
};
use futures::{FutureExt, StreamExt, stream};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject},
    discovery::{ApiCapabilities, Scope},
    runtime::watcher,
};
use serde_json::Value;
use tokio::{task::coop::consume_budget, time::sleep};

use super::{
    Topic,
    queue::WatchId,
    sender::UpdateSender,
    topic_store::{TooMany, TopicStore},
};
use crate::{hub::ObjectName, words::cut};

/// How long to wait after a failure of our own.
const AGAIN: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_mins(1) };
/// How many objects are asked for at a time.
const PAGE: u32 = 100;
/// How long to wait before looking whether there are fewer objects now.
const FEWER: Duration = Duration::from_mins(1);

/// Watches a topic until the future is dropped.
pub(super) async fn watch(
    client: Client,
    topic: Topic,
    watch_id: WatchId,
    sender: UpdateSender,
    store: Arc<Mutex<TopicStore>>,
) {
    let watch = TopicWatch { client, topic, watch_id, sender, store };
    let mut failures = 0;
    loop {
        let ended = AssertUnwindSafe(watch.run()).catch_unwind().await;
        let (why, pause) = if let Ok(too_many) = ended {
            (too_many.to_string(), FEWER.mul_f64(0.5 + fastrand::f64()))
        } else {
            failures += 1;
            let why = "the controller failed on an object, and begins again";
            (why.to_owned(), AGAIN.delay(failures - 1, fastrand::f64()))
        };
        tracing::warn!(cluster = %watch.sender.connection.cluster, topic = %watch.watch_id.topic.0, why, "a topic cannot be watched");
        watch.sender.topic(&watch.watch_id, Err(why.into()));
        sleep(pause).await;
    }
}

struct TopicWatch {
    client: Client,
    topic: Topic,
    watch_id: WatchId,
    sender: UpdateSender,
    store: Arc<Mutex<TopicStore>>,
}

impl TopicWatch {
    async fn run(&self) -> TooMany {
        let (resource, capabilities) = self.find().await;
        let scopes = scopes(&self.topic, &capabilities);
        if self.store().begin(scopes.iter().cloned()) {
            // What it said before is old until all of it has been seen again.
            self.sender.topic(&self.watch_id, Err("its objects are being listed again".into()));
        }
        let watches = scopes.into_iter().map(|scope| {
            let events = list_watch::list_watch_opened(self.api(&resource, &scope), self.only());
            events.map(move |event| (scope.clone(), event)).boxed()
        });
        let mut events = stream::select_all(watches);
        while let Some((scope, event)) = events.next().await {
            if let Err(too_many) = self.see(&scope, event).await {
                return too_many;
            }
            // Who sends without end lets others have their turn.
            consume_budget().await;
        }
        // There is at least one watch, and none of them ends.
        std::future::pending().await
    }

    /// What the kind is called in requests, as soon as it is served.
    async fn find(&self) -> (ApiResource, ApiCapabilities) {
        let Topic { api_version, kind, .. } = &self.topic;
        let found = list_watch::discover(self.client.clone(), api_version.clone(), kind.clone());
        let mut found = std::pin::pin!(found);
        while let Some(found) = found.next().await {
            match found {
                Ok(found) => return found,
                Err(why) => self.sender.topic(&self.watch_id, Err(cut(&why))),
            }
        }
        // It ends with an answer.
        std::future::pending().await
    }

    fn api(&self, resource: &ApiResource, scope: &str) -> Api<DynamicObject> {
        if scope.is_empty() {
            Api::all_with(self.client.clone(), resource)
        } else {
            Api::namespaced_with(self.client.clone(), scope, resource)
        }
    }

    fn only(&self) -> watcher::Config {
        // What a page may come to is bounded, so it has few objects.
        let only = watcher::Config::default().page_size(PAGE);
        match &self.topic.selector {
            Some(selector) => only.labels(selector),
            None => only,
        }
    }

    async fn see(
        &self,
        scope: &str,
        event: Result<Option<watcher::Event<DynamicObject>>, WatchError>,
    ) -> Result<(), TooMany> {
        // That a list begins is said before anything is asked.
        if !matches!(event, Ok(None | Some(watcher::Event::Init)) | Err(_)) {
            self.sender.answered();
        }
        match event {
            Ok(None) => self.sender.opened(),
            Ok(Some(watcher::Event::Init)) => self.store().listing(scope),
            Ok(Some(watcher::Event::InitApply(object) | watcher::Event::Apply(object))) => {
                let (name, instance) = self.topic.reader.read(&whole(object));
                if self.store().there(scope, &name, instance.bytes())? {
                    self.sender.object(&self.watch_id, &name, Some(Box::new(instance))).await;
                }
            }
            Ok(Some(watcher::Event::Delete(object))) => {
                let name = ObjectName::new(&object.namespace().unwrap_or_default(), &object.name_any());
                if self.store().knows(&name) {
                    self.delete(&name).await;
                }
            }
            Ok(Some(watcher::Event::InitDone)) => {
                let gone = self.store().unlisted(scope);
                for name in gone {
                    self.delete(&name).await;
                }
                self.store().listed(scope)?;
                self.send_state();
            }
            Err(why) => {
                self.store().failed(scope, cut(&why.to_string()));
                self.send_state();
            }
        }
        Ok(())
    }

    async fn delete(&self, name: &ObjectName) {
        self.sender.object(&self.watch_id, name, None).await;
        self.store().forget(name);
    }

    fn send_state(&self) {
        let state = self.store().state();
        if let Some(state) = state {
            self.sender.topic(&self.watch_id, state);
        }
    }

    fn store(&self) -> MutexGuard<'_, TopicStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where to watch: in each namespace that is named, or everywhere.
fn scopes(topic: &Topic, capabilities: &ApiCapabilities) -> Vec<Arc<str>> {
    let mut scopes: Vec<Arc<str>> = match capabilities.scope {
        Scope::Namespaced => topic.namespaces.iter().map(|name| name.as_str().into()).collect(),
        Scope::Cluster => Vec::new(),
    };
    scopes.sort();
    scopes.dedup();
    if scopes.is_empty() {
        scopes.push("".into());
    }
    scopes
}

/// All of an object but the record of who wrote what, which is most of its bytes.
fn whole(mut object: DynamicObject) -> Value {
    object.managed_fields_mut().clear();
    serde_json::to_value(&object).unwrap_or_default()
}
