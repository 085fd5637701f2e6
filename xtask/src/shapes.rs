//! The tables of the embedded server that come from Kubernetes itself: made here, never by hand.
//!
//! What the Go types say is printed by `xtask/kube/shapes`; what the OpenAPI documents and the first objects of a cluster say
//! comes from a real server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use crate::client::{Call, Client};
use crate::printer;
use crate::real::{Environment, Private};

/// Resources that are not taken from the table: definitions are served by a part of their own; the others have nothing behind
/// them here.
const LEFT_OUT: [(&str, &str); 4] = [
    ("", "bindings"),
    ("", "componentstatuses"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apiregistration.k8s.io", "apiservices"),
];

/// Kinds without a resource of their own: bodies of subresources, and what [`LEFT_OUT`] names but something refers to.
const BODIES: [(&str, &str, &str); 5] = [
    ("", "v1", "Binding"),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    ("authentication.k8s.io", "v1", "TokenRequest"),
    ("autoscaling", "v1", "Scale"),
    ("policy", "v1", "Eviction"),
];

/// What every kind needs.
const COMMON: [&str; 4] = ["Condition", "DeleteOptions", "Patch", "Status"];

/// The roles that users meet, those that others gather from first.
const ROLES: [&str; 11] = [
    "cluster-admin",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
    "system:monitoring",
    "system:aggregate-to-view",
    "system:aggregate-to-edit",
    "system:aggregate-to-admin",
    "view",
    "edit",
    "admin",
];

/// Who has some of them from the start.
const BINDINGS: [&str; 5] = [
    "cluster-admin",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
    "system:monitoring",
];

/// Makes the tables, or with `check` only says which are not as they would be made. Returns whether all are.
pub async fn run(environment: &Environment, check: bool) -> Result<bool> {
    let server = Private::start(environment).await?;
    let client = server.client()?;
    let groups = groups(&client).await?;
    let schemas = Schemas::read(&client, &groups).await?;
    let resources = resources(&client, &groups, &schemas).await?;
    let kinds: Vec<String> = resources.iter().map(kind_of).chain(bodies()).collect();
    let tables = [
        ("http/protobuf/messages.json", from_go("messages", &kinds)?),
        ("builtin/types.json", from_go("types", &kinds)?),
        ("builtin/resources.json", lines(resources.iter().map(Value::to_string), ["[", "]"])),
        ("builtin/kinds.json", schemas.shapes()?),
        ("openapi/prose.json", schemas.prose()?),
        ("table/columns.json", columns(&client, &resources, &schemas).await?),
        ("access/defaults.json", defaults(&client).await?),
    ];
    let mut same = true;
    for (name, made) in tables {
        let path = source().join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if found == made {
            printer::line(format!("{name}: as it should be"));
        } else if check {
            same = false;
            printer::line(format!("{name}: not what Kubernetes says; run cargo xtask shapes"));
        } else {
            std::fs::write(&path, made).with_context(|| format!("cannot write {}", path.display()))?;
            printer::line(format!("{name}: written"));
        }
    }
    Ok(same)
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/allready-apiserver/src")
}

fn from_go(table: &str, kinds: &[String]) -> Result<String> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("kube");
    // As the server is built, so that Go compiles once what both consist of.
    let mut command = Command::new("go");
    let output =
        command.args(["run", "-trimpath", "./shapes", table]).args(kinds).current_dir(module).output();
    let output = output.context("cannot run go")?;
    if !output.status.success() {
        bail!("go run ./shapes {table} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

async fn get(client: &Client, path: &str) -> Result<Value> {
    get_as(client, path, "application/json").await
}

async fn get_as(client: &Client, path: &str, form: &str) -> Result<Value> {
    let headers = vec![("Accept".to_owned(), form.to_owned())];
    let answer = client.send(&Call { path: path.to_owned(), headers, ..Call::default() }).await?;
    if !answer.status.is_success() {
        bail!("{path}: {}", answer.status);
    }
    serde_json::from_slice(&answer.body).with_context(|| format!("{path} is no JSON"))
}

/// A stable version of a group: `v1`, and not `v1beta1`.
fn is_stable(version: &str) -> bool {
    version.strip_prefix('v').is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The groups with their stable versions, the preferred one first.
async fn groups(client: &Client) -> Result<Vec<(String, String)>> {
    let mut found = vec![(String::new(), "v1".to_owned())];
    for group in list(&get(client, "/apis").await?, "groups") {
        let versions = list(group, "versions").iter().map(|version| text(version, "version"));
        found.extend(versions.filter(|version| is_stable(version)).map(|it| (text(group, "name"), it)));
    }
    Ok(found)
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// `apps/v1` as it stands in a path.
fn path_of(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The rows of the table of resources, as discovery lists them.
async fn resources(client: &Client, groups: &[(String, String)], schemas: &Schemas) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (group, version) in groups {
        let found = get(client, &format!("/{}", path_of(group, version))).await?;
        let (parts, whole): (Vec<&Value>, Vec<&Value>) =
            list(&found, "resources").iter().partition(|resource| text(resource, "name").contains('/'));
        for resource in whole {
            let plural = text(resource, "name");
            if LEFT_OUT.contains(&(group.as_str(), plural.as_str())) {
                continue;
            }
            let prefix = format!("{plural}/");
            let parts: Vec<String> = parts
                .iter()
                .filter_map(|part| Some(text(part, "name").strip_prefix(&prefix)?.to_owned()))
                .collect();
            let definition = schemas.definition(group, version, &text(resource, "kind"))?;
            let mut row = serde_json::json!({
                "group": group,
                "version": version,
                "plural": plural,
                "singular": resource["singularName"],
                "kind": resource["kind"],
                "type": definition.strip_prefix("io.k8s.api.").context("a definition of another package")?,
                "namespaced": resource["namespaced"],
                "verbs": resource["verbs"],
            });
            for (field, value) in
                [("short", &resource["shortNames"]), ("categories", &resource["categories"])]
            {
                if !value.is_null() {
                    row[field] = value.clone();
                }
            }
            if !parts.is_empty() {
                row["subresources"] = parts.into();
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// `apps/v1/Deployment`, as `xtask/kube/shapes` takes it.
fn kind_of(row: &Value) -> String {
    named(&text(row, "group"), &text(row, "version"), &text(row, "kind"))
}

fn named(group: &str, version: &str, kind: &str) -> String {
    if group.is_empty() { format!("{version}/{kind}") } else { format!("{group}/{version}/{kind}") }
}

/// Those that the Go types of the API are asked for; definitions have a reader of their own.
fn bodies() -> impl Iterator<Item = String> {
    let own = BODIES.into_iter().filter(|(group, ..)| *group != "apiextensions.k8s.io");
    own.map(|(group, version, kind)| named(group, version, kind))
}

/// One entry a line, so that a change is easy to read.
fn lines(entries: impl Iterator<Item = String>, [open, close]: [&str; 2]) -> String {
    format!("{open}\n{}\n{close}\n", entries.collect::<Vec<_>>().join(",\n"))
}

/// The definitions of the OpenAPI documents of the stable versions.
struct Schemas {
    all: Map<String, Value>,
    /// Those that are served, by `group/version/Kind`.
    served: BTreeMap<String, String>,
}

impl Schemas {
    async fn read(client: &Client, groups: &[(String, String)]) -> Result<Self> {
        let (mut all, mut served) = (Map::new(), BTreeMap::new());
        for (group, version) in groups {
            let mut document = get(client, &format!("/openapi/v3/{}", path_of(group, version))).await?;
            let Value::Object(schemas) = document["components"]["schemas"].take() else {
                bail!("an OpenAPI document without schemas");
            };
            for (name, schema) in &schemas {
                // What is accepted everywhere has many kinds; a body may be of another group than its document.
                if let [kind] = list(schema, "x-kubernetes-group-version-kind") {
                    served.insert(kind_of(kind), name.clone());
                }
            }
            all.extend(schemas);
        }
        Ok(Self { all, served })
    }

    fn definition(&self, group: &str, version: &str, kind: &str) -> Result<&str> {
        let name = named(group, version, kind);
        self.served.get(&name).map(String::as_str).with_context(|| format!("no definition of {name}"))
    }

    /// The definitions that are kept, without prose: those of the resources and of all that they refer to.
    fn kept(&self) -> Result<BTreeMap<String, Value>> {
        let mut wanted: Vec<String> =
            COMMON.iter().map(|name| format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}")).collect();
        for (group, version, kind) in BODIES {
            wanted.push(self.definition(group, version, kind)?.to_owned());
        }
        // Lists follow from their kinds.
        let of_api = self.served.values().filter(|name| name.starts_with("io.k8s.api."));
        wanted.extend(of_api.filter(|name| !name.ends_with("List")).cloned());
        let mut kept: BTreeMap<String, Value> = BTreeMap::new();
        while let Some(name) = wanted.pop() {
            if kept.contains_key(&name) {
                continue;
            }
            let schema = self.all.get(&name).with_context(|| format!("no definition of {name}"))?;
            let mut schema = bare(schema, false);
            // What is accepted everywhere is of another kind in every document.
            let everywhere = list(&schema, "x-kubernetes-group-version-kind").len() > 1;
            if everywhere && let Some(schema) = schema.as_object_mut() {
                schema.remove("x-kubernetes-group-version-kind");
            }
            let mut found = BTreeSet::new();
            references(&schema, &mut found);
            wanted.extend(found);
            kept.insert(name, schema);
        }
        Ok(kept)
    }

    fn shapes(&self) -> Result<String> {
        let entries = self.kept()?.into_iter();
        Ok(lines(entries.map(|(name, schema)| format!("{}:{schema}", Value::from(name))), ["{", "}"]))
    }

    fn prose(&self) -> Result<String> {
        let entries = self.words()?.into_iter();
        let line = |(name, words)| format!("{}:{}", Value::from(name), Value::Object(words));
        Ok(lines(entries.map(line), ["{", "}"]))
    }

    /// The descriptions of definitions and their fields: by the name of the field, the empty one for the definition itself.
    fn words(&self) -> Result<BTreeMap<String, Map<String, Value>>> {
        let mut entries = BTreeMap::new();
        for name in self.kept()?.into_keys() {
            let schema = &self.all[&name];
            let mut words = Map::new();
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields = fields.map(|(name, field)| (name.as_str(), field));
            for (field, described) in std::iter::once(("", schema)).chain(fields) {
                if let Some(description) = described["description"].as_str() {
                    // The words on each value of an enumeration follow from the shape.
                    let own = description.split("\n\nPossible enum values:").next().unwrap_or_default();
                    words.insert(field.to_owned(), own.into());
                }
            }
            entries.insert(name, words);
        }
        Ok(entries)
    }
}

/// The columns in which the real server prints the kinds that have some of their own: name, type, format, priority, and the
/// description, as `@definition#field` where it is that of a field.
async fn columns(client: &Client, resources: &[Value], schemas: &Schemas) -> Result<String> {
    let words = schemas.words()?;
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    for (definition, fields) in &words {
        for (field, words) in fields {
            let place = format!("@{definition}#{field}");
            known.entry(words.as_str().unwrap_or_default()).or_insert(place);
        }
    }
    let mut entries = Vec::new();
    for row in resources.iter().filter(|row| list(row, "verbs").contains(&"list".into())) {
        let (group, plural) = (text(row, "group"), text(row, "plural"));
        let path = format!("/{}/{plural}?limit=1", path_of(&group, &text(row, "version")));
        let table = get_as(client, &path, "application/json;as=Table;v=v1;g=meta.k8s.io").await?;
        let definitions = list(&table, "columnDefinitions");
        if definitions.iter().any(|column| column["name"] == "Created At") {
            continue;
        }
        let column = |column: &Value| {
            let words = text(column, "description");
            let words = known.get(words.as_str()).cloned().unwrap_or(words);
            serde_json::json!([column["name"], column["type"], column["format"], column["priority"], words])
        };
        let columns: Vec<Value> = definitions.iter().map(column).collect();
        let entry = format!("{}:{}", Value::from(format!("{group}/{plural}")), Value::from(columns));
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    Ok(lines(entries.into_iter(), ["{", "}"]))
}

/// A schema without prose, with references by name alone.
fn bare(schema: &Value, properties: bool) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(|item| bare(item, false)).collect(),
        Value::Object(fields) if properties => {
            fields.iter().map(|(name, field)| (name.clone(), bare(field, false))).collect()
        }
        Value::Object(fields) => {
            if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                return serde_json::json!({ "$ref": target.rsplit('/').next() });
            }
            // A reference with a default stands alone in an `allOf`.
            if let Some([only]) = fields.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
                && only.get("$ref").is_some()
                && fields.keys().all(|key| matches!(key.as_str(), "allOf" | "default" | "description"))
            {
                let mut reference = bare(only, false);
                if let Some(default) = fields.get("default") {
                    reference["default"] = default.clone();
                }
                return reference;
            }
            let kept = fields.iter().filter(|(key, _)| *key != "description");
            kept.map(|(key, field)| (key.clone(), bare(field, key == "properties"))).collect()
        }
        other => other.clone(),
    }
}

fn references(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(fields) => {
            for (key, field) in fields {
                match field {
                    Value::String(target) if key == "$ref" => _ = found.insert(target.clone()),
                    other => references(other, found),
                }
            }
        }
        _ => {}
    }
}

async fn defaults(client: &Client) -> Result<String> {
    let roles = ROLES.map(|name| ("clusterroles", name));
    let bindings = BINDINGS.map(|name| ("clusterrolebindings", name));
    let mut lines = Vec::new();
    for (plural, name) in roles.into_iter().chain(bindings) {
        let mut object = get(client, &format!("/apis/rbac.authorization.k8s.io/v1/{plural}/{name}")).await?;
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|field, _| matches!(field.as_str(), "annotations" | "labels" | "name"));
        }
        if let Some(object) = object.as_object_mut() {
            object.retain(|_, field| !field.is_null());
        }
        lines.push(object.to_string());
    }
    Ok(self::lines(lines.into_iter(), ["[", "]"]))
}
