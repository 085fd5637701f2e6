//! All ConfigurationStatuses: events in, writes out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
    time::Duration,
};

use allready_core::Condition;
use allready_kube::{
    backoff::Backoff,
    kinds::ConfigurationStatusSpec,
    list_watch::{Room, Store, WatchEvent, weight},
};
use serde_json::{Value, json};

use super::{
    Facts, Limit, StatusKey, Watch,
    budget::{self, Budget, Bytes},
    status::{Around, StatusState},
};
use crate::{
    engine::{Desired, Now, Pace, Queue, Reconciler, Write, Written},
    polarity,
};

/// Options of the controller of ConfigurationStatuses.
#[derive(Clone, Debug)]
pub struct Options {
    /// The pace at which an object is written.
    pub pace: Pace,
    /// The wait after a write that failed.
    pub backoff: Backoff,
    /// The time for which a watch may fail, or a first list may take, before the answer says so.
    pub patience: Duration,
    /// The time for which a reporter must be gone before its reports are removed.
    pub sweep_after: Duration,
    /// The Lease by which replicas elect a leader, as `namespace/name`: written into each status, with the number of the term, so that
    /// a deposed leader is refused, and everybody can look up whether the answer is still kept up to date.
    pub lease: Option<Arc<str>>,
    /// The most memory for the reports of one namespace.
    pub namespace_limit: Limit,
    /// The most memory for all reports.
    pub total_limit: Limit,
    /// The most bytes, as estimated, of everything else that is kept: nodes, pods, DaemonSets, Leases, the ConfigurationStatuses and
    /// those who are expected by them.
    pub object_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pace: Pace::default(),
            backoff: Backoff { min: Duration::from_millis(100), max: Duration::from_secs(10) },
            patience: Duration::from_secs(10),
            sweep_after: Duration::from_mins(1),
            lease: None,
            namespace_limit: Limit::NAMESPACE,
            total_limit: Limit::TOTAL,
            object_limit: 96 * 1024 * 1024,
        }
    }
}

/// Something that a watch saw.
#[derive(Clone, Debug)]
pub struct ConfigEvent {
    /// The watch.
    pub watch: Watch,
    /// The number of the watch: events of an earlier one are late, and not taken.
    pub number: u64,
    /// The event.
    pub event: WatchEvent<String, Facts>,
}

impl ConfigEvent {
    /// The bytes that it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        match &self.event {
            WatchEvent::Apply(_, Facts::Status(object)) => weight(object),
            WatchEvent::Apply(name, Facts::Report(Some(report))) => budget::cost(name, report),
            _ => 0,
        }
    }
}

/// An object that is written, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigTarget {
    /// The status of a ConfigurationStatus.
    Status(StatusKey),
    /// A ConfigurationStatus that should be there.
    Create(StatusKey),
    /// The reports that reporters of a component left behind in objects of this kind.
    Leftovers {
        /// The ConfigurationStatus that they are for.
        status: StatusKey,
        /// The kind of the objects: StatusReport, or ConfigurationStatus.
        kind: String,
        /// The component.
        component: String,
    },
}

impl fmt::Display for ConfigTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(key) => write!(f, "the status of ConfigurationStatus {key}"),
            Self::Create(key) => write!(f, "ConfigurationStatus {key}"),
            Self::Leftovers { status, component, .. } => {
                write!(f, "the reports of gone instances of {component} for ConfigurationStatus {status}")
            }
        }
    }
}

/// A change of `Ready` that was written.
#[derive(Clone, Debug)]
pub struct ReadyTransition {
    /// The object as it is now.
    pub object: Value,
    /// `Ready` before.
    pub before: Option<Condition>,
    /// `Ready` now.
    pub after: Condition,
}

/// The state of all ConfigurationStatuses.
#[derive(Debug)]
pub struct ConfigReconciler {
    options: Options,
    ensure: BTreeMap<StatusKey, ConfigurationStatusSpec>,
    statuses: BTreeMap<StatusKey, StatusState>,
    watches: BTreeMap<Watch, Watched>,
    budget: Budget,
    /// The room for everything but reports.
    room: Arc<Room>,
    /// The number of the last watch that was begun.
    last: u64,
    /// Changes of `Ready` that nobody was told yet.
    pub(super) transitions: Vec<ReadyTransition>,
}

#[derive(Debug)]
struct Watched {
    number: u64,
    store: Store<String, Facts>,
    /// The statuses that need it.
    subscribers: BTreeSet<StatusKey>,
    /// The bytes of the budget that its reports take.
    taken: Bytes,
    /// True if there was no room at all for a report since the last list began.
    is_over: bool,
    /// The same before that list, while it is not complete.
    was_over: bool,
}

impl Watched {
    fn note(&mut self, event: &WatchEvent<String, Facts>) {
        match event {
            WatchEvent::Init => {
                self.was_over |= self.is_over;
                self.is_over = false;
            }
            WatchEvent::InitDone => self.was_over = false,
            WatchEvent::Apply(..) | WatchEvent::Delete(_) | WatchEvent::Failed(_) => {}
        }
    }

    fn unkept(&self) -> Option<String> {
        (self.is_over || self.was_over).then(|| "there are more reports than there is memory for".to_owned())
    }
}

/// The bytes of the budget that an object takes.
fn bytes(name: &str, facts: Option<&Facts>) -> Bytes {
    match facts {
        Some(Facts::Report(Some(report))) => Bytes::of(name, report),
        _ => Bytes::default(),
    }
}

impl ConfigReconciler {
    /// Nothing has been seen yet. The ConfigurationStatuses in these scopes are answered for, and those in `ensure` made where they
    /// are missing.
    pub fn new(
        scopes: impl IntoIterator<Item = Watch>,
        ensure: impl IntoIterator<Item = (StatusKey, ConfigurationStatusSpec)>,
        options: Options,
    ) -> Self {
        let mut reconciler = Self {
            budget: Budget::new(options.namespace_limit, options.total_limit),
            room: Room::of(options.object_limit),
            options,
            ensure: ensure.into_iter().collect(),
            statuses: BTreeMap::new(),
            watches: BTreeMap::new(),
            last: 0,
            transitions: Vec::new(),
        };
        for scope in scopes {
            reconciler.begin(scope, Duration::ZERO);
        }
        reconciler
    }

    /// A queue for its writes.
    pub fn queue(&self) -> Queue<ConfigTarget> {
        Queue::new(self.options.pace, self.options.backoff, |target| match target {
            ConfigTarget::Status(_) => 0,
            ConfigTarget::Create(_) => 1,
            ConfigTarget::Leftovers { .. } => 2,
        })
        .fair(|target| match target {
            ConfigTarget::Status(key)
            | ConfigTarget::Create(key)
            | ConfigTarget::Leftovers { status: key, .. } => &key.namespace,
        })
    }

    /// The watches that are needed, each with its number.
    pub fn wanted_watches(&self) -> impl Iterator<Item = (&Watch, u64)> {
        self.watches.iter().map(|(watch, watched)| (watch, watched.number))
    }

    fn begin(&mut self, watch: Watch, now: Duration) -> &mut Watched {
        let Self { last, room, .. } = self;
        self.watches.entry(watch).or_insert_with(|| {
            *last += 1;
            Watched {
                number: *last,
                store: Store::new(now).within(room, |name, facts| facts.bytes(name)),
                subscribers: BTreeSet::new(),
                taken: Bytes::default(),
                is_over: false,
                was_over: false,
            }
        })
    }

    /// The statuses to which an object of a watch relates.
    fn related(&self, watch: &Watch, facts: [Option<&Facts>; 2]) -> Vec<StatusKey> {
        let Some(watched) = self.watches.get(watch) else { return Vec::new() };
        let targets: Vec<&String> = facts
            .iter()
            .filter_map(|facts| match facts {
                Some(Facts::Report(Some(report))) => report.target.as_ref(),
                _ => None,
            })
            .collect();
        let is_meant =
            |key: &&StatusKey| !matches!(watch, Watch::Reports { .. }) || targets.contains(&&key.name);
        watched.subscribers.iter().filter(is_meant).cloned().collect()
    }

    /// Takes a ConfigurationStatus that was listed or changed; none where it is gone.
    fn observe_status(&mut self, key: &StatusKey, object: Option<&Value>, is_listed: bool, now: Duration) {
        let around = self.around(&key.namespace);
        let is_new = match (object, self.statuses.get_mut(key)) {
            (Some(object), Some(status)) => status.observe(object, is_listed, around),
            (Some(object), None) => {
                let status = StatusState::new(key.clone(), object, Arc::clone(&self.room), around);
                self.statuses.insert(key.clone(), status);
                true
            }
            (None, _) => self.statuses.remove(key).is_some(),
        };
        if is_new {
            self.subscribe(key, now);
        }
    }

    /// Counts the objects that are followed for each ConfigurationStatus of a namespace that needs them.
    fn around(&self, namespace: &str) -> Around {
        let len = |watch: &Watch| self.watches.get(watch).map_or(0, |watched| watched.store.len());
        let namespace = || namespace.to_owned();
        Around {
            nodes: len(&Watch::Nodes),
            pods: len(&Watch::Pods { namespace: namespace() }),
            leases: len(&Watch::Leases { namespace: namespace() }),
        }
    }

    /// Gives up what is known for a status for which there is no room any more: it says that it knows nothing.
    fn make_room(&mut self, key: &StatusKey, now: Duration) {
        let around = self.around(&key.namespace);
        if self.statuses.get_mut(key).is_some_and(|status| !status.fits(around)) {
            self.subscribe(key, now);
        }
    }

    /// Watches what a status needs, and no more.
    fn subscribe(&mut self, key: &StatusKey, now: Duration) {
        let (wanted, unreadable) = self.statuses.get(key).map(StatusState::watches).unwrap_or_default();
        if let Some(status) = self.statuses.get_mut(key) {
            status.fleet.gap("sources", unreadable);
        }
        for (watch, watched) in &mut self.watches {
            if !wanted.contains(watch)
                && watched.subscribers.remove(key)
                && let Some(status) = self.statuses.get_mut(key)
            {
                status.fleet.gap(&watch.to_string(), None);
                for name in watched.store.keys() {
                    status.apply(watch, name, None, now);
                }
                if matches!(watch, Watch::Leases { .. }) {
                    status.fleet.forget_heartbeats();
                }
            }
        }
        for watch in wanted {
            let watched = self.begin(watch.clone(), now);
            if watched.subscribers.insert(key.clone())
                && let (Some(status), Some(watched)) = (self.statuses.get_mut(key), self.watches.get(&watch))
            {
                for (name, facts) in watched.store.iter() {
                    status.apply(&watch, name, Some(facts), now);
                }
            }
        }
        self.relist_reports(key);
        self.watches.retain(|watch, watched| {
            let is_needed = matches!(watch, Watch::Statuses { .. }) || !watched.subscribers.is_empty();
            if let Some(namespace) = watch.reports_in().filter(|_| !is_needed) {
                self.budget.replace(namespace, watched.taken, Bytes::default());
            }
            is_needed
        });
    }

    /// Watches reports anew where the polarities are others now that decide which of their messages are kept.
    fn relist_reports(&mut self, key: &StatusKey) {
        let Some(status) = self.statuses.get_mut(key) else { return };
        let stated = status.fleet.plan().polarities().clone();
        if std::mem::replace(&mut status.polarities, stated) == status.polarities {
            return;
        }
        for (watch, watched) in &mut self.watches {
            let has_reports = watch.reports_in().is_some() && watched.store.iter().next().is_some();
            if has_reports && watched.subscribers.contains(key) {
                self.last += 1;
                watched.number = self.last;
            }
        }
    }

    /// The event with no more of a report than there is room for. One that cannot be kept at all is as if it were deleted, but that
    /// whoever counts the reports knows that one is missing.
    fn within_budget(
        &mut self,
        watch: &Watch,
        event: WatchEvent<String, Facts>,
    ) -> WatchEvent<String, Facts> {
        let WatchEvent::Apply(name, Facts::Report(Some(report))) = event else { return event };
        let Some(namespace) = watch.reports_in() else {
            return WatchEvent::Apply(name, Facts::Report(Some(report)));
        };
        let facts = Facts::Report(Some(Arc::clone(&report)));
        let keys = self.related(watch, [Some(&facts), None]);
        let plans: Vec<_> =
            keys.iter().filter_map(|key| Some(self.statuses.get(key)?.fleet.plan())).collect();
        let standing = |condition: &Condition| {
            let type_ = condition.type_.as_str();
            let by_plans = plans.iter().map(|plan| plan.polarity(type_).standing(condition.status)).max();
            by_plans.unwrap_or_else(|| polarity::of_report(type_).standing(condition.status))
        };
        let replaced = self.watches.get(watch).map(|watched| bytes(&name, watched.store.get(&name)));
        let kept = self.budget.fit(namespace, &name, &report, replaced.unwrap_or_default(), standing);
        if let Some(report) = kept {
            return WatchEvent::Apply(name, Facts::Report(Some(report)));
        }
        if let Some(watched) = self.watches.get_mut(watch) {
            watched.is_over = true;
        }
        WatchEvent::Delete(name)
    }

    /// Counts the bytes of an object in place of what was there before.
    fn count(&mut self, watch: &Watch, released: Bytes, taken: Bytes) {
        if let (Some(namespace), Some(watched)) = (watch.reports_in(), self.watches.get_mut(watch)) {
            watched.taken.replace(released, taken);
            self.budget.replace(namespace, released, taken);
        }
    }

    /// The watch in which a ConfigurationStatus is seen.
    fn scope(&self, key: &StatusKey) -> Option<(&Watch, &Watched)> {
        self.watches.iter().find(|(watch, _)| match watch {
            Watch::Statuses { api_version, namespace } => {
                *api_version == key.api_version
                    && namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
            }
            _ => false,
        })
    }

    /// Makes a status that should be there and is not.
    fn create(&self, key: &StatusKey) -> Desired<ConfigTarget> {
        let mut desired = Desired::default();
        let is_seen = self.scope(key).is_some_and(|(_, watched)| watched.store.is_current());
        if let Some(spec) = self.ensure.get(key).filter(|_| is_seen) {
            desired.write(ConfigTarget::Create(key.clone()), Write::calm(Some(json!({ "spec": spec }))));
        }
        desired
    }
}

impl Reconciler for ConfigReconciler {
    type Key = StatusKey;
    type Target = ConfigTarget;
    type Event = ConfigEvent;

    fn namespace(key: &StatusKey) -> &str {
        &key.namespace
    }

    fn observe(&mut self, event: ConfigEvent, now: Now, due: &mut BTreeSet<StatusKey>) {
        let ConfigEvent { watch, number, event } = event;
        let Some(watched) = self.watches.get_mut(&watch).filter(|watched| watched.number == number) else {
            return;
        };
        // Whether everything is seen concerns everybody who needs it.
        let concerns_all = !matches!(event, WatchEvent::Apply(..) | WatchEvent::Delete(_))
            || watched.store.unseen_at(Duration::ZERO).is_some();
        if let Watch::Statuses { api_version, .. } = &watch {
            let object = match &event {
                WatchEvent::Apply(_, Facts::Status(object)) => Some(Arc::clone(object)),
                _ => None,
            };
            // The state of each status keeps what matters.
            let event = match event {
                WatchEvent::Apply(name, _) => WatchEvent::Apply(name, Facts::Status(Arc::default())),
                other => other,
            };
            let (is_listed, was_over) = (watched.store.is_listing(), watched.store.is_over());
            let changed = watched.store.apply(event, now.elapsed);
            let known: Vec<_> = changed.iter().map(|name| watched.store.get(name).is_some()).collect();
            let concerns_all = concerns_all || watched.store.is_over() != was_over;
            for (name, is_known) in changed.iter().zip(known) {
                let object = object.as_deref().filter(|_| is_known);
                let Some((namespace, name)) = name.split_once('/') else { continue };
                let key = StatusKey {
                    api_version: api_version.clone(),
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                };
                self.observe_status(&key, object, is_listed, now.elapsed);
                due.insert(key);
            }
            if concerns_all {
                due.extend(self.keys());
            }
            return;
        }
        watched.note(&event);
        let was_over = watched.unkept().is_some() || watched.store.is_over();
        let event = self.within_budget(&watch, event);
        let Some(watched) = self.watches.get_mut(&watch) else { return };
        let changed = watched.store.replace(event, now.elapsed);
        let is_over = watched.unkept().is_some() || watched.store.is_over();
        let concerns_all = concerns_all || is_over != was_over;
        for (name, before) in changed {
            let after = self.watches.get(&watch).and_then(|watched| watched.store.get(&name)).cloned();
            self.count(&watch, bytes(&name, before.as_ref()), bytes(&name, after.as_ref()));
            for key in self.related(&watch, [before.as_ref(), after.as_ref()]) {
                if let Some(status) = self.statuses.get_mut(&key) {
                    status.fleet.wall(now.time);
                    status.apply(&watch, &name, after.as_ref(), now.elapsed);
                }
                due.insert(key);
            }
        }
        if concerns_all && let Some(watched) = self.watches.get(&watch) {
            due.extend(watched.subscribers.iter().cloned());
        }
    }

    fn reconcile(&mut self, key: &StatusKey, now: Now) -> Desired<ConfigTarget> {
        self.make_room(key, now.elapsed);
        let Some(mut status) = self.statuses.remove(key) else { return self.create(key) };
        let (patience, elapsed) = (self.options.patience, now.elapsed);
        let mut desired = Desired::default();
        let (mut is_blind, mut is_current) = (false, true);
        let needed = self.watches.iter().filter(|(_, watched)| watched.subscribers.contains(key));
        for (watch, watched) in needed.chain(self.scope(key)) {
            let store = &watched.store;
            // That there is no room for another object is no doubt about this one.
            let is_itself = matches!(watch, Watch::Statuses { .. });
            let why = store.unseen(patience, elapsed).filter(|_| !(is_itself && store.is_over()));
            status.fleet.gap(&watch.to_string(), why.map(str::to_owned).or_else(|| watched.unkept()));
            is_blind |= !store.is_synced() && why.is_none();
            is_current &= store.is_current();
            desired.look_at(store.unseen_at(patience).filter(|at| *at > elapsed));
            if *watch == Watch::Nodes {
                status.fleet.nodes_listed(store.is_current());
            }
        }
        desired.look_at(status.fleet.tick(elapsed));
        if let Some(write) = status.write(is_blind, &self.options, now) {
            desired.write(ConfigTarget::Status(key.clone()), write);
        }
        // Nobody is taken to be gone while not everything is seen.
        if is_current {
            let (leftovers, next) =
                status.strangers.lasting(&status.fleet, self.options.sweep_after, elapsed);
            desired.look_at(next);
            for ((kind, component), leftovers) in leftovers {
                let target = ConfigTarget::Leftovers { status: key.clone(), kind, component };
                desired.write(target, Write::calm(Some(json!(leftovers))));
            }
        }
        self.statuses.insert(key.clone(), status);
        desired
    }

    fn written(
        &mut self,
        target: &ConfigTarget,
        written: Written,
        _failures: u32,
        now: Now,
        due: &mut BTreeSet<StatusKey>,
    ) {
        let (key, object) = match (target, written) {
            (ConfigTarget::Status(key), Ok(Some(object))) => (key, object),
            (ConfigTarget::Leftovers { status, .. }, Ok(_)) => {
                if let Some(status) = self.statuses.get_mut(status) {
                    status.strangers.removed(now.elapsed);
                }
                return;
            }
            _ => return,
        };
        let around = self.around(&key.namespace);
        let Some(status) = self.statuses.get_mut(key) else { return };
        let is_new = status.observe(&object, false, around);
        if let Some((before, after)) = status.transition() {
            self.transitions.push(ReadyTransition { object, before, after });
        }
        if is_new {
            self.subscribe(key, now.elapsed);
        }
        due.insert(key.clone());
    }

    fn keys(&self) -> Vec<StatusKey> {
        self.statuses
            .keys()
            .chain(self.ensure.keys().filter(|key| !self.statuses.contains_key(key)))
            .cloned()
            .collect()
    }

    fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        let seen = |(watch, watched): (&Watch, &Watched)| {
            // Whether a watch fails is known without waiting.
            let why = watched.store.unseen(Duration::ZERO, Duration::MAX);
            (watch.describe(), why.map_or(Ok(()), |why| Err(why.to_owned())))
        };
        self.watches.iter().map(seen).collect()
    }
}
