//! One object that is answered for: what has been seen for it, what stands in it, and what to write next.

mod topics;
mod written;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{Condition, Generation, Status, Time};
use allready_kube::{
    backoff::Backoff,
    kinds::{ConfigurationStatusSpec, Source},
    refusal::Refusal,
};
use serde_json::{Value, json};

use self::written::{owned, ready, status};
use super::{
    Board, Event, Facts, Origin, Sight, Subject, Topic, of_source, of_status_report, own_reports,
    stale::{Stale, Strangers},
};
use crate::pace::{Pace, Pacer, Verdict};

/// How a case is handled.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often the object is written.
    pub pace: Pace,
    /// How long a watch may fail, or a first list may take, before the answer says so.
    pub patience: Duration,
    /// How long to wait after a write that failed.
    pub backoff: Backoff,
    /// How long a reporter must be gone before what it left behind is taken away.
    pub sweep_after: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pace: Pace::default(),
            patience: Duration::from_secs(10),
            backoff: Backoff { min: Duration::from_millis(100), max: Duration::from_secs(10) },
            sweep_after: Duration::from_mins(1),
        }
    }
}

/// One object that is answered for. Time is the duration since any fixed instant, beside the time of day.
#[derive(Debug)]
pub struct Case {
    subject: Subject,
    options: Options,
    board: Board,
    /// What stands in the object, as the last watch or write showed it; none while it is not there.
    standing: Option<Standing>,
    topics: BTreeMap<Topic, Watched>,
    sources: BTreeMap<Topic, Source>,
    epochs: u64,
    pacer: Pacer,
    /// What is being written.
    writing: Option<Value>,
    failures: u32,
    not_before: Duration,
    strangers: Strangers,
}

#[derive(Debug)]
struct Standing {
    version: Option<u64>,
    generation: i64,
    spec: Value,
    /// What of the status is ours.
    owned: Value,
    ready: Option<Condition>,
}

#[derive(Debug)]
struct Watched {
    epoch: u64,
    since: Duration,
    listing: Option<BTreeSet<String>>,
    listed: bool,
    /// Since when it fails, and why it last did. A watch that fails lists anew, so that its end is seen.
    failing: Option<(Duration, String)>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Apply this to the status, and say how that went.
    Write(Value),
    /// Nothing until something is seen or so much time has passed.
    Wait(Option<Duration>),
}

/// The longest that somebody may ask to be left alone: whoever stands between us and the API server may ask for hours.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// The heartbeat of the case itself, for what depends on the time of day alone.
const TICK: Duration = Duration::from_secs(1);

impl Case {
    /// A case of which nothing has been seen yet.
    pub fn new(subject: Subject, options: Options, now: Duration) -> Self {
        let mut case = Self {
            subject,
            options,
            board: Board::new(&ConfigurationStatusSpec::default()),
            standing: None,
            topics: BTreeMap::new(),
            sources: BTreeMap::new(),
            epochs: 0,
            pacer: Pacer::new(options.pace),
            writing: None,
            failures: 0,
            not_before: Duration::ZERO,
            strangers: Strangers::default(),
        };
        case.want_topics(now);
        case
    }

    /// What has to be watched, and the how manieth watch that is: a topic that was given up and is wanted again is listed
    /// anew.
    pub fn topics(&self) -> impl Iterator<Item = (&Topic, u64)> {
        self.topics.iter().map(|(topic, watched)| (topic, watched.epoch))
    }

    /// What is known of the reporters.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether everything that has to be seen has been seen at least once.
    pub fn is_synced(&self) -> bool {
        self.topics.values().all(|watched| watched.listed)
    }

    /// Takes what a watch saw.
    pub fn see(&mut self, sight: Sight, now: Duration) {
        let Sight { topic, epoch, event } = sight;
        let Some(watched) = self.topics.get_mut(&topic).filter(|watched| watched.epoch == epoch) else {
            return;
        };
        match event {
            // That a list begins is no sign that it will be answered.
            Event::Listing => {
                watched.listing = Some(BTreeSet::new());
                if topic == Topic::Own {
                    // A restored store counts versions from an earlier one on.
                    self.forget_version();
                }
            }
            Event::There(object) => {
                match &mut watched.listing {
                    Some(listing) => drop(listing.insert(object.name.clone())),
                    None => watched.failing = None,
                }
                self.there(&topic, &object.name, object.facts, now);
            }
            Event::Gone { name } => self.gone(&topic, &name),
            Event::Listed => {
                watched.listed = true;
                watched.failing = None;
                if let Some(seen) = watched.listing.take() {
                    self.retain(&topic, &seen);
                }
            }
            Event::Failed(why) => {
                watched.listing = None;
                let since = watched.failing.take().map_or(now, |(since, _)| since);
                watched.failing = Some((since, why));
            }
        }
    }

    fn forget_version(&mut self) {
        if let Some(standing) = &mut self.standing {
            standing.version = None;
        }
    }

    fn there(&mut self, topic: &Topic, name: &str, facts: Facts, now: Duration) {
        match facts {
            Facts::Whole(object) => match topic {
                Topic::Own => self.take_own(&object, now),
                Topic::Reports => {
                    let origin = Origin::status_report(name);
                    match of_status_report(&object, &self.subject.name) {
                        Some(report) => self.board.report(origin, report),
                        None => self.board.unreport(&origin),
                    }
                }
                Topic::Source { said, .. } => {
                    let origin = Origin::new(Arc::clone(said), name);
                    match self.sources.get(topic).and_then(|source| of_source(&object, source)) {
                        Some(report) => self.board.report(origin, report),
                        None => self.board.unreport(&origin),
                    }
                }
                _ => {}
            },
            Facts::Node(facts) => self.board.node(name, Some(facts)),
            Facts::Pod(facts) => self.board.pod(name, facts.as_ref()),
            Facts::DaemonSet(facts) => self.board.daemon_set(name, Some(facts)),
            Facts::Lease(renewed) => self.board.heartbeat(name, Some(renewed)),
        }
    }

    fn gone(&mut self, topic: &Topic, name: &str) {
        match topic {
            Topic::Own => self.standing = None,
            Topic::Reports => self.board.unreport(&Origin::status_report(name)),
            Topic::Source { said, .. } => self.board.unreport(&Origin::new(Arc::clone(said), name)),
            Topic::Nodes => self.board.node(name, None),
            Topic::Pods => self.board.pod(name, None),
            Topic::DaemonSets => self.board.daemon_set(name, None),
            Topic::Leases => self.board.heartbeat(name, None),
        }
    }

    /// Forgets what a new list did not show.
    fn retain(&mut self, topic: &Topic, seen: &BTreeSet<String>) {
        let gone: Vec<String> = match topic {
            Topic::Own if seen.contains(&self.subject.name) => Vec::new(),
            Topic::Own => vec![self.subject.name.clone()],
            Topic::Reports => self.board.reporting_in(Origin::STATUS_REPORT),
            Topic::Source { said, .. } => self.board.reporting_in(said),
            Topic::Nodes => self.board.known_nodes(),
            Topic::Pods => self.board.known_pods(),
            Topic::DaemonSets => self.board.known_daemon_sets(),
            Topic::Leases => self.board.known_heartbeats(),
        };
        for name in gone.iter().filter(|name| !seen.contains(*name)) {
            self.gone(topic, name);
        }
    }

    /// Takes the object itself: another spec, the reports that stand in it, and what of its status is ours.
    fn take_own(&mut self, object: &Value, now: Duration) {
        let version = object["metadata"]["resourceVersion"].as_str().and_then(|version| version.parse().ok());
        if let (Some(standing), Some(new)) = (&self.standing, version)
            && standing.version.is_some_and(|known| new < known)
        {
            return; // a watch that is behind our own write
        }
        let spec = object.get("spec").cloned().unwrap_or_else(|| json!({}));
        if self.standing.as_ref().is_none_or(|standing| standing.spec != spec) {
            match serde_json::from_value::<ConfigurationStatusSpec>(spec.clone()) {
                Ok(spec) => {
                    self.board.set_spec(&spec);
                    self.board.gap("spec", None);
                }
                Err(error) => self.board.gap("spec", Some(error.to_string())),
            }
            self.want_topics(now);
        }
        self.take_own_reports(object);
        self.standing = Some(Standing {
            version,
            generation: object["metadata"]["generation"].as_i64().unwrap_or_default(),
            spec,
            owned: owned(&object["status"]),
            ready: ready(object),
        });
    }

    fn take_own_reports(&mut self, object: &Value) {
        let reports = own_reports(object, |prefix, types| {
            let is_expected =
                |component: &str, instance: Option<&str>| self.board.is_expected(component, instance);
            self.board.plan().split(prefix, types, is_expected)
        });
        let known = self.board.reporting_in(OWN);
        for gone in known.iter().filter(|known| !reports.contains_key(*known)) {
            self.board.unreport(&Origin::new(OWN, gone));
        }
        for (prefix, report) in reports {
            self.board.report(Origin::new(OWN, &prefix), report);
        }
    }

    /// What to do next; only who leads may write.
    pub fn next(&mut self, leading: bool, now: Duration, time: Time) -> Step {
        self.board.tick(time);
        let blind = self.note_gaps(now);
        let Some(standing) = self.standing.as_ref().filter(|_| leading && self.writing.is_none()) else {
            return Step::Wait(Some(TICK));
        };
        let mut answer = self.board.answer(standing.ready.as_ref(), time);
        if let Some(wait) = blind.filter(|_| answer.ready.status != Status::False) {
            // Not everything has been seen yet, and it has not been long: what stands is better than a guess. What is red is
            // not made better by what is not seen yet.
            return Step::Wait(Some(wait.min(TICK)));
        }
        let generation = standing.generation;
        answer.ready = answer.ready.observed(Generation::from(Some(generation)));
        let wanted = status(&answer, generation);
        if owned(&wanted) == standing.owned {
            self.pacer.settled();
            return Step::Wait(Some(TICK));
        }
        self.pacer.changed(now);
        let written = standing.ready.as_ref().map(|ready| ready.status);
        if let Some(wait) = self.not_before.checked_sub(now).filter(|wait| !wait.is_zero()) {
            return Step::Wait(Some(wait));
        }
        match self.pacer.decide(answer.ready.status, written, now) {
            Verdict::Write => {
                self.pacer.wrote(now);
                self.writing = Some(owned(&wanted));
                Step::Write(self.body(&wanted))
            }
            Verdict::Wait(wait) => Step::Wait(Some(wait.min(TICK))),
            Verdict::Idle => Step::Wait(Some(TICK)),
        }
    }

    /// Who has left something behind that may be taken away: nobody as long as not everything is seen, or while any watch
    /// fails.
    pub fn stale(&mut self, now: Duration) -> Vec<Stale> {
        let seen =
            |watched: &Watched| watched.listed && watched.listing.is_none() && watched.failing.is_none();
        if !self.topics.values().all(seen) {
            return Vec::new();
        }
        self.strangers.lasting(&self.board, self.options.sweep_after, now)
    }

    /// How a write went: the object as it is now, or why not.
    pub fn wrote(&mut self, result: Result<&Value, Refusal>, chance: f64, now: Duration) {
        let sent = self.writing.take();
        match result {
            Ok(object) => {
                self.take_own(object, now);
                let stands = self.standing.as_ref().map(|standing| &standing.owned);
                if stands == sent.as_ref() {
                    self.failures = 0;
                } else {
                    // Accepted, and not what stands there: somebody owns a part of it too, or changes what is written.
                    self.back_off(None, chance, now);
                }
            }
            Err(refusal) => {
                let asked = if let Refusal::Busy { after } = refusal { after } else { None };
                self.back_off(asked, chance, now);
            }
        }
    }

    fn back_off(&mut self, asked: Option<Duration>, chance: f64, now: Duration) {
        let delay = self.options.backoff.delay(self.failures, chance);
        let asked = asked.unwrap_or_default().min(LONGEST_ASKED);
        self.not_before = now + asked.max(delay);
        self.failures = self.failures.saturating_add(1);
    }

    fn body(&self, status: &Value) -> Value {
        let Subject { api_version, namespace, name } = &self.subject;
        json!({
            "apiVersion": api_version,
            "kind": "ConfigurationStatus",
            "metadata": { "namespace": namespace, "name": name },
            "status": status,
        })
    }
}

/// The kind of the reports that stand in the object itself.
pub(super) const OWN: &str = "ConfigurationStatus";
