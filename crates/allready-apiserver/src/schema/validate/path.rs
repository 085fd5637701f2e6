//! Paths of fields as `field.Path` prints them.

/// `at.name`.
pub(crate) fn child(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// `at[key]`.
pub(crate) fn key(at: &str, key: &str) -> String {
    format!("{at}[{key}]")
}

/// `at[0]`.
pub(crate) fn index(at: &str, index: usize) -> String {
    format!("{at}[{index}]")
}

/// The root prints as Go prints nothing.
pub(crate) fn or_nil(at: &str) -> String {
    if at.is_empty() { "<nil>".into() } else { at.to_owned() }
}
