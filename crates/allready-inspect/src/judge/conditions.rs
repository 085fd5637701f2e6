//! One list of conditions, and what it comes to.

use super::Rule;
use crate::words::{
    Flat, List, Reading, Token, classify, is_broken, is_done, names_failure, state, tokens, word,
};
use std::cmp::Reverse;

use serde_json::Value;

use super::case::Case;
use super::generations::{is_behind, is_old_step, vouches};
use super::listed::{Listed, Said};
use super::reasons::{
    begins_with_failure, clue, denies, has_lost_contact, is_unwanted, repeats, tells_of_success, whole_reason,
};
use super::signal::{Place, Signal, Worst};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended, Unknown};
use crate::registry::{ConditionRole, Semantics};

/// The verdict of a list; nothing if it holds nothing that is understood.
pub(super) fn judge<'a>(case: &Case<'a>, list: &[Listed<'a>]) -> Option<Signal<'a>> {
    let mut all = Sorted { runs: case.kind.runs_to_completion, ..Sorted::default() };
    let voucher = list.iter().filter_map(|condition| vouches(case, *condition)).min();
    for condition in list {
        let semantics = case.kind.condition(condition.type_);
        if voucher.is_some_and(|rank| is_old_step(case, *condition, semantics, rank)) {
            continue;
        }
        if !semantics.is_declared && is_part_of_another(condition.type_, list) {
            continue;
        }
        if let Some(signal) = judge_one(case, *condition, semantics) {
            if signal.health == Healthy && !semantics.is_declared && is_beginning(condition.type_) {
                all.has_begun = true;
                continue;
            }
            all.add(semantics, signal);
        }
    }
    all.decide()
}

/// Tells whether this is about a part of what another condition is about: `PartiallyReady` beside `Ready`.
fn is_part_of_another(type_: &str, list: &[Listed<'_>]) -> bool {
    let flat = Flat::of(type_);
    let Some(rest) = flat.as_str().strip_prefix("partially") else { return false };
    list.iter().any(|other| Flat::of(other.type_).as_str() == rest)
}

/// The signals, by the role of their conditions.
#[derive(Default)]
struct Sorted<'a> {
    summaries: Vec<(u8, Signal<'a>)>,
    suspension: Worst<'a>,
    /// Dependents of which `True` is bad, and is so.
    broken: Worst<'a>,
    /// The activities.
    activity: Worst<'a>,
    is_active: bool,
    dependents: Vec<Signal<'a>>,
    finished: Option<Signal<'a>>,
    unbroken: Option<Signal<'a>>,
    /// Something says that it began.
    has_begun: bool,
    /// It runs to an end.
    runs: bool,
}

impl<'a> Sorted<'a> {
    fn add(&mut self, semantics: Semantics, signal: Signal<'a>) {
        let is_good = signal.health == Healthy;
        match semantics.role {
            ConditionRole::Summary => self.summaries.push((semantics.rank, signal)),
            ConditionRole::Suspension => self.suspension.add(signal),
            ConditionRole::Activity if is_good => {
                self.finished.get_or_insert(signal);
            }
            ConditionRole::Activity => {
                self.is_active |= signal.health == Progressing;
                self.activity.add(signal);
            }
            ConditionRole::Dependent if semantics.is_positive() => self.dependents.push(signal),
            ConditionRole::Dependent if is_good => {
                self.unbroken.get_or_insert(signal);
            }
            ConditionRole::Dependent => self.broken.add(signal),
            // The one thing that it can say is that it broke.
            ConditionRole::Informational => self.dependents.push(signal),
        }
    }

    fn decide(mut self) -> Option<Signal<'a>> {
        if self.suspension.0.is_some() {
            return self.suspension.0;
        }
        if self.broken.health() == Some(Degraded) {
            return self.broken.0;
        }
        // Of equal rank, in whatever order they were written, the worse one speaks first.
        self.summaries
            .sort_by_key(|(rank, one)| (*rank, Reverse(one.health.rank_of_told()), one.is_weak, one.rule));
        let mut summaries = std::mem::take(&mut self.summaries).into_iter().map(|(_, signal)| signal);
        match summaries.next() {
            Some(top) => Some(self.decide_by(top, summaries)),
            None => self.decide_without(),
        }
    }

    fn decide_by(self, top: Signal<'a>, others: impl Iterator<Item = Signal<'a>>) -> Signal<'a> {
        let mut top = top;
        let others: Vec<Signal<'a>> = others.filter(|one| !(top.health == Healthy && is_idle(one))).collect();
        if top.is_weak {
            // Another one names the cause.
            let mut named = Worst::default();
            let is_said = classify(&top.reason, Reading::Text) == Some(top.health);
            let is_cause = |one: &&Signal<'a>| one.health != Healthy && !one.is_weak;
            let is_as_bad = |one: &&Signal<'a>| !is_said || one.health >= top.health;
            let all = others.iter().chain(&self.dependents);
            named.extend(all.filter(is_cause).filter(is_as_bad).cloned());
            if let Some(named) = named.0 {
                top = named;
            }
        }
        if top.health == Degraded && top.is_weak && self.is_active {
            // It says itself that it is working on it.
            if let Some(active) = self.activity.0.as_ref().filter(|active| active.health == Progressing) {
                top = active.clone();
            }
        }
        if matches!(top.health, Degraded | Suspended) {
            return top;
        }
        let mut bad = Worst::default();
        // Whatever a run has been through, it is behind it once it succeeded.
        let is_over = self.runs && top.health == Healthy && tells_the_end(&top);
        let is_behind_it =
            |one: &Signal<'a>| is_over && one.health == Progressing && one.rule != Rule::ConditionBehind;
        let is_active = self.is_active;
        let yields = |one: &Signal<'a>| is_active && one.health == Degraded && one.is_weak;
        let all = others.into_iter().chain(self.dependents);
        let is_past = |one: &Signal<'a>| top.health == Healthy && is_past(one);
        bad.extend(
            all.filter(|one| one.health != Healthy && !yields(one) && !is_behind_it(one) && !is_past(one)),
        );
        bad.extend(self.activity.0.filter(|one| !is_behind_it(one)));
        match bad.0 {
            Some(worst) if top.health == Healthy => worst,
            // A broken dependent explains it better, unless all of it is about an older wish.
            Some(worst) if worst.health == Degraded && top.rule != Rule::ConditionBehind => worst,
            _ => top,
        }
    }

    fn decide_without(self) -> Option<Signal<'a>> {
        let mut worst = self.broken;
        worst.extend(self.activity.0);
        worst.extend(self.dependents.iter().filter(|one| one.health != Healthy).cloned());
        // That nothing broke is no news of what has but begun.
        let unbroken = self.unbroken.filter(|_| !self.has_begun);
        worst.0.or_else(|| self.dependents.into_iter().next()).or(self.finished).or(unbroken)
    }
}

/// Tells whether a summary is one of the end, and of nothing before it.
fn tells_the_end(signal: &Signal<'_>) -> bool {
    let Place::Condition(type_) = signal.place else { return false };
    matches!(Flat::of(type_).as_str(), "succeeded" | "successful" | "completed" | "complete" | "finished")
}

/// `Active` is False without a cause: there is nothing to do, which is no news beside a summary that is good.
fn is_idle(signal: &Signal<'_>) -> bool {
    matches!(signal.place, Place::Condition(type_) if Flat::of(type_).as_str() == "active") && signal.is_weak
}

/// `Created` is False without a word beside what is Ready: of states that exclude each other, one that is past.
fn is_past(signal: &Signal<'_>) -> bool {
    let Place::Condition(type_) = signal.place else { return false };
    let is_begin = matches!(Flat::of(type_).as_str(), "created" | "initialized");
    is_begin && signal.is_weak && signal.reason.is_empty() && signal.message.is_empty()
}

/// The signal of one condition; nothing if it has no opinion.
pub(super) fn judge_one<'a>(
    case: &Case<'a>,
    condition: Listed<'a>,
    semantics: Semantics,
) -> Option<Signal<'a>> {
    let said = condition.said();
    let is_counted = matches!(semantics.role, ConditionRole::Summary | ConditionRole::Dependent);
    let has_begun = said == Said::True && last_word_is(condition.type_, "started");
    // That it was begun stays true, whatever is wished since.
    if is_counted && !has_begun && is_behind(case, condition) {
        return Some(condition.signal(Progressing, Rule::ConditionBehind));
    }
    // Whatever its status says, its controller has found something; but what is declared to mean nothing means nothing.
    let is_ignored = semantics.role == ConditionRole::Informational && semantics.is_declared;
    if !is_ignored && !condition.errors().is_empty() {
        return Some(condition.signal(Degraded, Rule::ConditionErrors));
    }
    let reason = condition.reason();
    let hard = || classify(&reason, Reading::Hard);
    if semantics.role == ConditionRole::Informational {
        if let (Said::Other(other), false) = (said, semantics.is_declared) {
            return state(other, false).map(|health| condition.signal(health, Rule::StatusIrregular));
        }
        if semantics.is_declared || said != Said::False {
            return None;
        }
        let moves = whole_reason(&reason).filter(|health| *health == Progressing);
        let health = hard().filter(|health| *health == Degraded).or(moves);
        return health.map(|health| condition.signal(health, Rule::UnknownTypeFalse));
    }
    let severity = condition.map.get("severity").and_then(Value::as_str).unwrap_or_default();
    if severity.eq_ignore_ascii_case("info") && said != Said::True {
        // A part may be absent for no harm; the whole is not there yet.
        let is_summary = semantics.role == ConditionRole::Summary;
        return is_summary.then(|| condition.signal(Progressing, Rule::ConditionFalse));
    }
    match semantics.role {
        ConditionRole::Suspension => return suspension(condition, said, semantics, &reason),
        ConditionRole::Activity => {
            return activity(case, condition, said, &reason)
                .map(|health| condition.signal(health, Rule::ConditionActivity));
        }
        _ => {}
    }
    let is_positive = semantics.is_positive();
    let is_good = match said {
        Said::True => is_positive,
        Said::False => !is_positive,
        Said::Unknown if !is_positive => return None,
        Said::Unknown if has_lost_contact(&reason, &condition.message()) => {
            return Some(condition.signal(Degraded, Rule::ConditionUnknown));
        }
        Said::Unknown => {
            let health = hard().filter(|health| matches!(health, Degraded | Suspended));
            return Some(condition.signal(health.unwrap_or(semantics.on_unknown), Rule::ConditionUnknown));
        }
        Said::Other(other) => {
            return Some(condition.signal(state(other, false).unwrap_or(Unknown), Rule::StatusIrregular));
        }
    };
    if !is_good {
        return bad(case, condition, semantics, &reason);
    }
    if is_positive && names_failure(condition.type_, &reason) {
        return Some(condition.signal(Degraded, Rule::GoodWithFailureReason));
    }
    // Failure is False, and the message an error all the same.
    let is_denied = !is_positive && begins_with_failure(&condition.message());
    Some(if is_denied {
        condition.signal(Degraded, Rule::GoodWithFailureReason)
    } else {
        condition.signal(Healthy, Rule::ConditionGood)
    })
}

/// It rests; but what was stopped by a failure, or at the end, was not asked to.
fn suspension<'a>(
    condition: Listed<'a>,
    said: Said<'_>,
    semantics: Semantics,
    reason: &str,
) -> Option<Signal<'a>> {
    if said != Said::True {
        return None;
    }
    let is_open = !semantics.is_declared;
    let is_broken_word = |token: Token| is_broken(token.as_str(), word(token.as_str()));
    if is_open && (classify(reason, Reading::Hard) == Some(Degraded) || tokens(reason).any(is_broken_word)) {
        return Some(condition.signal(Degraded, Rule::GoodWithFailureReason));
    }
    (!(is_open && is_done(reason))).then(|| condition.signal(Suspended, Rule::ConditionSuspends))
}

/// Tells whether a type is about the beginning: that it is True says nothing of the end.
fn is_beginning(type_: &str) -> bool {
    tokens(type_).last().is_some_and(|last| List::BeginName.has(last.as_str()))
}

/// The activity that a condition tells of.
fn activity(case: &Case<'_>, condition: Listed<'_>, said: Said<'_>, reason: &str) -> Option<Health> {
    if let Some(health @ (Degraded | Suspended)) = classify(reason, Reading::Hard) {
        return Some(health);
    }
    let is_under_way = || {
        classify(reason, Reading::Text).or_else(|| classify(&condition.message(), Reading::Text))
            == Some(Progressing)
    };
    match said {
        Said::True if is_done(reason) || runs_on(case, condition, reason) => Some(Healthy),
        Said::True if tells_of_success(&condition.message()) => None,
        Said::True => Some(Progressing),
        // It is not under way, because what it needs is not there.
        Said::False if classify(reason, Reading::Text) == Some(Degraded) => Some(Degraded),
        Said::False if is_done(reason) => Some(Healthy),
        Said::Unknown if is_under_way() => Some(Progressing),
        Said::Other(other) => state(other, true).filter(|health| *health != Healthy),
        _ => None,
    }
}

/// Tells whether `Running` says that what is to run for ever does: not a job, and not its controller at work.
fn runs_on(case: &Case<'_>, condition: Listed<'_>, reason: &str) -> bool {
    let is_controller_at_work = |text: &str| tokens(text).any(|token| token.as_str().starts_with("reconcil"));
    Flat::of(condition.type_).as_str() == "running"
        && !case.kind.runs_to_completion
        && !is_controller_at_work(reason)
        && !is_controller_at_work(&condition.message())
}

/// The signal of a bad status.
fn bad<'a>(case: &Case<'a>, condition: Listed<'a>, semantics: Semantics, reason: &str) -> Option<Signal<'a>> {
    let type_ = condition.type_;
    let is_positive = semantics.is_positive();
    let message = condition.message();
    let mut is_assumed = false;
    // What is declared to be under way can break on the way.
    let on_bad = semantics
        .on_bad
        .filter(|health| *health != Progressing || classify(reason, Reading::Hard) != Some(Degraded));
    let declared = case.kind.reason(type_, reason).or(on_bad);
    if declared.is_none() && semantics.role == ConditionRole::Dependent && is_unwanted(reason) {
        return None;
    }
    let mut health = match declared {
        Some(declared) => declared,
        None if !is_positive => match classify(reason, Reading::Text) {
            Some(Suspended) => Suspended,
            _ => Degraded,
        },
        None => match clue(case, reason, &message, type_) {
            // It was judged, not awaited, unless it says so.
            Some(Progressing) if last_word_is(type_, "healthy") && !is_waiting(reason) => Degraded,
            Some(health) => health,
            // Running is False because it ran: Completed. The whole cannot be excused so.
            None if is_done(reason) && !repeats(reason, type_) => match semantics.role {
                ConditionRole::Summary => Progressing,
                _ => return None,
            },
            None => {
                is_assumed = true;
                let is_silent = (reason.is_empty() || denies(reason, type_)) && message.is_empty();
                if is_silent && is_awaited(type_) { Progressing } else { Degraded }
            }
        },
    };
    if health == Degraded && is_young(case, condition, semantics) {
        health = Progressing;
    }
    let is_hard = |text: &str| classify(text, Reading::Hard) == Some(Degraded);
    let mut signal =
        condition.signal(health, if is_positive { Rule::ConditionFalse } else { Rule::ConditionAbnormal });
    signal.is_weak = is_assumed
        || health == Progressing && !is_positive
        || health == Degraded && is_positive && !is_hard(reason) && !is_hard(&message);
    Some(signal)
}

/// Tells whether it is so recent that it is still taken to be under way.
fn is_young(case: &Case<'_>, condition: Listed<'_>, semantics: Semantics) -> bool {
    let Some(grace) = semantics.grace else { return false };
    let Some(since) = condition.since_when(case.now) else { return false };
    case.now.as_second().saturating_sub(since.as_second()) < i64::from(grace)
}

/// Tells whether a type is one that is awaited, where others are decided.
fn is_awaited(type_: &str) -> bool {
    let name = type_.rsplit('/').next().unwrap_or(type_);
    tokens(name).last().is_some_and(|token| List::Awaited.has(token.as_str()))
}

/// `WaitingForNodeRef`.
fn is_waiting(reason: &str) -> bool {
    tokens(reason).next().is_some_and(|first| matches!(first.as_str(), "waiting" | "awaiting"))
}

fn last_word_is(type_: &str, expected: &str) -> bool {
    tokens(type_).last().is_some_and(|token| token.as_str() == expected)
}
