//! The order of groups and of versions.

use std::{cmp::Reverse, collections::BTreeSet};

use crate::resource::Registry;

/// The groups that have a place of their own; all others follow by name.
const FIRST: [&str; 20] = [
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
];

/// The served groups but the core one, in order.
pub(in crate::openapi) fn groups(registry: &Registry) -> Vec<&str> {
    let names: BTreeSet<&str> =
        registry.iter().map(|resource| resource.group.as_str()).filter(|name| !name.is_empty()).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    names
}

/// The served versions of a group, the preferred one first.
pub(in crate::openapi) fn versions<'a>(registry: &'a Registry, group: &str) -> Vec<&'a str> {
    let of_group = registry.iter().filter(|resource| resource.group == group);
    let names: BTreeSet<&str> =
        of_group.flat_map(|resource| resource.versions.iter().map(|version| version.name.as_str())).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| Reverse(priority(name)));
    names
}

/// `v2` before `v1` before `v2beta1` before `v1alpha1` before everything that is not written like this.
fn priority(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at_checked(digits)?;
    let major = major.parse().ok().filter(|major| *major > 0)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (stage, minor) = match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        (Some(minor), _) => (1, minor),
        (_, Some(minor)) => (0, minor),
        _ => return None,
    };
    Some((stage, major, minor.parse().ok().filter(|minor| *minor > 0)?))
}
