//! Counts a member anew from everything that is known of it.

use allready_core::{Condition, Standing, fleet::FleetIndex, reason, rollup::Input};
use allready_kube::kinds::ComponentRole;

use super::{
    super::{judge, plan::PlannedComponent, status::OWN},
    Fleet, Member, Origin, Report,
};

impl Fleet {
    pub(super) fn judge_origin(&mut self, origin: &Origin) {
        if let Some(member) = self.reports.get(origin).map(|held| Member::of(&held.report)) {
            self.judge(&member);
        }
    }

    pub(super) fn judge_node(&mut self, node: &str) {
        let components = self.plan.components.iter().filter(|component| component.instances.are_nodes());
        let members: Vec<_> = components.map(|component| Member::new(&component.name, Some(node))).collect();
        for member in &members {
            self.split_again(&member.to_string());
            self.judge(member);
        }
    }

    /// Asks anew whose the conditions before this slash are, of the object itself: who is expected may be another one now.
    fn split_again(&mut self, prefix: &str) {
        let origin = Origin::new(OWN, prefix);
        let Some(held) = self.reports.get(&origin) else { return };
        let types: Vec<&str> =
            held.report.conditions.iter().map(|condition| condition.type_.as_str()).collect();
        let is_expected = |component: &str, instance: Option<&str>| self.is_expected(component, instance);
        let (component, instance) = self.plan.split(prefix, &types, is_expected);
        let report = Report { component, instance, ..Report::clone(&held.report) };
        self.report(origin, report);
    }

    /// Judges a member anew, from everything that is known.
    pub(super) fn judge(&mut self, member: &Member) {
        let origins = self.reporters.get(member).cloned().unwrap_or_default();
        let node = self.note_absence(member);
        let held: Vec<(&Origin, &Report)> =
            origins.iter().filter_map(|origin| Some((origin, &*self.reports.get(origin)?.report))).collect();
        let instance = member.instance.as_deref();
        let planned = self.plan.component(&member.component);
        let expected = planned.filter(|component| self.expects(component, instance));
        let placed = expected.or_else(|| planned.filter(|_| !held.is_empty()));
        let types = expected.map(|component| component.types.clone());
        let is_stranger =
            expected.is_none() && placed.is_some_and(|component| component.instances.are_nodes());
        let conditions: Vec<Input<'_>> = held
            .iter()
            .flat_map(|(origin, report)| self.counting(origin, report))
            .map(|condition| {
                Input::from(condition).with_polarity(self.plan.polarity(condition.type_.as_str()))
            })
            .collect();
        let is_red = conditions.iter().any(|input| input.standing() == Standing::Bad);
        let is_good =
            !conditions.is_empty() && conditions.iter().all(|input| input.standing() == Standing::Good);
        // Whoever was well leaves with its node; bad news is not taken back by it, until it is clear that the node does not come back.
        let is_gone = node.as_deref().is_some_and(|node| self.is_gone(node));
        let has_left = is_gone && (is_good || node.as_deref().is_some_and(|node| self.has_left(node)));
        let revisions = held.iter().map(|(origin, report)| (origin.kind(), report.revision.as_deref()));
        let doubt = placed
            .and_then(|component| judge::place(self, component, instance))
            .or_else(|| self.heartbeat_doubt(member))
            // Bad news about an older revision is news.
            .or_else(|| judge::revision(revisions, self.plan.revision.as_deref()).filter(|_| !is_red))
            .filter(|_| !(is_gone && is_red));
        let role = match placed {
            Some(component) => Some(component.role),
            None => (!held.is_empty()).then_some(self.plan.unlisted),
        };
        let counted = role.filter(|_| !has_left).map(|role| (role, member.label()));
        if is_stranger {
            self.strangers.extend(origins.iter().cloned());
        } else {
            for origin in &origins {
                self.strangers.remove(origin);
            }
        }
        let before = self.counted.get(member);
        if let Some((role, label)) = before.filter(|before| Some(*before) != counted.as_ref()) {
            index_of(&mut self.required, &mut self.informational, *role).forget(label);
        }
        let Some((role, label)) = counted else {
            self.counted.remove(member);
            return;
        };
        let index = index_of(&mut self.required, &mut self.informational, role);
        match types {
            Some(types) if types.is_empty() => index.expect(&label),
            Some(types) => index.expect_types(&label, types),
            None => index.unexpect(&label),
        };
        if held.is_empty() {
            index.remove(&label);
        } else {
            index.apply(&label, conditions);
        }
        match doubt {
            Some((reason, message)) => index.silence(&label, reason, message),
            None => index.unsilence(&label),
        };
        if self.counted.get(member).is_none_or(|(known_role, known)| (*known_role, known) != (role, &label)) {
            self.counted.insert(member.clone(), (role, label));
        }
    }

    /// The conditions of a report that count. `Ready` of a StatusReport is made of the others, and counts only where it is
    /// worse than all of them.
    fn counting<'a>(
        &self,
        origin: &Origin,
        report: &'a Report,
    ) -> impl Iterator<Item = &'a Condition> + use<'a> {
        let is_summary =
            |condition: &Condition| origin.kind() == Origin::STATUS_REPORT && condition.type_ == *"Ready";
        let standing =
            |condition: &Condition| self.plan.polarity(condition.type_.as_str()).standing(condition.status);
        let (summaries, others): (Vec<_>, Vec<_>) =
            report.conditions.iter().partition(|condition| is_summary(condition));
        let worst = others.iter().map(|condition| standing(condition)).max();
        let counting: Vec<_> = summaries
            .into_iter()
            .filter(|summary| worst.is_none_or(|worst| standing(summary) > worst))
            .collect();
        counting.into_iter().chain(others)
    }

    /// Notes since when the node of a member is not there, and returns it.
    fn note_absence(&mut self, member: &Member) -> Option<String> {
        let is_bound = |component: &PlannedComponent| component.instances.are_nodes();
        self.plan.component(&member.component).filter(|component| is_bound(component))?;
        let node = member.instance.clone()?;
        let reports = |component: &PlannedComponent| {
            self.reporters.contains_key(&Member::new(&component.name, Some(&node)))
        };
        let is_needed = self.plan.components.iter().filter(|component| is_bound(component)).any(reports)
            || self.places.values().any(|nodes| nodes.contains_key(&node));
        if is_needed && !self.nodes.contains_key(&node) {
            self.absent.entry(node.clone()).or_insert(self.clock);
        } else {
            self.absent.remove(&node);
        }
        Some(node)
    }

    /// The doubt that the Leases of a member give cause to.
    fn heartbeat_doubt(&self, member: &Member) -> Option<judge::Doubt> {
        let limit = self.plan.silent_after?;
        let origins = self.reporters.get(member).into_iter().flatten();
        let reports = origins.filter(|origin| origin.kind() == Origin::STATUS_REPORT);
        let reports: Vec<_> = reports.collect();
        let heartbeats: Vec<_> =
            reports.iter().filter_map(|report| self.heartbeats.get(report.name())).collect();
        // News end a silence that was there before a restart; that time has passed since the restart does not.
        let is_news = heartbeats.iter().any(|heartbeat| heartbeat.is_news);
        let was_silent = || {
            heartbeats.iter().any(|heartbeat| heartbeat.was_old)
                || reports
                    .iter()
                    .filter_map(|report| self.reports.get(*report))
                    .any(|held| self.was_silent(&Member::of(&held.report)))
        };
        if !is_news && was_silent() {
            return Some(judge::silent(limit));
        }
        let latest =
            heartbeats.iter().filter(|heartbeat| !heartbeat.gone).map(|heartbeat| heartbeat.seen).max();
        match latest {
            Some(seen) => judge::heartbeat(seen, limit, self.now),
            None if heartbeats.is_empty() => None,
            None => Some((reason!("HeartbeatLost"), "its Lease is gone".to_owned())),
        }
    }
}

fn index_of<'a>(
    deciding: &'a mut FleetIndex,
    informational: &'a mut FleetIndex,
    role: ComponentRole,
) -> &'a mut FleetIndex {
    match role {
        ComponentRole::Required => deciding,
        ComponentRole::Informational => informational,
    }
}
