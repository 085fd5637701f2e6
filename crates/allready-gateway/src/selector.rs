//! Label selectors, and namespaces by a rule.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    object::{Kind, NamespacesFrom, ObjectKey, Spec},
    store::View,
};

/// A label selector, as `metav1.LabelSelector`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Selector {
    /// Labels with these values.
    pub match_labels: BTreeMap<String, String>,
    /// Requirements on labels.
    pub match_expressions: Vec<Requirement>,
}

/// A requirement on a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// Its values.
    pub values: Vec<String>,
}

impl Selector {
    fn matches(&self, label: impl Fn(&str) -> Option<String>) -> bool {
        let meets = |requirement: &Requirement| {
            let found = label(&requirement.key);
            let is_listed = found.as_ref().is_some_and(|found| requirement.values.contains(found));
            match requirement.operator.as_str() {
                "In" => is_listed,
                "NotIn" => !is_listed,
                "Exists" => found.is_some(),
                "DoesNotExist" => found.is_none(),
                // Nobody is let in by an operator that nobody knows.
                _ => false,
            }
        };
        self.match_labels.iter().all(|(key, value)| label(key).as_ref() == Some(value))
            && self.match_expressions.iter().all(meets)
    }
}

/// Tells whether a namespace is among those that a rule of an object in the namespace `home` lets in.
pub(crate) fn lets_in(
    view: &View<'_>,
    rule: &NamespacesFrom,
    otherwise: &str,
    home: &str,
    namespace: &str,
) -> bool {
    match rule.from.as_deref().unwrap_or(otherwise) {
        "All" => true,
        "Same" => home == namespace,
        "Selector" => rule.selector.as_ref().is_some_and(|selector| {
            let object = view.get(&ObjectKey::new(Kind::Namespace, "", namespace));
            selector.matches(|key| {
                let labels = object.and_then(|object| match &object.spec {
                    Spec::Namespace(found) => found.labels.get(key).cloned(),
                    _ => None,
                });
                // The API server gives this one to every namespace; manifests do not have it.
                labels.or_else(|| (key == "kubernetes.io/metadata.name").then(|| namespace.to_owned()))
            })
        }),
        _ => false,
    }
}
