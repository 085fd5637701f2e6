//! Fields that cannot hold what would be written to them.

use allready::StatusFields;
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize, StatusFields)]
struct Status {
    observed_generation: String,
    last_reconcile_time: u64,
    phase: String,
    reason: u8,
    message: Vec<String>,
    conditions: Vec<String>,
}

fn main() {}
