//! Roles: those that every cluster has, and those that gather the rules of others.

use std::sync::Arc;

use crate::{
    access,
    resource::{Resource, Stamp},
    rest::Engine,
};

impl Engine {
    /// Makes the roles and bindings that every cluster has, where they are missing.
    pub(in crate::rest) fn make_default_roles(&self, stamp: &dyn Fn() -> Stamp) {
        let registry = self.registry();
        for object in access::default_objects() {
            let plural = match object["kind"].as_str() {
                Some("ClusterRole") => "clusterroles",
                _ => "clusterrolebindings",
            };
            if let Some(resource) = registry.get(access::GROUP, plural) {
                self.make_default(resource, object, stamp());
            }
        }
    }

    /// Gives every role that gathers the rules of others the rules that it should have.
    pub(super) fn aggregate_roles(&self, roles: &Arc<Resource>) {
        // A role that gathers from one that gathers needs another look, but two may gather from each other without end.
        for _ in 0..8 {
            let stale = access::aggregate(&self.access());
            if stale.is_empty() {
                return;
            }
            for (name, rules) in stale {
                self.amend(roles, &name, |role| role["rules"] = rules.clone());
            }
        }
    }
}
