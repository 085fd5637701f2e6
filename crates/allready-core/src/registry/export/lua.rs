//! Health scripts for Argo CD: a table of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::{BROKEN_WORDS, Counting, Recipe, STATE_FIELDS, WAITING_WORDS};

const BODY: &str = include_str!("body.lua");

/// The script for a kind.
pub(super) fn script(recipe: &Recipe) -> String {
    let mut text = format!("-- {}, from the registry of allready\n", recipe.title());
    if let Some(always) = recipe.always {
        let _ = writeln!(text, "return {{ status = {}, message = \"\" }}", quoted(always.as_str()));
        return text;
    }
    let (patterns, exact): (Vec<_>, Vec<_>) = recipe.conditions.iter().partition(|one| one.is_pattern());
    table(
        &mut text,
        "conditions",
        exact.iter().map(|one| format!("[{}] = {}", quoted(&one.type_), meaning(one, ""))),
    );
    let matching = |one: &&Counting| meaning(one, &format!("match = {}, ", quoted(&pattern(&one.type_))));
    table(&mut text, "patterns", patterns.iter().map(matching));
    let known = |type_: &String| format!("[{}] = true", quoted(type_));
    table(&mut text, "activities", recipe.activities.iter().map(known));
    table(&mut text, "suspensions", recipe.suspensions.iter().map(known));
    table(
        &mut text,
        "wordings",
        recipe.wordings.iter().map(|wording| {
            let words = wording
                .words
                .iter()
                .map(|(word, &health)| format!("[{}] = {}", quoted(word), quoted(health.as_str())));
            let ignored = wording.ignored.iter().map(known);
            let other = wording.other.map_or("nil".to_owned(), |health| quoted(health.as_str()));
            format!(
                "{{ path = {}, words = {{ {} }}, ignored = {{ {} }}, other = {other} }}",
                path(&wording.path),
                words.collect::<Vec<_>>().join(", "),
                ignored.collect::<Vec<_>>().join(", "),
            )
        }),
    );
    table(
        &mut text,
        "restings",
        recipe.resting.iter().map(|resting| {
            format!("{{ path = {}, value = {} }}", path(&resting.path), quoted(&resting.value))
        }),
    );
    table(
        &mut text,
        "reachings",
        recipe.reaching.iter().map(|reaching| {
            let (have, want) = (path(&reaching.have), path(&reaching.want));
            format!("{{ have = {have}, want = {want}, short = {} }}", quoted(reaching.short.as_str()))
        }),
    );
    let word = |word: &str| format!("[{}] = true", quoted(word));
    table(&mut text, "declared_fields", recipe.declared_fields().map(word));
    table(&mut text, "state_fields", STATE_FIELDS.into_iter().map(word));
    table(&mut text, "broken_words", BROKEN_WORDS.into_iter().map(word));
    table(&mut text, "waiting_words", WAITING_WORDS.into_iter().map(word));
    let _ = writeln!(text, "local has_items = {}", recipe.has_items);
    let _ = writeln!(text, "local has_nested = {}\n", recipe.has_nested);
    text + BODY
}

fn table(text: &mut String, name: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.map(|row| format!("  {row},\n")).collect();
    let _ = if rows.is_empty() {
        writeln!(text, "local {name} = {{}}")
    } else {
        writeln!(text, "local {name} = {{\n{}}}", rows.concat())
    };
}

fn meaning(one: &Counting, before: &str) -> String {
    let reasons = one
        .reasons
        .iter()
        .map(|(reason, &health)| format!("[{}] = {}", quoted(reason), quoted(health.as_str())));
    format!(
        "{{ {before}good = {}, broken = {}, bad = {}, unknown = {}, speaks = {}, reasons = {{ {} }} }}",
        quoted(one.good()),
        quoted(one.bad_status()),
        quoted(one.bad.as_str()),
        quoted(one.unknown.as_str()),
        one.speaks,
        reasons.collect::<Vec<_>>().join(", "),
    )
}

fn path(path: &[String]) -> String {
    format!("{{ {} }}", path.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
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

/// A pattern of Lua for a type in which `*` stands for anything.
fn pattern(type_: &str) -> String {
    let mut pattern = String::from("^");
    for c in type_.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            c if c.is_ascii_alphanumeric() => pattern.push(c),
            c if c.is_ascii() => pattern.extend(['%', c]),
            c => pattern.push(c),
        }
    }
    pattern + "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_end_its_quotes() {
        assert_eq!(quoted("a\"\\\n]]é"), "\"a\\034\\092\\010\\093\\093\\195\\169\"");
        assert_eq!(pattern("*Ready.x"), "^.*Ready%.x$");
    }
}
