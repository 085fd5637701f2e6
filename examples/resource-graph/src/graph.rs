//! Validation of a graph: the order of its resources, or the problem that it has. Pure.

use std::collections::{BTreeMap, BTreeSet};

use allready::{Reason, reason};
use serde_json::Value;

use crate::{
    GraphResource, ResourceGraphSpec, definition,
    render::{Piece, pieces},
};

/// A mistake in a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A field that says nothing we know.
    #[error("field {field:?} of the schema: {problem}")]
    Field {
        /// Which one.
        field: String,
        /// The mistake.
        problem: String,
    },
    /// Two resources of one name.
    #[error("two resources are called {0:?}: references to it are ambiguous")]
    Twice(String),
    /// The name of a resource is `schema`, which means the object itself.
    #[error("a resource cannot be called \"schema\": that is the object itself")]
    Reserved,
    /// A reference without an end.
    #[error("resource {resource:?}: the reference {text:?} has no closing brace")]
    Open {
        /// In which resource.
        resource: String,
        /// From where on.
        text: String,
    },
    /// A reference to nothing.
    #[error("resource {resource:?} refers to {reference:?}, which does not exist")]
    Unknown {
        /// In which resource.
        resource: String,
        /// To what.
        reference: String,
    },
    /// A template that is no object.
    #[error("the template of resource {resource:?} has no {field}, or one that is not known in advance")]
    Template {
        /// Of which resource.
        resource: String,
        /// The field.
        field: &'static str,
    },
    /// Conditions that cannot be declared.
    #[error("the conditions of the schema: {0}")]
    Conditions(String),
    /// A CRD that cannot be made.
    #[error("the schema does not make a CRD: {0}")]
    Definition(String),
    /// Resources that wait for each other.
    #[error("resources wait for each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
}

impl Problem {
    /// The word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Field { .. } | Self::Conditions(_) | Self::Definition(_) => reason!("InvalidSchema"),
            Self::Template { .. } => reason!("InvalidTemplate"),
            Self::Twice(_) | Self::Reserved => reason!("InvalidResourceName"),
            Self::Open { .. } | Self::Unknown { .. } => reason!("InvalidReference"),
            Self::Cycle(_) => reason!("CyclicGraph"),
        }
    }
}

/// The order in which the resources can be made, or what is wrong.
pub fn order(spec: &ResourceGraphSpec) -> Result<Vec<&str>, Problem> {
    definition::fields(&spec.schema)?;
    let mut names = BTreeSet::new();
    for resource in &spec.resources {
        if resource.id == "schema" {
            return Err(Problem::Reserved);
        }
        if !names.insert(resource.id.as_str()) {
            return Err(Problem::Twice(resource.id.clone()));
        }
    }
    let mut edges = BTreeMap::new();
    for resource in &spec.resources {
        edges.insert(resource.id.as_str(), needs(resource, spec, &names)?);
    }
    let mut walk = Walk { edges: &edges, path: Vec::new(), done: Vec::new() };
    for resource in &spec.resources {
        walk.visit(&resource.id)?;
    }
    let done = walk.done;
    spec.resources.iter().try_for_each(check_template)?;
    Ok(done)
}

/// Checks what has to be known before a template is rendered: its kind is watched.
fn check_template(resource: &GraphResource) -> Result<(), Problem> {
    for field in ["apiVersion", "kind"] {
        let text = resource.template.get(field).and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() || text.contains("${") {
            return Err(Problem::Template { resource: resource.id.clone(), field });
        }
    }
    match resource.template.pointer("/metadata/name") {
        Some(Value::String(name)) if !name.is_empty() => Ok(()),
        _ => Err(Problem::Template { resource: resource.id.clone(), field: "metadata.name" }),
    }
}

/// The resources that one refers to.
fn needs<'a>(
    resource: &'a GraphResource,
    spec: &'a ResourceGraphSpec,
    names: &BTreeSet<&'a str>,
) -> Result<BTreeSet<&'a str>, Problem> {
    let mut found = BTreeSet::new();
    for text in texts(&resource.template) {
        for reference in references(text, &resource.id)? {
            let unknown =
                || Problem::Unknown { resource: resource.id.clone(), reference: reference.to_owned() };
            match reference.split('.').collect::<Vec<_>>()[..] {
                ["schema", "spec", field, ..] if spec.schema.spec.contains_key(field) => {}
                ["schema", "metadata", ..] => {}
                ["schema", ..] | [] => return Err(unknown()),
                [name, ..] => {
                    found.insert(*names.get(name).ok_or_else(unknown)?);
                }
            }
        }
    }
    Ok(found)
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn references<'a>(text: &'a str, resource: &str) -> Result<Vec<&'a str>, Problem> {
    let open = |text: &str| Problem::Open { resource: resource.to_owned(), text: text.to_owned() };
    let references = pieces(text).map_err(open)?.into_iter().filter_map(|piece| match piece {
        Piece::Reference(path) => Some(path),
        Piece::Text(_) => None,
    });
    Ok(references.collect())
}

struct Walk<'a, 'e> {
    edges: &'e BTreeMap<&'a str, BTreeSet<&'a str>>,
    path: Vec<&'a str>,
    done: Vec<&'a str>,
}

impl<'a> Walk<'a, '_> {
    fn visit(&mut self, name: &'a str) -> Result<(), Problem> {
        if self.done.contains(&name) {
            return Ok(());
        }
        if let Some(start) = self.path.iter().position(|visited| *visited == name) {
            let around = self.path[start..].iter().chain([&name]).map(|name| (*name).to_owned());
            return Err(Problem::Cycle(around.collect()));
        }
        self.path.push(name);
        for next in self.edges.get(name).into_iter().flatten() {
            self.visit(next)?;
        }
        self.path.pop();
        self.done.push(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn graph(resources: &Value) -> ResourceGraphSpec {
        let schema = json!({
            "group": "example.com", "version": "v1", "kind": "MyCustomKind",
            "spec": { "name": "string | required", "replicas": "integer | default=2" },
        });
        serde_json::from_value(json!({ "schema": schema, "resources": resources })).unwrap()
    }

    fn problem(resources: &Value) -> (String, String) {
        let problem = order(&graph(resources)).unwrap_err();
        (problem.reason().to_string(), problem.to_string())
    }

    #[test]
    fn what_is_referred_to_comes_first() {
        let resource = |id: &str, name: &str, spec: Value| {
            json!({ "id": id, "template": {
                "apiVersion": "v1", "kind": "Thing", "metadata": { "name": name }, "spec": spec,
            } })
        };
        let spec = graph(&json!([
            resource("web", "web", json!({ "subnet": "${net.status.id}/${ store.metadata.name }" })),
            resource("net", "${schema.spec.name}-net", json!({})),
            resource(
                "store",
                "store",
                json!({ "nets": ["${net.status.id}"], "owner": "${schema.metadata.name}" })
            ),
        ]));
        assert_eq!(order(&spec), Ok(vec!["net", "store", "web"]));
    }

    #[test]
    fn each_problem_is_named_with_the_resource_that_has_it() {
        let cases = [
            (
                json!([{ "id": "a", "template": { "apiVersion": "v1", "metadata": { "name": "a" } } }]),
                "InvalidTemplate",
                "the template of resource \"a\" has no kind, or one that is not known in advance",
            ),
            (
                json!([{ "id": "a", "template": { "apiVersion": "v1", "kind": "${schema.spec.name}" } }]),
                "InvalidTemplate",
                "the template of resource \"a\" has no kind, or one that is not known in advance",
            ),
            (
                json!([{ "id": "a", "template": { "apiVersion": "v1", "kind": "ConfigMap" } }]),
                "InvalidTemplate",
                "the template of resource \"a\" has no metadata.name, or one that is not known in advance",
            ),
            (
                json!([{ "id": "a", "template": {} }, { "id": "a", "template": {} }]),
                "InvalidResourceName",
                "two resources are called \"a\": references to it are ambiguous",
            ),
            (
                json!([{ "id": "schema", "template": {} }]),
                "InvalidResourceName",
                "a resource cannot be called \"schema\": that is the object itself",
            ),
            (
                json!([{ "id": "a", "template": { "x": "${b.status.id}" } }]),
                "InvalidReference",
                "resource \"a\" refers to \"b.status.id\", which does not exist",
            ),
            (
                json!([{ "id": "a", "template": { "x": "${schema.spec.size}" } }]),
                "InvalidReference",
                "resource \"a\" refers to \"schema.spec.size\", which does not exist",
            ),
            (
                json!([{ "id": "a", "template": { "x": "${}" } }]),
                "InvalidReference",
                "resource \"a\" refers to \"\", which does not exist",
            ),
            (
                json!([{ "id": "a", "template": { "x": "id: ${b.status" } }]),
                "InvalidReference",
                "resource \"a\": the reference \"${b.status\" has no closing brace",
            ),
            (
                json!([{ "id": "a", "template": { "x": "${a.y}" } }]),
                "CyclicGraph",
                "resources wait for each other: a -> a",
            ),
            (
                json!([
                   { "id": "a", "template": { "x": "${b.y}" } },
                   { "id": "b", "template": { "x": "${c.y}" } },
                   { "id": "c", "template": { "x": "${b.y}" } },
                ]),
                "CyclicGraph",
                "resources wait for each other: b -> c -> b",
            ),
        ];
        for (resources, reason, message) in cases {
            assert_eq!(problem(&resources), (reason.to_owned(), message.to_owned()));
        }
    }
}
