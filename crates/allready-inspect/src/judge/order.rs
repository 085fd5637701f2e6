//! The order of the rules: the first step that decides wins, and among signals the worst.

use super::Rule;
use crate::view::{View, number};
use crate::words::{Flat, List, is_done};
use serde_json::Value;

use super::case::{Case, behind};
use super::conditions;
use super::listed::{Listed, Said, read};
use super::signal::{Place, Signal, Worst, instant};
use super::silence::is_bookkeeping;
use super::{
    Lag, Verdict, builtin, deletion, generations, named, nested, notes, numbers, purpose, silence, states,
};
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended, Unknown};
use crate::registry::{ConditionRole, Registry, path::is_empty};
use allready_core::Time;

/// A step, and the rules by which it decides.
type Step<F> = (&'static [Rule], F);
type Decide = for<'a> fn(&Case<'a>) -> Option<Signal<'a>>;
type Add = for<'a> fn(&Case<'a>, &Evidence<'a>, &mut Worst<'a>);
type Doubt = for<'a> fn(&Case<'a>, &Signal<'a>) -> Option<Signal<'a>>;

/// The steps by which an object is judged, from top to bottom: the first that has something to say decides.
pub(super) const STEPS: &[Step<Decide>] = &[
    (&[Rule::Deleting, Rule::DeletionStuck], deletion::judge),
    (BUILTIN, builtin::judge),
    (&[Rule::SuspendedInSpec, Rule::SuspendedByAnnotation], purpose::judge),
    (&[Rule::Schedule], silence::timetable),
    (&[Rule::NoStatusByDesign, Rule::NoStatusYet], silence::no_status),
    (&[Rule::GenerationBehind], generation_behind),
    (&[Rule::RunsToCompletion], end),
    (&[Rule::ConditionBehind], condition_behind),
    (&[Rule::SummaryMissing], summary_missing),
    (EVIDENCE, worst_of_all),
    (&[Rule::DeclaredSign], declared_sign),
    (&[Rule::MessageOnly], silence::message),
    (&[Rule::ScaledToZero], nothing_wanted),
    (&[Rule::NoSummaryYet], no_summary_yet),
    (&[Rule::NoVerdictYet], no_verdict_yet),
    (&[], passed_over),
    (&[Rule::NotUnderstood], |_| Some(not_understood())),
];

const BUILTIN: &[Rule] = &[
    Rule::Pod,
    Rule::Deployment,
    Rule::ReplicaSet,
    Rule::StatefulSet,
    Rule::DaemonSet,
    Rule::Outage,
    Rule::Stalled,
    Rule::CronJob,
    Rule::Volume,
    Rule::Service,
    Rule::Ingress,
    Rule::Autoscaler,
    Rule::CustomResourceDefinition,
    Rule::DisruptionBudget,
    Rule::Node,
    Rule::Namespace,
];

/// The rules of [`Evidence`], by which most objects are judged, and what excuses the worst of it.
const EVIDENCE: &[Rule] = &[
    Rule::ConditionGood,
    Rule::ConditionFalse,
    Rule::ConditionSuspends,
    Rule::ConditionAbnormal,
    Rule::ConditionActivity,
    Rule::GoodWithFailureReason,
    Rule::ConditionUnknown,
    Rule::StatusIrregular,
    Rule::UnknownTypeFalse,
    Rule::ConditionErrors,
    Rule::StateWord,
    Rule::StepState,
    Rule::ScaledToZero,
];

/// The signals of [`worst_of_all`] beside those of [`Evidence`], in the order in which they are added: of equals the first is told.
pub(super) const SIGNALS: &[Step<Add>] = &[
    (&[Rule::EntryMissing, Rule::PartBehind], parts_left_out),
    (&[Rule::Boolean, Rule::ErrorText, Rule::FailureList, Rule::ErrorCounter], facts),
    (&[Rule::Count, Rule::Fraction, Rule::Percentage, Rule::Partitioned], counts),
    (&[Rule::Count, Rule::Differs, Rule::Absent], |case, _, worst| numbers::declared(case, worst)),
    (&[Rule::PartState], items),
];

/// The steps that look again at an object that comes out well.
pub(super) const DOUBTS: &[Step<Doubt>] = &[
    (&[Rule::FailureLabel], |case, _| case.kind.builtin().is_none().then(|| notes::failure(case)).flatten()),
    (&[Rule::TooLarge], too_large),
    (&[Rule::DeclarationUnreadable], declaration_unreadable),
];

pub(super) fn judge(object: &Value, registry: &Registry, now: Time) -> Verdict {
    let view = View::new(object);
    if view.kind.is_empty() {
        let signal = Signal::at(Unknown, Rule::NotAnObject, "kind").reason("NotAnObject");
        return signal.into_verdict(&view, None);
    }
    let kind = registry.kind(view.group, view.kind);
    let case = Case::new(view, &kind, now);
    let mut signal = decide(&case);
    for (_, doubt) in DOUBTS {
        if signal.health == Healthy {
            signal = doubt(&case, &signal).unwrap_or(signal);
        }
    }
    if signal.health > Suspended && signal.since.is_none() {
        signal.since = unwell_since(&case);
    }
    let lag = case.lag().or_else(|| lag_of(&case, &signal));
    signal.into_verdict(&case.view, lag)
}

pub(super) fn decide<'a>(case: &Case<'a>) -> Signal<'a> {
    STEPS.iter().find_map(|(_, step)| step(case)).unwrap_or_else(not_understood)
}

fn too_large<'a>(case: &Case<'a>, _: &Signal<'a>) -> Option<Signal<'a>> {
    let message = "the status is too large to be read in full, so that nothing can be said for it";
    let signal = Signal::at(Unknown, Rule::TooLarge, "status").reason("TooMuchToRead").message(message);
    case.is_spent().then_some(signal)
}

fn declaration_unreadable<'a>(case: &Case<'a>, good: &Signal<'a>) -> Option<Signal<'a>> {
    let message = "what its definition declares in the annotation allready.dev/conditions cannot be read, so that what looks \
                   good may not be";
    let signal = Signal::new(Unknown, Rule::DeclarationUnreadable, good.place.clone());
    case.kind.declared().is_unreadable.then(|| signal.reason("DeclarationUnreadable").message(message))
}

/// The time since when the condition that speaks for the object has not been good, or else the status has changed: a field that decides does not
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

/// The time at which the status says that its state changed: `lastTransitionTime`, `phaseTransitionTime`, the latest of several.
fn changed<'a>(case: &Case<'a>) -> Option<&'a str> {
    let is_change = |key: &str| key.contains("ransition");
    let times = case.status?.iter().filter_map(|(key, value)| value.as_str().filter(|_| is_change(key)));
    times.max_by_key(|time| instant(time))
}

/// The lag of the deciding condition itself.
fn lag_of(case: &Case<'_>, signal: &Signal<'_>) -> Option<Lag> {
    let Place::Condition(type_) = signal.place else { return None };
    let entries = case.status("conditions")?.as_array()?;
    let condition = entries.iter().find(|entry| entry.get("type").and_then(Value::as_str) == Some(type_))?;
    let observed = condition.get("observedGeneration").and_then(number)?;
    let generation = case.generation?;
    (observed < generation).then_some(Lag { observed, generation })
}

fn generation_behind<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    case.lagging().or_else(|| declared_lag(case))
}

fn declared_lag<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    case.kind.generations.iter().find_map(|(observed_at, wanted_at)| {
        let observed = number(observed_at.of(case.object)?)?;
        let wanted = number(wanted_at.of(case.object)?)?;
        (observed < wanted).then(|| behind(Place::Path(observed_at.steps()), observed, wanted))
    })
}

/// The end of something that ends by a condition; it is under way until then.
fn end<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    if case.kind.declared().ends_by_condition != Some(true) {
        return None;
    }
    let list = &case.evidence().list;
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
    let unfinished =
        || Signal::at(Progressing, Rule::RunsToCompletion, "status.conditions").reason("NotFinished");
    Some(worst.0.unwrap_or_else(unfinished))
}

/// The evidence of an object in the places where most objects say it: conditions, also of its parts, and words in fields.
pub(super) struct Evidence<'a> {
    list: Vec<Listed<'a>>,
    by_conditions: Option<Signal<'a>>,
    is_under_way: bool,
    /// Set if something that runs to an end says in so many words that it came to a good one.
    is_over: bool,
    worst: Worst<'a>,
}

impl<'a> Evidence<'a> {
    pub(super) fn read(case: &Case<'a>) -> Self {
        let declared = case.kind.declared();
        let conditions = case.status("conditions").filter(|_| declared.ignore_conditions != Some(true));
        let list = read(case, conditions);
        let by_conditions = conditions::judge(case, &list);
        let words = states::top(case);
        let speaks = by_conditions.is_some() || words.worst.0.is_some();
        let is_over = ended_well(case, &words);
        let is_believed = |signal: &Signal<'a>| {
            // The field says that it is still under way, or rests, and nothing says that it broke.
            let yields = words.is_under_way || words.worst.health() == Some(Suspended);
            // What was under way before the end was a step on the way.
            let is_step = is_over && signal.rule == Rule::ConditionActivity && signal.health == Progressing;
            // Ready is False because it succeeded, as the field says too.
            let is_after = signal.rule == Rule::ConditionFalse
                && signal.health == Progressing
                && is_done(&signal.reason)
                && words.worst.0.as_ref().is_some_and(is_success);
            !(is_step || is_after || yields && signal.health == Degraded && signal.is_weak)
        };
        let mut worst = Worst::default();
        worst.extend(by_conditions.clone().filter(is_believed));
        if declared.ignore_nested != Some(true) {
            worst.extend(nested::judge(case, || speaks));
        }
        // What runs for ever may tell of it as of a job: `jobStatus: running`.
        let is_well = by_conditions.as_ref().is_some_and(|signal| signal.health == Healthy);
        let runs_on = |signal: &Signal<'a>| {
            is_well && !case.kind.runs_to_completion && Flat::of(&signal.reason).as_str() == "running"
        };
        worst.extend(words.worst.0.filter(|signal| !runs_on(signal)));
        Self { list, by_conditions, is_under_way: words.is_under_way, is_over, worst }
    }

    /// There are conditions, and none of them is understood.
    pub(super) fn is_unheard(&self) -> bool {
        !self.list.is_empty() && self.by_conditions.is_none()
    }
}

/// A stale verdict hides all the rest.
fn condition_behind<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    case.evidence().by_conditions.clone().filter(|signal| signal.rule == Rule::ConditionBehind)
}

fn summary_missing<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let evidence = case.evidence();
    if !evidence.worst.is_fine() || !lacks_summary(case, &evidence.list) {
        return None;
    }
    let types = case.kind.declared().requires.as_deref().unwrap_or_default().join(" or ");
    let signal = Signal::at(Progressing, Rule::SummaryMissing, "status.conditions");
    Some(signal.reason("SummaryMissing").message(types))
}

/// The worst of all signals.
fn worst_of_all<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let evidence = case.evidence();
    let mut worst = evidence.worst.clone();
    for (_, add) in SIGNALS {
        add(case, evidence, &mut worst);
    }
    let worst = worst.0?;
    if purpose::is_scaled_to_zero(case, &worst) {
        return purpose::scaled_to_zero(case);
    }
    // Good news of a part is none of the whole while its conditions are not understood.
    let is_of_a_part = worst.health == Healthy && worst.rule == Rule::PartState;
    (!(evidence.is_unheard() && is_of_a_part)).then_some(worst)
}

fn parts_left_out<'a>(case: &Case<'a>, _: &Evidence<'a>, worst: &mut Worst<'a>) {
    if worst.health() == Some(Healthy) {
        worst.extend(named::unanswered(case));
        worst.extend(generations::behind_below(case));
    }
}

fn facts<'a>(case: &Case<'a>, evidence: &Evidence<'a>, worst: &mut Worst<'a>) {
    let Some(status) = case.status.filter(|_| worst.is_open()) else { return };
    let is_fine = worst.is_fine();
    // What is well may have nothing to do at the moment.
    let speaks = evidence.by_conditions.is_some();
    let is_idle = |signal: &Signal<'a>| speaks && matches!(signal.place, Place::Key("active"));
    states::facts(status, false, &mut |signal| {
        if (is_fine && !is_idle(&signal)) || signal.rule != Rule::Boolean {
            worst.add(states::explained(status, signal));
        }
    });
}

fn counts<'a>(case: &Case<'a>, _: &Evidence<'a>, worst: &mut Worst<'a>) {
    if worst.is_fine() {
        worst.extend(numbers::by_name(case));
    }
}

fn items<'a>(case: &Case<'a>, evidence: &Evidence<'a>, worst: &mut Worst<'a>) {
    if worst.is_open() && states::has_part_news(case, &evidence.list) {
        // While the whole is being worked on, a part that is not in step is what is worked on.
        // What is over left what it worked on running, or in its last step.
        let is_known = |item: &Signal<'a>| {
            !(evidence.is_under_way && (states::is_apart(&item.reason) || states::is_down(&item.reason))
                || evidence.is_over && item.health == Progressing
                || item.health == Healthy && case.kind.has_own_words())
        };
        worst.extend(states::items(case).0.filter(is_known));
    }
}

/// Tells whether something that runs to an end says in so many words that it came to a good one.
fn ended_well(case: &Case<'_>, words: &states::Top<'_>) -> bool {
    case.kind.runs_to_completion && words.worst.0.as_ref().is_some_and(is_success)
}

/// A field that says in so many words that it came to a good end; Ready or Active may be said before it began.
fn is_success(signal: &Signal<'_>) -> bool {
    let Place::Key(key) = signal.place else { return false };
    signal.health == Healthy
        && matches!(Flat::of(key).as_str(), "phase" | "state" | "result" | "outcome")
        && List::RunSucceeded.has(Flat::of(&signal.reason).as_str())
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

fn declared_sign<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let sign = case.kind.healthy_if.iter().find(|test| test.holds(case.object))?;
    Some(Signal::declared(Healthy, Rule::DeclaredSign, &sign.path).reason("DeclaredSign"))
}

fn no_summary_yet<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let is_none_yet = case.evidence().is_unheard() || case.status("conditions").is_some_and(is_empty);
    let signal = Signal::at(Progressing, Rule::NoSummaryYet, "status.conditions").reason("NoSummaryYet");
    is_none_yet.then_some(signal)
}

fn no_verdict_yet<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let status = case.status?;
    let none_yet =
        |reason: &'static str| Signal::at(Progressing, Rule::NoVerdictYet, "status").reason(reason);
    if status.iter().all(|(key, value)| is_bookkeeping(key, value)) {
        return Some(none_yet("NoVerdictYet").since(case.created()));
    }
    (case.kind.runs_to_completion && silence::has_only_begun(status)).then(|| none_yet("NoEndYet"))
}

/// No replicas are wanted, and nothing else is known.
fn nothing_wanted<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    purpose::scaled_to_zero(case).filter(|_| passed_over(case).is_none())
}

/// The parts that are declared to say nothing of the whole: where nothing else is known, bad news of a part is better than none.
fn passed_over<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let declared = case.kind.declared();
    let mut worst = Worst::default();
    if declared.ignore_nested == Some(true) {
        worst.extend(nested::judge(case, || true));
    }
    if declared.skip_items.is_some() {
        worst.extend(states::items(case).0);
    }
    worst.0.filter(|signal| signal.health != Healthy)
}

fn not_understood<'a>() -> Signal<'a> {
    Signal::at(Unknown, Rule::NotUnderstood, "status").reason("NotUnderstood")
}
