//! Selectors as they are written in a request, for objects that no server has chosen from.

use std::collections::{BTreeMap, BTreeSet};

use kube::core::{Expression, Selector, SelectorExt};

/// Whether a selector chooses an object with these labels; why not, if the selector cannot be read.
///
/// Understood are `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)` and `key notin (a,b)`, joined by
/// commas.
pub(super) fn chooses(selector: &str, labels: &BTreeMap<String, String>) -> Result<bool, String> {
    let selector: Selector =
        terms(selector).map(expression).collect::<Result<Vec<_>, _>>()?.into_iter().collect();
    Ok(selector.matches(labels))
}

/// The parts between commas that are not within parentheses.
fn terms(selector: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let terms = selector.split(move |char| {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        char == ',' && depth == 0
    });
    terms.map(str::trim).filter(|term| !term.is_empty())
}

fn expression(term: &str) -> Result<Expression, String> {
    let wrong = || format!("{term:?} is not a requirement on labels");
    let key = |text: &str| {
        let text = text.trim();
        let is_key =
            !text.is_empty() && !text.contains(|char: char| char.is_whitespace() || "()=!,".contains(char));
        is_key.then(|| text.to_owned()).ok_or_else(wrong)
    };
    if let Some((name, values)) = term.strip_suffix(')').and_then(|term| term.split_once('(')) {
        let values: BTreeSet<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        let mut updates = name.split_whitespace();
        return match (updates.next(), updates.next(), updates.next()) {
            (Some(name), Some("in"), None) => Ok(Expression::In(key(name)?, values)),
            (Some(name), Some("notin"), None) => Ok(Expression::NotIn(key(name)?, values)),
            _ => Err(wrong()),
        };
    }
    if let Some((name, value)) = term.split_once("!=") {
        return Ok(Expression::NotEqual(key(name)?, value.trim().to_owned()));
    }
    if let Some((name, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return Ok(Expression::Equal(key(name)?, value.trim().to_owned()));
    }
    match term.strip_prefix('!') {
        Some(name) => Ok(Expression::DoesNotExist(key(name)?)),
        None => Ok(Expression::Exists(key(term)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_chosen_as_a_server_does() {
        let labels: BTreeMap<String, String> =
            [("env", "prod"), ("tier", "web")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let chosen = [
            "",
            "env",
            "!gone",
            "env=prod",
            "env==prod,tier=web",
            "env!=test",
            "env in (test, prod)",
            "env notin (test),tier",
            "gone notin (a)",
            "gone!=a",
        ];
        for selector in chosen {
            assert_eq!(chooses(selector, &labels), Ok(true), "{selector}");
        }
        for selector in
            ["gone", "!env", "env=test", "env!=prod", "env in (test)", "env notin (a,prod)", "env,gone"]
        {
            assert_eq!(chooses(selector, &labels), Ok(false), "{selector}");
        }
        for selector in ["env of (a)", "=a", "a b", "in (a)"] {
            assert!(chooses(selector, &labels).is_err(), "{selector}");
        }
    }
}
