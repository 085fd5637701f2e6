//! What a script has to know of a kind, as tables with names: the same in every language that has tables.

use super::recipe::{Known, Recipe, Sort};
use super::words;
use crate::health::Health;

/// A value that a language has a form for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Nothing,
    Truth(bool),
    Text(String),
    List(Vec<Table>),
    /// Words of which it is asked whether one is among them.
    Set(Vec<String>),
    /// Anything by any text.
    Map(Vec<(String, Table)>),
    /// Fields that the body of the script asks for by name.
    Record(Vec<(&'static str, Table)>),
}

impl Table {
    /// Whether it is of records, which are read one a line.
    pub(super) fn has_rows(&self) -> bool {
        let is_record = |table: &Table| matches!(table, Table::Record(_));
        match self {
            Table::List(items) => items.iter().any(is_record),
            Table::Map(entries) => entries.iter().any(|(_, value)| is_record(value)),
            _ => false,
        }
    }
}

/// Every table of a kind, by the name that the body has for it.
pub(super) fn tables(recipe: &Recipe) -> Vec<(&'static str, Table)> {
    let mut tables = declared(recipe);
    tables.extend(words(recipe));
    tables
}

/// What is declared of the kind.
fn declared(recipe: &Recipe) -> Vec<(&'static str, Table)> {
    let (patterns, exact): (Vec<_>, Vec<_>) = recipe.conditions.iter().partition(|one| one.is_pattern());
    let exact = exact.into_iter().map(|one| (one.type_.clone(), meaning(one, None)));
    let matching = |one: &Known| meaning(one, Some(list(one.type_.split('*'))));
    let wordings = recipe.wordings.iter().map(|wording| {
        Table::Record(vec![
            ("path", list(&wording.path)),
            (
                "words",
                Table::Map(
                    wording.words.iter().map(|(word, &found)| (word.clone(), health(found))).collect(),
                ),
            ),
            ("ignored", set(&wording.ignored)),
            ("other", wording.other.map_or(Table::Nothing, health)),
        ])
    });
    let restings = recipe.resting.iter().map(|resting| {
        Table::Record(vec![("path", list(&resting.path)), ("value", Table::Text(resting.value.clone()))])
    });
    let reachings = recipe.reaching.iter().map(|reaching| {
        let (have, want) = (list(&reaching.have), list(&reaching.want));
        Table::Record(vec![("have", have), ("want", want), ("short", health(reaching.short))])
    });
    let fields = recipe.wordings.iter().filter_map(|wording| match wording.path.as_slice() {
        [status, field] if status == "status" => Some(field),
        _ => None,
    });
    vec![
        ("always", recipe.always.map_or(Table::Nothing, health)),
        ("silent", health(recipe.silent)),
        ("conditions", Table::Map(exact.collect())),
        ("patterns", Table::List(patterns.into_iter().map(matching).collect())),
        ("wordings", Table::List(wordings.collect())),
        ("restings", Table::List(restings.collect())),
        ("reachings", Table::List(reachings.collect())),
        ("declared_fields", set(fields)),
        ("required", set(&recipe.required)),
        ("is_blind", Table::Truth(recipe.is_blind)),
        ("has_items", Table::Truth(recipe.has_items)),
        ("has_nested", Table::Truth(recipe.has_nested)),
    ]
}

/// What words mean in any kind.
fn words(recipe: &Recipe) -> Vec<(&'static str, Table)> {
    let steps = words::steps().into_iter().map(|(key, step)| (key, Table::Text(step.to_owned())));
    vec![
        ("steps", Table::Map(steps.collect())),
        ("hard", set(words::hard())),
        ("recoveries", set(words::RECOVERIES)),
        ("broken_words", set(words::broken())),
        ("hurt", set(words::hurt())),
        ("beginnings", set(words::BEGINNINGS)),
        ("run_words", set(words::begins_a_run())),
        ("runs", set(words::runs())),
        ("other_times", set(words::other_times())),
        ("apart", set(words::apart())),
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
        ("state_keys", set(words::state_keys())),
        ("state_ends", set(words::state_ends())),
        ("good_flags", set(words::good_flags())),
        ("good_flag_ends", set(words::good_flag_ends())),
        ("good_flag_starts", set([words::GOOD_FLAG_START])),
        ("flag_denials", set(words::FLAG_DENIALS)),
        ("steps_by_flag", set(words::steps_by_flag())),
        ("bad_flags", set(words::bad_flags())),
        ("resting_flags", set(words::resting_flags())),
        ("error_ends", set(words::error_ends())),
        ("error_counters", set(words::error_counters())),
        ("error_keys", set(words::error_keys())),
        ("no_error", set(words::no_error())),
        ("failures", set(words::failures())),
        ("skipped", set(words::SKIPPED)),
        ("maps_of_states", set(words::maps_of_states())),
        ("havings", set(words::have())),
        ("having_ends", set(words::have_ends())),
        ("counted", set(words::counted())),
        ("counted_one", set(words::counted_one())),
        ("sized", set(words::sized())),
        ("item_sizes", list(words::item_sizes())),
        ("lacks", set(words::lacks(recipe))),
        ("percentages", set(words::percentages(recipe))),
        ("limits", set(words::limits())),
        ("generations", list(words::GENERATIONS)),
        ("noted_words", set(words::noted())),
        ("note_ends", set(words::notes())),
        ("fraction_names", set(words::fractions())),
        ("asked", set(words::ASKED)),
        ("sizes", list(words::sizes())),
        ("switches", list(words::SWITCHES)),
        ("strategies", list(words::STRATEGIES)),
    ]
}

/// What a condition means; of a pattern also the parts of its type between what may be anything.
fn meaning(one: &Known, parts: Option<Table>) -> Table {
    let sort = match one.sort {
        Sort::Counts => "counts",
        Sort::Moves => "moves",
        Sort::Rests => "rests",
        Sort::Tells => "tells",
        Sort::Mentions => "mentions",
    };
    let mut fields = Vec::new();
    fields.extend(parts.map(|parts| ("parts", parts)));
    fields.push(("sort", Table::Text(sort.to_owned())));
    if one.sort == Sort::Counts {
        let reasons = one.reasons.iter().map(|(reason, &found)| (reason.clone(), health(found)));
        fields.extend([
            ("good", Table::Text(one.good().to_owned())),
            ("broken", Table::Text(one.bad_status().to_owned())),
            ("bad", one.bad.map_or(Table::Nothing, health)),
            ("unknown", health(one.unknown)),
            ("speaks", Table::Truth(one.speaks)),
            ("reasons", Table::Map(reasons.collect())),
        ]);
    }
    Table::Record(fields)
}

fn health(health: Health) -> Table {
    Table::Text(health.as_str().to_owned())
}

fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Table {
    Table::List(texts.into_iter().map(|text| Table::Text(text.as_ref().to_owned())).collect())
}

fn set<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Table {
    Table::Set(words.into_iter().map(|word| word.as_ref().to_owned()).collect())
}
