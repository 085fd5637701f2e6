//! Patches other than plain merges: JSON patches, changes of metadata, and what goes through `/scale`.

use serde_json::{Value, json};

use super::{Maker, Step, WORDS, path};

/// Pointers of all kinds; `ROOT` is the part of the object that the endpoint is about.
const POINTERS: [&str; 34] = [
    "ROOT",
    "ROOT/text",
    "ROOT/number",
    "ROOT/set",
    "ROOT/set/0",
    "ROOT/set/-",
    "ROOT/set/9",
    "ROOT/set/-1",
    "ROOT/set/01",
    "ROOT/set/x",
    "ROOT/items",
    "ROOT/items/0",
    "ROOT/items/1",
    "ROOT/items/0/key",
    "ROOT/items/0/value",
    "ROOT/items/0/set/0",
    "ROOT/granular/k",
    "ROOT/granular/a~1b",
    "ROOT/granular/~0",
    "ROOT/object/inner/y",
    "ROOT/free/p/q",
    "ROOT/maybe",
    "ROOT/conditions/0",
    "ROOT/conditions/0/status",
    "/metadata/labels",
    "/metadata/labels/k",
    "/metadata/finalizers/-",
    "/metadata/name",
    "/metadata/resourceVersion",
    "/metadata/managedFields",
    // Which entry is the first depends on when the second changed; this one is never there.
    "/metadata/managedFields/99",
    "/kind",
    "",
    "spec",
];

impl Maker<'_> {
    pub(super) fn json_patch(&mut self, version: &str, status: bool) -> Step {
        let root = if status { "/status" } else { "/spec" };
        let values = if status { self.status() } else { self.spec(version) };
        let mut operations = Vec::new();
        for (name, value) in values.as_object().into_iter().flatten().take(3) {
            operations.push(match self.random.below(10) {
                0..6 => json!({ "op": "add", "path": format!("{root}/{name}"), "value": value }),
                6 => json!({ "op": "replace", "path": format!("{root}/{name}"), "value": value }),
                7 => json!({ "op": "remove", "path": format!("{root}/{name}") }),
                8 => {
                    json!({ "op": "add", "path": format!("{root}/set/-"), "value": self.random.one(&WORDS) })
                }
                _ => json!({ "op": "remove", "path": format!("{root}/items/0") }),
            });
        }
        if self.random.percent(if self.wild { 60 } else { 15 }) {
            let place = self.random.below(operations.len() + 1);
            let operation = self.operation(root);
            operations.insert(place, operation);
        }
        let query = self.updater_query();
        self.write("PATCH", version, status, &query, Some("json-patch"), operations.into())
    }

    fn pointer(&mut self, root: &str) -> String {
        self.random.one(&POINTERS).replace("ROOT", root)
    }

    /// Where something is copied from: not from the managed fields, whose order depends on when the second changes.
    fn source(&mut self, root: &str) -> String {
        Some(self.pointer(root)).filter(|pointer| !pointer.contains("managedFields")).unwrap_or_default()
    }

    fn operation(&mut self, root: &str) -> Value {
        let path = self.pointer(root);
        let value = match self.random.below(6) {
            0 => self.number(),
            1 => self.set(),
            2 => Value::Null,
            3 => json!({}),
            _ => self.word(),
        };
        let mut operation = match self.random.below(6) {
            0 => json!({ "op": "add", "path": path, "value": value }),
            1 => json!({ "op": "replace", "path": path, "value": value }),
            2 => json!({ "op": "remove", "path": path }),
            3 => json!({ "op": "test", "path": path, "value": value }),
            4 => json!({ "op": "move", "path": path, "from": self.source(root) }),
            _ => json!({ "op": "copy", "path": path, "from": self.source(root) }),
        };
        if self.wild && self.random.percent(20) {
            match self.random.below(6) {
                0 => operation["op"] = "put".into(),
                1 => operation["op"] = Value::Null,
                2 => operation["extra"] = 1.into(),
                3 => drop(operation.as_object_mut().and_then(|fields| fields.remove("value"))),
                4 => drop(operation.as_object_mut().and_then(|fields| fields.remove("from"))),
                _ => operation["path"] = 1.into(),
            }
        }
        operation
    }

    /// A change of what everything has: finalizers, owners, annotations, and who manages what.
    pub(super) fn metadata_patch(&mut self, version: &str, status: bool) -> Step {
        let mut metadata = json!({});
        match self.random.below(12) {
            0..2 => metadata["managedFields"] = json!([{}]),
            2..5 => metadata["managedFields"] = self.managed_fields(),
            _ => self.some_metadata(&mut metadata),
        }
        let body = json!({ "metadata": metadata });
        let query = self.updater_query();
        if self.random.percent(30) {
            let body = json!({ "$from": "last", "$merge": body });
            return self.write("PUT", version, status, &query, None, body);
        }
        self.write("PATCH", version, status, &query, Some("merge"), body)
    }

    pub(super) fn some_metadata(&mut self, metadata: &mut Value) {
        for _ in 0..=self.random.below(2) {
            match self.random.below(14) {
                0 | 1 => metadata["finalizers"] = self.finalizers(),
                2 => metadata["finalizers"] = json!([]),
                3 => metadata["finalizers"] = Value::Null,
                4..6 => metadata["ownerReferences"] = self.list(2, false, Self::owner),
                6 => metadata["annotations"] = self.last_applied(),
                7 => metadata["annotations"] = self.words(),
                8 => metadata["labels"] = json!({}),
                9 => metadata["labels"] = json!({ "k": null }),
                10 => metadata["generateName"] = self.random.one(&["", "x-", "-"]).into(),
                11 => metadata["creationTimestamp"] = Value::Null,
                12 => metadata["generation"] = self.random.below(3).into(),
                _ => metadata["deletionGracePeriodSeconds"] = self.random.below(3).into(),
            }
        }
    }

    fn finalizers(&mut self) -> Value {
        self.list(2, false, |maker| {
            let names = [
                "example.com/a",
                "example.com/b",
                "example.com/a",
                "example.com/b",
                "plain",
                "a/b/c",
                "orphan",
            ];
            maker.random.one(&names).into()
        })
    }

    fn owner(&mut self) -> Value {
        let name = self.random.one(&["o", "p"]);
        let mut owner = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": name,
            "uid": format!("00000000-0000-4000-8000-00000000000{}", if name == "o" { 1 } else { 2 }),
        });
        if self.random.percent(30) {
            owner["controller"] = self.random.percent(70).into();
        }
        if self.random.percent(20) {
            owner["blockOwnerDeletion"] = true.into();
        }
        if self.random.percent(8) {
            let field = self.random.one(&["apiVersion", "kind", "name", "uid", "extra"]);
            owner[field] = "".into();
        }
        owner
    }

    /// What `kubectl` kept of what it applied last.
    fn last_applied(&mut self) -> Value {
        let spec = self.some(&[("text", Self::word), ("number", |_| 1.into()), ("set", Self::set)]);
        let text = match self.random.below(6) {
            0 => String::new(),
            1 => "{".to_owned(),
            _ => json!({ "apiVersion": "${group}/v1", "kind": "Nest", "spec": spec }).to_string(),
        };
        json!({ "kubectl.kubernetes.io/last-applied-configuration": text })
    }

    fn managed_fields(&mut self) -> Value {
        let manager = self.random.one(&["anna", "bert", "dora", "zoe", ""]);
        let mut entry = json!({
            "manager": manager,
            "operation": self.random.one(&["Apply", "Update"]),
            "apiVersion": "${group}/v1",
            "time": "2020-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": { "f:spec": { "f:text": {}, "f:set": { ".": {}, "v:\"a\"": {} } } },
        });
        match self.random.below(14) {
            0 => entry["operation"] = self.random.one(&["", "apply"]).into(),
            1 => entry["apiVersion"] = self.random.one(&["", "${group}/v9", "v1", "a/b/c"]).into(),
            2 => entry["fieldsType"] = self.random.one(&["", "FieldsV2"]).into(),
            3 => entry["fieldsV1"] = Value::Null,
            4 => entry["fieldsV1"] = json!({}),
            5 => entry["fieldsV1"] = json!({ "x": {} }),
            6 => entry["fieldsV1"] = json!({ "f:metadata": { "f:name": {} }, "f:status": {}, "f:spec": {} }),
            7 => {
                entry["fieldsV1"] = json!({ "f:spec": { "f:items": { "k:{\"key\":\"a\"}": {}, "k:{\"key\":\"a\",\"part\":\"main\"}": { ".": {} } } } });
            }
            8 => entry["time"] = Value::Null,
            9 => entry["subresource"] = "status".into(),
            10 => return json!([]),
            11 => return Value::Null,
            12 => return json!([entry, entry]),
            _ => {}
        }
        json!([entry])
    }

    pub(super) fn resource_version(&mut self) -> Value {
        match self.random.below(5) {
            0 => Value::Null,
            1 => "0".into(),
            2 => "x".into(),
            3 => "".into(),
            _ => "1".into(),
        }
    }

    /// Through `/scale` only one number changes.
    pub(super) fn scale(&mut self, version: &str) -> Step {
        let mut body = json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "${name}", "namespace": "${ns}" },
            "spec": { "replicas": self.random.below(4) },
        });
        let (method, media) = match self.random.below(10) {
            0 => {
                return Step { request: Some(format!("GET {}", path(version, "/scale"))), ..Step::default() };
            }
            1..4 => ("PUT", None),
            4..8 => ("PATCH", Some("merge")),
            8 => ("PATCH", Some("json-patch")),
            _ => ("PATCH", Some("apply")),
        };
        match (media, self.random.below(12)) {
            (_, 0) => body["spec"] = json!({}),
            (_, 1) => body["spec"]["replicas"] = Value::Null,
            (_, 2) if self.wild => body["spec"]["replicas"] = "1".into(),
            (_, 3) if self.wild => body["spec"]["replicas"] = json!(-1),
            (_, 4) if self.wild => body["metadata"]["resourceVersion"] = self.resource_version(),
            _ => {}
        }
        if media == Some("json-patch") {
            body = json!([{ "op": "replace", "path": "/spec/replicas", "value": self.random.below(3) }]);
        } else if media == Some("merge") && self.random.percent(80) {
            body = json!({ "spec": body["spec"] });
        }
        let query =
            if media == Some("apply") { "?fieldManager=anna".to_owned() } else { self.updater_query() };
        let mut step = self.write(method, version, false, &query, media, body);
        step.request = Some(format!("{method} {}{query}", path(version, "/scale")));
        step
    }
}
