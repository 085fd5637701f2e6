//! A function for ytt, in its dialect of Starlark: tables of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::{Good, Known, Recipe, cut};
use super::{cel, quoted_in, words};

const BODY: &str = include_str!("body.star");

/// The file that has `is_done` for a kind.
pub(super) fn function(recipe: &Recipe) -> String {
    let mut text = format!("# {}, as `allready registry export` tells it.\n", recipe.title());
    text.push_str("load(\"@ytt:struct\", \"struct\")\nload(\"@ytt:regexp\", \"regexp\")\n\n");
    let blocks = recipe.blocks();
    let mut table = |name: &str, [open, close]: [&str; 2], rows: Vec<String>| {
        if blocks.contains(&name) {
            let rows = rows.iter().map(|row| ["  ", row, ",\n"].concat()).collect::<String>();
            let _ = write!(text, "{} = {open}\n{rows}{close}\n", name.to_uppercase());
        }
    };
    let (dict, list) = (["{", "}"], ["[", "]"]);
    let of = |is_pattern: bool| recipe.conditions.iter().filter(move |one| one.is_pattern() == is_pattern);
    table("types", dict, of(false).map(|one| format!("{}: {}", quoted(&one.type_), meaning(one))).collect());
    let pattern = |one: &Known| format!("({}, {})", quoted(&cel::pattern(&one.type_)), meaning(one));
    table("patterns", list, of(true).map(pattern).collect());
    table("required", list, recipe.required.iter().map(|type_| quoted(type_)).collect());
    let words = recipe.words.iter().map(|(path, words)| {
        let words = words.iter().map(|(word, health)| {
            format!("{}: {}", quoted(word), quoted(health.map_or("ignore", |health| health.as_str())))
        });
        format!("{}: {{{}}}", quoted(&path.join("|")), words.collect::<Vec<_>>().join(", "))
    });
    table("words", dict, words.collect());
    let rests = recipe.rests.iter();
    table(
        "rests",
        dict,
        rests.map(|(path, value)| format!("{}: {}", quoted(&path.join("|")), quoted(value))).collect(),
    );
    let counts = recipe.counts.iter().map(|count| {
        let [have, want] = [&count.have, &count.want].map(|path| quoted(&path.join("|")));
        format!("{{\"have\": {have}, \"want\": {want}, \"short\": {}}}", quoted(count.short.as_str()))
    });
    table("counts", list, counts.collect());
    text + &words::fill(&cut(BODY, "#@", recipe), "|")
}

fn meaning(one: &Known) -> String {
    let mut fields = vec![format!("\"good\": {}", quoted(one.good.word()))];
    if one.good != Good::Any {
        fields.push(format!(
            "\"bad\": {}, \"skips\": {}",
            quoted(one.bad.as_str()),
            quoted(one.good.skips())
        ));
    }
    if one.tells {
        fields.push("\"tells\": True".to_owned());
    }
    format!("{{{}}}", fields.join(", "))
}

/// A text of Starlark.
fn quoted(text: &str) -> String {
    quoted_in('"', text)
}
