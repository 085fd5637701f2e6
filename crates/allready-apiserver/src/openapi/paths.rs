//! The operations of a document: what can be done where, with which parameters. Clients read from them which kind stands
//! behind an address, and whether a parameter such as `fieldValidation` is understood.

use serde_json::{Map, Value, json};

use super::{
    discovery::{self, Part},
    reference,
};
use crate::resource::{Resource, Version};

pub(super) const LIST: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];
pub(super) const DELETE: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
];
pub(super) const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];
pub(super) const PATCH: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "force"];
/// What a deletion may be told.
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
/// What most deletions answer.
pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";

/// One resource of the document, as its operations see it.
struct Subject<'a> {
    resource: &'a Resource,
    version: &'a Version,
    definition: &'a str,
    list: Option<&'a str>,
}

/// `a` or `an`, as it goes before the kind.
pub(super) fn article(resource: &Resource) -> &'static str {
    if resource.kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

/// Adds the paths of a built-in resource.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    resource: &Resource,
    version: &Version,
    definition: &str,
    list: Option<&str>,
) {
    let subject = Subject { resource, version, definition, list };
    let base = match resource.group.as_str() {
        "" => format!("/api/{}", version.name),
        group => format!("/apis/{group}/{}", version.name),
    };
    let scope = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
    let collection = format!("{base}{scope}/{}", resource.plural);
    let verbs = discovery::verbs(resource, version);
    let operations = |known: &[(&str, &str)], is_of: fn(&str) -> bool| {
        let served = known.iter().filter(|(_, verb)| is_of(verb) && verbs.contains(verb));
        served.map(|(method, verb)| ((*method).to_owned(), subject.operation(verb))).collect::<Map<_, _>>()
    };
    let of_collection = [("get", "list"), ("post", "create"), ("delete", "deletecollection")];
    let of_object = [("get", "get"), ("put", "update"), ("delete", "delete"), ("patch", "patch")];
    insert(paths, &collection, operations(&of_collection, |_| true));
    insert(paths, &format!("{collection}/{{name}}"), operations(&of_object, |_| true));
    if resource.namespaced {
        let everywhere = operations(&of_collection, |verb| verb == "list");
        insert(paths, &format!("{base}/{}", resource.plural), everywhere);
    }
    for part in discovery::subresources(resource, version) {
        let methods = [("get", "get"), ("post", "create"), ("put", "update"), ("patch", "patch")];
        let served = methods.iter().filter(|(_, verb)| part.verbs.contains(verb));
        let operations =
            served.map(|(method, verb)| ((*method).to_owned(), subject.part(&part, verb))).collect();
        insert(paths, &format!("{collection}/{{name}}/{}", part.name), operations);
    }
}

fn insert(paths: &mut Map<String, Value>, path: &str, mut operations: Map<String, Value>) {
    if operations.is_empty() {
        return;
    }
    let mut parameters = Vec::new();
    for name in ["name", "namespace"] {
        if path.contains(&format!("{{{name}}}")) {
            parameters.push(json!({
                "name": name,
                "in": "path",
                "required": true,
                "schema": {"type": "string", "uniqueItems": true},
            }));
        }
    }
    parameters.extend(queries(&["pretty"]));
    operations.insert("parameters".into(), parameters.into());
    paths.insert(path.to_owned(), operations.into());
}

pub(super) fn queries(names: &[&str]) -> Vec<Value> {
    let kind = |name: &str| match name {
        "limit" | "timeoutSeconds" | "gracePeriodSeconds" => "integer",
        "allowWatchBookmarks"
        | "sendInitialEvents"
        | "watch"
        | "force"
        | "orphanDependents"
        | "ignoreStoreReadErrorWithClusterBreakingPotential" => "boolean",
        _ => "string",
    };
    let query = |name: &&str| json!({"name": name, "in": "query", "schema": {"type": kind(name), "uniqueItems": true}});
    names.iter().map(query).collect()
}

impl Subject<'_> {
    fn own_kind(&self) -> Value {
        json!({"group": self.resource.group, "version": self.version.name, "kind": self.resource.kind})
    }

    fn operation(&self, verb: &str) -> Value {
        let (kind, article) = (&self.resource.kind, article(self.resource));
        let (action, words, parameters, answer) = match verb {
            "list" => ("list", format!("list or watch objects of kind {kind}"), LIST, self.list),
            "create" => ("post", format!("create {article} {kind}"), WRITE, Some(self.definition)),
            "deletecollection" => {
                ("deletecollection", format!("delete collection of {kind}"), LIST, Some(STATUS))
            }
            "get" => ("get", format!("read the specified {kind}"), &[][..], Some(self.definition)),
            "update" => ("put", format!("replace the specified {kind}"), WRITE, Some(self.definition)),
            "delete" => ("delete", format!("delete {article} {kind}"), DELETE, Some(STATUS)),
            _ => ("patch", format!("partially update the specified {kind}"), PATCH, Some(self.definition)),
        };
        let body = match verb {
            "create" | "update" => Some(self.definition),
            "delete" => Some(DELETE_OPTIONS),
            _ => None,
        };
        write(verb, action, &words, parameters, body, answer, &self.own_kind())
    }

    fn part(&self, part: &Part, verb: &str) -> Value {
        let (kind, article) = (&self.resource.kind, article(self.resource));
        let (action, words, parameters) = match verb {
            "get" => ("get", format!("read {} of the specified {kind}", part.name), &[][..]),
            "create" => ("post", format!("create {} of {article} {kind}", part.name), WRITE),
            "update" => ("put", format!("replace {} of the specified {kind}", part.name), WRITE),
            _ => ("patch", format!("partially update {} of the specified {kind}", part.name), PATCH),
        };
        let speaks = match part.speaks {
            Some([_, "", name]) => {
                json!({"group": self.resource.group, "version": self.version.name, "kind": name})
            }
            Some([group, version, name]) => json!({"group": group, "version": version, "kind": name}),
            None => self.own_kind(),
        };
        let definition = part.speaks.is_none().then_some(self.definition);
        let body = definition.filter(|_| verb == "update");
        write(verb, action, &words, parameters, body, definition, &speaks)
    }
}

fn write(
    verb: &str,
    action: &str,
    words: &str,
    parameters: &[&str],
    body: Option<&str>,
    answer: Option<&str>,
    kind: &Value,
) -> Value {
    let json = |definition: &str| json!({"application/json": {"schema": reference(definition)}});
    let mut responses = json!({"200": {"description": "OK"}, "401": {"description": "Unauthorized"}});
    if let Some(answer) = answer {
        responses["200"]["content"] = json(answer);
    }
    let mut operation = json!({
        "description": words,
        "responses": responses,
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind,
    });
    if !parameters.is_empty() {
        operation["parameters"] = queries(parameters).into();
    }
    if let Some(body) = body {
        operation["requestBody"] = json!({"content": json(body), "required": true});
    }
    if verb == "patch" {
        let formats =
            ["apply-patch+yaml", "json-patch+json", "merge-patch+json", "strategic-merge-patch+json"];
        let patch = reference("io.k8s.apimachinery.pkg.apis.meta.v1.Patch");
        let content: Map<_, _> = formats
            .into_iter()
            .map(|format| (format!("application/{format}"), json!({"schema": patch})))
            .collect();
        operation["requestBody"] = json!({"content": content, "required": true});
    }
    operation
}
