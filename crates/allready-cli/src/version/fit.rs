//! Versions that do not go together, in words.

use super::{Controller, Definition, Versions};

/// The oldest server on which the chart can be installed: that of `kubeVersion` in Chart.yaml.
const OLDEST_SERVER: (u64, u64) = (1, 30);

/// The tag of an image, where it is a version.
pub(super) fn tag(image: &str) -> Option<&str> {
    let name = image.split('@').next().unwrap_or(image);
    let (_, tag) = name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))?;
    release(tag).map(|_| tag)
}

/// The numbers that matter: before 1.0 a minor version may change what is written.
fn release(version: &str) -> Option<(u64, u64)> {
    let mut parts = version.trim_start_matches('v').split(['.', '-', '+']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Says what does not fit, and what to do.
pub(super) fn problems(versions: &Versions) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some(server) = &versions.server
        && release(server).is_some_and(|release| release < OLDEST_SERVER)
    {
        let (major, minor) = OLDEST_SERVER;
        problems.push(format!(
            "the server is {server}: Kubernetes {major}.{minor} is the oldest that is supported"
        ));
    }
    let client = &versions.client;
    problems.extend(versions.controllers.iter().flatten().filter_map(|found| of_controller(found, client)));
    problems.extend(versions.crds.iter().flatten().filter_map(|found| of_definition(found, client)));
    let is_there = |name: &str| versions.crds.iter().flatten().any(|found| found.name.starts_with(name));
    if versions.controllers.as_ref().is_some_and(|found| !found.is_empty()) {
        for name in ["configurationstatuses.", "statusreports."] {
            if !is_there(name) {
                problems.push(format!(
                    "there is a controller, and no CRD {name}allready.dev: apply `allready install`, or manifests/crds"
                ));
            }
        }
    }
    problems
}

fn of_controller(found: &Controller, client: &str) -> Option<String> {
    let name = format!("deployment/{} in {}", found.name, found.namespace);
    let Some(version) = &found.version else {
        return Some(format!(
            "{name} does not say its version: the image {} has no tag that is one, and there is no label",
            found.image
        ));
    };
    if let Some(label) = &found.label
        && release(label) != release(version)
    {
        return Some(format!(
            "{name} was installed as {label} and runs the image {}: install the chart of that version",
            found.image
        ));
    }
    (release(version) != release(client)).then(|| {
        format!(
            "{name} is {version}, and this program is {client}: upgrade the older one, or take the allready of that release"
        )
    })
}

fn of_definition(found: &Definition, client: &str) -> Option<String> {
    let Definition { name, difference, .. } = found;
    if !difference.fits() {
        return Some(format!(
            "the CRD {name} is older than this program, {client}: {difference}; run `allready migrate`, which says how to upgrade"
        ));
    }
    let lost: Vec<&str> =
        found.stored.iter().filter(|version| !found.served.contains(version)).map(String::as_str).collect();
    (!lost.is_empty()).then(|| {
        format!(
            "objects of {name} are stored as {}, which is not served any more: apply the CRD that serves it",
            lost.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_an_image_is_a_version_or_nothing() {
        assert_eq!(tag("registry:5000/allready:0.1.0"), Some("0.1.0"));
        assert_eq!(tag("allready:v0.2.1@sha256:abc"), Some("v0.2.1"));
        assert_eq!(tag("allready:latest"), None);
        assert_eq!(tag("registry:5000/allready"), None);
    }

    fn controller(image: &str, label: Option<&str>) -> Controller {
        let version = tag(image).or(label).map(str::to_owned);
        let (namespace, name) = ("system".to_owned(), "c".to_owned());
        Controller { namespace, name, version, image: image.to_owned(), label: label.map(str::to_owned) }
    }

    #[test]
    fn a_controller_of_another_minor_version_does_not_fit_and_a_patch_does() {
        assert_eq!(of_controller(&controller("a:0.1.7", Some("0.1.0")), "0.1.0"), None);
        assert_eq!(of_controller(&controller("a@sha256:1", Some("0.1.0")), "0.1.0"), None);
        let said = |image, label| of_controller(&controller(image, label), "0.1.0").unwrap();
        assert!(
            said("a:0.2.0", None).starts_with("deployment/c in system is 0.2.0, and this program is 0.1.0")
        );
        assert!(said("a:0.2.0", Some("0.1.0")).contains("was installed as 0.1.0 and runs the image a:0.2.0"));
        assert!(said("a:latest", None).contains("does not say its version"));
    }

    #[test]
    fn a_server_that_is_too_old_is_said() {
        let mut versions = Versions { server: Some("v1.29.4+k3s1".to_owned()), ..Versions::default() };
        assert_eq!(
            problems(&versions),
            ["the server is v1.29.4+k3s1: Kubernetes 1.30 is the oldest that is supported"]
        );
        versions.server = Some("v1.36.4".to_owned());
        assert_eq!(problems(&versions), [""; 0]);
    }
}
