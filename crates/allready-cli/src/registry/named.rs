//! Kinds by the names that people use.

use allready::registry::{
    Registry,
    export::{Wanted, declared},
};

/// What is meant by `Deployment`, `Certificate.cert-manager.io`, `Certificate.v1.cert-manager.io` or
/// `certificates.cert-manager.io`.
pub(super) fn kind(registry: &Registry, name: &str) -> Result<Wanted, String> {
    let mut found = kinds(registry, name)?;
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (last, _) => {
            let names: Vec<String> = found.iter().chain(&last).map(ToString::to_string).collect();
            Err(format!("several kinds are called {name}: {}", names.join(", ")))
        }
    }
}

/// All that may be meant by such a name: at least one, of which nothing need be declared.
pub(super) fn kinds(registry: &Registry, name: &str) -> Result<Vec<Wanted>, String> {
    let (kind, rest) = name.split_once('.').unwrap_or((name, ""));
    if kind.is_empty() {
        return Err(format!("{name:?} names no kind: write KIND, KIND.GROUP or KIND.VERSION.GROUP"));
    }
    let (version, group) = match rest.split_once('.') {
        Some((version, group)) if is_version(version) => (Some(version.to_owned()), group),
        None if is_version(rest) => (Some(rest.to_owned()), ""),
        _ => (None, rest),
    };
    let known = declared(registry);
    let alike = known.iter().filter(|known| is_called(&known.kind, kind));
    // No server has the group extensions any more, and its kinds have moved.
    let is_meant =
        |known: &&Wanted| if rest.is_empty() { known.group != "extensions" } else { known.group == group };
    let found = alike.filter(is_meant).map(|found| Wanted { version: version.clone(), ..found.clone() });
    let mut found: Vec<Wanted> = found.collect();
    if found.is_empty() {
        found.push(Wanted { group: group.to_owned(), version, kind: kind.to_owned() });
    }
    Ok(found)
}

/// Whether a text is the version of an API: `v1`, `v2beta3`.
fn is_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, stage) = rest.split_at(end);
    let stage = stage.strip_prefix("alpha").or_else(|| stage.strip_prefix("beta")).unwrap_or(stage);
    !number.is_empty() && stage.chars().all(|c| c.is_ascii_digit())
}

/// Whether a kind is called so: by its name in any letters, or by its plural.
fn is_called(kind: &str, name: &str) -> bool {
    let (kind, name) = (kind.to_ascii_lowercase(), name.to_ascii_lowercase());
    let stem = kind.strip_suffix('y').map(|stem| format!("{stem}ies"));
    kind == name || [format!("{kind}s"), format!("{kind}es")].contains(&name) || stem == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_each_of_its_names() {
        let registry = Registry::builtin();
        for name in
            ["Certificate.cert-manager.io", "certificates.cert-manager.io", "certificate.v1.cert-manager.io"]
        {
            let found = kind(registry, name).unwrap();
            assert_eq!(
                (found.group.as_str(), found.kind.as_str()),
                ("cert-manager.io", "Certificate"),
                "{name}"
            );
        }
        assert_eq!(kind(registry, "Certificate.v1.cert-manager.io").unwrap().version.as_deref(), Some("v1"));
        assert_eq!(
            kind(registry, "policies.v1beta1.example.com").unwrap().to_string(),
            "policies.v1beta1.example.com"
        );
        assert_eq!(kind(registry, "Deployment").unwrap().group, "apps");
        assert_eq!(kind(registry, "pods").unwrap().kind, "Pod");
        assert!(kind(registry, ".x").is_err());
        let several = kinds(registry, "Ingress").unwrap();
        assert!(several.len() > 1 && several.iter().any(|found| found.group == "networking.k8s.io"));
        assert!(kind(registry, "Ingress").unwrap_err().starts_with("several kinds are called Ingress: "));
    }

    #[test]
    fn versions_are_told_from_groups() {
        assert!(["v1", "v2beta3", "v1alpha1"].into_iter().all(is_version));
        assert!(["", "v", "vault", "v1x", "1", "velero"].into_iter().all(|text| !is_version(text)));
        assert!(is_called("NetworkPolicy", "networkpolicies") && is_called("Ingress", "ingresses"));
    }
}
