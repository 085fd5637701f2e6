//! Reporters: how a component tells how it is doing, as one of many writers.
//!
//! A reconciler says what it came to, and goes on. Everything else happens in the background: server-side apply under a
//! manager name of its own, retries, and the right time of the last transition. A component never fails because its report
//! cannot be written; a missing definition or permission is one line in its log, and a [metric](ReportMetrics).
//!
//! ```
//! use std::time::Duration;
//!
//! use allready_apiserver::ApiServer;
//! use allready_kube::kinds::StatusReport;
//! use allready_kube::report::{Failure, Identity, Layout, Outcome, Reporter};
//! use kube::{Api, CustomResourceExt};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = ApiServer::builder().crds([serde_json::to_value(StatusReport::crd())?]).build()?;
//! let client = kube::Client::new(server.service(), "default"); // in a cluster: Client::try_default().await?
//!
//! let speaker = Identity::of("speaker").on("kind-worker");
//! let layout = Layout::sharded("default", "config-status");
//! let (reporter, running) = Reporter::builder(client.clone(), speaker, layout).spawn();
//!
//! // In a reconcile: an early return, a cancellation and a panic are reported too.
//! let pools = reporter.reporting("configReconciler", async {
//!     "three".parse::<u8>().map_err(Failure::config)
//!         .map(|_| Outcome::success().observed("sha256:6f1e"))
//! });
//! assert!(pools.await.is_err());
//!
//! // At the end of the process.
//! assert_eq!(running.stop(Duration::from_secs(5)).await.unwritten, 0);
//!
//! let report = Api::<StatusReport>::default_namespaced(client).get("config-status.speaker.kind-worker").await?;
//! let condition = &report.status.unwrap().conditions[0];
//! assert_eq!(condition.type_.as_str(), "configReconcilerValid");
//! assert_eq!(condition.reason.as_str(), "ConfigError");
//! assert_eq!(condition.message.as_str(), "invalid digit found in string");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it promises
//! - [`report`](Reporter::report) returns at once and never fails. Memory is bounded by the number of reconcilers.
//! - What was reported last is what is stored in the end. A write that was not answered is sent again, and once more when it
//!   can no longer take effect late.
//! - A report that says what is stored already costs no request, also the first after a restart.
//! - `lastTransitionTime` moves with the status and never back. The reporter reads its own conditions once, when it starts,
//!   so that a restart keeps the time.
//! - A deleted object is written again: at once when it is [watched](Builder::watch), else with the next
//!   [refresh](Builder::refresh).
//! - Where somebody has to know that the reporter is still there, it [renews a Lease](Builder::heartbeat) beside its report.
//! - A failed, cancelled or panicked reconcile is never reported as success.
//!
//! # What goes over the wire
//! Nothing but server-side apply, forced, on the status of one object: a component in any language can be such a writer. Into
//! an object that many share, for each reconciler:
//!
//! ```text
//! PATCH /apis/metallb.io/v1beta1/namespaces/metallb-system/configurationstatuses/config-status/status
//!       ?fieldManager=speaker-kind-worker/configReconciler&force=true
//! Content-Type: application/apply-patch+yaml
//!
//! apiVersion: metallb.io/v1beta1
//! kind: ConfigurationStatus
//! metadata: { name: config-status, namespace: metallb-system }
//! status:
//!   conditions:
//!   - type: speaker-kind-worker/configReconcilerValid
//!     status: "True"
//!     reason: SyncStateSuccess
//!     message: ""
//!     lastTransitionTime: "2026-03-01T10:00:00Z"
//! ```
//!
//! Into a report of its own, the manager is `speaker-kind-worker`, and `status` has all conditions of the reporter, with types
//! such as `configReconcilerValid`; `Ready`, which is as bad as the worst of them and has its reason; and `observedRevision`: the
//! one that all its reconcilers agree on. When the answer is 404, it applies the object itself first: labels, owners and `spec`.
//!
//! # RBAC
//! For an object that many share; somebody else makes it:
//!
//! ```yaml
//! - apiGroups: [metallb.io]
//!   resources: [configurationstatuses/status]
//!   resourceNames: [config-status]
//!   verbs: [get, patch]
//! ```
//!
//! For reports of their own. `create` belongs to the first apply; `list` and `watch` only to those who
//! [watch](Builder::watch):
//!
//! ```yaml
//! - apiGroups: [allready.dev]
//!   resources: [statusreports]
//!   verbs: [create, patch, list, watch]
//! - apiGroups: [allready.dev]
//!   resources: [statusreports/status]
//!   verbs: [get, patch]
//! ```
//!
//! For those who give [signs of life](Builder::heartbeat), in the namespace of the report:
//!
//! ```yaml
//! - apiGroups: [coordination.k8s.io]
//!   resources: [leases]
//!   verbs: [create, patch]
//! ```
//!
//! `get` is for what the process before has said. Into an object that many share, a reporter without it writes, and its times
//! begin anew with each process. Into a report of its own, it writes nothing before it has read: one apply carries all
//! conditions, and one without those of reconcilers that have not spoken yet would delete them. That `get` is missing is then
//! a [`Trouble`], and the log says so once.
//!
//! The API server does not check who uses which manager name: whoever may patch the status may speak for every reporter.

mod book;
mod builder;
mod guard;
mod heartbeat;
mod identity;
mod layout;
mod metrics;
mod outcome;
mod reporter;
mod task;
#[cfg(test)]
pub(crate) mod tests;
mod trouble;
mod wire;

pub use builder::Builder;
pub use guard::Guard;
pub use identity::Identity;
pub use layout::{Layout, labels};
pub use metrics::ReportMetrics;
pub use outcome::{BoxedError, Failure, Outcome, SyncState, ToOutcome};
pub use reporter::Reporter;
pub use task::{Ended, ReporterTask, Running};
pub use trouble::Trouble;

pub(crate) use identity::SUFFIX;
