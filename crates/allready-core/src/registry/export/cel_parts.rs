//! Parts of expressions for Flux that are the same for every kind: what words, flags and numbers of a status must not be.

use super::cel::list;
use super::words;

/// A name with nothing but its letters and digits, in small letters.
fn flat(name: &str) -> String {
    format!("{name}.lowerAscii().replace('_', '').replace('-', '')")
}

/// Whether a reason speaks of a failure.
pub(super) fn breaks(reason: &str) -> String {
    let recoveries: String = words::RECOVERIES.map(|word| format!(".replace('{word}', '')")).concat();
    let (hard, broken) = (words::hard().join("|"), words::broken().join("|"));
    format!("{reason}.lowerAscii(){recoveries}.matches('{hard}|^({broken})$')")
}

/// Whether something is so in some part below another: in its maps, and in the maps of its lists. What is deeper than can be read
/// may be so.
pub(super) fn below(part: &str, levels: usize, skipped: &str, is_so: &dyn Fn(&str) -> String) -> String {
    let (key, item) = (format!("k{levels}"), format!("i{levels}"));
    let value = format!("{part}[{key}]");
    let is_read = format!("type({value}) in [list, map] && !{}.matches('{skipped}')", flat(&key));
    if levels == 0 {
        return format!(
            "{part}.exists({key}, {is_read} && (type({value}) == map || {value}.exists(x, type(x) == map)))"
        );
    }
    let deeper = below(&item, levels - 1, skipped, is_so);
    format!(
        "{part}.exists({key}, {is_read} && (type({value}) == list ? {value} : [{value}]).exists({item}, type({item}) == map && ({} || {deeper})))",
        is_so(&item)
    )
}

/// Whether the name of a field is that of a state.
fn is_state(key: &str) -> String {
    let key = flat(key);
    format!("({key} in {} || {key}.matches('({})$'))", list(&words::STATE_KEYS), words::STATE_ENDS.join("|"))
}

/// Whether a state of which nothing is declared is not known to be good.
pub(super) fn bad_states(part: &str, declared: &[&str], good: &[&str]) -> String {
    let mut fine = good.to_vec();
    fine.extend(words::neutral());
    let open = if declared.is_empty() { String::new() } else { format!("!(s in {}) && ", list(declared)) };
    format!(
        "{part}.exists(s, {open}type({part}[s]) == string && {part}[s] != '' && {} && !({part}[s].lowerAscii() in {}))",
        is_state("s"),
        list(&fine)
    )
}

/// Whether a state of which nothing is declared is good.
pub(super) fn good_state(declared: &[&str], good: &[&str]) -> String {
    format!(
        "status.exists(s, !(s in {}) && type(status[s]) == string && s.lowerAscii() in {} && status[s].lowerAscii() in {})",
        list(declared),
        list(&words::STATE_KEYS),
        list(good)
    )
}

/// Whether a flag should be the other way round.
pub(super) fn bad_flags(part: &str) -> String {
    let name = flat("b");
    let value = format!("string({part}[b]).lowerAscii()");
    let good = format!(
        "{name}.matches('^({})$|({})$|^readyto')",
        words::GOOD_FLAGS.join("|"),
        words::GOOD_FLAG_ENDS.join("|")
    );
    let bad = format!(
        "({name}.matches('^({})$|{}') || b.matches('^[nN][oO]([^a-z]|$)'))",
        words::BAD_FLAGS.join("|"),
        words::hard().join("|")
    );
    format!(
        "{part}.exists(b, type({part}[b]) in [bool, string] && ({value} == 'false' ? {good} : {value} == 'true' ? (!{good} && {bad}) : false))"
    )
}

/// Whether a field that is there for an error has one.
pub(super) fn errors(part: &str) -> String {
    let value = format!("{part}[r]");
    format!(
        "{part}.exists(r, {}.matches('({})$|^({})$') && (type({value}) == string ? ({value} != '' && !({value}.lowerAscii() in {})) : type({value}) in [list, map] ? size({value}) > 0 : type({value}) == int ? {value} != 0 : false))",
        flat("r"),
        words::ERROR_ENDS.join("|"),
        words::ERROR_KEYS.join("|"),
        list(&words::NO_ERROR)
    )
}

/// Whether a map of states has a bad one.
pub(super) fn maps_of_bad_states() -> String {
    let holds = |part: &str| {
        format!(
            "{part}.exists(m, {}.matches('({})$') && type({part}[m]) == map && {part}[m].exists(w, type({part}[m][w]) == string && {part}[m][w].lowerAscii() in {}))",
            flat("m"),
            words::MAPS_OF_STATES.join("|"),
            list(&words::bad())
        )
    };
    format!("({} || {})", holds("status"), below("status", 3, &words::SKIPPED.join("|"), &holds))
}

/// What else must hold at the top of a status, and between it and the spec.
pub(super) fn of_the_top() -> Vec<String> {
    let fraction = |part: &str, key: &str| {
        let value = format!("{part}[{key}]");
        format!(
            "(type({value}) == string && {}.matches('{}') && {value}.matches('^[0-9]{{1,6}}/[0-9]{{1,6}}$') && int({value}.split('/')[0]) < int({value}.split('/')[1]))",
            flat(key),
            words::FRACTIONS.join("|")
        )
    };
    vec![
        format!("!(has(status.reason) && type(status.reason) == string && {})", breaks("status.reason")),
        "!(has(status.message) && type(status.message) == string && status.message.lowerAscii().matches('^[^a-z0-9]*(fail|error)'))"
            .to_owned(),
        format!(
            "!status.exists(f, {}.matches('^({})') && type(status[f]) in [list, map] && size(status[f]) > 0)",
            flat("f"),
            words::FAILURES.join("|")
        ),
        format!("!status.exists(f, {})", fraction("status", "f")),
        format!("!status.exists(p, type(status[p]) == map && status[p].exists(f, {}))", fraction("status[p]", "f")),
        format!("!{}", short()),
        unanswered("listeners", "listeners", ""),
        unanswered("parentRefs", "parents", ".parentRef"),
    ]
}

/// Whether a number has not reached the other that it has to reach.
fn short() -> String {
    let is_number = |value: &str| {
        format!(
            "(type({value}) in [int, double] || (type({value}) == string && {value}.matches('^[0-9]{{1,15}}$')))"
        )
    };
    let name = flat("h");
    let noun = format!("({name} == p ? 'replicas' : {name}.substring(size(p)))");
    let less = |part: &str| format!("double(status[h]) < double({part}[w])");
    format!(
        "status.exists(h, {} && (({name}.matches('^({})') && double(status[h]) > 0.0) || {}.exists(p, {name}.startsWith(p) && (spec.exists(w, {} && ({} in {} || {} == {noun}) && {}) || status.exists(w, {} && ({} in [{noun}, 'total' + {noun}] || {}.matches('^(desired|expected)')) && {})))))",
        is_number("status[h]"),
        words::LACKS.join("|"),
        list(&words::HAVE),
        is_number("spec[w]"),
        flat("w"),
        list(&words::SIZES),
        flat("w"),
        less("spec"),
        is_number("status[w]"),
        flat("w"),
        flat("w"),
        less("status"),
    )
}

/// That the status speaks of everything that the spec names, where it speaks of others.
fn unanswered(wishes: &str, answers: &str, below: &str) -> String {
    format!(
        "!(has(status.{answers}) && size(status.{answers}) > 0 && has(spec.{wishes}) && spec.{wishes}.exists(w, has(w.name) && !status.{answers}.exists(a, a{below}.name == w.name && ['namespace', 'sectionName', 'port'].all(f, !(f in w) || !(f in a{below}) || w[f] == a{below}[f]))))"
    )
}
