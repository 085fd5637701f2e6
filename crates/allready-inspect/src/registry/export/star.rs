//! A function for ytt, in its dialect of Starlark: tables of what is declared, and one body for all.

use std::fmt::Write as _;

use super::quoted_in;
use super::recipe::Recipe;
use super::tables::{Table, tables};

const BODY: &str = include_str!("body.star");

/// The file that has `is_done` for a kind.
pub(super) fn function(recipe: &Recipe) -> String {
    let mut text = format!("# {}, from the registry of allready\n", recipe.title());
    text.push_str("load(\"@ytt:struct\", \"struct\")\n\n");
    for (name, table) in tables(recipe) {
        let _ = writeln!(text, "{} = {}", name.to_ascii_uppercase(), told(&table));
    }
    text + BODY
}

fn told(table: &Table) -> String {
    let (open, items, close) = match table {
        Table::Nothing => return "None".to_owned(),
        Table::Truth(true) => return "True".to_owned(),
        Table::Truth(false) => return "False".to_owned(),
        Table::Text(text) => return quoted(text),
        Table::List(items) => ('[', items.iter().map(told).collect::<Vec<_>>(), ']'),
        // The dialect has no sets.
        Table::Set(words) => ('[', words.iter().map(|word| quoted(word)).collect(), ']'),
        Table::Map(entries) => ('{', entries.iter().map(|(key, value)| entry(key, value)).collect(), '}'),
        Table::Record(fields) => ('{', fields.iter().map(|(name, value)| entry(name, value)).collect(), '}'),
    };
    if table.has_rows() {
        format!("{open}\n  {},\n{close}", items.join(",\n  "))
    } else {
        format!("{open}{}{close}", items.join(", "))
    }
}

fn entry(key: &str, value: &Table) -> String {
    format!("{}: {}", quoted(key), told(value))
}

/// A text of Starlark.
fn quoted(text: &str) -> String {
    quoted_in('"', text)
}
