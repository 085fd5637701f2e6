//! From the first alpha to the second: files, a whole cluster, and a controller that comes too early.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{
    allready,
    config::{Cluster, Controller},
};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/first-alpha")
}

fn objects(text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

fn collection(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap();
    let (start, plural) = match kind {
        "ConfigMap" => ("/api/v1", "configmaps"),
        "ConfigurationStatus" => ("/apis/allready.dev/v1alpha1", "configurationstatuses"),
        "StatusReport" => ("/apis/allready.dev/v1alpha1", "statusreports"),
        _ => ("/apis/allready.dev/v1alpha1", "statusaggregations"),
    };
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{start}/namespaces/{namespace}/{plural}"),
        None => format!("{start}/{plural}"),
    }
}

fn store(cluster: &Cluster, objects: &[Value]) {
    for object in objects {
        cluster.send("POST", &collection(object), object);
    }
}

/// A cluster as the first alpha left it.
fn first_alpha() -> Cluster {
    let cluster = Cluster::start_with(&fixtures().join("crds"));
    store(&cluster, &objects(&std::fs::read_to_string(fixtures().join("objects.yaml")).unwrap()));
    cluster
}

fn body(answer: &str) -> Value {
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

/// What is printed for the file of the first alpha.
fn converted() -> String {
    let said = allready(&["migrate", "-f", fixtures().join("objects.yaml").to_str().unwrap()], "");
    let text = said.strip_prefix("exit 0\n--- stdout\n").unwrap_or_else(|| panic!("{said}"));
    text.split("--- stderr\n").next().unwrap().to_owned()
}

#[test]
fn manifests_are_converted_and_the_new_crds_take_them() {
    assert_snapshot!(allready(&["migrate", "-f", fixtures().join("objects.yaml").to_str().unwrap()], ""));
    let cluster = Cluster::start();
    let made = objects(&converted());
    store(&cluster, &made);
    // The server has dropped nothing of it.
    for object in &made {
        let name = object["metadata"]["name"].as_str().unwrap();
        let stored = body(&cluster.get(&format!("{}/{name}", collection(object))));
        let mut merged = stored["spec"].clone();
        lay(&mut merged, &object["spec"]);
        assert_eq!(merged, stored["spec"], "{name}");
    }
    // What is new already stays as it is.
    let again = allready(&["migrate", "-f", "-"], &converted());
    assert_eq!(again, format!("exit 0\n--- stdout\n{}--- stderr\n", converted()));
}

fn lay(under: &mut Value, over: &Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                lay(under.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(under), Value::Array(over)) if under.len() == over.len() => {
            under.iter_mut().zip(over).for_each(|(under, over)| lay(under, over));
        }
        (under, over) => under.clone_from(over),
    }
}

#[test]
fn what_cannot_be_carried_over_is_said_and_ends_with_one() {
    let object = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
        "metadata": { "name": "a", "resourceVersion": "7" }, "status": { "moreCauses": 1 },
        "spec": { "preset": "MetalLB", "revision": "7", "other": 1, "sources": [
            { "apiVersion": "a/v1", "kind": "K", "component": { "name": {} }, "negative": ["Broken"] } ] } });
    assert_snapshot!(allready(&["migrate", "-f", "-"], &object.to_string()));
}

#[test]
fn a_cluster_is_migrated_after_everything_was_saved() {
    let cluster = first_alpha();
    let plan = cluster.run(&["migrate"]).replace(cluster.address(), "ADDRESS");
    assert_snapshot!(plan);
    let (directory, reports) = (tempfile::tempdir().unwrap(), "/apis/allready.dev/v1alpha1/statusreports");
    let saved = directory.path().join("before.yaml");
    let refused = cluster.run(&["migrate", "--yes"]);
    assert!(refused.starts_with("exit 64\n") && refused.contains("--export"), "{refused}");
    assert_eq!(body(&cluster.get(reports))["items"].as_array().unwrap().len(), 2, "nothing was changed");

    let done = cluster.run(&["migrate", "--yes", "--export", saved.to_str().unwrap()]);
    assert!(done.starts_with("exit 0\n"), "{done}");
    let expected = objects(&converted());
    for object in expected.iter().filter(|it| it["kind"] != "StatusReport" && it["kind"] != "ConfigMap") {
        let name = object["metadata"]["name"].as_str().unwrap();
        let stored = body(&cluster.get(&format!("{}/{name}", collection(object))));
        let mut merged = stored["spec"].clone();
        lay(&mut merged, &object["spec"]);
        assert_eq!(merged, stored["spec"], "{name}");
        assert_eq!(stored["metadata"]["labels"], object["metadata"]["labels"], "{name}");
    }
    assert_eq!(body(&cluster.get(reports))["items"], json!([]));
    assert!(cluster.run(&["version"]).contains("They fit."));
    assert!(cluster.run(&["migrate"]).contains("There is nothing to migrate."));

    // The file has what was there, and can be converted again by itself.
    let saved_objects = objects(&std::fs::read_to_string(&saved).unwrap());
    assert_eq!(saved_objects.len(), 5);
    assert!(saved_objects.iter().any(|object| object["spec"]["silentAfterSeconds"] == 90));
    let from_file = allready(&["migrate", "-f", saved.to_str().unwrap()], "");
    assert!(from_file.starts_with("exit 0\n") && from_file.contains("timeoutSeconds: 90"), "{from_file}");
    let again = cluster.run(&["migrate", "--export", saved.to_str().unwrap()]);
    assert!(again.starts_with("exit 74\n") && again.contains("exists"), "{again}");
}

#[test]
fn what_somebody_has_to_decide_keeps_a_cluster_as_it_is() {
    let cluster = first_alpha();
    let source =
        json!({ "apiVersion": "a/v1", "kind": "K", "component": { "name": {} }, "negative": ["Broken"] });
    store(
        &cluster,
        &[json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
        "metadata": { "name": "undecided", "namespace": "default" }, "spec": { "sources": [source] } })],
    );
    let directory = tempfile::tempdir().unwrap();
    let saved = directory.path().join("before.yaml");
    let said = cluster.run(&["migrate", "--yes", "--export", saved.to_str().unwrap()]);
    assert!(said.starts_with("exit 1\n") && said.contains("nothing was changed"), "{said}");
    assert!(said.contains("configurationstatus/undecided in default: .spec.sources[0].negative"), "{said}");
    assert!(cluster.run(&["version"]).starts_with("exit 1\n"));
}

fn page(pages: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(pages).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_controller_that_meets_older_crds_waits_and_says_so_and_writes_nothing() {
    const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases/allready-controller";
    const STATUS: &str = "/apis/allready.dev/v1alpha1/namespaces/default/configurationstatuses/config-status";
    let cluster = first_alpha();
    let before = body(&cluster.get(STATUS));
    let (mut controller, pages) = Controller::start(&cluster, &[]);
    let start = Instant::now();
    let ready = loop {
        let ready = page(&pages, "/readyz");
        if ready.contains("statusreports.allready.dev: is of") || start.elapsed() > Duration::from_secs(20) {
            break ready;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(ready.starts_with("HTTP/1.1 503 "), "{ready}");
    assert!(
        ready.contains("CRD statusreports.allready.dev: is of an older version than this program"),
        "{ready}"
    );
    assert!(ready.contains("it lacks .spec.targetRef") && ready.contains("docs/upgrade.md"), "{ready}");
    assert!(page(&pages, "/healthz").starts_with("HTTP/1.1 200 "), "a restart would not help");
    // Not even for the lease does it compete.
    std::thread::sleep(Duration::from_secs(2));
    assert!(cluster.get(LEASE).starts_with("HTTP/1.1 404 "));
    assert_eq!(body(&cluster.get(STATUS)), before);

    let directory = tempfile::tempdir().unwrap();
    let saved = directory.path().join("before.yaml");
    let done = cluster.run(&["migrate", "--yes", "--export", saved.to_str().unwrap()]);
    assert!(done.starts_with("exit 0\n"), "{done}");
    // It notices by itself.
    cluster.until(STATUS, "\"reason\":\"ComponentsUnknown\"");
    // It cannot see the Widgets that one of them names, and says nothing of CRDs any more.
    let ready = page(&pages, "/readyz");
    assert!(!ready.contains("older version") && !ready.contains("compared"), "{ready}");
    let _ = controller.0.kill();
    let mut logged = String::new();
    controller.0.stderr.take().unwrap().read_to_string(&mut logged).unwrap();
    let told = logged.lines().filter(|line| line.contains("is of an older version")).count();
    assert_eq!(told, 2, "once for each CRD: {logged}");
}
