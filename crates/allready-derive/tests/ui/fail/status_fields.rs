//! Fields that are missing, there twice, or marked as what they cannot be.

use allready::{Condition, StatusFields};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize, StatusFields)]
struct Missing {
    phase: String,
    observed_generaton: Option<i64>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
struct Twice {
    phase: String,
    #[status(phase)]
    state: String,
    #[status(reason, message)]
    text: String,
    #[status(skip)]
    replicas: u32,
    #[serde(skip)]
    conditions: Vec<Condition>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(without(phases), partly, crate = "allready")]
struct Attributes {
    #[status(nested, conditions)]
    inner: Twice,
    #[status(state)]
    state: String,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
struct Unnamed(String);

#[derive(StatusFields)]
#[status(part)]
enum Enumerated {
    One,
}

fn main() {}
