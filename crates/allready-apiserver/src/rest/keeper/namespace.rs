//! Namespaces: those that every cluster has, and the emptying of those that are deleted.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Task, is_marked, is_namespace, set_condition};
use crate::{
    call::{Call, User, Verb},
    resource::{Endpoint, Resource},
    rest::{Engine, finish, meta},
};

impl Engine {
    /// Makes the namespaces that every cluster has, where they are missing.
    pub(in crate::rest) fn make_default_namespaces(&self) {
        let registry = self.registry();
        let Some(resource) = registry.get("", "namespaces") else { return };
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
            self.make_default(resource, &body);
        }
    }

    /// Makes what the server itself makes when it starts; what is there already stays as it is.
    pub(super) fn make_default(&self, resource: &Arc<Resource>, body: &Value) {
        let call = Call {
            verb: Verb::Create,
            resource: resource.clone(),
            version: "v1".into(),
            namespace: None,
            name: None,
            endpoint: Endpoint::Main,
            query: Vec::new(),
            body: body.to_string().into(),
            content_type: "application/json".into(),
            user: User { name: "system:apiserver".into(), groups: vec!["system:masters".into()] },
            agent: "kube-apiserver".into(),
            now: Timestamp::now(),
            random: *uuid_pair().as_slice().first_chunk().unwrap_or(&[0; 32]),
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
        let mut finalizers: BTreeMap<String, usize> = BTreeMap::new();
        for place in self.store().places_with(&prefix) {
            let Some(content) = Self::at_place(&registry, &place).filter(|content| content.namespaced) else {
                continue;
            };
            for (key, stored) in self.store().list(&place, &prefix, None).items {
                if !is_marked(&stored.value()) {
                    tasks.extend(self.discard(&content, &key, Some("Background"), now));
                }
            }
            for (_, stored) in self.store().list(&place, &prefix, None).items {
                *remaining.entry(content.qualified()).or_default() += 1;
                for finalizer in meta::texts(&stored.value(), "finalizers") {
                    *finalizers.entry(finalizer.to_owned()).or_default() += 1;
                }
            }
        }
        let stamp = finish::timestamp(now);
        let empty = remaining.is_empty();
        // Each of the tasks above comes back here when its namespace is still to be emptied.
        tasks.retain(|task| !matches!(task, Task::Empty(_)));
        tasks.extend(self.amend(resource, namespace, |object| {
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
}

fn uuid_pair() -> Vec<u8> {
    [uuid::Uuid::new_v4().into_bytes(), uuid::Uuid::new_v4().into_bytes()].concat()
}

fn conditions(
    remaining: &BTreeMap<String, usize>,
    finalizers: &BTreeMap<String, usize>,
    stamp: &str,
) -> Vec<Value> {
    let list = |counts: &BTreeMap<String, usize>, word: &str| {
        let texts: Vec<_> =
            counts.iter().map(|(name, count)| format!("{name} {word} {count} resource instances")).collect();
        texts.join(", ")
    };
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
            format!("Some resources are remaining: {}", list(remaining, "has")),
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
            format!("Some content in the namespace has finalizers remaining: {}", list(finalizers, "in"));
        condition("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", text)
    });
    out
}
