//! YAML as the real server writes it: byte for byte what `sigs.k8s.io/yaml` makes of the JSON.

mod order;
mod page;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use page::Page;

/// Longer keys are written in the long form, after a question mark.
const SIMPLE_KEY: usize = 128;
/// How deep values are followed. The decoder lets nothing deeper in.
const DEEPEST: usize = 512;

/// Writes a value.
pub(crate) fn to_string(value: &Value) -> String {
    let mut page = Page::default();
    node(&mut page, value, None, 0);
    page.finish()
}

/// `outer` is where the lines of the surrounding block begin; there is none around the whole.
fn node(page: &mut Page, value: &Value, outer: Option<usize>, depth: usize) {
    let inner = outer.map_or(0, |outer| outer + 2);
    match value {
        Value::Object(fields) if !fields.is_empty() && depth < DEEPEST => mapping(page, fields, inner, depth),
        Value::Array(items) if !items.is_empty() && depth < DEEPEST => sequence(page, items, inner, depth),
        Value::Object(_) => page.word("{}"),
        Value::Array(_) => page.word("[]"),
        Value::Null => page.word("null"),
        Value::Bool(truth) => page.word(if *truth { "true" } else { "false" }),
        Value::Number(number) => page.word(&scalar::number(number)),
        Value::String(text) => page.text(text, outer.unwrap_or(0) + 2, scalar::style(text, false), true),
    }
}

fn mapping(page: &mut Page, fields: &Map<String, Value>, indent: usize, depth: usize) {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by(|(one, _), (other, _)| order::compare(one, other));
    for (key, value) in fields {
        page.start_line(indent);
        if key.len() <= SIMPLE_KEY && !key.contains(scalar::is_break) {
            page.text(key, indent + 2, scalar::style(key, true), false);
            page.colon();
        } else {
            page.indicator("?");
            page.text(key, indent + 2, scalar::style(key, false), true);
            page.start_line(indent);
            page.indicator(":");
        }
        match value {
            // A list in a mapping stands where its key does, unless it begins on the line of an indicator.
            Value::Array(items) if !items.is_empty() && depth < DEEPEST && !page.in_indentation() => {
                sequence(page, items, indent, depth + 1);
            }
            value => node(page, value, Some(indent), depth + 1),
        }
    }
}

fn sequence(page: &mut Page, items: &[Value], indent: usize, depth: usize) {
    for item in items {
        page.start_line(indent);
        page.indicator("-");
        node(page, item, Some(indent), depth + 1);
    }
}
