//! Namespaces: those that every cluster has, and the emptying of those that are deleted.
//!
//! Follows `pkg/controller/namespace/deletion` of Kubernetes.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Task, is_namespace, set_condition};
use crate::{
    resource::{Call, Endpoint, Resource, Stamp, User, Verb},
    rest::{Engine, finish, meta},
    store::Stored,
};

impl Engine {
    /// Makes the namespaces that every cluster has, where they are missing.
    pub(in crate::rest) fn make_default_namespaces(&self, stamp: &dyn Fn() -> Stamp) {
        let registry = self.registry();
        let Some(resource) = registry.get("", "namespaces") else { return };
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
            self.make_default(resource, &body, stamp());
        }
    }

    /// Makes what the server itself makes when it starts; what is there already stays as it is.
    pub(super) fn make_default(&self, resource: &Arc<Resource>, body: &Value, (now, random): Stamp) {
        let call = Call {
            verb: Verb::Create,
            resource: resource.clone(),
            version: "v1".into(),
            namespace: resource.namespaced.then(|| meta::text(body, "namespace").to_owned()),
            name: None,
            endpoint: Endpoint::Main,
            query: Vec::new(),
            body: body.to_string().into(),
            content_type: "application/json".into(),
            user: User { groups: vec!["system:masters".into()], ..User::new("system:apiserver") },
            agent: "kube-apiserver".into(),
            now,
            random,
        };
        let _ = self.handle(call);
    }

    /// Removes the content of a namespace; when none is left, the namespace goes too.
    pub(super) fn empty_namespace(&self, namespace: &str, now: Timestamp) -> Vec<Task> {
        let registry = self.registry();
        let Some(resource) = registry.iter().find(|resource| is_namespace(resource)) else {
            return Vec::new();
        };
        let mut tasks = Vec::new();
        let prefix = format!("{namespace}/");
        let mut remaining: BTreeMap<String, usize> = BTreeMap::new();
        let mut finalizers: BTreeMap<Box<str>, usize> = BTreeMap::new();
        let Some(uid) = self.terminating_namespace(namespace) else { return tasks };
        for place in self.store().places_with(&prefix) {
            let Some(content) = Self::at_place(&registry, &place).filter(|content| content.namespaced) else {
                continue;
            };
            let found = self.store().survey(&place, &prefix);
            // What was found while the namespace was going belongs to it, and not to another of the same name.
            if self.terminating_namespace(namespace).as_ref() != Some(&uid) {
                return tasks;
            }
            for (key, version) in found.unmarked {
                match self.discard_at(&content, &key, version, now) {
                    Some(more) => tasks.extend(more),
                    None => tasks.push(Task::Empty(namespace.to_owned())),
                }
            }
            let left = self.store().survey(&place, &prefix);
            if left.count > 0 {
                *remaining.entry(content.qualified()).or_default() += left.count;
            }
            for (finalizer, count) in left.finalizers {
                *finalizers.entry(finalizer).or_default() += count;
            }
        }
        let stamp = finish::timestamp(now);
        let empty = remaining.is_empty();
        tasks.extend(self.amend(resource, namespace, |object| {
            if meta::text(object, "uid") != uid {
                return;
            }
            if empty {
                object["spec"]["finalizers"] = Value::Null;
                if let Some(spec) = object["spec"].as_object_mut() {
                    spec.remove("finalizers");
                }
                return;
            }
            for condition in conditions(&remaining, &finalizers, &stamp) {
                set_condition(object, condition);
            }
        }));
        tasks
    }

    /// The uid of a namespace that is being deleted.
    fn terminating_namespace(&self, name: &str) -> Option<String> {
        let stored = self.store().get("namespaces", name).filter(Stored::is_marked)?;
        Some(meta::text(&stored.value().ok()?, "uid").to_owned())
    }
}

fn conditions(
    remaining: &BTreeMap<String, usize>,
    finalizers: &BTreeMap<Box<str>, usize>,
    stamp: &str,
) -> Vec<Value> {
    let condition = |kind: &str, status: &str, reason: &str, message: String| json!({ "type": kind, "status": status, "lastTransitionTime": stamp, "reason": reason, "message": message });
    let mut out = vec![
        condition(
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered".into(),
        ),
        condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed".into(),
        ),
        condition(
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization".into(),
        ),
        condition(
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            format!("Some resources are remaining: {}", counted(remaining, "has")),
        ),
    ];
    out.push(if finalizers.is_empty() {
        condition(
            "NamespaceFinalizersRemaining",
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished".into(),
        )
    } else {
        let text =
            format!("Some content in the namespace has finalizers remaining: {}", counted(finalizers, "in"));
        condition("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", text)
    });
    out
}

fn counted<Name: AsRef<str>>(counts: &BTreeMap<Name, usize>, word: &str) -> String {
    let texts: Vec<_> = counts
        .iter()
        .map(|(name, count)| format!("{} {word} {count} resource instances", name.as_ref()))
        .collect();
    texts.join(", ")
}
