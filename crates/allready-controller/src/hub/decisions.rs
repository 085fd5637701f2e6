//! The PlacementDecisions of Open Cluster Management: the clusters in which Placements put objects.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use super::{ClusterName, HubFacts, ObjectName};

/// The label that names a Placement: of a PlacementDecision, whose it is, and of a hub object, by which it is placed.
pub const PLACEMENT_LABEL: &str = "cluster.open-cluster-management.io/placement";

/// The most clusters that cannot be used that are told.
const SHOWN: usize = 8;

/// The decisions of all Placements. A Placement may have several PlacementDecisions, of a hundred clusters each.
///
/// ```
/// use allready_controller::hub::{Decisions, HubFacts, PLACEMENT_LABEL};
/// use serde_json::json;
///
/// let mut decisions = Decisions::default();
/// decisions.there(&json!({
///     "metadata": { "namespace": "shop", "name": "eu-decision-1", "labels": { PLACEMENT_LABEL: "eu" } },
///     "status": { "decisions": [{ "clusterName": "cluster-1", "reason": "" }] },
/// }));
/// let mut facts = HubFacts { placement: Some("eu".into()), ..HubFacts::default() };
/// decisions.place("shop", &mut facts);
/// assert_eq!(facts.placed, Some(vec!["cluster-1".parse().unwrap()]));
/// ```
#[derive(Debug, Default)]
pub struct Decisions(BTreeMap<ObjectName, Decision>);

#[derive(Debug, PartialEq)]
struct Decision {
    placement: Arc<str>,
    clusters: Vec<ClusterName>,
    /// The parts of it that cannot be understood.
    gaps: Vec<String>,
}

/// A Placement: its namespace and its name.
pub type PlacementName = (Arc<str>, Arc<str>);

impl Decisions {
    /// A PlacementDecision is there, or changed. Says of which Placements the decisions are others now.
    pub fn there(&mut self, object: &Value) -> Vec<PlacementName> {
        let metadata = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        let name = ObjectName::new(metadata("namespace"), metadata("name"));
        let Some(placement) = object["metadata"]["labels"].get(PLACEMENT_LABEL).and_then(Value::as_str)
        else {
            return self.gone(&name);
        };
        let decision = Decision::read(placement, &name, &object["status"]["decisions"]);
        let before = self.0.remove(&name);
        let is_same = before.as_ref() == Some(&decision);
        let placements = before.iter().chain([&decision]).map(|decision| Arc::clone(&decision.placement));
        let placements: BTreeSet<Arc<str>> = placements.filter(|_| !is_same).collect();
        let changed =
            placements.into_iter().map(|placement| (Arc::clone(&name.namespace), placement)).collect();
        self.0.insert(name, decision);
        changed
    }

    /// A PlacementDecision is gone. Says of which Placements the decisions are others now.
    pub fn gone(&mut self, name: &ObjectName) -> Vec<PlacementName> {
        let gone = self.0.remove(name);
        gone.map(|gone| (Arc::clone(&name.namespace), gone.placement)).into_iter().collect()
    }

    /// The clusters in which an object of this namespace is placed. What is missing, or cannot be understood, is told, and takes nobody away.
    pub fn place(&self, namespace: &str, facts: &mut HubFacts) {
        (facts.placed, facts.misplaced) = (None, Vec::new());
        let Some(placement) = &facts.placement else { return };
        let own = self.0.iter().filter(|(name, _)| *name.namespace == *namespace);
        let own = own.filter(|(_, decision)| decision.placement == *placement);
        let own: Vec<&Decision> = own.map(|(_, decision)| decision).collect();
        let clusters: BTreeSet<&ClusterName> = own.iter().flat_map(|decision| &decision.clusters).collect();
        facts.placed = Some(clusters.into_iter().cloned().collect());
        facts.misplaced = own.iter().flat_map(|decision| decision.gaps.iter().cloned()).collect();
        if own.is_empty() {
            facts
                .misplaced
                .push(format!("there is no PlacementDecision of the Placement {placement} in its namespace"));
        }
    }
}

impl Decision {
    fn read(placement: &str, name: &ObjectName, decisions: &Value) -> Self {
        let mut read = Self { placement: placement.into(), clusters: Vec::new(), gaps: Vec::new() };
        let Some(decisions) = decisions.as_array() else {
            // It is made first, and then filled: that it is empty is said by an empty list.
            read.gaps.push(format!("the PlacementDecision {name} does not say anything yet"));
            return read;
        };
        for decision in decisions {
            match ClusterName::new(decision["clusterName"].as_str().unwrap_or_default()) {
                Ok(cluster) => read.clusters.push(cluster),
                Err(error) if read.gaps.len() < SHOWN => {
                    read.gaps.push(format!("the PlacementDecision {name}: {error}"));
                }
                Err(_) => {}
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decision(name: &str, placement: &str, status: &Value) -> Value {
        json!({
            "metadata": { "namespace": "shop", "name": name, "labels": { PLACEMENT_LABEL: placement } },
            "status": status,
        })
    }

    fn clusters(names: &[&str]) -> Value {
        let all = names.iter().map(|name| json!({ "clusterName": name, "reason": "" }));
        json!({ "decisions": all.collect::<Vec<_>>() })
    }

    fn placed(
        decisions: &Decisions,
        namespace: &str,
        placement: Option<&str>,
    ) -> (Option<String>, Vec<String>) {
        let mut facts = HubFacts { placement: placement.map(Into::into), ..HubFacts::default() };
        decisions.place(namespace, &mut facts);
        let names =
            |placed: Vec<ClusterName>| placed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        (facts.placed.map(names), facts.misplaced)
    }

    #[test]
    fn an_object_is_placed_where_all_decisions_of_its_placement_together_say() {
        let mut all = Decisions::default();
        assert_eq!(
            all.there(&decision("eu-1", "eu", &clusters(&["c2", "c1"]))),
            [("shop".into(), "eu".into())]
        );
        all.there(&decision("eu-2", "eu", &clusters(&["c3", "c1"])));
        all.there(&decision("us-1", "us", &clusters(&["c4"])));
        assert_eq!(placed(&all, "shop", Some("eu")), (Some("c1 c2 c3".to_owned()), vec![]));
        assert_eq!(all.there(&decision("eu-2", "eu", &clusters(&["c3", "c1"]))), [], "nothing is new");
        assert_eq!(
            all.there(&decision("eu-2", "us", &clusters(&["c3"]))).len(),
            2,
            "it is another one's now"
        );
        assert_eq!(placed(&all, "shop", Some("us")).0.as_deref(), Some("c3 c4"));
        assert_eq!(all.gone(&ObjectName::new("shop", "eu-1")), [("shop".into(), "eu".into())]);
    }

    #[test]
    fn what_is_missing_or_cannot_be_read_is_told_and_an_empty_list_is_not() {
        let mut all = Decisions::default();
        assert_eq!(placed(&all, "shop", None), (None, vec![]), "nobody places it");
        let missing = "there is no PlacementDecision of the Placement eu in its namespace";
        assert_eq!(placed(&all, "shop", Some("eu")).1, [missing]);
        all.there(&decision("eu-1", "eu", &json!({})));
        assert_eq!(
            placed(&all, "shop", Some("eu")).1,
            ["the PlacementDecision shop/eu-1 does not say anything yet"]
        );
        all.there(&decision("eu-1", "eu", &clusters(&[])));
        assert_eq!(placed(&all, "shop", Some("eu")), (Some(String::new()), vec![]));
        assert_eq!(placed(&all, "other", Some("eu")).1, [missing], "of another namespace");
        all.there(&decision("eu-1", "eu", &clusters(&["c1", "c_2"])));
        let (names, gaps) = placed(&all, "shop", Some("eu"));
        assert_eq!((names.as_deref(), gaps.len()), (Some("c1"), 1));
        assert!(
            gaps[0].starts_with("the PlacementDecision shop/eu-1: \"c_2\" cannot name a cluster"),
            "{gaps:?}"
        );
    }
}
