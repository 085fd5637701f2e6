//! The verdict on an object in view of what it controls, selects and refers to.
//!
//! A status says how its writer sees the object. What the writer does not look at is here: a Service does not know that nothing
//! has its labels, and a Deployment does not know that its pods cannot start.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::{
    Known, ObjectId, Reference, Relation, Request, events,
    id::text,
    references::GATEWAY,
    relate::{self, ALLREADY, Link},
};
use crate::{
    health::Health,
    judge::{Rule, Verdict, judge},
    registry::Registry,
};
use allready_core::Time;

/// The most parts of a workload that are looked at closely, where none is broken at first sight.
const MAX_PARTS: usize = 5;
/// The field manager of a StatusAggregation, before its name.
const HUB: &str = "allready-hub/";
/// The most steps from one object to another: longer chains of owners and references are circles, or made to exhaust who follows them.
pub(crate) const MAX_STEPS: usize = 32;

/// The verdicts on objects in view of the others, each found once.
pub(crate) struct Assessor<'a> {
    pub(crate) known: &'a Known,
    pub(crate) registry: &'a Registry,
    pub(crate) now: Time,
    done: HashMap<ObjectId, Verdict>,
    under_way: HashSet<ObjectId>,
    /// Set where the question at hand has led back to an object that is under way, or too far: its answer is one for this question alone.
    is_cut: bool,
    /// The objects about whose hope is being asked.
    pub(super) hoping: HashSet<ObjectId>,
    /// The requests that would help to know more.
    pub(crate) wanted: BTreeSet<Request>,
}

impl<'a> Assessor<'a> {
    pub(crate) fn new(known: &'a Known, registry: &'a Registry, now: Time) -> Self {
        let (done, under_way, wanted) = (HashMap::new(), HashSet::new(), BTreeSet::new());
        Self { known, registry, now, done, under_way, is_cut: false, hoping: HashSet::new(), wanted }
    }

    /// The verdict on an object by itself; nothing where it has not been seen.
    pub(crate) fn alone(&self, id: &ObjectId) -> Option<Verdict> {
        let judged = self.known.verdict(id).cloned();
        judged.or_else(|| self.known.object(id).map(|object| judge(object, self.registry, self.now)))
    }

    /// The verdict on an object in view of the others.
    pub(crate) fn assess(&mut self, id: &ObjectId) -> Option<Verdict> {
        if let Some(verdict) = self.done.get(id) {
            return Some(verdict.clone());
        }
        let mut verdict = self.alone(id)?;
        let is_well = matches!(verdict.health, Health::Healthy | Health::Suspended);
        let is_aggregated = || self.known.object(id).is_some_and(is_from_hub);
        if is_well && !leads_on(id) && !is_aggregated() {
            return Some(verdict);
        }
        if self.under_way.len() >= MAX_STEPS || !self.under_way.insert(id.clone()) {
            self.is_cut = true;
            return Some(verdict);
        }
        let is_outer_cut = std::mem::take(&mut self.is_cut);
        let related = relate::of_object(self.known, id, false);
        let known = self.known;
        // The pods of a Service matter where its endpoints do not suffice.
        let is_served = is_passage(id) && related.findings.is_empty();
        let is_wanted = |request: &Request| {
            let is_of_pods = request.kind().is_some_and(|(_, kind, _)| kind == "Pod");
            !(is_served && is_of_pods || known.is_answered(request))
        };
        self.wanted.extend(related.requests.into_iter().filter(is_wanted));
        if let Some(finding) = related.findings.into_iter().max_by_key(|finding| finding.health)
            && finding.health > verdict.health
        {
            outdo(&mut verdict, finding.rule, finding.health, finding.reason, finding.message);
        }
        if verdict.health < Health::Missing {
            self.lift(id, &mut verdict, &related.links);
        }
        self.under_way.remove(id);
        // In a circle of owners it depends on where one begins what has been seen of an object when its turn comes.
        if !self.is_cut {
            self.done.insert(id.clone(), verdict.clone());
        }
        self.is_cut |= is_outer_cut;
        Some(verdict)
    }

    /// Makes an object Degraded that is on its way, and will not arrive.
    fn lift(&mut self, id: &ObjectId, verdict: &mut Verdict, links: &[Link]) {
        if is_workload(id) {
            if let Some((part, broken)) = self.broken_part(id.kind == "Job", links) {
                let own = std::mem::take(&mut verdict.message);
                let said = if broken.message.is_empty() { &broken.reason } else { &broken.message };
                let semicolon = if own.is_empty() { "" } else { "; " };
                let message = format!("{own}{semicolon}{} {}: {said}", part.kind, part.name);
                outdo(verdict, Rule::PartBroken, Health::Degraded, &broken.reason, message);
                (verdict.since, verdict.writer) = (broken.since, broken.writer);
            }
            return;
        }
        if id.kind == "ConfigurationStatus" {
            self.contradict(verdict, links);
            return self.miss_controller(id, verdict);
        }
        self.miss_controller(id, verdict);
        let is_claim = id.group.is_empty() && id.kind == "PersistentVolumeClaim";
        if let Some(told) =
            events::of_object(self.known, id).into_iter().find(|told| told.reason == "FailedBinding")
            && is_claim
            && verdict.health == Health::Progressing
        {
            outdo(verdict, Rule::BindingFailed, Health::Degraded, &told.reason, told.message);
            (verdict.since, verdict.writer) = (told.time, told.writer);
            return;
        }
        if !needs_references(self.known, id, verdict) {
            return;
        }
        let (known, mut hidden) = (self.known, None);
        for link in links.iter().filter(|link| link.relation == Relation::RefersTo) {
            match known.is_missing(&link.to) {
                Err(request) => {
                    self.wanted.insert(*request);
                }
                Ok(true) if !is_pull_secret(known, id, &link.to) => {
                    let message = format!("{} {} not found", link.to.kind, link.to.name);
                    return outdo(verdict, Rule::NeedsMissing, Health::Degraded, "NotFound", message);
                }
                Ok(_) if names_a_backend(id) && link.to.kind == "Service" => {
                    hidden = hidden.or_else(|| known.hidden(&link.to));
                }
                Ok(_) => {}
            }
        }
        // Without its backend it does nothing.
        if let Some(why) = hidden.filter(|_| verdict.health < Health::Unknown) {
            return outdo(verdict, Rule::NotSeen, Health::Unknown, "NotSeen", why);
        }
        let claims = links.iter().filter(|link| link.to.kind == "PersistentVolumeClaim" && id.kind == "Pod");
        for link in claims {
            let Some(claim) = known.find(&link.to) else { continue };
            if let Some(lost) = self.assess(&claim).filter(|verdict| verdict.health == Health::Degraded) {
                let message = format!("PersistentVolumeClaim {}: {}", claim.name, lost.message);
                outdo(verdict, Rule::ClaimBroken, Health::Degraded, &lost.reason, message);
                (verdict.since, verdict.writer) = (lost.since, lost.writer);
                return;
            }
        }
        let nodes = links.iter().filter(|link| link.to.kind == "Node" && id.kind == "Pod");
        for link in nodes {
            let Some(node) = known.find(&link.to) else { continue };
            if let Some(lost) = self.alone(&node).filter(|verdict| verdict.health == Health::Degraded) {
                let message = format!("Node {}: {}", node.name, lost.message);
                outdo(verdict, Rule::NodeLost, Health::Degraded, &lost.reason, message);
                (verdict.since, verdict.writer) = (lost.since, lost.writer);
            }
        }
    }

    /// Makes a status that is computed from reports no better than they are: its controller may be slow, or not there.
    fn contradict(&mut self, verdict: &mut Verdict, links: &[Link]) {
        for link in links.iter().filter(|link| link.relation == Relation::ReportedBy) {
            let Some(report) = self.known.find(&link.to) else { continue };
            let said = self.alone(&report).filter(|said| said.health == Health::Degraded);
            if let Some(said) = said {
                let message = format!("{} {} says: {}", report.kind, report.name, said.message);
                outdo(verdict, Rule::ReportContradicts, Health::Degraded, &said.reason, message);
                (verdict.since, verdict.writer) = (said.since, said.writer);
                return;
            }
        }
    }

    /// The Lease of the controller that wrote the status of an object: the status names it, or that of the StatusAggregation does.
    fn lease_of(&mut self, id: &ObjectId) -> Option<String> {
        let object = self.known.object(id)?;
        let object = match aggregation_of(object) {
            Some(aggregation) => {
                let aggregation =
                    Reference::to(&ObjectId::new(ALLREADY, "StatusAggregation", "", aggregation));
                if let Err(request) = self.known.is_missing(&aggregation) {
                    self.wanted.insert(*request);
                }
                self.known.object(&self.known.find(&aggregation)?)?
            }
            None if matches!(id.kind.as_str(), "ConfigurationStatus" | "StatusAggregation") => object,
            None => return None,
        };
        Some(text(&object["status"]["controller"], "lease").to_owned())
    }

    /// Makes a status Unknown whose controller is not there any more: nobody would say if it were not true.
    fn miss_controller(&mut self, id: &ObjectId, verdict: &mut Verdict) {
        if verdict.health >= Health::Unknown {
            return;
        }
        let lease = self.lease_of(id).unwrap_or_default();
        let Some((namespace, name)) = lease.split_once('/') else { return };
        let lease = Reference::to(&ObjectId::new("coordination.k8s.io", "Lease", namespace, name));
        let message = match self.known.find(&lease).and_then(|id| self.known.object(&id)) {
            Some(lease) => {
                let spec = &lease["spec"];
                let seconds = spec["leaseDurationSeconds"].as_i64().unwrap_or(15).saturating_mul(2);
                let renewed = text(spec, "renewTime").parse::<Time>().ok();
                let is_alive = renewed.is_some_and(|renewed| self.now.since(renewed).as_secs() <= seconds);
                if is_alive {
                    return;
                }
                format!("its controller is not running: Lease {namespace}/{name} is not renewed any more")
            }
            None => match self.known.is_missing(&lease) {
                Ok(true) => format!("its controller is not running: Lease {namespace}/{name} not found"),
                Ok(false) => return,
                Err(request) => {
                    self.wanted.insert(*request);
                    return;
                }
            },
        };
        outdo(verdict, Rule::ControllerNotRunning, Health::Unknown, "ControllerNotRunning", message);
    }

    /// A part of a workload that is broken, if there is one.
    fn broken_part(&mut self, is_job: bool, links: &[Link]) -> Option<(ObjectId, Verdict)> {
        let controlled = links.iter().filter(|link| link.relation == Relation::Controls);
        let parts: Vec<ObjectId> = controlled.filter_map(|link| self.known.find(&link.to)).collect();
        // A Job makes another pod for one that has failed, and says itself when it gives up.
        let is_retried = |part: &ObjectId| {
            let object = self.known.object(part);
            is_job && object.is_some_and(|pod| text(&pod["status"], "phase") == "Failed")
        };
        let mut parts: Vec<(ObjectId, Verdict)> = parts
            .into_iter()
            .filter(|part| !is_retried(part))
            .filter_map(|part| self.alone(&part).map(|verdict| (part, verdict)))
            .collect();
        if let Some(index) = parts.iter().position(|(_, verdict)| verdict.health == Health::Degraded) {
            return Some(parts.swap_remove(index));
        }
        let is_under_way =
            |verdict: &Verdict| matches!(verdict.health, Health::Progressing | Health::Unknown);
        parts.retain(|(_, verdict)| is_under_way(verdict));
        parts.truncate(MAX_PARTS);
        parts.into_iter().find_map(|(part, _)| {
            let verdict = self.assess(&part).filter(|verdict| verdict.health == Health::Degraded)?;
            // A part that is broken because of its own parts is not the one to name.
            let inner =
                verdict.rule.is_related() && is_workload(&part) && self.under_way.insert(part.clone());
            let inner = inner.then(|| {
                let links = relate::of_object(self.known, &part, false).links;
                let broken = if self.under_way.len() < MAX_STEPS {
                    self.broken_part(part.kind == "Job", &links)
                } else {
                    self.is_cut = true;
                    None
                };
                self.under_way.remove(&part);
                broken
            });
            inner.flatten().or(Some((part, verdict)))
        })
    }
}

/// Gives a verdict the health that was found in view of others, and its reason.
fn outdo(verdict: &mut Verdict, rule: Rule, health: Health, reason: &str, message: String) {
    verdict.health = health;
    verdict.rule = rule;
    verdict.field.clear();
    reason.clone_into(&mut verdict.reason);
    verdict.message = message;
    (verdict.since, verdict.writer) = (None, None);
}

/// Tells whether an object that is well by itself need not be, in view of others.
///
/// ```
/// use allready_inspect::graph::{ObjectId, leads_on};
///
/// assert!(leads_on(&ObjectId::new("", "Service", "shop", "web")));
/// assert!(!leads_on(&ObjectId::new("", "Secret", "shop", "web")));
/// ```
pub fn leads_on(id: &ObjectId) -> bool {
    // Routes and Gateways may name what they are not allowed to.
    is_passage(id)
        || names_a_backend(id)
        || id.group == GATEWAY
        || matches!(id.kind.as_str(), "ConfigurationStatus" | "StatusAggregation")
}

/// The name of the StatusAggregation that gives an object of a hub its status, by the record of who wrote what.
pub(crate) fn aggregation_of(object: &Value) -> Option<&str> {
    let mut records = object["metadata"]["managedFields"].as_array()?.iter();
    records.find_map(|record| {
        let name = text(record, "manager").strip_prefix(HUB)?;
        (text(record, "subresource") == "status").then_some(name)
    })
}

/// The record of who wrote what, with no more than [`aggregation_of`] reads.
pub(crate) fn written_by(aggregation: &str) -> Value {
    json!([{ "manager": format!("{HUB}{aggregation}"), "subresource": "status" }])
}

/// Tells whether a hub has written the status of an object: it is as old as the hub's controller is gone.
///
/// ```
/// use allready_inspect::graph::is_from_hub;
/// use serde_json::json;
///
/// let record = json!({ "manager": "allready-hub/gateways", "operation": "Apply", "subresource": "status" });
/// assert!(is_from_hub(&json!({ "metadata": { "managedFields": [record] } })));
/// assert!(!is_from_hub(&json!({ "metadata": {} })));
/// ```
pub fn is_from_hub(object: &Value) -> bool {
    aggregation_of(object).is_some()
}

/// Tells whether objects of this kind have little to say of themselves, and lead to others that do.
pub(crate) fn is_passage(id: &ObjectId) -> bool {
    matches!((id.group.as_str(), id.kind.as_str()), ("", "Service") | ("discovery.k8s.io", "EndpointSlice"))
}

/// Tells whether objects of this kind name a Service without which they do nothing, and do not say so.
fn names_a_backend(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("networking.k8s.io", "Ingress")
            | ("apiregistration.k8s.io", "APIService")
            | (
                "admissionregistration.k8s.io",
                "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration"
            )
    )
}

pub(super) fn is_workload(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job")
    )
}

/// Tells whether an object waits for what it names: a pod that has not started, a claim that is not bound.
fn needs_references(known: &Known, id: &ObjectId, verdict: &Verdict) -> bool {
    let is_well = matches!(verdict.health, Health::Healthy | Health::Suspended);
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "Pod") => {
            let phase = known.object(id).map_or("", |pod| text(&pod["status"], "phase"));
            !is_well && (phase == "Pending" || phase == "Running") && !known.is_deleted(id)
        }
        ("", "PersistentVolumeClaim") => !is_well,
        _ => names_a_backend(id),
    }
}

/// A secret for pulling images may be missing: another may do, or none be needed.
fn is_pull_secret(known: &Known, id: &ObjectId, reference: &Reference) -> bool {
    let is_running =
        || known.object(id).is_some_and(|pod| text(&pod["status"], "phase") == "Running" && id.kind == "Pod");
    let secrets = known.object(id).and_then(|pod| pod["spec"]["imagePullSecrets"].as_array());
    let is_named = |secret: &Value| text(secret, "name") == reference.name;
    // What a running pod was started with, it does not need any more.
    is_running() || reference.kind == "Secret" && secrets.into_iter().flatten().any(is_named)
}
