//! What is there twice in nested structs, or in one of several that nobody named.

use allready::{Conditions, StatusFields};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize, StatusFields)]
#[status(part)]
struct Summary {
    phase: Option<String>,
    reason: Option<String>,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
struct ReasonTwice {
    #[status(nested)]
    summary: Summary,
    reason: Option<String>,
    conditions: Conditions,
}

#[derive(Default, Serialize, Deserialize, StatusFields)]
struct Several {
    #[status(nested)]
    first: Summary,
    #[status(nested)]
    second: Summary,
}

fn main() {}
