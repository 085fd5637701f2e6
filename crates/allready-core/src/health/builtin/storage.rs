//! Claims and volumes.

use super::super::Health::{Degraded, Healthy, Progressing};
use super::super::case::Case;
use super::super::signal::Signal;

pub(super) fn claim<'a>(case: &Case<'a>) -> Signal<'a> {
    let phase = case.status_text("phase");
    let health = match phase {
        "Bound" => Healthy,
        "Lost" => Degraded,
        _ => Progressing,
    };
    Signal::key(health, "K08", "phase").reason(phase)
}

pub(super) fn volume<'a>(case: &Case<'a>) -> Signal<'a> {
    let phase = case.status_text("phase");
    let health = match phase {
        "Bound" | "Available" | "Released" => Healthy,
        "Failed" => Degraded,
        _ => Progressing,
    };
    Signal::key(health, "K08", "phase").reason(phase).message(case.status_text("message"))
}
