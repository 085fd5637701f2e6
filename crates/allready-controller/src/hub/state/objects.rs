//! The objects of the hub.

use std::sync::Arc;

use serde_json::Value;

use super::{HubKey, HubState, ObjectEvent, hostnames::Named, standing::named};
use crate::{
    engine::Now,
    hub::{HubFacts, ObjectName, Subject, TopicId, reports::recalled_rows},
};

impl HubState {
    /// Takes what happened to an object of the hub.
    pub(super) fn take_object(&mut self, id: &TopicId, event: ObjectEvent, now: Now) {
        let name = &id.0;
        let Some(aggregation) = self.aggregations.get_mut(name).filter(|found| found.id() == *id) else {
            return;
        };
        // A restored store counts versions from an earlier one on, so a list is always taken.
        if let ObjectEvent::Apply(_, object) = &event
            && !aggregation.objects.is_listing()
            && aggregation.is_outdated(object, now.elapsed)
        {
            self.status_changed(name, &named(object));
            return;
        }
        let (is_listed, is_failure) =
            (matches!(event, ObjectEvent::InitDone), matches!(event, ObjectEvent::Failed(_)));
        let (plan, manager) = (Arc::clone(&aggregation.plan), Arc::clone(&aggregation.manager));
        let (mut shown, was_over) = (None, aggregation.objects.is_over());
        let event = event.map(|object| {
            let facts = HubFacts::read(&object, &plan, &manager);
            let seen = aggregation.see(&object, &facts, now.time);
            shown = Some((object, facts));
            seen
        });
        let changed = aggregation.objects.apply(event, now.elapsed);
        let is_told = aggregation.is_over(shown.as_ref().map(|(object, _)| named(object))) == was_over;
        if let Some((object, facts)) = shown {
            self.object_is_there(name, &object, facts, now);
        } else {
            for object in changed {
                self.object_is_gone(name, &object);
            }
        }
        if is_listed {
            self.everything_changed();
        } else if is_failure || !is_told {
            self.due.insert(HubKey::Aggregation(Arc::clone(name)));
        }
    }

    /// Takes an object as the answer to a write shows it. One that only an answer has shown, no watch would ever take away.
    pub(in crate::hub) fn object_written(&mut self, name: &Arc<str>, object: &Value, now: Now) {
        let key = named(object);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        if aggregation.objects.get(&key).is_some() && !aggregation.is_outdated(object, now.elapsed) {
            let facts = HubFacts::read(object, &aggregation.plan, &aggregation.manager);
            let seen = aggregation.see(object, &facts, now.time);
            aggregation.objects.update(key.clone(), seen);
            if aggregation.is_over(Some(key)) {
                self.due.insert(HubKey::Aggregation(Arc::clone(name)));
            }
            self.object_is_there(name, object, facts, now);
        }
    }

    fn object_is_there(&mut self, name: &Arc<str>, object: &Value, mut facts: HubFacts, now: Now) {
        let key = named(object);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        if aggregation.objects.get(&key).is_none_or(|seen| seen.crowded.is_some()) {
            self.object_is_crowded(name, &key);
            return;
        }
        self.place(name, &key, &mut facts, now.elapsed);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let older = aggregation.subjects.get(&key).and_then(Subject::facts).cloned();
        if let Some(older) = older {
            aggregation.compare(&key, &older, &facts, now.elapsed);
        }
        if !aggregation.plan.is_chosen(object) {
            // Not chosen, or not any more: nothing of ours stays.
            self.object_is_gone(name, &key);
            return;
        }
        let is_new = !aggregation.subjects.contains_key(&key);
        let wants_records = aggregation.plan.dns.is_some();
        let subject = aggregation.subject(&key);
        // Only these change what is reported of the instances: a status that was written does not.
        let reported =
            |facts: &HubFacts| (facts.uid.clone(), facts.generation, facts.placed.clone(), facts.is_leaving);
        let is_other = subject.facts().map(reported) != Some(reported(&facts));
        let named = wants_records.then(|| Named::of(&facts));
        subject.hub(Some(facts));
        if let Some(named) = named {
            if is_new {
                self.endpoints.own(name, &aggregation.plan.target.kind, &key);
            }
            self.claim_hostnames(name, &key, named);
        }
        if is_new {
            self.recall_object(name, &key);
        }
        if is_other {
            self.object_changed(name, &key);
        } else {
            self.status_changed(name, &key);
        }
    }

    /// There is no room for an object any more. Its records and its hostnames are as they were.
    fn object_is_crowded(&mut self, name: &Arc<str>, object: &ObjectName) {
        self.object_changed(name, object);
        if let Some(aggregation) = self.aggregations.get_mut(name) {
            aggregation.contests.remove(object);
            aggregation.reported.remove(object);
            aggregation.release(object);
        }
    }

    /// An object is not there, or not chosen, any more.
    fn object_is_gone(&mut self, name: &Arc<str>, object: &ObjectName) {
        self.object_changed(name, object);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        aggregation.refused.remove(object);
        aggregation.contests.remove(object);
        aggregation.reported.remove(object);
        aggregation.dns_notes.remove(object);
        aggregation.release(object);
        self.endpoints.disown(name, &aggregation.plan.target.kind, object);
        self.claim_hostnames(name, object, Named::default());
    }

    /// Tells an object what the clusters said before this controller began: what stands in it, and in the reports beside it.
    pub(in crate::hub) fn recall_object(&mut self, name: &Arc<str>, object: &ObjectName) {
        let reported = self.reported_before(name, object);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let Some(facts) = aggregation.subjects.get(object).and_then(Subject::facts) else { return };
        let rows = recalled_rows(facts).into_iter();
        let remembered = aggregation.remembered.remove(object).into_iter().flatten();
        let mut recalled: Vec<_> = rows.chain(reported).chain(remembered).collect();
        recalled.retain(|(cluster, _)| aggregation.may_recall(cluster, &self.clusters));
        let Some(subject) = aggregation.subjects.get_mut(object) else { return };
        for (cluster, instance) in recalled {
            subject.recall(&cluster, instance);
        }
    }
}
