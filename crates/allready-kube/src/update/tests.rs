//! What holds of every plan.

use std::time::Duration;

use allready_core::{Condition, ConditionType, Generation, Reason, Status, Time, set::Untouched};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    FieldMap, ReconcileTime,
    conditions::{ConditionOptions, type_of},
    json,
    plan::{Functions, Options, Pass, Plan, Stored, Verdict, plan},
};

const NOW: i64 = 5_000;
const TYPES: [&str; 4] = ["A", "B", "ours/C", "theirs/D"];
const STATUSES: [Status; 3] = [Status::True, Status::False, Status::Unknown];

/// Conditions as anybody may have written them, also in ways that nobody should.
fn entry() -> impl Strategy<Value = Value> {
    let statuses =
        [json!("True"), json!("False"), json!("Unknown"), json!(true), json!("maybe"), Value::Null];
    let types = ["A", "B", "ours/C", "theirs/D", "not a type", ""];
    (select(types.to_vec()), select(statuses.to_vec()), 0..4i64, option::of(0..3i64), any::<bool>()).prop_map(
        |(type_, status, second, generation, extra)| {
            let since = Time::from_second(second).unwrap();
            let mut entry = json!({ "type": type_, "status": status, "reason": "Old", "message": "", "lastTransitionTime": since });
            if let Some(generation) = generation {
                entry["observedGeneration"] = json!(generation);
            }
            if extra {
                entry["severity"] = json!("Warning");
            }
            entry
        },
    )
}

fn stored() -> impl Strategy<Value = Stored> {
    let status = (vec(entry(), 0..5), option::of(0..3i64), option::of(0..6_000i64), any::<bool>()).prop_map(
        |(conditions, generation, second, other)| {
            let time = second.map(|second| Time::from_second(second).unwrap());
            let mut status = json!({ "conditions": conditions, "phase": "Old", "reason": "Old" });
            if let Some(generation) = generation {
                status["observedGeneration"] = json!(generation);
            }
            if let Some(time) = time {
                status["lastReconcileTime"] = json!(time);
            }
            if other {
                status["other"] = json!({ "kept": [1, 2] });
            }
            status
        },
    );
    prop_oneof![1 => Just(Value::Null), 6 => status].prop_map(|status| Stored {
        uid: Some("u".to_owned()),
        version: Some("1".to_owned()),
        status,
        managed: Value::Null,
    })
}

fn pass() -> impl Strategy<Value = Pass> {
    let said = vec((select(&TYPES[..3]), select(&STATUSES[..]), option::of(1..3u32)), 0..4);
    let remove = vec(select(&TYPES[..3]), 0..2);
    (said, remove, 0..3u32, any::<bool>(), any::<bool>()).prop_map(
        |(said, remove, generation, finished, told)| Pass {
            uid: Some("u".to_owned()),
            generation: Generation::from(generation),
            reason: told.then(|| Reason::from_static("Told")),
            message: told.then(|| "told".into()),
            conditions: said
                .into_iter()
                .map(|(type_, status, generation)| {
                    let type_ = ConditionType::from_static(type_);
                    let condition =
                        Condition::new(type_, status, Reason::from_static("New"), "new", Time::EPOCH);
                    condition.observed(generation.unwrap_or(0))
                })
                .collect(),
            remove: remove.into_iter().map(ConditionType::from_static).collect(),
            finished,
            ..Pass::default()
        },
    )
}

fn options() -> impl Strategy<Value = Options> {
    let untouched = select(vec![Untouched::Keep, Untouched::Remove, Untouched::Unknown]);
    let time = select(vec![
        ReconcileTime::Off,
        ReconcileTime::Coarse(Duration::from_mins(10)),
        ReconcileTime::Precise,
    ]);
    (untouched, time, any::<bool>()).prop_map(|(untouched, reconcile_time, owning)| Options {
        fields: FieldMap::default(),
        conditions: Some(ConditionOptions {
            untouched,
            owns: owning.then(|| std::sync::Arc::new(|type_: &str| !type_.starts_with("theirs/")) as _),
        }),
        manager: None,
        reconcile_time,
        blank: json!({}),
    })
}

fn planned(stored: &Stored, pass: &Pass, options: &Options) -> Plan {
    plan(stored, pass, options, &Functions::default(), Time::from_second(NOW).unwrap()).unwrap()
}

fn entries(status: &Value) -> Vec<&Value> {
    status["conditions"].as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

proptest! {
    #[test]
    fn what_was_written_does_not_have_to_be_written_again(stored in stored(), pass in pass(), options in options()) {
        let first = planned(&stored, &pass, &options);
        let mut status = stored.status.clone();
        if let Verdict::Write(patch) = first.verdict {
            json::merge(&mut status, patch);
            prop_assert_eq!(&status, &first.status, "the patch makes the status");
        }
        let again = planned(&Stored { status, ..stored }, &pass, &options);
        prop_assert!(matches!(again.verdict, Verdict::Unchanged | Verdict::Outdated), "{:?}", again.verdict);
        prop_assert!(again.transitions.is_empty());
    }

    #[test]
    fn what_others_wrote_stays_to_the_letter(stored in stored(), pass in pass(), mut options in options()) {
        let untouched = options.conditions.as_mut().unwrap();
        if untouched.owns.is_none() {
            untouched.untouched = Untouched::Keep;
        }
        let plan = planned(&stored, &pass, &options);
        let after = entries(&plan.status);
        for theirs in entries(&stored.status).into_iter().filter(|entry| type_of(entry) == "theirs/D") {
            // Of several with one type the last stays: the API server takes one.
            let twice = entries(&stored.status).iter().filter(|entry| type_of(entry) == "theirs/D").count() > 1;
            prop_assert!(twice || after.contains(&theirs), "{theirs} is not in {after:?}");
        }
        prop_assert_eq!(plan.status.get("other"), stored.status.get("other"));
    }

    #[test]
    fn own_conditions_say_what_was_said(stored in stored(), pass in pass(), options in options()) {
        let plan = planned(&stored, &pass, &options);
        prop_assume!(plan.verdict != Verdict::Outdated);
        let newer = |type_: &str| entries(&stored.status).iter().any(|entry| {
            type_of(entry) == type_ && entry["observedGeneration"].as_i64().unwrap_or(0) > 0
        });
        for said in &pass.conditions {
            let last = pass.conditions.iter().rfind(|other| other.type_ == said.type_).unwrap();
            let type_ = said.type_.as_str();
            if newer(type_) {
                continue;
            }
            let found: Vec<_> = entries(&plan.status).into_iter().filter(|entry| type_of(entry) == type_).collect();
            if pass.remove.contains(&said.type_) {
                prop_assert_eq!(found.len(), 0);
            } else {
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(&found[0]["status"], last.status.as_str());
            }
        }
    }

    #[test]
    fn an_older_generation_never_replaces_a_newer(stored in stored(), pass in pass(), options in options()) {
        let observed = |status: &Value| status["observedGeneration"].as_i64().unwrap_or(0);
        let plan = planned(&stored, &pass, &options);
        prop_assert!(observed(&plan.status) >= observed(&stored.status));
    }

    #[test]
    fn a_pass_that_failed_takes_nothing_away_that_it_did_not_name(stored in stored(), pass in pass(), options in options()) {
        let pass = Pass { finished: false, ..pass };
        let plan = planned(&stored, &pass, &options);
        let after: Vec<&str> = entries(&plan.status).into_iter().map(type_of).collect();
        for type_ in entries(&stored.status).into_iter().map(type_of) {
            let removed = pass.remove.iter().any(|removed| *removed == *type_);
            prop_assert!(removed || after.contains(&type_), "{type_} is gone");
        }
    }
}

#[test]
fn another_object_of_the_same_name_is_not_written_to() {
    let stored = Stored { uid: Some("other".to_owned()), ..Stored::default() };
    let pass = Pass { uid: Some("u".to_owned()), ..Pass::default() };
    let options = Options {
        fields: FieldMap::default(),
        conditions: None,
        manager: None,
        reconcile_time: ReconcileTime::Precise,
        blank: json!({}),
    };
    assert_eq!(planned(&stored, &pass, &options).verdict, Verdict::Replaced);
}
