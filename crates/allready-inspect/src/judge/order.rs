//! The order of the rules: the first that decides wins, and among signals the worst.

use super::Rule;
use crate::view::{View, number};
use crate::words::{Flat, List};
use serde_json::{Map, Value};

use super::case::{Case, behind};
use super::conditions;
use super::listed::{Listed, Said, read};
use super::signal::{Place, Signal, Worst, instant};
use super::silence::{is_bookkeeping, is_silent};
use super::{Lag, Verdict, builtin, generations, named, nested, notes, numbers, purpose, silence, states};
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended, Unknown};
use crate::registry::{ConditionRole, Registry, path::is_empty};
use allready_core::Time;

pub(super) fn judge(object: &Value, registry: &Registry, now: Time) -> Verdict {
    let view = View::new(object);
    if view.kind.is_empty() {
        return Signal::at(Unknown, Rule::NotAnObject, "kind")
            .reason("NotAnObject")
            .into_verdict(&view, None);
    }
    let kind = registry.kind(view.group, view.kind);
    let case = Case::new(View::new(object), &kind, now);
    let mut signal = decide(&case);
    if signal.health == Healthy && case.is_spent() {
        signal = Signal::at(Unknown, Rule::TooLarge, "status")
            .reason("TooMuchToRead")
            .message("the status is too large to be read in full, so that nothing can be said for it");
    }
    if signal.health == Healthy && kind.declared().is_unreadable {
        signal = Signal::new(Unknown, Rule::DeclarationUnreadable, signal.place).reason("DeclarationUnreadable").message(
            "what its definition declares in the annotation allready.dev/conditions cannot be read, so that what looks \
             good may not be",
        );
    }
    if signal.health > Suspended && signal.since.is_none() {
        signal.since = unwell_since(&case);
    }
    let lag = case.lag().or_else(|| lag_of(&case, &signal));
    signal.into_verdict(&case.view, lag)
}

/// Since when the condition that speaks for the object has not been good, or else the status has changed: a field that decides does not
/// say since when it has.
fn unwell_since<'a>(case: &Case<'a>) -> Option<&'a str> {
    let list = read(case, case.status("conditions"));
    let unwell = list.iter().filter(|condition| condition.said() != Said::True);
    let summaries = unwell.filter_map(|condition| {
        let meaning = case.kind.condition(condition.type_);
        (meaning.role == ConditionRole::Summary).then_some((meaning.rank, condition))
    });
    summaries
        .min_by_key(|(rank, _)| *rank)
        .and_then(|(_, condition)| condition.since())
        .or_else(|| changed(case))
}

/// When the status says that its state changed: `lastTransitionTime`, `phaseTransitionTime`, the latest of several.
fn changed<'a>(case: &Case<'a>) -> Option<&'a str> {
    let is_change = |key: &str| key.contains("ransition");
    let times = case.status?.iter().filter_map(|(key, value)| value.as_str().filter(|_| is_change(key)));
    times.max_by_key(|time| instant(time))
}

/// How far the deciding condition itself is behind.
fn lag_of(case: &Case<'_>, signal: &Signal<'_>) -> Option<Lag> {
    let Place::Condition(type_) = signal.place else { return None };
    let entries = case.status("conditions")?.as_array()?;
    let condition = entries.iter().find(|entry| entry.get("type").and_then(Value::as_str) == Some(type_))?;
    let observed = condition.get("observedGeneration").and_then(number)?;
    let generation = case.generation?;
    (observed < generation).then_some(Lag { observed, generation })
}

fn decide<'a>(case: &Case<'a>) -> Signal<'a> {
    if let Some(leaving) = leaving(case) {
        return stuck(case, &leaving).unwrap_or(leaving);
    }
    let mut signal = decide_staying(case);
    if signal.health == Healthy && case.kind.builtin().is_none() {
        signal = notes::failure(case).unwrap_or(signal);
    }
    signal
}

/// How long a deletion may take, in seconds, before what is broken is taken to hold it.
const LEAVING: i64 = 3600;

/// It has been leaving for long, and its status names what is broken: that is not how things look while they are taken away.
fn stuck<'a>(case: &Case<'a>, leaving: &Signal<'a>) -> Option<Signal<'a>> {
    let since = leaving.since.and_then(instant)?;
    if case.now.as_second().saturating_sub(since.as_second()) < LEAVING {
        return None;
    }
    // The deletion itself is a new generation, which few controllers note down.
    let mut staying = Case::new(case.view.clone(), case.kind, case.now);
    staying.generation = None;
    let broken = decide_staying(&staying);
    let is_named = broken.health == Degraded && !broken.is_weak;
    is_named.then_some(Signal { rule: Rule::DeletionStuck, since: leaving.since, ..broken })
}

fn decide_staying<'a>(case: &Case<'a>) -> Signal<'a> {
    if let Some(kind) = case.kind.builtin() {
        return builtin::judge(case, kind);
    }
    if let Some(rests) = purpose::judge(case) {
        return rests;
    }
    if let Some(scheduled) = silence::timetable(case) {
        return scheduled;
    }
    if let Some(health) = case.kind.declared().always {
        return Signal::at(health, Rule::NoStatusByDesign, "").reason("Declared");
    }
    let status = match case.status {
        Some(status) if !is_silent(case) => status,
        _ => return silence::no_status(case),
    };
    if let Some(behind) = case.lagging().or_else(|| declared_lag(case)) {
        return behind;
    }
    let has_conditions = case.kind.declared().ignore_conditions != Some(true);
    let list = if has_conditions { read(case, status.get("conditions")) } else { Vec::new() };
    if case.kind.declared().ends_by_condition == Some(true) {
        return end(&list);
    }
    by_signals(case, status, &list)
}

/// Somebody deletes it: whatever the status still says, it is leaving.
fn leaving<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let metadata = case.metadata?;
    let deleted = metadata.get("deletionTimestamp").filter(|value| super::case::is_truthy(value))?;
    let finalizers = metadata.get("finalizers").and_then(Value::as_array);
    let names: Vec<&str> = finalizers.into_iter().flatten().filter_map(Value::as_str).take(20).collect();
    let signal = Signal::at(Progressing, Rule::Deleting, "metadata.deletionTimestamp").reason("Terminating");
    Some(signal.message(names.join(", ")).since(deleted.as_str()))
}

fn declared_lag<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    case.kind.generations.iter().find_map(|(observed_at, wanted_at)| {
        let observed = number(observed_at.of(case.object)?)?;
        let wanted = number(wanted_at.of(case.object)?)?;
        (observed < wanted).then(|| behind(Place::Path(observed_at.steps()), observed, wanted))
    })
}

/// How something ended that ends by a condition; it is under way until then.
fn end<'a>(list: &[Listed<'a>]) -> Signal<'a> {
    let mut worst = Worst::default();
    let broken = list.iter().filter(|condition| !condition.errors().is_empty());
    worst.extend(broken.map(|condition| condition.signal(Degraded, Rule::ConditionErrors)));
    for condition in list.iter().filter(|condition| condition.said() == Said::True) {
        let health = match Flat::of(condition.type_).as_str() {
            "complete" | "completed" | "succeeded" => Healthy,
            "failed" => Degraded,
            "suspended" | "stopped" => Suspended,
            _ => continue,
        };
        worst.add(condition.signal(health, Rule::RunsToCompletion));
    }
    worst.0.unwrap_or_else(|| {
        Signal::at(Progressing, Rule::RunsToCompletion, "status.conditions").reason("NotFinished")
    })
}

fn by_signals<'a>(case: &Case<'a>, status: &'a Map<String, Value>, list: &[Listed<'a>]) -> Signal<'a> {
    let declared = case.kind.declared();
    let mut by_conditions = conditions::judge(case, list);
    if let Some(stale) = by_conditions.take_if(|signal| signal.rule == Rule::ConditionBehind) {
        // A stale verdict hides all the rest.
        return stale;
    }
    let speaks = by_conditions.is_some();
    let words = states::top(case);
    let nested = if declared.ignore_nested == Some(true) {
        None
    } else {
        nested::judge(case, || speaks || words.worst.0.is_some())
    };
    if words.is_under_way || words.worst.health() == Some(Suspended) {
        // The field says that it is still under way, or rests, and nothing says that it broke.
        by_conditions = by_conditions.filter(|signal| !(signal.health == Degraded && signal.is_weak));
    }
    let is_over = ended_well(case, &words);
    if is_over {
        // What was under way before was a step on the way.
        by_conditions = by_conditions
            .filter(|signal| signal.rule != Rule::ConditionActivity || signal.health != Progressing);
    }
    let mut worst = Worst::default();
    worst.extend(by_conditions);
    worst.extend(nested);
    worst.extend(words.worst.0);
    if worst.is_fine() && lacks_summary(case, list) {
        let types = declared.requires.as_deref().unwrap_or_default().join(" or ");
        return Signal::at(Progressing, Rule::SummaryMissing, "status.conditions")
            .reason("SummaryMissing")
            .message(types);
    }
    if worst.is_fine() && worst.0.is_some() {
        worst.extend(named::unanswered(case));
        worst.extend(generations::behind_below(case));
    }
    add_facts(case, status, &mut worst);
    if worst.is_open() && states::has_part_news(case, list) {
        // While the whole is being worked on, a part that is not in step is what is worked on.
        // What is over left what it worked on running, or in its last step.
        let is_known = |item: &Signal<'a>| {
            !(words.is_under_way && states::is_apart(&item.reason)
                || is_over && item.health == Progressing
                || item.health == Healthy && case.kind.has_own_words())
        };
        worst.extend(states::items(case).0.filter(is_known));
    }
    finish(case, status, list, speaks, worst)
}

/// Whether something that runs to an end says in so many words that it came to a good one.
fn ended_well(case: &Case<'_>, words: &states::Top<'_>) -> bool {
    let is_end = |signal: &Signal<'_>| {
        let Place::Key(key) = signal.place else { return false };
        // Ready or Active may be said before it began.
        signal.health == Healthy
            && matches!(Flat::of(key).as_str(), "phase" | "state" | "result" | "outcome")
            && List::RunSucceeded.has(Flat::of(&signal.reason).as_str())
    };
    case.kind.runs_to_completion && words.worst.0.as_ref().is_some_and(is_end)
}

fn lacks_summary(case: &Case<'_>, list: &[Listed<'_>]) -> bool {
    let is_managed =
        case.spec.is_some_and(|spec| spec.keys().any(|key| List::ManagedSpec.has(Flat::of(key).as_str())));
    if is_managed && case.kind.declared().requires.is_none() {
        // What is managed for a provider is Synced when it was asked for, and Ready when it is there.
        return !list.iter().any(|one| one.type_ == "Ready");
    }
    let Some(required) = case.kind.declared().requires.as_deref().filter(|types| !types.is_empty()) else {
        return false;
    };
    let is_there = list.iter().any(|one| required.iter().any(|type_| type_ == one.type_));
    !is_there && !nested::has_any(case, required)
}

/// Booleans, error texts and numbers.
fn add_facts<'a>(case: &Case<'a>, status: &'a Map<String, Value>, worst: &mut Worst<'a>) {
    if worst.is_open() {
        let is_fine = worst.is_fine();
        states::facts(status, false, &mut |signal| {
            if is_fine || signal.rule != Rule::Boolean {
                worst.add(states::explained(status, signal));
            }
        });
    }
    if worst.is_fine() {
        worst.extend(numbers::by_name(case));
    }
    numbers::declared(case, worst);
}

fn finish<'a>(
    case: &Case<'a>,
    status: &'a Map<String, Value>,
    list: &[Listed<'a>],
    speaks: bool,
    worst: Worst<'a>,
) -> Signal<'a> {
    let is_unheard = !list.is_empty() && !speaks;
    if let Some(worst) = worst.0 {
        if purpose::is_scaled_to_zero(case, &worst) {
            return Signal::at(Suspended, Rule::ScaledToZero, "spec.replicas").reason("ScaledToZero");
        }
        // Good news of a part is none of the whole while its conditions are not understood.
        let is_of_a_part = worst.health == Healthy && worst.rule == Rule::PartState;
        if !(is_unheard && is_of_a_part) {
            return worst;
        }
    }
    if let Some(sign) = case.kind.healthy_if.iter().find(|test| test.holds(case.object)) {
        return Signal::declared(Healthy, Rule::DeclaredSign, &sign.path).reason("DeclaredSign");
    }
    if let Some(said) = silence::message(case, status).filter(|_| !is_unheard) {
        return said;
    }
    if is_unheard || status.get("conditions").is_some_and(is_empty) {
        return Signal::at(Progressing, Rule::NoSummaryYet, "status.conditions").reason("NoSummaryYet");
    }
    if status.iter().all(|(key, value)| is_bookkeeping(key, value)) {
        return Signal::at(Progressing, Rule::NoVerdictYet, "status")
            .reason("NoVerdictYet")
            .since(case.created());
    }
    if case.kind.runs_to_completion && silence::has_only_begun(status) {
        return Signal::at(Progressing, Rule::NoVerdictYet, "status").reason("NoEndYet");
    }
    let bad_news = passed_over(case).filter(|signal| signal.health != Healthy);
    bad_news.unwrap_or_else(|| Signal::at(Unknown, Rule::NotUnderstood, "status").reason("NotUnderstood"))
}

/// What is declared to say nothing of the whole: where nothing else is known, bad news of a part is better than none.
fn passed_over<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let declared = case.kind.declared();
    let mut worst = Worst::default();
    if declared.ignore_nested == Some(true) {
        worst.extend(nested::judge(case, || true));
    }
    if declared.skip_items.is_some() {
        worst.extend(states::items(case).0);
    }
    worst.0
}
