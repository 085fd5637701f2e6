//! What `events.k8s.io/v1` takes: names, lengths and characters, as `ValidateEventCreate` of kube-apiserver checks them.

use allready_core::{condition::cut, transition::EventNote};

use crate::manager::shortened;

/// The limit on `reason`, `action` and `reportingInstance`, in bytes.
pub(super) const MAX_WORD: usize = 128;
/// The limit on the name of an object, and on the prefix of a qualified name.
pub(super) const MAX_NAME: usize = 253;
/// The limit on the part of a qualified name after the slash.
const MAX_QUALIFIED: usize = 63;

/// The name of an event: the object's and a number that nobody else draws.
pub(super) fn event_name(object: &str, unique: u64) -> String {
    let suffix = format!("{unique:016x}");
    let mut name = subdomain(object, "object");
    name.truncate(MAX_NAME - suffix.len() - 1);
    let name = name.trim_end_matches(['-', '.']);
    format!("{name}.{suffix}")
}

/// A note that is not too long.
pub(super) fn note(text: &str) -> String {
    cut(text, EventNote::MAX_BYTES).into_owned()
}

/// A reason or an action: neither empty nor too long.
pub(super) fn word(text: &str, otherwise: &str) -> String {
    let text = if text.is_empty() { otherwise } else { text };
    text[..text.floor_char_boundary(MAX_WORD)].to_owned()
}

/// A qualified name: letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit, with a domain before a
/// slash if there is one.
pub(super) fn controller(text: &str) -> String {
    let (prefix, name) = match text.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let name = if name.is_empty() { "controller" } else { name };
    let name = shortened(name, MAX_QUALIFIED);
    match prefix {
        Some(prefix) => {
            let prefix = subdomain(prefix, "example");
            format!("{}/{name}", shortened(&prefix, MAX_NAME))
        }
        None => name.into_owned(),
    }
}

/// The name of an instance; the controller's where there is none.
pub(super) fn instance(text: &str, controller: &str) -> String {
    shortened(if text.is_empty() { controller } else { text }, MAX_WORD).into_owned()
}

/// The nearest lower-case name of dotted labels. Some kinds allow more in names than events do, such as `system:node`.
fn subdomain(text: &str, otherwise: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let plain: String =
        lower.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let labels: Vec<_> =
        plain.split('.').map(|label| label.trim_matches('-')).filter(|label| !label.is_empty()).collect();
    if labels.is_empty() { otherwise.to_owned() } else { labels.join(".") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_keep_what_they_can_of_the_object() {
        for (object, expected) in [
            ("pool-a", "pool-a.000000000000002a"),
            ("system:node", "system-node.000000000000002a"),
            ("Pool.A-", "pool.a.000000000000002a"),
            ("", "object.000000000000002a"),
            ("::", "object.000000000000002a"),
        ] {
            assert_eq!(event_name(object, 42), expected);
        }
        assert_eq!(event_name(&"a".repeat(300), 42).len(), MAX_NAME);
    }

    #[test]
    fn controllers_become_qualified_names() {
        for (text, expected) in [
            ("pool-controller", "pool-controller"),
            ("example.dev/pool-controller", "example.dev/pool-controller"),
            ("Example.dev/a/Pool_Controller", "example.dev-a/Pool_Controller"),
            ("/x", "example/x"),
            ("-", "controller"),
            ("", "controller"),
        ] {
            assert_eq!(controller(text), expected);
        }
        assert_eq!(controller(&"c".repeat(100)).len(), 63);
    }

    #[test]
    fn words_and_notes_are_cut_between_characters() {
        assert_eq!(word("", "Unspecified"), "Unspecified");
        assert_eq!(word(&"ü".repeat(100), "x"), "ü".repeat(64));
        assert!(note(&"ü".repeat(600)).ends_with("ü… [cut, was 1200 bytes]"));
        assert_eq!(note("short"), "short");
    }

    fn is_subdomain(text: &str) -> bool {
        let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        text.len() <= MAX_NAME
            && text.split('.').all(|label| {
                label.starts_with(edge) && label.ends_with(edge) && label.chars().all(|c| edge(c) || c == '-')
            })
    }

    proptest! {
        #[test]
        fn whatever_is_given_the_outcome_is_legal(text in any::<String>(), times in 1_usize..30, unique in any::<u64>()) {
            let text = text.repeat(times);
            prop_assert!(is_subdomain(&event_name(&text, unique)));
            prop_assert!(note(&text).len() <= 1024);
            let word = word(&text, "x");
            prop_assert!(!word.is_empty() && word.len() <= MAX_WORD);
            let controller = controller(&text);
            let (prefix, name) = controller.rsplit_once('/').unwrap_or(("example", &controller));
            prop_assert!(is_subdomain(prefix));
            prop_assert!(!name.is_empty() && name.len() <= MAX_QUALIFIED);
            let edge = |c: char| c.is_ascii_alphanumeric();
            prop_assert!(name.starts_with(edge) && name.ends_with(edge));
            prop_assert!(name.chars().all(|c| edge(c) || "-_.".contains(c)));
            let instance = instance(&text, &controller);
            prop_assert!(!instance.is_empty() && instance.len() <= MAX_WORD);
        }
    }
}
