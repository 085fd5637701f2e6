//! The common part of both kinds of policies: which requests they are about, by which bindings, with which params.
//!
//! Follows `pkg/admission/plugin/policy/generic` (`policy_source.go`, `policy_dispatcher.go`).

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    Cluster,
    attributes::{Attributes, Matched},
    authorizer::Authorizer,
    expression::{Evaluation, Expression, Inputs, Trouble, Variables, evaluate},
    matching::MatchResources,
};
use crate::{
    access::{Attempt, LabelSelector},
    resource::Resource,
    status::Failure,
};
use kube_cel::cel::Value as Cel;

/// One request on its way through the chain.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) attributes: &'a Attributes<'a>,
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
    pub(super) cluster: &'a dyn Cluster,
}

/// A policy, compiled; `R` is what it does.
pub(super) struct Policy<R> {
    pub(super) name: String,
    constraints: MatchResources,
    param_kind: Option<ParamKind>,
    /// Set if an error denies the request; otherwise it is as if the policy were not there.
    pub(super) fails: bool,
    conditions: Vec<Expression>,
    pub(super) variables: Variables,
    pub(super) rules: R,
}

/// `paramKind`.
struct ParamKind {
    api_version: String,
    kind: String,
}

/// A binding of a policy.
pub(super) struct Binding {
    pub(super) name: String,
    policy: String,
    constraints: Option<MatchResources>,
    param_ref: Option<ParamRef>,
    /// `validationActions`.
    pub(super) actions: Vec<String>,
}

/// `paramRef`.
struct ParamRef {
    name: String,
    namespace: String,
    selector: Option<LabelSelector>,
    /// Set if it is an error that no params are found.
    deny: bool,
}

/// A policy with its bindings.
type Bound<R> = (Arc<Policy<R>>, Vec<Arc<Binding>>);

/// Policies with their bindings, both by name.
pub(super) struct Policies<R>(Vec<Bound<R>>);

impl<R> Default for Policies<R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

fn text(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap_or_default().to_owned()
}

pub(super) fn expressions(list: &Value) -> Vec<Expression> {
    let list = list.as_array().into_iter().flatten();
    list.map(|entry| Expression::compile(&text(entry, "expression"))).collect()
}

impl<R> Policy<R> {
    pub(super) fn read(policy: &Value, rules: fn(&Value) -> R) -> Self {
        let spec = &policy["spec"];
        let kind = &spec["paramKind"];
        Self {
            name: text(&policy["metadata"], "name"),
            constraints: MatchResources::read(&spec["matchConstraints"], "resourceRules"),
            param_kind: kind
                .is_object()
                .then(|| ParamKind { api_version: text(kind, "apiVersion"), kind: text(kind, "kind") }),
            fails: spec["failurePolicy"] != "Ignore",
            conditions: expressions(&spec["matchConditions"]),
            variables: Variables::read(&spec["variables"]),
            rules: rules(spec),
        }
    }

    /// The depth of the deepest of its expressions.
    pub(super) fn depth<'e>(&'e self, of_rules: impl Iterator<Item = &'e Expression>) -> usize {
        self.variables.depth_with(of_rules.chain(&self.conditions))
    }

    /// The params that a binding brings; a policy without params gets none, once.
    fn params(&self, binding: &Binding, request: &Request<'_>) -> Result<Vec<Option<Value>>, String> {
        let (Some(kind), Some(wanted)) = (&self.param_kind, &binding.param_ref) else {
            return Ok(vec![None]);
        };
        let (resource, version) = kind.find(request.cluster)?;
        let namespace = if resource.namespaced {
            if let Some(namespace) = [wanted.namespace.as_str(), &request.attributes.namespace]
                .into_iter()
                .find(|it| !it.is_empty())
            {
                namespace
            } else {
                let why =
                    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
                return Err(why.to_owned());
            }
        } else if wanted.namespace.is_empty() {
            ""
        } else {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        };
        let prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        let store = request.cluster.store();
        let stored = match &wanted.selector {
            _ if !wanted.name.is_empty() => {
                store.get(&resource.place, &format!("{prefix}{}", wanted.name)).into_iter().collect()
            }
            Some(_) => {
                let page = store.list(&resource.place, &prefix, None);
                page.items.into_iter().map(|(_, stored)| stored).collect()
            }
            None => return Err("one of name or selector must be provided".to_owned()),
        };
        let mut params = Vec::new();
        let shown: Vec<_> = stored;
        for stored in shown {
            let version = resource.version(&version).ok_or_else(|| kind.unknown())?;
            let param =
                request.cluster.show(&resource, version, &stored).map_err(|failure| failure.message)?;
            let labels = &param["metadata"]["labels"];
            let selected = wanted
                .selector
                .as_ref()
                .is_none_or(|selector| selector.selects(|key| labels.get(key).and_then(Value::as_str)));
            if selected {
                params.push(Some(param));
            }
        }
        if params.is_empty() && wanted.deny {
            return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
        }
        Ok(params)
    }

    /// Tells whether the match conditions hold, in an evaluation of the policy: `NewMatcher(…).Match` upstream.
    pub(super) fn conditions_hold(&self, evaluation: &mut Evaluation<'_>) -> Result<bool, String> {
        let mut errors: Vec<String> = Vec::new();
        for condition in &self.conditions {
            match evaluation.run(condition) {
                Ok(Cel::Bool(false)) => return Ok(false),
                Ok(_) => {}
                Err(Trouble::Failed(text)) => errors.push(text),
                Err(Trouble::OutOfBudget) => return Err(Trouble::OutOfBudget.into_text()),
            }
        }
        match errors.as_slice() {
            [] => Ok(true),
            _ if !self.fails => Ok(false),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }
}

impl ParamKind {
    fn unknown(&self) -> String {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", &self.api_version));
        format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={}'", self.kind)
    }

    fn find(&self, cluster: &dyn Cluster) -> Result<(Arc<Resource>, String), String> {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", &self.api_version));
        let registry = cluster.registry();
        let found = registry
            .iter()
            .find(|it| it.group == group && it.kind == self.kind && it.version(version).is_some());
        found.map(|resource| (Arc::clone(resource), version.to_owned())).ok_or_else(|| self.unknown())
    }
}

impl Binding {
    pub(super) fn read(binding: &Value) -> Self {
        let spec = &binding["spec"];
        let (matches, param) = (&spec["matchResources"], &spec["paramRef"]);
        let actions = spec["validationActions"].as_array().into_iter().flatten();
        Self {
            name: text(&binding["metadata"], "name"),
            policy: text(spec, "policyName"),
            constraints: matches.is_object().then(|| MatchResources::read(matches, "resourceRules")),
            param_ref: param.is_object().then(|| ParamRef {
                name: text(param, "name"),
                namespace: text(param, "namespace"),
                selector: param["selector"].is_object().then(|| LabelSelector::read(&param["selector"])),
                deny: param["parameterNotFoundAction"] != "Allow",
            }),
            actions: actions.filter_map(|action| action.as_str().map(str::to_owned)).collect(),
        }
    }
}

/// A policy that is about a request, by one of its bindings and with one of its params.
pub(super) struct Invocation<'p, R> {
    pub(super) policy: &'p Policy<R>,
    pub(super) binding: &'p Binding,
    pub(super) matched: Arc<Matched>,
    pub(super) param: Option<Value>,
}

/// A policy that could not be asked.
pub(super) struct Misconfigured<'p, R> {
    pub(super) policy: &'p Policy<R>,
    pub(super) binding: Option<&'p Binding>,
    pub(super) message: String,
}

impl<R> Policies<R> {
    /// Puts bindings to the policies that they name; a policy without any is never asked.
    pub(super) fn bind(
        policies: &BTreeMap<Box<str>, Arc<Policy<R>>>,
        bindings: &BTreeMap<Box<str>, Arc<Binding>>,
    ) -> Self {
        let bound = policies.values().map(|policy| {
            let own = bindings.values().filter(|binding| binding.policy == policy.name);
            (Arc::clone(policy), own.cloned().collect::<Vec<_>>())
        });
        Self(bound.filter(|(_, bindings)| !bindings.is_empty()).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything that is to be asked about a request, in order.
    pub(super) fn invocations<'p>(
        &'p self,
        request: &Request<'_>,
    ) -> Vec<Result<Invocation<'p, R>, Misconfigured<'p, R>>> {
        let Request { attributes, object, old, cluster } = *request;
        let mut found = Vec::new();
        for (policy, bindings) in &self.0 {
            let wrong = |binding: Option<&'p Binding>, why: &str| {
                let what = if binding.is_none() { "policy" } else { "binding" };
                Err(Misconfigured { policy, binding, message: format!("failed to configure {what}: {why}") })
            };
            let matched = match policy.constraints.matches(attributes, object, old, cluster) {
                Ok(Some(matched)) => Arc::new(matched),
                Ok(None) => continue,
                Err(failure) => {
                    found.push(wrong(None, &failure.message));
                    continue;
                }
            };
            if let Some(Err(why)) = policy.param_kind.as_ref().map(|kind| kind.find(cluster)) {
                found.push(wrong(None, &why));
                continue;
            }
            for binding in bindings {
                let constraints = binding.constraints.as_ref();
                match constraints.map(|it| it.matches(attributes, object, old, cluster)).transpose() {
                    Ok(None | Some(Some(_))) => {}
                    Ok(Some(None)) => continue,
                    Err(failure) => {
                        found.push(wrong(Some(binding), &failure.message));
                        continue;
                    }
                }
                match policy.params(binding, request) {
                    Ok(params) => found.extend(params.into_iter().map(|param| {
                        Ok(Invocation { policy, binding, matched: Arc::clone(&matched), param })
                    })),
                    Err(why) => found.push(wrong(Some(binding), &why)),
                }
            }
        }
        found
    }
}

impl Request<'_> {
    /// The namespace that the object is in, as expressions see it: `CreateNamespaceObject` upstream.
    pub(super) fn namespace_object(&self) -> Result<Option<Value>, Failure> {
        let name = self.attributes.namespace.as_str();
        if name.is_empty() || self.attributes.is_namespace() && self.attributes.kind.kind == "Namespace" {
            return Ok(None);
        }
        let stored = self.cluster.store().get("namespaces", name);
        let namespace = stored.ok_or_else(|| Failure::not_found("namespaces", name))?.value()?;
        let hidden = ["managedFields", "ownerReferences", "selfLink"];
        let shown = namespace["metadata"].as_object().into_iter().flatten();
        let shown = shown.filter(|(field, _)| !hidden.contains(&field.as_str()));
        let metadata: serde_json::Map<_, _> =
            shown.map(|(field, value)| (field.clone(), value.clone())).collect();
        Ok(Some(json!({ "metadata": metadata, "spec": namespace["spec"], "status": namespace["status"] })))
    }

    /// An object of the request in the version that was matched.
    pub(super) fn in_version(
        &self,
        object: Option<&Value>,
        matched: &Matched,
    ) -> Result<Option<Value>, Failure> {
        let from = self.attributes.resource;
        let same = matched.kind == self.attributes.kind;
        let (Some(old), Some(new)) =
            (from.version(self.attributes.version), matched.resource.version(&matched.version))
        else {
            return Ok(object.cloned());
        };
        let converted = object.map(|object| {
            if same {
                Ok(object.clone())
            } else {
                self.cluster.convert(object, (from, old), (&matched.resource, new))
            }
        });
        converted.transpose()
    }

    /// An object of the version that was matched in that of the request.
    pub(super) fn back(&self, object: Value, matched: &Matched) -> Result<Value, Failure> {
        let sent = self.attributes.resource;
        let versions = (matched.resource.version(&matched.version), sent.version(self.attributes.version));
        match versions {
            (Some(from), Some(to)) if matched.kind != self.attributes.kind => {
                self.cluster.convert(&object, (&matched.resource, from), (sent, to))
            }
            _ => Ok(object),
        }
    }

    /// The authorizer of the user, and its check of the resource of the request.
    pub(super) fn authorizers(&self) -> (Authorizer, Authorizer) {
        let attributes = self.attributes;
        let authorizer = Authorizer::new(self.cluster.access(), attributes.user.clone());
        let request_resource = authorizer.of_request(&Attempt {
            group: &attributes.resource.group,
            resource: &attributes.resource.plural,
            subresource: attributes.subresource,
            namespace: &attributes.namespace,
            name: &attributes.name,
            ..Attempt::default()
        });
        (authorizer, request_resource)
    }

    /// Runs expressions of a policy for this request.
    pub(super) fn evaluate<R, T>(
        &self,
        invocation: &Invocation<'_, R>,
        depth: usize,
        namespace: Option<&Value>,
        run: impl FnOnce(&mut Evaluation<'_>) -> T,
    ) -> Result<T, Failure> {
        let attributes = self.attributes;
        let matched = &invocation.matched;
        let (object, old) = (self.in_version(self.object, matched)?, self.in_version(self.old, matched)?);
        let (authorizer, request_resource) = self.authorizers();
        let inputs = Inputs {
            object: object.as_ref(),
            old: old.as_ref(),
            request: &attributes.to_request(matched),
            params: invocation.param.as_ref(),
            namespace,
            authorizer: &authorizer,
            request_resource: &request_resource,
        };
        Ok(evaluate(depth, &invocation.policy.variables, &inputs, run))
    }
}
