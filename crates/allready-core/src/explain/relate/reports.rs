//! Who reports to an object, and from where.

use serde_json::Value;

use super::{
    super::{
        id::{Firmness, ObjectId, Reference, text},
        node::Relation,
    },
    ALLREADY, Relating,
};

/// The label of a report on a cluster.
const CLUSTER_LABEL: &str = "allready.dev/cluster";

impl Relating<'_> {
    /// Who reports to this object, and which clusters they speak of.
    pub(super) fn reported(&mut self, is_root: bool) {
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            (ALLREADY, "StatusReport") => return self.reporter(),
            (_, "ConfigurationStatus") => {}
            (ALLREADY, _) => return,
            _ if !is_root || self.id.namespace.is_empty() => return,
            _ => {}
        }
        self.list(ALLREADY, "StatusReport", &self.id.namespace.clone(), "");
        let is_own = |report: &Value| {
            let target = &report["spec"]["targetRef"];
            text(target, "name") == self.id.name && text(target, "kind") == self.id.kind
        };
        let reports = self.known.of_kind(ALLREADY, "StatusReport");
        let own: Vec<(Reference, &Value)> = reports
            .filter(|(report, object)| report.namespace == self.id.namespace && is_own(object))
            .map(|(report, object)| (Reference::to(report), object))
            .collect();
        let heard: Vec<&str> = own.iter().map(|(_, report)| text(&report["spec"], "instance")).collect();
        // A cluster without a report of its own is known by its name in what the hub says.
        let said = self.object["status"].to_string();
        let silent: Vec<Reference> = self
            .clusters()
            .filter(|(name, _)| !heard.contains(name) && contains_word(&said, name))
            .map(|(_, report)| Reference::to(report))
            .collect();
        if self.id.kind != "ConfigurationStatus" {
            self.list(ALLREADY, "StatusReport", "", CLUSTER_LABEL);
        }
        self.links(Relation::ReportedBy, own.into_iter().map(|(report, _)| report));
        self.links(Relation::FromCluster, silent);
    }

    /// The reports on clusters, with the names of these.
    fn clusters(&self) -> impl Iterator<Item = (&str, &ObjectId)> {
        let reports = self.known.of_kind(ALLREADY, "StatusReport");
        reports.filter_map(|(id, report)| {
            let name = report["metadata"]["labels"].get(CLUSTER_LABEL)?.as_str()?;
            Some((name, id))
        })
    }

    /// A report: the cluster or the node that it is about.
    fn reporter(&mut self) {
        let instance = text(&self.object["spec"], "instance").to_owned();
        let is_on_cluster = self.object["metadata"]["labels"].get(CLUSTER_LABEL).is_some();
        if instance.is_empty() || is_on_cluster {
            return;
        }
        let cluster = self.clusters().find(|(name, _)| *name == instance).map(|(_, id)| Reference::to(id));
        match cluster {
            Some(cluster) => self.link(Relation::FromCluster, cluster),
            None if text(&self.object["spec"]["targetRef"], "kind") != "ConfigurationStatus" => {}
            None => {
                let mut node = Reference::to(&ObjectId::new("", "Node", "", &instance));
                node.firmness = Firmness::Guessed;
                self.link(Relation::RefersTo, node);
            }
        }
    }
}

/// Whether a name stands in a text by itself, and not as a part of a longer one.
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
