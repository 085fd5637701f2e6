//! The StatusAggregations as they come, change and go.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Aggregation, HubKey, HubState, ObjectEvent,
    hostnames::Named,
    standing::{named, version},
};
use crate::engine::Now;

impl HubState {
    pub(super) fn take_aggregation(&mut self, event: ObjectEvent, now: Now) {
        let is_listed = matches!(event, ObjectEvent::InitDone);
        let mut object = None;
        for name in self.watched.apply(event.map(|value| object = Some(value)), now.elapsed) {
            match &object {
                Some(object) => self.aggregate(object, now),
                None => self.stop_aggregating(&name.name),
            }
        }
        if is_listed {
            self.everything_changed();
        }
    }

    fn aggregate(&mut self, object: &Value, now: Now) {
        let name: Arc<str> = named(object).name;
        if let Some(known) = self.aggregations.get_mut(&name)
            && known.spec == object["spec"]
        {
            known.standing = object["status"].clone();
            known.generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            known.version = version(object);
            let is_other = known.remove_clusters(object);
            self.due.insert(HubKey::Aggregation(name));
            if is_other {
                self.turns += 1;
                self.choose_clusters(now);
                self.everything_changed();
            }
            return;
        }
        let before = self.forget_aggregation(&name);
        self.epochs += 1;
        self.turns += 1;
        let mut aggregation =
            Aggregation::new(Arc::clone(&name), self.epochs, object, &self.options, &self.room, now.elapsed);
        aggregation.choose(&self.clusters, now);
        if let Some(before) = before.filter(|before| before.kind == aggregation.kind) {
            aggregation.remembered = before.memory();
        }
        self.aggregations.insert(name, aggregation);
        self.ask_for_decisions(now.elapsed);
        self.everything_changed();
    }

    /// The status of an aggregation was written. What else is new in it comes by the watch, and in order.
    pub(in crate::hub) fn aggregation_written(&mut self, object: &Value) {
        if let Some(known) = self.aggregations.get_mut(&*named(object).name)
            && known.spec == object["spec"]
            && known.version <= version(object)
        {
            known.standing = object["status"].clone();
            known.version = version(object);
        }
    }

    fn stop_aggregating(&mut self, name: &Arc<str>) {
        if self.forget_aggregation(name).is_some() {
            self.turns += 1;
            self.everything_changed();
        }
    }

    /// Takes an aggregation away. Nothing is written for it any more; what it has written is left over until another one is known to
    /// keep it up.
    fn forget_aggregation(&mut self, name: &Arc<str>) -> Option<Aggregation> {
        self.aggregation_changed(name);
        let aggregation = self.aggregations.remove(name)?;
        for object in aggregation.objects.keys() {
            self.leave(&aggregation, object);
        }
        for object in aggregation.subjects.keys() {
            self.endpoints.disown(name, &aggregation.plan.target.kind, object);
            self.claim_hostnames(name, object, Named::default());
        }
        Some(aggregation)
    }

    /// The clusters are others: every aggregation chooses anew. Returns true if one chooses others than before.
    pub(super) fn choose_clusters(&mut self, now: Now) -> bool {
        let mut changed = Vec::new();
        let mut is_other = false;
        for (name, aggregation) in &mut self.aggregations {
            if aggregation.choose(&self.clusters, now) {
                is_other = true;
                let objects = aggregation.subjects.keys().cloned();
                changed.extend(objects.map(|object| (Arc::clone(name), object)));
            }
        }
        for (aggregation, object) in changed {
            self.recall_object(&aggregation, &object);
        }
        is_other
    }
}
