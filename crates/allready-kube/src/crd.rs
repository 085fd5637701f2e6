//! Completing the CRD of a kind with what its conditions declare.

use allready_core::{
    Condition, ConditionSet, ConditionType, Reason, Status, Time,
    set::{ANNOTATION, Markable},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceDefinition, CustomResourceDefinitionVersion, JSON,
};
use kube::{CustomResourceExt, core::object::HasStatus};
use serde_json::{Value, json};

use crate::status::{Field, StatusFields};

/// The CRD of a kind whose status has the conditions of a set, completed.
///
/// - The annotation `allready.dev/conditions` says which conditions count and which way round they read, so that `allready
///   check`, `explain`, `wait` and `lint` agree with the controller.
/// - `kubectl get` shows the top condition, its reason and the age, and its message with `-o wide`.
/// - A new object has all of its conditions at once, `Unknown` with the reason `Pending`, so that `kubectl wait
///   --for=condition=Ready=Unknown` and the columns have something to show before the controller has looked.
///
/// ```
/// use allready_core::{Conditions, set::TypedSet};
/// use allready_derive::{ConditionSet, StatusFields};
/// use allready_kube::crd::crd;
/// use kube::CustomResource;
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
/// #[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
/// struct PoolSpec {}
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
/// #[status(crate = allready_kube)]
/// struct PoolStatus {
///     conditions: Conditions<PoolCondition>,
/// }
///
/// #[derive(Clone, Copy, Debug, ConditionSet)]
/// #[conditions(crate = allready_core)]
/// enum PoolCondition {
///     AddressesValid,
///     #[condition(informational)]
///     Announced,
/// }
///
/// let crd = crd::<Pool>();
/// assert_eq!(crd.metadata.annotations.unwrap()["allready.dev/conditions"], "Ready: AddressesValid, (Announced)");
/// let columns = crd.spec.versions[0].additional_printer_columns.as_ref().unwrap();
/// let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
/// assert_eq!(names, ["Ready", "Reason", "Message", "Age"]);
/// ```
pub fn crd<K: CustomResourceExt + HasStatus<Status: StatusFields>>() -> CustomResourceDefinition {
    let crd = K::crd();
    let (Some(set), Some(path)) = (
        <K::Status as StatusFields>::Set::declared_set(),
        K::Status::fields().path(Field::Conditions).map(<[_]>::to_vec),
    ) else {
        return crd;
    };
    let path: Vec<&str> = path.iter().map(|key| &**key).collect();
    complete_at(crd, set, &path, &serde_json::to_value(K::Status::default()).unwrap_or_default())
}

/// The same for a set that is known only at run time, whose conditions are in `.status.conditions`.
pub fn complete(crd: CustomResourceDefinition, set: &ConditionSet) -> CustomResourceDefinition {
    complete_at(crd, set, &["conditions"], &json!({}))
}

fn complete_at(
    mut crd: CustomResourceDefinition,
    set: &ConditionSet,
    path: &[&str],
    blank: &Value,
) -> CustomResourceDefinition {
    let annotations = crd.metadata.annotations.get_or_insert_default();
    annotations.insert(ANNOTATION.to_owned(), set.to_string());
    let default = default_status(set, path, blank);
    for version in &mut crd.spec.versions {
        add_columns(version, set.top(), path);
        let schema = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut());
        let status = schema.and_then(|schema| schema.properties.as_mut()?.get_mut("status"));
        if let Some(status) = status {
            status.default = Some(JSON(default.clone()));
        }
    }
    crd
}

/// The status of an object that nobody has looked at.
fn default_status(set: &ConditionSet, path: &[&str], blank: &Value) -> Value {
    let mut status = crate::status::without_nulls(blank.clone());
    let types = std::iter::once((set.top(), None))
        .chain(set.declared().iter().map(|declared| (&declared.type_, declared.initial.as_ref())));
    let conditions: Vec<Condition> = types
        .map(|(type_, initial)| match initial {
            Some(initial) => {
                let (reason, message) = (initial.reason.clone(), initial.message.clone());
                Condition::new(type_.clone(), initial.status, reason, message, Time::EPOCH)
            }
            None => pending(type_.clone()),
        })
        .collect();
    let mut place = &mut status;
    for key in path {
        place = &mut place[*key];
    }
    *place = json!(conditions);
    status
}

/// A condition that nobody has looked at.
pub(crate) fn pending(type_: ConditionType) -> Condition {
    let reason = Reason::from_static("Pending");
    Condition::new(type_, Status::Unknown, reason, "waiting for the controller", Time::EPOCH)
}

/// Adds the columns that the kind does not have under these names.
fn add_columns(version: &mut CustomResourceDefinitionVersion, top: &ConditionType, path: &[&str]) {
    let columns = version.additional_printer_columns.get_or_insert_default();
    let list = path.iter().fold(".status".to_owned(), |list, key| format!("{list}.{key}"));
    let of_top = |field: &str| format!("{list}[?(@.type==\"{top}\")].{field}");
    let column = |name: &str, json_path: String, priority: Option<i32>| CustomResourceColumnDefinition {
        name: name.to_owned(),
        type_: "string".to_owned(),
        json_path,
        priority,
        ..CustomResourceColumnDefinition::default()
    };
    let age = CustomResourceColumnDefinition {
        type_: "date".to_owned(),
        ..column("Age", ".metadata.creationTimestamp".to_owned(), None)
    };
    let has = |columns: &[CustomResourceColumnDefinition], name: &str| {
        columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let first = [column(top.name(), of_top("status"), None), column("Reason", of_top("reason"), None)];
    let new: Vec<_> = first.into_iter().filter(|column| !has(columns, &column.name)).collect();
    columns.splice(0..0, new);
    let is_last_age = columns.last().is_some_and(|column| column.name.eq_ignore_ascii_case("Age"));
    let own_age = if is_last_age { columns.pop() } else { None };
    if !has(columns, "Message") {
        columns.push(column("Message", of_top("message"), Some(1)));
    }
    if let Some(age) = own_age.or_else(|| (!has(columns, "Age")).then_some(age)) {
        columns.push(age);
    }
}
