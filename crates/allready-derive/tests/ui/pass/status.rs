//! Every key of a status, and the fields that come of it.
#![deny(warnings)]

use allready::{
    Condition, Generation, Message, Reason, Time,
    status::{Field, NoPhase, StatusFields},
};
use allready_derive::StatusFields;
use serde::{Deserialize, Serialize};

type MaybePhase = Option<Phase>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Phase {
    #[default]
    Ready,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[serde(rename_all = "camelCase", default)]
#[status(without(message))]
struct Everything {
    #[status(observed_generation)]
    r#gen: Option<Generation>,
    #[serde(rename(serialize = "when"), skip_serializing_if = "Option::is_none")]
    last_reconcile_time: Option<Time>,
    #[status(skip)]
    phase: u8,
    #[status(nested, phase)]
    first_part: First,
    #[serde(flatten)]
    #[status(nested, conditions)]
    second: Second,
    replicas: u32,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
struct First {
    #[status(phase = Phase)]
    state: MaybePhase,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
struct Second {
    reason: Option<Reason>,
    #[status(conditions)]
    all_checks: Option<Vec<Condition>>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part, crate = allready)]
struct Texts {
    message: Message,
}

#[expect(clippy::extra_unused_type_parameters, reason = "the type of the phase is asked of it")]
fn phase<S: StatusFields<Phase = P>, P>(phase: P) -> P {
    phase
}

#[test]
fn the_fields_have_the_names_that_serde_writes() {
    let fields = Everything::fields();
    let expected: [(Field, Option<&[&str]>); 6] = [
        (Field::ObservedGeneration, Some(&["gen"])),
        (Field::LastReconcileTime, Some(&["when"])),
        (Field::Phase, Some(&["firstPart", "state"])),
        (Field::Reason, Some(&["REASON"])),
        (Field::Message, None),
        (Field::Conditions, Some(&["ALL-CHECKS"])),
    ];
    for (field, path) in expected {
        assert_eq!(
            fields.path(field).map(|path| path.iter().map(|key| &**key).collect::<Vec<_>>()).as_deref(),
            path
        );
    }
    // The names are those that serde writes.
    let written = serde_json::to_value(Everything {
        last_reconcile_time: Some(Time::EPOCH),
        second: Second { all_checks: Some(vec![]), reason: None },
        ..Everything::default()
    })
    .unwrap();
    for name in ["gen", "when", "phase", "firstPart", "REASON", "ALL-CHECKS", "replicas"] {
        assert!(written.get(name).is_some(), "{name} in {written}");
    }
    assert_eq!(phase::<Everything, _>(Phase::Ready), Phase::Ready);
    let _: fn(NoPhase) -> NoPhase = phase::<Texts, NoPhase>;
    let _ = (Everything::default().phase, Everything::default().r#gen, Everything::default().replicas);
}
