//! The operations of custom kinds, to the word as the real server publishes them.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{
    discovery::{self, Part},
    paths::{self, DELETE, DELETE_OPTIONS, LIST, PATCH, STATUS, WRITE},
    reference,
};
use crate::resource::{Resource, Version};

const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// What every parameter is for, in the words of the real server.
static WORDS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("parameters.json")).unwrap_or_default());

/// One custom kind.
struct Subject<'a> {
    resource: &'a Resource,
    version: &'a Version,
}

/// Adds the paths of a custom kind.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    resource: &Resource,
    version: &Version,
    definition: &str,
    list: &str,
) {
    let subject = Subject { resource, version };
    let base = format!("/apis/{}/{}", resource.group, version.name);
    let (scope, namespaced) =
        if resource.namespaced { ("/namespaces/{namespace}", "Namespaced") } else { ("", "") };
    let collection = format!("{base}{scope}/{}", resource.plural);
    let kind = &resource.kind;
    let article = paths::article(resource);
    let listing = format!("list objects of kind {kind}");
    if resource.namespaced {
        let mut operation = subject.operation("list", &format!("{kind}ForAllNamespaces"), &listing, "list");
        answer(&mut operation, list, &["200"]);
        let mut names: Vec<_> = LIST.iter().copied().chain(["pretty"]).collect();
        names.sort_unstable();
        let path = json!({"get": operation, "parameters": queries(&names)});
        paths.insert(format!("{base}/{}", resource.plural), path);
    }
    let own = format!("{namespaced}{kind}");
    let mut get = subject.operation("list", &own, &listing, "list");
    answer(&mut get, list, &["200"]);
    get["parameters"] = queries(LIST).into();
    let mut post = subject.operation("create", &own, &format!("create {article} {kind}"), "post");
    answer(&mut post, definition, &["200", "201", "202"]);
    post["parameters"] = queries(WRITE).into();
    post["requestBody"] = body(definition, true);
    let words = format!("delete collection of {kind}");
    let mut delete = subject.operation("delete", &format!("Collection{own}"), &words, "deletecollection");
    answer(&mut delete, STATUS, &["200"]);
    delete["parameters"] = queries(LIST).into();
    let methods = json!({
        "get": get, "post": post, "delete": delete, "parameters": subject.own_parameters(false),
    });
    paths.insert(collection.clone(), methods);

    let path = format!("{collection}/{{name}}");
    let mut methods = subject.one(&own, "", definition);
    let mut delete = subject.operation("delete", &own, &format!("delete {article} {kind}"), "delete");
    answer(&mut delete, STATUS, &["200", "202"]);
    delete["parameters"] = queries(DELETE).into();
    delete["requestBody"] = body(DELETE_OPTIONS, false);
    methods["delete"] = delete;
    paths.insert(path.clone(), methods);
    for Part { name, .. } in discovery::subresources(resource, version) {
        let (what, speaks) = match name {
            "scale" => ("Scale", SCALE),
            _ => ("Status", definition),
        };
        let methods = subject.one(&format!("{own}{what}"), &format!("{name} of "), speaks);
        paths.insert(format!("{path}/{name}"), methods);
    }
}

impl Subject<'_> {
    fn operation(&self, does: &str, to: &str, words: &str, action: &str) -> Value {
        let Self { resource, version } = self;
        let group: String = resource.group.split(['.', '-']).map(capital).collect();
        let mut letters = group.chars();
        let small: String =
            letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect();
        json!({
            "tags": [format!("{small}_{}", version.name)],
            "description": words,
            "operationId": format!("{does}{group}{}{to}", capital(&version.name)),
            "responses": {"401": {"description": "Unauthorized"}},
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": {
                "group": resource.group, "version": version.name, "kind": resource.kind,
            },
        })
    }

    /// What can be done to one object, or to a part of it.
    fn one(&self, to: &str, part: &str, speaks: &str) -> Value {
        let kind = &self.resource.kind;
        let mut get = self.operation("read", to, &format!("read {part}the specified {kind}"), "get");
        answer(&mut get, speaks, &["200"]);
        get["parameters"] = queries(&["resourceVersion"]).into();
        let mut put = self.operation("replace", to, &format!("replace {part}the specified {kind}"), "put");
        answer(&mut put, speaks, &["200", "201"]);
        put["parameters"] = queries(WRITE).into();
        put["requestBody"] = body(speaks, true);
        let words = format!("partially update {part}the specified {kind}");
        let mut patch = self.operation("patch", to, &words, "patch");
        answer(&mut patch, speaks, &["200"]);
        let mut parameters = queries(PATCH);
        for parameter in parameters.iter_mut().filter(|parameter| parameter["name"] == "fieldManager") {
            parameter["description"] = WORDS.get("fieldManager (patch)").cloned().unwrap_or_default();
        }
        patch["parameters"] = parameters.into();
        let format = json!({"schema": reference("io.k8s.apimachinery.pkg.apis.meta.v1.Patch")});
        patch["requestBody"] = json!({"required": true, "content": {
            "application/apply-patch+yaml": format,
            "application/json-patch+json": format,
            "application/merge-patch+json": format,
        }});
        json!({"get": get, "put": put, "patch": patch, "parameters": self.own_parameters(true)})
    }

    /// The parameters that all operations of a path have.
    fn own_parameters(&self, named: bool) -> Vec<Value> {
        let path = |name: &str, words: &str| {
            json!({
                "name": name, "in": "path", "required": true, "description": words,
                "schema": {"type": "string", "uniqueItems": true},
            })
        };
        let mut parameters = Vec::new();
        if named {
            parameters.push(path("name", &format!("name of the {}", self.resource.kind)));
        }
        if self.resource.namespaced {
            parameters.push(path("namespace", "object name and auth scope, such as for teams and projects"));
        }
        parameters.extend(queries(&["pretty"]));
        parameters
    }
}

fn queries(names: &[&str]) -> Vec<Value> {
    let mut queries = paths::queries(names);
    for query in &mut queries {
        let words = query["name"].as_str().and_then(|name| WORDS.get(name)).cloned();
        query["description"] = words.unwrap_or_default();
    }
    queries
}

fn content(definition: &str) -> Value {
    let schema = json!({"schema": reference(definition)});
    json!({"application/json": schema, "application/yaml": schema})
}

fn answer(operation: &mut Value, definition: &str, codes: &[&str]) {
    for code in codes {
        let words = match *code {
            "201" => "Created",
            "202" => "Accepted",
            _ => "OK",
        };
        operation["responses"][*code] = json!({"description": words, "content": content(definition)});
    }
}

fn body(definition: &str, required: bool) -> Value {
    let mut body = json!({"content": content(definition)});
    if required {
        body["required"] = true.into();
    }
    body
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
