//! Roles that gather the rules of other roles.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Policy, rule::Rule};

/// What a role gathers its rules from: the labels of other roles, as selectors.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Gathering {
    labels: BTreeMap<String, String>,
    selectors: Vec<LabelSelector>,
}

/// A `LabelSelector` as objects have it, which selects everything where it asks for nothing.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl Gathering {
    pub(super) fn read(role: &Value) -> Self {
        let labels = role["metadata"]["labels"].as_object().into_iter().flatten();
        let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array().into_iter().flatten();
        Self {
            labels: labels
                .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
                .collect(),
            selectors: selectors.map(LabelSelector::read).collect(),
        }
    }

    fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        self.selectors.iter().any(|selector| selector.selects(|key| labels.get(key).map(String::as_str)))
    }
}

impl LabelSelector {
    pub(crate) fn read(selector: &Value) -> Self {
        Self(requirements(selector))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if it selects an object with these labels.
    pub(crate) fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| requirement.met(label(&requirement.key)))
    }
}

fn requirements(selector: &Value) -> Vec<Requirement> {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let equal = labels.map(|(key, value)| Requirement {
        key: key.clone(),
        operator: Operator::In,
        values: value.as_str().map(str::to_owned).into_iter().collect(),
    });
    let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
    let others = expressions.filter_map(|expression| {
        Some(Requirement {
            key: expression["key"].as_str()?.to_owned(),
            operator: match expression["operator"].as_str()? {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                _ => return None,
            },
            values: super::rule::texts(expression, "values").into_iter().collect(),
        })
    });
    equal.chain(others).collect()
}

impl Requirement {
    fn met(&self, value: Option<&str>) -> bool {
        match self.operator {
            Operator::In => value.is_some_and(|value| self.values.contains(value)),
            Operator::NotIn => value.is_none_or(|value| !self.values.contains(value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}

/// The cluster's roles that gather other roles' rules and do not have the rules they should have, with those rules.
pub(crate) fn aggregate(policy: &Policy) -> Vec<(Box<str>, Value)> {
    let mut stale = Vec::new();
    for (name, role) in &policy.cluster_roles {
        if role.gathering.selectors.is_empty() {
            continue;
        }
        let mut rules: Vec<&Rule> = Vec::new();
        for (other, source) in &policy.cluster_roles {
            if other != name && role.gathering.selects(&source.gathering.labels) {
                for rule in &source.rules {
                    if !rules.contains(&rule) {
                        rules.push(rule);
                    }
                }
            }
        }
        if !rules.iter().copied().eq(&role.rules) {
            stale.push((name.clone(), rules.into_iter().map(Rule::to_value).collect()));
        }
    }
    stale
}

impl Rule {
    fn to_value(&self) -> Value {
        let mut value = json!({ "verbs": self.verbs });
        for (field, texts) in [
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.paths),
        ] {
            if !texts.is_empty() {
                value[field] = json!(texts);
            }
        }
        value
    }
}
