//! What holds of every plan.

use std::time::Duration;

use allready_core::{
    ConditionSet, Message, Reason, Status, Time,
    damping::DampingMemory,
    reason,
    set::{At, Pass, Untouched},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    Because, FieldMap, ReconcileTime,
    conditions::{Rules, type_of},
    json,
    plan::{Edits, End, Functions, Options, Plan, Said, Stored, Verdict, plan},
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
        generation: None,
        status,
        managed: Value::Null,
    })
}

/// What was said, and of which types.
#[derive(Clone, Debug)]
struct Case {
    said: Said,
    marks: Vec<(&'static str, Status)>,
    cleared: Vec<&'static str>,
}

fn case() -> impl Strategy<Value = Case> {
    let marks = vec((select(&TYPES[..3]), select(&STATUSES[..])), 0..4);
    let cleared = vec(select(&TYPES[..3]), 0..2);
    (marks, cleared, 0..3u32, any::<bool>(), any::<bool>()).prop_map(
        |(marks, cleared, generation, finished, told)| {
            let at = At::new(generation, Time::from_second(NOW).unwrap());
            let mut seen = Vec::new();
            let mut pass = Pass::over_list(&mut seen, Untouched::Keep, at);
            for (type_, status) in &marks {
                pass.mark(type_, *status, reason!("New"), "new").unwrap();
            }
            for type_ in &cleared {
                pass.mark_true(type_, reason!("Briefly"), "").unwrap();
                pass.clear(type_).unwrap();
            }
            let failed = || std::io::Error::other("no").because(reason!("Failed"));
            let said = Said {
                uid: Some("u".to_owned()),
                at,
                reason: told.then(|| Reason::from_static("Told")),
                message: told.then(|| Message::from("told")),
                marks: pass.into_marks(),
                end: if finished { End::Finished } else { End::Failed(failed()) },
                edits: Edits::default(),
            };
            Case { said, marks, cleared }
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
        rules: Rules::List {
            untouched,
            owns: owning.then(|| std::sync::Arc::new(|type_: &str| !type_.starts_with("theirs/")) as _),
        },
        damping: None,
        manager: "pool-controller".to_owned(),
        reconcile_time,
        blank: json!({}),
    })
}

fn planned(stored: &Stored, said: &Said, options: &Options) -> Plan {
    plan(stored, said, options, &Functions::default(), DampingMemory::default()).unwrap()
}

fn entries(status: &Value) -> Vec<&Value> {
    status["conditions"].as_array().map(|list| list.iter().collect()).unwrap_or_default()
}

proptest! {
    #[test]
    fn what_was_written_does_not_have_to_be_written_again(stored in stored(), case in case(), options in options()) {
        let first = planned(&stored, &case.said, &options);
        let mut status = stored.status.clone();
        if let Verdict::Write(patch) = first.verdict {
            json::merge(&mut status, patch);
            prop_assert_eq!(&status, &first.status, "the patch makes the status");
        }
        let again = planned(&Stored { status, ..stored }, &case.said, &options);
        prop_assert!(matches!(again.verdict, Verdict::Unchanged | Verdict::Outdated), "{:?}", again.verdict);
        prop_assert!(again.transitions.is_empty());
    }

    #[test]
    fn what_others_wrote_stays_to_the_letter(stored in stored(), case in case(), mut options in options()) {
        if let Rules::List { untouched, owns: None } = &mut options.rules {
            *untouched = Untouched::Keep;
        }
        let plan = planned(&stored, &case.said, &options);
        let after = entries(&plan.status);
        for theirs in entries(&stored.status).into_iter().filter(|entry| type_of(entry) == "theirs/D") {
            // Of several with one type the last stays: the API server takes one.
            let twice = entries(&stored.status).iter().filter(|entry| type_of(entry) == "theirs/D").count() > 1;
            prop_assert!(twice || after.contains(&theirs), "{theirs} is not in {after:?}");
        }
        prop_assert_eq!(plan.status.get("other"), stored.status.get("other"));
    }

    #[test]
    fn own_conditions_say_what_was_said(stored in stored(), case in case(), options in options()) {
        let plan = planned(&stored, &case.said, &options);
        prop_assume!(plan.verdict != Verdict::Outdated);
        let newer = |type_: &str| entries(&stored.status).iter().any(|entry| {
            type_of(entry) == type_ && entry["observedGeneration"].as_i64().unwrap_or(0) > 0
        });
        for (type_, _) in &case.marks {
            let (_, last) = case.marks.iter().rfind(|(other, _)| other == type_).unwrap();
            if newer(type_) {
                continue;
            }
            let found: Vec<_> = entries(&plan.status).into_iter().filter(|entry| type_of(entry) == *type_).collect();
            if case.cleared.contains(type_) {
                prop_assert_eq!(found.len(), 0);
            } else {
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(&found[0]["status"], last.as_str());
            }
        }
    }

    #[test]
    fn an_older_generation_never_replaces_a_newer(stored in stored(), case in case(), options in options()) {
        let observed = |status: &Value| status["observedGeneration"].as_i64().unwrap_or(0);
        let plan = planned(&stored, &case.said, &options);
        prop_assert!(observed(&plan.status) >= observed(&stored.status));
    }

    #[test]
    fn a_pass_that_failed_takes_nothing_away_that_it_did_not_name(stored in stored(), case in case(), options in options()) {
        let said = Said { end: End::Cancelled, ..case.said };
        let plan = planned(&stored, &said, &options);
        let after: Vec<&str> = entries(&plan.status).into_iter().map(type_of).collect();
        for type_ in entries(&stored.status).into_iter().map(type_of) {
            let removed = case.cleared.contains(&type_);
            prop_assert!(removed || after.contains(&type_), "{type_} is gone");
        }
    }
}

/// A set whose second dependent is bad when it is `True`.
fn set() -> ConditionSet {
    "Ready: A, !B".parse().unwrap()
}

proptest! {
    #[test]
    fn ready_is_never_true_over_a_stored_dependent_that_is_not_good(
        stored in stored(), marks in vec((select(&TYPES[..2]), select(&STATUSES[..])), 0..4),
        generation in 0..3u32, failed: bool,
    ) {
        let at = At::new(generation, Time::from_second(NOW).unwrap());
        let set = set();
        let mut seen = Vec::new();
        let mut pass = set.pass(&mut seen, at);
        for (type_, status) in &marks {
            pass.mark(type_, *status, reason!("New"), "new").unwrap();
        }
        let error = || std::io::Error::other("no").because(reason!("Failed"));
        let said = Said {
            uid: Some("u".to_owned()),
            at,
            reason: None,
            message: None,
            marks: pass.into_marks(),
            end: if failed { End::Failed(error()) } else { End::Finished },
            edits: Edits::default(),
        };
        let options = Options {
            fields: FieldMap::default(),
            rules: Rules::Set(std::sync::Arc::new(set)),
            damping: None,
            manager: "pool-controller".to_owned(),
            reconcile_time: ReconcileTime::Off,
            blank: json!({}),
        };
        let plan = planned(&stored, &said, &options);
        if plan.verdict == Verdict::Outdated {
            return Ok(());
        }
        let list = super::conditions::legal(plan.status.get("conditions"), at.now);
        let find = |type_: &str| allready_core::condition::find(&list, type_);
        let ready = find("Ready").unwrap();
        if ready.status == Status::True {
            prop_assert!(!failed, "nobody knows whether it still holds");
            for (type_, good) in [("A", Status::True), ("B", Status::False)] {
                let dependent = find(type_).unwrap();
                prop_assert_eq!(dependent.status, good, "{}", type_);
                // A generation of 0 is none: it is what Go writes where nothing was set.
                let is_behind = |seen: allready_core::Generation| !seen.is_none() && seen.get() < i64::from(generation);
                let is_behind = dependent.observed_generation.is_some_and(is_behind);
                prop_assert!(!is_behind, "{:?}", dependent);
            }
        }
    }
}

#[test]
fn another_object_of_the_same_name_is_not_written_to() {
    let stored = Stored { uid: Some("other".to_owned()), ..Stored::default() };
    let said = Said {
        uid: Some("u".to_owned()),
        at: At::new(1u32, Time::EPOCH),
        reason: None,
        message: None,
        marks: allready_core::set::Marks::default(),
        end: End::Finished,
        edits: Edits::default(),
    };
    let options = Options {
        fields: FieldMap::default(),
        rules: Rules::List { untouched: Untouched::Keep, owns: None },
        damping: None,
        manager: "pool-controller".to_owned(),
        reconcile_time: ReconcileTime::Precise,
        blank: json!({}),
    };
    assert_eq!(planned(&stored, &said, &options).verdict, Verdict::Replaced);
}
