//! Numbers that must reach others: by pairs of names, as "2/3" or "60%", and as declared.

use super::Rule;
use crate::view::{Path, Step, item, number};
use crate::words::{Flat, List, tokens};
use serde_json::{Map, Value};

use super::case::{Case, ITEM, is_truthy};
use super::signal::{Place, Signal, Worst};
use super::states::is_skipped;
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended};

/// The signal of pairs of numbers, found by their names.
pub(super) fn by_name<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let status = case.status?;
    let numbers = named(status);
    let wishes = if numbers.is_empty() { None } else { case.spec.map(named) }.unwrap_or_default();
    let mut fine: Option<Signal<'a>> = None;
    let mut held: Option<Signal<'a>> = None;
    for (flat, key, have) in &numbers {
        let name = flat.as_str();
        if name.starts_with("readytouse") {
            continue;
        }
        if let Some(lack) = lack(case, key).filter(|_| *have > 0) {
            return Some(Signal::key(lack, Rule::Count, key).message(have.to_string()));
        }
        let before = List::Have.words().filter_map(|prefix| Some((prefix, name.strip_prefix(prefix)?)));
        let after = List::HaveEnding.words().filter_map(|end| Some((end, name.strip_suffix(end)?)));
        let counted = List::HaveCounted
            .words()
            .filter(|_| !case.kind.runs_to_completion)
            .filter_map(|prefix| Some((prefix, name.strip_prefix(prefix)?)));
        for (word, noun) in before.chain(after.chain(counted).filter(|(_, noun)| List::Counted.has(noun))) {
            let is_bare = noun.is_empty();
            let noun = if noun.is_empty() { "replicas" } else { noun };
            if word == "available" && !List::Counted.has(noun) {
                continue;
            }
            let of_replicas =
                || (noun == "count").then(|| wanted(word, "replicas", &numbers, &wishes)).flatten();
            let found =
                wanted(word, noun, &numbers, &wishes).or_else(of_replicas).or_else(|| summed(case, noun));
            let found = found.or_else(|| is_bare.then(|| total(&numbers)).flatten());
            let Some(want) = found else { continue };
            let of = format!("{have} of {want}");
            if *have < want {
                let partition = if word.starts_with("updated") { partition(case) } else { 0 };
                if have.saturating_add(partition) < want {
                    return Some(Signal::key(Progressing, Rule::Count, key).message(of));
                }
                held = Some(Signal::key(Suspended, Rule::Partitioned, key).reason("Partitioned").message(of));
            } else if want > 0 {
                // None of none is no sign of life.
                fine.get_or_insert_with(|| Signal::key(Healthy, Rule::Count, key).message(of));
            }
        }
    }
    let mut worst = Worst(held.or(fine));
    below(case, status, &mut case.view.status_path(), 0, &mut worst);
    worst.0
}

/// The number of replicas that a rolling update is asked to leave as they were.
fn partition(case: &Case<'_>) -> i64 {
    let strategy = ["updateStrategy", "strategy", "rollout"].iter().find_map(|key| case.spec(key));
    let of = |map: &Value| map.get("partition").and_then(number);
    strategy.and_then(|strategy| of(strategy).or_else(|| of(strategy.get("rollingUpdate")?))).unwrap_or(0)
}

/// The sum of what a list in the spec asks for: `availableNodes` against `nodeSets[].count`.
fn summed(case: &Case<'_>, noun: &str) -> Option<i64> {
    let one = noun.strip_suffix('s')?;
    let spec = case.spec?;
    let (_, list) = spec.iter().find(|(key, value)| {
        value.as_array().is_some_and(|list| !list.is_empty()) && Flat::of(key).as_str().starts_with(one)
    })?;
    let size = |item: &Value| List::ItemSize.words().find_map(|key| number(item.get(key)?));
    list.as_array()?.iter().try_fold(0_i64, |sum, item| Some(sum.saturating_add(size(item)?)))
}

/// `unavailableReplicas`, `failedNodes`: a count of what should be none. Of what runs to an end, some may have failed before one did not.
fn lack(case: &Case<'_>, key: &str) -> Option<Health> {
    let mut words = tokens(key);
    let health = match words.next()?.as_str() {
        lack if List::Lack.has(lack) => Progressing,
        "not" if words.next()?.as_str() == "ready" => Progressing,
        failed if List::Failed.has(failed) && !case.kind.runs_to_completion => Degraded,
        _ => return None,
    };
    let Some(noun) = words.next() else {
        // Beside those that succeeded, it is a tally of all times.
        return (!is_tally(case)).then_some(health);
    };
    let is_last = words.next().is_none();
    let is_one = List::CountedOne.has(noun.as_str());
    let is_counted =
        List::Counted.has(noun.as_str()) || health == Degraded && List::FailedThing.has(noun.as_str());
    (is_last && is_counted || is_one).then_some(health)
}

/// Tells whether a status counts what went well as well.
fn is_tally(case: &Case<'_>) -> bool {
    let is_success = |key: &String| {
        matches!(Flat::of(key).as_str(), "succeeded" | "successful" | "completed" | "passed" | "success")
    };
    case.kind.runs_to_completion || case.status.is_some_and(|status| status.keys().any(is_success))
}

type Named<'a> = Vec<(Flat, &'a str, i64)>;

fn named(map: &Map<String, Value>) -> Named<'_> {
    let numbers = map.iter().filter_map(|(key, value)| Some((key.as_str(), number(value)?)));
    numbers.map(|(key, number)| (Flat::of(key), key, number)).collect()
}

fn wanted(prefix: &str, noun: &str, numbers: &Named<'_>, wishes: &Named<'_>) -> Option<i64> {
    let find =
        |list: &Named<'_>, name: &str| list.iter().find(|(flat, ..)| flat.as_str() == name).map(|(.., n)| *n);
    let of_size =
        || List::Sized.has(noun).then(|| List::Size.words().find_map(|size| find(wishes, size))).flatten();
    let beside = || {
        List::Want.words().chain([""]).find_map(|want| {
            // totalNodes, nodesTotal.
            let flat = |flat: &Flat| {
                flat.as_str().strip_prefix(want) == Some(noun)
                    || flat.as_str().strip_suffix(want) == Some(noun)
            };
            wishes.iter().chain(numbers).find(|(name, ..)| flat(name)).map(|(.., n)| *n)
        })
    };
    let any_wish = || {
        let is_plain =
            matches!(prefix.strip_prefix("num").unwrap_or(prefix), "ready" | "available" | "current")
                || matches!(prefix, "healthy" | "numberready" | "numberavailable");
        let is_wish = |name: &str| {
            let name = name.strip_prefix("num").unwrap_or(name);
            name.starts_with("expected") || name.starts_with("desired")
        };
        numbers.iter().find(|(flat, ..)| is_plain && is_wish(flat.as_str())).map(|(.., n)| *n)
    };
    find(wishes, noun).or_else(of_size).or_else(beside).or_else(any_wish)
}

/// `{ready: 1, total: 3}`.
fn total(numbers: &Named<'_>) -> Option<i64> {
    numbers.iter().find(|(flat, ..)| flat.as_str() == "total").map(|(.., n)| *n)
}

/// The depth to which sub-objects are read.
const MAX_DEPTH: usize = 2;

/// Adds the signals of texts such as "2/3" and "60%", and in the numbers of sub-objects.
fn below<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &mut Path<'a>,
    depth: usize,
    worst: &mut Worst<'a>,
) {
    for (key, value) in map {
        let parts = match value {
            Value::String(text) => {
                if let Some(signal) = share(case, key, text) {
                    worst.add(signal.below(path));
                }
                continue;
            }
            Value::Number(_) => {
                let flat = Flat::of(key);
                if flat.as_str().contains("percent")
                    && let Some(done) = number(value).filter(|done| (0..100).contains(done))
                    && is_progress(case, flat.as_str())
                {
                    worst.add(
                        Signal::key(Progressing, Rule::Percentage, key)
                            .message(format!("{done} %"))
                            .below(path),
                    );
                }
                continue;
            }
            Value::Object(_) => std::slice::from_ref(value),
            Value::Array(items) => items.as_slice(),
            _ => continue,
        };
        if depth == MAX_DEPTH || !parts.iter().any(Value::is_object) || is_skipped(key) {
            continue;
        }
        path.push(Step::Field(key));
        for (index, part) in parts.iter().enumerate() {
            let Some(part) = part.as_object() else { continue };
            if !case.spend(ITEM) {
                break;
            }
            if value.is_array() {
                path.push(item(&parts[index], index));
            }
            if let Some(short) = short(part) {
                worst.add(short.below(path));
            }
            below(case, part, path, depth + 1, worst);
            if value.is_array() {
                path.pop();
            }
        }
        path.pop();
    }
}

/// Fewer than wanted in one sub-object, which must name both numbers: `{ready: 1, size: 3}`, `{readyReplicas: 1, replicas: 3}`.
fn short(map: &Map<String, Value>) -> Option<Signal<'_>> {
    map.iter().find_map(|(key, value)| {
        let have = value.as_i64()?;
        let flat = Flat::of(key);
        let noun = ["ready", "healthy"].iter().find_map(|have| flat.as_str().strip_prefix(have));
        let noun =
            noun.or_else(|| flat.as_str().strip_prefix("available").filter(|noun| List::Counted.has(noun)))?;
        let is_wish = |name: &str| match noun {
            "" => matches!(
                name,
                "size" | "total" | "desired" | "expected" | "replicas" | "desiredreplicas" | "desiredready"
            ),
            noun => List::Want.words().chain([""]).any(|want| name.strip_prefix(want) == Some(noun)),
        };
        let wishes = map.iter().filter(|(key, value)| value.is_number() && is_wish(Flat::of(key).as_str()));
        let want = wishes.filter_map(|(_, value)| number(value)).max()?;
        (have < want).then(|| Signal::key(Progressing, Rule::Count, key).message(format!("{have} of {want}")))
    })
}

/// The signal of "2/3" or "60%" under a name that is about readiness or progress.
fn share<'a>(case: &Case<'a>, key: &'a str, text: &'a str) -> Option<Signal<'a>> {
    if let Some((have, want)) = fraction(text) {
        let flat = Flat::of(key);
        let health = if have >= want { Healthy } else { Progressing };
        let signal = Signal::new(health, Rule::Fraction, Place::Key(key)).message(text);
        return List::Readiness.is_in(flat.as_str()).then_some(signal);
    }
    let percent: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
    let is_under_way = (0.0..100.0).contains(&percent) && is_progress(case, Flat::of(key).as_str());
    is_under_way.then(|| Signal::new(Progressing, Rule::Percentage, Place::Key(key)).message(text))
}

/// Tells whether a share that is not whole means that something is under way. What runs to an end says by its phase whether it has; a share
/// of a disk or a quota is none of progress.
fn is_progress(case: &Case<'_>, flat: &str) -> bool {
    let is_about = List::Percent.is_in(flat);
    is_about && !List::PercentLimit.begins(flat) && !case.kind.runs_to_completion
}

fn fraction(text: &str) -> Option<(u32, u32)> {
    let (have, want) = text.split_once('/')?;
    let number = |text: &str| {
        let is_number = (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    // "2/3 ready" is as good as "2/3".
    let want = want.trim_start().split(' ').next()?;
    Some((number(have.trim_end())?, number(want)?))
}

/// Adds the signals of declared counts, equalities and presences.
pub(super) fn declared<'a>(case: &Case<'a>, worst: &mut Worst<'a>) {
    for (have, want, short) in &case.kind.counts {
        let wants: Vec<i64> = want.of(case.object).into_iter().flatten().filter_map(number).collect();
        if wants.is_empty() {
            continue;
        }
        let want = wants.into_iter().fold(0, i64::saturating_add);
        let have_count = have.of(case.object).and_then(number).unwrap_or(0);
        let health = if have_count >= want { Healthy } else { *short };
        worst.add(Signal::declared(health, Rule::Count, have).message(format!("{have_count} of {want}")));
    }
    for (one, other, different) in &case.kind.equal {
        let pairs = one.of(case.object).into_iter().zip(other.of(case.object));
        if pairs.into_iter().any(|(one, other)| one.is_none() || one != other) {
            let signal =
                Signal::new(*different, Rule::Differs, Place::Path(one.first_steps())).reason("Differs");
            worst.add(signal.message(format!("differs from {}", other.first())));
        }
    }
    for (path, absent) in &case.kind.present {
        if !path.of(case.object).is_some_and(is_truthy) {
            worst.add(Signal::declared(*absent, Rule::Absent, path).reason("Empty"));
        }
    }
}
