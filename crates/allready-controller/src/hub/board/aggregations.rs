//! The StatusAggregations as they come, change and go.

use std::{sync::Arc, time::Duration};

use allready_core::Time;
use serde_json::{Value, json};

use super::{Change, Hub, aggregation::Aggregation, standing::named};
use crate::hub::{Draft, ObjectName, Place};

impl Hub {
    pub(super) fn take_aggregation(&mut self, change: Change, now: Duration) {
        self.seen.note(&change, now);
        match change {
            Change::There(object) => self.aggregate(&object, now),
            Change::Gone(name) => self.stop_aggregating(&name.name, now),
            Change::Listed => {
                self.reports.look_for_orphans();
                self.look_at_remains(now);
            }
            Change::Listing | Change::Failed(_) => {}
        }
    }

    fn aggregate(&mut self, object: &Value, now: Duration) {
        let name: Arc<str> = named(object).name;
        if let Some(known) = self.aggregations.get_mut(&name)
            && known.spec == object["spec"]
        {
            known.standing = object["status"].clone();
            known.generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            known.is_dirty = true;
            return;
        }
        let before = self.aggregations.remove(&name);
        self.epochs += 1;
        self.turns += 1;
        let mut aggregation = Aggregation::new(Arc::clone(&name), self.epochs, object, now);
        aggregation.choose(&self.clusters, now);
        if let Some(before) = before {
            if aggregation.has_kind_of(&before) {
                aggregation.remembered = before.memory();
            }
            for (object, is_ours) in before.touched() {
                if aggregation.may_choose(&object) && aggregation.has_kind_of(&before) {
                    // Whether it is still chosen is found out when it is seen. Nothing is written by the old plan.
                    let place = before.place(&object);
                    self.outbox.forget(&place);
                    if is_ours || self.outbox.is_under_way(&place) {
                        aggregation.inherited.insert(object);
                    }
                } else {
                    self.clear(&before, &object, is_ours, now);
                }
            }
        }
        // What was to be taken away for one of this name that went before may be wanted again: that is found out when it is seen.
        for object in self.outbox.of_kind(&name, &aggregation.kind()) {
            if aggregation.may_choose(&object) {
                self.outbox.forget(&aggregation.place(&object));
                aggregation.inherited.insert(object);
            }
        }
        self.dirty.retain(|(of, _), _| *of != name);
        self.aggregations.insert(name, aggregation);
        self.ask_for_decisions(now);
        self.note_dns_trouble(now);
        self.look_for_wanted();
        self.reports.look_for_orphans();
    }

    /// The status of an aggregation was written. What else is new in it comes by the watch, and in order.
    pub(super) fn aggregation_written(&mut self, object: &Value) {
        if let Some(known) = self.aggregations.get_mut(&*named(object).name)
            && known.spec == object["spec"]
        {
            known.standing = object["status"].clone();
            known.is_dirty = true;
        }
    }

    fn stop_aggregating(&mut self, name: &str, now: Duration) {
        if let Some(aggregation) = self.aggregations.remove(name) {
            self.turns += 1;
            self.outbox.forget(&Place::Aggregation(Arc::clone(&aggregation.name)));
            for (object, is_ours) in aggregation.touched() {
                self.clear(&aggregation, &object, is_ours, now);
            }
            self.dirty.retain(|(of, _), _| **of != *name);
            self.reports.look_for_orphans();
            self.touch_refused();
        }
    }

    /// Objects that could not be given a status are looked at again: the reason may be gone.
    pub(super) fn touch_refused(&mut self) {
        let refused = self.aggregations.iter().flat_map(|(name, aggregation)| {
            aggregation.refused.keys().map(|object| (Arc::clone(name), object.clone()))
        });
        for (aggregation, object) in refused.collect::<Vec<_>>() {
            self.touch(&aggregation, &object, None);
        }
    }

    /// Takes away what was written to an object for an aggregation that is not any more, or is another one.
    fn clear(&mut self, aggregation: &Aggregation, object: &ObjectName, is_ours: bool, now: Duration) {
        let place = aggregation.place(object);
        self.outbox.forget(&place);
        // What is under way may take effect all the same.
        if is_ours || self.outbox.is_under_way(&place) {
            let body = aggregation.body(object, Value::Null);
            self.outbox.want(&place, Some(Draft::calm(Some(body))), now);
        }
    }

    /// The clusters are others: every aggregation chooses anew.
    pub(super) fn choose_clusters(&mut self, now: Duration) {
        let mut changed = Vec::new();
        for (name, aggregation) in &mut self.aggregations {
            aggregation.is_dirty = true;
            if aggregation.choose(&self.clusters, now) {
                let objects = aggregation.subjects.keys().cloned();
                changed.extend(objects.map(|object| (Arc::clone(name), object)));
            }
        }
        for (aggregation, object) in changed {
            self.recall_object(&aggregation, &object);
            self.touch(&aggregation, &object, None);
        }
    }

    /// What depends on time alone: whether it is time to say that something of the hub cannot be seen.
    pub(super) fn look_at_hub(&mut self, now: Duration) {
        self.note_dns_trouble(now);
        let is_open = self.clusters.is_unsettled() || self.reports.is_unsettled();
        let mut waiting = Vec::new();
        for (name, aggregation) in &mut self.aggregations {
            aggregation.is_dirty |= is_open || aggregation.seen.is_unsettled();
            if !self.clusters.is_seen() {
                let objects = aggregation.subjects.keys().cloned();
                waiting.extend(objects.map(|object| (Arc::clone(name), object)));
            }
            let contested: Vec<ObjectName> = aggregation.contests.keys().cloned().collect();
            for object in contested {
                aggregation.tell_rival(&object, now);
                waiting.push((Arc::clone(name), object));
            }
            aggregation.contests.retain(|_, contest| !contest.is_over(now));
        }
        for (aggregation, object) in waiting {
            self.touch(&aggregation, &object, None);
        }
    }

    /// Keeps the status of every aggregation.
    pub(super) fn look_at_aggregations(&mut self, now: Duration, time: Time) {
        let patience = self.options.patience;
        let Self { aggregations, clusters, endpoints, reports, outbox, .. } = self;
        for (name, aggregation) in aggregations {
            if !std::mem::take(&mut aggregation.is_dirty) {
                continue;
            }
            let mut trouble = Vec::new();
            if let Some(why) = aggregation.seen.trouble(patience, now) {
                trouble
                    .push(format!("the {}s of the hub cannot be seen: {why}", aggregation.plan.target.kind));
            }
            if let Some(why) = clusters.trouble(patience, now) {
                trouble.push(format!("the clusters cannot be seen: {why}"));
            }
            if let Some(why) = reports.trouble(patience, now) {
                trouble.push(format!("StatusReports cannot be seen: {why}"));
            }
            trouble.extend(reports.refusal());
            let place = Place::Aggregation(Arc::clone(name));
            let is_dns_open =
                aggregation.plan.dns.is_some() && !endpoints.is_listed() && aggregation.dns_trouble.is_none();
            let is_open = (!aggregation.seen.is_listed() && trouble.is_empty()) || is_dns_open;
            if is_open && aggregation.plan.problems.is_empty() && aggregation.refused.is_empty() {
                // It is about to be known, and what stands is better than a guess.
                outbox.want(&place, None, now);
                continue;
            }
            let status = aggregation.status(clusters, &trouble, time);
            let draft = (!stands(&aggregation.standing, &status)).then(|| {
                Draft::calm(Some(json!({
                    "apiVersion": "allready.dev/v1alpha1",
                    "kind": "StatusAggregation",
                    "metadata": { "name": &**name },
                    "status": status,
                })))
            });
            outbox.want(&place, draft, now);
        }
    }
}

/// Whether a status stands: what others add to it is theirs.
fn stands(standing: &Value, wanted: &Value) -> bool {
    wanted.as_object().into_iter().flatten().all(|(name, field)| match (name.as_str(), field) {
        ("conditions", Value::Array(wanted)) => {
            let stands = standing["conditions"].as_array();
            wanted.iter().all(|condition| stands.is_some_and(|stands| stands.contains(condition)))
        }
        _ => standing.get(name) == Some(field),
    })
}
