//! Objects as text, for people or for programs.

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{
    cli::Output,
    failure::Failure,
    printer::{is_obeyed, tame_json},
};

/// The form of an answer that is a table unless something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableOutput {
    /// A table with more columns.
    Wide,
    /// For programs.
    Json,
    /// For people who want everything.
    Yaml,
}

impl TableOutput {
    /// The form, where it is not a table.
    pub(crate) fn structured(self) -> Option<Output> {
        match self {
            Self::Wide => None,
            Self::Json => Some(Output::Json),
            Self::Yaml => Some(Output::Yaml),
        }
    }
}

/// One value.
pub(crate) fn value(value: &Value, output: Output) -> Result<String, Failure> {
    let json = || {
        let json = serde_json::to_string_pretty(value).map_err(Failure::output)?;
        Ok(tame_json(&json) + "\n")
    };
    if output == Output::Json {
        return json();
    }
    let yaml = serde_saphyr::to_string(value).map_err(Failure::output)?;
    // Every JSON value is a YAML value, and in JSON the escapes are ours to choose.
    if yaml.chars().any(|c| is_obeyed(c) && c != '\n') { json() } else { Ok(yaml) }
}

/// Some objects: documents of one YAML stream, or one List in JSON unless there is only one.
pub(crate) fn objects(objects: &[&Value], output: Output) -> Result<String, Failure> {
    match (objects, output) {
        ([one], _) => value(one, output),
        (many, Output::Json) => value(&json!({ "apiVersion": "v1", "kind": "List", "items": many }), output),
        (many, Output::Yaml) => {
            let documents: Result<Vec<_>, _> = many.iter().map(|one| value(one, output)).collect();
            Ok(documents?.join("---\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_an_escape_in_either_form() {
        let hostile = json!({ "message": "a\u{1b}[31m\u{202e}b", "other": "c\nd" });
        for output in [Output::Yaml, Output::Json] {
            let text = value(&hostile, output).unwrap();
            assert!(!text.chars().any(|c| is_obeyed(c) && c != '\n'), "{text:?}");
            let read: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
            assert_eq!(read, std::slice::from_ref(&hostile), "{output:?}");
        }
    }

    #[test]
    fn several_objects_are_documents_or_a_list() {
        let (one, two) = (json!({ "a": 1 }), json!({ "b": 2 }));
        assert_eq!(objects(&[&one, &two], Output::Yaml).unwrap(), "a: 1\n---\nb: 2\n");
        let list: Value = serde_json::from_str(&objects(&[&one, &two], Output::Json).unwrap()).unwrap();
        assert_eq!(list["items"], json!([{ "a": 1 }, { "b": 2 }]));
        assert_eq!(objects(&[&one], Output::Json).unwrap(), "{\n  \"a\": 1\n}\n");
    }
}
