//! Ten minutes in which everything goes wrong that can, by a schedule that a seed repeats.
//!
//! `ALLREADY_FAULT_SEED=7 cargo test -p allready-controller --test it faults` plays another one.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
    server::Keep,
};
use allready_controller::{
    config::{Fleet, Origin, of_status_report},
    engine::{self, Leader, Term},
};
use allready_core::{Condition, Status, Time, found};
use allready_kube::{
    clock::Clock,
    kinds::{ConfigurationStatus, StatusReport},
};
use http::{HeaderValue, Request};
use jiff::Timestamp;
use kube::{
    Api, Client, CustomResourceExt as _,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::Instant};
use tower::ServiceExt;

use crate::config::{controller, report, spec};

/// The CRDs without their rules: somebody else writes a condition here that a rule refuses.
fn unguarded() -> [Value; 2] {
    [ConfigurationStatus::crd(), StatusReport::crd()].map(|crd| serde_json::to_value(crd).unwrap())
}

const NODES: [&str; 4] = ["a", "b", "c", "d"];
const AGENT: &str = "aggregator";
/// How long after the last fault the status must be right.
const SETTLED: Duration = Duration::from_secs(5);

/// What the test does next.
#[derive(Clone, Copy, Debug)]
enum Act {
    Report(&'static str, bool),
    Withdraw(&'static str),
    DropWatches,
    Compact,
    RestartServer,
    RestartAggregator,
    /// Another replica is elected while a write of the leader is on its way.
    Depose,
    Refuse(u8),
    ForgeReady,
    WriteForeign,
}

struct Stage {
    server: ApiServer,
    client: Client,
    replicas: [Option<JoinHandle<()>>; 2],
    /// The term in which each replica leads; none while the other does.
    terms: [Arc<AtomicU64>; 2],
    start: Instant,
    random: fastrand::Rng,
}

impl Stage {
    fn new(seed: u64) -> Self {
        let start = Instant::now();
        let server =
            ApiServer::builder().crds(unguarded()).seed(seed).clock(move || day(start)).build().unwrap();
        let client = Client::new(server.service(), "default");
        let terms = [1, 0].map(|term| Arc::new(AtomicU64::new(term)));
        let random = fastrand::Rng::with_seed(seed);
        Self { server, client, replicas: [None, None], terms, start, random }
    }

    fn start_replica(&mut self, replica: usize) {
        let named = self.server.service().map_request(|mut request: Request<_>| {
            request.headers_mut().insert(http::header::USER_AGENT, HeaderValue::from_static(AGENT));
            request
        });
        let start = self.start;
        let mut controller = controller(Client::new(named, "default"), spec(&NODES));
        let term = Arc::clone(&self.terms[replica]);
        let leader = Leader::new(move |_| {
            let number = Some(term.load(Ordering::SeqCst)).filter(|number| *number > 0);
            number.map(|number| Term { number: Some(number), remaining: Duration::from_secs(4) })
        });
        controller.options.lease = Some("allready-system/allready-controller".into());
        let clock = Clock::new(move || day(start));
        controller.running = engine::Running { leader, clock, ..Default::default() };
        if let Some(before) = self.replicas[replica].replace(tokio::spawn(controller.run())) {
            before.abort();
        }
    }

    fn pick(&mut self) -> Act {
        let node = NODES[self.random.usize(..NODES.len())];
        match self.random.u8(..12) {
            0..5 => Act::Report(node, self.random.u8(..3) > 0),
            5 => Act::Withdraw(node),
            6 => Act::DropWatches,
            7 => Act::Compact,
            8 => Act::RestartServer,
            9 if self.random.bool() => Act::RestartAggregator,
            9 => Act::Depose,
            10 => Act::Refuse(self.random.u8(..5)),
            _ if self.random.bool() => Act::ForgeReady,
            _ => Act::WriteForeign,
        }
    }

    async fn play(&mut self, act: Act) {
        let reports: Api<StatusReport> = Api::namespaced(self.client.clone(), "default");
        match act {
            Act::Report(node, true) => report(&self.client, node, "True", "").await,
            Act::Report(node, false) => report(&self.client, node, "False", "pool \"a\" overlaps").await,
            Act::Withdraw(node) => {
                let name = format!("config-status.speaker.{node}");
                drop(reports.delete(&name, &DeleteParams::default()).await);
            }
            Act::DropWatches => self.server.close_watches(),
            Act::Compact => {
                self.server.compact();
                self.server.close_watches();
            }
            Act::RestartServer => self.server.restart(Keep::Data),
            Act::RestartAggregator => {
                let replica = self.random.usize(..2);
                self.start_replica(replica);
            }
            Act::Depose => {
                let late = Duration::from_millis(self.random.u64(1..10_000));
                let late = Rule::new(Effect::Latency(late)).agent(AGENT).verb(Verb::Patch);
                self.server.faults().add(late.kind("ConfigurationStatus").next_calls(1));
                let (node, is_well) = (NODES[self.random.usize(..NODES.len())], self.random.bool());
                report(&self.client, node, if is_well { "True" } else { "False" }, "").await;
                tokio::time::sleep(Duration::from_millis(self.random.u64(..200))).await;
                let terms = self.terms.each_ref().map(|term| term.load(Ordering::SeqCst));
                let (leads, next) = if terms[0] > 0 { (0, 1) } else { (1, 0) };
                self.terms[leads].store(0, Ordering::SeqCst);
                self.terms[next].store(terms[leads] + 1, Ordering::SeqCst);
            }
            Act::Refuse(which) => {
                let effect = match which {
                    0 => Effect::Conflict,
                    1 => Effect::TooManyRequests { retry_after: 1 },
                    2 => Effect::InternalError,
                    3 => Effect::ResetBefore,
                    _ => Effect::ResetAfter,
                };
                self.server.faults().add(Rule::new(effect).agent(AGENT).rate(0.6));
            }
            Act::ForgeReady => self.write(&json!([condition("Ready", "True")]), "forger").await,
            Act::WriteForeign => self.write(&json!([condition("Audited", "True")]), "auditor").await,
        }
    }

    async fn write(&self, conditions: &Value, manager: &str) {
        let body = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
            "metadata": { "name": "config-status" }, "status": { "conditions": conditions } });
        let params = PatchParams::apply(manager).force();
        // It may not be there yet.
        drop(self.statuses().patch_status("config-status", &params, &Patch::Apply(&body)).await);
    }

    fn statuses(&self) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), &resource())
    }

    /// What the object says, and what it should say, from a fresh list of everything.
    async fn compare(&self) -> Result<Value, String> {
        let object = self.statuses().get("config-status").await.map_err(|error| error.to_string())?;
        let object = serde_json::to_value(object).unwrap();
        let mut fleet = Fleet::new(&spec(&NODES));
        let reports: Api<StatusReport> = Api::namespaced(self.client.clone(), "default");
        for found in reports.list(&ListParams::default()).await.unwrap() {
            let found = serde_json::to_value(found).unwrap();
            let name = found["metadata"]["name"].as_str().unwrap();
            fleet.report(Origin::status_report(name), of_status_report(&found, "config-status").unwrap());
        }
        let expected = fleet.answer(None, Time::EPOCH);
        let ready = ready(&object).ok_or("there is no Ready")?;
        let said = (ready.status, ready.reason.as_str(), ready.message.as_str());
        let due = (expected.ready.status, expected.ready.reason.as_str(), expected.ready.message.as_str());
        if said != due {
            return Err(format!("it says {said:?}, and should say {due:?}"));
        }
        let reporters = &object["status"]["reporters"];
        if *reporters != json!(expected.reporters) {
            return Err(format!("it counts {reporters}, and should count {:?}", expected.reporters));
        }
        Ok(object)
    }
}

fn day(start: Instant) -> Timestamp {
    Timestamp::UNIX_EPOCH + Duration::from_secs(1_000_000) + start.elapsed()
}

fn resource() -> ApiResource {
    ApiResource::erase::<allready_kube::kinds::ConfigurationStatus>(&())
}

fn condition(type_: &str, status: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": "Said", "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" })
}

fn ready(object: &Value) -> Option<Condition> {
    Some(found::of_object(object).find("Ready")?.to_condition(Time::EPOCH))
}

#[tokio::test(start_paused = true)]
async fn never_green_while_red_and_right_five_seconds_after_the_last_fault() {
    let seed =
        std::env::var("ALLREADY_FAULT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_301);
    let mut stage = Stage::new(seed);
    stage.start_replica(0);
    stage.start_replica(1);
    let mut acts: BTreeMap<String, u32> = BTreeMap::new();
    let mut foreign = false;
    while stage.start.elapsed() < Duration::from_mins(10) {
        // Some things at once, and then peace.
        let mut told = Vec::new();
        for _ in 0..=stage.random.u8(..4) {
            let act = stage.pick();
            told.push(act);
            stage.play(act).await;
            tokio::time::sleep(Duration::from_millis(stage.random.u64(..1_500))).await;
        }
        stage.server.faults().clear();
        tokio::time::sleep(SETTLED).await;
        let object = match stage.compare().await {
            Ok(object) => object,
            Err(why) => panic!("seed {seed}, at {:?}, after {told:?}: {why}", stage.start.elapsed()),
        };
        foreign |= found::of_object(&object).find("Audited").is_some();
        if foreign {
            assert!(
                found::of_object(&object).find("Audited").is_some(),
                "seed {seed}: a foreign condition is lost"
            );
        }
        if ready(&object).is_some_and(|ready| ready.status == Status::True) {
            let reports: Api<StatusReport> = Api::namespaced(stage.client.clone(), "default");
            for report in reports.list(&ListParams::default()).await.unwrap() {
                let conditions = report.status.unwrap().conditions;
                assert!(conditions.iter().all(|condition| condition.status == Status::True), "seed {seed}");
            }
        }
        for act in told {
            let name = format!("{act:?}");
            *acts.entry(name.split('(').next().unwrap().to_owned()).or_default() += 1;
        }
    }
    println!("seed {seed}: {acts:?}");
    assert!(foreign, "seed {seed}: nobody else wrote");
}
