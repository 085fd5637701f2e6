//! The status of the object that a controller reconciles: one call that runs the work, and writes what came of it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use allready_core::{Conditions, Status, Time, reason};
//! use allready_derive::{ConditionSet, StatusFields};
//! use allready_kube::{
//!     events::MemorySink,
//!     status::{OrMark, ReasonedError, StatusUpdater},
//! };
//! use kube::{Api, Client, CustomResource, CustomResourceExt, api::PostParams, runtime::controller::Action};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
//! #[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
//! struct PoolSpec {
//!     address: String,
//! }
//!
//! // Every field that the updater writes is found when this is compiled.
//! #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
//! #[serde(rename_all = "camelCase", default)]
//! #[status(crate = allready_kube)]
//! struct PoolStatus {
//!     observed_generation: i64,
//!     last_reconcile_time: Option<Time>,
//!     phase: Phase,
//!     reason: Option<String>,
//!     message: Option<String>,
//!     conditions: Conditions<PoolCondition>,
//! }
//!
//! #[derive(Clone, Copy, Debug, ConditionSet)]
//! #[conditions(crate = allready_core)]
//! enum PoolCondition {
//!     AddressValid,
//! }
//!
//! #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
//! enum Phase {
//!     #[default]
//!     Pending,
//!     Ready,
//!     Failed,
//! }
//!
//! // The reconcile function of a controller.
//! async fn reconcile(pool: Arc<Pool>, status: Arc<StatusUpdater<Pool>>) -> Result<Action, ReasonedError> {
//!     let work = status.reconcile(&pool, async |c| {
//!         let address: std::net::IpAddr =
//!             pool.spec.address.parse().or_mark(c, PoolCondition::AddressValid, reason!("BadAddress"))?;
//!         c.mark_address_valid(reason!("Valid"), address.to_string());
//!         Ok(())
//!     });
//!     work.await
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let crd = serde_json::to_value(Pool::crd())?;
//! let server = allready_apiserver::ApiServer::builder().crds([crd]).build()?;
//! let client = Client::new(server.service(), "default");
//! let pools: Api<Pool> = Api::default_namespaced(client.clone());
//! let events = MemorySink::default();
//! let status = StatusUpdater::new(client, "pool-controller").events(events.clone()).phase(|view| {
//!     let is_ready = view.conditions.iter().all(|condition| condition.status == Status::True);
//!     Ok::<_, ReasonedError>(match view.error {
//!         None if is_ready => Phase::Ready,
//!         None => Phase::Pending,
//!         Some(_) => Phase::Failed,
//!     })
//! });
//! let status = Arc::new(status);
//!
//! let good = Pool::new("good", PoolSpec { address: "192.0.2.1".into() });
//! let good = pools.create(&PostParams::default(), &good).await?;
//! reconcile(Arc::new(good), Arc::clone(&status)).await?;
//! let stored = pools.get("good").await?.status.unwrap();
//! assert_eq!((stored.phase, stored.observed_generation), (Phase::Ready, 1));
//! assert_eq!(events.recorded()[0].note.note, "AddressValid is True: Valid: 192.0.2.1");
//!
//! let bad = Pool::new("bad", PoolSpec { address: "192.0.2.".into() });
//! let bad = pools.create(&PostParams::default(), &bad).await?;
//! assert!(reconcile(Arc::new(bad), status).await.is_err());
//! let stored = pools.get("bad").await?.status.unwrap();
//! assert_eq!((stored.phase, stored.reason.as_deref()), (Phase::Failed, Some("BadAddress")));
//! assert_eq!(stored.conditions.top().unwrap().message, "invalid IP address syntax");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is written
//!
//! | field | what it becomes |
//! |---|---|
//! | `observedGeneration` | the generation of the object that was reconciled; never an older one than is stored |
//! | `lastReconcileTime` | now; [`ReconcileTime`] says how exactly |
//! | `reason`, `message` | those that the pass was given, or those of the error, or nothing |
//! | `conditions` | the marks, and the top condition that they come to; what others wrote stays to the letter |
//! | `phase` | what the [`phase`](StatusUpdater::phase) function says; without one it is left alone |
//!
//! Names, nested structs and what is left out are said by `#[derive(StatusFields)]` on a typed
//! status, and by a [`FieldMap`] for objects without a type. A typed status that is written again keeps what its type does
//! not know, with one exception: of other writers' conditions, what their type in the status does not know.
//!
//! # How it is written
//!
//! As a merge patch of the status that has only what changed, and only if something did: a reconcile that changes nothing
//! sends no request. The patch carries the version of the object that it was made for. If somebody else was faster, the object is
//! read again and the marks are made over the fresh list: own condition types win, all others stay as they are, and the top
//! condition is computed from what is stored. A request without an answer may
//! have taken effect, so the object is read before anything is sent again. Events are recorded once the API server has
//! accepted what they tell.
//!
//! That the object is gone, is another one of the same name, or has a status about a newer generation is no error;
//! [`Wrote`] tells them apart.
//!
//! # RBAC
//!
//! ```yaml
//! apiVersion: rbac.authorization.k8s.io/v1
//! kind: ClusterRole
//! metadata: { name: pool-status }
//! rules:
//! - apiGroups: [example.com]
//!   resources: [pools]
//!   verbs: [get]          # to look again after a lost race; the controller itself needs list and watch
//! - apiGroups: [example.com]
//!   resources: [pools/status]
//!   verbs: [patch]
//! ```
//!
//! Events need what their [sink](crate::events) needs.

mod conditions;
mod error;
pub mod fields;
mod json;
mod owners;
mod plan;
mod reasoned;
mod recent;
mod reconcile;
mod requeue;
#[cfg(test)]
mod tests;
mod updater;
mod write;

pub use error::UpdateError;
pub use fields::{Field, FieldMap, FieldProblem, NoPhase, StatusFields};
pub use reasoned::{Because, OrMark, Reasonable, ReasonedError};
pub use reconcile::{Reconciled, StatusPass};
pub use requeue::{Intervals, Requeue};
pub use updater::{ReconcileTime, StatusUpdater, StatusView};
pub use write::{Retry, Wrote};

pub(crate) use json::without_nulls;
