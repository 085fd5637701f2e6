//! A controller that uses the library and `allready check` agree about an object.

use allready::{
    Condition, ConditionSet, Conditions, Polarity, Status, StatusFields, Time, reason,
    set::{At, Declared, Role, TypedSet as _},
};
use allready_core::ConditionType;
use allready_inspect::{
    health::Health,
    judge::judge,
    registry::{Entry, Registry},
};
use kube::CustomResource;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
struct PoolSpec {}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
struct PoolStatus {
    conditions: Conditions<PoolCondition>,
}

/// With names that say nothing, and names that say the opposite of what is declared.
#[derive(Clone, Copy, Debug, ConditionSet)]
enum PoolCondition {
    AddressesValid,
    #[condition(abnormal_true)]
    Degraded,
    #[condition(abnormal_true)]
    Available,
    #[condition(informational)]
    Failed,
    #[condition(informational, abnormal_true)]
    Healthy,
}

const STATUSES: [Status; 3] = [Status::True, Status::False, Status::Unknown];

fn registry_of(crd: &Value) -> Registry {
    let declared = Entry::of_definition(crd).unwrap().unwrap();
    Registry::builtin().clone().with([declared])
}

/// The object, as it would be stored.
fn object(conditions: &[Condition], generation: u32) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Pool",
        "metadata": { "name": "a", "namespace": "default", "generation": generation },
        "spec": {}, "status": { "conditions": conditions },
    })
}

fn agree(top: Status, health: Health) -> bool {
    match top {
        Status::True => health == Health::Healthy,
        Status::False => health == Health::Degraded,
        Status::Unknown => matches!(health, Health::Progressing | Health::Unknown),
    }
}

#[test]
fn for_every_combination_of_statuses_the_top_condition_and_the_verdict_agree() {
    let registry = registry_of(&serde_json::to_value(allready::crd::<Pool>()).unwrap());
    let now = Time::from_second(1_000).unwrap();
    let mut seen = [0; 3];
    for number in 0..3_usize.pow(5) {
        for stale in [false, true] {
            let mut conditions = Conditions::<PoolCondition>::default();
            let mut pass = conditions.pass(At::new(1u32, now));
            let mut digits = number;
            for variant in PoolCondition::ALL {
                pass.mark(*variant, STATUSES[digits % 3], reason!("Checked"), "as it was found");
                digits /= 3;
            }
            pass.finish();
            let generation = if stale { 2 } else { 1 };
            let top = conditions.top().unwrap();
            let expected = if stale && top.status == Status::True { Status::Unknown } else { top.status };
            let verdict = judge(&object(&conditions, generation), &registry, now);
            let health = verdict.health;
            // Of a status about an older generation nobody knows whether it still holds.
            let fine = if stale { health != Health::Healthy } else { agree(expected, health) };
            assert!(fine, "{conditions:?}\nof generation {generation}: {verdict:?}");
            seen[expected as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "every status was seen: {seen:?}");
}

#[test]
fn a_new_object_is_progressing_and_never_green() {
    let crd = serde_json::to_value(allready::crd::<Pool>()).unwrap();
    let default = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["default"];
    let mut new = object(&[], 1);
    new["status"] = default.clone();
    new["metadata"]["creationTimestamp"] = json!("2026-03-01T10:00:00Z");
    let now: Time = "2026-03-01T10:01:00Z".parse().unwrap();
    let verdict = judge(&new, &registry_of(&crd), now);
    assert_eq!(verdict.health, Health::Progressing, "{verdict:?}");
    assert_eq!(verdict.since, Some("2026-03-01T10:00:00Z".parse().unwrap()), "since it was created");
}

fn any_set() -> impl Strategy<Value = ConditionSet> {
    let names = ["Synced", "Degraded", "Available", "Stalled", "Whatever"];
    let one = (any::<bool>(), any::<bool>());
    prop::collection::vec(one, 1..=names.len()).prop_map(move |declared| {
        let mut builder =
            ConditionSet::living().declare(Declared::new(ConditionType::new("Anchor").unwrap()));
        for (name, (is_informational, is_abnormal)) in names.into_iter().zip(declared) {
            let role = if is_informational { Role::Informational } else { Role::Dependent };
            let polarity = if is_abnormal { Polarity::AbnormalTrue } else { Polarity::NormalTrue };
            builder = builder.declare(Declared {
                role,
                polarity,
                ..Declared::new(ConditionType::new(name).unwrap())
            });
        }
        builder.build().unwrap()
    })
}

proptest! {
    #[test]
    fn for_any_set_that_is_declared_at_run_time_they_agree_too(
        set in any_set(), statuses in prop::collection::vec(prop::sample::select(&STATUSES[..]), 6),
    ) {
        let crd = serde_json::to_value(allready::crd::complete(<Pool as kube::CustomResourceExt>::crd(), &set)).unwrap();
        let registry = registry_of(&crd);
        let now = Time::from_second(1_000).unwrap();
        let mut list = vec![];
        let mut pass = set.pass(&mut list, At::new(1u32, now));
        for (declared, status) in set.declared().iter().zip(statuses) {
            pass.mark(declared.type_.as_str(), status, reason!("Checked"), "as it was found").unwrap();
        }
        pass.finish();
        let top = list.iter().find(|condition| condition.type_ == *set.top()).unwrap();
        let verdict = judge(&object(&list, 1), &registry, now);
        prop_assert!(agree(top.status, verdict.health), "{set}\n{list:?}\n{verdict:?}");
    }
}
