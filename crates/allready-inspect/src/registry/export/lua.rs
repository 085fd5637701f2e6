//! Health scripts for Argo CD: tables of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::{Known, Recipe, cut};
use super::words;

const BODY: &str = include_str!("body.lua");

/// The script for a kind. It needs the standard libraries, which `resource.customizations.useOpenLibs` opens.
pub(super) fn script(recipe: &Recipe) -> String {
    let mut text = format!("-- {}, as `allready registry export` tells it.\n", recipe.title());
    let blocks = recipe.blocks();
    let mut table = |name: &str, rows: Vec<String>| {
        if blocks.contains(&name) {
            let rows = rows.iter().map(|row| ["  ", row, ",\n"].concat()).collect::<String>();
            let _ = write!(text, "local {name} = {{\n{rows}}}\n");
        }
    };
    let of = |is_pattern: bool| recipe.conditions.iter().filter(move |one| one.is_pattern() == is_pattern);
    table("types", of(false).map(|one| format!("[{}] = {}", quoted(&one.type_), meaning(one))).collect());
    let pattern = |one: &Known| format!("{{ {}, {} }}", quoted(&pattern(&one.type_)), meaning(one));
    table("patterns", of(true).map(pattern).collect());
    table("required", recipe.required.iter().map(|type_| quoted(type_)).collect());
    let words = recipe.words.iter().map(|(path, words)| {
        let words = words.iter().map(|(word, health)| {
            format!("[{}] = {}", quoted(word), quoted(health.map_or("ignore", |health| health.as_str())))
        });
        format!("[{}] = {{ {} }}", quoted(&path.join("|")), words.collect::<Vec<_>>().join(", "))
    });
    table("words", words.collect());
    let rests = recipe.rests.iter();
    table(
        "rests",
        rests.map(|(path, value)| format!("[{}] = {}", quoted(&path.join("|")), quoted(value))).collect(),
    );
    let counts = recipe.counts.iter().map(|count| {
        let [have, want] = [&count.have, &count.want].map(|path| quoted(&path.join("|")));
        format!("{{ have = {have}, want = {want}, short = {} }}", quoted(count.short.as_str()))
    });
    table("counts", counts.collect());
    text + &words::fill(&cut(BODY, "--@", recipe), " ")
}

fn meaning(one: &Known) -> String {
    let mut fields = vec![format!("good = {}", quoted(one.good.word()))];
    if one.good != super::recipe::Good::Any {
        fields.push(format!("bad = {}, skips = {}", quoted(one.bad.as_str()), quoted(one.good.skips())));
    }
    if one.tells {
        fields.push("tells = true".to_owned());
    }
    format!("{{ {} }}", fields.join(", "))
}

/// A pattern of Lua.
fn pattern(type_: &str) -> String {
    let mut pattern = String::from("^");
    for c in type_.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            c if c.is_ascii_alphanumeric() => pattern.push(c),
            c => pattern.extend(['%', c]),
        }
    }
    pattern + "$"
}

/// A text of Lua: what is not plain is written by its bytes, so that nothing can end the text early.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b" -_./:*^$%|".contains(&byte) {
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
