//! What is missing or there twice in nested structs.

use allready::{Condition, StatusFields};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
struct Summary {
    phase: Option<String>,
    reason: Option<String>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(without(observed_generation, last_reconcile_time))]
struct NoMessage {
    #[status(nested)]
    summary: Summary,
    conditions: Vec<Condition>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(without(observed_generation, last_reconcile_time, message))]
struct ReasonTwice {
    #[status(nested)]
    summary: Summary,
    reason: Option<String>,
    conditions: Vec<Condition>,
}

fn main() {}
