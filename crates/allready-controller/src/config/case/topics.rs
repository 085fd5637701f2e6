//! What is watched for a case, and whether it can be seen.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{Case, Watched};
use crate::config::Topic;

impl Case {
    /// Watches what the plan needs, and no more.
    pub(super) fn want_topics(&mut self, now: Duration) {
        let plan = self.board.plan();
        let mut wanted = BTreeSet::from([Topic::Own, Topic::Reports]);
        if plan.needs_nodes() {
            wanted.insert(Topic::Nodes);
        }
        if plan.daemon_sets().next().is_some() {
            wanted.extend([Topic::DaemonSets, Topic::Pods]);
        }
        if plan.silent_after.is_some() {
            wanted.insert(Topic::Leases);
        }
        let mut unreadable = Vec::new();
        let mut sources = BTreeMap::new();
        for source in &plan.sources {
            match Topic::of_source(source) {
                Ok(topic) => drop(sources.insert(topic, source.clone())),
                Err(error) => unreadable.push(format!("{}: {error}", source.kind)),
            }
        }
        wanted.extend(sources.keys().cloned());
        let unreadable = (!unreadable.is_empty()).then(|| unreadable.join("; "));
        self.board.gap("sources", unreadable);
        let unwanted: Vec<_> = self.topics.keys().filter(|topic| !wanted.contains(topic)).cloned().collect();
        for topic in unwanted {
            self.topics.remove(&topic);
            self.board.gap(&topic.name(), None);
            self.retain(&topic, &BTreeSet::new());
            if topic == Topic::Leases {
                self.board.forget_heartbeats();
            }
        }
        self.sources = sources;
        for topic in wanted {
            self.topics.entry(topic).or_insert_with(|| {
                self.epochs += 1;
                Watched { epoch: self.epochs, since: now, listing: None, listed: false, failing: None }
            });
        }
    }

    /// Says what cannot be seen. While that is young, how long to be patient with it.
    pub(super) fn note_gaps(&mut self, now: Duration) -> Option<Duration> {
        let patience = self.options.patience;
        let mut blind: Option<Duration> = None;
        for (topic, watched) in &self.topics {
            let unseen = (!watched.listed).then_some((watched.since, "has not been listed yet"));
            let failing = watched.failing.as_ref().map(|(since, why)| (*since, why.as_str()));
            let trouble = match (failing, unseen) {
                // It was never seen for as long as it was wanted, and the failure says why.
                (Some((_, why)), Some((since, _))) => Some((since, why)),
                (failing, unseen) => failing.or(unseen),
            };
            let lasting = trouble.filter(|(since, _)| now.saturating_sub(*since) >= patience);
            self.board.gap(&topic.name(), lasting.map(|(_, why)| why.to_owned()));
            if let (Some((since, _)), None, false) = (trouble, lasting, watched.listed) {
                let wait = (since + patience).saturating_sub(now);
                blind = Some(blind.map_or(wait, |blind| blind.min(wait)));
            }
        }
        blind
    }
}
