//! Conversion between the versions of a custom kind by a webhook.
//!
//! Follows `pkg/apiserver/conversion/webhook_converter.go` of `k8s.io/apiextensions-apiserver`. Each object is converted by a
//! call of its own, as upstream does for what it reads from the store; the answer's labels and annotations are taken as they are.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use super::raw::{object, text, texts};
use crate::{
    resource::renamed,
    status::{Failure, quote},
    webhook::{ClientConfig, Services},
};

/// The time that a webhook has for its answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The webhook of a definition.
pub(super) struct Converter {
    client: ClientConfig,
    /// The version of `ConversionReview` that it is asked in.
    review: String,
    services: Arc<Services>,
}

impl Converter {
    /// The webhook of a definition with this spec; `None` where its versions differ in their names alone.
    pub(super) fn of(spec: &Map<String, Value>, services: &Arc<Services>) -> Option<Self> {
        let conversion = object(spec, "conversion").filter(|it| text(it, "strategy") == "Webhook")?;
        let webhook = object(conversion, "webhook")?;
        let versions = texts(webhook, "conversionReviewVersions");
        Some(Self {
            client: ClientConfig::read(webhook.get("clientConfig")?),
            review: versions.into_iter().find(|version| version == "v1" || version == "v1beta1")?,
            services: Arc::clone(services),
        })
    }

    /// An object in another version of its kind.
    pub(super) fn convert(&self, object: Value, wanted: &str) -> Result<Value, Failure> {
        let [found, kind] =
            ["apiVersion", "kind"].map(|field| object[field].as_str().unwrap_or_default().to_owned());
        if found == wanted {
            return Ok(object);
        }
        // Nothing in it is converted without a call.
        if object.as_object().is_some_and(|fields| fields.len() == 2) {
            return Ok(renamed(object, wanted));
        }
        self.ask(&object, wanted, &kind).map_err(|why| {
            Failure::new(500, "", format!("conversion webhook for {found}, Kind={kind} {why}"))
        })
    }

    fn ask(&self, original: &Value, wanted: &str, kind: &str) -> Result<Value, String> {
        let uid = uuid::Uuid::new_v4().to_string();
        let review = json!({
            "apiVersion": format!("apiextensions.k8s.io/{}", self.review), "kind": "ConversionReview",
            "request": { "uid": uid, "desiredAPIVersion": wanted, "objects": [original] },
        });
        let failed = |why: String| format!("failed: {why}");
        let reply = self.client.post(&review, PATIENCE, &self.services).map_err(failed)?;
        let mut converted = self.converted(&reply, &uid).map_err(failed)?;
        if converted.len() != 1 {
            return Err(format!("returned {} objects, expected 1", converted.len()));
        }
        let mut converted = converted.pop().unwrap_or_default();
        let invalid = |what: &str, expected: &str, received: &str| {
            format!(
                "returned invalid object at index 0: invalid {what} (expected {expected}, received {received})"
            )
        };
        let found = converted["apiVersion"].as_str().unwrap_or_default();
        if found != wanted {
            return Err(invalid("groupVersion", wanted, found));
        }
        let found = converted["kind"].as_str().unwrap_or_default();
        if found != kind {
            return Err(invalid("kind", kind, found));
        }
        for (field, shown) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
            let [before, after] =
                [original, &converted].map(|it| it["metadata"][field].as_str().unwrap_or_default());
            if before != after {
                return Err(format!(
                    "returned invalid object: must have the same {shown}: {before} != {after}"
                ));
            }
        }
        let restored = metadata(original, &converted);
        converted["metadata"] = restored.map_err(|why| format!("returned invalid metadata: {why}"))?;
        Ok(converted)
    }

    /// The objects of an answer.
    fn converted(&self, reply: &Value, uid: &str) -> Result<Vec<Value>, String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let response = &reply["response"];
        if self.review == "v1" {
            let (api_version, kind) = (text(&reply["apiVersion"]), text(&reply["kind"]));
            let expected = "apiextensions.k8s.io/v1, Kind=ConversionReview";
            let found = format!("{api_version}, Kind={kind}");
            if found != expected {
                let (kind, version) = (quote(&kind), quote(&api_version));
                return Err(format!(
                    "no kind {kind} is registered for version {version} in scheme \"pkg/runtime/scheme.go:111\""
                ));
            }
        }
        let found = text(&response["uid"]);
        if self.review == "v1" && found != uid {
            return Err(format!("expected response.uid={}, got {}", quote(uid), quote(&found)));
        }
        let (status, message) = (text(&response["result"]["status"]), text(&response["result"]["message"]));
        match (status.as_str(), message.is_empty()) {
            ("Success", _) => Ok(response["convertedObjects"].as_array().cloned().unwrap_or_default()),
            (_, false) => Err(message),
            (_, true) => Err(format!("response.result.status was '{status}', not 'Success'")),
        }
    }
}

/// The metadata of an object with the labels and annotations of what it became.
fn metadata(original: &Value, converted: &Value) -> Result<Value, String> {
    let given = match converted.get("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(given) => given
            .as_object()
            .ok_or_else(|| format!("invalid metadata of type {} in converted object", go_type(given)))?,
    };
    let mut metadata = original["metadata"].as_object().cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        let given = match given.get(field) {
            None | Some(Value::Null) => {
                metadata.remove(field);
                continue;
            }
            Some(given) => given,
        };
        let entries = given.as_object().ok_or_else(|| {
            format!("invalid metadata.{field} of type {} in converted object", go_type(given))
        })?;
        if let Some((key, value)) = entries.iter().find(|(_, value)| !value.is_string()) {
            let found = go_type(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {found} in converted object"
            ));
        }
        metadata.insert(field.to_owned(), given.clone());
    }
    Ok(metadata.into())
}

/// The type that a value has in Go.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
