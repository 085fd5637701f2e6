//! Admission: what may still change or refuse a write after it was decoded and before it is stored.
//!
//! One chain, in the order of kube-apiserver's recommended plugins: MutatingAdmissionPolicy, then (after validation by the
//! kind) ValidatingAdmissionPolicy. Follows `k8s.io/apiserver/pkg/admission/plugin/policy`; each file names its part of it.
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
mod policy;
mod validating;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    access,
    resource::{Registry, Resource, Version},
    status::Failure,
    store::{Store, Stored},
};

pub(crate) use attributes::{Attributes, GroupVersionKind, Operation};
pub(crate) use index::Index;
use policy::Policies;

/// The server around the chain.
pub(crate) trait Cluster: Sync {
    fn store(&self) -> &Store;
    fn registry(&self) -> Arc<Registry>;
    /// Who may do what, as of now.
    fn access(&self) -> Arc<access::Policy>;
    /// A stored object in a served version.
    fn show(&self, resource: &Resource, version: &Version, stored: &Stored) -> Result<Value, Failure>;
    /// An object of one served version in another, perhaps of the other resource that shows the same objects.
    fn convert(&self, object: &Value, from: (&Resource, &Version), to: (&Resource, &Version)) -> Value;
}

/// Everything that is configured at one moment.
#[derive(Default)]
pub(crate) struct Chain {
    validating: Policies<validating::Rules>,
}

impl Chain {
    fn is_empty(&self) -> bool {
        self.validating.is_empty()
    }

    /// Refuses an object that policies deny; `object` is absent for a deletion.
    pub(crate) fn validate(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&Value>,
        old: Option<&Value>,
        cluster: &dyn Cluster,
        warnings: &mut Vec<String>,
    ) -> Result<(), Failure> {
        if attributes.is_configuration() {
            return Ok(());
        }
        if !attributes.is_review() {
            validating::validate(&self.validating, &policy::Request { attributes, object, old, cluster }, warnings)?;
        }
        Ok(())
    }
}
