//! Ten minutes in which everything goes wrong on a hub and its clusters, by a schedule that a seed repeats.
//!
//! `ALLREADY_FAULT_SEED=7 cargo test -p allready-controller --test it hub::faults` plays another one.

use std::{collections::BTreeMap, time::Duration};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
    server::Keep,
};
use allready_core::Status;
use allready_kube::kinds::ClusterStatus;
use kube::{Api, Client, ResourceExt, api::ListParams};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{AGENT, CLUSTERS, Stage};

/// The time after the last fault within which the status must be right.
const SETTLED: Duration = Duration::from_secs(5);
/// How long a cluster may be red, or lost, while the hub is green.
const LAG: Duration = Duration::from_secs(8);
/// The time that a cluster may be silent, in seconds.
const CLUSTER_TIMEOUT: u32 = 2;

/// The kinds of objects that the hub makes, and watches.
const OWN: [&str; 4] = ["ClusterStatus", "Lease", "InstanceStatus", "DNSEndpoint"];

/// What the test does next. The hub is the server after the last cluster.
#[derive(Clone, Copy, Debug)]
enum Act {
    Say(usize, &'static str),
    CutOff(usize),
    Return(usize),
    Leave(usize),
    Join(usize),
    DropWatches(usize),
    Compact(usize),
    RestartServer(usize),
    RestartHub,
    Refuse(usize, u8),
    Disturb(usize, bool),
    /// The hub cannot see objects of a kind that it made itself.
    Blind(&'static str),
    Edit(bool),
}

/// What is true of a cluster.
#[derive(Clone, Debug)]
struct Truth {
    said: &'static str,
    is_cut: bool,
    is_joined: bool,
    /// Since when it is not well.
    unwell: Option<Instant>,
}

struct Play {
    stage: Stage,
    random: fastrand::Rng,
    truth: BTreeMap<&'static str, Truth>,
    seed: u64,
}

impl Play {
    fn server(&self, index: usize) -> &ApiServer {
        CLUSTERS.get(index).map_or(&self.stage.hub, |name| &self.stage.spokes[name])
    }

    fn pick(&mut self) -> Act {
        let cluster = self.random.usize(..CLUSTERS.len());
        let server = self.random.usize(..=CLUSTERS.len());
        match self.random.u8(..22) {
            0..7 => Act::Say(cluster, ["True", "True", "False", "Unknown"][self.random.usize(..4)]),
            7 => Act::CutOff(cluster),
            8..10 => Act::Return(cluster),
            10 => Act::Leave(cluster),
            11..13 => Act::Join(cluster),
            13 => Act::DropWatches(server),
            14 => Act::Compact(server),
            15 => Act::RestartServer(server),
            16 => Act::RestartHub,
            17 => Act::Refuse(server, self.random.u8(..5)),
            18 => Act::Disturb(server, self.random.bool()),
            19..21 => Act::Blind(OWN[self.random.usize(..OWN.len())]),
            _ => Act::Edit(self.random.bool()),
        }
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Say(cluster, status) => {
                let message = if status == "True" { "" } else { "Listener certificate is expired" };
                self.stage.say(CLUSTERS[cluster], cluster, status, message).await;
                self.truth(cluster).said = status;
            }
            Act::CutOff(cluster) => {
                self.stage.cut_off(CLUSTERS[cluster]);
                self.truth(cluster).is_cut = true;
            }
            Act::Return(cluster) => {
                self.stage.reconnect(CLUSTERS[cluster]);
                if std::mem::take(&mut self.truth(cluster).is_cut) {}
            }
            Act::Leave(cluster) => {
                // Who is left vouches for the object.
                if self.truth.values().filter(|truth| truth.is_joined).count() > 1 {
                    self.stage.leave(CLUSTERS[cluster]);
                    self.truth(cluster).is_joined = false;
                }
            }
            Act::Join(cluster) => {
                self.stage.join(CLUSTERS[cluster]);
                self.truth(cluster).is_joined = true;
            }
            Act::DropWatches(server) => self.server(server).close_watches(),
            Act::Compact(server) => {
                self.server(server).compact();
                self.server(server).close_watches();
            }
            Act::RestartServer(server) => self.server(server).restart(Keep::Data),
            Act::RestartHub => self.stage.run(),
            Act::Refuse(server, which) => {
                let effect = match which {
                    0 => Effect::Conflict,
                    1 => Effect::TooManyRequests { retry_after: 1 },
                    2 => Effect::InternalError,
                    3 => Effect::ResetBefore,
                    _ => Effect::ResetAfter,
                };
                self.server(server).faults().add(Rule::new(effect).agent(AGENT).rate(0.6));
            }
            Act::Disturb(server, twice) => {
                let effect = if twice { Effect::DuplicateEvent } else { Effect::CloseWatch };
                self.server(server).faults().add(Rule::new(effect).agent(AGENT).rate(0.5));
            }
            Act::Blind(kind) => {
                for verb in [Verb::List, Verb::Watch] {
                    let rule = Rule::new(Effect::Unavailable).agent(AGENT).verb(verb).kind(kind);
                    self.stage.hub.faults().add(rule);
                }
                self.stage.hub.close_watches();
            }
            Act::Edit(strict) => {
                let mode = if strict { "Always" } else { "WhenNeeded" };
                self.stage.aggregate(spec(mode)).await;
            }
        }
        self.look().await;
    }

    fn truth(&mut self, cluster: usize) -> &mut Truth {
        self.truth.get_mut(CLUSTERS[cluster]).unwrap()
    }

    /// Lets time pass, and looks at what stands all the while.
    async fn pass(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            sleep(Duration::from_millis(100)).await;
            self.look().await;
        }
    }

    async fn look(&mut self) {
        let now = Instant::now();
        for truth in self.truth.values_mut() {
            let is_well = !truth.is_joined || (truth.said == "True" && !truth.is_cut);
            truth.unwell = if is_well { None } else { truth.unwell.or(Some(now)) };
        }
        let unwell = self.truth.values().filter_map(|truth| truth.unwell).min();
        if let Some(since) = unwell.filter(|since| now - *since > LAG) {
            let (status, message) = self.stage.programmed().await;
            let at = self.stage.start.elapsed();
            assert_ne!(
                status,
                "True",
                "seed {}, at {at:?}: {message:?} though not since {:?}: {:?}",
                self.seed,
                now - since,
                self.truth
            );
        }
    }

    /// What faults are left, but for clusters that are cut off.
    fn calm(&mut self) {
        for index in 0..=CLUSTERS.len() {
            self.server(index).faults().clear();
        }
    }

    async fn compare(&self) -> Result<(), String> {
        let joined: Vec<_> = self.truth.iter().filter(|(_, truth)| truth.is_joined).collect();
        let words = |wanted: &str, mark: &str| -> Vec<String> {
            let heard = joined.iter().filter(|(_, truth)| !truth.is_cut && truth.said == wanted);
            heard.map(|(name, _)| format!("{name}{mark} Listener certificate is expired")).collect()
        };
        let lost = joined.iter().filter(|(_, truth)| truth.is_cut).count();
        let (bad, unknown) = (words("False", ""), words("Unknown", " (unknown)"));
        let due = match (bad.len(), unknown.len() + lost) {
            (0, 0) => "True",
            (0, _) => "Unknown",
            _ => "False",
        };
        let (status, message) = self.stage.programmed().await;
        if status != due {
            return Err(format!("it says {status} ({message}), and should say {due}: {:?}", self.truth));
        }
        let told = bad.into_iter().chain(unknown).collect::<Vec<_>>().join("; ");
        if lost == 0 && due != "True" && message != told {
            return Err(format!("it says {message:?}, and should say {told:?}"));
        }
        let rows: Vec<_> = joined
            .iter()
            .map(|(name, _)| {
                let index = CLUSTERS.iter().position(|known| known == *name).unwrap();
                json!({ "type": "kuadrant.io/MultiClusterIPAddress", "value": format!("{name}/10.0.0.{index}") })
            })
            .collect();
        let object = self.stage.object().await;
        // Who joined while it is cut off has not said anything yet.
        let stand = &object["status"]["addresses"];
        if *stand != json!(rows) && lost == 0 {
            return Err(format!("it has {stand}, and should have {rows:?}"));
        }
        let statuses: Api<ClusterStatus> =
            Api::default_namespaced(Client::new(self.stage.hub.service(), "default"));
        let statuses = statuses.list(&ListParams::default()).await.unwrap();
        let told: Vec<_> = statuses.items.iter().map(ResourceExt::name_any).collect();
        // One that joins while it is cut off is told of when it has had the time to answer.
        let silent = |name: &str| self.truth[name].is_cut && !told.iter().any(|told| told == name);
        let due: Vec<_> = joined.iter().map(|(name, _)| **name).filter(|name| !silent(name)).collect();
        if told != due {
            return Err(format!("there are ClusterStatuses of {told:?}, and should be of {due:?}"));
        }
        for status in &statuses {
            let conditions = status.status.iter().flat_map(|status| &status.conditions);
            let is_reachable = conditions.into_iter().any(|found| found.status == Status::True);
            // One that was heard may be silent for longer than here.
            if !is_reachable && !self.truth[&*status.name_any()].is_cut {
                return Err(format!("it says {:?} of {}", status.status, status.name_any()));
            }
        }
        Ok(())
    }
}

fn spec(instance_statuses: &str) -> Value {
    json!({ "clusterTimeoutSeconds": CLUSTER_TIMEOUT, "instanceStatuses": instance_statuses })
}

#[tokio::test(start_paused = true)]
async fn never_green_while_a_cluster_is_red_and_right_when_the_faults_are_over() {
    let seed =
        std::env::var("ALLREADY_FAULT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_301);
    let stage = Stage::new(seed).await;
    stage.aggregate(spec("WhenNeeded")).await;
    let well = Truth { said: "True", is_cut: false, is_joined: true, unwell: None };
    let truth = CLUSTERS.map(|name| (name, well.clone())).into();
    let mut play = Play { stage, random: fastrand::Rng::with_seed(seed), truth, seed };
    play.stage.says_within("True", Duration::from_secs(10)).await;
    let mut acts: BTreeMap<String, u32> = BTreeMap::new();
    while play.stage.start.elapsed() < Duration::from_mins(10) {
        let mut told = Vec::new();
        for _ in 0..=play.random.u8(..5) {
            let act = play.pick();
            told.push(act);
            play.act(act).await;
            let pause = Duration::from_millis(play.random.u64(..1_500));
            play.pass(pause).await;
        }
        play.calm();
        play.pass(SETTLED).await;
        if let Err(why) = play.compare().await {
            panic!("seed {seed}, at {:?}, after {told:?}: {why}", play.stage.start.elapsed());
        }
        for act in told {
            let name = format!("{act:?}");
            *acts.entry(name.split('(').next().unwrap().to_owned()).or_default() += 1;
        }
    }
    println!("seed {seed}: {acts:?}");
    assert!(acts.len() >= 8, "seed {seed}: not much happened: {acts:?}");
}
