//! English plurals of kinds.

use std::borrow::Cow;

/// The plural of a kind such as `Gateway`, `Policy` or `Ingress`; what looks like a plural (`Endpoints`), or has none (`Redis`), stays as
/// it is.
///
/// ```
/// use allready_core::rollup::plural;
///
/// assert_eq!((&*plural("HTTPProxy"), &*plural("Analysis")), ("HTTPProxies", "Analyses"));
/// ```
pub fn plural(kind: &str) -> Cow<'_, str> {
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
    if let Some(stem) = kind.strip_suffix("sis") {
        return Cow::Owned(format!("{stem}ses"));
    }
    if ends_with_any(&["ss", "us", "x", "z", "ch", "sh"]) {
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
            ("AnalysisRun", "AnalysisRuns"),
            ("Analysis", "Analyses"),
            ("Redis", "Redis"),
            ("DNS", "DNS"),
            ("VM", "VMs"),
            ("y", "ys"),
            ("", ""),
        ] {
            assert_eq!(plural(kind), expected);
        }
    }
}
