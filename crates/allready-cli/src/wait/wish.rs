//! What `--for` says.

use std::str::FromStr;

use allready_core::Status;
use allready_kube::wait::{HasCondition, has_condition};

use super::field::Field;

/// Something that is wished of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// It is well, by the verdict that `check` gives.
    Healthy,
    /// It is gone.
    Delete,
    /// It is there.
    Create,
    /// It has a condition.
    Condition(Box<HasCondition>),
    /// A field is there, or has a value.
    Field(Box<Field>),
}

impl FromStr for Wish {
    type Err = String;

    /// `healthy`, `delete`, `create`, `Type`, `Type=Status`, `Type=Status:Reason|Reason`, and each of these behind a path
    /// such as `listeners[web].`. What kubectl takes is taken too: `condition=Type=Status`, `jsonpath={.path}=value`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("jsonpath=") {
            return Ok(Self::Field(Box::new(Field::parse(path)?)));
        }
        // A condition may have a name that is a word of its own otherwise.
        let (text, is_condition) = match text.strip_prefix("condition=") {
            Some(text) => (text, true),
            None => (text, false),
        };
        match text.to_ascii_lowercase().as_str() {
            "" => return Err("--for is empty".to_owned()),
            "healthy" if !is_condition => return Ok(Self::Healthy),
            "delete" if !is_condition => return Ok(Self::Delete),
            "create" if !is_condition => return Ok(Self::Create),
            path if path.starts_with(['{', '.']) => {
                return Err(format!("to wait for a field, write jsonpath={text}"));
            }
            _ => {}
        }
        // Brackets may have anything in them; what is behind the last one is Type=Status:Reason.
        let (path, condition) = match text.rfind(']') {
            Some(end) => {
                let (path, rest) = text.split_at(end + 1);
                let rest = rest.strip_prefix('.').ok_or("after the bracket comes a dot, and then a type")?;
                (Some(path), rest.strip_prefix("conditions.").unwrap_or(rest))
            }
            None => (None, text),
        };
        let wished = wished(condition)?;
        Ok(Self::Condition(Box::new(match path {
            Some(path) => nested(wished, path)?,
            None => wished,
        })))
    }
}

/// `Type=Status:Reason|Reason`.
fn wished(text: &str) -> Result<HasCondition, String> {
    let (text, reasons) = match text.split_once(':') {
        Some((text, reasons)) => (text, Some(reasons)),
        None => (text, None),
    };
    let (type_, status) = match text.split_once('=') {
        Some((type_, status)) => (type_, Some(status)),
        None => (text, None),
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if type_.is_empty() || !type_.chars().all(is_part) {
        return Err(format!("{type_:?} is no type of a condition"));
    }
    let mut wished = has_condition(type_).any_case();
    if let Some(status) = status {
        wished = match status.to_ascii_lowercase().as_str() {
            "true" => wished.status(Status::True),
            "false" => wished.status(Status::False),
            "unknown" => wished.status(Status::Unknown),
            "any" => wished.any_status(),
            _ => return Err(format!("{status:?} is no status: write True, False, Unknown or any")),
        };
    }
    for reason in reasons.into_iter().flat_map(|reasons| reasons.split('|')) {
        if reason.is_empty() {
            return Err("a reason is empty".to_owned());
        }
        wished = wished.reason(reason);
    }
    Ok(wished)
}

/// In entries of a list: `listeners[web]`, of all with `[]`, of some with `[?]`.
fn nested(wished: HasCondition, path: &str) -> Result<HasCondition, String> {
    let mut whole = String::new();
    if !path.starts_with("status.") {
        whole.push_str("status.");
    }
    let (mut rest, mut is_some) = (path, false);
    while let Some((before, inside)) = rest.split_once('[') {
        let (inside, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
        let filter = match inside {
            "?" => {
                is_some = true;
                String::new()
            }
            "" => String::new(),
            key_and_value if key_and_value.contains('=') => key_and_value.to_owned(),
            name => format!("name={name}"),
        };
        whole = format!("{whole}{before}[{filter}]");
        rest = after;
    }
    let list = format!("{whole}{rest}.conditions").parse().map_err(|error| format!("{error}"))?;
    Ok(if is_some { wished.in_some(list) } else { wished.in_every(list) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> HasCondition {
        match text.parse::<Wish>() {
            Ok(Wish::Condition(condition)) => *condition,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_is_no_condition_has_a_word_of_its_own() {
        for (text, wish) in [
            ("healthy", Wish::Healthy),
            ("Healthy", Wish::Healthy),
            ("delete", Wish::Delete),
            ("create", Wish::Create),
        ] {
            assert_eq!(text.parse::<Wish>().unwrap(), wish);
        }
    }

    #[test]
    fn a_condition_is_wished_with_its_status_and_reasons() {
        let named = |type_| has_condition(type_).any_case();
        for (text, expected) in [
            ("Ready", named("Ready")),
            ("condition=Ready", named("Ready")),
            ("condition=Ready=false", named("Ready").is_false()),
            ("condition=Healthy", named("Healthy")),
            ("condition=delete=True", named("delete")),
            ("Degraded=False", named("Degraded").is_false()),
            ("Degraded=Unknown", named("Degraded").status(Status::Unknown)),
            ("Seen=any", named("Seen").any_status()),
            ("Ready=True:AllGood", named("Ready").reason("AllGood")),
            ("Ready:AllGood|Fine", named("Ready").reason("AllGood").reason("Fine")),
            ("example.com/Ready", named("example.com/Ready")),
        ] {
            assert_eq!(condition(text), expected, "{text}");
        }
    }

    #[test]
    fn a_condition_may_be_in_the_entries_of_lists() {
        let programmed = || has_condition("Programmed").any_case();
        for (text, path) in [
            ("listeners[web].Programmed", "status.listeners[name=web].conditions"),
            ("status.listeners[web].conditions.Programmed", "status.listeners[name=web].conditions"),
            ("listeners[].Programmed", "status.listeners[].conditions"),
            (
                "parents[controllerName=a.dev/x].inner[].Programmed",
                "status.parents[controllerName=a.dev/x].inner[].conditions",
            ),
        ] {
            assert_eq!(condition(text), programmed().in_every(path.parse().unwrap()), "{text}");
        }
        assert_eq!(
            condition("parents[?].Programmed=False"),
            programmed().is_false().in_some("status.parents[].conditions".parse().unwrap())
        );
    }

    #[test]
    fn what_cannot_be_wished_is_said_with_the_reason() {
        for (text, problem) in [
            ("", "--for is empty"),
            ("Ready=Yes", "is no status: write True, False, Unknown or any"),
            ("=True", "\"\" is no type of a condition"),
            ("Re ady", "is no type of a condition"),
            ("Ready:", "a reason is empty"),
            ("listeners[web]", "after the bracket comes a dot"),
            ("listeners[web].", "\"\" is no type"),
            ("listeners]web].Ready", "comes a dot"),
            ("condition=", "--for is empty"),
            ("condition=Ready=", "\"\" is no status"),
            ("{.status.phase}=Running", "to wait for a field, write jsonpath={.status.phase}=Running"),
            ("jsonpath={.status.phase", "a brace is opened and not closed"),
        ] {
            let error = text.parse::<Wish>().unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
