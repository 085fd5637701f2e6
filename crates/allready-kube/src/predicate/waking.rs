//! A filter that lets deletions through.

use std::collections::HashMap;

use futures::{Stream, StreamExt, future};
use kube::{Resource, runtime::Predicate, runtime::watcher};

/// The objects of a watch that are worth waking for: those for which the predicate says something else than before, and those
/// that are gone, always.
///
/// kube's `predicate_filter` sees objects and not what happened to them: it swallows the end of an object whose last state
/// was seen before. This sees the watch itself. Put a reflector before it, if there is one: what does not wake does not come
/// through.
///
/// An object that goes while the watch is interrupted is not told, as with every watch: finalizers are for those who must
/// not miss it.
///
/// ```no_run
/// use allready_kube::predicate::{ConditionChanges, waking};
/// use k8s_openapi::api::core::v1::Node;
/// use kube::{Api, runtime::{WatchStreamExt, reflector, watcher}};
///
/// # fn start(client: kube::Client) {
/// let (reader, writer) = reflector::store();
/// let events = watcher(Api::<Node>::all(client), watcher::Config::default()).reflect(writer);
/// let nodes = waking(events, ConditionChanges::new());
/// # let _: (reflector::Store<Node>, _) = (reader, nodes);
/// # }
/// ```
pub fn waking<K: Resource>(
    events: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
    predicate: impl Predicate<K>,
) -> impl Stream<Item = watcher::Result<K>> {
    let mut memory = Memory::default();
    events.filter_map(move |event| {
        let woken = match event {
            Ok(event) => memory.wakes(event, |object| predicate.hash_property(object)).map(Ok),
            Err(error) => Some(Err(error)),
        };
        future::ready(woken)
    })
}

/// What was said about each object last, by uid.
#[derive(Default)]
struct Memory {
    said: HashMap<String, u64>,
    /// What has been said since a list began: it replaces what was said before.
    listed: Option<HashMap<String, u64>>,
}

impl Memory {
    fn wakes<K: Resource>(
        &mut self,
        event: watcher::Event<K>,
        hash: impl Fn(&K) -> Option<u64>,
    ) -> Option<K> {
        match event {
            watcher::Event::Init => {
                self.listed = Some(HashMap::new());
                None
            }
            watcher::Event::InitApply(object) => {
                let (key, hash) = (key(&object), hash(&object));
                if let (Some(listed), Some(hash)) = (&mut self.listed, hash) {
                    listed.insert(key.clone(), hash);
                }
                (hash.is_none() || self.said.get(&key).copied() != hash).then_some(object)
            }
            watcher::Event::InitDone => {
                self.said = self.listed.take().unwrap_or_default();
                None
            }
            watcher::Event::Apply(object) => {
                let hash = hash(&object);
                let before = match hash {
                    Some(hash) => self.said.insert(key(&object), hash),
                    None => None,
                };
                (hash.is_none() || before != hash).then_some(object)
            }
            watcher::Event::Delete(object) => {
                self.said.remove(&key(&object));
                Some(object)
            }
        }
    }
}

fn key<K: Resource>(object: &K) -> String {
    let meta = object.meta();
    match &meta.uid {
        Some(uid) => uid.clone(),
        None => format!(
            "{}/{}",
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default()
        ),
    }
}
