//! The conditions of objects, and what has been counted of them. No clock: the time comes along.

use std::collections::{BTreeMap, HashMap, HashSet};

use allready_core::{Status, Time, found};
use serde_json::Value;

use super::{ConditionMetricsOptions, MetricLabel};

/// Which object: of which feed, and there by namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) feed: u64,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// A condition as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Current {
    pub(super) status: Status,
    pub(super) reason: String,
    /// Since when, as the condition says; where it does not, since it was first seen so.
    pub(super) since: Time,
}

#[derive(Debug)]
struct Object {
    uid: String,
    /// The values of the labels that are the object's own.
    labels: Vec<Option<String>>,
    conditions: BTreeMap<String, Current>,
    /// The counters that go when it goes.
    counted: HashSet<Vec<String>>,
}

/// The conditions of objects, and what has been counted of them.
#[derive(Debug)]
pub(super) struct Store {
    options: ConditionMetricsOptions,
    started: Time,
    objects: HashMap<Key, Object>,
    transitions: BTreeMap<Vec<String>, u64>,
    uncounted: u64,
    /// What a feed has listed since its list began.
    listed: HashMap<u64, HashSet<Key>>,
}

/// One series of conditions that share their labels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Series {
    pub(super) count: u64,
    /// The longest that one of them has had its status.
    pub(super) seconds: i64,
}

impl Store {
    pub(super) fn new(options: ConditionMetricsOptions, started: Time) -> Self {
        Self {
            options,
            started,
            objects: HashMap::new(),
            transitions: BTreeMap::new(),
            uncounted: 0,
            listed: HashMap::new(),
        }
    }

    /// An object as it is now.
    pub(super) fn apply(&mut self, feed: u64, object: &Value, now: Time) {
        let text =
            |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let key = Key { feed, namespace: text("/metadata/namespace"), name: text("/metadata/name") };
        let uid = text("/metadata/uid");
        if let Some(listed) = self.listed.get_mut(&feed) {
            listed.insert(key.clone());
        }
        // One of the same name is another one, and its series begin anew.
        if self.objects.get(&key).is_some_and(|known| known.uid != uid) {
            self.remove(&key);
        }
        let known = self.objects.remove(&key);
        let before = known.as_ref().map(|object| &object.conditions);
        let labels: Vec<_> = self.options.labels.iter().map(|label| label.of_object(object)).collect();
        let conditions = self.read(object, before, now);
        let mut counted = HashSet::new();
        for (type_, current) in &conditions {
            if is_transition(before, type_, current, self.started) {
                let series = values(&self.options.labels, &key, &labels, type_, current);
                self.count(&series);
                counted.insert(series);
            }
        }
        if self.options.labels.contains(&MetricLabel::Name) {
            counted.extend(known.map(|object| object.counted).unwrap_or_default());
        } else {
            counted.clear();
        }
        self.objects.insert(key, Object { uid, labels, conditions, counted });
    }

    fn read(
        &self,
        object: &Value,
        before: Option<&BTreeMap<String, Current>>,
        now: Time,
    ) -> BTreeMap<String, Current> {
        let list = found::of_object(object);
        let mut conditions: BTreeMap<String, Current> = BTreeMap::new();
        for condition in list.conditions() {
            let type_ = &*condition.type_;
            if !self.options.types.is_empty() && !self.options.types.iter().any(|wanted| wanted == type_) {
                continue;
            }
            let known = before.and_then(|before| before.get(type_));
            let known = known.filter(|known| known.status == condition.status).map(|known| known.since);
            let current = Current {
                status: condition.status,
                reason: condition.reason.clone().into_owned(),
                since: condition.since.or(known).unwrap_or(now),
            };
            match conditions.get_mut(type_) {
                // Nobody can say which of them is right.
                Some(other) if other.status != current.status => other.status = Status::Unknown,
                Some(_) => {}
                None => {
                    conditions.insert(type_.to_owned(), current);
                }
            }
        }
        conditions
    }

    fn count(&mut self, series: &Vec<String>) {
        if let Some(count) = self.transitions.get_mut(series) {
            *count += 1;
        } else if self.transitions.len() < self.options.max_series {
            self.transitions.insert(series.clone(), 1);
        } else {
            self.uncounted += 1;
        }
    }

    /// An object that is gone.
    pub(super) fn delete(&mut self, feed: u64, namespace: &str, name: &str) {
        self.remove(&Key { feed, namespace: namespace.to_owned(), name: name.to_owned() });
    }

    fn remove(&mut self, key: &Key) {
        if let Some(object) = self.objects.remove(key) {
            for series in object.counted {
                self.transitions.remove(&series);
            }
        }
    }

    /// A feed begins to list all of its objects.
    pub(super) fn list_begins(&mut self, feed: u64) {
        self.listed.insert(feed, HashSet::new());
    }

    /// A feed has listed all of its objects: the others are gone.
    pub(super) fn list_ends(&mut self, feed: u64) {
        let Some(listed) = self.listed.remove(&feed) else { return };
        let gone = |key: &&Key| key.feed == feed && !listed.contains(*key);
        let gone: Vec<_> = self.objects.keys().filter(gone).cloned().collect();
        for key in &gone {
            self.remove(key);
        }
    }

    /// The names of the labels of every series.
    pub(super) fn label_names(&self) -> Vec<String> {
        let chosen = self.options.labels.iter().map(MetricLabel::name);
        chosen.chain(["type".to_owned(), "status".to_owned()]).collect()
    }

    /// Every series of conditions at this time, in order, as many as are allowed; and how many are left out.
    pub(super) fn series(&self, now: Time) -> (Vec<(Vec<String>, Series)>, usize) {
        let mut all: BTreeMap<Vec<String>, Series> = BTreeMap::new();
        for (key, object) in &self.objects {
            for (type_, current) in &object.conditions {
                let labels = values(&self.options.labels, key, &object.labels, type_, current);
                let series = all.entry(labels).or_default();
                series.count += 1;
                series.seconds = series.seconds.max(now.since(current.since).as_secs());
            }
        }
        let omitted = all.len().saturating_sub(self.options.max_series);
        (all.into_iter().take(self.options.max_series).collect(), omitted)
    }

    /// How often conditions took the status of a series, and how many times that was not counted because there are too many
    /// series.
    pub(super) fn transitions(&self) -> (&BTreeMap<Vec<String>, u64>, u64) {
        (&self.transitions, self.uncounted)
    }
}

/// Whether a condition has taken its status while this process was there to see it.
///
/// `before` are the conditions of the object when it was last seen, if it was.
fn is_transition(
    before: Option<&BTreeMap<String, Current>>,
    type_: &str,
    after: &Current,
    started: Time,
) -> bool {
    let Some(before) = before else { return after.since > started };
    before.get(type_).is_none_or(|before| before.status != after.status)
}

fn values(
    chosen: &[MetricLabel],
    key: &Key,
    of_object: &[Option<String>],
    type_: &str,
    current: &Current,
) -> Vec<String> {
    let chosen =
        chosen.iter().zip(of_object).map(|(label, of_object)| label.value(key, of_object.as_ref(), current));
    chosen.chain([type_.to_owned(), current.status.as_str().to_owned()]).collect()
}
