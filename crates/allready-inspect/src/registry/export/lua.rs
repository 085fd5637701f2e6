//! Health scripts for Argo CD: tables of what is declared, and one body for all.

use std::fmt::Write as _;

use super::recipe::Recipe;
use super::tables::{Table, tables};

const BODY: &str = include_str!("body.lua");

/// The script for a kind.
pub(super) fn script(recipe: &Recipe) -> String {
    let mut text = format!("-- {}, from the registry of allready\n", recipe.title());
    for (name, table) in tables(recipe).into_iter().chain(letters()) {
        let _ = writeln!(text, "local {name} = {}", told(&table));
    }
    text.push('\n');
    text + BODY
}

/// What another language would know of letters by itself.
fn letters() -> [(&'static str, Table); 2] {
    let plain = || (b' '..=b'~').map(char::from);
    let alphabet = plain().map(|letter| Table::Text(letter.to_string()));
    let small = plain()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| (letter.to_string(), Table::Text(letter.to_ascii_lowercase().to_string())));
    [("alphabet", Table::List(alphabet.collect())), ("small_letters", Table::Map(small.collect()))]
}

fn told(table: &Table) -> String {
    let items: Vec<String> = match table {
        Table::Nothing => return "nil".to_owned(),
        Table::Truth(value) => return value.to_string(),
        Table::Text(text) => return quoted(text),
        Table::List(items) => items.iter().map(told).collect(),
        Table::Set(words) => words.iter().map(|word| format!("[{}] = true", quoted(word))).collect(),
        Table::Map(entries) => {
            entries.iter().map(|(key, value)| format!("[{}] = {}", quoted(key), told(value))).collect()
        }
        Table::Record(fields) => {
            fields.iter().map(|(name, value)| format!("{name} = {}", told(value))).collect()
        }
    };
    if items.is_empty() {
        "{}".to_owned()
    } else if table.has_rows() {
        format!("{{\n  {},\n}}", items.join(",\n  "))
    } else {
        format!("{{ {} }}", items.join(", "))
    }
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
