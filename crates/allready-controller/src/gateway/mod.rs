//! The statuses of Gateway API: a controller for GatewayClasses that have no data plane of their own.
//!
//! [`allready_gateway::Engine`] decides; here objects are watched and statuses written. Nothing is written before everything that
//! decides a status has been listed: a Gateway whose Secrets are not known yet is not one without Secrets.
//!
//! | room | of |
//! |---|---|
//! | `served` | the kinds that the server has, and under which version |
//! | `reconciler` | the state: objects in, the statuses that differ out |
//! | `findings` | references that nobody answers for, told as Events |
//! | `shell` | watches and writes |

mod findings;
mod reconciler;
mod room;
mod served;
mod shell;
#[cfg(test)]
mod tests;

use allready_gateway::Support;
use kube::Client;

use self::{reconciler::GatewayReconciler, shell::GatewayShell};
use crate::engine::{Engine, Running, run};

/// The field manager of the statuses.
pub const MANAGER: &str = "allready-gateway";

/// The name of the controller in `spec.controllerName` of its classes, unless another one is given.
pub const CONTROLLER_NAME: &str = "allready.dev/gateway";

/// The controller that gives the objects of Gateway API their statuses.
///
/// # Permissions
/// `get`, `list` and `watch` on the kinds of `gateway.networking.k8s.io` and on Namespaces, Secrets, ConfigMaps and Services; `patch` on
/// the status of the former; `get` on the CRD of GatewayClasses, for `SupportedVersion`; `create` and `patch` on Events.
pub struct GatewayController {
    /// A client of the cluster.
    pub client: Client,
    /// The abilities that the statuses tell.
    pub support: Support,
    /// The leader, the clock, health and metrics.
    pub running: Running,
}

impl GatewayController {
    /// Runs until the future is dropped; everything that it began ends with it.
    pub async fn run(self) {
        let Self { client, support, running } = self;
        let reconciler = GatewayReconciler::new(support);
        let queue = GatewayReconciler::queue();
        let shell = GatewayShell::new(client, running.metrics.clone());
        run(Engine::new(reconciler, queue), shell, running).await;
    }
}
