//! What a name may look like, in the words of the real server.
//!
//! Follows `k8s.io/apimachinery/pkg/util/validation`.
//!
//! Every function returns what is wrong; nothing when all is well.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_RULE: &str =
    "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// A DNS subdomain: what most names must be.
pub(crate) fn dns_subdomain(name: &str) -> Vec<String> {
    let mut problems = too_long(name, 253, "characters");
    if !is_subdomain(name) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
        problems.push(explain(rule, &format!("{LABEL}(\\.{LABEL})*"), &["example.com"]));
    }
    problems
}

/// A DNS label, as namespaces must be.
pub(crate) fn dns_label(name: &str) -> Vec<String> {
    let mut problems = too_long(name, 63, "characters");
    if !is_label(name) {
        problems.push(if is_subdomain(name) {
            "must not contain dots".into()
        } else {
            let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
            explain(rule, LABEL, &["my-name", "123-abc"])
        });
    }
    problems
}

/// A DNS label that starts with a letter, as services used to be.
pub(crate) fn dns1035_label(name: &str) -> Vec<String> {
    let mut problems = too_long(name, 63, "characters");
    if !is_label(name) || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
        problems.push(explain(rule, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]));
    }
    problems
}

/// Anything that can stand between two slashes of a path: the weakest rule, as for roles.
pub(crate) fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    path_segment_prefix(name)
}

/// As [`path_segment`], where something will be appended.
pub(crate) fn path_segment_prefix(name: &str) -> Vec<String> {
    let found = ["/", "%"].into_iter().filter(|illegal| name.contains(illegal));
    found.map(|illegal| format!("may not contain '{illegal}'")).collect()
}

/// The key of a label or an annotation, or a finalizer: a name with an optional prefix.
pub(crate) fn qualified(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let example = || explain(&format!("must consist of {KEY_RULE}"), KEY, &["MyName", "my.name", "123-abc"]);
    let mut parts = key.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".into());
            } else {
                problems.extend(prefix_problems(prefix));
            }
            name
        }
        (Some(name), None, _) => name,
        _ => {
            let tail = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {} {tail}", example())];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".into());
    }
    if !is_key(name) {
        problems.push(format!("name part {}", example()));
    }
    problems
}

/// The value of a label.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut problems = too_long(value, 63, "bytes");
    if !value.is_empty() && !is_key(value) {
        let rule = format!("a valid label must be an empty string or consist of {KEY_RULE}");
        problems.push(explain(&rule, &format!("({KEY})?"), &["MyValue", "my_value", "12345"]));
    }
    problems
}

/// What a name becomes that is still to get a suffix: a trailing dash is no mistake in it.
pub(crate) fn mask_trailing_dash(name: &str) -> String {
    match name.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked: String = rest.to_owned();
            masked.pop();
            masked.push('a');
            masked
        }
        _ => name.to_owned(),
    }
}

fn prefix_problems(prefix: &str) -> Vec<String> {
    let mut problems = too_long(prefix, 253, "bytes");
    if !is_subdomain(prefix) {
        problems.extend(dns_subdomain(prefix).pop());
    }
    problems.into_iter().map(|problem| format!("prefix part {problem}")).collect()
}

fn too_long(text: &str, limit: usize, unit: &str) -> Vec<String> {
    if text.len() > limit { vec![format!("must be no more than {limit} {unit}")] } else { Vec::new() }
}

fn explain(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<_> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let simple = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    edges(text, simple) && text.bytes().all(|byte| simple(byte) || byte == b'-')
}

fn is_key(text: &str) -> bool {
    edges(text, |byte| byte.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn edges(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| allowed(*byte)) && bytes.last().is_some_and(|byte| allowed(*byte))
}
