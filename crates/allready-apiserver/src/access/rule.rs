//! One rule of a role: what it allows.

use serde_json::{Value, json};

use super::Attempt;
use crate::status::quote;

/// One rule of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) verbs: Vec<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) resources: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) paths: Vec<String>,
}

/// The texts of a list; none when there is no list.
pub(super) fn texts(object: &Value, field: &str) -> Vec<String> {
    let items = object[field].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Rule {
    pub(crate) fn read(rule: &Value) -> Self {
        Self {
            verbs: texts(rule, "verbs"),
            groups: texts(rule, "apiGroups"),
            resources: texts(rule, "resources"),
            names: texts(rule, "resourceNames"),
            paths: texts(rule, "nonResourceURLs"),
        }
    }

    /// The rules of a role.
    pub(crate) fn all(role: &Value) -> Vec<Self> {
        role["rules"].as_array().map(Vec::as_slice).unwrap_or_default().iter().map(Self::read).collect()
    }

    pub(crate) fn allows(&self, attempt: &Attempt<'_>) -> bool {
        if !has(&self.verbs, attempt.verb) {
            return false;
        }
        match attempt.path {
            Some(path) => self.paths.iter().any(|rule| path_covers(rule, path)),
            None => {
                has(&self.groups, attempt.group)
                    && self.resources.iter().any(|rule| names_resource(rule, attempt))
                    && (self.names.is_empty() || self.names.iter().any(|name| name == attempt.name))
            }
        }
    }

    /// The rule as reviews show it.
    pub(super) fn to_resource_rule(&self) -> Option<Value> {
        (!self.resources.is_empty()).then(|| {
            let mut rule = json!({ "verbs": self.verbs });
            for (field, texts) in
                [("apiGroups", &self.groups), ("resources", &self.resources), ("resourceNames", &self.names)]
            {
                if !texts.is_empty() {
                    rule[field] = json!(texts);
                }
            }
            rule
        })
    }

    /// The paths of the rule as reviews show them.
    pub(super) fn to_path_rule(&self) -> Option<Value> {
        (!self.paths.is_empty()).then(|| json!({ "verbs": self.verbs, "nonResourceURLs": self.paths }))
    }

    /// The rule in a line.
    pub(super) fn to_text(&self) -> String {
        let parts = [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.paths),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(_, texts)| !texts.is_empty())
            .map(|(name, texts)| format!("{name}:{}", quoted(texts)))
            .collect();
        format!("{{{}}}", parts.join(", "))
    }
}

/// Texts as Go shows a slice of them.
pub(super) fn quoted(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| quote(text)).collect();
    format!("[{}]", texts.join(" "))
}

/// Whether a list has an item, or the one that stands for all.
pub(super) fn has(list: &[String], item: &str) -> bool {
    list.iter().any(|known| known == "*" || known == item)
}

fn names_resource(rule: &str, attempt: &Attempt<'_>) -> bool {
    match rule.split_once('/') {
        None => rule == "*" || attempt.subresource.is_empty() && rule == attempt.resource,
        // No resource has a slash in its name, so the first one is where the subresource begins.
        Some((resource, subresource)) => {
            !attempt.subresource.is_empty()
                && subresource == attempt.subresource
                && (resource == "*" || resource == attempt.resource)
        }
    }
}

/// Whether a path of a rule, perhaps with a star at its end, is or covers another.
pub(super) fn path_covers(rule: &str, path: &str) -> bool {
    rule == path || rule.ends_with('*') && path.starts_with(rule.trim_end_matches('*'))
}
