use proptest::prelude::*;

use super::*;
use crate::hub::HubFacts;

/// Names that the reader looks for, so that what is made gets past the first step.
const NAMES: &str = "metadata|status|spec|name|namespace|generation|annotations|conditions|type|observedGeneration|\
                     addresses|value|listeners|attachedRoutes|managedFields|manager|fieldsV1|f:status|f:conditions|\
                     f:listeners|f:addresses|ready|deep|er|hostname|allready.dev/clusters";

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "Programmed|Degraded|True|False|[^x]{0,8}".prop_map(Value::from),
        (1000..3000_usize).prop_map(|length| "ü".repeat(length).into()),
    ];
    leaf.prop_recursive(6, 128, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(NAMES, inner, 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    // Rows beyond the bound are made here alone: lists of long lists would be large without being stranger.
    let rows = (any_json(), 0..400_usize, prop::collection::vec(any_json(), 0..8));
    let rows = rows.prop_map(|(often, times, others)| [vec![often; times], others].concat());
    let parts = (any_json(), any_json(), any_json(), rows, any_json());
    parts.prop_map(|(metadata, spec, conditions, rows, other)| {
        json!({
            "metadata": metadata,
            "spec": spec,
            "status": { "conditions": [conditions, other], "addresses": rows, "listeners": rows, "ready": other },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_a_cluster_sends_is_read_and_what_is_kept_is_bounded(object in prop_oneof![any_object(), any_json()]) {
        let plan = plan(&json!({
            "conditions": [{ "type": "Programmed" }, { "type": "Degraded", "expression": "object.status.ready > 1" }],
            "fields": [{ "path": ".status.ready", "combine": "Sum" }],
            "rows": ["Addresses", "Listeners"],
        }));
        let (name, instance) = Reader::new(&plan).read(&object);
        prop_assert!(name.name.len() <= MAX_NAME && name.namespace.len() <= MAX_NAME);
        prop_assert!(instance.spec.len() <= MAX_SPEC);
        prop_assert!(instance.addresses.len() <= MAX_ROWS && instance.listeners.len() <= MAX_ROWS);
        let texts = instance.addresses.iter().flat_map(|address| [&address.type_, &address.value]);
        let texts = texts.chain(instance.listeners.iter().map(|listener| &listener.name)).chain(&instance.cut);
        prop_assert!(texts.into_iter().all(|text| text.len() <= MAX_TEXT));
        prop_assert_eq!((instance.conditions.len(), instance.fields.len()), (2, 1));
        for said in &instance.conditions {
            let length = match said {
                Said::Condition { condition, .. } => condition.message.as_str().len(),
                Said::Failed(why) => why.len(),
                Said::Nothing => 0,
            };
            prop_assert!(length <= MAX_TEXT);
        }
        let names: std::collections::BTreeSet<_> = instance.listeners.iter().map(|listener| &listener.name).collect();
        prop_assert_eq!(names.len(), instance.listeners.len(), "each name once");
    }

    #[test]
    fn whatever_stands_on_the_hub_is_read(object in prop_oneof![any_object(), any_json()]) {
        let plan = whole();
        let facts = HubFacts::read(&object, &plan, MANAGER);
        prop_assert_eq!(facts.fields.len(), 2);
        prop_assert!(facts.spec.len() <= MAX_SPEC);
        prop_assert_eq!(HubFacts::read(&object, &plan, MANAGER), facts, "reading it again finds the same");
    }
}
