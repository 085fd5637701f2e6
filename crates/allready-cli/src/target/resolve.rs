//! From what a person types to what is asked of the server.

use allready_kube::resources::{Catalog, Resource, Selection};

use super::{ScopeArgs, SelectorArgs, Target};
use crate::{failure::Failure, printer::tame};

/// What is asked of the server about one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The resource.
    pub(crate) resource: Resource,
    /// Where, and with which labels and fields. Without a namespace for what is in none.
    pub(crate) selection: Selection,
    /// These objects; all that are selected where there is no name.
    pub(crate) names: Vec<String>,
}

/// What targets mean on a server: with none of them, everything that is in the namespace, or with `-A` in the cluster.
///
/// What is named twice is asked for once. A kind in no namespace is the same whatever the scope.
pub(crate) fn resolve(
    targets: &[Target],
    scope: &ScopeArgs,
    selector: &SelectorArgs,
    catalog: &Catalog,
    default_namespace: &str,
) -> Result<Vec<Asked>, Failure> {
    let namespace = scope.namespace(default_namespace);
    let selection = |resource: &Resource| Selection {
        namespace: namespace.clone().filter(|_| resource.is_namespaced),
        labels: selector.selector.clone(),
        fields: selector.field_selector.clone(),
    };
    let mut asked: Vec<Asked> = Vec::new();
    if targets.is_empty() {
        let here = catalog.listable().filter(|resource| resource.is_namespaced || scope.all_namespaces);
        let all = here.map(|resource| Asked {
            resource: resource.clone(),
            selection: selection(resource),
            names: Vec::new(),
        });
        return Ok(all.collect());
    }
    for target in targets {
        let resources = match &target.name {
            Some(_) => vec![catalog.find(&target.resource).map_err(|error| no_such(&error))?],
            None => catalog.find_all(&target.resource).map_err(|error| no_such(&error))?,
        };
        for resource in resources {
            if let Some(name) = &target.name {
                check_name(resource, name, scope, selector)?;
            }
            match asked
                .iter_mut()
                .find(|known| known.resource == *resource && known.names.is_empty() == target.name.is_none())
            {
                Some(known) => {
                    let new = target.name.iter().filter(|name| !known.names.contains(name)).cloned();
                    let new: Vec<String> = new.collect();
                    known.names.extend(new);
                }
                None => asked.push(Asked {
                    resource: resource.clone(),
                    selection: selection(resource),
                    names: target.name.clone().into_iter().collect(),
                }),
            }
        }
    }
    Ok(asked)
}

/// A name is in one namespace, and needs no selector.
fn check_name(
    resource: &Resource,
    name: &str,
    scope: &ScopeArgs,
    selector: &SelectorArgs,
) -> Result<(), Failure> {
    let object = format!("{}/{name}", resource.full_name());
    if scope.all_namespaces && resource.is_namespaced {
        return Err(Failure::usage(format_args!(
            "{object} is in one namespace: say which with -n, or use --field-selector metadata.name={name} with -A"
        )));
    }
    if !selector.is_empty() {
        return Err(Failure::usage(format_args!(
            "{object} is named: leave --selector and --field-selector out"
        )));
    }
    Ok(())
}

pub(crate) fn no_such(error: &allready_kube::resources::NoSuchResource) -> Failure {
    Failure::unavailable(tame(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let resource = |group: &str, kind: &str, short: &str, category: &str, is_namespaced| Resource {
            group: group.into(),
            version: "v1".into(),
            kind: kind.into(),
            plural: format!("{}s", kind.to_lowercase()),
            singular: kind.to_lowercase(),
            short_names: vec![short.into()],
            categories: vec![category.into()],
            is_namespaced,
            verbs: vec!["list".into()],
        };
        Catalog {
            resources: vec![
                resource("", "Pod", "po", "all", true),
                resource("", "Node", "no", "", false),
                resource("apps", "Deployment", "deploy", "all", true),
            ],
            ..Catalog::default()
        }
    }

    fn told(arguments: &[&str], scope: &ScopeArgs, selector: &SelectorArgs) -> Result<Vec<String>, String> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let targets = super::super::parse(&arguments).unwrap();
        let asked =
            resolve(&targets, scope, selector, &catalog(), "shop").map_err(|failure| failure.to_string())?;
        let told = asked.into_iter().map(|asked| {
            let namespace = asked.selection.namespace.unwrap_or_else(|| "*".into());
            format!("{namespace} {} {}", asked.resource.full_name(), asked.names.join("+"))
        });
        Ok(told.map(|told| told.trim().to_owned()).collect())
    }

    #[test]
    fn what_is_asked_for_has_its_namespace() {
        let here = |arguments: &[&str]| told(arguments, &ScopeArgs::default(), &SelectorArgs::default());
        assert_eq!(here(&[]).unwrap(), ["shop pods", "shop deployments.apps"]);
        assert_eq!(here(&["all"]).unwrap(), ["shop pods", "shop deployments.apps"]);
        assert_eq!(here(&["po,no,Pod"]).unwrap(), ["shop pods", "* nodes"]);
        assert_eq!(here(&["po/a", "pod/b", "pods/a", "no/c"]).unwrap(), ["shop pods a+b", "* nodes c"]);
        assert_eq!(
            here(&["deploymnet"]).unwrap_err(),
            r#"the server has no resource "deploymnet"; did you mean deployments.apps?"#
        );
    }

    #[test]
    fn in_all_namespaces_nothing_is_named() {
        let all = ScopeArgs { all_namespaces: true, namespace: None };
        let everywhere = |arguments: &[&str]| told(arguments, &all, &SelectorArgs::default());
        assert_eq!(everywhere(&[]).unwrap(), ["* pods", "* nodes", "* deployments.apps"]);
        assert_eq!(everywhere(&["no/a"]).unwrap(), ["* nodes a"]);
        assert!(
            everywhere(&["po/a"]).unwrap_err().starts_with("pods/a is in one namespace: say which with -n")
        );
    }

    #[test]
    fn a_selector_goes_with_kinds_and_not_with_names() {
        let labels = SelectorArgs { selector: Some("app=web".into()), field_selector: None };
        let scope = ScopeArgs::default();
        assert_eq!(told(&["po"], &scope, &labels).unwrap(), ["shop pods"]);
        assert!(told(&["po/a"], &scope, &labels).unwrap_err().starts_with("pods/a is named"));
        let asked = resolve(&[], &scope, &labels, &catalog(), "shop").unwrap();
        assert!(asked.iter().all(|asked| asked.selection.labels.as_deref() == Some("app=web")));
    }
}
