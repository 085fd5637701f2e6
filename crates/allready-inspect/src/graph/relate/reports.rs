//! Reports to an object, and their clusters.

use serde_json::Value;

use super::{
    super::{
        assess::is_from_hub,
        id::{Firmness, ObjectId, Reference, text},
        relation::Relation,
    },
    ALLREADY, Relating, is_builtin,
};

impl Relating<'_> {
    /// Adds the reports to this object, and the clusters that they speak of.
    pub(super) fn reported(&mut self, is_root: bool) {
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            (ALLREADY, "StatusReport") => self.reporter(),
            (ALLREADY, "InstanceStatus") => self.instance(),
            (_, "ConfigurationStatus") => self.reports_of("StatusReport"),
            (ALLREADY, _) => {}
            _ if !is_root || self.id.namespace.is_empty() => {}
            _ => {
                self.reports_of("StatusReport");
                self.reports_of("InstanceStatus");
                // The status of a built-in kind has many words of others, such as the names of images.
                if !is_builtin(&self.id.group) || is_from_hub(self.object) {
                    self.silent_clusters();
                }
            }
        }
    }

    /// The reports of this kind that are about this object.
    fn reports_of(&mut self, kind: &str) {
        self.list(ALLREADY, kind, &self.id.namespace.clone(), "");
        let own: Vec<Reference> = self.own(kind).map(|(report, _)| Reference::to(report)).collect();
        self.links(Relation::ReportedBy, own);
    }

    fn own(&self, kind: &str) -> impl Iterator<Item = (&ObjectId, &Value)> {
        self.known.of_kind_in(ALLREADY, kind, &self.id.namespace).filter(|(_, object)| {
            let target = &object["spec"]["targetRef"];
            text(target, "name") == self.id.name && text(target, "kind") == self.id.kind
        })
    }

    /// The clusters that the status speaks of, but for those that have an InstanceStatus, which leads to them.
    fn silent_clusters(&mut self) {
        let heard: Vec<&str> =
            self.own("InstanceStatus").map(|(_, instance)| text(&instance["spec"], "cluster")).collect();
        let said = self.object["status"].to_string();
        let clusters = self.known.of_kind(ALLREADY, "ClusterStatus");
        let silent: Vec<Reference> = clusters
            .filter(|(id, _)| !heard.contains(&id.name.as_str()) && contains_word(&said, &id.name))
            .map(|(id, _)| Reference::to(id))
            .collect();
        self.list(ALLREADY, "ClusterStatus", "", "");
        self.links(Relation::FromCluster, silent);
    }

    /// A StatusReport: the node that it comes from.
    fn reporter(&mut self) {
        let instance = text(&self.object["spec"], "instance").to_owned();
        if !instance.is_empty() {
            let mut node = Reference::to(&ObjectId::new("", "Node", "", &instance));
            node.firmness = Firmness::Guessed;
            self.link(Relation::RefersTo, node);
        }
    }

    /// An InstanceStatus: the cluster that it comes from.
    fn instance(&mut self) {
        let cluster = text(&self.object["spec"], "cluster");
        let mut clusters = self.known.of_kind(ALLREADY, "ClusterStatus");
        let found = clusters.find(|(id, _)| id.name == cluster).map(|(id, _)| Reference::to(id));
        if let Some(cluster) = found {
            self.link(Relation::FromCluster, cluster);
        }
    }
}

/// Tells whether a name stands in a text by itself, and not as a part of a longer one.
fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    !word.is_empty()
        && text.match_indices(word).any(|(start, _)| {
            let before = text[..start].chars().next_back();
            let after = text[start + word.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_named_by_its_whole_name() {
        assert!(contains_word("cluster-1 (unknown) ClusterUnreachable", "cluster-1"));
        assert!(contains_word("\"cluster-1/172.31.200.0\"", "cluster-1"));
        assert!(!contains_word("cluster-12 is well", "cluster-1"));
        assert!(!contains_word("my-cluster-1 is well", "cluster-1"));
        assert!(!contains_word("anything", ""));
    }
}
