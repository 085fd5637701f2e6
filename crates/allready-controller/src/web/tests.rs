//! The page of an embedded API server, over HTTP and without.

mod access;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::{Duration, Instant},
};

use allready_apiserver::ApiServer;
use allready_core::Time;
use allready_inspect::{
    graph::ObjectId,
    health::Health,
    judge::{Rule, Verdict},
    live::{Event, Key, Seen, Standing, State},
};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Empty};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{
    Shown, View, Wanted,
    object::rows,
    page::{Page, Sight, thousands},
    server::answer,
};

const SOON: Duration = Duration::from_secs(30);
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn at(second: i64) -> Time {
    Time::from_second(1_000_000 + second).unwrap()
}

/// A state with these kinds, of which everything was seen.
fn state(kinds: &[(&str, &str)], seen: impl IntoIterator<Item = Event>) -> State {
    let mut state = State::new(at(0));
    for (index, (group, kind)) in kinds.iter().enumerate() {
        let (group, kind) = ((*group).to_owned(), (*kind).to_owned());
        let plural = format!("{}s", kind.to_lowercase());
        state.update(Event::Kind { group, kind, plural });
        state.update(Event::Listing(index));
    }
    for event in seen {
        state.update(event);
    }
    for index in 0..kinds.len() {
        state.update(Event::Listed(index));
        state.update(Event::Watching(index));
    }
    state.update(Event::Causes(Vec::new()));
    state
}

fn seen(kind: usize, namespace: &str, name: &str, health: Health, facts: Value) -> Event {
    let verdict = Verdict {
        health,
        rule: Rule::ConditionGood,
        field: String::new(),
        reason: "Because".to_owned(),
        message: format!("{name} says so"),
        since: None,
        writer: None,
        lag: None,
    };
    Event::Seen(Box::new(Seen {
        key: Key::new(kind, namespace, name),
        uid: name.to_owned(),
        verdict,
        digest: None,
        standing: Standing::Final,
        facts: Some(Arc::new(facts)),
    }))
}

#[test]
fn a_reporter_of_a_node_is_seen_in_the_cell_of_the_node_and_any_other_in_its_own() {
    let report = |component: &str, instance: &str| json!({ "component": component, "instance": instance });
    let state = state(
        &[("", "Node"), ("allready.dev", "StatusReport")],
        [
            seen(0, "", "node-10", Health::Healthy, Value::Null),
            seen(0, "", "node-2", Health::Healthy, Value::Null),
            seen(1, "lb", "a", Health::Degraded, report("speaker", "node-2")),
            seen(1, "lb", "b", Health::Healthy, report("speaker", "node-10")),
            seen(1, "lb", "c", Health::Unknown, report("controller", "")),
        ],
    );
    let page = Page::of(&state, &[], Sight::EVERYTHING);
    let told = |map: usize| -> Vec<(&str, Health)> {
        page.maps[map].cells.iter().map(|cell| (cell.name.as_str(), cell.health)).collect()
    };
    assert_eq!(told(0), [("node-2", Health::Degraded), ("node-10", Health::Healthy)], "as people count");
    assert_eq!(page.maps[0].cells[0].note, "speaker: Because: a says so");
    assert_eq!(page.maps[0].cells[0].object, ObjectId::new("allready.dev", "StatusReport", "lb", "a"));
    assert_eq!(told(1), [("controller", Health::Unknown)]);
    assert_eq!(page.summary.counts, "5 objects: 1 degraded, 1 unknown, 3 healthy");
}

#[test]
fn the_sentence_is_that_of_the_object_that_answers_for_all() {
    let facts = json!({ "message": "2 of 5,004 reporters failing: ConfigError", "reporters": "5002/5004" });
    let told = state(
        &[("metallb.io", "ConfigurationStatus"), ("", "Pod")],
        [
            seen(0, "lb", "config-status", Health::Degraded, facts),
            seen(1, "shop", "web", Health::Degraded, Value::Null),
        ],
    );
    let summary = Page::of(&told, &[], Sight::EVERYTHING).summary;
    assert_eq!(summary.sentence, "config-status: 2 of 5,004 reporters failing: ConfigError");
    assert_eq!(summary.health, Some(Health::Degraded));
    assert_eq!(summary.object.unwrap().name, "config-status");
}

#[test]
fn a_healthy_configuration_status_and_a_degraded_pod_are_a_red_headline() {
    let facts = json!({ "message": "13 of 13 ready" });
    let told = |pod: Health| {
        let kinds = [("metallb.io", "ConfigurationStatus"), ("", "Pod")];
        let answers_for_all = seen(0, "lb", "config-status", Health::Healthy, facts.clone());
        state(&kinds, [answers_for_all, seen(1, "shop", "web", pod, Value::Null)])
    };
    let summary = |state: &State| Page::of(state, &[], Sight::EVERYTHING).summary;
    let red = summary(&told(Health::Degraded));
    assert_eq!((red.health, red.object), (Some(Health::Degraded), None));
    assert_eq!(red.sentence, "2 objects: 1 degraded, 1 healthy");
    let mut state = told(Health::Suspended);
    let green = summary(&state);
    assert_eq!((green.health, &*green.sentence), (Some(Health::Healthy), "config-status: 13 of 13 ready"));
    state.update(Event::Failed(1, "forbidden".to_owned()));
    let blind = summary(&state);
    assert_eq!(blind.sentence, "Nothing unhealthy is seen, but not everything can be seen");
    assert_eq!(blind.health, Some(Health::Unknown));
}

#[test]
fn nothing_is_called_healthy_while_something_cannot_be_seen() {
    let mut told = state(&[("", "Pod")], [seen(0, "shop", "web", Health::Healthy, Value::Null)]);
    assert_eq!(
        Page::of(&told, &[], Sight::EVERYTHING).summary.sentence,
        "Everything is healthy: 1 object of 1 kind"
    );
    told.update(Event::Failed(0, "forbidden".to_owned()));
    let summary = Page::of(&told, &[], Sight::EVERYTHING).summary;
    assert_eq!(summary.sentence, "Nothing unhealthy is seen, but not everything can be seen");
    assert_eq!(summary.health, Some(Health::Unknown));
    let empty = Page::of(&State::new(at(0)), &[], Sight::EVERYTHING).summary;
    assert_eq!((empty.sentence.as_str(), empty.health), ("Reading the cluster", None));
}

#[test]
fn what_may_not_be_seen_is_neither_shown_nor_counted() {
    let state = state(
        &[("apps", "Deployment")],
        [
            seen(0, "shop", "web", Health::Degraded, Value::Null),
            seen(0, "secret", "vault", Health::Degraded, Value::Null),
        ],
    );
    let sees = |_: &str, _: &str, namespace: &str| namespace == "shop";
    let shop = Sight { sees: &sees, is_whole: false, is_unsure: false };
    let page = serde_json::to_string(&Page::of(&state, &[], shop)).unwrap();
    assert!(page.contains("shop/web") && !page.contains("vault"), "{page}");
    assert!(page.contains("1 object: 1 degraded"), "{page}");
    let found = serde_json::to_string(&rows(&state, "", shop)).unwrap();
    assert!(found.contains("web") && !found.contains("vault"), "{found}");
}

#[test]
fn a_page_of_five_thousand_nodes_is_made_fast_and_is_bounded() {
    let nodes = (0..5000).map(|number| seen(0, "", &format!("node-{number}"), Health::Healthy, Value::Null));
    let report = |number| json!({ "component": "speaker", "instance": format!("node-{number}") });
    let reports =
        (0..5000).map(|number| seen(1, "lb", &format!("r-{number}"), Health::Degraded, report(number)));
    let state = state(&[("", "Node"), ("allready.dev", "StatusReport")], nodes.chain(reports));
    let began = Instant::now();
    let page = Page::of(&state, &[], Sight::EVERYTHING);
    let took = began.elapsed();
    assert_eq!(page.maps[0].cells.len(), 5000);
    assert!(took < Duration::from_secs(2), "{took:?}");
    let size = serde_json::to_string(&page).unwrap().len();
    assert!(size < 2_000_000, "{size} bytes");
}

#[test]
fn what_is_cut_is_counted_and_the_sum_is_of_all() {
    const GATEWAYS: &str = "gateway.networking.k8s.io";
    let names: Vec<String> = (0..600).map(|number| format!("Kind{number}")).collect();
    let mut kinds = vec![(GATEWAYS, "Gateway"), (GATEWAYS, "HTTPRoute")];
    kinds.extend(names.iter().map(|name| ("example.com", &**name)));
    let is_of = json!({ "parents": [{ "kind": "Gateway", "namespace": "shop", "name": "g-0" }] });
    let gateways = (0..250).map(|number| seen(0, "shop", &format!("g-{number}"), Health::Healthy, json!({})));
    let routes =
        (0..300).map(|number| seen(1, "shop", &format!("r-{number}"), Health::Healthy, is_of.clone()));
    let others = (0..600).map(|number| seen(number + 2, "", "a", Health::Healthy, Value::Null));
    let state = state(&kinds, gateways.chain(routes).chain(others));
    let Page { summary, gateways, kinds, .. } = Page::of(&state, &[], Sight::EVERYTHING);
    assert_eq!((gateways.len(), summary.more_gateways), (200, 50));
    assert_eq!((gateways[0].routes.len(), gateways[0].more), (200, 100));
    assert_eq!((kinds.len(), summary.more_kinds), (500, 102));
    assert_eq!(summary.counts, "1,150 objects: 1,150 healthy");
}

#[test]
fn numbers_are_written_as_people_read_them() {
    let told = [0, 999, 1000, 5004, 1_234_567].map(thousands);
    assert_eq!(told, ["0", "999", "1,000", "5,004", "1,234,567"]);
}

/// A view of an embedded API server with a node, and with a Deployment whose texts are an attack.
struct Scene {
    client: Client,
    view: View,
    _shown: Shown,
    _server: ApiServer,
}

const ATTACK: &str = "<img src=x onerror=alert(1)><script>alert(2)</script>";

impl Scene {
    async fn new() -> Self {
        Self::within(usize::MAX).await
    }

    async fn within(memory: usize) -> Self {
        let server = ApiServer::new();
        let client = Client::new(server.service(), "default");
        let node: Node = serde_json::from_value(json!({ "metadata": { "name": "node-1" },
            "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady" }] } }))
        .unwrap();
        Api::all(client.clone()).create(&PostParams::default(), &node).await.unwrap();
        let view = View::within(memory);
        let shown = view.show(client.clone(), Wanted::everything("here", "A server")).unwrap();
        Self { client, view, _shown: shown, _server: server }
    }

    async fn get(&self, path: &str) -> (StatusCode, http::HeaderMap, String) {
        let request = Request::get(path).header("host", "127.0.0.1:1").body(Empty::<Bytes>::new()).unwrap();
        let (parts, body) = answer(&self.view, request, HERE).await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
    }

    /// The page, once it is as it should be.
    async fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let look = async {
            loop {
                let page: Value = serde_json::from_str(&self.get("/api/here/page").await.2).unwrap();
                if wanted(&page["page"]) {
                    return page["page"].clone();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, look).await.unwrap()
    }

    async fn node_is(&self, ready: &str, message: &str) {
        let condition = json!({ "type": "Ready", "status": ready, "reason": "Kubelet", "message": message });
        let patch = json!({ "status": { "conditions": [condition] } });
        let nodes = Api::<Node>::all(self.client.clone());
        nodes.patch_status("node-1", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_foreign_text_from_doing_anything() {
    let scene = Scene::new().await;
    for path in ["/", "/app.js", "/style.css", "/icon.svg", "/api/sources", "/api/here/page", "/nothing"] {
        let (status, headers, body) = scene.get(path).await;
        assert_eq!(status == StatusCode::OK, path != "/nothing", "{path}: {body}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}");
        assert!(policy.contains("require-trusted-types-for 'script'"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert!(!headers.contains_key("access-control-allow-origin"), "{path}");
    }
    for (path, status) in [("/", StatusCode::OK), ("/api/sources", StatusCode::FORBIDDEN)] {
        let request = Request::get(path).header("host", "localhost").header("sec-fetch-site", "cross-site");
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        assert_eq!(answer(&scene.view, request, HERE).await.status(), status, "{path}");
    }
    let request = Request::get("/").header("host", "evil.example").body(Empty::<Bytes>::new()).unwrap();
    assert_eq!(answer(&scene.view, request, HERE).await.status(), StatusCode::MISDIRECTED_REQUEST);
    let twice = Request::get("/")
        .header("host", "localhost")
        .header("host", "evil.example")
        .body(Empty::<Bytes>::new())
        .unwrap();
    assert_eq!(answer(&scene.view, twice, HERE).await.status(), StatusCode::MISDIRECTED_REQUEST);
    let head = Request::head("/").header("host", "localhost").body(Empty::<Bytes>::new()).unwrap();
    let head = answer(&scene.view, head, HERE).await.into_body().collect().await.unwrap().to_bytes();
    assert!(head.is_empty());
}

#[tokio::test]
async fn an_object_has_a_page_with_what_is_behind_it_and_its_text_stays_text() {
    let scene = Scene::new().await;
    scene
        .until(|page| page["summary"]["isComplete"] == true && page["maps"][0]["cells"][0]["h"] == "Healthy")
        .await;
    scene.node_is("False", ATTACK).await;
    let page = scene.until(|page| page["maps"][0]["cells"][0]["h"] == "Degraded").await;
    assert!(page["timeline"][0]["to"] == "Degraded", "{page}");
    let (status, headers, body) = scene.get("/api/here/object?kind=Node&name=node-1").await;
    assert_eq!((status, &headers["content-type"]), (StatusCode::OK, &"application/json".parse().unwrap()));
    let object: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(object["health"], "Degraded");
    assert_eq!(object["conditions"][0]["message"], ATTACK);
    assert_eq!(object["command"], "allready explain nodes/node-1");
    assert_eq!(object["lines"][0]["label"], "Node node-1");
    let (_, _, body) = scene.get("/api/here/objects?filter=kind:node").await;
    assert!(body.contains("node-1"), "{body}");
    let (_, _, body) = scene.get("/api/here/object?kind=Node&name=..%2F..%2Fsecrets").await;
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["problem"], "it is not there");
    assert_eq!(scene.get("/api/here/object?kind=Widget&name=a").await.0, StatusCode::NOT_FOUND);
    assert_eq!(scene.get("/api/elsewhere/page").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_in_a_secret_or_a_config_map_is_not_shown() {
    let scene = Scene::new().await;
    let map: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": "settings" }, "data": { "a": "hunter2" } }))
            .unwrap();
    Api::<ConfigMap>::default_namespaced(scene.client.clone())
        .create(&PostParams::default(), &map)
        .await
        .unwrap();
    scene.until(|page| page["kinds"].to_string().contains("ConfigMap")).await;
    for path in [
        "/api/here/page",
        "/api/here/objects?filter=settings",
        "/api/here/object?kind=ConfigMap&namespace=default&name=settings",
    ] {
        let (_, _, body) = scene.get(path).await;
        assert!(!body.contains("hunter2"), "{path}: {body}");
    }
}

#[tokio::test]
async fn a_change_is_sent_to_whoever_looks_as_a_small_event_and_soon() {
    let scene = Scene::new().await;
    scene.until(|page| page["summary"]["isComplete"] == true).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let view = scene.view.clone();
    tokio::spawn(async move { view.serve(&listener).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /api/here/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut next = async |wanted: &str| {
        let find = async {
            loop {
                let line = lines.next_line().await.unwrap().unwrap();
                if line == wanted {
                    return lines.next_line().await.unwrap().unwrap();
                }
            }
        };
        timeout(SOON, find).await.unwrap()
    };
    let whole = next("event: page").await;
    assert!(whole.starts_with("data: {\"now\":"), "{whole}");
    scene.node_is("False", ATTACK).await;
    let cells = loop {
        let delta: Value =
            serde_json::from_str(next("event: delta").await.strip_prefix("data: ").unwrap()).unwrap();
        assert!(delta.to_string().len() < 5000, "{delta}");
        if let Some(cells) = delta["cells"].as_array() {
            break cells.clone();
        }
    };
    assert_eq!((&cells[0][0], &cells[0][1], &cells[0][2]["h"]), (&json!(0), &json!(0), &json!("Degraded")));
}

#[tokio::test]
async fn a_request_that_is_no_http_is_answered_and_ends() {
    let view = View::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { view.serve(&listener).await });
    for (sent, wanted) in [
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 405",
        ),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 421"),
        ("rubbish\r\n\r\n", "HTTP/1.1 400"),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(SOON, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with(wanted), "{sent}: {answer}");
    }
}

#[tokio::test]
async fn what_is_not_shown_any_more_ends_its_streams() {
    let scene = Scene::new().await;
    assert!(scene.get("/api/sources").await.2.contains("A server"));
    let request =
        Request::get("/api/here/events").header("host", "localhost").body(Empty::<Bytes>::new()).unwrap();
    let stream = answer(&scene.view, request, HERE).await.into_body();
    let Scene { view, _shown: shown, .. } = scene;
    drop(shown);
    let rest = timeout(SOON, stream.collect()).await.unwrap().unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&rest).contains("event: end"));
    assert!(view.source("here").is_none());
}

#[tokio::test]
async fn a_tenant_who_fills_the_memory_of_the_view_is_told_and_nothing_is_called_healthy() {
    let scene = Scene::within(100_000).await;
    scene.node_is("False", "kubelet stopped").await;
    let red = scene.until(|page| page["summary"]["counts"].to_string().contains("1 degraded")).await;
    assert!(!red["summary"].to_string().contains("not everything can be seen"), "{}", red["summary"]);
    let maps = Api::<ConfigMap>::namespaced(scene.client.clone(), "default");
    for number in 0..200 {
        let map = json!({ "metadata": { "name": format!("map-{number}") } });
        maps.create(&PostParams::default(), &serde_json::from_value(map).unwrap()).await.unwrap();
    }
    scene.node_is("True", "").await;
    let is_over = |page: &Value| page.to_string().contains("more objects than there is memory for");
    let is_red = |page: &Value| page["summary"]["health"] == "Degraded";
    let page = scene.until(|page| is_over(page) && !is_red(page)).await;
    assert_eq!(page["summary"]["health"], "Unknown", "{}", page["summary"]);
    let shown = scene.get("/api/here/objects?filter=kind:ConfigMap").await.2;
    assert!(shown.matches("\"map-").count() < 110, "{shown}");
}
