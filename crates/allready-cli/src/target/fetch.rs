//! Reading one object, and what it means when that fails.

use allready::resources::{Catalog, Resource};
use serde_json::Value;

use super::{ScopeArgs, Target, resolve::no_such};
use crate::{
    cluster::{Cluster, refused},
    failure::Failure,
    printer::tame,
};

/// Asks the server what it serves.
pub(crate) async fn discover(cluster: &Cluster) -> Result<Catalog, Failure> {
    let catalog = Catalog::discover(&cluster.client).await;
    catalog.map_err(|error| refused("cannot learn what the server has", &error))
}

/// Reads one object. It has to be named, and to be there.
///
/// # RBAC
/// `get` on the resource.
pub(crate) async fn fetch(
    cluster: &Cluster,
    catalog: &Catalog,
    target: &Target,
    scope: &ScopeArgs,
) -> Result<Value, Failure> {
    let resource = catalog.find(&target.resource).map_err(|error| no_such(&error))?;
    let Some(name) = &target.name else {
        return Err(Failure::usage(format_args!(
            "which of the {}? Give {}/NAME",
            resource.full_name(),
            tame(&target.resource)
        )));
    };
    if scope.all_namespaces && resource.is_namespaced {
        return Err(Failure::usage(format_args!(
            "{}/{name} is in one namespace: say which with -n",
            resource.full_name()
        )));
    }
    let namespace = scope.namespace(&cluster.namespace).filter(|_| resource.is_namespaced);
    let found = get(&cluster.client, resource, namespace.as_deref(), name).await?;
    found.ok_or_else(|| {
        let hint = if scope.namespace.is_none() && namespace.is_some() {
            ": that is the namespace of the context; -n names another"
        } else {
            ""
        };
        Failure::no_input(format_args!(
            "there is no {}{hint}",
            described(resource, namespace.as_deref(), name)
        ))
    })
}

/// Reads one object, or nothing where there is none.
pub(crate) async fn get(
    client: &kube::Client,
    resource: &Resource,
    namespace: Option<&str>,
    name: &str,
) -> Result<Option<Value>, Failure> {
    match resource.api(client.clone(), namespace).get_opt(name).await {
        Ok(found) => {
            let value = found.map(serde_json::to_value).transpose();
            value.map_err(|error| Failure::data(format_args!("the server's answer cannot be read: {error}")))
        }
        Err(error) => Err(refused_to("get", resource, namespace, Some(name), &error)),
    }
}

/// What stopped a command, when the server did not do this with an object, or with all of a kind where none is named.
pub(crate) fn refused_to(
    verb: &str,
    resource: &Resource,
    namespace: Option<&str>,
    name: Option<&str>,
    error: &kube::Error,
) -> Failure {
    let what = match name {
        Some(name) => described(resource, namespace, name),
        None => resource.full_name() + &place(namespace),
    };
    let doing = format!("cannot {verb} {what}");
    let kube::Error::Api(status) = error else { return refused(&doing, error) };
    match status.code {
        401 => Failure::permission(format_args!(
            "{doing}: the server does not accept the credentials of this context: they may have expired, so log in again"
        )),
        403 => {
            let who = user(&status.message).map_or_else(|| "the user of this context".to_owned(), tame);
            let role = if namespace.is_some() { "role" } else { "cluster role" };
            Failure::permission(format_args!(
                "{doing}: {who} needs a {role} with the verb {verb} on {}{} (the server says: {})",
                resource.full_name(),
                place(namespace),
                tame(&status.message)
            ))
        }
        404 => Failure::unavailable(format_args!(
            "{doing}: the server does not serve {} any more",
            resource.full_name()
        )),
        _ => refused(&doing, error),
    }
}

/// An object in words.
pub(crate) fn described(resource: &Resource, namespace: Option<&str>, name: &str) -> String {
    format!("{}/{name}{}", resource.full_name(), place(namespace))
}

fn place(namespace: Option<&str>) -> String {
    namespace.map(|namespace| format!(" in namespace {namespace}")).unwrap_or_default()
}

/// Whom the server has refused, from its own words.
fn user(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("User \"")?;
    rest.split_once('"').map(|(user, _)| user)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: u16, message: &str) -> String {
        let deployments = Resource {
            group: "apps".into(),
            version: "v1".into(),
            kind: "Deployment".into(),
            plural: "deployments".into(),
            is_namespaced: true,
            ..Resource::default()
        };
        let status: kube::core::Status =
            serde_json::from_value(serde_json::json!({ "code": code, "message": message })).unwrap();
        let error = kube::Error::Api(status.boxed());
        refused_to("get", &deployments, Some("shop"), Some("web"), &error).to_string()
    }

    #[test]
    fn who_is_refused_learns_which_permission_is_missing() {
        let said = r#"deployments.apps "web" is forbidden: User "eve" cannot get resource "deployments""#;
        assert_eq!(
            refusal(403, said),
            format!(
                "cannot get deployments.apps/web in namespace shop: eve needs a role with the verb get on \
                 deployments.apps in namespace shop (the server says: {said})"
            )
        );
        assert!(refusal(403, "no\u{1b}[31m").contains("the user of this context needs a role"));
        assert!(!refusal(403, "User \"\u{1b}[31m\" cannot").contains('\u{1b}'));
    }

    #[test]
    fn other_refusals_say_what_to_do() {
        assert!(refusal(401, "Unauthorized").ends_with("they may have expired, so log in again"));
        assert!(refusal(404, "not found").ends_with("the server does not serve deployments.apps any more"));
        assert_eq!(refusal(503, "busy"), "cannot get deployments.apps/web in namespace shop: busy");
    }
}
