//! The objects of the hub, and what each of them should say.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::{Standing, Time, condition};
use allready_kube::{
    kinds::{InstanceReports, Placement},
    refusal::Refusal,
};
use serde_json::Value;

use super::{Change, Hub, contest, standing::named};
use crate::hub::{
    ClusterName, Doubt, Draft, HubFacts, ObjectName, Place, Subject, TopicId, reports::recalled_rows,
};

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
                aggregation.inherited.remove(&object);
                self.object_is_gone(&id.0, &object);
            }
            Change::Listed => {
                aggregation.is_dirty = true;
                aggregation.inherited.clear();
                self.reports.look_for_orphans();
                self.touch_refused();
            }
            // A restored store counts versions from an earlier one on.
            Change::Listing => aggregation.versions.clear(),
            Change::Failed(_) => aggregation.is_dirty = true,
        }
    }

    fn object_is_there(&mut self, name: &Arc<str>, object: &Value, now: Duration) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        let key = named(object);
        let mut facts = HubFacts::read(object, &aggregation.plan, &aggregation.manager());
        self.place(name, &key, &mut facts, now);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        if let Some(version) = facts.version {
            let known = aggregation.versions.entry(key.clone()).or_insert(version);
            if *known > version {
                // A watch that is behind our own write, or an answer that was overtaken by what somebody wrote after it.
                let newer = aggregation.subjects.get(&key).and_then(Subject::facts).cloned();
                if let Some(newer) = newer {
                    aggregation.compare(&key, &facts, &newer, now);
                }
                return;
            }
            *known = version;
        }
        let older = aggregation.subjects.get(&key).and_then(Subject::facts).cloned();
        if let Some(older) = older {
            aggregation.compare(&key, &older, &facts, now);
        }
        aggregation.inherited.remove(&key);
        let place = aggregation.place(&key);
        if !aggregation.plan.is_chosen(object) {
            // Not chosen, or not any more: nothing of ours stays.
            let is_ours = !facts.ours.is_empty();
            let body = aggregation.body(&key, Value::Null);
            if aggregation.subjects.contains_key(&key) || is_ours {
                self.object_is_gone(name, &key);
            }
            // What is under way may take effect all the same.
            let is_unclear = is_ours || self.outbox.is_under_way(&place);
            self.outbox.want(&place, is_unclear.then(|| Draft::calm(Some(body))), now);
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
            self.touch_others(name, &key);
            self.look_for_wanted();
        }
        if is_other {
            self.touch(name, &key, None);
        } else {
            self.touch_alone(name, &key);
        }
    }

    /// Another aggregation may have to leave an object, or may have it now.
    fn touch_others(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(own) = self.aggregations.get(name) else { return };
        let others = self.aggregations.iter().filter(|(other, found)| {
            *other != name && found.subjects.contains_key(object) && found.has_kind_of(own)
        });
        for other in others.map(|(other, _)| Arc::clone(other)).collect::<Vec<_>>() {
            self.touch(&other, object, None);
        }
    }

    fn object_is_gone(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let place = aggregation.place(object);
        aggregation.is_dirty |= aggregation.subjects.contains_key(object);
        aggregation.refused.remove(object);
        aggregation.contests.remove(object);
        aggregation.reported.remove(object);
        aggregation.dns_notes.remove(object);
        aggregation.release(object);
        self.dirty.remove(&(Arc::clone(name), object.clone()));
        self.outbox.forget(&place);
        self.reports.look_for_orphans();
        self.touch_others(name, object);
    }

    /// What the clusters said before this controller began: what stands in the object, and in the reports beside it.
    pub(super) fn recall_object(&mut self, name: &Arc<str>, object: &ObjectName) {
        let reported = self.reported_before(name, object);
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let Some(subject) = aggregation.subjects.get_mut(object) else { return };
        let Some(facts) = subject.facts() else { return };
        let rows = recalled_rows(facts).into_iter();
        let remembered = aggregation.remembered.remove(object).into_iter().flatten();
        for (cluster, instance) in rows.chain(reported).chain(remembered) {
            if self.clusters.may_be_recalled(&cluster) {
                subject.recall(&cluster, instance);
            }
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
        let place = aggregation.place(object);
        if let Some(other) = self.claimed_by_another(name, object) {
            // What is ours there would never be right again.
            let is_ours = !facts.ours.is_empty();
            let draft = is_ours.then(|| Draft::calm(Some(aggregation.body(object, Value::Null))));
            self.outbox.want(&place, draft, now);
            self.yield_object(name, object, &other);
            return;
        }
        let is_leaving = facts.is_leaving;
        let (answer, is_held) = if self.clusters.is_seen() {
            let answer = subject.answer(time);
            // Not everything has been heard yet, and it has not been long: what stands is better than a guess. What is red, or
            // is not good any more, is not made better by what is not heard yet.
            let is_held = subject.is_pending() && !subject.is_bad() && !is_known_to_be_worse(subject);
            let is_placed_soon = aggregation.plan.placement == Placement::Decided
                && self.placements.are_awaited(self.options.patience, now);
            (answer, is_held || is_placed_soon)
        } else {
            let is_held = now.saturating_sub(self.began) <= aggregation.plan.unreachable_after;
            (without_inventory(subject, self.clusters.why_unseen()).answer(time), is_held)
        };
        let news = (answer.worst, answer.standing);
        let wants_reports = answer.is_short || aggregation.plan.reports == InstanceReports::Always;
        // Somebody else writes here too: neither gives way, and neither keeps the server busy.
        let is_put_off = aggregation.contests.get(object).is_some_and(|contest| {
            let is_urgent = || contest::is_urgent(&aggregation.plan, facts, &answer.status);
            contest.is_on(now) && !contest.may_write(is_urgent(), now)
        });
        let is_wanted = answer.differs && !is_held && !is_put_off;
        let draft = is_wanted.then(|| Draft { body: Some(aggregation.body(object, answer.status)), news });
        self.outbox.want(&place, draft, now);
        if !answer.differs
            && let Some(aggregation) = self.aggregations.get_mut(name)
        {
            aggregation.is_dirty |= aggregation.refused.remove(object).is_some();
        }
        // What belongs to an object that is being deleted goes with it.
        if !is_leaving && self.clusters.is_seen() {
            self.look_at_reports(name, object, wants_reports, clusters, now);
            self.look_at_endpoint(name, object, now, time);
        }
    }

    /// Leaves an object to another aggregation.
    fn yield_object(&mut self, name: &Arc<str>, object: &ObjectName, other: &str) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let why = format!("the aggregation {other} gives it a status already");
        aggregation.is_dirty |= aggregation.refused.insert(object.clone(), why).is_none();
        aggregation.contests.remove(object);
        aggregation.tell_rival(object, Duration::ZERO);
        aggregation.reported.remove(object);
        aggregation.note_dns(object, Vec::new());
        self.reports.look_for_orphans();
    }

    /// The first aggregation by name that gives this object a status too: only one can.
    pub(super) fn claimed_by_another(&self, name: &Arc<str>, object: &ObjectName) -> Option<Arc<str>> {
        let own = self.aggregations.get(name)?;
        let mut earlier = self.aggregations.range::<Arc<str>, _>(..name);
        let (other, _) =
            earlier.find(|(_, other)| other.subjects.contains_key(object) && other.has_kind_of(own))?;
        Some(Arc::clone(other))
    }

    /// How a status was written.
    pub(super) fn status_written(
        &mut self,
        place: &Place,
        result: Result<Option<Value>, (Refusal, String)>,
        now: Duration,
    ) {
        let Place::Status { aggregation: name, kind, object } = place else { return };
        let aggregation = self.aggregations.get_mut(name).filter(|found| found.kind() == *kind);
        match (result, aggregation) {
            (Ok(Some(written)), Some(aggregation)) => {
                if let Some(contest) = aggregation.contests.get_mut(object) {
                    contest.wrote(now);
                }
                aggregation.is_dirty |= aggregation.refused.remove(object).is_some();
                // What only an answer has shown, no watch will ever take away.
                let is_known = aggregation.subjects.contains_key(object);
                if is_known || !aggregation.plan.is_chosen(&written) {
                    let id = aggregation.id();
                    self.take_object(&id, Change::There(Box::new(written)), now);
                }
            }
            (Err((refusal, why)), Some(aggregation)) if aggregation.subjects.contains_key(object) => {
                // What may pass and does not is told as well.
                if !refusal.may_pass() || self.outbox.failures(place) >= LASTING {
                    let is_new =
                        aggregation.refused.insert(object.clone(), why.clone()).as_ref() != Some(&why);
                    aggregation.is_dirty |= is_new;
                }
            }
            // What is not aggregated any more is cleared once; a missing object needs none of it.
            (Err((Refusal::NotFound, _)), _) => self.outbox.forget(place),
            (Ok(_) | Err(_), _) => {}
        }
    }
}

/// After how many failures in a row a write is told to be refused, whatever the reason.
pub(super) const LASTING: u32 = 5;

/// Whether a condition stands as good although a cluster that has been heard does not say so.
fn is_known_to_be_worse(subject: &Subject) -> bool {
    let Some(facts) = subject.facts() else { return false };
    let planned = &subject.plan().conditions;
    let is_good = |index: usize, status| planned[index].polarity.standing(status) == Standing::Good;
    let standing: Vec<usize> = (0..planned.len())
        .filter(|index| {
            let stands = condition::find(&facts.conditions, planned[*index].type_.as_str());
            stands.is_some_and(|stands| is_good(*index, stands.status))
        })
        .collect();
    let is_heard = |cluster: &ClusterName| {
        let share = subject.shares().get(cluster);
        share.is_none_or(|share| share.is_known || !matches!(share.doubt, None | Some(Doubt::Pending)))
    };
    !standing.is_empty()
        && subject.expected().filter(|cluster| is_heard(cluster)).any(|cluster| {
            let judged = subject.judged(cluster);
            standing.iter().any(|index| judged.get(*index).is_some_and(|said| !is_good(*index, said.status)))
        })
}

/// The object as it is while it is not known which clusters there are: nobody vouches for it, and what was said last stays.
fn without_inventory(subject: &Subject, why: &str) -> Subject {
    let mut alone = Subject::new(Arc::new(subject.plan().clone()));
    alone.hub(subject.facts().cloned());
    for (cluster, instance) in subject.facts().map(recalled_rows).into_iter().flatten() {
        alone.choose(&cluster);
        alone.recall(&cluster, instance);
        let why = format!("the clusters cannot be seen: {why}").into();
        alone.doubt(&cluster, Some(Doubt::Unreadable { since: None, why }));
    }
    alone
}
