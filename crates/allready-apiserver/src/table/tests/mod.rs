use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Include, age::human, event, partial_metadata_list, table};
use crate::{
    openapi::discovery::tests::{resource, version},
    resource::{Column, Resource},
    rest::ListBody,
};

fn columns(given: &Value) -> Vec<Column> {
    let text = |column: &Value, field: &str| column[field].as_str().unwrap_or_default().to_owned();
    let read = |column: &Value| Column {
        name: text(column, "name"),
        kind: text(column, "type"),
        format: text(column, "format"),
        description: text(column, "description"),
        priority: column["priority"].as_i64().unwrap_or_default(),
        json_path: text(column, "jsonPath"),
    };
    given.as_array().into_iter().flatten().map(read).collect()
}

fn kind(group: &str, plural: &str, given: Option<&Value>) -> Resource {
    let mut version = version("v1");
    version.published = given.map(|_| Arc::new(json!({})));
    version.columns = given.map(columns).unwrap_or_default();
    resource(group, plural, "Any", vec![version])
}

/// Objects in many states with the rows that the real server made of them, and when.
#[test]
fn rows_are_those_of_the_real_server() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("rows.json")).unwrap();
    let mut compared = 0;
    for case in &cases {
        let resource =
            kind(case["group"].as_str().unwrap(), case["plural"].as_str().unwrap(), case.get("columns"));
        let rows = case["rows"].as_array().unwrap();
        let objects: Vec<Value> = rows.iter().map(|row| row["object"].clone()).collect();
        let now: Timestamp = case["now"].as_str().unwrap().parse().unwrap();
        let table = table(&resource, &resource.versions[0], &objects, None, Include::None, now);
        for (row, mine) in rows.iter().zip(table["rows"].as_array().unwrap()) {
            assert_eq!(row["cells"], mine["cells"], "{} {}", case["plural"], row["object"]);
            assert_eq!(row.get("conditions"), mine.get("conditions"), "{}", row["object"]);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn every_built_in_kind_fills_just_the_columns_that_the_real_server_has_for_it() {
    let now = Timestamp::UNIX_EPOCH;
    let mut own = 0;
    for resource in crate::builtin::resources(crate::builtin::Ranges::default())
        .iter()
        .filter(|resource| resource.verbs.contains(&"list"))
    {
        let version = &resource.versions[0];
        let object = crate::builtin::blank(&resource.api_version(&version.name), &resource.kind).unwrap();
        let table = table(resource, version, &[object], None, Include::None, now);
        let columns = table["columnDefinitions"].as_array().unwrap();
        let cells = table["rows"][0]["cells"].as_array().unwrap();
        // The real server prints the age of addresses without a column for it.
        let nameless = usize::from(resource.plural == "ipaddresses");
        assert_eq!(columns.len() + nameless, cells.len(), "{}: {cells:?}", resource.qualified());
        own += usize::from(columns[1]["name"] != "Created At");
    }
    assert_eq!(own, super::headings::count(), "every kind with columns of its own has cells for them");
}

#[test]
fn a_list_says_where_it_goes_on() {
    let resource = kind("", "namespaces", None);
    let list = ListBody {
        resource_version: 7,
        continue_token: "next".into(),
        remaining: Some(2),
        ..ListBody::default()
    };
    let objects = [json!({"metadata": {"name": "a", "resourceVersion": "3"}})];
    let now = Timestamp::UNIX_EPOCH;
    let page = table(&resource, &resource.versions[0], &objects, Some(&list), Include::None, now);
    assert_eq!(
        page["metadata"],
        json!({"resourceVersion": "7", "continue": "next", "remainingItemCount": 2})
    );
    assert_eq!(page["rows"][0], json!({"cells": ["a", "", "<unknown>"], "object": null}));
    let one = table(&resource, &resource.versions[0], &objects, None, Include::None, now);
    assert_eq!(one["metadata"], json!({"resourceVersion": "3"}));
}

#[test]
fn an_empty_list_of_a_kind_without_columns_has_no_rows_at_all() {
    let list = ListBody::default();
    let rows = |group, plural, given: Option<&Value>| {
        let resource = kind(group, plural, given);
        let now = Timestamp::UNIX_EPOCH;
        table(&resource, &resource.versions[0], &[], Some(&list), Include::None, now)["rows"].clone()
    };
    assert_eq!(rows("rbac.authorization.k8s.io", "roles", None), Value::Null);
    assert_eq!(rows("", "pods", None), json!([]));
    assert_eq!(rows("lab.example", "widgets", Some(&json!([]))), json!([]));
    assert_eq!(partial_metadata_list(&[], &list)["items"], Value::Null);
}

#[test]
fn only_the_first_event_names_the_columns_and_the_end_of_the_initial_events_keeps_its_mark() {
    let resource = kind("lab.example", "widgets", Some(&json!([])));
    let mark = json!({"annotations": {"k8s.io/initial-events-end": "true"}, "resourceVersion": "9"});
    let bookmark = json!({"kind": "Widget", "apiVersion": "lab.example/v1", "metadata": mark});
    let seen = |first| {
        event(&resource, &resource.versions[0], &bookmark, Include::None, Timestamp::UNIX_EPOCH, first)
    };
    assert_eq!(seen(true)["columnDefinitions"][1]["name"], "Age");
    assert_eq!(seen(true)["columnDefinitions"][1]["type"], "date");
    let partial = json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": mark});
    let later = json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "9"},
        "columnDefinitions": null,
        "rows": [{"cells": ["", null], "object": partial}],
    });
    assert_eq!(seen(false), later);
}

#[test]
fn an_age_has_few_figures() {
    let cases = [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (123, "2m3s"),
        (599, "9m59s"),
        (600, "10m"),
        (10_799, "179m"),
        (10_800, "3h"),
        (10_860, "3h1m"),
        (28_799, "7h59m"),
        (28_800, "8h"),
        (172_799, "47h"),
        (172_800, "2d"),
        (176_400, "2d1h"),
        (691_199, "7d23h"),
        (691_200, "8d"),
        (63_071_999, "729d"),
        (63_072_000, "2y"),
        (63_158_400, "2y1d"),
        (252_288_000, "8y"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(human(jiff::SignedDuration::from_secs(seconds)), expected, "{seconds}");
    }
}

fn anything() -> impl Strategy<Value = Value> {
    let words = [
        "metadata",
        "name",
        "labels",
        "spec",
        "status",
        "conditions",
        "type",
        "containers",
        "state",
        "ports",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z:0-9TZ.-]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(words.to_vec()), inner, 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_an_object_is_it_has_a_cell_for_every_column(object in anything()) {
        for (group, plural) in [
            ("", "pods"), ("", "nodes"), ("", "services"), ("", "events"), ("", "secrets"), ("apps", "deployments"),
            ("apps", "daemonsets"), ("batch", "jobs"), ("batch", "cronjobs"), ("rbac.authorization.k8s.io", "rolebindings"),
            ("rbac.authorization.k8s.io", "roles"), ("coordination.k8s.io", "leases"),
        ] {
            let resource = kind(group, plural, None);
            let now = Timestamp::UNIX_EPOCH;
            let made = event(&resource, &resource.versions[0], &object, Include::Metadata, now, true);
            let columns = made["columnDefinitions"].as_array().unwrap().len();
            prop_assert_eq!(made["rows"][0]["cells"].as_array().unwrap().len(), columns);
        }
    }
}
