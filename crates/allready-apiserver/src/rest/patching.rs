//! patch: JSON, merge, strategic merge and apply.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Answer, Scope, convert, decode,
    decode::Strict,
    json, meta,
    options::{Validation, WriteKind, WriteOptions},
    raw::Raw,
};
use crate::{
    depth,
    fields::{self, Apply, Writer},
    patch,
    resource::Endpoint,
    schema::Schema,
    status::{Failure, FieldError},
};

pub(super) const JSON_PATCH: &str = "application/json-patch+json";
pub(super) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(super) const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY_PATCH: &str = "application/apply-patch+yaml";

impl Scope<'_> {
    /// Changes a part of an object.
    pub(super) fn patch(&self, warnings: &mut Vec<String>) -> Result<Answer, Failure> {
        self.check_patch_type()?;
        decode::check_size(self.call)?;
        let apply = self.call.content_type == APPLY_PATCH;
        let kind = if apply { WriteKind::Apply } else { WriteKind::Patch };
        let options = WriteOptions::read(self.call, kind)?;
        let make = |live: Option<&Value>, warnings: &mut Vec<String>| {
            if apply {
                return self.applied(live, &options, warnings);
            }
            let Some(live) = live else { return Err(self.not_found()) };
            self.patched(live, &options, warnings)
        };
        let may_create = apply
            && match self.call.endpoint {
                Endpoint::Main => true,
                Endpoint::Status => self.resource.strategy.creates_on_update(),
                _ => false,
            };
        let written = self.write(&make, may_create, None, options.dry_run, warnings)?;
        let code = if written.created { 201 } else { 200 };
        Ok(Answer::object(code, written.bytes))
    }

    pub(super) fn check_patch_type(&self) -> Result<(), Failure> {
        let accepted: &[&str] = if self.is_custom() {
            &[JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
        } else {
            &[JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]
        };
        if accepted.contains(&self.call.content_type.as_str()) {
            return Ok(());
        }
        if self.is_custom() {
            return Err(Failure::unsupported_media_type(accepted));
        }
        Err(Failure::unsupported_patch_type())
    }

    /// The live object with a JSON, merge or strategic merge patch applied.
    fn patched(
        &self,
        live: &Value,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value, Failure> {
        let (mut new, mut strict) = self.patch_value(live, &self.version.schema)?;
        let strategic = self.call.content_type == STRATEGIC_PATCH;
        let invalid = |new: &Value, why: String| {
            let errors = [FieldError::invalid("patch", self.show_patch(new), why)];
            Failure::invalid("", "", "", &errors)
        };
        for field in ["apiVersion", "kind"] {
            if let Some(value) = new.get(field).filter(|value| !value.is_null() && !value.is_string()) {
                let found = json::go_type(value);
                return Err(invalid(
                    &new,
                    format!(
                        "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field .{field} of type string"
                    ),
                ));
            }
        }
        let nameless = self.is_custom() && new["kind"].as_str().is_none_or(str::is_empty);
        if nameless || !new.is_object() {
            let shown = if strategic { crate::status::json_text(&new) } else { self.show_patch(&new) };
            return Err(invalid(&new, format!("Object 'Kind' is missing in '{shown}'")));
        }
        let found = new["apiVersion"].as_str().unwrap_or_default();
        if self.is_custom() && found.matches('/').count() > 1 {
            return Err(invalid(&new, format!("unexpected GroupVersion string: {found}")));
        }
        if strategic {
            let strategy = &self.resource.strategy;
            strategy.convert(self.version, &mut new).map_err(|why| invalid(&new, why))?;
        } else {
            if !self.is_custom() {
                let kind = new["kind"].as_str().unwrap_or_default();
                let api_version = new["apiVersion"].as_str().unwrap_or_default();
                if kind != self.resource.kind || api_version != self.api_version() {
                    return Err(invalid(&new, decode::not_registered(kind, api_version)));
                }
            }
            decode::check_metadata(&new, self.is_custom())
                .and_then(|()| decode::decodes(self.call, self.version, &new))
                .map_err(|why| invalid(&new, why))?;
        }
        let text = if self.is_custom() { String::new() } else { new.to_string() };
        let mut unknown = Strict { fields: self.prune(&mut new), ..Strict::default() };
        unknown.sort_as_in(text.as_bytes());
        strict.extend(unknown.fields);
        if !strict.is_empty() {
            match options.validation {
                Validation::Ignore => {}
                Validation::Warn => warnings.extend(strict),
                Validation::Strict => {
                    let (whole, _) = self.patch_value(live, &self.version.schema)?;
                    return Err(invalid(&whole, format!("strict decoding error: {}", strict.join(", "))));
                }
            }
        }
        self.fill_in(&mut new);
        self.manage(Some(live), &mut new, options);
        Ok(new)
    }

    /// What a refusal shows of a patch: of a strategic merge the patch, else what it has made.
    fn show_patch(&self, new: &Value) -> String {
        let content_type = self.call.content_type.as_str();
        if self.is_custom() {
            let read = if content_type == JSON_PATCH { Raw::of_json } else { Raw::of_merge };
            return read(&self.call.body).show(new);
        }
        let patch = self.json_body().map(|parsed| parsed.value.clone()).unwrap_or_default();
        match content_type {
            STRATEGIC_PATCH => patch::strategic::show(patch),
            JSON_PATCH => self.resource.strategy.show_patched(new, &patch::json::touched(&patch)),
            _ => self.resource.strategy.show_patched(new, &patch),
        }
    }

    /// A value with the call's patch applied, and what strict decoding has to say about the patch.
    pub(super) fn patch_value(&self, live: &Value, schema: &Schema) -> Result<(Value, Vec<String>), Failure> {
        let (new, strict) = self.patch_unchecked(live, schema)?;
        depth::check(&new)?;
        Ok((new, strict))
    }

    fn patch_unchecked(&self, live: &Value, schema: &Schema) -> Result<(Value, Vec<String>), Failure> {
        match self.call.content_type.as_str() {
            JSON_PATCH => {
                let parsed = self
                    .json_body()
                    .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
                let in_advance = self.call.first("fieldValidation") != Some("Ignore");
                let patch = patch::json::Patch::read(&parsed.value, in_advance)?;
                let mut strict: Vec<_> = decode::duplicate_texts(&parsed.duplicates)
                    .iter()
                    .map(|text| format!("json patch {text}"))
                    .collect();
                strict.extend(
                    patch::json::unknown_fields(&parsed.value)
                        .map(|path| format!("json patch unknown field \"{path}\"")),
                );
                Ok((patch.apply(live.clone())?, strict))
            }
            MERGE_PATCH => {
                let parsed = self
                    .json_body()
                    .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
                object_or("error decoding patch: ", &parsed.value)?;
                let mut new = live.clone();
                patch::merge::merge(&mut new, &parsed.value);
                Ok((new, decode::duplicate_texts(&parsed.duplicates)))
            }
            _ => {
                let parsed = self.json_body().map_err(Failure::bad_request)?;
                object_or("", &parsed.value)?;
                let new = patch::strategic::merge(schema, live, &parsed.value)?;
                Ok((new, decode::duplicate_texts(&parsed.duplicates)))
            }
        }
    }

    /// The result of an apply.
    fn applied(
        &self,
        live: Option<&Value>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value, Failure> {
        let (config, duplicates) = self.configuration()?;
        self.check_configuration(&config)?;
        let mut new = self.apply_to(live, &config, options)?;
        if options.validation == Validation::Strict && !duplicates.is_empty() {
            let message = format!(
                "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
                duplicates.join("\n  ")
            );
            return Err(Failure::bad_request(message));
        }
        if options.validation == Validation::Warn {
            warnings.extend(duplicates);
        }
        decode::check_metadata(&new, self.is_custom()).map_err(Failure::bad_request)?;
        self.fill_in(&mut new);
        Ok(new)
    }

    /// Applies a configuration; nothing is filled in yet.
    pub(super) fn apply_to(
        &self,
        live: Option<&Value>,
        config: &Value,
        options: &WriteOptions,
    ) -> Result<Value, Failure> {
        let registry = self.engine.registry();
        let api_version = self.api_version();
        let reset = self.resource.strategy.reset_fields(self.version, self.call.endpoint);
        let request = Apply {
            live,
            config,
            writer: Writer {
                manager: &options.manager,
                endpoint: self.call.endpoint,
                api_version: &api_version,
                now: self.call.now,
            },
            force: options.force,
            schemas: &convert::PlaceSchemas {
                resource: self.resource,
                version: self.version,
                registry: &registry,
            },
            reset: &reset,
        };
        let new = fields::apply(&request)?;
        depth::check(&new)?;
        if !self.is_custom() {
            let converted = self.resource.strategy.convert(self.version, &mut new.clone());
            converted.map_err(|why| {
                let (namespace, name) = (meta::text(config, "namespace"), meta::text(config, "name"));
                let (group, kind) = (&self.resource.group, &self.resource.kind);
                let kind = format!("{group}/{}, Kind={kind}", self.version.name);
                Failure::new(
                    500,
                    "",
                    format!(
                        "failed to convert new object ({namespace}/{name}; {kind}) to proper version: unable to convert unstructured object to {kind}: {why}"
                    ),
                )
            })?;
        }
        Ok(new)
    }

    pub(super) fn check_configuration(&self, config: &Value) -> Result<(), Failure> {
        let kind = config["kind"].as_str().unwrap_or_default();
        let found = config["apiVersion"].as_str().unwrap_or_default();
        if kind != self.resource.kind || found != self.api_version() {
            let (group, version) = found.split_once('/').unwrap_or(("", found));
            // What cannot be told apart is not told at all.
            let (group, version, kind) =
                if version.contains('/') { ("", "", "") } else { (group, version, kind) };
            return Err(Failure::bad_request(format!("invalid object type: {group}/{version}, Kind={kind}")));
        }
        if !config["metadata"]["managedFields"].is_null() {
            return Err(Failure::bad_request("metadata.managedFields must be nil"));
        }
        Ok(())
    }

    /// The body of an apply, and the duplicate keys in it.
    pub(super) fn configuration(&self) -> Result<(Cow<'_, Value>, Vec<String>), Failure> {
        let decoding = |error: String| {
            Failure::bad_request(format!("error decoding YAML: error converting YAML to JSON: {error}"))
        };
        let parsed = self.yaml_body().map_err(decoding)?;
        let config = match &parsed.value {
            Value::Null => Cow::Owned(serde_json::json!({})),
            value => Cow::Borrowed(value),
        };
        object_or("error decoding YAML: error unmarshaling JSON: while decoding JSON: ", &config)?;
        Ok((config, decode::yaml_duplicates(&parsed.duplicates)))
    }
}

fn object_or(head: &str, value: &Value) -> Result<(), Failure> {
    if value.is_object() || value.is_null() {
        return Ok(());
    }
    let found = json::go_type(value);
    Err(Failure::bad_request(format!(
        "{head}json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    )))
}
