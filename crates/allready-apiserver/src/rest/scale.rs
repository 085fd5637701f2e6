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
    fn scale_paths(&self) -> Result<&Scale, Failure> {
        self.version.scale.as_ref().ok_or_else(Failure::method_not_allowed)
    }

    /// The scale of an object.
    pub(super) fn get_scale(&self) -> Result<Answer, Failure> {
        let paths = self.scale_paths()?;
        let object = convert::served(self.resource, self.version, &self.find()?);
        let scale = scale_of(&object, paths);
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
        self.write_scale(&options, None, Vec::new(), &|scale| {
            if !apply {
                return self.patch_value(scale).map(|(scale, _)| scale);
            }
            let (config, _) = self.configuration()?;
            let kind = config["kind"].as_str().unwrap_or_default();
            let found = config["apiVersion"].as_str().unwrap_or_default();
            if kind != "Scale" || found != API_VERSION {
                let (group, version) = found.split_once('/').unwrap_or(("", found));
                return Err(Failure::bad_request(format!(
                    "invalid object type: {group}/{version}, Kind={kind}"
                )));
            }
            let mut scale = scale.clone();
            crate::patch::merge::merge(&mut scale, &config);
            Ok(scale)
        })
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
            let mut scale = make(&scale_of(live, paths))?;
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
            self.manage(Some(live), &mut new, options);
            Ok(new)
        };
        let written = self.write(&build, false, uid, options.dry_run, &mut warnings)?;
        let scale = scale_of(&written.object, paths);
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

/// The scale that an object has.
fn scale_of(object: &Value, paths: &Scale) -> Value {
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
    let selector =
        paths.label_selector.as_deref().map(|path| selector_text(at(object, path))).unwrap_or_default();
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
