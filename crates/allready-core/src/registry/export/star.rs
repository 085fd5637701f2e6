//! A function for ytt, in its dialect of Starlark: a table of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::{Known, Recipe, Sort};
use super::words;
use crate::health::Health;

const BODY: &str = include_str!("body.star");

/// The file that has `is_done` for a kind.
pub(super) fn function(recipe: &Recipe) -> String {
    let mut text = format!("# {}, from the registry of allready\n", recipe.title());
    text.push_str("load(\"@ytt:struct\", \"struct\")\n\n");
    let (patterns, exact): (Vec<_>, Vec<_>) = recipe.conditions.iter().partition(|one| one.is_pattern());
    let exact = exact.iter().map(|one| format!("{}: {}", quoted(&one.type_), meaning(one, "")));
    let matching = |one: &&Known| meaning(one, &format!("\"parts\": {}, ", list(one.type_.split('*'))));
    let wordings = recipe.wordings.iter().map(|wording| {
        let words =
            wording.words.iter().map(|(word, &found)| format!("{}: {}", quoted(word), health(Some(found))));
        format!(
            "{{\"path\": {}, \"words\": {{{}}}, \"ignored\": {}, \"other\": {}}}",
            path(&wording.path),
            words.collect::<Vec<_>>().join(", "),
            list(wording.ignored.iter().map(String::as_str)),
            health(wording.other),
        )
    });
    let restings = recipe.resting.iter().map(|resting| {
        format!("{{\"path\": {}, \"value\": {}}}", path(&resting.path), quoted(&resting.value))
    });
    let reachings = recipe.reaching.iter().map(|reaching| {
        let (have, want) = (path(&reaching.have), path(&reaching.want));
        format!("{{\"have\": {have}, \"want\": {want}, \"short\": {}}}", health(Some(reaching.short)))
    });
    let declared = recipe.wordings.iter().filter_map(|wording| match wording.path.as_slice() {
        [status, field] if status == "status" => Some(field.as_str()),
        _ => None,
    });
    let steps = words::steps();
    let steps = steps.iter().map(|(key, step)| format!("{}: {}", quoted(key), quoted(step)));
    let tables = [
        ("STEPS", format!("{{{}}}", steps.collect::<Vec<_>>().join(", "))),
        ("ALWAYS", health(recipe.always)),
        ("SILENT", health(Some(recipe.silent))),
        ("CONDITIONS", format!("{{\n{}}}", rows(exact))),
        ("PATTERNS", format!("[\n{}]", rows(patterns.iter().map(matching)))),
        ("WORDINGS", format!("[\n{}]", rows(wordings))),
        ("RESTINGS", format!("[\n{}]", rows(restings))),
        ("REACHINGS", format!("[\n{}]", rows(reachings))),
        ("DECLARED_FIELDS", list(declared)),
        ("REQUIRED", path(&recipe.required)),
        ("HARD", list(words::hard())),
        ("RECOVERIES", list(words::RECOVERIES)),
        ("BROKEN", list(words::broken())),
        ("HURT", list(words::hurt().iter().map(String::as_str))),
        ("BEGINNINGS", list(words::BEGINNINGS)),
        ("RUN_WORDS", list(words::begins_a_run())),
        ("RUNS", list(words::runs())),
        ("OTHER_TIMES", list(words::OTHER_TIMES)),
        ("APART", list(words::APART)),
        ("BAD_NAMES", list(words::bad_names())),
        ("UNDER_WAY_ENDS", list(words::UNDER_WAY_ENDS)),
        ("DENIALS", list(words::DENIALS)),
        ("DONE", list(words::done())),
        ("AT_REST", list(words::at_rest())),
        ("GOOD_WORDS", list(words::good(recipe))),
        ("BAD_WORDS", list(words::bad())),
        ("RESTING_WORDS", list(words::resting())),
        ("NEUTRAL_WORDS", list(words::neutral())),
        ("STATE_KEYS", list(words::STATE_KEYS)),
        ("STATE_ENDS", list(words::STATE_ENDS)),
        ("GOOD_FLAGS", list(words::good_flags())),
        ("GOOD_FLAG_ENDS", list(words::GOOD_FLAG_ENDS)),
        ("GOOD_FLAG_START", quoted(words::GOOD_FLAG_START)),
        ("FLAG_DENIALS", list(words::FLAG_DENIALS)),
        ("STEPS_BY_FLAG", list(words::steps_by_flag())),
        ("BAD_FLAGS", list(words::bad_flags())),
        ("RESTING_FLAGS", list(words::resting_flags())),
        ("ERROR_ENDS", list(words::error_ends().iter().map(String::as_str))),
        ("ERROR_COUNTERS", list(words::ERROR_COUNTERS)),
        ("ERROR_KEYS", list(words::ERROR_KEYS)),
        ("NO_ERROR", list(words::NO_ERROR)),
        ("FAILURES", list(words::failures())),
        ("SKIPPED", list(words::SKIPPED)),
        ("MAPS_OF_STATES", list(words::MAPS_OF_STATES)),
        ("HAVINGS", list(words::HAVE)),
        ("HAVING_ENDS", list(words::HAVE_ENDS)),
        ("COUNTED", list(words::COUNTED)),
        ("COUNTED_ONE", list(words::COUNTED_ONE)),
        ("SIZED", list(words::SIZED)),
        ("ITEM_SIZES", list(words::ITEM_SIZES)),
        ("LACKS", list(words::lacks(recipe))),
        ("PERCENTAGES", list(words::percentages(recipe))),
        ("LIMITS", list(words::LIMITS)),
        ("GENERATIONS", list(words::GENERATIONS)),
        ("NOTED", list(words::NOTED)),
        ("NOTES", list(words::NOTES)),
        ("FRACTION_NAMES", list(words::FRACTIONS)),
        ("ASKED", list(words::ASKED)),
        ("SIZES", list(words::SIZES)),
        ("SWITCHES", list(words::SWITCHES)),
        ("STRATEGIES", list(words::STRATEGIES)),
        ("IS_BLIND", truth(recipe.is_blind).to_owned()),
        ("HAS_ITEMS", truth(recipe.has_items).to_owned()),
        ("HAS_NESTED", truth(recipe.has_nested).to_owned()),
    ];
    for (name, table) in tables {
        let _ = writeln!(text, "{name} = {table}");
    }
    text + BODY
}

fn rows(rows: impl Iterator<Item = String>) -> String {
    rows.map(|row| format!("  {row},\n")).collect::<Vec<_>>().concat()
}

fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn health(health: Option<Health>) -> String {
    health.map_or("None".to_owned(), |health| quoted(health.as_str()))
}

fn path(path: &[String]) -> String {
    list(path.iter().map(String::as_str))
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", words.into_iter().map(quoted).collect::<Vec<_>>().join(", "))
}

fn meaning(one: &Known, before: &str) -> String {
    let sort = match one.sort {
        Sort::Counts => "counts",
        Sort::Moves => return format!("{{{before}\"sort\": \"moves\"}}"),
        Sort::Rests => return format!("{{{before}\"sort\": \"rests\"}}"),
        Sort::Tells => return format!("{{{before}\"sort\": \"tells\"}}"),
        Sort::Mentions => return format!("{{{before}\"sort\": \"mentions\"}}"),
    };
    let reasons =
        one.reasons.iter().map(|(reason, &found)| format!("{}: {}", quoted(reason), health(Some(found))));
    format!(
        "{{{before}\"sort\": \"{sort}\", \"good\": {}, \"broken\": {}, \"bad\": {}, \"unknown\": {}, \"speaks\": {}, \"reasons\": {{{}}}}}",
        quoted(one.good()),
        quoted(one.bad_status()),
        health(one.bad),
        health(Some(one.unknown)),
        truth(one.speaks),
        reasons.collect::<Vec<_>>().join(", "),
    )
}

/// A text of Starlark: what is not plain is escaped, so that nothing can end the text early.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_end_its_quotes() {
        assert_eq!(quoted("a\"\\\né"), "\"a\\\"\\\\\\u000aé\"");
    }
}
