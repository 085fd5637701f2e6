//! What may stand in an attribute: the API server's rules for types and reasons, and the words of the set's policies.
//!
//! These are facts of allready-core, which this crate does not link. The tests below compare them, letter by letter.

/// What is wrong with a condition type, in the core's words.
pub(crate) fn condition_type_problem(text: &str) -> Option<String> {
    let problem = if text.is_empty() {
        "it is empty; write a name such as `Ready` or `example.com/Ready`"
    } else if text.len() > 316 {
        "it is longer than 316 bytes"
    } else if text.split_once('/').is_some_and(|(prefix, _)| !is_subdomain(prefix)) {
        "what stands before the slash must be a DNS subdomain: lower-case letters, digits, `-` and `.`, each label \
         starting and ending with a letter or digit"
    } else if !is_name(text.split_once('/').map_or(text, |(_, name)| name)) {
        "the name must start and end with a letter or digit and have only letters, digits, `-`, `_` and `.` inside \
         (and at most one `/`, after a prefix)"
    } else {
        return None;
    };
    Some(format!("condition type {text:?} is not allowed: {problem}"))
}

/// What is wrong with a reason, in the core's words.
pub(crate) fn reason_problem(text: &str) -> Option<String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ',' | ':');
    let problem = if text.is_empty() {
        "it is empty; write one CamelCase word such as `Accepted`"
    } else if text.len() > 1024 {
        "it is longer than 1024 bytes; put the details in the message"
    } else if !text.starts_with(|c: char| c.is_ascii_alphabetic())
        || text.ends_with([',', ':'])
        || !text.chars().all(inside)
    {
        "it must start with a letter, go on with letters, digits, `_`, `,` or `:`, and end with a letter, digit or `_`"
    } else {
        return None;
    };
    Some(format!("reason {text:?} is not allowed: {problem}"))
}

fn is_subdomain(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.split('.').all(|label| {
        label.starts_with(edge) && label.ends_with(edge) && label.chars().all(|c| edge(c) || c == '-')
    })
}

fn is_name(text: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    let inside = |c: char| edge(c) || matches!(c, '-' | '_' | '.');
    text.starts_with(edge) && text.ends_with(edge) && text.chars().all(inside)
}

/// A word in an attribute, and what it stands for in the core.
pub(crate) type Choice = (&'static str, &'static str);

/// The names of the roll-up policies, and what they call themselves.
pub(crate) const POLICIES: &[Choice] = &[
    ("newest-cause", "newest-cause"),
    ("list-unhealthy", "list-unhealthy"),
    ("bullets", "bullets"),
    ("union", "union"),
    ("first-issue", "first-issue"),
    ("semicolon", "semicolon"),
    ("grouped", "grouped"),
    ("knative", "knative"),
    ("kro", "kro"),
    ("operatorpkg", "list-unhealthy"),
    ("cluster-api", "bullets"),
    ("library-go", "library-go"),
    ("flux", "first-issue"),
    ("kuadrant", "kuadrant"),
];

/// The policy where none is named.
pub(crate) const DEFAULT_POLICY: Choice = ("newest-cause", "newest-cause");

/// The words for `Untouched`.
pub(crate) const UNTOUCHED: &[Choice] = &[("keep", "Keep"), ("remove", "Remove"), ("unknown", "Unknown")];

/// The words for `Upgrade`.
pub(crate) const UPGRADE: &[Choice] =
    &[("one-pass-grace", "OnePassGrace"), ("unknown", "Unknown"), ("assume-good", "AssumeGood")];

/// The words for `ListOrder`.
pub(crate) const ORDER: &[Choice] =
    &[("as-found", "AsFound"), ("by-type", "ByType"), ("oldest-first", "OldestFirst")];

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use allready_core::{
        ConditionType, Reason,
        condition::ListOrder,
        rollup::Policy,
        set::{Untouched, Upgrade},
    };
    use proptest::prelude::*;
    use serde_json::{Value, from_value};

    use super::*;

    proptest! {
        #[test]
        fn a_type_is_refused_exactly_where_the_core_refuses_it_and_in_its_words(
            text in "[a-zA-Z0-9._/é-]{0,8}|[a-c.-]{0,4}/[A-C_.-]{0,4}"
        ) {
            let core = ConditionType::new(text.clone()).err().map(|error| error.to_string());
            prop_assert_eq!(condition_type_problem(&text), core);
        }

        #[test]
        fn a_reason_is_refused_exactly_where_the_core_refuses_it_and_in_its_words(
            text in "[a-zA-Z0-9_,:é -]{0,6}"
        ) {
            let core = Reason::new(text.clone()).err().map(|error| error.to_string());
            prop_assert_eq!(reason_problem(&text), core);
        }
    }

    #[test]
    fn the_limits_are_those_of_the_core() {
        let long = |bytes: usize| "a".repeat(bytes);
        assert_eq!(condition_type_problem(&long(ConditionType::MAX_BYTES)), None);
        assert!(condition_type_problem(&long(ConditionType::MAX_BYTES + 1)).unwrap().contains("longer"));
        assert_eq!(reason_problem(&long(Reason::MAX_BYTES)), None);
        assert!(reason_problem(&long(Reason::MAX_BYTES + 1)).unwrap().contains("longer"));
    }

    #[test]
    fn the_policies_are_those_of_the_core() {
        let shown = |name: &str| name.parse::<Policy>().unwrap().known_as().unwrap();
        let core: Vec<Choice> = Policy::NAMES.iter().map(|name| (*name, shown(name))).collect();
        assert_eq!(POLICIES, core, "left: known to the macro; right: known to the core");
        assert_eq!(DEFAULT_POLICY.0.parse::<Policy>().unwrap(), Policy::default());
        assert!(POLICIES.contains(&DEFAULT_POLICY));
    }

    #[test]
    fn the_words_for_a_choice_are_those_of_the_core() {
        fn compare<T: serde::de::DeserializeOwned + Debug>(choices: &[Choice]) {
            for (word, variant) in choices {
                let value: T = from_value(Value::from(*word)).unwrap();
                assert_eq!(format!("{value:?}"), *variant);
            }
            let all = choices.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            let refused = from_value::<T>(Value::from("no such word")).unwrap_err().to_string();
            assert!(refused.ends_with(&format!("expected one of {all}")), "{refused} has more than {all}");
        }
        compare::<Untouched>(UNTOUCHED);
        compare::<Upgrade>(UPGRADE);
        compare::<ListOrder>(ORDER);
    }
}
