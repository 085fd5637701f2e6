//! The answer depends on what is, and not on how it came to be.

use std::{collections::BTreeMap, time::Duration};

use allready_core::Time;
use allready_kube::list_watch::WatchEvent;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    super::*,
    stage::{Stage, leases, ms, node, report, reports},
};

/// Everything that there is.
#[derive(Clone, Debug, Default)]
struct World {
    spec: usize,
    reports: BTreeMap<String, &'static str>,
    nodes: BTreeMap<String, bool>,
    leases: BTreeMap<String, i64>,
}

fn spec(index: usize) -> Value {
    let speaker = |instances: Value| json!({ "name": "speaker", "reconcilers": ["configReconciler"], "instances": instances });
    match index {
        0 => json!({ "components": [speaker(json!({ "type": "Names", "names": ["a", "b"] }))] }),
        1 => json!({ "components": [speaker(json!({ "type": "Nodes", "nodes": { "selector": {} } }))] }),
        2 => {
            json!({ "components": [speaker(json!({ "type": "Nodes", "nodes": { "selector": {} } }))], "heartbeat": { "timeoutSeconds": 20 } })
        }
        3 => {
            json!({ "components": [speaker(json!({ "type": "Discovered" }))], "heartbeat": { "timeoutSeconds": 20 } })
        }
        _ => json!({}),
    }
}

#[derive(Clone, Debug)]
enum Act {
    Spec(usize),
    Report(&'static str, Option<&'static str>),
    Node(&'static str, Option<bool>),
    Lease(&'static str, i64),
    /// The watch of this is cut off, and lists again after so many seconds.
    CutOff(u8, u64),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let status = prop::option::of(prop::sample::select(vec!["True", "False", "Unknown"]));
    prop_oneof![
        (0..5_usize).prop_map(Act::Spec),
        (name(), status).prop_map(|(name, status)| Act::Report(name, status)),
        (name(), prop::option::of(any::<bool>())).prop_map(|(name, ready)| Act::Node(name, ready)),
        (name(), 0..100_i64).prop_map(|(name, second)| Act::Lease(name, second)),
        (0..3_u8, 0..30_u64).prop_map(|(watch, seconds)| Act::CutOff(watch, seconds)),
        (0..40_u64).prop_map(Act::Pass),
    ]
}

fn lease(second: i64) -> Facts {
    Facts::Lease(Some(Time::from_second(second).unwrap()))
}

impl World {
    fn objects(&self, watch: &Watch) -> Vec<(&str, Facts)> {
        match watch {
            Watch::Reports { .. } => {
                self.reports.iter().map(|(name, status)| (name.as_str(), report(name, status))).collect()
            }
            Watch::Nodes => self.nodes.iter().map(|(name, ready)| (name.as_str(), node(*ready))).collect(),
            Watch::Leases { .. } => {
                self.leases.iter().map(|(name, second)| (name.as_str(), lease(*second))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lists whatever is watched and has not been listed.
    fn list_new(&self, stage: &mut Stage, listed: &mut BTreeMap<Watch, u64>, now: Duration) {
        let watches: Vec<(Watch, u64)> =
            stage.engine.reconciler.wanted_watches().map(|(watch, number)| (watch.clone(), number)).collect();
        for (watch, number) in watches {
            let is_own = matches!(watch, Watch::Statuses { .. });
            if !is_own && listed.insert(watch.clone(), number) != Some(number) {
                stage.list(&watch, &self.objects(&watch), now);
            }
        }
    }

    fn play(&mut self, acts: &[Act]) -> (Stage, Duration) {
        let mut stage = Stage::with(&spec(self.spec));
        let (mut listed, mut now) = (BTreeMap::new(), ms(0));
        for act in acts {
            self.list_new(&mut stage, &mut listed, now);
            stage.until(now, now);
            match act {
                Act::Spec(index) => {
                    self.spec = *index;
                    stage.change(&spec(*index), now);
                }
                Act::Report(name, Some(status)) => {
                    self.reports.insert((*name).to_owned(), status);
                    stage.see(reports(), WatchEvent::Apply((*name).to_owned(), report(name, status)), now);
                }
                Act::Report(name, None) => {
                    self.reports.remove(*name);
                    stage.see(reports(), WatchEvent::Delete((*name).to_owned()), now);
                }
                Act::Node(name, Some(ready)) => {
                    self.nodes.insert((*name).to_owned(), *ready);
                    stage.see(Watch::Nodes, WatchEvent::Apply((*name).to_owned(), node(*ready)), now);
                }
                Act::Node(name, None) => {
                    self.nodes.remove(*name);
                    stage.see(Watch::Nodes, WatchEvent::Delete((*name).to_owned()), now);
                }
                Act::Lease(name, second) => {
                    self.leases.insert((*name).to_owned(), *second);
                    stage.see(leases(), WatchEvent::Apply((*name).to_owned(), lease(*second)), now);
                }
                Act::CutOff(watch, seconds) => {
                    let watch = [reports(), Watch::Nodes, leases()][usize::from(*watch)].clone();
                    stage.see(watch.clone(), WatchEvent::Failed("cut off".into()), now);
                    let end = now + Duration::from_secs(*seconds);
                    stage.until(now, end);
                    now = end;
                    stage.list(&watch, &self.objects(&watch), now);
                }
                Act::Pass(seconds) => {
                    let end = now + Duration::from_secs(*seconds);
                    stage.until(now, end);
                    now = end;
                }
            }
        }
        self.list_new(&mut stage, &mut listed, now);
        (stage, now)
    }
}

/// The status without the time at which it turned.
fn timeless(status: &Value) -> Value {
    let mut status = status.clone();
    if let Some(ready) = status["conditions"].get_mut(0) {
        ready["lastTransitionTime"] = Value::Null;
    }
    status
}

proptest! {
    #[test]
    fn after_any_history_the_answer_is_that_of_a_fresh_start(acts in prop::collection::vec(act(), 0..40)) {
        let mut world = World::default();
        let (mut stage, now) = world.play(&acts);
        // Longer than any grace period, heartbeat or patience.
        let end = now + Duration::from_mins(10);
        stage.until(now, end);
        let (mut fresh, _) = world.clone().play(&[]);
        fresh.until(ms(0), Duration::from_mins(10));
        prop_assert_eq!(timeless(&stage.status), timeless(&fresh.status), "{:?}", world);
        let forgotten: Vec<_> = stage.forgotten(end).into_iter().map(|(target, _)| target)
            .filter(|target| matches!(target, ConfigTarget::Status(_))).collect();
        prop_assert_eq!(forgotten, []);
    }

    /// A status is True only if everybody who is expected says so.
    #[test]
    fn it_is_never_true_while_somebody_says_otherwise(acts in prop::collection::vec(act(), 0..40)) {
        let mut world = World::default();
        let (mut stage, now) = world.play(&acts);
        stage.until(now, now + ms(100));
        if stage.ready().0 == "True" {
            let counts = |name: &str| {
                world.spec == 0 || world.spec > 2 || world.nodes.contains_key(name) || world.nodes.is_empty()
            };
            for (name, status) in &world.reports {
                prop_assert!(*status == "True" || !counts(name), "{} {:?}", name, world);
            }
        }
    }
}
