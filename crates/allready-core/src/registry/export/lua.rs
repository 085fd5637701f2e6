//! Health scripts for Argo CD: a table of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::{Known, Recipe, Sort};
use super::words;
use crate::health::Health;

const BODY: &str = include_str!("body.lua");

/// The script for a kind.
pub(super) fn script(recipe: &Recipe) -> String {
    let mut text = format!("-- {}, from the registry of allready\n", recipe.title());
    let health = |health: Option<Health>| health.map_or("nil".to_owned(), |health| quoted(health.as_str()));
    let _ = writeln!(text, "local always = {}", health(recipe.always));
    let _ = writeln!(text, "local silent = {}", health(Some(recipe.silent)));
    let (patterns, exact): (Vec<_>, Vec<_>) = recipe.conditions.iter().partition(|one| one.is_pattern());
    table(
        &mut text,
        "conditions",
        exact.iter().map(|one| format!("[{}] = {}", quoted(&one.type_), meaning(one, ""))),
    );
    let matching = |one: &&Known| meaning(one, &format!("parts = {}, ", list(one.type_.split('*'))));
    table(&mut text, "patterns", patterns.iter().map(matching));
    table(
        &mut text,
        "wordings",
        recipe.wordings.iter().map(|wording| {
            let words = wording
                .words
                .iter()
                .map(|(word, &health)| format!("[{}] = {}", quoted(word), quoted(health.as_str())));
            format!(
                "{{ path = {}, words = {{ {} }}, ignored = {}, other = {} }}",
                list(wording.path.iter().map(String::as_str)),
                words.collect::<Vec<_>>().join(", "),
                set(wording.ignored.iter().map(String::as_str)),
                health(wording.other),
            )
        }),
    );
    table(
        &mut text,
        "restings",
        recipe.resting.iter().map(|resting| {
            let path = list(resting.path.iter().map(String::as_str));
            format!("{{ path = {path}, value = {} }}", quoted(&resting.value))
        }),
    );
    table(
        &mut text,
        "reachings",
        recipe.reaching.iter().map(|reaching| {
            let [have, want] =
                [&reaching.have, &reaching.want].map(|path| list(path.iter().map(String::as_str)));
            format!("{{ have = {have}, want = {want}, short = {} }}", quoted(reaching.short.as_str()))
        }),
    );
    for (name, words) in sets(recipe) {
        let _ = writeln!(text, "local {name} = {words}");
    }
    let steps = words::steps();
    let steps = steps.iter().map(|(key, step)| format!("[{}] = {}", quoted(key), quoted(step)));
    let _ = writeln!(text, "local steps = {{ {} }}", steps.collect::<Vec<_>>().join(", "));
    let plain: Vec<String> = (b' '..=b'~').map(|byte| char::from(byte).to_string()).collect();
    let _ = writeln!(text, "local alphabet = {}", list(plain.iter().map(String::as_str)));
    let small = (b' '..=b'~')
        .filter(u8::is_ascii_alphanumeric)
        .map(|byte| format!("[\"{}\"] = \"{}\"", char::from(byte), char::from(byte.to_ascii_lowercase())));
    let _ = writeln!(text, "local small_letters = {{ {} }}", small.collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "local is_blind = {}", recipe.is_blind);
    let _ = writeln!(text, "local has_items = {}", recipe.has_items);
    let _ = writeln!(text, "local has_nested = {}\n", recipe.has_nested);
    text + BODY
}

/// What words mean in any kind, by the names that the body has for them.
fn sets(recipe: &Recipe) -> Vec<(&'static str, String)> {
    let declared = recipe.wordings.iter().filter_map(|wording| match wording.path.as_slice() {
        [status, field] if status == "status" => Some(field.as_str()),
        _ => None,
    });
    vec![
        ("declared_fields", set(declared)),
        ("required", set(recipe.required.iter().map(String::as_str))),
        ("hard", set(words::hard())),
        ("recoveries", set(words::RECOVERIES)),
        ("broken_words", set(words::broken())),
        ("hurt", set(words::hurt().iter().map(String::as_str))),
        ("beginnings", set(words::BEGINNINGS)),
        ("run_words", set(words::begins_a_run())),
        ("runs", set(words::runs())),
        ("other_times", set(words::OTHER_TIMES)),
        ("apart", set(words::APART)),
        ("bad_names", set(words::bad_names())),
        ("under_way_ends", set(words::UNDER_WAY_ENDS)),
        ("denials", set(words::DENIALS)),
        ("done", set(words::done())),
        ("at_rest", set(words::at_rest())),
        ("at_rest_or_reconciled", set(words::at_rest().into_iter().chain(["reconcil"]))),
        ("good_words", set(words::good(recipe))),
        ("bad_words", set(words::bad())),
        ("resting_words", set(words::resting())),
        ("neutral_words", set(words::neutral())),
        ("state_keys", set(words::STATE_KEYS)),
        ("state_ends", set(words::STATE_ENDS)),
        ("good_flags", set(words::good_flags())),
        ("good_flag_ends", set(words::GOOD_FLAG_ENDS)),
        ("good_flag_starts", set([words::GOOD_FLAG_START])),
        ("flag_denials", set(words::FLAG_DENIALS)),
        ("steps_by_flag", set(words::steps_by_flag())),
        ("bad_flags", set(words::bad_flags())),
        ("resting_flags", set(words::resting_flags())),
        ("error_ends", set(words::error_ends().iter().map(String::as_str))),
        ("error_counters", set(words::ERROR_COUNTERS)),
        ("error_keys", set(words::ERROR_KEYS)),
        ("no_error", set(words::NO_ERROR)),
        ("failures", set(words::failures())),
        ("skipped", set(words::SKIPPED)),
        ("maps_of_states", set(words::MAPS_OF_STATES)),
        ("havings", set(words::HAVE)),
        ("having_ends", set(words::HAVE_ENDS)),
        ("counted", set(words::COUNTED)),
        ("counted_one", set(words::COUNTED_ONE)),
        ("sized", set(words::SIZED)),
        ("item_sizes", list(words::ITEM_SIZES)),
        ("lacks", set(words::lacks(recipe))),
        ("percentages", set(words::percentages(recipe))),
        ("limits", set(words::LIMITS)),
        ("generations", list(words::GENERATIONS)),
        ("noted_words", set(words::NOTED)),
        ("note_ends", set(words::NOTES)),
        ("fraction_names", set(words::FRACTIONS)),
        ("asked", set(words::ASKED)),
        ("sizes", list(words::SIZES)),
        ("switches", list(words::SWITCHES)),
        ("strategies", list(words::STRATEGIES)),
    ]
}

/// Words as the keys of a table.
fn set<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("[{}] = true", quoted(word))).collect();
    if words.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", words.join(", ")) }
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    format!("{{ {} }}", words.into_iter().map(quoted).collect::<Vec<_>>().join(", "))
}

fn table(text: &mut String, name: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.map(|row| format!("  {row},\n")).collect();
    let _ = if rows.is_empty() {
        writeln!(text, "local {name} = {{}}")
    } else {
        writeln!(text, "local {name} = {{\n{}}}", rows.concat())
    };
}

fn meaning(one: &Known, before: &str) -> String {
    let sort = match one.sort {
        Sort::Counts => "counts",
        Sort::Moves => return format!("{{ {before}sort = \"moves\" }}"),
        Sort::Rests => return format!("{{ {before}sort = \"rests\" }}"),
        Sort::Tells => return format!("{{ {before}sort = \"tells\" }}"),
        Sort::Mentions => return format!("{{ {before}sort = \"mentions\" }}"),
    };
    let reasons = one
        .reasons
        .iter()
        .map(|(reason, &health)| format!("[{}] = {}", quoted(reason), quoted(health.as_str())));
    format!(
        "{{ {before}sort = \"{sort}\", good = {}, broken = {}, bad = {}, unknown = {}, speaks = {}, reasons = {{ {} }} }}",
        quoted(one.good()),
        quoted(one.bad_status()),
        one.bad.map_or("nil".to_owned(), |bad| quoted(bad.as_str())),
        quoted(one.unknown.as_str()),
        one.speaks,
        reasons.collect::<Vec<_>>().join(", "),
    )
}

/// A text of Lua: what is not plain is written by its bytes, so that nothing can end the text early.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b" -_./:*^$%".contains(&byte) {
            quoted.push(char::from(byte));
        } else {
            let _ = write!(quoted, "\\{byte:03}");
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
        assert_eq!(quoted("a\"\\\n]]é"), "\"a\\034\\092\\010\\093\\093\\195\\169\"");
    }
}
