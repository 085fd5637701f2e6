//! One [`Strategy`] for every built-in kind.

use std::sync::Arc;

use serde_json::Value;

use super::{
    address::{self, Ranges},
    autoscaling, convert, decode, defaults, events, normal,
    path::text_at,
    prepare, selectable,
    table::{self, Row},
    validate, warnings, written,
};
use crate::{
    names,
    resource::{Call, Endpoint, Strategy, Version},
    status::{Failure, FieldError},
};

pub(crate) struct Builtin {
    pub(crate) row: &'static Row,
    pub(crate) ranges: Arc<Ranges>,
}

impl Builtin {
    /// The Go type of an object: that of the kind, except for one in another version.
    fn name_of(&self, object: &Value) -> &'static str {
        let api_version = text_at(object, &["apiVersion"]);
        let other = (!self.row.is_of(api_version)).then(|| table::type_of(self.row.kind, api_version));
        other.flatten().unwrap_or(self.row.name)
    }
}

impl Strategy for Builtin {
    fn decode(&self, _version: &Version, object: &Value) -> Result<(), String> {
        decode::refuse(self.name_of(object), object).map_or(Ok(()), Err)
    }

    fn convert(&self, version: &Version, object: &mut Value) -> Result<(), String> {
        convert::object(self.name_of(object), object)?;
        if let Some(fields) = object.as_object_mut() {
            let group =
                if self.row.group.is_empty() { String::new() } else { format!("{}/", self.row.group) };
            fields.insert("apiVersion".into(), format!("{group}{}", version.name).into());
            fields.insert("kind".into(), self.row.kind.into());
        }
        Ok(())
    }

    fn show_patched(&self, object: &Value, touched: &Value) -> String {
        written::patched(self.name_of(object), object, touched)
    }

    fn store_from(&self, _from: &Version, object: &mut Value) {
        match self.row.name {
            "events.v1.Event" => events::to_stored(object),
            "autoscaling.v2.HorizontalPodAutoscaler" => autoscaling::to_stored(object),
            _ => {}
        }
    }

    fn serve_as(&self, _to: &Version, object: &mut Value) {
        match self.row.name {
            "events.v1.Event" => events::to_new(object),
            "autoscaling.v2.HorizontalPodAutoscaler" => autoscaling::to_old(object),
            _ => {}
        }
    }

    fn default(&self, _version: &Version, object: &mut Value) {
        let name = self.name_of(object);
        normal::normalise(name, object);
        prepare::decoded(self.row, object);
        if let Some(map) = object.as_object_mut() {
            defaults::fill(name, map);
        }
    }

    fn admit(
        &self,
        endpoint: Endpoint,
        object: &mut Value,
        old: Option<&Value>,
        others: Option<&dyn Fn() -> Result<Vec<Value>, Failure>>,
    ) -> Result<(), Failure> {
        match (self.row.kind, endpoint) {
            ("Pod", Endpoint::Main) if old.is_none() => prepare::priority(object),
            ("Service", Endpoint::Main) => address::settle(object, old, others, &self.ranges),
            (kind, Endpoint::Main) if old.is_none() => {
                prepare::protect(kind, object);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn creates_on_update(&self) -> bool {
        self.row.creates_on_update()
    }

    fn returns_deleted(&self) -> bool {
        self.row.returns_deleted()
    }

    fn needs_version(&self) -> bool {
        self.row.needs_version()
    }

    fn in_turn(&self) -> bool {
        self.row.kind == "Service"
    }

    fn prepare_create(&self, _version: &Version, object: &mut Value, call: &Call) {
        prepare::create(self.row, self.name_of(object), object, call);
    }

    fn prepare_update(&self, _version: &Version, endpoint: Endpoint, new: &mut Value, old: &Value) {
        prepare::update(self.row, endpoint, new, old);
    }

    fn moves_generation(&self, new: &Value, old: &Value) -> Option<bool> {
        let fields = self.row.desired()?;
        Some(fields.iter().any(|field| new.pointer(field) != old.pointer(field)))
    }

    fn first_generation(&self) -> Option<i64> {
        // Drivers begin to count with their first change.
        (self.row.kind != "CSIDriver").then_some(1)
    }

    fn name_problem(&self, name: &str) -> Vec<String> {
        match self.row.kind {
            "Namespace" | "Service" => names::dns_label(name),
            "IPAddress" => validate::address_problems(name),
            "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding" => names::path_segment(name),
            _ => names::dns_subdomain(name),
        }
    }

    fn validate(
        &self,
        _version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
    ) -> Vec<FieldError> {
        // What is made through its status is checked as a whole.
        let endpoint = if old.is_none() { Endpoint::Main } else { endpoint };
        // An event is checked in the form in which both groups store it.
        if self.row.name == "events.v1.Event" {
            let stored = |object: &Value| {
                let mut object = object.clone();
                if let Some(fields) = object.as_object_mut() {
                    fields.insert("apiVersion".into(), "v1".into());
                }
                events::to_stored(&mut object);
                object
            };
            let (new, old) = (stored(new), old.map(stored));
            return validate::object(self.row, endpoint, &new, old.as_ref());
        }
        validate::object(self.row, endpoint, new, old)
    }

    fn warnings(&self, _version: &Version, new: &Value, old: Option<&Value>) -> Vec<String> {
        warnings::of(self.row, new, old)
    }

    fn selectable(&self, _version: &Version, object: &Value, field: &str) -> Option<String> {
        self.row.selectable().contains(&field).then(|| selectable::value(object, field))
    }

    fn reset_fields(&self, _version: &Version, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
        prepare::reset_fields(self.row, endpoint)
    }
}
