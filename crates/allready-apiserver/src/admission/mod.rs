//! Admission: what may still change or refuse a write after it was decoded and before it is stored.
//!
//! One chain, in the order of kube-apiserver's recommended plugins: `MutatingAdmissionPolicy`, mutating webhooks, then (after
//! validation by the kind) `ValidatingAdmissionPolicy` and validating webhooks. Follows `k8s.io/apiserver/pkg/admission/plugin`;
//! each file names its part of it.
//!
//! [`Index`] keeps what is configured in the store, compiled, and looks at it again only after it changed: a server without
//! policies pays for one comparison. [`Cluster`] is what the chain needs to know of the server around it.
//!
//! # What differs
//! - Policies hold from the next request on; the real server needs up to a second to notice them.
//! - The CEL interpreter has no type checker. An expression that does not compile follows the policy's `failurePolicy`.
//! - Nothing is audited: `Audit` actions and `auditAnnotations` are evaluated, as their errors may deny, and not written down.
//! - The garbage collector and the emptying of namespaces are not asked about.

mod attributes;
mod authorizer;
mod expression;
mod index;
mod matching;
mod mutating;
mod policy;
mod rounds;
mod validating;
mod webhook;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    access,
    resource::{Registry, Resource, Version},
    status::Failure,
    store::{Store, Stored},
    webhook::Services,
};

pub(crate) use attributes::{Attributes, GroupVersionKind, Operation};
pub(crate) use index::Index;
use policy::{Policies, Request};
use rounds::Rounds;
use webhook::Webhook;

/// The server around the chain.
pub(crate) trait Cluster: Sync {
    fn store(&self) -> &Store;
    fn registry(&self) -> Arc<Registry>;
    /// The roles and bindings, as of now.
    fn access(&self) -> Arc<access::Policy>;
    /// A stored object in a served version.
    fn show(&self, resource: &Resource, version: &Version, stored: &Stored) -> Result<Value, Failure>;
    /// An object of one served version in another, perhaps of the other resource that shows the same objects.
    fn convert(
        &self,
        object: &Value,
        from: (&Resource, &Version),
        to: (&Resource, &Version),
    ) -> Result<Value, Failure>;
}

/// Everything that is configured at one moment.
#[derive(Default)]
pub(crate) struct Chain {
    mutating: Policies<mutating::Rules>,
    mutating_webhooks: Vec<Arc<Vec<Webhook>>>,
    validating: Policies<validating::Rules>,
    validating_webhooks: Vec<Arc<Vec<Webhook>>>,
}

/// A request, and what the chain may use for it.
pub(crate) struct Admission<'a> {
    pub(crate) attributes: &'a Attributes<'a>,
    /// The object that is replaced or removed.
    pub(crate) old: Option<&'a Value>,
    pub(crate) cluster: &'a dyn Cluster,
    /// The addresses at which the services of webhooks listen.
    pub(crate) services: &'a Services,
}

impl<'a> Admission<'a> {
    fn request(&self, object: Option<&'a Value>) -> Request<'a> {
        Request { attributes: self.attributes, object, old: self.old, cluster: self.cluster }
    }
}

impl Chain {
    fn is_empty(&self) -> bool {
        self.validating.is_empty() && self.mutating.is_empty() && !self.calls()
    }

    /// Tells whether anything is called over the network.
    pub(crate) fn calls(&self) -> bool {
        [&self.mutating_webhooks, &self.validating_webhooks]
            .into_iter()
            .flatten()
            .any(|list| !list.is_empty())
    }

    /// Lets policies and webhooks change an object, which is absent for a deletion; `settle` reads, prunes and fills in
    /// what they changed. A change by one makes those that want it look again, once.
    pub(crate) fn mutate(
        &self,
        admission: &Admission<'_>,
        mut object: Option<&mut Value>,
        settle: &dyn Fn(&mut Value) -> Result<(), String>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let attributes = admission.attributes;
        if self.mutating.is_empty() && self.mutating_webhooks.is_empty() {
            return Ok(());
        }
        let mut policies = Rounds::default();
        let mut webhooks = Rounds::default();
        for round in 0..2 {
            let mut changed = false;
            let request = admission.request(None);
            if round == 1 {
                policies.again(object.as_deref());
            }
            if !attributes.is_review() && !attributes.is_policy() {
                changed |= mutating::mutate(&self.mutating, &request, &mut object, settle, &mut policies)?;
            }
            if round == 1 {
                webhooks.again(object.as_deref());
            }
            if !attributes.is_configuration() {
                let calls = webhook::Calls { services: admission.services, settle, warnings };
                let hooks = &self.mutating_webhooks;
                changed |= webhook::mutate(hooks, &request, &mut object, calls, &mut webhooks)?;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Refuses an object that policies or webhooks deny; `object` is absent for a deletion.
    pub(crate) fn validate(
        &self,
        admission: &Admission<'_>,
        object: Option<&Value>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let Admission { attributes, old, cluster, services } = *admission;
        let request = Request { attributes, object, old, cluster };
        if !attributes.is_review() && !attributes.is_policy() {
            validating::validate(&self.validating, &request, warnings)?;
        }
        if attributes.is_configuration() {
            return Ok(());
        }
        webhook::validate(&self.validating_webhooks, &request, services, warnings)
    }
}
