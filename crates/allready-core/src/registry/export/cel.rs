//! Expressions for Flux: `healthCheckExprs` of a Kustomization.
//!
//! Flux asks `failed` and then `current`, and waits while neither is true; so `current` says everything that must hold.
//! An expression about a field that is not there fails, and Flux waits: that is not good news either.

use std::{collections::BTreeMap, fmt::Write as _};

use super::recipe::{BROKEN_WORDS, Counting, Recipe, STATE_FIELDS, WAITING_WORDS};
use crate::health::Health;

/// The lists of a status that have conditions of their own, in the kinds of the Gateway API and those like them.
const NESTED: [&str; 3] = ["listeners", "parents", "ancestors"];

/// The expressions for a kind: `failed`, if anything can, and `current`.
pub(super) fn expressions(recipe: &Recipe) -> (Option<String>, String) {
    if recipe.always.is_some() {
        return (None, "true".to_owned());
    }
    (failed(recipe), current(recipe))
}

fn failed(recipe: &Recipe) -> Option<String> {
    let mut any: Vec<String> = Vec::new();
    let conditions = recipe.conditions.iter().enumerate().filter(|(_, one)| broken(one).is_some());
    let broken = having(recipe, conditions, |one| broken(one).unwrap_or_default());
    if !broken.is_empty() {
        any.push(some_condition(recipe, &broken.join(" || ")));
    }
    for wording in &recipe.wordings {
        let words = wording.words.iter().filter(|&(_, &health)| health == Health::Degraded);
        let words: Vec<&str> = words.map(|(word, _)| word.as_str()).collect();
        if !words.is_empty() {
            any.push(format!("({} && {} in {})", there(&wording.path), text(&wording.path), list(&words)));
        }
    }
    (!any.is_empty()).then(|| any.join(" || "))
}

/// When the status and the reason of a condition say that something is broken for good.
fn broken(one: &Counting) -> Option<String> {
    let reasons = |is_broken: bool| {
        let found = one.reasons.iter().filter(|&(_, &health)| (health == Health::Degraded) == is_broken);
        found.map(|(reason, _)| reason.as_str()).collect::<Vec<_>>()
    };
    let (broken, other) = (reasons(true), reasons(false));
    let reason = match (one.bad == Health::Degraded, broken.is_empty(), other.is_empty()) {
        (true, _, true) => String::new(),
        (true, _, false) => format!(" && !(has(e.reason) && e.reason in {})", list(&other)),
        (false, false, _) => format!(" && has(e.reason) && e.reason in {}", list(&broken)),
        (false, true, _) => return None,
    };
    Some(format!("e.status == {}{reason}", quoted(one.bad_status())))
}

fn current(recipe: &Recipe) -> String {
    let mut told: Vec<String> = Vec::new();
    let speaking = recipe.conditions.iter().enumerate().filter(|(_, one)| one.speaks);
    let good = having(recipe, speaking, |one| format!("e.status == {}", quoted(one.good())));
    if !good.is_empty() {
        told.push(some_condition(recipe, &good.join(" || ")));
    }
    let mut all = Vec::new();
    for wording in &recipe.wordings {
        let (there, text) = (there(&wording.path), text(&wording.path));
        let words = |is_healthy: bool| {
            let words =
                wording.words.iter().filter(|&(_, &health)| (health == Health::Healthy) == is_healthy);
            words.map(|(word, _)| word.as_str()).collect::<Vec<_>>()
        };
        let (healthy, against) = (words(true), words(false));
        if !healthy.is_empty() {
            told.push(format!("({there} && {text} in {})", list(&healthy)));
        }
        if wording.other.is_some() {
            let ignored = wording.ignored.iter().map(String::as_str);
            let fine: Vec<&str> = healthy.into_iter().chain(ignored).chain([""]).collect();
            all.push(format!("(!({there}) || {text} in {})", list(&fine)));
        } else if !against.is_empty() {
            all.push(format!("(!({there}) || !({text} in {}))", list(&against)));
        }
    }
    all.insert(0, format!("({})", told.join(" || ")));
    all.push(format!("!({})", some_condition(recipe, &against(recipe).join(" || "))));
    for resting in &recipe.resting {
        let (there, at) = (there(&resting.path), at(&resting.path));
        all.push(format!("!({there} && string({at}) == {})", quoted(&resting.value)));
    }
    for reaching in &recipe.reaching {
        let (have, want) = (&reaching.have, &reaching.want);
        all.push(format!("(!({}) || ({} && {} >= {}))", there(want), there(have), at(have), at(want)));
    }
    let declared: Vec<&str> = recipe.declared_fields().collect();
    let fields: Vec<&str> = STATE_FIELDS.into_iter().filter(|field| !declared.contains(field)).collect();
    all.push(format!("!{}.exists(f, f in status && status[f] in {})", list(&fields), words()));
    all.push("!['paused', 'suspend', 'suspended'].exists(f, f in spec && spec[f] == true)".to_owned());
    all.push(
        "!(has(status.observedGeneration) && status.observedGeneration < metadata.generation)".to_owned(),
    );
    all.push("!has(metadata.deletionTimestamp)".to_owned());
    all.join(" && ")
}

/// What a condition must not be: not good, under way, or about an older generation, in which case it says nothing.
fn against(recipe: &Recipe) -> Vec<String> {
    const OLD: &str = "has(e.observedGeneration) && e.observedGeneration < metadata.generation";
    let conditions = recipe.conditions.iter().enumerate();
    let mut against = having(recipe, conditions.clone(), |one| format!("e.status != {}", quoted(one.good())));
    let under_way: Vec<&str> =
        recipe.activities.iter().chain(&recipe.suspensions).map(String::as_str).collect();
    if !under_way.is_empty() {
        against.push(format!("(e.type in {} && e.status == 'True')", list(&under_way)));
    }
    against.extend(having(recipe, conditions, |_| OLD.to_owned()));
    if against.is_empty() {
        against.push("false".to_owned());
    }
    against
}

/// What is bad news in any language, and what is under way in it.
fn words() -> String {
    const UNDER_WAY: [&str; 12] = [
        "pending",
        "provisioning",
        "creating",
        "updating",
        "deleting",
        "terminating",
        "progressing",
        "reconciling",
        "initializing",
        "scaling",
        "upgrading",
        "starting",
    ];
    let words = BROKEN_WORDS.into_iter().chain(WAITING_WORDS).chain(UNDER_WAY);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    let words = words.flat_map(|word| [capital(word), word.to_owned()]);
    let words: Vec<String> = words.chain(["InProgress", "NotReady"].map(str::to_owned)).collect();
    list(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// That a condition of some types is so: exact types of which the same is said are told together.
fn having<'a>(
    recipe: &Recipe,
    conditions: impl Iterator<Item = (usize, &'a Counting)>,
    is_so: impl Fn(&Counting) -> String,
) -> Vec<String> {
    let mut together: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut said = Vec::new();
    for (index, one) in conditions {
        if one.is_pattern() {
            said.push(format!("({} && {})", is_type(recipe, index), is_so(one)));
        } else {
            together.entry(is_so(one)).or_default().push(&one.type_);
        }
    }
    said.extend(together.into_iter().map(|(so, types)| match types.as_slice() {
        [one] => format!("(e.type == {} && {so})", quoted(one)),
        many => format!("(e.type in {} && {so})", list(many)),
    }));
    said
}

/// Whether some condition, which is `e`, is so.
fn some_condition(recipe: &Recipe, is_so: &str) -> String {
    let mut any = vec![format!("(has(status.conditions) && status.conditions.exists(e, {is_so}))")];
    if recipe.has_nested {
        any.extend(NESTED.map(|list| {
            format!("(has(status.{list}) && status.{list}.exists(p, has(p.conditions) && p.conditions.exists(e, {is_so})))")
        }));
    }
    format!("({})", any.join(" || "))
}

/// Whether `e` is of a type; one that a pattern stands for is not meant where another is declared.
fn is_type(recipe: &Recipe, index: usize) -> String {
    let Some(one) = recipe.conditions.get(index) else { return "false".to_owned() };
    if !one.is_pattern() {
        return format!("e.type == {}", quoted(&one.type_));
    }
    let others: Vec<&str> = recipe
        .conditions
        .iter()
        .filter(|other| !other.is_pattern())
        .map(|other| other.type_.as_str())
        .collect();
    let earlier = recipe.conditions.iter().take(index).filter(|other| other.is_pattern());
    let earlier = earlier.map(|other| format!(" && !e.type.matches({})", quoted(&pattern(&other.type_))));
    let known: Vec<&str> = others
        .into_iter()
        .chain(recipe.activities.iter().chain(&recipe.suspensions).map(String::as_str))
        .collect();
    let matches = format!("e.type.matches({})", quoted(&pattern(&one.type_)));
    format!("({matches} && !(e.type in {}){})", list(&known), earlier.collect::<String>())
}

fn pattern(type_: &str) -> String {
    let mut pattern = String::from("^");
    for c in type_.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            c if c.is_alphanumeric() => pattern.push(c),
            c => pattern.extend(['[', c, ']']),
        }
    }
    pattern + "$"
}

fn list(texts: &[&str]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// A value, where it is there.
fn at(path: &[String]) -> String {
    let mut text = path.first().cloned().unwrap_or_default();
    for name in path.iter().skip(1) {
        if is_name(name) {
            text.push('.');
            text.push_str(name);
        } else {
            text.extend(["[", &quoted(name), "]"]);
        }
    }
    text
}

fn text(path: &[String]) -> String {
    format!("string({})", at(path))
}

/// Whether a value is there, with everything on the way to it.
fn there(path: &[String]) -> String {
    let steps = (2..=path.len()).map(|end| {
        let (before, name) = (&path[..end - 1], &path[end - 1]);
        if is_name(name) {
            format!("has({}.{name})", at(before))
        } else {
            format!("{} in {}", quoted(name), at(before))
        }
    });
    steps.collect::<Vec<_>>().join(" && ")
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A text of CEL.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}
