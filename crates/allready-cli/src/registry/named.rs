//! Kinds by the names that people use.

use allready_core::rollup::plural;
use allready_inspect::registry::{
    Registry,
    export::{Wanted, declared},
};
use allready_kube::resources::{Catalog, Resource};

use crate::target::{is_called, is_short, short_names};

/// What is meant by `deploy`, `Deployment`, `Certificate.cert-manager.io`, `Certificate.v1.cert-manager.io` or
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

/// All that may be meant by such a name: at least one. Of one that is named with its group nothing need be declared.
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
    let known = known(registry);
    // No server has the group extensions any more, and its kinds have moved.
    let is_meant =
        |known: &&Wanted| if rest.is_empty() { known.group != "extensions" } else { known.group == group };
    let found = |is_name: &dyn Fn(&Wanted) -> bool| -> Vec<Wanted> {
        let found = known.iter().filter(is_meant).filter(|known| is_name(known));
        found.map(|found| Wanted { version: version.clone(), ..found.clone() }).collect()
    };
    // Full names go before short ones, as with kubectl.
    let full = found(&|known| is_called(&known.kind, kind));
    if !full.is_empty() {
        return Ok(full);
    }
    let short = found(&|known| is_short(&known.group, &known.kind, kind));
    match (short.is_empty(), rest.is_empty()) {
        (false, _) => Ok(short),
        (true, false) => Ok(vec![Wanted { group: group.to_owned(), version, kind: kind.to_owned() }]),
        (true, true) => Err(unknown(&known, name)),
    }
}

/// The kinds that can be called by a name alone: those that are declared, and those with short names.
fn known(registry: &Registry) -> Vec<Wanted> {
    let mut known = declared(registry);
    for (_, group, kind) in short_names() {
        let wanted = Wanted { group: group.to_owned(), version: None, kind: kind.to_owned() };
        if !known.contains(&wanted) {
            known.push(wanted);
        }
    }
    known
}

/// What to say of a name that means nothing, with those that are near to it.
fn unknown(known: &[Wanted], name: &str) -> String {
    let resource = |known: &Wanted| Resource {
        group: known.group.clone(),
        kind: known.kind.clone(),
        plural: plural(&known.kind).to_lowercase(),
        singular: known.kind.to_lowercase(),
        short_names: short_names()
            .filter(|(_, group, kind)| *group == known.group && *kind == known.kind)
            .map(|(short, _, _)| short.to_owned())
            .collect(),
        ..Resource::default()
    };
    let served = known.iter().filter(|known| known.group != "extensions");
    let catalog = Catalog { resources: served.map(resource).collect(), ..Catalog::default() };
    let near = catalog.find(name).err().map(|error| error.near).unwrap_or_default();
    let hint = match near.as_slice() {
        [] => "`allready registry list` has those that are".to_owned(),
        [one] => format!("did you mean {one}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    };
    format!(
        "no kind is known by the name {name:?}; {hint} One of which nothing is declared is written KIND.GROUP"
    )
}

/// Whether a text is the version of an API: `v1`, `v2beta3`.
pub(super) fn is_version(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, stage) = rest.split_at(end);
    let stage = stage.strip_prefix("alpha").or_else(|| stage.strip_prefix("beta")).unwrap_or(stage);
    !number.is_empty() && stage.chars().all(|c| c.is_ascii_digit())
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
    fn a_kind_is_found_by_the_short_names_that_discovery_would_give() {
        let told = |name: &str| -> Vec<String> {
            kinds(Registry::builtin(), name).unwrap().iter().map(ToString::to_string).collect()
        };
        for (name, expected) in [
            ("deploy", "Deployment.apps"),
            ("sts", "StatefulSet.apps"),
            ("po", "Pod"),
            ("svc", "Service"),
            ("cert", "Certificate.cert-manager.io"),
            ("ks", "Kustomization.kustomize.toolkit.fluxcd.io"),
            ("hr", "HelmRelease.helm.toolkit.fluxcd.io"),
            ("gtw", "Gateway.gateway.networking.k8s.io"),
            ("gw.gateway.networking.k8s.io", "Gateway.gateway.networking.k8s.io"),
            ("SVC", "Service"),
            ("cm", "ConfigMap"),
        ] {
            assert_eq!(told(name), [expected], "{name}");
        }
        assert_eq!(told("gw"), ["Gateway.gateway.networking.k8s.io", "Gateway.networking.istio.io"]);
        assert_eq!(told("Widget.example.com"), ["Widget.example.com"], "of which nothing need be declared");
    }

    #[test]
    fn a_name_that_means_nothing_is_refused_with_those_that_are_near() {
        let refused = |name: &str| kinds(Registry::builtin(), name).unwrap_err();
        assert_eq!(
            refused("deplyoment"),
            "no kind is known by the name \"deplyoment\"; did you mean deployments.apps? One of which nothing is declared is \
             written KIND.GROUP"
        );
        assert!(
            refused("certifcate").contains("did you mean certificates.cert-manager.io"),
            "{}",
            refused("certifcate")
        );
        assert!(refused("qwertyuiop").contains("`allready registry list` has those that are"));
    }

    #[test]
    fn versions_are_told_from_groups() {
        assert!(["v1", "v2beta3", "v1alpha1"].into_iter().all(is_version));
        assert!(["", "v", "vault", "v1x", "1", "velero"].into_iter().all(|text| !is_version(text)));
    }
}
