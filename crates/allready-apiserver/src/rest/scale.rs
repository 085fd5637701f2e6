//! The scale subresource: an `autoscaling/v1` `Scale` that stands for a few fields of the object.

use serde_json::{Map, Value, json};

use super::{
    Answer, Scope, convert, decode, finish, meta,
    options::{WriteKind, WriteOptions},
    patching::APPLY_PATCH,
};
use crate::{
    resource::Scale,
    status::{Failure, FieldError},
};

const API_VERSION: &str = "autoscaling/v1";

impl Scope<'_> {
    fn scale_of(&self, object: &Value, paths: &Scale) -> Value {
        let selector =
            if self.is_custom() { paths.label_selector.as_deref() } else { Some(".spec.selector") };
        scale_of(object, paths, selector)
    }

    fn scale_paths(&self) -> Result<&Scale, Failure> {
        self.version.scale.as_ref().ok_or_else(Failure::method_not_allowed)
    }

    /// The scale of an object.
    pub(super) fn get_scale(&self) -> Result<Answer, Failure> {
        let paths = self.scale_paths()?;
        let object = convert::served(self.resource, self.version, &self.find()?);
        let scale = self.scale_of(&object, paths);
        if at(&object, &paths.spec_replicas).is_null() {
            let path = &paths.spec_replicas;
            return Err(Failure::internal(format!("the spec replicas field {path:?} does not exist")));
        }
        Ok(Answer::object(200, scale.to_string().into(), Vec::new()))
    }

    /// Replaces the scale of an object.
    pub(super) fn update_scale(&self) -> Result<Answer, Failure> {
        decode::check_size(self.call)?;
        let options = WriteOptions::read(self.call, WriteKind::Update)?;
        let registry = self.engine.registry();
        let decoded = decode::object_as(self.call, self.version, &registry, "Scale", API_VERSION)?;
        let mut scale = decoded.object;
        finish::match_namespace(&mut scale, self.namespace())?;
        finish::match_name(&scale, self.name())?;
        let uid = Some(meta::text(&scale, "uid").to_owned()).filter(|uid| !uid.is_empty());
        self.write_scale(&options, uid.as_deref(), decoded.strict, &|_| Ok(scale.clone()))
    }

    /// Changes a part of the scale of an object.
    pub(super) fn patch_scale(&self) -> Result<Answer, Failure> {
        self.check_patch_type()?;
        decode::check_size(self.call)?;
        let apply = self.call.content_type == APPLY_PATCH;
        let kind = if apply { WriteKind::Apply } else { WriteKind::Patch };
        let options = WriteOptions::read(self.call, kind)?;
        if apply {
            return self.apply_scale(&options);
        }
        self.write_scale(&options, None, Vec::new(), &|scale| self.patch_value(scale).map(|(scale, _)| scale))
    }

    /// Applies to the scale of an object: the field that it stands for is applied to the object.
    fn apply_scale(&self, options: &WriteOptions) -> Result<Answer, Failure> {
        let paths = self.scale_paths()?;
        let (config, _) = self.configuration()?;
        let kind = config["kind"].as_str().unwrap_or_default();
        let found = config["apiVersion"].as_str().unwrap_or_default();
        if kind != "Scale" || found != API_VERSION {
            let (group, version) = found.split_once('/').unwrap_or(("", found));
            return Err(Failure::bad_request(format!("invalid object type: {group}/{version}, Kind={kind}")));
        }
        let replicas = self.checked_replicas(&config)?;
        let mut warnings = Vec::new();
        let build = |live: Option<&Value>, _: &mut Vec<String>| {
            let Some(live) = live else { return Err(self.not_found()) };
            let mut parent = json!({ "apiVersion": self.api_version(), "kind": self.resource.kind });
            parent["metadata"] = config["metadata"].clone();
            put(&mut parent, &paths.spec_replicas, replicas.into());
            let applied = self.apply_to(Some(live), &parent, options);
            if self.is_custom() {
                return Err(self.custom_apply(applied.err(), &config));
            }
            let mut new = applied?;
            forget_times(&mut new);
            Ok(new)
        };
        let written = self.write(&build, false, None, options.dry_run, &mut warnings)?;
        Ok(Answer::object(200, self.scale_of(&written.object, paths).to_string().into(), warnings))
    }

    /// The real server cannot apply to the scale of a custom object: it stumbles after it has looked for conflicts.
    fn custom_apply(&self, conflict: Option<Failure>, config: &Value) -> Failure {
        if let Some(mut failure) = conflict {
            let (from, to) = (format!("using {}", self.api_version()), format!("using {API_VERSION}"));
            failure.message = failure.message.replace(&from, &to);
            for cause in failure.details.iter_mut().flat_map(|details| &mut details.causes) {
                cause.message = cause.message.replace(&from, &to);
            }
            return failure;
        }
        let described = format!("{}/{}", meta::text(config, "namespace"), meta::text(config, "name"));
        Failure::new(
            500,
            "",
            format!(
                "failed to convert new object ({described}; {API_VERSION}, Kind=Scale) to proper version: request to convert CR to an invalid group/version: {API_VERSION}"
            ),
        )
    }

    fn write_scale(
        &self,
        options: &WriteOptions,
        uid: Option<&str>,
        strict: Vec<String>,
        make: &dyn Fn(&Value) -> Result<Value, Failure>,
    ) -> Result<Answer, Failure> {
        let paths = self.scale_paths()?;
        let mut warnings = strict;
        let build = |live: Option<&Value>, _: &mut Vec<String>| {
            let Some(live) = live else { return Err(self.not_found()) };
            let mut scale = make(&self.scale_of(live, paths))?;
            finish::match_namespace(&mut scale, self.namespace())?;
            finish::match_name(&scale, self.name())?;
            let replicas = self.checked_replicas(&scale)?;
            let mut new = live.clone();
            put(&mut new, &paths.spec_replicas, replicas.into());
            if let Some(version) =
                scale["metadata"]["resourceVersion"].as_str().filter(|text| !text.is_empty())
            {
                meta::set(&mut new, "resourceVersion", Some(version.into()));
            }
            // Where nobody manages the field, nobody starts to through here.
            if is_managed(live, &paths.spec_replicas) {
                self.manage(Some(live), &mut new, options);
                forget_times(&mut new);
            }
            Ok(new)
        };
        let written = self.write(&build, false, uid, options.dry_run, &mut warnings)?;
        let scale = self.scale_of(&written.object, paths);
        Ok(Answer::object(200, scale.to_string().into(), warnings))
    }

    fn checked_replicas(&self, scale: &Value) -> Result<i64, Failure> {
        let replicas = match &scale["spec"]["replicas"] {
            Value::Null => 0,
            value => value.as_i64().ok_or_else(|| {
                let found = decode::go_type(value);
                let error = format!("json: cannot unmarshal {found} into Go struct field ScaleSpec.spec.replicas of type int32");
                decode::cannot("Scale", "v1", "Scale", &error)
            })?,
        };
        if replicas < 0 && !self.is_custom() {
            let why = "must be greater than or equal to 0";
            let errors = [FieldError::invalid("spec.replicas", replicas, why)];
            return Err(Failure::invalid("autoscaling", "Scale", self.name(), &errors));
        }
        Ok(replicas)
    }
}

/// Whether someone manages the field at a path.
fn is_managed(object: &Value, path: &str) -> bool {
    let entries = object["metadata"]["managedFields"].as_array();
    entries.into_iter().flatten().any(|entry| {
        let parts = path.split('.').filter(|part| !part.is_empty());
        !parts.fold(&entry["fieldsV1"], |fields, part| &fields[format!("f:{part}").as_str()]).is_null()
    })
}

/// What is managed through a scale is managed since no known time, and stands first.
fn forget_times(object: &mut Value) {
    let Some(entries) = object["metadata"]["managedFields"].as_array_mut() else { return };
    for entry in entries.iter_mut().filter(|entry| entry["subresource"] == "scale") {
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("time");
        }
    }
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    entries.sort_by_key(|entry| (text(entry, "operation"), text(entry, "time")));
}

/// The scale that an object has.
fn scale_of(object: &Value, paths: &Scale, selector: Option<&str>) -> Value {
    let metadata = &object["metadata"];
    let mut shown = Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if !metadata[field].is_null() {
            shown.insert(field.into(), metadata[field].clone());
        }
    }
    let count = |path: &str| at(object, path).as_i64().unwrap_or_default();
    let replicas = count(&paths.spec_replicas);
    let mut scale = json!({
        "apiVersion": API_VERSION, "kind": "Scale", "metadata": shown,
        "spec": {}, "status": { "replicas": count(&paths.status_replicas) },
    });
    if replicas != 0 {
        scale["spec"]["replicas"] = replicas.into();
    }
    let selector = selector.map(|path| selector_text(at(object, path))).unwrap_or_default();
    if !selector.is_empty() {
        scale["status"]["selector"] = selector.into();
    }
    scale
}

/// The value at a path such as `.spec.replicas`.
fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').filter(|part| !part.is_empty()).fold(object, |value, part| &value[part])
}

fn put(object: &mut Value, path: &str, value: Value) {
    let mut target = object;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        if !target.is_object() {
            *target = json!({});
        }
        target = &mut target[part];
    }
    *target = value;
}

/// A label selector as text: custom kinds have it so, built-in kinds as an object.
fn selector_text(selector: &Value) -> String {
    if let Some(text) = selector.as_str() {
        return text.to_owned();
    }
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
