//! kstatus of an object, with and without reading it.

use allready_core::Time;
use allready_inspect::judge::kstatus::{Outcome, compute};
use serde_json::Value;

use crate::Subject;
use crate::wire::{Answer, Case, NOW, Said};

fn now() -> Time {
    Time::from_second(NOW).unwrap_or(Time::EPOCH)
}

fn told(outcome: Option<&Outcome>) -> Answer {
    let said = outcome.map(|outcome| Said {
        type_: "kstatus".to_owned(),
        status: format!("{:?}", outcome.status),
        reason: outcome.reason.clone(),
        message: outcome.message.clone(),
        ..Said::default()
    });
    Answer { conditions: Some(said.into_iter().collect()), ..Answer::default() }
}

pub(crate) struct Computed {
    object: Value,
    outcome: Option<Outcome>,
}

impl Computed {
    pub(crate) fn new(case: &Case) -> Self {
        Self { object: case.object.clone(), outcome: None }
    }
}

impl Subject for Computed {
    fn call(&mut self) {
        self.outcome = Some(compute(&self.object, now()));
    }

    fn answer(&self) -> Answer {
        told(self.outcome.as_ref())
    }
}

pub(crate) struct Decoded {
    text: Vec<u8>,
    outcome: Option<Outcome>,
}

impl Decoded {
    pub(crate) fn new(case: &Case) -> Self {
        Self { text: case.object.to_string().into_bytes(), outcome: None }
    }
}

impl Subject for Decoded {
    fn call(&mut self) {
        self.outcome = serde_json::from_slice(&self.text).ok().map(|object: Value| compute(&object, now()));
    }

    fn answer(&self) -> Answer {
        told(self.outcome.as_ref())
    }
}
