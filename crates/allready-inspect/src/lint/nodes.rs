//! M02, for conditions that are called after a node: `speaker-NODE/Valid`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Finding, ObjectRef, Place, Severity, finding::Findings, lists};
use allready_core::condition::excerpt;

/// The nodes that there are, and the objects with conditions that may be about one.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    names: BTreeSet<String>,
    prefixed: Vec<Prefixed>,
}

/// An object whose conditions have prefixes.
#[derive(Debug)]
struct Prefixed {
    object: ObjectRef,
    prefixes: Vec<(Place, String)>,
}

impl Nodes {
    pub(super) fn add(&mut self, object: &Value) {
        if object["apiVersion"] == "v1" && object["kind"] == "Node" {
            self.names.extend(object["metadata"]["name"].as_str().map(str::to_owned));
            return;
        }
        let is_prefixed =
            |condition: &Value| condition["type"].as_str().is_some_and(|type_| type_.contains('/'));
        let conditions = object["status"]["conditions"].as_array();
        if !conditions.is_some_and(|conditions| conditions.iter().any(is_prefixed)) {
            return;
        }
        let lists = lists::of(object);
        let Some(list) = lists.iter().find(|list| list.is_top) else { return };
        let prefix = |(index, condition): (usize, &allready_core::found::FoundCondition<'_>)| {
            let (prefix, _) = condition.type_.split_once('/')?;
            Some((list.entry(index), prefix.to_owned()))
        };
        let prefixes = list.entries().filter_map(prefix).collect();
        self.prefixed.push(Prefixed { object: ObjectRef::of(object), prefixes });
    }

    pub(super) fn are_missed(&self) -> bool {
        self.names.is_empty()
            && self.prefixed.iter().any(|object| object.prefixes.iter().any(|(_, it)| it.contains('-')))
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        if self.names.is_empty() {
            return Vec::new();
        }
        self.prefixed.iter().flat_map(|object| self.of(object)).collect()
    }

    /// The prefix before the name of a node is learnt from conditions whose node exists, so that a prefix of another
    /// meaning is left alone.
    fn of(&self, Prefixed { object, prefixes }: &Prefixed) -> Vec<Finding> {
        let mut components = BTreeSet::new();
        for (_, prefix) in prefixes {
            let cuts = prefix.match_indices('-').filter(|(at, _)| self.names.contains(&prefix[at + 1..]));
            components.extend(cuts.map(|(at, _)| &prefix[..=at]));
        }
        let mut findings = Findings::about(object.clone());
        for (place, prefix) in prefixes.iter().filter(|(_, prefix)| !self.names.contains(prefix)) {
            let named = components.iter().filter_map(|component| prefix.strip_prefix(component));
            let named: Vec<&str> = named.collect();
            if named.iter().any(|node| self.names.contains(*node)) {
                continue;
            }
            if let Some(node) = named.first() {
                findings.add("M02", Severity::Warning, place.clone(), || {
                    format!("there is no node {:?} any more", excerpt(node))
                });
            }
        }
        findings.finish()
    }
}
