//! The objects of a hub, as an API server keeps them: versions, uids, and a simple record of who wrote what.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::hub::{ObjectEvent, ObjectName};

/// The kinds that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Aggregation,
    Gateway,
    DaemonSet,
    InstanceStatus,
    ClusterStatus,
    Lease,
    Endpoint,
    Decision,
}

impl What {
    pub(super) fn of_kind(kind: &str) -> Self {
        match kind {
            "Gateway" => Self::Gateway,
            "DaemonSet" => Self::DaemonSet,
            other => panic!("nothing of kind {other} is aggregated here"),
        }
    }
}

/// The objects, and everything that happened to them.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) objects: BTreeMap<(What, ObjectName), Value>,
    pub(super) log: Vec<(What, ObjectEvent)>,
    pub(super) version: u64,
}

impl Store {
    pub(super) fn get(&self, what: What, name: &ObjectName) -> Option<&Value> {
        self.objects.get(&(what, name.clone()))
    }

    /// Creates an object, or changes what of it is not its status.
    pub(super) fn put(&mut self, what: What, name: &ObjectName, change: impl FnOnce(&mut Value)) -> Value {
        let fresh = || {
            json!({ "metadata": {
                "namespace": &*name.namespace, "name": &*name.name, "uid": format!("uid-{}", self.version),
                "generation": 1,
            } })
        };
        let before = self.get(what, name).cloned();
        let mut object = before.clone().unwrap_or_else(fresh);
        change(&mut object);
        if before.as_ref().is_some_and(|before| before["spec"] != object["spec"]) {
            let generation = object["metadata"]["generation"].as_i64().unwrap();
            object["metadata"]["generation"] = (generation + 1).into();
        }
        self.keep(what, name, before.as_ref(), object)
    }

    fn keep(&mut self, what: What, name: &ObjectName, before: Option<&Value>, mut object: Value) -> Value {
        if before == Some(&object) {
            return object;
        }
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.objects.insert((what, name.clone()), object.clone());
        self.log.push((what, ObjectEvent::Apply(name.clone(), Box::new(object.clone()))));
        object
    }

    pub(super) fn delete(&mut self, what: What, name: &ObjectName) -> bool {
        let is_gone = self.objects.remove(&(what, name.clone())).is_some();
        if is_gone {
            self.version += 1;
            self.log.push((what, ObjectEvent::Delete(name.clone())));
        }
        is_gone
    }

    /// Applies all of an object but its status, which nobody else writes to.
    pub(super) fn apply(&mut self, what: What, name: &ObjectName, body: &Value) -> Value {
        self.put(what, name, |object| {
            object["spec"] = body["spec"].clone();
            for part in ["labels", "annotations", "ownerReferences"] {
                object["metadata"][part] = body["metadata"][part].clone();
            }
        })
    }

    /// Applies a status; none where there is no such object.
    pub(super) fn apply_status(
        &mut self,
        what: What,
        name: &ObjectName,
        manager: &str,
        body: &Value,
    ) -> Option<Value> {
        let before = self.get(what, name)?.clone();
        let mut object = before.clone();
        if matches!(what, What::Gateway | What::DaemonSet) {
            merge(&mut object, manager, &body["status"]);
        } else {
            object["status"] = body["status"].clone();
            object["metadata"]["managedFields"] = json!([{
                "manager": manager, "operation": "Apply", "subresource": "status", "fieldsV1": { "f:status": {} },
            }]);
        }
        Some(self.keep(what, name, Some(&before), object))
    }
}

/// The lists that are merged by a key.
const LISTS: [(&str, &str); 2] = [("conditions", "type"), ("listeners", "name")];

/// Server-side apply of a status with lists that are maps.
fn merge(object: &mut Value, manager: &str, wanted: &Value) {
    let mut records = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let owned_before = owned(&records, |writer| writer == manager);
    records.retain(|record| record["manager"] != manager);
    take_over(&mut records, object, wanted);
    let others = owned(&records, |_| true);
    let mut fields = Map::new();
    for (list, key) in LISTS {
        let wanted = wanted[list].as_array().cloned().unwrap_or_default();
        let named = |row: &Value| format!("{list}/{}", row[key].as_str().unwrap());
        let mut rows = object["status"][list].as_array().cloned().unwrap_or_default();
        let wants = |row: &Value| wanted.iter().any(|other| other[key] == row[key]);
        rows.retain(|row| wants(row) || !owned_before.contains(&named(row)) || others.contains(&named(row)));
        for row in &wanted {
            match rows.iter_mut().find(|other| other[key] == row[key]) {
                Some(standing) => *standing = row.clone(),
                None => rows.push(row.clone()),
            }
        }
        let record: Map<String, Value> = wanted
            .iter()
            .map(|row| (format!("k:{}", json!({ key: row[key] })), json!({ "f:status": {} })))
            .collect();
        if !record.is_empty() {
            fields.insert(format!("f:{list}"), record.into());
        }
        object["status"][list] = rows.into();
    }
    if wanted["addresses"].is_array() {
        object["status"]["addresses"] = wanted["addresses"].clone();
        fields.insert("f:addresses".to_owned(), json!({}));
    } else if owned_before.contains("addresses") && !others.contains("addresses") {
        object["status"].as_object_mut().unwrap().remove("addresses");
    }
    if !fields.is_empty() {
        records.push(json!({
            "manager": manager, "operation": "Apply", "subresource": "status",
            "fieldsV1": { "f:status": fields },
        }));
    }
    object["metadata"]["managedFields"] = records.into();
}

/// Whoever sets a condition to another status owns it alone.
fn take_over(records: &mut [Value], object: &Value, wanted: &Value) {
    let stands = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    for condition in wanted["conditions"].as_array().into_iter().flatten() {
        let is_other =
            |stands: &Value| stands["type"] == condition["type"] && stands["status"] != condition["status"];
        if stands.iter().any(is_other) {
            let key = format!("k:{}", json!({ "type": condition["type"] }));
            for record in records.iter_mut() {
                if let Some(entry) = record["fieldsV1"]["f:status"]["f:conditions"].get_mut(&key) {
                    *entry = json!({});
                }
            }
        }
    }
}

/// What of a status these managers own.
fn owned(records: &[Value], is_meant: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut owned = BTreeSet::new();
    for record in records.iter().filter(|record| is_meant(record["manager"].as_str().unwrap())) {
        let status = &record["fieldsV1"]["f:status"];
        if status.get("f:addresses").is_some() {
            owned.insert("addresses".to_owned());
        }
        for (list, key) in LISTS {
            for name in status[format!("f:{list}")].as_object().into_iter().flat_map(Map::keys) {
                let keys: Value = serde_json::from_str(name.strip_prefix("k:").unwrap()).unwrap();
                owned.insert(format!("{list}/{}", keys[key].as_str().unwrap()));
            }
        }
    }
    owned
}

/// Who owns something of the status of an object.
pub(super) fn managers(object: &Value) -> BTreeSet<String> {
    let records = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    records.iter().map(|record| record["manager"].as_str().unwrap().to_owned()).collect()
}
