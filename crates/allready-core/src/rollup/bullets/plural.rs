//! English plurals of kinds.

use std::borrow::Cow;

/// The plural of a kind such as `Gateway`, `Policy` or `Ingress`; what looks like a plural (`Endpoints`) stays as it is.
pub(super) fn plural(kind: &str) -> Cow<'_, str> {
    let ends_with_any = |endings: &[&str]| endings.iter().any(|ending| kind.ends_with(ending));
    if kind.is_empty() {
        return Cow::Borrowed(kind);
    }
    if let Some(stem) = kind.strip_suffix('y')
        && !stem.is_empty()
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U'])
    {
        return Cow::Owned(format!("{stem}ies"));
    }
    if ends_with_any(&["ss", "us", "is", "x", "z", "ch", "sh"]) {
        return Cow::Owned(format!("{kind}es"));
    }
    if ends_with_any(&["s", "S"]) { Cow::Borrowed(kind) } else { Cow::Owned(format!("{kind}s")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_english_plurals() {
        for (kind, expected) in [
            ("Widget", "Widgets"),
            ("Gateway", "Gateways"),
            ("HTTPProxy", "HTTPProxies"),
            ("NetworkPolicy", "NetworkPolicies"),
            ("Ingress", "Ingresses"),
            ("Status", "Statuses"),
            ("Mesh", "Meshes"),
            ("Mailbox", "Mailboxes"),
            ("MachineSet", "MachineSets"),
            ("Endpoints", "Endpoints"),
            ("DNS", "DNS"),
            ("VM", "VMs"),
            ("y", "ys"),
            ("", ""),
        ] {
            assert_eq!(plural(kind), expected);
        }
    }
}
