//! The program of the controllers, as two processes.

use std::time::{Duration, Instant};

use allready_e2e::{Server, eventually, within};
use allready_kube::{
    kinds::{ConfigurationStatus, StatusReport, definitions},
    lease::Record,
};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::sleep,
};

allready_e2e::kubectl_scenarios![
    a_leader_that_is_killed_is_followed_within_ten_seconds,
    a_leader_that_stood_still_does_not_believe_that_it_leads,
];

/// Long enough that everybody has looked at the lease: two of the longest pauses.
const SETTLED: Duration = Duration::from_secs(5);

/// One process.
pub(crate) struct Replica {
    child: Child,
    /// Where it serves its pages.
    pages: String,
}

impl Replica {
    pub(crate) async fn start(server: &Server, namespace: &str, identity: &str) -> Self {
        let lease = format!("{namespace}/lock");
        let mut child = server.controller(&[
            "--namespace",
            namespace,
            "--lease",
            &lease,
            "--identity",
            identity,
            "--metrics",
            "127.0.0.1:0",
            "--log",
            "off",
        ]);
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).await.unwrap();
        let pages = said.strip_prefix("Serving http://").and_then(|rest| rest.split('/').next()).unwrap();
        Self { pages: pages.to_owned(), child }
    }

    pub(crate) async fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.pages).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    async fn leads(&self) -> bool {
        let metrics = self.page("/metrics").await;
        assert!(metrics.contains("\nallready_leading "), "{metrics}");
        metrics.contains("\nallready_leading 1\n")
    }

    async fn until_it_leads(&self) {
        within(Duration::from_mins(1), "a replica to lead", async {
            while !self.leads().await {
                sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    async fn signal(&self, signal: &str) {
        let process = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().await.unwrap().success());
    }
}

async fn record(server: &Server, namespace: &str) -> Record {
    Record::of(&Api::<Lease>::namespaced(server.client(), namespace).get("lock").await.unwrap())
}

/// Two replicas, of which the first leads.
async fn two(server: &Server, namespace: &str) -> (Replica, Replica) {
    for definition in definitions() {
        server.define(definition).await;
    }
    let first = Replica::start(server, namespace, "first").await;
    first.until_it_leads().await;
    let second = Replica::start(server, namespace, "second").await;
    sleep(SETTLED).await;
    assert!(first.leads().await && !second.leads().await);
    assert!(second.page("/readyz").await.starts_with("HTTP/1.1 200 "), "a standby is as ready as a leader");
    assert!(second.page("/healthz").await.starts_with("HTTP/1.1 200 "));
    (first, second)
}

async fn a_leader_that_is_killed_is_followed_within_ten_seconds(server: Server) {
    let namespace = server.namespace("killed").await;
    let (mut first, second) = two(&server, &namespace).await;
    let before = record(&server, &namespace).await;
    first.child.kill().await.unwrap();
    let killed = Instant::now();
    second.until_it_leads().await;
    let waited = killed.elapsed();
    println!("a killed leader was followed after {waited:?}");
    assert!(waited <= Duration::from_secs(10), "{waited:?}");
    let after = record(&server, &namespace).await;
    assert_eq!((after.holder.as_str(), after.transitions), ("second", before.transitions + 1));
}

/// The reporter says this.
async fn report(server: &Server, namespace: &str, status: &str) {
    let reports: Api<StatusReport> = Api::namespaced(server.client(), namespace);
    let name = "config-status.speaker";
    let head = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "metadata": { "name": name } });
    let (mut whole, mut said) = (head.clone(), head);
    whole["spec"] = json!({ "targetRef": { "name": "config-status" }, "component": "speaker" });
    said["status"] = json!({ "conditions": [{ "type": "configReconcilerValid", "status": status, "reason": "Said",
        "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] });
    let apply = PatchParams::apply("speaker").force();
    reports.patch(name, &apply, &Patch::Apply(&whole)).await.unwrap();
    reports.patch_status(name, &apply, &Patch::Apply(&said)).await.unwrap();
}

/// The status of Ready, and the term in which it was written.
async fn ready(server: &Server, namespace: &str) -> (String, Option<i64>) {
    let statuses: Api<ConfigurationStatus> = Api::namespaced(server.client(), namespace);
    let status = statuses.get("config-status").await.unwrap().status.unwrap_or_default();
    let ready = status.conditions.iter().find(|condition| condition.type_ == *"Ready");
    let ready = ready.map(|ready| ready.status.to_string()).unwrap_or_default();
    (ready, status.controller.map(|controller| controller.term))
}

async fn a_leader_that_stood_still_does_not_believe_that_it_leads(server: Server) {
    let namespace = server.namespace("still").await;
    let (first, second) = two(&server, &namespace).await;
    let statuses: Api<ConfigurationStatus> = Api::namespaced(server.client(), &namespace);
    let spec = serde_json::from_value(json!({ "components": [{ "name": "speaker" }] })).unwrap();
    let object = ConfigurationStatus::new("config-status", spec);
    statuses.create(&PostParams::default(), &object).await.unwrap();
    report(&server, &namespace, "True").await;
    let is_true = |seen: &(String, Option<i64>)| seen.0 == "True";
    let (_, before) = eventually("Ready", is_true, || ready(&server, &namespace)).await;

    first.signal("-STOP").await;
    let stopped = Instant::now();
    report(&server, &namespace, "False").await;
    let is_false = |seen: &(String, Option<i64>)| seen.0 == "False";
    let (_, after) = eventually("a successor to say so", is_false, || ready(&server, &namespace)).await;
    println!("a leader that stood still was followed after {:?}", stopped.elapsed());
    assert!(stopped.elapsed() <= Duration::from_secs(10), "{:?}", stopped.elapsed());
    assert!(after > before, "{after:?} {before:?}");
    sleep(Duration::from_secs(20).saturating_sub(stopped.elapsed())).await;
    assert!(second.leads().await, "it has taken over meanwhile");
    first.signal("-CONT").await;
    for _ in 0..100 {
        assert!(!first.leads().await, "another leads");
        assert_eq!(ready(&server, &namespace).await, ("False".to_owned(), after), "never green while red");
        sleep(Duration::from_millis(30)).await;
    }
    assert!(second.leads().await);
    assert_eq!(record(&server, &namespace).await.holder, "second");
}
