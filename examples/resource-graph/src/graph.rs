//! Whether a graph makes sense. Pure.

use std::collections::{BTreeMap, BTreeSet};

use allready::{Reason, reason};
use serde_json::Value;

use crate::{GraphResource, ResourceGraphSpec, definition};

/// What is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A field that says nothing we know.
    #[error("field {field:?} of the schema: {problem}")]
    Field {
        /// Which one.
        field: String,
        /// What is wrong with it.
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
    /// Resources that wait for each other.
    #[error("resources wait for each other: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
}

impl Problem {
    /// The word for programs.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Field { .. } => reason!("InvalidSchema"),
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
    Ok(walk.done)
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
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else {
            return Err(Problem::Open { resource: resource.to_owned(), text: rest[start..].to_owned() });
        };
        found.push(rest[start + 2..start + length].trim());
        rest = &rest[start + length + 1..];
    }
    Ok(found)
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
        let spec = graph(&json!([
            { "id": "web", "template": { "spec": { "subnet": "${net.status.id}/${ store.metadata.name }" } } },
            { "id": "net", "template": { "metadata": { "name": "${schema.spec.name}-net" } } },
            { "id": "store", "template": { "spec": { "nets": ["${net.status.id}"], "owner": "${schema.metadata.name}" } } },
        ]));
        assert_eq!(order(&spec), Ok(vec!["net", "store", "web"]));
    }

    #[test]
    fn each_problem_is_named_with_the_resource_that_has_it() {
        let cases = [
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
