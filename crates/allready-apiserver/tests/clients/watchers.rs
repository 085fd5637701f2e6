//! kube-runtime's watchers and reflectors over compaction, restarts and streamed lists.

use std::{collections::BTreeSet, pin::pin};

use allready_apiserver::{ApiServer, server::Keep};
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    ResourceExt as _,
    api::PostParams,
    runtime::{
        WatchStreamExt as _, reflector,
        watcher::{self, Event, InitialListStrategy},
    },
};
use serde_json::json;

use super::{client, listening, make, maps, soon};

type Watched = watcher::Result<Event<ConfigMap>>;

/// What a watcher knows after the next complete list; errors on the way are its own business.
async fn listed(events: &mut (impl Stream<Item = Watched> + Unpin)) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    loop {
        match soon(events.next()).await.expect("a watcher never ends") {
            Ok(Event::Init) => found.clear(),
            Ok(Event::InitApply(object)) => {
                found.insert(object.name_any());
            }
            Ok(Event::InitDone) => return found,
            Ok(Event::Apply(_) | Event::Delete(_)) | Err(_) => {}
        }
    }
}

async fn next_applied(events: &mut (impl Stream<Item = Watched> + Unpin)) -> String {
    loop {
        if let Ok(Event::Apply(object)) = soon(events.next()).await.expect("a watcher never ends") {
            return object.name_any();
        }
    }
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn a_watcher_goes_on_where_its_watch_ended() {
    let server = ApiServer::new();
    let client = client(&server);
    make(&client, "default", "a", json!({})).await;
    let mut events = pin!(watcher::watcher(maps(&client, "default"), watcher::Config::default()));
    assert_eq!(listed(&mut events).await, set(&["a"]));
    make(&client, "default", "b", json!({})).await;
    assert_eq!(next_applied(&mut events).await, "b");
    server.close_watches();
    make(&client, "default", "c", json!({})).await;
    assert_eq!(next_applied(&mut events).await, "c", "without a new list");
}

#[tokio::test]
async fn a_watcher_that_is_too_late_lists_again() {
    let server = ApiServer::new();
    let client = client(&server);
    make(&client, "default", "a", json!({})).await;
    let config = watcher::Config::default();
    let mut events = pin!(watcher::watcher(maps(&client, "default"), config).default_backoff());
    assert_eq!(listed(&mut events).await, set(&["a"]));
    make(&client, "default", "b", json!({})).await;
    assert_eq!(next_applied(&mut events).await, "b");
    // It misses what happens while its watch is closed, and that is forgotten.
    server.close_watches();
    make(&client, "default", "c", json!({})).await;
    make(&client, "default", "d", json!({})).await;
    server.compact();
    assert_eq!(listed(&mut events).await, set(&["a", "b", "c", "d"]));
}

#[tokio::test]
async fn a_streamed_list_is_complete_and_goes_on() {
    let client = client(&ApiServer::new());
    for name in ["a", "b", "c"] {
        make(&client, "default", name, json!({})).await;
    }
    let config =
        watcher::Config { initial_list_strategy: InitialListStrategy::StreamingList, ..Default::default() };
    let mut events = pin!(watcher::watcher(maps(&client, "default"), config));
    assert_eq!(listed(&mut events).await, set(&["a", "b", "c"]));
    make(&client, "default", "d", json!({})).await;
    assert_eq!(next_applied(&mut events).await, "d");
}

#[tokio::test]
async fn a_reflector_has_what_is_there_after_a_restart() {
    for (keep, streamed) in
        [(Keep::Data, false), (Keep::Data, true), (Keep::Nothing, false), (Keep::Nothing, true)]
    {
        let server = ApiServer::new();
        let (client, _listening) = listening(&server).await;
        make(&client, "default", "before", json!({})).await;
        let initial_list_strategy =
            if streamed { InitialListStrategy::StreamingList } else { InitialListStrategy::ListWatch };
        let config = watcher::Config { initial_list_strategy, ..Default::default() };
        let (store, writer) = reflector::store();
        let events = watcher::watcher(maps(&client, "default"), config).default_backoff();
        let mut events = pin!(reflector::reflector(writer, events));
        assert_eq!(listed(&mut events).await, set(&["before"]));

        server.restart(keep);
        let after = async {
            // The connection that was cut may be noticed only by the next request.
            while maps(&client, "default")
                .create(&PostParams::default(), &super::map("after", &json!({})))
                .await
                .is_err()
            {}
        };
        soon(after).await;
        let wanted = if keep == Keep::Data { set(&["after", "before"]) } else { set(&["after"]) };
        let known =
            || store.state().iter().map(|object| object.name_any()).collect::<BTreeSet<_>>() == wanted;
        while !known() {
            let _ = soon(events.next()).await;
        }
        make(&client, "default", "later", json!({})).await;
        assert_eq!(next_applied(&mut events).await, "later", "{keep:?} {streamed}");
    }
}
