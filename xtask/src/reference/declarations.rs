//! The table of what an entry of a file of declarations may have, from its JSON Schema.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The table, as Markdown.
pub(super) fn table() -> Result<String> {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/schemas/registry.json"))?;
    let fields = schema["$defs"]["Entry"]["properties"].as_object().context("the schema has no entries")?;
    let mut table = String::from("| field of an entry | meaning |\n|---|---|\n");
    for (name, field) in fields {
        let meaning = field["description"].as_str().with_context(|| format!("{name} has no description"))?;
        let meaning = meaning.replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(table, "| `{name}` | {meaning} |");
    }
    Ok(table)
}
