use std::sync::Arc;

use serde_json::{Value, json};

use super::{DEFINITIONS, Schemas, by, owned_by};
use crate::{
    fields::update,
    schema::{Definitions, Schema},
};

/// One built-in kind.
struct Kind(&'static str, Arc<Schema>);

impl Kind {
    fn new(version: &'static str, definition: &str) -> Self {
        Self(version, Definitions::new(&DEFINITIONS).get(definition).unwrap())
    }

    /// The managed fields of a created object.
    fn created(&self, object: &Value) -> Value {
        let mut new = object.clone();
        update(None, &mut new, &by("c").version(self.0).writer(), self, &[vec!["status"]]);
        new
    }
}

impl Schemas for Kind {
    fn schema(&self, api_version: &str) -> Option<Arc<Schema>> {
        (api_version == self.0).then(|| self.1.clone())
    }
}

#[test]
fn whoever_makes_a_deployment_does_not_bring_its_records() {
    let kind = Kind::new("apps/v1", "io.k8s.api.apps.v1.Deployment");
    let container = json!({"name": "c", "image": "i", "env": [{"name": "X", "value": "1"}], "resources": {}, "ports": [{"containerPort": 80, "protocol": "TCP"}]});
    let created = kind.created(&json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"a": "b"}},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"a": "b"}},
            "strategy": {"rollingUpdate": {"maxSurge": "25%"}, "type": "RollingUpdate"},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container], "securityContext": {}}},
        },
        "status": {},
    }));
    assert_eq!(
        created["metadata"]["managedFields"][0]["fieldsV1"],
        json!({
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            "f:spec": {
                "f:replicas": {}, "f:selector": {},
                "f:strategy": {"f:rollingUpdate": {".": {}, "f:maxSurge": {}}, "f:type": {}},
                "f:template": {
                    "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                    "f:spec": {
                        "f:containers": {"k:{\"name\":\"c\"}": {
                            ".": {}, "f:env": {".": {}, "k:{\"name\":\"X\"}": {".": {}, "f:name": {}, "f:value": {}}},
                            "f:image": {}, "f:name": {}, "f:resources": {},
                            "f:ports": {".": {}, "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}}},
                        }},
                        "f:securityContext": {},
                    },
                },
            },
        })
    );
}

#[test]
fn whoever_makes_an_event_does_not_own_what_is_always_shown() {
    let kind = Kind::new("v1", "io.k8s.api.core.v1.Event");
    let created = kind.created(&json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": {"kind": "Pod"}, "reason": "r",
        "source": {}, "firstTimestamp": null, "lastTimestamp": null, "eventTime": null, "type": "Normal",
        "reportingComponent": "", "reportingInstance": "",
    }));
    owned_by(&created, &[("c Update", &[".involvedObject", ".reason", ".type"])]);
}

#[test]
fn a_built_in_kind_forgets_one_entry_of_an_unknown_version_and_all_for_an_empty_list() {
    let kind = Kind::new("v1", "io.k8s.api.core.v1.ConfigMap");
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "uid": "u"}, "data": {"k": "v"}});
    let live = kind.created(&object);
    let send = |managed: Value| {
        let mut new = live.clone();
        new["metadata"]["managedFields"] = managed;
        update(Some(&live), &mut new, &by("u").version("v1").writer(), &kind, &[]);
        new
    };
    let mut entries = live["metadata"]["managedFields"].as_array().unwrap().clone();
    entries.push(json!({"manager": "old", "operation": "Update", "apiVersion": "v9", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:k": {}}}}));
    assert_eq!(send(json!(entries)), live);
    entries[1]["apiVersion"] = "a/b/c".into();
    owned_by(&send(json!(entries)), &[]);
    owned_by(&send(json!([])), &[]);
    assert_eq!(send(json!(null)), live);
}
