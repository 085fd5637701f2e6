//! Expressions for Flux: `healthCheckExprs` of a Kustomization.
//!
//! Flux asks `failed` and then `current`, and waits while neither is true; so `current` says everything that must hold.
//! An expression about a field that is not there fails, and Flux waits: that is not good news either. It also means that an
//! expression cannot tell an object without a status from another.

use std::fmt::Write as _;

use super::recipe::{Known, Recipe, Sort};
use super::{cel_parts, cel_shared, quoted_in, words};
use crate::health::Health;
use allready_core::Polarity;

/// How many levels of a status are read; what has more of them is not called current.
pub(super) const LEVELS: usize = 4;

/// The expressions for a kind: `failed`, if anything can, and `current`.
pub(super) fn expressions(recipe: &Recipe) -> Result<(Option<String>, String), &'static str> {
    if let Some(always) = recipe.always {
        let name = recipe.kind.to_lowercase();
        if name.contains("cron") || name.contains("schedule") {
            return Err("its status tells of its runs, and an expression of Flux fails where there is none");
        }
        let current =
            if always == Health::Healthy { wished(recipe).join(" && ") } else { "false".to_owned() };
        return Ok((None, current));
    }
    if recipe.silent == Health::Healthy {
        return Err("it may have no status, and an expression of Flux fails where there is none");
    }
    Ok((failed(recipe), cel_shared::shared(&current(recipe))))
}

fn failed(recipe: &Recipe) -> Option<String> {
    let mut any: Vec<String> = Vec::new();
    let exact = recipe.conditions.iter().filter(|one| !one.is_pattern() && one.sort == Sort::Counts);
    let broken: Vec<String> = exact
        .filter_map(|one| Some(format!("(e.type == {} && {})", quoted(&one.type_), broken(one)?)))
        .collect();
    if !broken.is_empty() && !recipe.is_blind {
        any.push(format!("(has(status.conditions) && status.conditions.exists(e, {}))", broken.join(" || ")));
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
fn broken(one: &Known) -> Option<String> {
    let reasons = |is_broken: bool| {
        let found = one.reasons.iter().filter(|&(_, &health)| (health == Health::Degraded) == is_broken);
        found.map(|(reason, _)| reason.as_str()).collect::<Vec<_>>()
    };
    let (broken, other) = (reasons(true), reasons(false));
    let is_abnormal = one.polarity == Polarity::AbnormalTrue;
    let is_broken = one.bad.map_or(is_abnormal, |bad| bad == Health::Degraded);
    let reason = match (is_broken, broken.is_empty(), other.is_empty()) {
        (true, _, true) => String::new(),
        (true, _, false) => format!(" && !(has(e.reason) && e.reason in {})", list(&other)),
        (false, false, _) => format!(" && has(e.reason) && e.reason in {}", list(&broken)),
        (false, true, _) => return None,
    };
    Some(format!("e.status == {}{reason}", quoted(one.bad_status())))
}

/// That nobody deletes it, and nobody wants it to rest.
fn wished(recipe: &Recipe) -> Vec<String> {
    let mut all = vec![
        "!has(metadata.deletionTimestamp)".to_owned(),
        format!(
            "!['labels', 'annotations'].exists(m, m in metadata && type(metadata[m]) == map && metadata[m].exists(k, metadata[m][k].lowerAscii() in {} && {}.matches('({})$')))",
            list(&words::noted()),
            cel_parts::flat("k"),
            words::notes().join("|")
        ),
        format!("!{}.exists(f, f in spec && spec[f] == true)", list(&words::SWITCHES)),
        format!(
            "!{}.exists(f, f in spec && type(spec[f]) == map && (('paused' in spec[f] && spec[f].paused == true) || ('rollingUpdate' in spec[f] && type(spec[f].rollingUpdate) == map && 'paused' in spec[f].rollingUpdate && spec[f].rollingUpdate.paused == true)))",
            list(&words::STRATEGIES)
        ),
        "!('enabled' in spec && spec.enabled == false)".to_owned(),
        format!(
            "!(has(metadata.annotations) && type(metadata.annotations) == map && metadata.annotations.exists(k, k.lowerAscii().matches('{}|reconcil') && metadata.annotations[k].lowerAscii() in {}))",
            words::at_rest().join("|"),
            list(&words::ASKED)
        ),
    ];
    for resting in &recipe.resting {
        let (there, at) = (there(&resting.path), at(&resting.path));
        all.push(format!(
            "!({there} && string({at}).lowerAscii() == {})",
            quoted(&resting.value.to_lowercase())
        ));
    }
    all
}

fn current(recipe: &Recipe) -> String {
    let mut all = wished(recipe);
    all.push("status.exists(k, status[k] != null && !(type(status[k]) in [list, map, string] && size(status[k]) == 0))".to_owned());
    all.push("!(has(status.observedGeneration) && has(metadata.generation) && int(status.observedGeneration) < metadata.generation)".to_owned());
    let against = |e: &str| against(recipe, e);
    if !recipe.is_blind {
        all.push(format!("!(has(status.conditions) && status.conditions.exists(e, {}))", against("e")));
    }
    let declared: Vec<&str> = recipe
        .wordings
        .iter()
        .filter_map(|wording| match wording.path.as_slice() {
            [status, field] if status == "status" => Some(field.as_str()),
            _ => None,
        })
        .collect();
    all.extend(wordings(recipe));
    all.push(format!("({})", told(recipe, &declared).join(" || ")));
    all.push(format!("!{}", cel_parts::bad_states("status", &declared, &words::good(recipe), None)));
    all.push(format!("!{}", cel_parts::of_a_step(&words::good(recipe))));
    all.push(format!("!{}", cel_parts::bad_flags("status", true)));
    all.push(format!("!{}", cel_parts::errors("status")));
    all.extend(cel_parts::of_the_top(recipe));
    if recipe.required.is_empty() {
        all.push("(!('forProvider' in spec) || (has(status.conditions) && status.conditions.exists(e, e.type == 'Ready')))".to_owned());
    }
    if recipe.has_nested {
        let lists = |part: &str, _: &str| {
            format!(
                "{part}.exists(n, n.lowerAscii().endsWith('conditions') && {part}[n].exists(e, {}))",
                against("e")
            )
        };
        all.push(format!("!status.exists(n, n != 'conditions' && n.lowerAscii().endsWith('conditions') && status[n].exists(e, {}))", against("e")));
        all.push(format!("!{}", cel_parts::below("status", LEVELS, "conditions", &lists)));
    }
    if recipe.has_items {
        let mut words = words::good(recipe);
        words.extend(words::resting());
        let items = |part: &str, above: &str| {
            let all = [
                cel_parts::bad_states(part, &[], &words, Some(above)),
                cel_parts::bad_flags(part, false),
                cel_parts::bad_words(part, above),
                cel_parts::failures(part, "list"),
                cel_parts::errors(part),
            ];
            format!("(!('type' in {part} && 'lastTransitionTime' in {part}) && ({}))", all.join(" || "))
        };
        all.push(format!("!{}", cel_parts::below("status", LEVELS, &words::SKIPPED.join("|"), &items)));
    }
    for reaching in &recipe.reaching {
        let (have, want) = (&reaching.have, &reaching.want);
        all.push(format!("(!({}) || ({} && {} >= {}))", there(want), there(have), at(have), at(want)));
    }
    if !recipe.required.is_empty() {
        let required: Vec<&str> = recipe.required.iter().map(String::as_str).collect();
        all.push(some_condition(recipe, &format!("has(e.type) && e.type in {}", list(&required))));
    }
    all.join(" && ")
}

/// That each declared field has a word that is good, or says nothing.
fn wordings(recipe: &Recipe) -> Vec<String> {
    let mut all = Vec::new();
    for wording in &recipe.wordings {
        let (there, text) = (there(&wording.path), text(&wording.path));
        let (healthy, against) = (words_of(wording, true), words_of(wording, false));
        if wording.other.is_some() {
            let ignored = wording.ignored.iter().map(String::as_str);
            let fine: Vec<&str> = healthy.into_iter().chain(ignored).collect();
            all.push(format!("(!({there}) || {text} in {})", list(&fine)));
        } else if !against.is_empty() {
            all.push(format!("(!({there}) || !({text} in {}))", list(&against)));
        }
    }
    all
}

fn words_of(wording: &super::recipe::Wording, is_healthy: bool) -> Vec<&str> {
    let words = wording.words.iter().filter(|&(_, &health)| (health == Health::Healthy) == is_healthy);
    words.map(|(word, _)| word.as_str()).collect()
}

/// What can speak for it.
fn told(recipe: &Recipe, declared: &[&str]) -> Vec<String> {
    let speaking = recipe.conditions.iter().filter(|one| one.speaks);
    let (patterns, exact): (Vec<&Known>, Vec<&Known>) = speaking.partition(|one| one.is_pattern());
    let exact: Vec<&str> = exact.iter().map(|one| one.type_.as_str()).collect();
    let mut types: Vec<String> = patterns.iter().map(|one| is_pattern(recipe, one, "e")).collect();
    types.push(format!("e.type in {}", list(&exact)));
    let speaks = format!("has(e.type) && e.status == 'True' && ({})", types.join(" || "));
    let mut told = Vec::new();
    if !recipe.is_blind {
        told.push(format!("(has(status.conditions) && status.conditions.exists(e, {speaks}))"));
    }
    for wording in &recipe.wordings {
        let healthy = words_of(wording, true);
        if !healthy.is_empty() {
            told.push(format!("({} && {} in {})", there(&wording.path), text(&wording.path), list(&healthy)));
        }
    }
    told.push(cel_parts::good_flag());
    told.push(cel_parts::good_state(declared, &words::good(recipe)));
    if recipe.has_nested {
        // A list in which nothing counts has no summary yet.
        let counting = recipe.conditions.iter().filter(|one| one.sort == Sort::Counts && !one.is_pattern());
        let counting: Vec<&str> = counting.map(|one| one.type_.as_str()).collect();
        let lists = |part: &str, so: &str| {
            format!("{part}.exists(n, n.lowerAscii().endsWith('conditions') && {so}{part}[n].exists(e, ")
        };
        let speaking = |part: &str, _: &str| format!("{}{speaks}))", lists(part, ""));
        let silent = |part: &str, _: &str| {
            format!("{}has(e.type) && e.type in {}))", lists(part, "!"), list(&counting))
        };
        told.push(format!(
            "({} && !status.exists(n, n != 'conditions' && n.lowerAscii().endsWith('conditions')) && !{})",
            cel_parts::below("status", LEVELS, "conditions", &speaking),
            cel_parts::below("status", LEVELS, "conditions", &silent)
        ));
    }
    told
}

/// Whether some condition at the top, or right below it, which is `e`, is so.
fn some_condition(recipe: &Recipe, is_so: &str) -> String {
    let mut any = vec![format!("(has(status.conditions) && status.conditions.exists(e, {is_so}))")];
    if recipe.has_nested {
        let lists = |part: &str, _: &str| {
            format!("{part}.exists(n, n.lowerAscii().endsWith('conditions') && {part}[n].exists(e, {is_so}))")
        };
        any.push(cel_parts::below("status", LEVELS, "conditions", &lists));
    }
    format!("({})", any.join(" || "))
}

/// What a condition must not be: not good, under way, about an older generation, or good for a reason that speaks of a failure.
fn against(recipe: &Recipe, e: &str) -> String {
    let old = format!(
        "(has({e}.observedGeneration) && has(metadata.generation) && {e}.observedGeneration < metadata.generation)"
    );
    let breaks = format!("(has({e}.reason) && {})", cel_parts::breaks(&format!("{e}.reason")));
    let hurts = format!("(has({e}.reason) && {})", cel_parts::hurts(&format!("{e}.reason")));
    let denied = format!("(has({e}.message) && {})", cel_parts::begins_badly(&format!("{e}.message")));
    let rests =
        format!("(has({e}.reason) && {e}.reason.lowerAscii().matches('{}'))", words::at_rest().join("|"));
    let done = format!("({e}.status == 'True' && has({e}.reason) && {e}.reason in {})", list(&words::done()));
    let of = |one: &Known| match one.sort {
        Sort::Tells => "false".to_owned(),
        Sort::Mentions => format!(
            "(has({e}.status) && !({e}.status in ['True', 'Unknown']) && ({e}.status != 'False' || {breaks}))"
        ),
        Sort::Rests => format!("!({e}.status in ['False', 'Unknown'])"),
        Sort::Moves => format!("({breaks} || {hurts} || {rests} || !({e}.status == 'False' || {done}))"),
        Sort::Counts if one.polarity == Polarity::AbnormalTrue => {
            format!("(!({e}.status in ['False', 'Unknown']) || {old} || {denied})")
        }
        Sort::Counts => format!("({e}.status != 'True' || {old} || {breaks})"),
    };
    let mut together: Vec<(String, Vec<&str>)> = Vec::new();
    for one in recipe.conditions.iter().filter(|one| !one.is_pattern()) {
        let so = of(one);
        match together.iter_mut().find(|(known, _)| *known == so) {
            Some((_, types)) => types.push(&one.type_),
            None => together.push((so, vec![&one.type_])),
        }
    }
    let mut chain = String::new();
    for (so, types) in together {
        let _ = write!(chain, "{e}.type in {} ? {so} : ", list(&types));
    }
    for one in recipe.conditions.iter().filter(|one| one.is_pattern()) {
        let _ = write!(chain, "{e}.type.matches({}) ? {} : ", quoted(&pattern(&one.type_)), of(one));
    }
    let sounds_bad = format!(
        "{e}.type.lowerAscii().matches('{}|({})$|^({})')",
        words::bad_names().join("|"),
        words::UNDER_WAY_ENDS.join("|"),
        words::DENIALS.join("|")
    );
    format!(
        "(!has({e}.type) || (has({e}.errors) && size({e}.errors) > 0) || ({chain}({e}.status != 'True' || {old} || {breaks} || {sounds_bad})))"
    )
}

/// Whether a condition is of a pattern, and of nothing that goes before it.
fn is_pattern(recipe: &Recipe, one: &Known, e: &str) -> String {
    let exact = recipe.conditions.iter().filter(|other| !other.is_pattern());
    let exact: Vec<&str> = exact.map(|other| other.type_.as_str()).collect();
    let earlier = recipe.conditions.iter().filter(|other| other.is_pattern());
    let earlier = earlier.take_while(|other| other.type_ != one.type_);
    let earlier = earlier.map(|other| format!(" && !{e}.type.matches({})", quoted(&pattern(&other.type_))));
    let matches = format!("{e}.type.matches({})", quoted(&pattern(&one.type_)));
    format!("({matches} && !({e}.type in {}){})", list(&exact), earlier.collect::<String>())
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

pub(super) fn list(texts: &[&str]) -> String {
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

/// A value as it is written in a declaration.
fn text(path: &[String]) -> String {
    let at = at(path);
    format!("(type({at}) == bool ? ({at} ? 'True' : 'False') : string({at}))")
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
    quoted_in('\'', text)
}
