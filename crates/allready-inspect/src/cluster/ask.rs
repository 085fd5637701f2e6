//! The answers of a cluster to what an explanation asks.

use crate::graph::{Answer, Reference, Request};
use futures::StreamExt as _;
use kube::Client;
use serde_json::Value;

use super::PARALLEL;
use allready_kube::resources::{Catalog, ListProblem, Resource, Selection, list_many, pages};

/// So many objects of one kind are read.
const MAX_OBJECTS: usize = 20_000;
/// Kinds that are owned by many and never not well, or of no interest here.
const DULL: [&str; 9] = [
    "events",
    "leases",
    "endpoints",
    "secrets",
    "configmaps",
    "serviceaccounts",
    "controllerrevisions",
    "roles",
    "rolebindings",
];

/// A cluster, and what it serves.
pub(super) struct Asking<'a> {
    pub(super) client: &'a Client,
    pub(super) catalog: &'a Catalog,
}

impl Asking<'_> {
    /// Never fails: what went wrong is an answer.
    pub(super) async fn answer(&self, request: &Request) -> Answer {
        match request {
            Request::Get(reference) => self.get(reference).await,
            Request::List { group, kind, namespace, labels } => {
                let Some(resource) = self.resource(Some(group), kind) else {
                    return self.not_served(Some(group));
                };
                self.list(resource, selection(namespace, labels, "")).await
            }
            Request::Owned { namespace } => self.owned(namespace).await,
            Request::Events(id) => {
                let Some(resource) = self.resource(Some(""), "Event") else { return Answer::NotServed };
                let fields = format!("involvedObject.kind={},involvedObject.name={}", id.kind, id.name);
                if !is_selectable(&id.kind) || !is_selectable(&id.name) {
                    return Answer::Objects(Vec::new());
                }
                self.list(resource, selection(&id.namespace, "", &fields)).await
            }
        }
    }

    fn resource(&self, group: Option<&str>, kind: &str) -> Option<&Resource> {
        self.catalog
            .resources
            .iter()
            .find(|found| found.kind == kind && group.is_none_or(|group| group == found.group))
    }

    /// That a kind is not there is only sure where the server has said what is.
    fn not_served(&self, group: Option<&str>) -> Answer {
        let about = |problem: &&String| group.is_none_or(|group| problem.starts_with(group));
        match self.catalog.problems.iter().find(about) {
            Some(problem) => Answer::Failed(problem.clone()),
            None => Answer::NotServed,
        }
    }

    async fn get(&self, reference: &Reference) -> Answer {
        let of_kind = self.catalog.resources.iter().filter(|found| found.kind == reference.kind);
        let group = reference.nearest(of_kind.map(|found| found.group.as_str()));
        let Some(resource) = group.and_then(|group| self.resource(Some(group), &reference.kind)) else {
            return self.not_served(reference.group.as_deref());
        };
        // No object has such a name, and as a part of an address it would lead elsewhere.
        if !is_name(&reference.name) || (resource.is_namespaced && !is_name(&reference.namespace)) {
            return Answer::Objects(Vec::new());
        }
        let api = resource.api(self.client.clone(), Some(&reference.namespace));
        // That it is there is all that is asked of a secret; what is in it is nobody's business.
        let found = if resource.group.is_empty() && matches!(resource.kind.as_str(), "Secret" | "ConfigMap") {
            let found = api.get_metadata_opt(&reference.name).await;
            found.map(|found| found.map(|found| serde_json::to_value(found).unwrap_or_default()))
        } else {
            let found = api.get_opt(&reference.name).await;
            found.map(|found| found.map(|found| serde_json::to_value(found).unwrap_or_default()))
        };
        match found {
            Ok(found) => {
                Answer::Objects(found.into_iter().map(|object| of_resource(object, resource)).collect())
            }
            Err(error) => failed(&error),
        }
    }

    async fn list(&self, resource: &Resource, selection: Selection) -> Answer {
        let mut objects = Vec::new();
        let mut pages = std::pin::pin!(pages(self.client, resource, &selection));
        while let Some(page) = pages.next().await {
            match page {
                Ok(page) => objects.extend(page),
                Err(error) => return failed(&error),
            }
            if objects.len() > MAX_OBJECTS {
                return Answer::Some(objects, format!("there are more than {MAX_OBJECTS}"));
            }
        }
        Answer::Objects(objects)
    }

    /// Every kind of a namespace is read, and what has an owner is kept.
    async fn owned(&self, namespace: &str) -> Answer {
        let resources = self.catalog.listable().filter(|resource| {
            resource.is_namespaced != namespace.is_empty() && !DULL.contains(&resource.plural.as_str())
        });
        let (mut objects, mut problems) = (Vec::new(), Vec::new());
        let mut is_too_much = false;
        list_many(
            self.client,
            resources,
            &selection(namespace, "", ""),
            PARALLEL,
            &mut |resource, page| {
                let has_owner = |object: &Value| object["metadata"]["ownerReferences"].is_array();
                let kept = page.into_iter().filter(has_owner).map(|object| of_resource(object, resource));
                objects.extend(kept.take(MAX_OBJECTS.saturating_sub(objects.len())));
                is_too_much |= objects.len() >= MAX_OBJECTS;
            },
            &mut |resource, problem| match problem {
                ListProblem::NotServed | ListProblem::Refused { .. } => {}
                ListProblem::Forbidden { .. } => {
                    problems.push(format!("{} may not be listed", resource.full_name()));
                }
                other => problems.push(format!("{}: {other}", resource.full_name())),
            },
        )
        .await;
        if namespace.is_empty() {
            problems.push("only what is in no namespace was looked at".to_owned());
        }
        if is_too_much {
            problems.push(format!("there are more than {MAX_OBJECTS}"));
        }
        if problems.is_empty() {
            Answer::Objects(objects)
        } else {
            Answer::Some(objects, problems.join(", "))
        }
    }
}

fn selection(namespace: &str, labels: &str, fields: &str) -> Selection {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Selection { namespace: some(namespace), labels: some(labels), fields: some(fields) }
}

fn of_resource(mut object: Value, resource: &Resource) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert("apiVersion".to_owned(), resource.api_version().into());
        fields.insert("kind".to_owned(), resource.kind.clone().into());
    }
    object
}

fn failed(error: &kube::Error) -> Answer {
    match ListProblem::of(error) {
        ListProblem::Forbidden { .. } => Answer::Forbidden,
        ListProblem::NotServed => Answer::NotServed,
        other => Answer::Failed(other.to_string()),
    }
}

/// Tells whether this can be the name of an object.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_graphic() && !"/?#%\\".contains(c);
    !name.is_empty() && name != "." && name != ".." && name.len() <= 253 && name.chars().all(is_part)
}

/// Tells whether this can stand in a field selector as it is.
fn is_selectable(value: &str) -> bool {
    is_name(value) && !value.contains(['=', ',', '!'])
}
