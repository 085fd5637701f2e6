//! W: what happens to the conditions of objects over time.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use serde_json::Value;

use super::{
    Context, Finding, ObjectRef, Place, Severity,
    finding::Findings,
    lists, names,
    object::{Subject, is_counted, is_default, span},
};
use allready_core::{Generation, Polarity, Status, Time, condition::excerpt};

/// The versions of objects, as they come.
///
/// Of each object only what the next version is compared with is kept. A breach is told once for each rule and place;
/// [`breaches`](Self::breaches) counts them all.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::lint::{Context, History};
/// use serde_json::json;
///
/// let version = |number: &str, since: &str| json!({ "apiVersion": "example.com/v1", "kind": "Widget",
///     "metadata": { "name": "web", "generation": 1, "resourceVersion": number },
///     "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "AsWished", "message": "",
///         "lastTransitionTime": since, "observedGeneration": 1 }] } });
/// let now: Time = "2026-03-01T10:05:00Z".parse().unwrap();
/// let mut history = History::default();
/// assert!(history.feed(&version("1", "2026-03-01T10:00:00Z"), &Context::at(now)).is_empty());
/// let findings = history.feed(&version("2", "2026-03-01T10:05:00Z"), &Context::at(now));
/// assert_eq!(findings[0].rule.id, "W01");
/// ```
#[derive(Debug, Default)]
pub struct History {
    objects: BTreeMap<Key, Past>,
    breaches: BTreeMap<&'static str, usize>,
}

/// Group, kind, namespace and name; an object of another uid begins anew.
type Key = (String, String, String, String);

/// The part of an object that is kept.
#[derive(Debug, Default)]
struct Past {
    uid: String,
    version: String,
    generation: Option<Generation>,
    seen: Option<Time>,
    /// By the path of the list, then by type.
    lists: BTreeMap<String, BTreeMap<String, Told>>,
    flaps: BTreeMap<(String, String), VecDeque<Time>>,
    /// The object without what may change for nothing, and the status with it.
    sense: u64,
    status: u64,
    idle: VecDeque<Time>,
    lag: Option<Lag>,
    object: ObjectRef,
    told: BTreeSet<(&'static str, String)>,
}

/// A generation that waits to be observed.
#[derive(Clone, Copy, Debug)]
struct Lag {
    since: Time,
    observed: Generation,
    generation: Generation,
}

/// A condition as it was.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    status: Status,
    since: Option<Time>,
    index: usize,
}

impl History {
    /// Takes the next version of an object, seen now, and says what is wrong with the step from the last one.
    pub fn feed(&mut self, object: &Value, context: &Context<'_>) -> Vec<Finding> {
        let subject = Subject::of(object, context);
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
        let mut next = Past {
            uid: uid.to_owned(),
            version: object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned(),
            generation: subject.found.generation,
            seen: Some(context.now),
            object: ObjectRef::of(object),
            lists: read(&subject),
            sense: sense(object),
            status: hash(&object["status"]),
            ..Past::default()
        };
        let mut findings = Findings::of(object);
        let key = key(object);
        let past = self.objects.remove(&key).filter(|past| past.uid == next.uid);
        next.lag = lag(&subject, past.as_ref().and_then(|past| past.lag));
        if let Some(past) = past {
            next.flaps.clone_from(&past.flaps);
            next.idle.clone_from(&past.idle);
            next.told.clone_from(&past.told);
            let mut step =
                Step { subject: &subject, past: &past, next: &mut next, breaches: &mut self.breaches };
            step.look(&mut findings);
        } else if next.lag.is_some() {
            // Since when it has been behind is not known, and told from the object alone.
            next.told.insert(behind());
        }
        if next.lag.is_none() {
            next.told.remove(&behind());
        }
        self.objects.insert(key, next);
        findings.finish()
    }

    /// O08: the objects whose generation has waited for too long while this looked on. They make no events of their own, so
    /// this is to be asked from time to time.
    pub fn overdue(&mut self, context: &Context<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for past in self.objects.values_mut() {
            let Some(Lag { since, observed, generation }) = past.lag else { continue };
            let age = context.now.since(since);
            if age > context.thresholds.stale_after && past.told.insert(behind()) {
                *self.breaches.entry("O08").or_default() += 1;
                let mut of = Findings::about(past.object.clone());
                of.add("O08", Severity::Warning, Place::root().key("status"), || {
                    format!(
                        "it is about generation {observed}, and the object has been at {generation} for {}",
                        span(age)
                    )
                });
                findings.extend(of.finish());
            }
        }
        findings
    }

    /// Tells whether a version of the object was seen.
    pub fn knows(&self, object: &Value) -> bool {
        self.objects.contains_key(&key(object))
    }

    /// Forgets an object that is gone.
    pub fn forget(&mut self, object: &Value) {
        self.objects.remove(&key(object));
    }

    /// The number of objects that are known.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Tells whether no object is known.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The number of breaches of each rule, also where that was told before.
    pub fn breaches(&self) -> &BTreeMap<&'static str, usize> {
        &self.breaches
    }
}

/// The key under which an object that is behind is told once.
fn behind() -> (&'static str, String) {
    ("O08", "status".to_owned())
}

fn key(object: &Value) -> Key {
    let object = ObjectRef::of(object);
    (object.group().to_owned(), object.kind, object.namespace, object.name)
}

fn read(subject: &Subject<'_>) -> BTreeMap<String, BTreeMap<String, Told>> {
    let of_list = |list: &lists::List<'_>| {
        let told =
            list.entries().filter(|(_, condition)| !condition.type_.is_empty()).map(|(index, condition)| {
                let told = Told { status: condition.status, since: condition.since, index };
                (condition.type_.to_string(), told)
            });
        (list.place.path.clone(), told.collect())
    };
    subject.lists.iter().map(of_list).collect()
}

/// From one version to the next.
struct Step<'a, 'b> {
    subject: &'a Subject<'b>,
    past: &'a Past,
    next: &'a mut Past,
    breaches: &'a mut BTreeMap<&'static str, usize>,
}

impl Step<'_, '_> {
    fn look(&mut self, findings: &mut Findings) {
        for (path, conditions) in &self.past.lists {
            for (type_, old) in conditions {
                match self.next.lists.get(path).map(|list| list.get(type_).cloned()) {
                    Some(Some(new)) => self.condition(path, type_, old, &new, findings),
                    Some(None) => self.vanished(path, type_, findings),
                    // The list of a listener goes with the listener, but that of the status stays.
                    None if path == "status.conditions" => self.vanished(path, type_, findings),
                    None => {}
                }
            }
        }
        self.idle(findings);
    }

    /// Counts a breach, and tells it if it is the first at its place.
    fn tell(
        &mut self,
        id: &'static str,
        severity: Severity,
        place: Place,
        message: String,
        findings: &mut Findings,
    ) {
        *self.breaches.entry(id).or_default() += 1;
        if self.next.told.insert((id, place.path.clone())) {
            findings.add(id, severity, place, || message);
        }
    }

    fn place(&self, path: &str, type_: &str, index: usize) -> Place {
        let list = self.subject.lists.iter().find(|list| list.place.path == path);
        list.map_or_else(
            || Place { path: format!("{path}[{}]", excerpt(type_)), pointer: String::new() },
            |list| list.place.entry(index, type_),
        )
    }

    fn condition(&mut self, path: &str, type_: &str, old: &Told, new: &Told, findings: &mut Findings) {
        let place = self.place(path, type_, new.index);
        let name = excerpt(type_);
        if old.status == new.status {
            // That the default of a schema becomes a real time is as it should be.
            let is_first = old.since.is_none_or(|since| since <= Time::EPOCH);
            if let (false, Some(before), Some(after)) = (is_first, old.since, new.since)
                && before != after
            {
                let message =
                    format!("{name} stayed {}, and its time moved from {before} to {after}", new.status);
                self.tell("W01", Severity::Warning, place.key("lastTransitionTime"), message, findings);
            }
            return;
        }
        // Within one second a status may come and go, and the time cannot show it.
        let was_older = |since: Time| self.past.seen.is_some_and(|seen| seen.since(since).as_secs() > 2);
        if let Some(since) = new.since.filter(|since| old.since == Some(*since) && was_older(*since)) {
            let message =
                format!("{name} went from {} to {}, and its time stayed {since}", old.status, new.status);
            self.tell("W02", Severity::Warning, place.key("lastTransitionTime"), message, findings);
        }
        if is_final(type_) && old.status == Status::True && self.past.generation == self.next.generation {
            let message = format!("{name} was True, and is {} for the same generation", new.status);
            self.tell("W06", Severity::Warning, place.key("status"), message, findings);
        }
        let (now, thresholds) = (self.subject.context.now, self.subject.context.thresholds);
        let flaps = self.next.flaps.entry((path.to_owned(), type_.to_owned())).or_default();
        push(flaps, now, thresholds.window, thresholds.max_flaps);
        let count = flaps.len();
        if count > thresholds.max_flaps {
            let message =
                format!("{name} changed its status {count} times within {}", span(thresholds.window));
            self.tell("W03", Severity::Info, place.key("status"), message, findings);
        }
    }

    /// W05.
    fn vanished(&mut self, path: &str, type_: &str, findings: &mut Findings) {
        let semantics = self.subject.semantics(type_);
        let stays = is_counted(semantics.role) && semantics.polarity == Polarity::NormalTrue;
        if stays && self.past.generation == self.next.generation && !self.subject.found.deleting {
            let place = self.place(path, type_, 0);
            // There is no such entry any more.
            let place = Place { pointer: String::new(), ..place };
            let message = format!("{} is gone, and the object is the same", excerpt(type_));
            self.tell("W05", Severity::Warning, place, message, findings);
        }
    }

    /// W04.
    fn idle(&mut self, findings: &mut Findings) {
        let is_write = self.past.version != self.next.version;
        let is_idle = self.past.sense == self.next.sense && self.past.status != self.next.status;
        if !is_write || !is_idle {
            return;
        }
        let (now, thresholds) = (self.subject.context.now, self.subject.context.thresholds);
        push(&mut self.next.idle, now, thresholds.window, thresholds.max_idle_writes);
        let count = self.next.idle.len();
        if count > thresholds.max_idle_writes {
            let window = span(thresholds.window);
            let message = format!("{count} writes within {window} changed nothing but times and wording");
            self.tell("W04", Severity::Info, Place::root().key("status"), message, findings);
        }
    }
}

/// Tells whether an object has a generation that nobody has observed, and since when this was seen.
fn lag(subject: &Subject<'_>, before: Option<Lag>) -> Option<Lag> {
    let generation = subject.found.generation?;
    let tops = subject.top().into_iter().flat_map(|list| list.found.conditions());
    let told = tops.filter(|top| !is_default(top)).filter_map(|top| top.observed);
    let observed = told.chain(subject.found.observed).filter(|observed| !observed.is_none()).max()?;
    if observed >= generation || subject.found.deleting {
        return None;
    }
    // Another generation waits from its own beginning.
    let since = before.filter(|before| before.generation == generation).map(|before| before.since);
    Some(Lag { since: since.unwrap_or(subject.context.now), observed, generation })
}

/// Adds an instant, and drops those that have left the window; no more are kept than are needed to be over the limit.
fn push(times: &mut VecDeque<Time>, now: Time, window: jiff::SignedDuration, most: usize) {
    times.push_back(now);
    while times.front().is_some_and(|first| now.since(*first) > window)
        || times.len() > most.saturating_add(1)
    {
        times.pop_front();
    }
}

/// Types that do not come back.
fn is_final(type_: &str) -> bool {
    matches!(names::base(type_), "Succeeded" | "Failed" | "Complete" | "Completed")
}

/// The sense of an object, without what may differ for nothing: times, wording, versions and bookkeeping.
fn sense(object: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (key, value) in object.as_object().into_iter().flatten() {
        key.hash(&mut hasher);
        match key.as_str() {
            "metadata" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if !matches!(key.as_str(), "resourceVersion" | "managedFields") {
                        (key, hash(value)).hash(&mut hasher);
                    }
                }
            }
            "status" => feel(value, &mut hasher),
            _ => hash(value).hash(&mut hasher),
        }
    }
    hasher.finish()
}

fn feel(value: &Value, hasher: &mut DefaultHasher) {
    const IDLE: &[&str] = &[
        "lastTransitionTime",
        "lastUpdateTime",
        "lastHeartbeatTime",
        "lastProbeTime",
        "lastReconcileTime",
        "message",
    ];
    match value {
        Value::Object(fields) => {
            for (key, field) in fields.iter().filter(|(key, _)| !IDLE.contains(&key.as_str())) {
                key.hash(hasher);
                feel(field, hasher);
            }
        }
        Value::Array(entries) => {
            entries.len().hash(hasher);
            for entry in entries {
                feel(entry, hasher);
            }
        }
        other => hash(other).hash(hasher),
    }
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
