//! The scale subresource: an `autoscaling/v1` `Scale` that stands for a few fields of the object.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use super::{
    Answer, Scope, convert, decode, finish, json, meta,
    options::{WriteKind, WriteOptions},
    patching::{APPLY_PATCH, JSON_PATCH},
};
use crate::{
    builtin, crd,
    fields::{self, Schemas, Writer},
    patch,
    resource::{Endpoint, Scale},
    schema::{self, Schema},
    status::{Failure, FieldError},
};

const API_VERSION: &str = "autoscaling/v1";
/// What a custom object that does not say how many it wants shows to whoever changes its scale.
const UNSET: i64 = i32::MIN as i64;

static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let count = json!({ "type": "integer", "format": "int32" });
    let text = json!({ "type": "string" });
    let shape = json!({ "type": "object", "properties": {
        "apiVersion": text, "kind": text, "metadata": { "type": "object" },
        "spec": { "type": "object", "properties": { "replicas": count } },
        "status": { "type": "object", "properties": { "replicas": count, "selector": text } },
    } });
    Arc::new(schema::parse(&shape).unwrap_or_default())
});

/// Fields of a scale have one version.
struct ScaleSchemas;

impl Schemas for ScaleSchemas {
    fn schema(&self, api_version: &str) -> Option<Arc<Schema>> {
        (api_version == API_VERSION).then(|| SCHEMA.clone())
    }
}

impl Scope<'_> {
    fn scale_paths(&self) -> Result<&Scale, Failure> {
        self.version.scale.as_ref().ok_or_else(Failure::method_not_allowed)
    }

    /// Where each version of the kind keeps its replicas.
    fn replicas_paths(&self) -> Vec<(String, Option<Vec<String>>)> {
        let steps = |scale: &Scale| {
            let path = scale.spec_replicas.trim_start_matches('.');
            path.split('.').map(str::to_owned).collect()
        };
        let versions = self.resource.versions.iter();
        versions.map(|it| (self.resource.api_version(&it.name), it.scale.as_ref().map(steps))).collect()
    }

    /// The scale of an object, and whether the object says how many it wants.
    pub(super) fn scale_of(&self, object: &Value) -> Result<(Value, bool), Failure> {
        let paths = self.scale_paths()?;
        let custom = self.is_custom();
        let read = if custom {
            crd::scale::read(paths, object)
        } else {
            crd::scale::read(&Scale { label_selector: None, ..paths.clone() }, object)
        };
        let mut read = read.map_err(Failure::bad_request)?;
        if !custom {
            let selector = &object["spec"]["selector"];
            // The oldest kind selects by labels alone.
            let plain = self.is("", "replicationcontrollers").then(|| json!({ "matchLabels": selector }));
            read.selector = selector_text(plain.as_ref().unwrap_or(selector));
        }
        let mut shown = Map::new();
        for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
            if !object["metadata"][field].is_null() {
                shown.insert(field.into(), object["metadata"][field].clone());
            }
        }
        let mut scale = json!({
            "apiVersion": API_VERSION, "kind": "Scale", "metadata": shown,
            "spec": {}, "status": { "replicas": read.status_replicas },
        });
        if let Some(replicas) = read.spec_replicas.filter(|replicas| *replicas != 0) {
            scale["spec"]["replicas"] = replicas.into();
        }
        if !read.selector.is_empty() {
            scale["status"]["selector"] = read.selector.into();
        }
        Ok((scale, read.spec_replicas.is_some()))
    }

    fn answer_scale(&self, object: &Value) -> Result<Answer, Failure> {
        let (scale, _) = self.scale_of(object)?;
        Ok(Answer::object(200, scale.to_string().into()))
    }

    /// The scale of an object.
    pub(super) fn get_scale(&self) -> Result<Answer, Failure> {
        let object = convert::served(self.resource, self.version, &self.find()?)?;
        let (scale, says) = self.scale_of(&object)?;
        if !says && self.is_custom() {
            let path = &self.scale_paths()?.spec_replicas;
            return Err(Failure::internal(format!("the spec replicas field {path:?} does not exist")));
        }
        Ok(Answer::object(200, scale.to_string().into()))
    }

    /// Replaces the scale of an object.
    pub(super) fn update_scale(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Update)?;
        let registry = self.engine.registry();
        let decoded = decode::object_as(self.call, self.version, &registry, "Scale", API_VERSION)?;
        let mut scale = decoded.object;
        if self.is_custom() && problem(&scale).is_some() {
            return Err(decode::no_scale());
        }
        warnings.extend(decoded.strict.into_warnings());
        finish::match_namespace(&mut scale, self.namespace())?;
        finish::match_name(&scale, self.name())?;
        let uid = Some(meta::text(&scale, "uid").to_owned()).filter(|uid| !uid.is_empty());
        let make = |old: &Value| {
            let mut new = scale.clone();
            self.manage_scale(old, &mut new, &options);
            Ok(new)
        };
        self.write_scale(&options, uid.as_deref(), warnings, &make)
    }

    /// Changes a part of the scale of an object.
    pub(super) fn patch_scale(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        self.check_patch_type()?;
        decode::check_size(self.call)?;
        let apply = self.call.content_type == APPLY_PATCH;
        let kind = if apply { WriteKind::Apply } else { WriteKind::Patch };
        let options = WriteOptions::read(self.call, kind)?;
        let make = |old: &Value| {
            if apply {
                return self.apply_scale(old, &options);
            }
            let mut new = self.patch_value(old, &SCHEMA)?.0;
            if let Some(why) = problem(&new) {
                let patch = json::parse(&self.call.body).map(|parsed| parsed.value).unwrap_or_default();
                let tree =
                    if self.call.content_type == JSON_PATCH { patch::json::touched(&patch) } else { patch };
                let errors = [FieldError::invalid(
                    "patch",
                    builtin::show_patched("autoscaling.v1.Scale", &new, &tree),
                    why,
                )];
                return Err(Failure::invalid("", "", "", &errors));
            }
            self.manage_scale(old, &mut new, &options);
            Ok(new)
        };
        self.write_scale(&options, None, warnings, &make)
    }

    fn scale_writer<'a>(&'a self, manager: &'a str) -> Writer<'a> {
        Writer { manager, endpoint: Endpoint::Scale, api_version: API_VERSION, now: self.call.now }
    }

    fn manage_scale(&self, old: &Value, new: &mut Value, options: &WriteOptions) {
        let manager = options.manager(&self.call.agent);
        // None is as good as nothing said.
        if let Some(spec) = new.get_mut("spec").and_then(Value::as_object_mut)
            && spec.get("replicas").is_some_and(|replicas| replicas.is_null() || *replicas == 0)
        {
            spec.remove("replicas");
        }
        fields::update(Some(old), new, &self.scale_writer(&manager), &ScaleSchemas, &[]);
    }

    /// The scale with a configuration applied.
    fn apply_scale(&self, old: &Value, options: &WriteOptions) -> Result<Value, Failure> {
        let (config, _) = self.configuration()?;
        let kind = config["kind"].as_str().unwrap_or_default();
        let found = config["apiVersion"].as_str().unwrap_or_default();
        if kind != "Scale" || found != API_VERSION {
            let (group, version) = found.split_once('/').unwrap_or(("", found));
            return Err(Failure::bad_request(format!("invalid object type: {group}/{version}, Kind={kind}")));
        }
        let stumble = |before: &str, object: &Value| {
            let described = format!("{}/{}", meta::text(object, "namespace"), meta::text(object, "name"));
            let message = format!(
                "{before} object ({described}; {API_VERSION}, Kind=Scale) to proper version: request to convert CR to an invalid group/version: {API_VERSION}"
            );
            Failure::new(500, "", message)
        };
        if !self.is_custom() {
            self.checked_replicas(&config)?;
        } else if old.pointer("/metadata/managedFields").is_none() {
            let before = "failed to create manager for existing fields: failed to convert live";
            return Err(stumble(before, &Value::Null));
        }
        let applied = fields::apply(&fields::Apply {
            live: Some(old),
            config: &config,
            writer: self.scale_writer(&options.manager),
            force: options.force,
            schemas: &ScaleSchemas,
            reset: &[],
        })?;
        let bare = |scale: &Value| {
            let mut scale = scale.clone();
            set_managed(&mut scale, Vec::new());
            scale
        };
        if self.is_custom() && bare(&applied) != bare(old) {
            // The real server stumbles here, after it has looked for conflicts.
            return Err(stumble("failed to convert new", &config));
        }
        Ok(applied)
    }

    fn write_scale(
        &self,
        options: &WriteOptions,
        uid: Option<&str>,
        warnings: &mut Vec<String>,
        make: &dyn Fn(&Value) -> Result<Value, Failure>,
    ) -> Result<Answer, Failure> {
        let paths = self.scale_paths()?;
        let replicas_paths = self.replicas_paths();
        let api_version = self.api_version();
        let build = |live: Option<&Value>, _: &mut Vec<String>| {
            let Some(live) = live else { return Err(self.not_found()) };
            let managed = live.pointer("/metadata/managedFields");
            let (mut old, says) = self.scale_of(live)?;
            if !says && self.is_custom() {
                old["spec"]["replicas"] = UNSET.into();
            }
            set_managed(&mut old, fields::to_scale(managed, &replicas_paths)?);
            let mut scale = make(&old)?;
            self.mutate_scale(&mut scale, &old)?;
            finish::match_namespace(&mut scale, self.namespace())?;
            finish::match_name(&scale, self.name())?;
            let replicas = self.checked_replicas(&scale)?;
            if replicas == UNSET {
                let path = &paths.spec_replicas;
                return Err(Failure::bad_request(format!(
                    "the spec replicas field {path:?} cannot be empty"
                )));
            }
            let mut new = live.clone();
            crd::scale::write(paths, &mut new, replicas).map_err(|error| Failure::new(500, "", error))?;
            if let Some(version) =
                scale["metadata"]["resourceVersion"].as_str().filter(|text| !text.is_empty())
            {
                meta::set(&mut new, "resourceVersion", Some(version.into()));
            }
            let of_scale = scale.pointer("/metadata/managedFields");
            set_managed(&mut new, fields::from_scale(managed, of_scale, &api_version, &replicas_paths)?);
            Ok(new)
        };
        let written = self.write(&build, false, uid, options.dry_run, warnings)?;
        self.answer_scale(&written.object)
    }

    fn checked_replicas(&self, scale: &Value) -> Result<i64, Failure> {
        let wrong = |found: String| {
            let error = format!(
                "json: cannot unmarshal {found} into Go struct field ScaleSpec.spec.replicas of type int32"
            );
            decode::cannot("Scale", "v1", "Scale", &error)
        };
        let replicas = match &scale["spec"]["replicas"] {
            Value::Null => 0,
            Value::Number(number) => match number.as_i64().and_then(|count| i32::try_from(count).ok()) {
                Some(count) => i64::from(count),
                None => return Err(wrong(format!("number {number}"))),
            },
            other => return Err(wrong(json::go_type(other).to_owned())),
        };
        if replicas < 0 && !self.is_custom() {
            let why = "must be greater than or equal to 0";
            let errors = [FieldError::invalid("spec.replicas", replicas, why)];
            return Err(Failure::invalid("autoscaling", "Scale", self.name(), &errors));
        }
        Ok(replicas)
    }
}

/// Why an object cannot be decoded into a scale.
fn problem(object: &Value) -> Option<String> {
    let wrong = |value: &Value, field: &str, wanted: &str| {
        let found = match value {
            Value::Number(number) => format!("number {number}"),
            other => json::go_type(other).to_owned(),
        };
        Some(format!("json: cannot unmarshal {found} into Go struct field {field} of type {wanted}"))
    };
    let record = |name: &str, wanted: &str| match &object[name] {
        Value::Null | Value::Object(_) => None,
        other => wrong(other, &format!("Scale.{name}"), wanted),
    };
    let count = |part: &str, of: &str| match &object[part]["replicas"] {
        Value::Null => None,
        Value::Number(number) if number.as_i64().is_some_and(|it| i32::try_from(it).is_ok()) => None,
        other => wrong(other, &format!("{of}.{part}.replicas"), "int32"),
    };
    let selector = || match &object["status"]["selector"] {
        Value::Null | Value::String(_) => None,
        other => wrong(other, "ScaleStatus.status.selector", "string"),
    };
    (object.get("metadata").and_then(schema::malformed::problem))
        .or_else(|| record("spec", "v1.ScaleSpec"))
        .or_else(|| record("status", "v1.ScaleStatus"))
        .or_else(|| count("spec", "ScaleSpec"))
        .or_else(|| count("status", "ScaleStatus"))
        .or_else(selector)
}

fn set_managed(object: &mut Value, managed: Vec<Value>) {
    meta::set(object, "managedFields", Some(Value::Array(managed)).filter(|it| it != &json!([])));
}

/// The label selector of a built-in kind as text.
fn selector_text(selector: &Value) -> String {
    let mut terms: Vec<(String, String)> = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        terms.push((key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = expression["key"].as_str().unwrap_or_default();
        let mut values: Vec<_> =
            expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let text = match expression["operator"].as_str().unwrap_or_default() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key.to_owned(), text));
    }
    terms.sort();
    terms.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}
