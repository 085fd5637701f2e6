//! Parts of expressions for Flux that are the same for every kind: what words, flags and numbers of a status must not be.

use super::cel::{LEVELS, list};
use super::recipe::Recipe;
use super::words;

/// A name with nothing but its letters and digits, in small letters.
pub(super) fn flat(name: &str) -> String {
    format!("{name}.lowerAscii().replace('_', '').replace('-', '')")
}

/// Whether a reason speaks of a failure.
pub(super) fn breaks(reason: &str) -> String {
    let recoveries: String = words::RECOVERIES.map(|word| format!(".replace('{word}', '')")).concat();
    let (hard, broken) = (words::hard().join("|"), words::broken().join("|"));
    format!("{reason}.lowerAscii(){recoveries}.matches('{hard}|^({broken})$')")
}

/// Whether a text may speak of something broken.
pub(super) fn hurts(text: &str) -> String {
    format!("{}.replace(' ', '').matches('{}')", flat(text), words::hurt().join("|"))
}

/// Whether a message begins with a failure.
pub(super) fn begins_badly(message: &str) -> String {
    format!("{message}.lowerAscii().matches('^[^a-z0-9]*({})')", words::BEGINNINGS.join("|"))
}

/// Whether something is so in some part below another: in its maps, and in the maps of its lists. What is deeper than can be read
/// may be so.
pub(super) fn below(
    part: &str,
    levels: usize,
    skipped: &str,
    is_so: &dyn Fn(&str, &str) -> String,
) -> String {
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
        is_so(&item, &key)
    )
}

/// Whether the name of a field is one that holds a state everywhere.
fn is_usual(key: &str) -> String {
    format!("{} in {}", flat(key), list(&words::state_keys()))
}

/// Whether the name of a field is another that holds a state.
fn is_other(key: &str) -> String {
    let key = flat(key);
    let (ends, others) = (words::state_ends().join("|"), words::other_times().join("|"));
    format!("({key}.matches('({ends})$') && !{key}.matches('^({others})'))")
}

/// Whether a state of which nothing is declared is not known to be good. Below a part, in a field of another name than the usual
/// ones, only a failure counts.
pub(super) fn bad_states(part: &str, declared: &[&str], good: &[&str], above: Option<&str>) -> String {
    let mut fine = good.to_vec();
    fine.extend(words::neutral());
    let open = if declared.is_empty() { String::new() } else { format!("!(s in {}) && ", list(declared)) };
    let value = format!("{part}[s]");
    let runs = |name: &str| format!("{}.matches('{}')", flat(name), words::runs().join("|"));
    let is_of_a_run = match above {
        Some(above) => format!("({} || {})", runs("s"), runs(above)),
        None => runs("s"),
    };
    let small = format!("{}.replace(' ', '')", flat(&value));
    let not_good = format!(
        "(!({small} in {}) || ({small} in {} && {is_of_a_run}))",
        list(&fine),
        list(&words::begins_a_run())
    );
    let broken = format!(
        "({small} in {} || {} || {small}.matches('({})$'))",
        list(&words::bad()),
        hurts(&value),
        words::apart().join("|")
    );
    let (usual, other) = (is_usual("s"), is_other("s"));
    let is_bad = match above {
        Some(_) => format!("({usual} ? {not_good} : ({other} && {broken}))"),
        None => format!("({usual} || {other}) && {not_good}"),
    };
    format!("{part}.exists(s, {open}type({value}) == string && {value} != '' && {is_bad})")
}

/// Whether a good word is about a step that is not the last.
pub(super) fn of_a_step(good: &[&str]) -> String {
    let steps = words::steps();
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    let begins = words::begins_a_run();
    let ends: Vec<&str> = good.iter().filter(|word| !begins.contains(word)).copied().collect();
    format!(
        "status.exists(s, {} in {} && status.exists(t, {} == {}.replace('status', '').replace('state', '') && !(type(status[t]) == string && status[t].lowerAscii() in {})))",
        flat("s"),
        list(&names),
        flat("t"),
        flat("s"),
        list(&ends)
    )
}

/// Whether a map of states has a bad one; where all values are words, it may be one.
pub(super) fn bad_words(part: &str, above: &str) -> String {
    format!(
        "(({}.matches('({})$') || {part}.all(w, type({part}[w]) == string)) && {part}.exists(w, type({part}[w]) == string && {}.replace(' ', '') in {}))",
        flat(above),
        words::maps_of_states().join("|"),
        flat(&format!("{part}[w]")),
        list(&words::bad())
    )
}

/// Whether a list of things that failed, or are not there yet, has any.
pub(super) fn failures(part: &str, types: &str) -> String {
    format!(
        "{part}.exists(f, {}.matches('^({})') && type({part}[f]) in [{types}] && size({part}[f]) > 0)",
        flat("f"),
        words::failures().join("|")
    )
}

/// Whether a state of which nothing is declared is good.
pub(super) fn good_state(declared: &[&str], good: &[&str]) -> String {
    format!(
        "status.exists(s, !(s in {}) && type(status[s]) == string && s.lowerAscii() in {} && status[s].lowerAscii() in {})",
        list(declared),
        list(&words::state_keys()),
        list(good)
    )
}

/// Whether the name of a flag, which is `b`, is that of a good one.
fn is_good_flag() -> String {
    let name = flat("b");
    format!(
        "({name}.matches('^({})$|({})$|^{}') && !{name}.matches('^({})'))",
        words::good_flags().join("|"),
        words::good_flag_ends().join("|"),
        words::GOOD_FLAG_START,
        words::FLAG_DENIALS.join("|")
    )
}

/// Whether a flag says that all is well.
pub(super) fn good_flag() -> String {
    format!(
        "status.exists(b, type(status[b]) in [bool, string] && string(status[b]).lowerAscii() == 'true' && {})",
        is_good_flag()
    )
}

/// Whether a flag should be the other way round. Below the top, one that rests or stands by says nothing.
pub(super) fn bad_flags(part: &str, is_top: bool) -> String {
    let name = flat("b");
    let value = format!("string({part}[b]).lowerAscii()");
    let good = is_good_flag();
    let mut bad = words::bad_flags();
    if is_top {
        bad.extend(words::resting_flags());
    }
    let bad = format!(
        "({name}.matches('^({})$|{}') || b.matches('^[nN][oO]([^a-z]|$)'))",
        bad.join("|"),
        words::hard().join("|")
    );
    let standing = if is_top { "" } else { "b != 'active' && " };
    let not = format!("{standing}({good} || {name} in {})", list(&words::steps_by_flag()));
    format!(
        "{part}.exists(b, type({part}[b]) in [bool, string] && ({value} == 'false' ? ({not}) : {value} == 'true' ? (!{good} && {bad}) : false))"
    )
}

/// Whether a field that is there for an error has one.
pub(super) fn errors(part: &str) -> String {
    let value = format!("{part}[r]");
    let name = flat("r");
    format!(
        "{part}.exists(r, type({value}) in [int, double] ? ({name} in {} && {value} > 0) : ({name}.matches('({})$|^({})$') && (type({value}) == string ? ({value} != '' && !({}.replace('/', '').replace(' ', '') in {})) : type({value}) in [list, map] ? size({value}) > 0 : false)))",
        list(&words::error_counters()),
        words::error_ends().join("|"),
        words::error_keys().join("|"),
        flat(&value),
        list(&words::no_error())
    )
}

/// What else must hold at the top of a status, and between it and the spec.
pub(super) fn of_the_top(recipe: &Recipe) -> Vec<String> {
    let mut all = vec![
        format!("!(has(status.reason) && type(status.reason) == string && {})", hurts("status.reason")),
        format!(
            "!(has(status.message) && type(status.message) == string && {})",
            begins_badly("status.message")
        ),
        "!(has(status.lastScheduleTime) && has(status.lastSuccessfulTime) && string(status.lastScheduleTime) > string(status.lastSuccessfulTime) && !(has(status.active) && size(status.active) > 0))".to_owned(),
        format!("!{}", failures("status", "list, map")),
        format!("!{}", shares(recipe, "status")),
        format!("!{}", generations("status", true)),
        format!("!{}", below("status", LEVELS, &words::SKIPPED.join("|"), &|part, _| {
            format!("({} || {} || {})", shares(recipe, part), short_below(part), generations(part, false))
        })),
        "!status.exists(l, has(metadata.generation) && type(status[l]) == list && status[l].exists(x, type(x) == map && 'observedGeneration' in x && x.observedGeneration == metadata.generation) && status[l].exists(x, type(x) == map && 'observedGeneration' in x && x.observedGeneration < metadata.generation))".to_owned(),
        format!("!{}", short(recipe)),
        unanswered("listeners", "listeners", ""),
        unanswered("parentRefs", "parents", ".parentRef"),
    ];
    all.extend(["listeners", "parents", "ancestors"].map(|name| {
        let list = format!("status.{name}");
        let speaks = "(has(x.conditions) && size(x.conditions) > 0)";
        format!("!(has({list}) && {list}.exists(x, {speaks}) && {list}.exists(x, !{speaks}))")
    }));
    all
}

fn is_number(value: &str) -> String {
    format!(
        "(type({value}) in [int, double] || (type({value}) == string && {value}.matches('^[0-9]{{1,15}}$')))"
    )
}

/// Whether a fraction or a percentage is not whole.
fn shares(recipe: &Recipe, part: &str) -> String {
    let (name, value) = (flat("f"), format!("{part}[f]"));
    let side = |at: usize| format!("int({value}.split('/')[{at}].trim().split(' ')[0])");
    let fraction = format!(
        "({name}.matches('{}') && {value}.matches('^[0-9]{{1,6}} */ *[0-9]{{1,6}}( .*)?$') && {} < {})",
        words::fractions().join("|"),
        side(0),
        side(1)
    );
    let names = words::percentages(recipe);
    if names.is_empty() {
        return format!("{part}.exists(f, type({value}) == string && {fraction})");
    }
    let is_share = format!(
        "{name}.matches('{}') && !{name}.matches('^({})')",
        names.join("|"),
        words::limits().join("|")
    );
    let percentage = format!("({is_share} && {value}.matches('^ *[0-9]{{1,2}}([.][0-9]*)? *%$'))");
    let number = format!("({name}.contains('percent') && {is_share} && {value} >= 0 && {value} < 100)");
    format!(
        "{part}.exists(f, type({value}) == string ? ({fraction} || {percentage}) : (type({value}) in [int, double] && {number}))"
    )
}

/// Whether a generation that was observed is behind the one beside it, or in an annotation.
fn generations(part: &str, is_top: bool) -> String {
    let name = flat("g");
    let of = format!("{name}.replace('observed', '', 1)");
    let wanted = |other: &str, is: &str| {
        let is_one = words::GENERATIONS.map(|before| format!("{}{is}('{before}' + {of})", flat(other)));
        format!("({})", is_one.join(" || "))
    };
    let beside = format!(
        "{part}.exists(h, {} && {} && int({part}[g]) < int({part}[h]))",
        wanted("h", " == "),
        is_number(&format!("{part}[h]"))
    );
    let noted = format!(
        "(has(metadata.annotations) && type(metadata.annotations) == map && metadata.annotations.exists(h, {} && {} && int({part}[g]) < int(metadata.annotations[h])))",
        wanted("h", ".endsWith"),
        is_number("metadata.annotations[h]")
    );
    let (not, any) = if is_top {
        (format!("{name} != 'observedgeneration' && "), format!("({beside} || {noted})"))
    } else {
        (String::new(), beside)
    };
    format!(
        "{part}.exists(g, {not}{name}.matches('observed.*generation$') && {} && {any})",
        is_number(&format!("{part}[g]"))
    )
}

/// Whether a part has fewer than it says itself that it wants.
fn short_below(part: &str) -> String {
    let (name, other) = (flat("h"), flat("w"));
    let noun = format!("{name}.substring(size(p))");
    let is_wish = format!(
        "({noun} == '' ? {other} in ['size', 'total', 'desired', 'expected', 'replicas', 'desiredreplicas', 'desiredready'] : {other} in [{noun}, 'desired' + {noun}, 'expected' + {noun}, 'total' + {noun}])"
    );
    format!(
        "{part}.exists(h, type({part}[h]) in [int, double] && ['ready', 'healthy', 'available'].exists(p, {name}.startsWith(p) && (p != 'available' || {noun} in {}) && {part}.exists(w, type({part}[w]) in [int, double] && {is_wish} && {part}[h] < {part}[w])))",
        list(&words::counted())
    )
}

/// Whether a number has not reached the other that it has to reach.
fn short(recipe: &Recipe) -> String {
    let name = flat("h");
    let less = |part: &str| format!("double(status[h]) < double({part}[w])");
    let lacks = format!(
        "{name}.matches('^({})(({})$|({}))')",
        words::lacks(recipe).join("|"),
        words::counted().join("|"),
        words::counted_one().join("|")
    );
    // Every noun that the name may be about: after a beginning, or before an end.
    let nouns = format!(
        "({}.filter(p, {name}.startsWith(p)).map(p, {name} == p ? 'replicas' : {name}.substring(size(p))).filter(n, !{name}.startsWith('available') || n in {}) + {}.filter(n, {name}.matches('^' + n + '({})$')))",
        list(&words::have()),
        list(&words::counted()),
        list(&words::counted()),
        words::have_ends().join("|")
    );
    let of_spec = format!(
        "spec.exists(w, {} && (({} in {} && n in {}) || {} == n) && {})",
        is_number("spec[w]"),
        flat("w"),
        list(&words::sizes()),
        list(&words::sized()),
        flat("w"),
        less("spec")
    );
    let of_status = format!(
        "status.exists(w, {} && ({} in [n, 'total' + n] || {}.matches('^(desired|expected)')) && {})",
        is_number("status[w]"),
        flat("w"),
        flat("w"),
        less("status")
    );
    // An expression cannot add up what the items of a list want: several of them may want more.
    let of_lists = format!(
        "(n.endsWith('s') && spec.exists(w, type(spec[w]) == list && {}.startsWith(n.substring(0, size(n) - 1)) && spec[w].exists(x, type(x) == map && {}.exists(z, z in x && (size(spec[w]) > 1 || double(status[h]) < double(x[z]))))))",
        flat("w"),
        list(&words::item_sizes())
    );
    format!(
        "status.exists(h, {} && (({lacks} && double(status[h]) > 0.0) || {nouns}.exists(n, {of_spec} || {of_status} || {of_lists})))",
        is_number("status[h]"),
    )
}

/// That the status speaks of everything that the spec names, where it speaks of others.
fn unanswered(wishes: &str, answers: &str, below: &str) -> String {
    format!(
        "!(has(status.{answers}) && size(status.{answers}) > 0 && has(spec.{wishes}) && spec.{wishes}.exists(w, has(w.name) && !status.{answers}.exists(a, a{below}.name == w.name && ['namespace', 'sectionName', 'port'].all(f, !(f in w) || !(f in a{below}) || w[f] == a{below}[f]))))"
    )
}
