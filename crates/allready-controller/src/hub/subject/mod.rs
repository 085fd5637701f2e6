//! One object of the hub: what each cluster says of it, and what that comes to.

mod aggregated;
mod answer;
mod body;
mod judge;
mod share;
mod specs;
mod tally;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_core::{Condition, Generation, Standing, Time};
use allready_kube::kinds::Placement;

use self::{
    judge::{Shortcoming, Verdict},
    specs::Specs,
    tally::{Counted, Part, Tally, Words},
};
use super::{ClusterName, HubFacts, Instance, Limits, Plan, rows};

pub use answer::Answer;
pub(super) use judge::GONE;
pub use share::{Doubt, Share};

/// One object of the hub, and the shares of the clusters in it. Pure: it is told facts, one at a time and in any order.
///
/// A fact about one cluster costs a few tree operations whatever the number of clusters; another spec, generation or placement of
/// the hub object looks at all of them. What is told of a cluster before it is chosen counts as soon as it is.
///
/// ```
/// use std::sync::Arc;
/// use allready_controller::hub::{HubFacts, Plan, Reader, Subject};
/// use allready_core::Time;
/// use serde_json::json;
///
/// let spec = serde_json::from_value(json!({
///     "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
///     "conditions": [{ "type": "Programmed" }],
/// })).unwrap();
/// let plan = Arc::new(Plan::of(&spec));
/// let reader = Reader::new(&plan);
/// let gateway = |status, message| {
///     let condition = json!({ "type": "Programmed", "status": status, "reason": "R", "message": message });
///     Some(reader.read(&json!({ "metadata": { "name": "web" }, "status": { "conditions": [condition] } })).1)
/// };
/// let mut web = Subject::new(plan.clone());
/// web.hub(Some(HubFacts::default()));
/// for (name, status, message) in [("cluster-2", "True", ""), ("cluster-1", "False", "Listener certificate is expired")] {
///     let name = name.parse().unwrap();
///     web.choose(&name);
///     web.heard(&name, gateway(status, message));
/// }
/// let answer = web.answer(Time::EPOCH);
/// assert_eq!(answer.status["conditions"][0]["status"], "False");
/// assert_eq!(answer.status["conditions"][0]["message"], "cluster-1 Listener certificate is expired");
/// ```
#[derive(Debug)]
pub struct Subject {
    plan: Arc<Plan>,
    limits: Limits,
    facts: Option<HubFacts>,
    /// True if the object is there, and is not to be given a status any more.
    is_released: bool,
    placed: BTreeSet<ClusterName>,
    shares: BTreeMap<ClusterName, Share>,
    /// The words of clusters that are not chosen yet.
    early: BTreeMap<ClusterName, Share>,
    specs: Specs,
    tally: Tally,
    rival: Option<Rival>,
}

/// Somebody else on the hub who keeps writing a condition that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// The type of the condition.
    pub type_: Arc<str>,
    /// The writer, where that is known.
    pub writer: Option<Arc<str>>,
}

impl Subject {
    /// An object of which nothing is known yet.
    pub fn new(plan: Arc<Plan>) -> Self {
        Self {
            limits: Limits::of(&plan.target),
            facts: None,
            is_released: false,
            placed: BTreeSet::new(),
            shares: BTreeMap::new(),
            early: BTreeMap::new(),
            specs: Specs::default(),
            tally: Tally::new(&plan),
            rival: None,
            plan,
        }
    }

    /// An object for which nobody vouches, be it in these clusters or in those of which rows stand: what was said last stays.
    pub(super) fn doubted<'a>(
        plan: &Arc<Plan>,
        facts: Option<&HubFacts>,
        clusters: impl IntoIterator<Item = &'a ClusterName>,
        why: &str,
    ) -> Self {
        let mut alone = Self::new(Arc::clone(plan));
        alone.hub(facts.cloned());
        let mut said = facts.map(super::reports::recalled_rows).unwrap_or_default();
        for cluster in clusters {
            said.entry(cluster.clone()).or_default();
        }
        let doubt = Doubt::Unreadable { since: None, why: why.into() };
        for (cluster, instance) in said {
            alone.choose(&cluster);
            alone.recall(&cluster, instance);
            alone.doubt(&cluster, Some(doubt.clone()));
        }
        alone
    }

    /// The plan that it follows.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes what stands on the hub; none while the object is not there.
    pub fn hub(&mut self, facts: Option<HubFacts>) {
        self.is_released = false;
        self.stands(facts);
    }

    /// Takes what stands on an object of the hub that is there, but is not to be given a status any more: what is ours should go.
    pub fn release(&mut self, facts: HubFacts) {
        self.is_released = true;
        self.stands(Some(facts));
    }

    fn stands(&mut self, facts: Option<HubFacts>) {
        let spec = |facts: &Option<HubFacts>| facts.as_ref().map(|facts| facts.spec.clone());
        let generation = |facts: &Option<HubFacts>| facts.as_ref().map(|facts| facts.generation);
        let is_other_spec = spec(&self.facts) != spec(&facts);
        let is_other = is_other_spec || generation(&self.facts) != generation(&facts);
        let placed = facts.as_ref().and_then(|facts| facts.placed.as_ref());
        let mut placed: BTreeSet<_> = placed.into_iter().flatten().cloned().collect();
        if let Some(facts) = facts.as_ref().filter(|facts| !facts.misplaced.is_empty()) {
            // What cannot be understood takes nobody away.
            placed.extend(self.placed.iter().cloned());
            placed.extend(super::reports::recalled_rows(facts).into_keys());
        }
        let before = std::mem::replace(&mut self.placed, placed);
        self.facts = facts;
        if is_other_spec {
            self.specs.forget_comparisons();
        }
        let mut changed: BTreeSet<_> = before.symmetric_difference(&self.placed).cloned().collect();
        if is_other {
            changed.extend(self.shares.keys().cloned());
        }
        for cluster in &changed {
            self.settle(cluster);
        }
    }

    /// Takes who else keeps writing what is ours, if anybody does: that is told beside it.
    pub fn rival(&mut self, rival: Option<Rival>) {
        self.rival = rival;
    }

    /// The facts of the hub.
    pub fn facts(&self) -> Option<&HubFacts> {
        self.facts.as_ref()
    }

    /// A cluster is among the chosen ones.
    pub fn choose(&mut self, cluster: &ClusterName) {
        if !self.shares.contains_key(cluster) {
            self.shares.insert(cluster.clone(), self.early.remove(cluster).unwrap_or_default());
            self.settle(cluster);
        }
    }

    /// A cluster is not among the chosen ones any more: everything about it is forgotten.
    pub fn forget(&mut self, cluster: &ClusterName) {
        for share in [self.early.remove(cluster), self.shares.remove(cluster)].into_iter().flatten() {
            if let Some(last) = share.last {
                self.specs.release(&last.spec);
            }
        }
        self.settle(cluster);
    }

    /// A cluster has said what its instance is like, or that it has none. Says whether anything is new.
    pub fn heard(&mut self, cluster: &ClusterName, instance: Option<Instance>) -> bool {
        let share = self.share(cluster);
        let was_pending = share.doubt == Some(Doubt::Pending);
        if share.is_known && share.last == instance && !was_pending {
            return false;
        }
        share.is_known = true;
        if was_pending {
            share.doubt = None;
        }
        self.remember(cluster, instance);
        self.settle(cluster);
        true
    }

    /// Takes what a cluster said before the controller began, from what stands: only its rows count, and only until it is heard again.
    pub fn recall(&mut self, cluster: &ClusterName, instance: Instance) {
        let share = self.share(cluster);
        if share.is_known {
            return;
        }
        let before = share.last.clone().unwrap_or_default();
        self.remember(cluster, Some(share::remembered(before, instance)));
        self.settle(cluster);
    }

    /// Takes the doubt about the word of a cluster, if there is one. Returns true if anything is new.
    pub fn doubt(&mut self, cluster: &ClusterName, doubt: Option<Doubt>) -> bool {
        let share = self.share(cluster);
        // Who has been heard is not waited for.
        let doubt = doubt.filter(|doubt| *doubt != Doubt::Pending || !share.is_known);
        if share.doubt == doubt {
            return false;
        }
        share.doubt = doubt;
        self.settle(cluster);
        true
    }

    fn share(&mut self, cluster: &ClusterName) -> &mut Share {
        let is_chosen = self.shares.contains_key(cluster);
        let shares = if is_chosen { &mut self.shares } else { &mut self.early };
        shares.entry(cluster.clone()).or_default()
    }

    fn remember(&mut self, cluster: &ClusterName, instance: Option<Instance>) {
        let kept = instance.map(|instance| Instance { spec: self.specs.take(&instance.spec), ..instance });
        let before = std::mem::replace(&mut self.share(cluster).last, kept);
        if let Some(before) = before {
            self.specs.release(&before.spec);
        }
    }

    /// Returns true if an instance is expected in this cluster.
    pub fn is_expected(&self, cluster: &ClusterName) -> bool {
        match self.plan.placement {
            Placement::Everywhere => self.shares.contains_key(cluster),
            Placement::Annotated | Placement::Decided => self.placed.contains(cluster),
            // Of a cluster that has never been heard it is not known that it has none.
            Placement::Found => {
                self.shares.get(cluster).is_some_and(|share| share.last.is_some() || !share.is_known)
            }
        }
    }

    /// Returns true if it is not known where instances are expected: what places the object cannot be understood, or seen.
    pub fn is_misplaced(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| !answer::misplaced(self, facts).is_empty())
    }

    /// The clusters in which an instance is expected. One that is not chosen is among them where an annotation names it.
    pub fn expected(&self) -> impl Iterator<Item = &ClusterName> {
        let strangers = self.placed.iter().filter(|cluster| !self.shares.contains_key(*cluster));
        self.shares.keys().chain(strangers).filter(|cluster| self.is_expected(cluster))
    }

    /// The share of each chosen cluster.
    pub fn shares(&self) -> &BTreeMap<ClusterName, Share> {
        &self.shares
    }

    /// Returns true if a cluster that matters has not been heard yet, and has not been given up.
    pub fn is_pending(&self) -> bool {
        self.tally.is_pending()
    }

    /// Returns true if an expected instance is bad, and not merely unknown, however strict the answer is: this need not wait for those
    /// that have not been heard yet.
    pub fn is_bad(&self) -> bool {
        self.plan.conditions.iter().any(|planned| planned.broken.is_some())
            || self.tally.conditions.iter().any(|roster| roster.counts().bad > 0)
    }

    /// The generation of the hub object that the last word of a cluster was made from, as far as that is known.
    fn seen(&mut self, cluster: &ClusterName) -> Option<Generation> {
        let instance = self.shares.get(cluster)?.last.as_ref()?;
        self.specs.seen(self.facts.as_ref()?, instance)
    }

    fn generation(&self) -> Generation {
        self.facts.as_ref().map(|facts| facts.generation).unwrap_or_default()
    }

    /// Counts one cluster anew.
    fn settle(&mut self, cluster: &ClusterName) {
        let share = self.shares.get(cluster);
        let is_expected = self.is_expected(cluster);
        let matters = is_expected || self.plan.placement == Placement::Found;
        let is_pending = matters && share.is_some_and(Share::is_pending);
        if !is_expected {
            self.tally.put(cluster, Part { is_pending, counted: None }, None);
            return;
        }
        let seen = self.seen(cluster);
        let share = self.shares.get(cluster);
        let instance = share.and_then(|share| share.last.as_ref());
        let shortcoming = Shortcoming::of(share, seen, self.generation());
        let verdicts =
            self.plan.conditions.iter().enumerate().map(|(index, planned)| {
                (planned, Verdict::of(planned, index, instance, shortcoming.as_ref()))
            });
        let verdicts: Vec<_> = verdicts.collect();
        let fresh = verdicts.iter().map(|(_, verdict)| seen.filter(|_| verdict.is_fresh));
        let counted = Counted {
            is_unreachable: share.is_some_and(Share::is_unreachable),
            is_gone: share.is_some_and(Share::is_gone),
            seen: fresh.chain([seen]).collect(),
            fields: instance.map(|instance| instance.fields.clone()).unwrap_or_default(),
            addresses: instance
                .filter(|_| self.plan.addresses)
                .map_or(0, |instance| rows::addresses(cluster, instance, &self.limits).count()),
            listeners: instance
                .filter(|_| self.plan.listeners)
                .map_or(0, |instance| rows::listeners(cluster, instance, &self.limits).count()),
        };
        let trouble =
            instance.and_then(|instance| rows::trouble(cluster, instance, &self.plan, &self.limits));
        let outdated = shortcoming.as_ref();
        let complete = match (outdated.map(Shortcoming::words), trouble) {
            (Some(words), Some((Standing::Bad, text))) => {
                judge::completeness(Standing::Bad, format!("{text}, {words}").into())
            }
            (Some(words), _) => judge::completeness(Standing::Unknown, words),
            (None, Some((standing, text))) => judge::completeness(standing, text.into()),
            (None, None) => judge::completeness(Standing::Good, "".into()),
        };
        let conditions = verdicts.into_iter().map(|(planned, verdict)| verdict.input(planned)).collect();
        let words = Words { conditions, rows: complete };
        self.tally.put(cluster, Part { is_pending, counted: Some(counted) }, Some(words));
    }

    /// Returns true if it is known that the last word of a cluster is about an older generation of the hub object.
    pub fn is_behind(&self, cluster: &ClusterName) -> bool {
        let instance = self.shares.get(cluster).and_then(|share| share.last.as_ref());
        let (Some(facts), Some(instance)) = (&self.facts, instance) else { return false };
        // Only an annotation can say so.
        instance.hub_generation.is_some_and(|seen| seen < facts.generation)
    }

    /// The words of a cluster about the planned conditions, as far as it is taken at its word.
    pub(super) fn judged(&self, cluster: &ClusterName) -> Vec<Condition> {
        let share = self.shares.get(cluster);
        let instance = share.and_then(|share| share.last.as_ref());
        // Only an annotation can say that an instance is behind.
        let seen = instance.and_then(|instance| instance.hub_generation);
        let shortcoming = Shortcoming::of(share, seen, self.generation());
        let conditions = self.plan.conditions.iter().enumerate();
        let judged = conditions.map(|(index, planned)| {
            let verdict = Verdict::of(planned, index, instance, shortcoming.as_ref());
            verdict.condition(planned)
        });
        judged.collect()
    }

    /// Returns the status that should stand. Cheap: its cost depends on the length of the answer, not on the number of clusters.
    pub fn answer(&self, now: Time) -> Answer {
        answer::of(self, now)
    }
}
