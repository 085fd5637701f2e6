//! Jobs, once and by the clock.

use super::super::case::{Case, is_truthy};
use super::super::listed::Said;
use super::super::signal::Signal;
use super::super::silence::missed_run;
use super::conditions;
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended};
use crate::judge::Rule;

pub(super) fn job<'a>(case: &Case<'a>) -> Signal<'a> {
    let mut suspended = None;
    let mut complete = None;
    let mut ending = None;
    for condition in conditions(case) {
        if condition.said() != Said::True {
            continue;
        }
        match condition.type_ {
            "Failed" | "FailureTarget" => return condition.signal(Degraded, Rule::RunsToCompletion),
            "Complete" => complete = Some(condition.signal(Healthy, Rule::RunsToCompletion)),
            "Suspended" => suspended = Some(condition.signal(Suspended, Rule::RunsToCompletion)),
            // Enough has succeeded; the Pods that are left are being ended.
            "SuccessCriteriaMet" => ending = Some(condition.signal(Progressing, Rule::RunsToCompletion)),
            _ => {}
        }
    }
    if let Some(ended) = suspended.or(complete).or(ending) {
        return ended;
    }
    if case.spec("suspend").is_some_and(is_truthy) {
        return Signal::at(Suspended, Rule::SuspendedInSpec, "spec.suspend").reason("Suspended");
    }
    let (active, failed) = (case.count("active"), case.count("failed"));
    let signal = Signal::key(Progressing, Rule::RunsToCompletion, "active");
    signal.message(if failed > 0 {
        format!("{active} active, {failed} failed")
    } else {
        format!("{active} active")
    })
}

pub(super) fn cron_job<'a>(case: &Case<'a>) -> Signal<'a> {
    if case.spec("suspend").is_some_and(is_truthy) {
        return Signal::at(Suspended, Rule::SuspendedInSpec, "spec.suspend").reason("Suspended");
    }
    missed_run(case, Rule::CronJob).or_else(|| no_success(case)).unwrap_or_else(|| {
        let last = case.status_text("lastScheduleTime");
        let since = (!last.is_empty()).then_some(last);
        if since.is_some() {
            return Signal::key(Healthy, Rule::CronJob, "lastScheduleTime").reason("Scheduled").since(since);
        }
        Signal::at(Healthy, Rule::CronJob, "spec.schedule")
            .reason("Scheduled")
            .message("has not been due yet")
    })
}

/// The signal of a `CronJob` that has run, is not running, and never succeeded. A manifest may be of a version of Kubernetes that did not
/// tell when a run succeeds.
fn no_success<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let started = case.status("lastScheduleTime")?.as_str().filter(|time| !time.is_empty())?;
    let has_other =
        ["lastSuccessfulTime", "active"].iter().any(|key| case.status(key).is_some_and(is_truthy));
    let signal =
        Signal::at(Degraded, Rule::CronJob, "status.lastSuccessfulTime").reason("LastRunNotSuccessful");
    (case.is_stored() && !has_other).then(|| signal.message("no run has succeeded").since(Some(started)))
}
