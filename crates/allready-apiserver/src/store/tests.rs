//! The store against a plain model of it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::status::Failure;

use super::{Draft, Event, Expect, Start, Store, Stored, Subscription, View, Window};

fn draft(name: &str, size: u64) -> Draft {
    Draft::new(
        &json!({ "kind": "Thing", "metadata": { "name": name, "uid": "u" }, "spec": { "size": size } }),
    )
}

fn view() -> View {
    View {
        namespace: None,
        name: None,
        matches: None,
        convert: None,
        api_version: "v1".into(),
        blank: json!({ "kind": "Thing", "metadata": {} }),
    }
}

fn from(version: u64) -> Start {
    Start { version: Some(version), ..Start::default() }
}

fn drain(watch: &mut Subscription) -> Vec<Event> {
    std::iter::from_fn(|| watch.at_hand()).collect()
}

fn follow(state: &mut BTreeMap<String, String>, events: &[Event]) -> u64 {
    let mut newest = 0;
    for event in events {
        let object: Value = serde_json::from_slice(&event.object).unwrap();
        let version: u64 = object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
        assert!(event.kind == "ADDED" || version > newest, "versions grow");
        newest = newest.max(version);
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        match event.kind {
            "DELETED" => assert!(state.remove(&name).is_some()),
            kind => {
                let before = state.insert(name, String::from_utf8(event.object.to_vec()).unwrap());
                assert_eq!(before.is_none(), kind == "ADDED");
            }
        }
    }
    newest
}

fn listed(store: &Store) -> BTreeMap<String, String> {
    let items = store.list("things", "", None).items.into_iter();
    items.map(|(key, stored)| (key.into(), String::from_utf8(stored.bytes.to_vec()).unwrap())).collect()
}

fn act(store: &Store, key: &str, action: u8, size: u64) {
    match (store.get("things", key), action) {
        (None, _) => drop(store.put("things", key, Expect::Absent, &draft(key, size)).unwrap()),
        (Some(live), 0) => drop(store.remove("things", key, live.version).unwrap()),
        (Some(live), _) => {
            store.put("things", key, Expect::Version(live.version), &draft(key, size)).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn a_watcher_that_starts_anywhere_ends_where_a_list_does(
        actions in prop::collection::vec((0..5_u8, 0..3_u8, any::<u64>()), 1..60),
        starts in prop::collection::vec(0..60_usize, 1..4),
    ) {
        let store = Store::default();
        store.open("things");
        let mut watches = Vec::new();
        for (index, (key, action, size)) in actions.iter().enumerate() {
            for start in &starts {
                if *start == index {
                    let revision = store.revision();
                    watches.push((store.subscribe("things", &from(revision), view()), listed(&store)));
                    watches.push((store.subscribe("things", &Start::default(), view()), BTreeMap::new()));
                }
            }
            act(&store, &format!("k{key}"), *action, *size);
            // Some read as they go, others at the end.
            if index % 3 == 0 && let Some((watch, state)) = watches.first_mut() {
                follow(state, &drain(watch));
            }
        }
        for (watch, state) in &mut watches {
            follow(state, &drain(watch));
            prop_assert_eq!(&*state, &listed(&store));
        }
    }

    #[test]
    fn a_list_at_an_earlier_version_is_what_the_list_was_then(
        actions in prop::collection::vec((0..5_u8, 0..3_u8, any::<u64>()), 1..40),
        at in 0..40_usize,
    ) {
        let store = Store::default();
        store.open("things");
        let mut then = None;
        for (index, (key, action, size)) in actions.iter().enumerate() {
            if index == at {
                then = Some((store.revision(), listed(&store)));
            }
            act(&store, &format!("k{key}"), *action, *size);
        }
        if let Some((version, then)) = then {
            let mut paged = Vec::new();
            let mut from = None;
            loop {
                let page = store.page_at("things", "", from.as_deref(), 2, version).unwrap();
                paged.extend(page.items);
                prop_assert_eq!(paged.len() + page.more, then.len());
                let Some(end) = page.end else { break };
                from = Some(format!("{end}\0"));
            }
            let page = store.page_at("things", "", None, usize::MAX, version).unwrap();
            let keys = |items: &[(Box<str>, Stored)]| items.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
            prop_assert_eq!(keys(&paged), keys(&page.items));
            let items = page.items.into_iter().map(|(key, stored)| (key.into(), String::from_utf8(stored.bytes.to_vec()).unwrap()));
            prop_assert_eq!(items.collect::<BTreeMap<String, String>>(), then);
            store.compact();
            if version < store.revision() {
                prop_assert!(store.page_at("things", "", None, usize::MAX, version).is_none());
            }
        }
    }
}

#[test]
fn writers_that_race_for_one_object_lose_nothing() {
    let store = Arc::new(Store::default());
    store.put("things", "one", Expect::Absent, &draft("one", 0)).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            std::thread::spawn(move || {
                for _ in 0..500 {
                    loop {
                        let live = store.get("things", "one").unwrap();
                        let size = live.value().unwrap()["spec"]["size"].as_u64().unwrap();
                        let next = draft("one", size + 1);
                        if store.put("things", "one", Expect::Version(live.version), &next).is_ok() {
                            break;
                        }
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(store.get("things", "one").unwrap().value().unwrap()["spec"]["size"], 2000);
    assert_eq!(store.revision(), 2002);
}

#[test]
fn a_write_against_another_version_changes_nothing() {
    let store = Store::default();
    let stored = store.put("things", "one", Expect::Absent, &draft("one", 0)).unwrap();
    assert!(store.put("things", "one", Expect::Absent, &draft("one", 1)).is_err());
    assert!(store.put("things", "one", Expect::Version(stored.version + 1), &draft("one", 1)).is_err());
    assert!(store.remove("things", "one", stored.version - 1).is_err());
    assert_eq!((store.revision(), store.len()), (stored.version, 1));
}

#[test]
fn a_watcher_that_falls_behind_the_window_ends_and_a_late_one_is_told_why() {
    let store = Store::new(Window { changes: 4, bytes: usize::MAX });
    store.open("things");
    let mut slow = store.subscribe("things", &from(1), view());
    for size in 0..10 {
        act(&store, "one", 1, size);
    }
    assert!(drain(&mut slow).is_empty());
    let mut late = store.subscribe("things", &from(2), view());
    let events = drain(&mut late);
    assert_eq!(events.len(), 1);
    let status: Value = serde_json::from_slice(&events[0].object).unwrap();
    assert_eq!((events[0].kind, &status["code"]), ("ERROR", &json!(410)));
    assert_eq!(status["message"], "too old resource version: 2 (7)");
    let mut just = store.subscribe("things", &from(7), view());
    assert_eq!(drain(&mut just).len(), 4);
}

#[test]
fn the_past_is_bounded_in_bytes() {
    let store = Store::new(Window { changes: usize::MAX, bytes: 10_000 });
    for size in 0..1000 {
        act(&store, "one", 1, size);
    }
    let kept: usize = store.read().places.values().map(|place| place.log.bytes()).sum();
    assert!(kept <= 10_000 && kept > 9_000, "{kept}");
    assert_eq!(store.read().past, kept);
}

#[test]
fn watchers_of_one_kind_share_one_line() {
    let store = Store::default();
    store.open("things");
    let mut first = store.subscribe("things", &from(1), view());
    let mut second = store.subscribe("things", &from(1), view());
    act(&store, "one", 1, 1);
    let lines = [drain(&mut first)[0].line(), drain(&mut second)[0].line()];
    assert_eq!(lines[0].as_ptr(), lines[1].as_ptr());
    assert!(lines[0].starts_with(b"{\"type\":\"ADDED\",\"object\":{") && lines[0].ends_with(b"}}\n"));
}

#[test]
fn watchers_that_begin_together_share_what_was_there() {
    let store = Store::default();
    act(&store, "one", 1, 1);
    let mut watches: Vec<_> = (0..3).map(|_| store.subscribe("things", &Start::default(), view())).collect();
    act(&store, "one", 1, 2);
    act(&store, "two", 1, 1);
    watches.push(store.subscribe("things", &Start::default(), view()));
    let seen: Vec<Vec<Event>> = watches.iter_mut().map(drain).collect();
    let first = |index: usize| seen[index][0].object.clone();
    assert_eq!([first(0).as_ptr(), first(1).as_ptr()], [first(2).as_ptr(); 2]);
    assert!(String::from_utf8_lossy(&first(0)).contains("\"size\":1"), "as it was when they began");
    assert!(String::from_utf8_lossy(&first(3)).contains("\"size\":2"), "as it was when the last one began");
    assert_eq!(seen.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3, 2]);
}

#[test]
fn a_watch_of_what_cannot_be_read_says_so_and_ends() {
    let store = Store::default();
    act(&store, "one", 1, 1);
    let broken = || View {
        convert: Some(Arc::new(|_: &Bytes, _| Err(Failure::internal("a stored object cannot be read")))),
        ..view()
    };
    let mut initial = store.subscribe("things", &Start::default(), broken());
    let mut later = store.subscribe("things", &from(store.revision()), broken());
    act(&store, "one", 1, 2);
    act(&store, "one", 1, 3);
    for watch in [&mut initial, &mut later] {
        let events = drain(watch);
        assert_eq!(events.iter().map(|event| event.kind).collect::<Vec<_>>(), ["ERROR"]);
        let status: Value = serde_json::from_slice(&events[0].object).unwrap();
        assert_eq!((&status["reason"], &status["code"]), (&json!("InternalError"), &json!(500)));
    }
}

#[test]
fn a_deletion_shows_the_last_state_under_the_version_of_the_deletion() {
    let store = Store::default();
    act(&store, "one", 1, 7);
    let version = store.revision();
    let mut watch = store.subscribe("things", &from(version), view());
    act(&store, "one", 0, 0);
    let event = &drain(&mut watch)[0];
    let object: Value = serde_json::from_slice(&event.object).unwrap();
    assert_eq!((event.kind, &object["spec"]["size"]), ("DELETED", &json!(7)));
    assert_eq!(object["metadata"]["resourceVersion"], (version + 1).to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_watchers_share_the_line_of_one_event() {
    let store = Arc::new(Store::default());
    store.open("things");
    let mut tasks = Vec::new();
    for _ in 0..1000 {
        let mut watch = store.subscribe("things", &from(1), view());
        tasks.push(tokio::spawn(async move { watch.next().await.unwrap().line() }));
    }
    act(&store, "one", 1, 1);
    let mut lines = BTreeMap::new();
    for task in tasks {
        let line = task.await.unwrap();
        *lines.entry(line.as_ptr()).or_insert(0) += 1;
    }
    // Those who come first may each encode it before the first has put it there for the others.
    assert!(lines.len() < 10, "{} copies of one line", lines.len());
}

#[tokio::test]
async fn a_restart_ends_every_watch_and_without_data_makes_every_version_too_old() {
    let store = Store::default();
    act(&store, "one", 1, 1);
    let mut watch = store.subscribe("things", &from(2), view());
    store.restart(true);
    assert!(watch.next().await.is_none());
    assert_eq!((store.len(), store.revision()), (1, 2));
    let mut watch = store.subscribe("things", &from(2), view());
    store.restart(false);
    assert!(watch.next().await.is_none());
    assert_eq!((store.len(), store.revision()), (0, 3));
    let late = store.subscribe("things", &from(2), view()).next().await.unwrap();
    assert_eq!(late.kind, "ERROR");
}

#[tokio::test]
async fn a_streaming_list_ends_with_a_marked_bookmark_and_then_goes_on() {
    let store = Store::default();
    act(&store, "one", 1, 1);
    act(&store, "two", 1, 1);
    let start = Start { initial: Some(true), bookmarks: true, ..Start::default() };
    let mut watch = store.subscribe("things", &start, view());
    act(&store, "three", 1, 1);
    let mut kinds = Vec::new();
    for _ in 0..4 {
        let event = watch.next().await.unwrap();
        let object: Value = serde_json::from_slice(&event.object).unwrap();
        kinds.push((event.kind, object["metadata"]["resourceVersion"].as_str().unwrap().to_owned()));
        if event.kind == "BOOKMARK" {
            assert_eq!(object["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
        }
    }
    let wanted = [("ADDED", "2"), ("ADDED", "3"), ("BOOKMARK", "3"), ("ADDED", "4")];
    assert_eq!(kinds, wanted.map(|(kind, version)| (kind, version.to_owned())));
}

#[tokio::test]
async fn a_watch_ends_when_its_time_is_over_with_a_bookmark_two_seconds_before() {
    let store = Store::default();
    act(&store, "one", 1, 1);
    let timeout = Some(Duration::from_millis(2050));
    let start = Start { version: Some(2), bookmarks: true, timeout, ..Start::default() };
    let mut watch = store.subscribe("things", &start, view());
    store.put("others", "x", Expect::Absent, &draft("x", 1)).unwrap();
    let event = watch.next().await.unwrap();
    let object: Value = serde_json::from_slice(&event.object).unwrap();
    assert_eq!((event.kind, object["metadata"]["resourceVersion"].as_str()), ("BOOKMARK", Some("3")));
    assert!(watch.next().await.is_none());
}
