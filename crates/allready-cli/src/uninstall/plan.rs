//! The decision what goes and what stays. Pure.

use kube::{ResourceExt as _, api::DynamicObject};

use super::find::{DEFINITION, Kind, NAMESPACE};
use crate::printer::tame;

/// The label that names the release that an object belongs to.
pub(super) const INSTANCE: &str = "app.kubernetes.io/instance";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const HELM_RELEASE: &str = "meta.helm.sh/release-name";
const HELM_NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// The release where none is named: that of the manifests.
const DEFAULT: &str = "allready";

/// An object that was installed.
#[derive(Clone, Debug)]
pub(super) struct Installed {
    pub(super) kind: Kind,
    pub(super) object: DynamicObject,
    /// The number of objects that go with it, if that is known: of a CRD.
    pub(super) objects: Option<usize>,
}

impl Installed {
    /// As it is named to a person.
    pub(super) fn described(&self) -> String {
        let name = tame(&self.object.name_any());
        let place = self.object.namespace().map(|it| format!(" in {}", tame(&it))).unwrap_or_default();
        let with = match (self.kind, self.objects) {
            (DEFINITION, Some(1)) => " with 1 object",
            (DEFINITION, Some(count)) => &format!(" with {count} objects"),
            (DEFINITION, None) => " with all its objects",
            (NAMESPACE, _) => " with everything in it",
            _ => "",
        };
        format!("{}/{name}{place}{with}", self.kind.2.to_lowercase())
    }

    fn release(&self) -> Option<&str> {
        self.object.labels().get(INSTANCE).map(String::as_str)
    }

    /// The release and the namespace to say to Helm, where it manages this object.
    fn helm(&self) -> Option<(String, String)> {
        let named = self.object.annotations().get(HELM_RELEASE);
        let is_helm = self.object.labels().get(MANAGED_BY).is_some_and(|manager| manager == "Helm");
        if named.is_none() && !is_helm {
            return None;
        }
        let release = named.map_or_else(|| self.release().unwrap_or(DEFAULT), String::as_str).to_owned();
        let namespace = self.object.annotations().get(HELM_NAMESPACE).cloned();
        let namespace =
            namespace.or_else(|| self.object.namespace()).unwrap_or_else(|| "NAMESPACE".to_owned());
        Some((release, namespace))
    }
}

/// The objects that go, in this order, and those that stay.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) release: String,
    pub(super) delete: Vec<Installed>,
    /// Each with the reason.
    pub(super) keep: Vec<(Installed, String)>,
    /// True if no other release is here: nobody keeps up what was written.
    pub(super) is_last: bool,
}

/// Decides what goes with a release, of everything that is installed; an error is for the person who asked.
pub(super) fn plan(found: Vec<Installed>, wanted: Option<&str>, crds: bool) -> Result<Plan, String> {
    let mut releases: Vec<&str> = found.iter().filter_map(Installed::release).collect();
    releases.sort_unstable();
    releases.dedup();
    let release = match (wanted, &releases[..]) {
        (Some(wanted), _) => wanted,
        (None, [] | [DEFAULT]) => DEFAULT,
        (None, [other]) => {
            return Err(format!(
                "there is no release {DEFAULT} here, but {0}: pass --release {0}",
                tame(other)
            ));
        }
        (None, several) => {
            let names: Vec<String> = several.iter().map(|name| tame(name)).collect();
            return Err(format!(
                "there are {} releases here: {}; choose one with --release NAME",
                names.len(),
                names.join(", ")
            ));
        }
    };
    if wanted.is_some() && !releases.is_empty() && !releases.contains(&release) && !crds {
        let names: Vec<String> = releases.iter().map(|name| tame(name)).collect();
        return Err(format!("there is no release {}: there is {}", tame(release), names.join(", ")));
    }
    let of_helm = found.iter().find(|it| it.release() == Some(release) && it.helm().is_some());
    if let Some((name, namespace)) = of_helm.and_then(Installed::helm) {
        return Err(format!(
            "release {} is managed by Helm: run `helm uninstall {} -n {}` instead",
            tame(release),
            tame(&name),
            tame(&namespace)
        ));
    }
    let others: Vec<String> = releases.iter().filter(|it| **it != release).map(|it| tame(it)).collect();
    let others = (!others.is_empty()).then(|| others.join(", "));
    let release = release.to_owned();
    let shared: Vec<Option<String>> = found
        .iter()
        .filter(|it| it.release().is_some_and(|of| of != release))
        .map(|it| it.object.namespace())
        .collect();
    let (mut delete, mut keep) = (Vec::new(), Vec::new());
    for installed in found {
        let reason = match installed.kind {
            DEFINITION => match (&others, installed.helm()) {
                (Some(others), _) => Some(format!("the release {others} needs it")),
                (None, _) if !crds => Some("pass --crds to delete them, too".to_owned()),
                // `helm uninstall` leaves CRDs behind, with its marks on them: whose release is gone is nobody's.
                (None, _) => None,
            },
            _ if installed.release().is_none() => Some(format!("it has no label {INSTANCE}")),
            _ if installed.release() != Some(&release) => continue,
            NAMESPACE if shared.contains(&Some(installed.object.name_any())) => {
                Some("another release is in it".to_owned())
            }
            _ => None,
        };
        match reason {
            Some(reason) => keep.push((installed, reason)),
            None => delete.push(installed),
        }
    }
    Ok(Plan { release, delete, keep, is_last: others.is_none() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::uninstall::find::{BESIDE, DEPLOYMENT};

    fn installed(kind: Kind, namespace: &str, name: &str, labels: &serde_json::Value) -> Installed {
        let metadata = match namespace {
            "" => json!({ "name": name, "labels": labels }),
            namespace => json!({ "name": name, "namespace": namespace, "labels": labels }),
        };
        let object = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        Installed { kind, object, objects: Some(3) }
    }

    fn deployment(release: &str) -> Installed {
        installed(DEPLOYMENT, "system", &format!("{release}-controller"), &json!({ INSTANCE: release }))
    }

    fn definition() -> Installed {
        installed(DEFINITION, "", "statusreports.allready.dev", &json!({}))
    }

    fn described(plan: &Plan) -> (Vec<String>, Vec<String>) {
        let keep = plan.keep.iter().map(|(it, why)| format!("{}: {why}", it.described())).collect();
        (plan.delete.iter().map(Installed::described).collect(), keep)
    }

    #[test]
    fn crds_go_with_the_last_release_and_only_if_that_is_wanted() {
        let one = || vec![deployment("allready"), definition()];
        let (delete, keep) = described(&plan(one(), None, false).unwrap());
        assert_eq!(delete, ["deployment/allready-controller in system"]);
        let crd = "customresourcedefinition/statusreports.allready.dev with 3 objects";
        assert_eq!(keep, [format!("{crd}: pass --crds to delete them, too")]);
        let (delete, keep) = described(&plan(one(), None, true).unwrap());
        assert_eq!((delete.len(), delete[1].as_str(), keep.len()), (2, crd, 0));
        let two = vec![deployment("allready"), deployment("other"), definition()];
        let two = plan(two, Some("allready"), true).unwrap();
        assert!(!two.is_last);
        let (delete, keep) = described(&two);
        assert_eq!(delete, ["deployment/allready-controller in system"]);
        assert_eq!(keep, [format!("{crd}: the release other needs it")]);
    }

    #[test]
    fn of_several_releases_one_has_to_be_chosen() {
        let both = || vec![deployment("allready"), deployment("other")];
        assert_eq!(
            plan(both(), None, false).unwrap_err(),
            "there are 2 releases here: allready, other; choose one with --release NAME"
        );
        assert_eq!(
            plan(vec![deployment("other")], None, false).unwrap_err(),
            "there is no release allready here, but other: pass --release other"
        );
        assert_eq!(
            plan(both(), Some("third"), false).unwrap_err(),
            "there is no release third: there is allready, other"
        );
        assert_eq!(plan(both(), Some("other"), false).unwrap().delete.len(), 1);
    }

    #[test]
    fn what_helm_manages_is_left_to_helm_and_what_it_left_behind_is_not() {
        let labels = json!({ INSTANCE: "allready", MANAGED_BY: "Helm" });
        let mut by_label = installed(DEPLOYMENT, "system", "allready-controller", &labels);
        let told = "release allready is managed by Helm: run `helm uninstall allready -n system` instead";
        assert_eq!(plan(vec![by_label.clone()], None, false).unwrap_err(), told);
        let annotations = [(HELM_RELEASE, "mine"), (HELM_NAMESPACE, "there")];
        let annotations = annotations.map(|(name, value)| (name.to_owned(), value.to_owned()));
        by_label.object.metadata.annotations = Some(annotations.into());
        let told = "release allready is managed by Helm: run `helm uninstall mine -n there` instead";
        assert_eq!(plan(vec![by_label], None, false).unwrap_err(), told);
        let left = installed(DEFINITION, "", "statusreports.allready.dev", &json!({ MANAGED_BY: "Helm" }));
        assert_eq!(plan(vec![left], None, true).unwrap().delete.len(), 1);
    }

    #[test]
    fn a_namespace_that_another_release_is_in_stays_and_so_does_what_has_no_release() {
        let namespace = installed(NAMESPACE, "", "system", &json!({ INSTANCE: "allready" }));
        let role = BESIDE.into_iter().find(|kind| kind.2 == "ClusterRole").unwrap();
        let stray = installed(role, "", "stray", &json!({}));
        let found = vec![deployment("allready"), deployment("other"), namespace, stray];
        let (_, keep) = described(&plan(found, Some("allready"), false).unwrap());
        assert_eq!(
            keep,
            [
                "namespace/system with everything in it: another release is in it",
                "clusterrole/stray: it has no label app.kubernetes.io/instance"
            ]
        );
    }
}
