//! The way from a request to [`crate::admission`]: what policies and webhooks see of it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Engine, Scope, convert, decode, meta, options::DeleteOptions};
use crate::{
    access,
    admission::{Admission, Attributes, Chain, Cluster, GroupVersionKind, Operation},
    resource::{Endpoint, Registry, Resource, Version},
    status::Failure,
    store::{Store, Stored},
};

impl Cluster for Engine {
    fn store(&self) -> &Store {
        Self::store(self)
    }

    fn registry(&self) -> Arc<Registry> {
        Self::registry(self)
    }

    fn access(&self) -> Arc<access::Policy> {
        Self::access(self)
    }

    fn show(&self, resource: &Resource, version: &Version, stored: &Stored) -> Result<Value, Failure> {
        convert::served(resource, version, stored)
    }

    fn convert(
        &self,
        object: &Value,
        from: (&Resource, &Version),
        to: (&Resource, &Version),
    ) -> Result<Value, Failure> {
        let written = convert::Written::new(from.0, Some(from.1), object)?;
        convert::served_value(to.0, to.1, written.read().clone())
    }
}

impl Scope<'_> {
    /// The configured policies and webhooks; `None` when there are none.
    fn chain(&self) -> Option<Arc<Chain>> {
        self.engine.inner.admission.chain(self.store())
    }

    /// Lets admission change an object, which replaces `old` where there is one.
    pub(super) fn mutate(
        &self,
        object: &mut Value,
        old: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        self.fill_in_limits(object, old);
        let Some(chain) = self.chain() else { return Ok(()) };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let attributes = self.attributes(operation, object, None);
        let settle = |object: &mut Value| {
            decode::check_metadata(object, decode::is_custom(self.resource))?;
            decode::decodes(self.call, self.version, object)?;
            self.prune(object);
            self.fill_in(object);
            Ok(())
        };
        chain.mutate(&self.admission(&attributes, old), Some(object), &settle, warnings)
    }

    /// As [`Scope::mutate`], for the scale of an object.
    pub(super) fn mutate_scale(&self, scale: &mut Value, old: &Value) -> Result<(), Failure> {
        let Some(chain) = self.chain() else { return Ok(()) };
        let attributes = self.attributes(Operation::Update, scale, Some("autoscaling/v1"));
        // A scale has nothing to prune or to fill in, and its warnings are those of the object.
        chain.mutate(&self.admission(&attributes, Some(old)), Some(scale), &|_| Ok(()), &mut Vec::new())
    }

    /// Asks about an object that is ready to be stored, in place of `old` where there is one, and counts it in quotas.
    pub(super) fn admit(
        &self,
        object: &Value,
        old: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        self.check_limits(object, old)?;
        self.ask(object, old, warnings)?;
        self.charge(object, old)
    }

    fn ask(&self, object: &Value, old: Option<&Value>, warnings: &mut Vec<String>) -> Result<(), Failure> {
        let Some(chain) = self.chain() else { return Ok(()) };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        if self.call.endpoint == Endpoint::Scale {
            let (scale, _) = self.scale_of(object)?;
            let old = old.map(|old| self.scale_of(old)).transpose()?.map(|(old, _)| old);
            let attributes = self.attributes(operation, &scale, Some("autoscaling/v1"));
            return chain.validate(&self.admission(&attributes, old.as_ref()), Some(&scale), warnings);
        }
        let attributes = self.attributes(operation, object, None);
        chain.validate(&self.admission(&attributes, old), Some(object), warnings)
    }

    /// Asks about what was posted to an object, of a kind of its own.
    pub(super) fn admit_posted(
        &self,
        posted: &mut Value,
        api_version: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let Some(chain) = self.chain() else { return Ok(()) };
        let attributes = self.attributes(Operation::Create, posted, Some(api_version));
        let admission = self.admission(&attributes, None);
        chain.mutate(&admission, Some(posted), &|_| Ok(()), warnings)?;
        chain.validate(&admission, Some(posted), warnings)
    }

    /// Asks about the removal of an object, which is in its stored version.
    pub(super) fn admit_removal(
        &self,
        old: &Value,
        options: &DeleteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let Some(chain) = self.chain() else { return Ok(()) };
        let old = convert::served_value(self.resource, self.version, old.clone())?;
        let attributes = Attributes {
            options: options.to_value(),
            dry_run: options.dry_run,
            ..self.attributes(Operation::Delete, &Value::Null, None)
        };
        let admission = self.admission(&attributes, Some(&old));
        chain.mutate(&admission, None, &|_| Ok(()), warnings)?;
        chain.validate(&admission, None, warnings)
    }

    fn admission<'a>(&'a self, attributes: &'a Attributes<'a>, old: Option<&'a Value>) -> Admission<'a> {
        Admission { attributes, old, cluster: self.engine, services: &self.engine.inner.services }
    }

    /// The request, with an object of the kind of the resource or of another one.
    fn attributes(&self, operation: Operation, object: &Value, other: Option<&str>) -> Attributes<'_> {
        let name = match self.name() {
            "" => meta::text(object, "name"),
            name => name,
        };
        let own = self.resource.namespaced;
        let kind = match other {
            Some(api_version) => {
                let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
                let kind = object["kind"].as_str().unwrap_or_default();
                GroupVersionKind { group: group.into(), version: version.into(), kind: kind.into() }
            }
            None => GroupVersionKind {
                group: self.resource.group.clone(),
                version: self.version.name.clone(),
                kind: self.resource.kind.clone(),
            },
        };
        Attributes {
            operation,
            resource: self.resource,
            version: &self.version.name,
            kind,
            subresource: match self.call.endpoint {
                Endpoint::Main => "",
                Endpoint::Status => "status",
                Endpoint::Scale => "scale",
                Endpoint::Other(name) => name,
            },
            namespace: if !own && self.is("", "namespaces") { name } else { self.namespace() }.to_owned(),
            name: name.to_owned(),
            user: &self.call.user,
            options: self.write_options(operation),
            dry_run: self.is_dry(),
        }
    }

    /// `CreateOptions` or `UpdateOptions`, whatever the options of the request itself are called.
    fn write_options(&self, operation: Operation) -> Value {
        let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
        let mut options = json!({ "apiVersion": "meta.k8s.io/v1", "kind": kind });
        if self.is_dry() {
            options["dryRun"] = json!(self.call.all("dryRun"));
        }
        for field in ["fieldManager", "fieldValidation"] {
            if let Some(value) = self.call.first(field).filter(|value| !value.is_empty()) {
                options[field] = value.into();
            }
        }
        options
    }
}

impl DeleteOptions {
    fn to_value(&self) -> Value {
        let mut options = json!({ "apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions" });
        let mut preconditions = Map::new();
        for (field, value) in [("uid", &self.uid), ("resourceVersion", &self.version)] {
            if let Some(value) = value {
                preconditions.insert(field.into(), value.as_str().into());
            }
        }
        if !preconditions.is_empty() {
            options["preconditions"] = preconditions.into();
        }
        let given = [
            ("gracePeriodSeconds", self.grace.map(Value::from)),
            ("orphanDependents", self.orphan.map(Value::from)),
            ("propagationPolicy", self.policy.clone().map(Value::from)),
            ("dryRun", self.dry_run.then(|| json!(["All"]))),
        ];
        for (field, value) in given {
            if let Some(value) = value {
                options[field] = value;
            }
        }
        options
    }
}
