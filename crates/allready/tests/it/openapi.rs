//! A status that is kept in the types of `k8s-openapi`.

use allready::{Condition, ConditionSet, Time, reason, set::At};
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

#[derive(Clone, Copy, ConditionSet)]
enum Conditions {
    Synced,
}

#[test]
fn a_pass_over_the_types_of_k8s_openapi_gives_them_back() {
    let mut conditions: Vec<Condition> = vec![];
    let mut pass = Conditions::pass(&mut conditions, At::new(1u32, Time::EPOCH));
    pass.mark_synced(reason!("Applied"), "");
    pass.finish();
    let status: Vec<meta::Condition> = conditions.iter().cloned().map(Into::into).collect();
    assert_eq!((status[0].type_.as_str(), status[0].status.as_str()), ("Ready", "True"));
    let back: Vec<Condition> = status.into_iter().map(|one| one.try_into().unwrap()).collect();
    assert_eq!(back, conditions);
}
