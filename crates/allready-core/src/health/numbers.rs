//! Numbers that must reach others: by pairs of names, as "2/3", and as declared.

use serde_json::{Map, Value};

use super::Health::{Healthy, Progressing};
use super::case::{Case, is_truthy, number};
use super::signal::{Place, Signal, Worst};
use super::tokens::{Flat, Token, tokens};

const HAVE: [&str; 8] =
    ["updatedready", "ready", "available", "updated", "current", "numberready", "numberavailable", "healthy"];
const WANT: [&str; 4] = ["desired", "expected", "total", ""];
const SIZES: [&str; 5] = ["replicas", "size", "instances", "nodes", "count"];

/// What pairs of numbers say, found by their names.
pub(super) fn by_name<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let status = case.status?;
    let numbers = named(status);
    let wishes = case.spec.map(named).unwrap_or_default();
    let mut fine: Option<Signal<'a>> = None;
    for (flat, key, have) in &numbers {
        let name = flat.as_str();
        if name.starts_with("readytouse") {
            continue;
        }
        if *have > 0 && is_lack(key) {
            return Some(Signal::key(Progressing, "N01", key).message(have.to_string()));
        }
        for prefix in HAVE {
            let Some(noun) = name.strip_prefix(prefix) else { continue };
            let noun = if noun.is_empty() { "replicas" } else { noun };
            let Some(want) = wanted(prefix, noun, &numbers, &wishes) else { continue };
            let of = format!("{have} of {want}");
            if *have < want {
                return Some(Signal::key(Progressing, "N01", key).message(of));
            }
            if want > 0 {
                // None of none is no sign of life.
                fine.get_or_insert_with(|| Signal::key(Healthy, "N01", key).message(of));
            }
        }
    }
    let mut worst = Worst(fine);
    fractions(case, status, "status", 0, &mut worst);
    worst.0
}

/// `unavailableReplicas`, `unhealthyNodes`: a count of what should be none.
fn is_lack(key: &str) -> bool {
    let mut words = tokens(key);
    let is_lack = |first: Token| matches!(first.as_str(), "unavailable" | "unready" | "unhealthy");
    words.next().is_some_and(is_lack)
        && words.next().is_some_and(|noun| {
            matches!(
                noun.as_str(),
                "replicas"
                    | "nodes"
                    | "instances"
                    | "members"
                    | "pods"
                    | "machines"
                    | "count"
                    | "machine"
                    | "node"
                    | "pod"
                    | "replica"
            )
        })
}

type Named<'a> = Vec<(Flat, &'a str, i64)>;

fn named(map: &Map<String, Value>) -> Named<'_> {
    map.iter().filter_map(|(key, value)| Some((Flat::of(key), key.as_str(), number(value)?))).collect()
}

fn wanted(prefix: &str, noun: &str, numbers: &Named<'_>, wishes: &Named<'_>) -> Option<i64> {
    let find =
        |list: &Named<'_>, name: &str| list.iter().find(|(flat, ..)| flat.as_str() == name).map(|(.., n)| *n);
    let of_size = || {
        matches!(noun, "replicas" | "nodes" | "instances" | "members" | "pods")
            .then(|| SIZES.iter().find_map(|size| find(wishes, size)))
            .flatten()
    };
    let beside = || {
        WANT.iter().find_map(|want| {
            let flat = |flat: &Flat| flat.as_str().strip_prefix(want) == Some(noun);
            numbers.iter().find(|(name, ..)| flat(name)).map(|(.., n)| *n)
        })
    };
    let any_wish = || {
        let is_plain = matches!(prefix, "ready" | "available" | "current" | "healthy");
        let is_wish = |name: &str| name.starts_with("expected") || name.starts_with("desired");
        numbers.iter().find(|(flat, ..)| is_plain && is_wish(flat.as_str())).map(|(.., n)| *n)
    };
    find(wishes, noun).or_else(of_size).or_else(beside).or_else(any_wish)
}

/// "2/3" under a name that is about readiness.
fn fractions<'a>(
    case: &Case<'a>,
    map: &'a Map<String, Value>,
    path: &str,
    depth: usize,
    worst: &mut Worst<'a>,
) {
    for (key, value) in map {
        match value {
            Value::String(text) => {
                let Some((have, want)) = fraction(text) else { continue };
                let flat = Flat::of(key);
                let is_readiness = ["ready", "replica", "available", "healthy", "nodes"]
                    .iter()
                    .any(|part| flat.as_str().contains(part));
                if is_readiness {
                    let health = if have >= want { Healthy } else { Progressing };
                    worst.add(Signal::new(health, "N02", Place::Key(key)).message(text.as_str()).below(path));
                }
            }
            Value::Object(below) if depth < 1 && case.spend(1) => {
                fractions(case, below, &format!("{path}.{key}"), depth + 1, worst);
            }
            _ => {}
        }
    }
}

fn fraction(text: &str) -> Option<(u32, u32)> {
    let (have, want) = text.split_once('/')?;
    let number = |text: &str| {
        let is_number = (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    };
    Some((number(have)?, number(want)?))
}

/// What the declared counts, equalities and presences say.
pub(super) fn declared<'a>(case: &Case<'a>, worst: &mut Worst<'a>) {
    for (have, want, short) in &case.kind.counts {
        let wants: Vec<i64> = want.of(case.object).into_iter().flatten().filter_map(number).collect();
        if wants.is_empty() {
            continue;
        }
        let want = wants.into_iter().fold(0, i64::saturating_add);
        let have_count = have.of(case.object).and_then(number).unwrap_or(0);
        let health = if have_count >= want { Healthy } else { *short };
        worst.add(Signal::at(health, "N01", have.as_str()).message(format!("{have_count} of {want}")));
    }
    for (one, other, different) in &case.kind.equal {
        let pairs = one.of(case.object).into_iter().zip(other.of(case.object));
        if pairs.into_iter().any(|(one, other)| one.is_none() || one != other) {
            let signal = Signal::at(*different, "N03", one.first()).reason("Differs");
            worst.add(signal.message(format!("differs from {}", other.first())));
        }
    }
    for (path, absent) in &case.kind.present {
        if !path.of(case.object).is_some_and(is_truthy) {
            worst.add(Signal::at(*absent, "N04", path.as_str()).reason("Empty"));
        }
    }
}
