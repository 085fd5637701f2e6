//! Reading one object, and what it means when that fails.

use allready_kube::{
    list_watch::WatchError,
    refusal::{Permission, denied},
    resources::{Catalog, ListProblem, Resource},
};
use serde_json::Value;

use super::{ScopeArgs, Target, absent_namespace, no_such};
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
    if let Some(found) = get(&cluster.client, resource, namespace.as_deref(), name).await? {
        return Ok(found);
    }
    Err(no_object(cluster, resource, namespace.as_deref(), name).await)
}

/// The failure of a command that needs an object which is not there. Its namespace may be missing, or be that of the context.
pub(crate) async fn no_object(
    cluster: &Cluster,
    resource: &Resource,
    namespace: Option<&str>,
    name: &str,
) -> Failure {
    let absent = match namespace {
        Some(namespace) => absent_namespace(cluster, namespace).await.map(|absent| format!(": {absent}")),
        None => None,
    };
    let is_default = namespace == Some(cluster.namespace.as_str());
    let hint = absent.unwrap_or_else(|| {
        if is_default {
            ": that is the namespace of the context; -n names another".to_owned()
        } else {
            String::new()
        }
    });
    Failure::no_input(format_args!("there is no {}{hint}", described(resource, namespace, name)))
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

/// The failure of a command, when the server did not do this with an object, or with all of a kind where none is named.
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
    match error {
        kube::Error::Api(status) if status.code == 403 => Failure::permission(tame(&denied(
            &doing,
            Some(&permission(verb, resource, namespace)),
            &status.message,
        ))),
        kube::Error::Api(status) if status.code == 404 => Failure::unavailable(format_args!(
            "{doing}: the server does not serve {} any more",
            resource.full_name()
        )),
        _ => refused(&doing, error),
    }
}

/// The same where a list of many has failed.
pub(crate) fn unlisted(resource: &Resource, namespace: Option<&str>, problem: &ListProblem) -> Failure {
    let doing = format!("cannot list {}{}", resource.full_name(), place(namespace));
    match problem {
        ListProblem::Forbidden { said } => {
            Failure::permission(tame(&denied(&doing, Some(&permission("list", resource, namespace)), said)))
        }
        other => Failure::unavailable(tame(&format!("{doing}: {other}"))),
    }
}

/// The same where a list-watch cannot see anything.
pub(crate) fn unwatched(resource: &Resource, namespace: Option<&str>, error: &WatchError) -> Failure {
    const VERBS: &str = "list and watch";
    match error {
        WatchError::Request(error) => refused_to(VERBS, resource, namespace, None, error),
        other => {
            let doing = format!("cannot {VERBS} {}{}", resource.full_name(), place(namespace));
            Failure::unavailable(tame(&format!("{doing}: {other}")))
        }
    }
}

fn permission(verbs: &str, resource: &Resource, namespace: Option<&str>) -> Permission {
    Permission {
        verbs: verbs.to_owned(),
        resource: resource.full_name(),
        namespace: namespace.map(str::to_owned),
    }
}

/// An object in words.
pub(crate) fn described(resource: &Resource, namespace: Option<&str>, name: &str) -> String {
    format!("{}/{name}{}", resource.full_name(), place(namespace))
}

fn place(namespace: Option<&str>) -> String {
    namespace.map(|namespace| format!(" in namespace {namespace}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use allready_apiserver::{ApiServer, User};
    use kube::Client;

    use super::*;

    /// What comes of asking an embedded server for one object, as the administrator or as somebody who may do nothing.
    async fn fetched(argument: &str, scope: ScopeArgs, is_guest: bool) -> Result<Value, String> {
        let server = ApiServer::new();
        let service = if is_guest {
            server.service_as(User::service_account("shop", "guest"))
        } else {
            server.service()
        };
        let cluster = Cluster {
            client: Client::new(service, "kube-system"),
            namespace: "kube-system".to_owned(),
            server: String::new(),
            context: None,
        };
        let catalog = discover(&cluster).await.unwrap();
        let target = super::super::parse(&[argument.to_owned()]).unwrap().remove(0);
        fetch(&cluster, &catalog, &target, &scope).await.map_err(|failure| failure.to_string())
    }

    #[tokio::test]
    async fn one_object_is_read_with_its_kind() {
        let namespace = fetched("ns/default", ScopeArgs::default(), false).await.unwrap();
        assert_eq!((&namespace["apiVersion"], &namespace["kind"]), (&"v1".into(), &"Namespace".into()));
        assert_eq!(namespace["metadata"]["name"], "default");
    }

    #[tokio::test]
    async fn an_object_that_is_not_read_is_told_with_where_it_was_looked_for() {
        let (here, everywhere) = (ScopeArgs::default(), ScopeArgs { all_namespaces: true, namespace: None });
        let there = ScopeArgs { namespace: Some("shop".to_owned()), all_namespaces: false };
        for (argument, scope, is_guest, told) in [
            (
                "deploy/web",
                &here,
                false,
                "there is no deployments.apps/web in namespace kube-system: that is the namespace of the context; \
                 -n names another",
            ),
            (
                "deploy/web",
                &there,
                false,
                "there is no deployments.apps/web in namespace shop: namespace shop does not exist",
            ),
            ("node/web", &there, false, "there is no nodes/web"),
            ("deploy/web", &everywhere, false, "deployments.apps/web is in one namespace: say which with -n"),
            ("deploy", &here, false, "which of the deployments.apps? Give deploy/NAME"),
            (
                "deplyo/web",
                &here,
                false,
                "the server has no resource \"deplyo\"; did you mean deployments.apps?",
            ),
            (
                "node/web",
                &here,
                true,
                "cannot get nodes/web: system:serviceaccount:shop:guest needs a cluster role with the verb get on nodes \
                 (the server says: nodes \"web\" is forbidden: User \"system:serviceaccount:shop:guest\" cannot get \
                 resource \"nodes\" in API group \"\" at the cluster scope)",
            ),
        ] {
            let error = fetched(argument, scope.clone(), is_guest).await.unwrap_err();
            assert_eq!(error, told, "{argument}");
        }
    }

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
