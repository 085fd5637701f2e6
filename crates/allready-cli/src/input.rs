//! Reading what a person gives: a file or standard input, JSON or YAML.

use std::{
    fs,
    io::{BufRead as _, IsTerminal as _, Read as _},
    path::Path,
};

use serde_json::Value;

use crate::{
    failure::Failure,
    objects::documents,
    printer::{Printer, tame},
};

/// More than any list of conditions, and little enough to read at once.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads one document from a file, or from standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Value, Failure> {
    let (name, text) = read_text(path)?;
    parse(&text).map_err(|problem| Failure::data(format_args!("{name}: {problem}")))
}

/// Reads every document of a file; empty ones are null.
pub(crate) fn read_all(path: &Path) -> Result<Vec<Value>, Failure> {
    let (name, text) = read_text(path)?;
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    documents(&text).map_err(|problem| Failure::data(format_args!("{name}: {problem}")))
}

fn read_text(path: &Path) -> Result<(String, String), Failure> {
    let (name, bytes) = if path == Path::new("-") {
        ("standard input".to_owned(), read_bounded(std::io::stdin().lock()))
    } else {
        (tame(&path.display().to_string()), fs::File::open(path).and_then(read_bounded))
    };
    let bytes = bytes.map_err(|error| Failure::no_input(format_args!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::data(format_args!(
            "{name} is larger than 64 MiB: give fewer objects at a time"
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| Failure::data(format_args!("{name} is not UTF-8 text: {error}")))?;
    Ok((name, text))
}

fn read_bounded(reader: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Asks the person at the terminal; where there is none, nobody can agree.
pub(crate) fn confirm(question: &str, printer: &mut Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("refusing to delete without confirmation; pass --yes"));
    }
    printer.error_text(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::no_input(format_args!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// One document, JSON or YAML.
fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("there is nothing in it: give a list of conditions, or an object with status.conditions"
            .to_owned());
    }
    let documents = documents(text)?;
    let count = documents.len();
    let mut documents = documents.into_iter();
    match (documents.next(), count) {
        (Some(document), 1) => Ok(document),
        _ => Err(format!("it has {count} documents: give one list of conditions, or one object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_yaml_read_the_same() {
        let expected = serde_json::json!([{"type": "Ready", "status": true}]);
        assert_eq!(parse(r#"[{"type": "Ready", "status": true}]"#).unwrap(), expected);
        assert_eq!(parse("- type: Ready\n  status: True\n").unwrap(), expected);
        assert_eq!(parse("---\n- type: Ready\n  status: True\n").unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_place() {
        assert!(parse("  \n").unwrap_err().starts_with("there is nothing in it"));
        assert!(parse("a: 1\n---\nb: 2\n").unwrap_err().starts_with("it has 2 documents"));
        let error = parse("a: [1,\nb: }").unwrap_err();
        assert!(error.starts_with("this is neither JSON nor YAML: line "), "{error}");
    }
}
