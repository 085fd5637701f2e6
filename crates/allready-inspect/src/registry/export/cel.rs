//! Expressions for Flux: `healthCheckExprs` of a Kustomization.
//!
//! Flux asks `failed` and then `current`, and waits while neither is true; so `current` says everything that must hold.
//! An expression about a field that is not there fails, and Flux waits: that is not good news either. It also means that an
//! expression cannot tell an object without a status from another.

use super::quoted_in;
use super::recipe::{Good, Known, Meanings, Recipe};
use super::words::{self, alternatives};
use crate::health::Health;

/// The number of levels below the top of a status that are read; an object with more of them is not called current.
const LEVELS: usize = 2;

/// The expressions for a kind: `failed`, if anything can, and `current`.
pub(super) fn expressions(recipe: &Recipe) -> Result<(Option<String>, String), &'static str> {
    if recipe.may_be_silent || recipe.is_always_healthy {
        return Err("it may have no status, and an expression of Flux fails where there is none");
    }
    Ok((failed(recipe), current(recipe)))
}

fn failed(recipe: &Recipe) -> Option<String> {
    let mut any: Vec<String> = Vec::new();
    for (good, bad) in [(Good::True, "False"), (Good::False { is_activity: false }, "True")] {
        let types = types(recipe, |one| one.good == good && one.bad == Health::Degraded);
        if !types.is_empty() && !recipe.is_blind {
            any.push(format!(
                "has(status.conditions) && status.conditions.exists(e, e.status == '{bad}' && {types})"
            ));
        }
    }
    for (path, words) in &recipe.words {
        let broken: Vec<&str> = of(words, |health| health == Some(Health::Degraded));
        if !broken.is_empty() {
            any.push(format!("{} && {} in {}", there(path), text(path), list(&broken)));
        }
    }
    (!any.is_empty()).then(|| any.join(" ||\n"))
}

/// The test that the condition `e` is of one of the selected types; empty where none is. Exact names go before patterns.
fn types(recipe: &Recipe, is_so: impl Fn(&Known) -> bool) -> String {
    let (patterns, exact): (Vec<&Known>, Vec<&Known>) =
        recipe.conditions.iter().partition(|one| one.is_pattern());
    let names = |known: &[&Known], is_so: &dyn Fn(&Known) -> bool| {
        let names: Vec<&str> = known.iter().filter(|one| is_so(one)).map(|one| one.type_.as_str()).collect();
        (!names.is_empty()).then(|| format!("e.type in {}", list(&names)))
    };
    let matches = |one: &Known| format!("e.type.matches({})", quoted(&pattern(&one.type_)));
    let mut any: Vec<String> = names(&exact, &is_so).into_iter().collect();
    for (index, one) in patterns.iter().enumerate().filter(|(_, one)| is_so(one)) {
        let earlier =
            names(&exact, &|_| true).into_iter().chain(patterns[..index].iter().map(|one| matches(one)));
        any.push(
            [matches(one)]
                .into_iter()
                .chain(earlier.map(|earlier| format!("!({earlier})")))
                .collect::<Vec<_>>()
                .join(" && "),
        );
    }
    if any.len() > 1 { format!("({})", any.join(" || ")) } else { any.concat() }
}

fn of(words: &Meanings, is_so: impl Fn(Option<Health>) -> bool) -> Vec<&str> {
    words
        .iter()
        .filter(|(word, health)| *word != "*" && is_so(**health))
        .map(|(word, _)| word.as_str())
        .collect()
}

fn current(recipe: &Recipe) -> String {
    let mut all = vec![
        "size(status) > 0 && !has(metadata.deletionTimestamp) && !('parentRefs' in spec) && !('enabled' in spec && spec.enabled == false)".to_owned(),
        "['annotations', 'labels'].all(m, !(m in metadata) || metadata[m].all(k, !k.lowerAscii().matches(pause) && \
         !(k.lowerAscii().matches(state) && metadata[m][k].lowerAscii().matches(wrong))))".to_owned(),
        at_rest("spec", 2),
        "spec.all(k, !(type(spec[k]) == list && k in status && type(status[k]) == list && size(status[k]) < size(spec[k])))".to_owned(),
    ];
    for (path, value) in &recipe.rests {
        all.push(format!("!({} && {}.lowerAscii() == {})", there(path), text(path), quoted(value)));
    }
    for (path, words) in &recipe.words {
        let is_other_fine = words.get("*").is_some_and(Option::is_none);
        let fine = if is_other_fine {
            format!(
                "!({} in {})",
                text(path),
                list(&of(words, |health| !matches!(health, None | Some(Health::Healthy))))
            )
        } else {
            format!(
                "{} in {}",
                text(path),
                list(&of(words, |health| matches!(health, None | Some(Health::Healthy))))
            )
        };
        all.push(format!("(!({}) || {fine})", there(path)));
    }
    for count in &recipe.counts {
        let (have, want) = (&count.have, &count.want);
        all.push(format!("(!({}) || {} && {} >= {})", there(want), there(have), at(have), at(want)));
    }
    if !recipe.is_blind {
        all.push(format!(
            "(!has(status.conditions) || status.conditions.all(e, has(e.type){}))",
            expected(recipe)
        ));
    }
    if !recipe.required.is_empty() {
        let required: Vec<&str> = recipe.required.iter().map(String::as_str).collect();
        all.push(format!("status.conditions.exists(e, e.type in {})", list(&required)));
    }
    all.push("(!('forProvider' in spec) || status.conditions.exists(e, e.type == 'Ready'))".to_owned());
    all.push(format!("({})", told(recipe).join(" || ")));
    all.push(format!("[status].all(p, {})", level(recipe, 0)));
    let lists = [
        ("wrong", words::WRONG),
        ("state", words::STATE),
        ("fine", words::FINE),
        ("good", words::GOOD),
        ("size", words::SIZE),
        ("pause", words::PAUSE),
    ];
    let expression = all.join(" &&\n");
    lists.into_iter().rev().fold(expression, |inner, (name, words)| {
        format!("['{}'].all({name},\n{inner})", alternatives(words, "|"))
    })
}

/// The test of a condition whose type is declared.
fn expected(recipe: &Recipe) -> String {
    let mut all = Vec::new();
    for status in ["True", "False"] {
        let types = types(recipe, |one| one.good.word() == status);
        if !types.is_empty() {
            all.push(format!(" && (!({types}) || e.status == '{status}')"));
        }
    }
    all.concat()
}

/// What can speak for it.
fn told(recipe: &Recipe) -> Vec<String> {
    let mut told = Vec::new();
    let types = types(recipe, |one| one.tells);
    if !recipe.is_blind && !types.is_empty() {
        told.push(format!(
            "has(status.conditions) && status.conditions.exists(e, e.status == 'True' && {types})"
        ));
    }
    for (path, words) in &recipe.words {
        let healthy = of(words, |health| health == Some(Health::Healthy));
        if !healthy.is_empty() {
            told.push(format!("{} && {} in {}", there(path), text(path), list(&healthy)));
        }
    }
    told
}

/// That no switch of a spec asks for rest.
fn at_rest(part: &str, levels: usize) -> String {
    let key = format!("k{levels}");
    let value = format!("{part}[{key}]");
    let below = match levels {
        0 => String::new(),
        _ => format!(" && (type({value}) != map || {})", at_rest(&value, levels - 1)),
    };
    format!("{part}.all({key}, !({value} == true && {key}.lowerAscii().matches(pause)){below})")
}

/// That every field of a part is known, or looks fine, and so is all below it. A part is `p`, a field `k` with the value `v`, and `n` is
/// its name in small letters; `t` is the name of the field of the status that all is below of.
fn level(recipe: &Recipe, level: usize) -> String {
    if level > LEVELS {
        return "false".to_owned();
    }
    let known = known(recipe, level).iter().map(|one| [one, " ||\n"].concat()).collect::<String>();
    let top = if level == 0 { "[k].all(t, " } else { "" };
    let close = if level == 0 { ")" } else { "" };
    format!(
        "p.all(k, [p[k]].all(v, [k.lowerAscii()].all(n, n.matches('history|previous') ||\n{known}({}) &&\n\
         {top}(type(v) == list ? v : [v]).all(p, type(p) != list && (type(p) != map ||\n{}))){close}))",
        fine(level),
        self::level(recipe, level + 1),
    )
}

/// When a field needs no look, as something else was said of it.
fn known(recipe: &Recipe, level: usize) -> Vec<String> {
    let mut known = Vec::new();
    for (path, words) in &recipe.words {
        let is_here = match path.as_slice() {
            [status, name] if status == "status" && level == 0 => format!("k == {}", quoted(name)),
            [status, top, name] if status == "status" && level == 1 => {
                format!("t == {} && k == {}", quoted(top), quoted(name))
            }
            _ => continue,
        };
        let healthy = list(&of(words, |health| health == Some(Health::Healthy)));
        known.push(format!("{is_here} && {} in {healthy}", text(&["v".to_owned()])));
    }
    if recipe.is_blind && level == 0 {
        known.push("k == 'conditions'".to_owned());
    }
    if !recipe.is_blind && level == 1 {
        for good in
            [Good::True, Good::False { is_activity: true }, Good::False { is_activity: false }, Good::Any]
        {
            let types = types(recipe, |one| one.good == good).replace("e.type", "p.type");
            if !types.is_empty() {
                let keys = match good {
                    Good::Any => String::new(),
                    good => format!(" && k in ['type', 'status', '{}']", good.skips()),
                };
                known.push(format!("t == 'conditions' && has(p.type) && {types}{keys}"));
            }
        }
    }
    known
}

/// That a field of which nothing is known looks fine. Numbers are compared at the top alone.
fn fine(level: usize) -> String {
    let reaches = match level {
        0 => {
            "[p, spec].all(m, m.all(s, !(s.lowerAscii().matches(size) && m[s] > v) && \
              !(m == spec && type(m[s]) == list && m[s].exists(i, type(i) == map && ('count' in i || 'replicas' in i || 'size' in i)))))"
        }
        _ => "p.all(s, !(s.lowerAscii().matches(size) && p[s] > v))",
    };
    let moving = alternatives(words::MOVING, "|");
    format!(
        "k in ['type', 'status'] && has(p.type) && has(p.status) ?\n  \
         p.status == (p.type.lowerAscii().matches(wrong + '|{moving}') ? 'False' : 'True') :\n\
         v == null || v == '' ? true :\n\
         type(v) == bool ? !n.matches(v ? wrong + '|ing$' : good) :\n\
         type(v) in [list, map] ? (size(v) == 0 ? !n.endsWith('conditions') : !n.matches(wrong)) :\n\
         type(v) == string ? (n.matches(state) ? v.lowerAscii().matches(fine) :\n  \
         !n.matches(wrong + '|observedgen') && !v.matches('^[0-9]+[/%]') && !(v.matches('^([0-9]+|false)$') && n.matches(good)) &&\n  \
         (n == 'name' || !v.lowerAscii().matches(wrong))) :\n\
         n.contains('observedgen') ? k == 'observedGeneration' && (!has(metadata.generation) || v >= metadata.generation) :\n\
         v == 0 ? !n.matches(good) || n.contains('generation') :\n\
         !n.matches(wrong) && !(n.contains('percent') && v < 100) && (!n.matches(good) || {reaches})"
    )
}

/// A pattern of RE2.
pub(super) fn pattern(type_: &str) -> String {
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
