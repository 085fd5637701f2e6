use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    api::{DeleteParams, Patch, PatchParams},
    runtime::watcher,
};
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::refusal::Refusal;

#[test]
fn a_refusal_is_told_in_words() {
    let error = |code: u16, message: &str| {
        let status = serde_json::json!({ "status": "Failure", "code": code, "message": message });
        let status: kube::core::Status = serde_json::from_value(status).unwrap();
        kube::Error::Api(status.boxed())
    };
    let words_of = |error| WatchError::Request(error).to_string();
    assert_eq!(words_of(error(404, "404 page not found")), "the API server does not serve this kind");
    assert_eq!(words_of(error(403, "nodes is forbidden")), "nodes is forbidden");
}

struct Stage {
    server: ApiServer,
    api: Api<ConfigMap>,
}

impl Stage {
    fn new() -> Self {
        let server = ApiServer::new();
        let api = Api::namespaced(Client::new(server.service(), "default"), "default");
        Self { server, api }
    }

    async fn apply(&self, name: &str, value: &str) {
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "v": value } });
        self.api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&object)).await.unwrap();
    }

    /// What is told until this is.
    async fn until<E: ToString>(
        events: &mut (impl Stream<Item = Result<watcher::Event<ConfigMap>, E>> + Unpin),
        wanted: &str,
    ) -> Vec<String> {
        let mut told = Vec::new();
        while told.last().is_none_or(|last| last != wanted) {
            told.push(match events.next().await.unwrap() {
                Ok(watcher::Event::Init) => "init".to_owned(),
                Ok(watcher::Event::InitApply(object)) => format!("listed {}", words(&object)),
                Ok(watcher::Event::InitDone) => "done".to_owned(),
                Ok(watcher::Event::Apply(object)) => format!("changed {}", words(&object)),
                Ok(watcher::Event::Delete(object)) => format!("gone {}", words(&object)),
                Err(why) => why.to_string(),
            });
        }
        told
    }
}

fn words(object: &ConfigMap) -> String {
    let value = object.data.as_ref().and_then(|data| data.get("v")).map_or("", String::as_str);
    format!("{} {value}", object.metadata.name.as_deref().unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn all_objects_are_listed_page_by_page_and_then_what_happens_is_told() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.apply(name, "1").await;
    }
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default().page_size(2)));
    let told = Stage::until(&mut events, "done").await;
    assert_eq!(told, ["init", "listed a 1", "listed b 1", "listed c 1", "done"]);
    stage.apply("b", "2").await;
    stage.api.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(Stage::until(&mut events, "gone a 1").await, ["changed b 2", "gone a 1"]);
    // A watch that ends goes on where it ended.
    stage.server.close_watches();
    stage.apply("c", "2").await;
    assert_eq!(Stage::until(&mut events, "changed c 2").await, ["changed c 2"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_lost_is_told_by_the_next_watch_though_later_ones_were_not_lost() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    let lost = stage.server.faults().add(Rule::new(Effect::DropEvent).kind("ConfigMap").next_calls(1));
    let begun = Instant::now();
    stage.apply("a", "2").await;
    stage.apply("b", "1").await;
    assert_eq!(Stage::until(&mut events, "changed a 2").await, ["changed b 1", "changed a 2"]);
    assert_eq!(stage.server.faults().fired(lost), 1);
    assert!(begun.elapsed() <= Duration::from_secs(10), "{:?}", begun.elapsed());
    // The third watch does not tell it again.
    let quiet = timeout(Duration::from_secs(30), events.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
}

#[tokio::test(start_paused = true)]
async fn everything_is_listed_again_within_ten_minutes_and_nothing_is_told_in_between() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    let lists = Rule::new(Effect::Latency(Duration::ZERO)).verb(Verb::List).kind("ConfigMap");
    let lists = stage.server.faults().add(lists);
    let watches = Rule::new(Effect::Latency(Duration::ZERO)).verb(Verb::Watch).kind("ConfigMap");
    let watches = stage.server.faults().add(watches);
    let begun = Instant::now();
    assert_eq!(Stage::until(&mut events, "done").await, ["init", "listed a 1", "done"]);
    let took = begun.elapsed();
    assert!((Duration::from_mins(8)..=Duration::from_mins(10)).contains(&took), "{took:?}");
    // What it costs: one list, and a watch each 6 to 8 seconds.
    let (lists, watches) = (stage.server.faults().matched(lists), stage.server.faults().matched(watches));
    assert!(lists == 1 && (55..=105).contains(&watches), "{lists} lists and {watches} watches in {took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_not_answered_is_told_after_ten_seconds() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let slow = Rule::new(Effect::Latency(Duration::from_hours(1))).verb(Verb::Watch).kind("ConfigMap");
    stage.server.faults().add(slow.next_calls(1));
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    let begun = Instant::now();
    assert_eq!(Stage::until(&mut events, "init").await, [NO_ANSWER, "init"]);
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    assert_eq!(Stage::until(&mut events, "done").await, ["listed a 1", "done"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_in_the_middle_is_told_and_begins_anew_without_an_end() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.apply(name, "1").await;
    }
    let second_page = Rule::new(Effect::Unavailable).verb(Verb::List).kind("ConfigMap").nth_call(2);
    stage.server.faults().add(second_page);
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default().page_size(2)));
    let told = Stage::until(&mut events, "done").await;
    assert_eq!(told[..3], ["init", "listed a 1", "listed b 1"]);
    assert!(!["done", "listed c 1"].contains(&told[3].as_str()), "{told:?}");
    assert_eq!(told[4..], ["init", "listed a 1", "listed b 1", "listed c 1", "done"]);
}

#[tokio::test(start_paused = true)]
async fn lists_that_share_have_no_more_pages_at_a_time_than_there_are_permits_and_all_of_them_end() {
    let stage = Stage::new();
    for name in ["a", "b", "c"] {
        stage.apply(name, "1").await;
    }
    let pages = Arc::new(Semaphore::new(1));
    let begin = || {
        let only = watcher::Config::default().page_size(2);
        Box::pin(list_watch_sharing(stage.api.clone(), only, Arc::clone(&pages)))
    };
    let (mut first, mut second) = (begin(), begin());
    assert!(matches!(first.next().await, Some(Ok(watcher::Event::Init))));
    assert!(
        matches!(first.next().await, Some(Ok(watcher::Event::InitApply(_)))),
        "it has a page that is not told yet"
    );
    assert!(matches!(second.next().await, Some(Ok(watcher::Event::Init))));
    assert!(timeout(Duration::from_mins(1), second.next()).await.is_err(), "there is no room for another");
    let (one, other) = tokio::join!(Stage::until(&mut first, "done"), Stage::until(&mut second, "done"));
    assert_eq!((one.len(), other.len()), (3, 4));
    assert_eq!(pages.available_permits(), 1, "a watch that is open takes none");
}

#[tokio::test(start_paused = true)]
async fn what_happens_between_a_list_and_its_watch_is_told() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    stage.apply("a", "2").await;
    stage.apply("b", "1").await;
    stage.api.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(Stage::until(&mut events, "gone a 2").await, ["changed a 2", "changed b 1", "gone a 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_the_server_has_forgotten_is_no_failure_and_everything_is_listed_again() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let mut events = pin!(list_watch(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    let forgets = Rule::new(Effect::Compact).verb(Verb::Watch).kind("ConfigMap").next_calls(1);
    let forgets = stage.server.faults().add(forgets);
    stage.apply("a", "2").await;
    stage.apply("b", "1").await;
    stage.api.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(Stage::until(&mut events, "done").await, ["init", "listed b 1", "done"]);
    assert_eq!(stage.server.faults().fired(forgets), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_every_watch_is_not_listed_without_pause() {
    let stage = Stage::new();
    let refuses = Rule::new(Effect::Forbidden).verb(Verb::Watch).kind("ConfigMap");
    let refuses = stage.server.faults().add(refuses);
    let events = list_watch(stage.api.clone(), watcher::Config::default());
    let _ = timeout(Duration::from_mins(1), events.for_each(|_| async {})).await;
    let asked = stage.server.faults().fired(refuses);
    assert!((25..=70).contains(&asked), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_refused_is_never_said_to_be_open() {
    let stage = Stage::new();
    let refuses = Rule::new(Effect::Forbidden).verb(Verb::Watch).kind("ConfigMap").next_calls(2);
    stage.server.faults().add(refuses);
    let mut events = pin!(list_watch_opened(stage.api.clone(), watcher::Config::default()));
    let mut told = Vec::new();
    while told.last() != Some(&"open") {
        told.push(match events.next().await.unwrap() {
            Ok(Some(watcher::Event::Init)) => "init",
            Ok(Some(_)) => "done",
            Ok(None) => "open",
            Err(why) if why.refusal() == Refusal::Forbidden => "forbidden",
            Err(_) => "failed",
        });
    }
    assert_eq!(told, ["init", "done", "forbidden", "init", "done", "forbidden", "init", "done", "open"]);
}

/// A server that has one object and lets every watch end at once; and how many it was asked for.
fn hasty() -> (Api<ConfigMap>, Arc<AtomicUsize>) {
    let watches = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&watches);
    let server = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let body = if is_watch {
            counted.fetch_add(1, Ordering::Relaxed);
            String::new()
        } else {
            let object =
                json!({ "metadata": { "name": "a", "namespace": "default", "resourceVersion": "1" } });
            json!({ "metadata": { "resourceVersion": "1" }, "items": [object] }).to_string()
        };
        let answer = http::Response::new(kube::client::Body::from(body.into_bytes()));
        async move { Ok::<_, std::convert::Infallible>(answer) }
    });
    (Api::namespaced(Client::new(server, "default"), "default"), watches)
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_every_watch_at_once_is_asked_every_two_seconds_at_most() {
    let (api, watches) = hasty();
    let mut lists = 0;
    let events = list_watch(api, watcher::Config::default());
    let count = events.for_each(|event| {
        lists += usize::from(matches!(event, Ok(watcher::Event::InitDone)));
        async {}
    });
    let _ = timeout(Duration::from_mins(1), count).await;
    let watches = watches.load(Ordering::Relaxed);
    assert!((25..=70).contains(&watches), "{watches}");
    assert_eq!(lists, 1, "nothing was lost");
}

/// A server of ConfigMaps that answers every list with this; and how often it was asked, with the bytes that it was made to send.
fn lister(
    answer: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (Api<ConfigMap>, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (lists, largest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, measured, answer) = (Arc::clone(&lists), Arc::clone(&largest), Arc::new(answer));
    let server = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let (counted, measured, answer) = (Arc::clone(&counted), Arc::clone(&measured), Arc::clone(&answer));
        async move {
            if query.contains("watch=true") {
                std::future::pending::<()>().await;
            }
            counted.fetch_add(1, Ordering::Relaxed);
            let body = answer(&query).into_bytes();
            // A page that is taken for too large is not held: only those that are read count.
            if body.len() <= 8 * 1024 * 1024 {
                measured.fetch_max(body.len(), Ordering::Relaxed);
            }
            Ok::<_, std::convert::Infallible>(http::Response::new(kube::client::Body::from(body)))
        }
    });
    (Api::namespaced(Client::new(server, "default"), "default"), lists, largest)
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

/// A page of a list of so many objects of so many bytes each.
fn page_of(query: &str, total: usize, bytes: usize) -> String {
    let from: usize = parameter(query, "continue").map_or(0, |token| token.parse().unwrap());
    let limit: usize = parameter(query, "limit").unwrap().parse().unwrap();
    let to = (from + limit).min(total);
    let filler = "x".repeat(bytes);
    let objects: Vec<String> = (from..to)
        .map(|number| {
            format!(r#"{{"metadata":{{"name":"c{number:04}","annotations":{{"a":"{filler}"}},"resourceVersion":"1"}}}}"#)
        })
        .collect();
    let token = if to < total { format!(r#""continue":"{to}","#) } else { String::new() };
    format!(r#"{{"metadata":{{{token}"resourceVersion":"1"}},"items":[{}]}}"#, objects.join(","))
}

#[tokio::test(start_paused = true)]
async fn huge_objects_are_listed_a_few_at_a_time_and_all_of_them() {
    let (api, lists, largest) = lister(|query| page_of(query, 48, 1_200_000));
    let events = list_watch(api, watcher::Config::default());
    let mut events = pin!(events);
    let mut names = Vec::new();
    loop {
        match events.next().await.unwrap() {
            Ok(watcher::Event::InitApply(object)) => names.push(object.metadata.name.unwrap()),
            Ok(watcher::Event::InitDone) => break,
            Ok(_) => {}
            Err(why) => panic!("{why}"),
        }
    }
    assert_eq!(names, (0..48).map(|number| format!("c{number:04}")).collect::<Vec<_>>());
    assert!(largest.load(Ordering::Relaxed) < 4 * 1024 * 1024, "{largest:?} bytes at once");
    assert_eq!(lists.load(Ordering::Relaxed), 4 + 48, "pages of 500, 125, 31 and 7 were too large");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_no_server_stores_is_an_error_and_not_an_absence() {
    let (api, ..) = lister(|query| page_of(query, 1, 9_000_000));
    let mut events = pin!(list_watch(api, watcher::Config::default()));
    assert_eq!(
        Stage::until(&mut events, "what answers sends an object of more than 8 MiB").await,
        ["init", "what answers sends an object of more than 8 MiB"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_always_has_another_page_is_asked_twenty_times_a_second_at_most() {
    let next = AtomicUsize::new(0);
    let (api, lists, _) = lister(move |_| {
        let token = next.fetch_add(1, Ordering::Relaxed);
        format!(r#"{{"metadata":{{"continue":"{token}","resourceVersion":"1"}},"items":[]}}"#)
    });
    let _ =
        timeout(Duration::from_mins(1), list_watch(api, watcher::Config::default()).for_each(|_| async {}))
            .await;
    let lists = lists.load(Ordering::Relaxed);
    assert!((100..=1200).contains(&lists), "{lists} in a minute");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_gives_the_same_page_again_and_again_fails() {
    let (api, lists, _) =
        lister(|_| r#"{"metadata":{"continue":"again","resourceVersion":"1"},"items":[]}"#.to_owned());
    let failures = AtomicUsize::new(0);
    let count = list_watch(api, watcher::Config::default()).for_each(|event| {
        failures.fetch_add(usize::from(event.is_err()), Ordering::Relaxed);
        async {}
    });
    let _ = timeout(Duration::from_mins(1), count).await;
    let (lists, failures) = (lists.load(Ordering::Relaxed), failures.into_inner());
    assert!((25..=70).contains(&failures) && lists <= 2 * failures + 2, "{lists} {failures}");
}

/// A server whose watches are open, and never tell anything nor end; and how often it was asked for a list and for a watch.
fn mute() -> (Api<ConfigMap>, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    use http_body::Frame;
    use http_body_util::{Either, StreamBody};

    let (lists, watches) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = (Arc::clone(&lists), Arc::clone(&watches));
    let server = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let body = if is_watch {
            counted.1.fetch_add(1, Ordering::Relaxed);
            Either::Left(StreamBody::new(stream::pending::<Result<Frame<bytes::Bytes>, kube::Error>>()))
        } else {
            counted.0.fetch_add(1, Ordering::Relaxed);
            Either::Right(kube::client::Body::from(
                br#"{"metadata":{"resourceVersion":"1"},"items":[]}"#.to_vec(),
            ))
        };
        async move { Ok::<_, std::convert::Infallible>(http::Response::new(body)) }
    });
    (Api::namespaced(Client::new(server, "default"), "default"), lists, watches)
}

#[tokio::test(start_paused = true)]
async fn objects_are_listed_every_twenty_seconds_where_watches_never_tell_anything() {
    let (api, lists, watches) = mute();
    let _ =
        timeout(Duration::from_mins(1), list_watch(api, watcher::Config::default()).for_each(|_| async {}))
            .await;
    let (lists, watches) = (lists.load(Ordering::Relaxed), watches.load(Ordering::Relaxed));
    assert!((3..=5).contains(&lists) && (6..=8).contains(&watches), "{lists} lists and {watches} watches");
}

/// The reason why this module is not kube's watcher.
#[tokio::test(start_paused = true)]
async fn the_watcher_of_kube_says_nothing_for_an_hour_while_a_watch_is_not_answered() {
    let stage = Stage::new();
    stage.apply("a", "1").await;
    let slow = Rule::new(Effect::Latency(Duration::from_hours(2))).verb(Verb::Watch).kind("ConfigMap");
    stage.server.faults().add(slow);
    let mut events = pin!(watcher(stage.api.clone(), watcher::Config::default()));
    Stage::until(&mut events, "done").await;
    assert!(timeout(Duration::from_hours(1), events.next()).await.is_err(), "nothing was told");
}
