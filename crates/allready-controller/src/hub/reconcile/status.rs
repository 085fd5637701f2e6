//! The status of an object of the hub, or that nothing of ours stays in it.

use std::{sync::Arc, time::Duration};

use allready_core::{Standing, condition};
use allready_kube::{
    kinds::{InstanceStatuses, Placement},
    refusal::Refusal,
};
use serde_json::Value;

use crate::{
    engine::{Desired, Now, Write, Written},
    hub::{
        ClusterName, Doubt, Leftover, ObjectName, Subject,
        state::{
            ClusterStatuses, HubKey, HubState, StatusTarget, Target, contest, instance_statuses::LASTING,
        },
    },
};

impl HubState {
    pub(super) fn reconcile_status(&mut self, target: &StatusTarget, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        let body = match self.writer_of(target) {
            Some(name) => match self.aggregations.get(&name) {
                Some(found) if found.subjects.contains_key(&target.object) => {
                    self.leftovers.remove(target);
                    let write = self.decide_status(&name, &target.object, now, &mut desired);
                    if let Some(write) = write {
                        self.in_flight.insert(target.clone());
                        desired.write(Target::Status(target.clone()), write);
                    }
                    return desired;
                }
                Some(found) => match found.objects.get(&target.object) {
                    Some(seen) if let Some(crowded) = &seen.crowded => {
                        self.leftovers.remove(target);
                        let is_free = self.claimed_by_another(&name, &target.object).is_none();
                        let status = crowded.status.as_ref().filter(|_| is_free);
                        let status = status.and_then(|status| serde_json::from_str(status).ok());
                        if status.is_some() {
                            self.in_flight.insert(target.clone());
                        }
                        status.map(|status| found.body(&target.object, status))
                    }
                    // It is there and not chosen.
                    Some(seen) => {
                        let is_unclear = seen.is_ours || self.in_flight.contains(target);
                        let body = is_unclear.then(|| found.body(&target.object, Value::Null));
                        self.leftovers.remove(target);
                        body
                    }
                    None if found.may_choose(&target.object) => {
                        if found.objects.is_complete() {
                            self.leftovers.remove(target);
                            self.in_flight.remove(target);
                        }
                        None
                    }
                    None => self.leftovers.get(target).map(Leftover::nothing),
                },
                None => None,
            },
            // An aggregation that cannot be seen is not one that is gone.
            None if !self.watched.is_synced() || self.watched.unseen_at(Duration::ZERO).is_some() => None,
            None => self.leftovers.get(target).map(Leftover::nothing),
        };
        if let Some(body) = body {
            desired.write(Target::Status(target.clone()), Write::calm(Some(body)));
        }
        desired
    }

    /// Decides the status of an object that an aggregation chooses: what to write, unless it stands.
    fn decide_status(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        now: Now,
        desired: &mut Desired<Target>,
    ) -> Option<Write> {
        if let Some(other) = self.claimed_by_another(name, object) {
            return self.yield_object(name, object, &other);
        }
        let Now { elapsed, time, .. } = now;
        desired.look_at(self.place_again(name, object, elapsed));
        let aggregation = self.aggregations.get_mut(name)?;
        aggregation.contests.retain(|of, contest| of != object || !contest.is_over(elapsed));
        aggregation.tell_rival(object, elapsed);
        let contest = aggregation.contests.get(object);
        desired.look_at(contest.and_then(|contest| contest.ends_at(elapsed)));
        let subject = aggregation.subjects.get(object)?;
        let facts = subject.facts()?;
        let (answer, is_held) = if self.clusters.is_seen() {
            // Not everything has been heard yet, and it has not been long: what stands is better than a guess. What is red, or
            // is not good any more, is not made better by what is not heard yet.
            let is_held = subject.is_pending() && !subject.is_bad() && !is_known_to_be_worse(subject);
            let is_decided = aggregation.plan.placement == Placement::Decided && facts.placement.is_some();
            let is_placed_soon = is_decided && self.placements.are_awaited(self.options.patience, elapsed);
            // Which clusters have left the inventory is about to be known.
            let ClusterStatuses { store, .. } = &self.cluster_statuses;
            let is_listing = !store.is_synced() && store.unseen(self.options.patience, elapsed).is_none();
            desired.look_at(store.unseen_at(self.options.patience).filter(|at| *at > elapsed));
            let is_held = is_held || (is_listing && !subject.is_bad() && !is_known_to_be_worse(subject));
            (subject.answer(time), is_held || is_placed_soon)
        } else {
            let until = self.began + aggregation.plan.cluster_timeout;
            desired.look_at(Some(until).filter(|until| *until > elapsed));
            (without_inventory(subject, self.clusters.why_unseen()).answer(time), elapsed < until)
        };
        // Somebody else writes here too: neither gives way, and neither keeps the server busy.
        let put_off = contest.filter(|contest| contest.is_on(elapsed)).map(|contest| {
            contest.may_write_at(contest::is_urgent(&aggregation.plan, facts, &answer.status))
        });
        let put_off = put_off.filter(|until| *until > elapsed && answer.differs && !is_held);
        desired.look_at(put_off);
        let is_wanted = answer.differs && !is_held && put_off.is_none();
        let wants_reports = answer.is_short || aggregation.plan.instance_statuses == InstanceStatuses::Always;
        // What belongs to an object that is being deleted goes with it.
        let are_reports_open = facts.is_leaving || !self.clusters.is_seen();
        let reported = match wants_reports {
            true => Some(true),
            false if subject.is_pending() => None,
            false => Some(false),
        };
        let write = is_wanted
            .then(|| Write::status(aggregation.body(object, answer.status), answer.worst, answer.standing));
        let is_refusal_over = !answer.differs && aggregation.refused.remove(object).is_some();
        if is_refusal_over {
            self.due.insert(HubKey::Aggregation(Arc::clone(name)));
        }
        if !are_reports_open {
            self.report_instances(name, object, reported);
        }
        write
    }

    /// Notes whether each cluster has a report of its own on an object.
    fn report_instances(&mut self, name: &Arc<str>, object: &ObjectName, reported: Option<bool>) {
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let before = match reported {
            Some(reported) => aggregation.reported.insert(object.clone(), reported),
            None => aggregation.reported.remove(object),
        };
        if before != reported {
            self.reports_changed(name, object);
        }
    }

    /// Leaves an object to another aggregation: what is ours there would never be right again.
    fn yield_object(&mut self, name: &Arc<str>, object: &ObjectName, other: &str) -> Option<Write> {
        let aggregation = self.aggregations.get_mut(name)?;
        let why = format!("the aggregation {other} gives it a status already");
        let is_new = aggregation.refused.insert(object.clone(), why.clone()).as_ref() != Some(&why);
        aggregation.contests.remove(object);
        aggregation.tell_rival(object, Duration::ZERO);
        let is_noted = aggregation.note_dns(object, Vec::new());
        let is_ours = aggregation.objects.get(object).is_some_and(|seen| seen.is_ours);
        let body = is_ours.then(|| aggregation.body(object, Value::Null));
        if is_new || is_noted {
            self.due.insert(HubKey::Aggregation(Arc::clone(name)));
            self.reports_changed(name, object);
        }
        body.map(|body| Write::calm(Some(body)))
    }

    /// Takes how a status was written.
    pub(super) fn status_written(
        &mut self,
        target: &StatusTarget,
        written: Written,
        failures: u32,
        now: Now,
    ) {
        self.in_flight.remove(target);
        let name = self.writer_of(target);
        let aggregation = name.as_ref().and_then(|name| self.aggregations.get_mut(name));
        match (written, name.as_ref().zip(aggregation)) {
            (Ok(Some(object)), Some((name, aggregation))) => {
                if let Some(contest) = aggregation.contests.get_mut(&target.object) {
                    contest.wrote(now.elapsed);
                }
                if aggregation.refused.remove(&target.object).is_some() {
                    self.due.insert(HubKey::Aggregation(Arc::clone(name)));
                }
                if !Leftover::stands(&object, &target.manager) {
                    self.leftovers.remove(target);
                }
                self.object_written(name, &object, now);
            }
            (Err((refusal, why)), Some((name, aggregation)))
                if aggregation.subjects.contains_key(&target.object) =>
            {
                // What may pass and does not is told as well.
                if !refusal.may_pass() || failures >= LASTING {
                    let before = aggregation.refused.insert(target.object.clone(), why.clone());
                    if before != Some(why) {
                        self.due.insert(HubKey::Aggregation(Arc::clone(name)));
                    }
                }
            }
            // What was in flight for an aggregation that is gone is left over in its object; nothing is in one that is cleared, or gone.
            (Ok(Some(object)), None) if Leftover::stands(&object, &target.manager) => {}
            (Ok(_) | Err((Refusal::NotFound, _)), _) => drop(self.leftovers.remove(target)),
            (Err(_), _) => {}
        }
    }
}
/// Returns true if a condition stands as good although a cluster that has been heard does not say so.
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

/// The object as it is while it is not known which clusters there are.
fn without_inventory(subject: &Subject, why: &str) -> Subject {
    let why = format!("the clusters cannot be seen: {why}");
    Subject::doubted(&Arc::new(subject.plan().clone()), subject.facts(), [], &why)
}
