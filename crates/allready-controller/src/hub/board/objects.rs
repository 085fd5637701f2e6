//! The objects of the hub, and what each of them should say.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::{Status, Time};
use allready_kube::{kinds::InstanceReports, refusal::Refusal};
use serde_json::Value;

use super::{Change, Hub, standing::named};
use crate::hub::{ClusterName, Draft, HubFacts, ObjectName, Place, TopicId, reports::recalled_rows};

impl Hub {
    /// Takes what happened to an object of the hub.
    pub(super) fn take_object(&mut self, id: &TopicId, change: Change, now: Duration) {
        let Some(aggregation) = self.aggregations.get_mut(&id.0).filter(|found| found.id() == *id) else {
            return;
        };
        let had_trouble = aggregation.seen.trouble(self.options.patience, now).is_some();
        aggregation.seen.note(&change, now);
        aggregation.is_dirty |= had_trouble;
        match change {
            Change::There(object) => self.object_is_there(&id.0, &object, now),
            Change::Gone(object) => {
                aggregation.versions.remove(&object);
                self.object_is_gone(&id.0, &object);
            }
            Change::Listed => {
                aggregation.is_dirty = true;
                self.reports.look_for_orphans();
            }
            // A restored store counts versions from an earlier one on.
            Change::Listing => aggregation.versions.clear(),
            Change::Failed(_) => aggregation.is_dirty = true,
        }
    }

    fn object_is_there(&mut self, name: &Arc<str>, object: &Value, now: Duration) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let key = named(object);
        let facts = HubFacts::read(object, &aggregation.plan, &aggregation.manager());
        if let Some(version) = facts.version {
            let known = aggregation.versions.entry(key.clone()).or_insert(version);
            if *known > version {
                return; // a watch that is behind our own write
            }
            *known = version;
        }
        let place = Place::Status { aggregation: Arc::clone(name), object: key.clone() };
        if !aggregation.plan.is_chosen(object) {
            // Not chosen, or not any more: nothing of ours stays.
            let is_ours = !facts.ours.is_empty();
            let draft = is_ours.then(|| Draft::calm(Some(aggregation.body(&key, Value::Null))));
            self.object_is_gone(name, &key);
            self.outbox.want(&place, draft, now);
            return;
        }
        let is_new = !aggregation.subjects.contains_key(&key);
        aggregation.is_dirty |= is_new;
        let subject = aggregation.subject(&key);
        // Only these change what is reported of the instances: a status that was written does not.
        let reported = |facts: &HubFacts| (facts.uid.clone(), facts.generation, facts.placed.clone());
        let is_other = subject.facts().map(reported) != Some(reported(&facts));
        subject.hub(Some(facts));
        if is_new {
            self.recall_object(name, &key);
        }
        if is_other {
            self.touch(name, &key, None);
        } else {
            self.touch_alone(name, &key);
        }
    }

    fn object_is_gone(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        aggregation.is_dirty |= aggregation.subjects.contains_key(object);
        aggregation.refused.remove(object);
        aggregation.dns_notes.remove(object);
        aggregation.release(object);
        self.dirty.remove(&(Arc::clone(name), object.clone()));
        self.outbox.forget(&Place::Status { aggregation: Arc::clone(name), object: object.clone() });
        self.reports.look_for_orphans();
    }

    /// What the clusters said before this controller began: what stands in the object, and in the reports beside it.
    pub(super) fn recall_object(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let Some(subject) = aggregation.subjects.get_mut(object) else { return };
        let Some(facts) = subject.facts() else { return };
        for (cluster, instance) in recalled_rows(facts) {
            subject.recall(&cluster, instance);
        }
        for (cluster, instance) in self.reports.said_before(name, object) {
            subject.recall(&cluster, instance);
        }
    }

    /// Looks at every object of which something changed, and says what should stand in it.
    pub(super) fn look_at_objects(&mut self, now: Duration, time: Time) {
        let dirty = std::mem::take(&mut self.dirty);
        for ((name, object), clusters) in dirty {
            self.look_at_object(&name, &object, clusters.as_ref(), now, time);
        }
    }

    fn look_at_object(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        clusters: Option<&BTreeSet<ClusterName>>,
        now: Duration,
        time: Time,
    ) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        let Some(subject) = aggregation.subjects.get(object) else { return };
        let Some(facts) = subject.facts() else { return };
        let place = Place::Status { aggregation: Arc::clone(name), object: object.clone() };
        if facts.is_leaving {
            self.outbox.want(&place, None, now);
            return;
        }
        if let Some(other) = self.claimed_by_another(name, object) {
            let why = format!("the aggregation {other} gives it a status already");
            if let Some(aggregation) = self.aggregations.get_mut(name) {
                aggregation.is_dirty |= aggregation.refused.insert(object.clone(), why).is_none();
            }
            self.outbox.want(&place, None, now);
            return;
        }
        let answer = subject.answer(time);
        // Not everything has been heard yet, and it has not been long: what stands is better than a guess. What is red is not
        // made better by what is not heard yet.
        let is_held = (subject.is_pending() || !self.clusters.is_seen()) && answer.worst != Status::False;
        let news = (answer.worst, answer.standing);
        let wants_reports = answer.is_short || aggregation.plan.reports == InstanceReports::Always;
        if !is_held {
            let draft =
                answer.differs.then(|| Draft { body: Some(aggregation.body(object, answer.status)), news });
            self.outbox.want(&place, draft, now);
        }
        self.look_at_reports(name, object, wants_reports, clusters, now);
        self.look_at_endpoint(name, object, now, time);
    }

    /// The first aggregation by name that gives this object a status too: only one can.
    fn claimed_by_another(&self, name: &Arc<str>, object: &ObjectName) -> Option<Arc<str>> {
        let group = |api_version: &str| api_version.split_once('/').map_or("", |(group, _)| group).to_owned();
        let target = &self.aggregations.get(name)?.plan.target;
        let mut earlier = self.aggregations.range::<Arc<str>, _>(..name);
        let (other, _) = earlier.find(|(_, other)| {
            let of = &other.plan.target;
            of.kind == target.kind
                && group(&of.api_version) == group(&target.api_version)
                && other.subjects.contains_key(object)
        })?;
        Some(Arc::clone(other))
    }

    /// How a status was written.
    pub(super) fn status_written(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        result: Result<Option<Value>, (Refusal, String)>,
        now: Duration,
    ) {
        let place = Place::Status { aggregation: Arc::clone(name), object: object.clone() };
        match result {
            Ok(Some(written)) => {
                if let Some(aggregation) = self.aggregations.get_mut(name) {
                    aggregation.is_dirty |= aggregation.refused.remove(object).is_some();
                    let id = aggregation.id();
                    self.take_object(&id, Change::There(Box::new(written)), now);
                }
            }
            Ok(None) => {}
            Err((refusal, why)) => {
                let Some(aggregation) = self.aggregations.get_mut(name) else {
                    // What is not aggregated any more is cleared once; a missing object needs none of it.
                    if refusal == Refusal::NotFound {
                        self.outbox.forget(&place);
                    }
                    return;
                };
                if !refusal.may_pass() && aggregation.subjects.contains_key(object) {
                    let is_new =
                        aggregation.refused.insert(object.clone(), why.clone()).as_ref() != Some(&why);
                    aggregation.is_dirty |= is_new;
                }
            }
        }
    }
}
