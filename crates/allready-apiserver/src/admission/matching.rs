//! Which requests a policy, a binding or a webhook is about.
//!
//! Follows `pkg/admission/plugin/policy/matching` and `pkg/admission/plugin/webhook/predicates`.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Cluster,
    attributes::{Attributes, GroupVersionKind, Matched, Operation},
};
use crate::{access::LabelSelector, resource::Resource, status::Failure};

/// `matchConstraints` of a policy, `matchResources` of a binding, or what stands for them in a webhook.
#[derive(Debug, Default)]
pub(super) struct MatchResources {
    /// Absent where every resource matches: in a binding that names none.
    rules: Option<Vec<Rule>>,
    excluded: Vec<Rule>,
    namespaces: LabelSelector,
    objects: LabelSelector,
    /// Set if a request through another version of the same resource matches too.
    equivalent: bool,
}

#[derive(Debug, Default)]
struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    scope: String,
    names: Vec<String>,
}

fn texts(object: &Value, field: &str) -> Vec<String> {
    let list = object[field].as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

impl MatchResources {
    /// Reads it; `rules` is the name of the field that has the rules.
    pub(super) fn read(value: &Value, rules: &str) -> Self {
        let read = |field: &str| -> Vec<Rule> {
            value[field].as_array().into_iter().flatten().map(Rule::read).collect()
        };
        // A webhook without rules is asked about nothing.
        let found = Some(read(rules)).filter(|found| rules == "rules" || !found.is_empty());
        Self {
            rules: found,
            excluded: read("excludeResourceRules"),
            namespaces: LabelSelector::read(&value["namespaceSelector"]),
            objects: LabelSelector::read(&value["objectSelector"]),
            equivalent: value["matchPolicy"] != "Exact",
        }
    }

    /// The part of the request that matches; `None` when none does.
    pub(super) fn matches(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&Value>,
        old: Option<&Value>,
        cluster: &dyn Cluster,
    ) -> Result<Option<Matched>, Failure> {
        let in_namespace = self.in_namespace(attributes, object, cluster);
        if matches!(in_namespace, Ok(false)) || !self.selects_object(object, old) {
            return Ok(None);
        }
        if self.find(&self.excluded, attributes, cluster).is_some() {
            return Ok(None);
        }
        let matched = match &self.rules {
            None => Some(attributes.as_sent()),
            Some(rules) => self.find(rules, attributes, cluster),
        };
        // A namespace that is not there matters only to a request that the rules are about.
        match (matched, in_namespace) {
            (Some(_), Err(failure)) => Err(failure),
            (matched, _) => Ok(matched),
        }
    }

    fn in_namespace(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&Value>,
        cluster: &dyn Cluster,
    ) -> Result<bool, Failure> {
        let name = attributes.namespace.as_str();
        if self.namespaces.is_empty() || name.is_empty() && attributes.resource.plural != "namespaces" {
            return Ok(true);
        }
        let itself = attributes.resource.plural == "namespaces"
            && attributes.subresource.is_empty()
            && attributes.operation != Operation::Delete;
        let stored;
        let namespace = if let Some(object) = object.filter(|_| itself) {
            object
        } else {
            let found = cluster.store().get("namespaces", name);
            stored = found.ok_or_else(|| Failure::not_found("namespaces", name))?.value()?;
            &stored
        };
        Ok(selects(&self.namespaces, namespace))
    }

    fn selects_object(&self, object: Option<&Value>, old: Option<&Value>) -> bool {
        self.objects.is_empty() || [object, old].into_iter().flatten().any(|it| selects(&self.objects, it))
    }

    fn find(&self, rules: &[Rule], attributes: &Attributes<'_>, cluster: &dyn Cluster) -> Option<Matched> {
        let resource = attributes.resource;
        if rules.iter().any(|rule| rule.matches(attributes, resource, attributes.version)) {
            return Some(attributes.as_sent());
        }
        if !self.equivalent || rules.is_empty() {
            return None;
        }
        let registry = cluster.registry();
        let same_place: Vec<_> = registry.iter().filter(|other| other.place == resource.place).collect();
        let others = || {
            let versions =
                same_place.iter().flat_map(|other| other.versions.iter().map(move |it| (*other, it)));
            versions.filter(|(other, version)| {
                (&other.group, &version.name) != (&resource.group, &attributes.version.to_owned())
            })
        };
        rules.iter().find_map(|rule| {
            let (other, version) =
                others().find(|(other, version)| rule.matches(attributes, other, &version.name))?;
            // A subresource with a kind of its own has the same one in every version.
            let own = attributes.kind.kind != resource.kind;
            let kind = if own {
                attributes.kind.clone()
            } else {
                GroupVersionKind {
                    group: other.group.clone(),
                    version: version.name.clone(),
                    kind: other.kind.clone(),
                }
            };
            Some(Matched { resource: Arc::clone(other), version: version.name.clone(), kind })
        })
    }
}

fn selects(selector: &LabelSelector, object: &Value) -> bool {
    let labels = &object["metadata"]["labels"];
    selector.selects(|key| labels.get(key).and_then(Value::as_str))
}

impl Rule {
    fn read(rule: &Value) -> Self {
        Self {
            operations: texts(rule, "operations"),
            groups: texts(rule, "apiGroups"),
            versions: texts(rule, "apiVersions"),
            resources: texts(rule, "resources"),
            scope: rule["scope"].as_str().unwrap_or("*").to_owned(),
            names: texts(rule, "resourceNames"),
        }
    }

    fn matches(&self, attributes: &Attributes<'_>, resource: &Resource, version: &str) -> bool {
        let named = |list: &[String], wanted: &str| list.iter().any(|it| it == "*" || it == wanted);
        let clustered = attributes.is_namespace() || attributes.namespace.is_empty();
        let in_scope = match self.scope.as_str() {
            "*" => true,
            "Namespaced" => !clustered,
            "Cluster" => clustered,
            _ => false,
        };
        in_scope
            && named(&self.operations, attributes.operation.name())
            && named(&self.groups, &resource.group)
            && named(&self.versions, version)
            && self.resources.iter().any(|it| {
                let (plural, subresource) = it.split_once('/').unwrap_or((it, ""));
                (plural == "*" || plural == resource.plural)
                    && (subresource == "*" || subresource == attributes.subresource)
            })
            && (self.names.is_empty() || self.names.contains(&attributes.name))
    }
}
