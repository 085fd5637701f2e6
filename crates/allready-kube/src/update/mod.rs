//! The status updater: from the result of a reconcile to the status of its object.
//!
//! Most statuses are alike: the generation that was reconciled and when, a phase, a reason and a message, conditions. The
//! reconcile returns what it found out as a [`ReconcileResult`], wherever it ends; the [`StatusUpdater`] makes the status of
//! it, writes what has changed, and returns what the controller needs to know.
//!
//! ```
//! use std::sync::Arc;
//!
//! use allready_core::{Condition, Status, Time, condition_type, reason, set::Untouched, transition::Verbosity};
//! use allready_derive::StatusFields;
//! use allready_kube::{
//!     events::MemorySink,
//!     update::{Because, ReasonedError, ReconcileResult, StatusUpdater},
//! };
//! use kube::{Api, Client, CustomResource, CustomResourceExt, api::PostParams, runtime::controller::Action};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
//! #[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
//! struct PoolSpec {
//!     addresses: Vec<String>,
//! }
//!
//! // Every field that the updater writes is found, or missed, when this is compiled.
//! #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, StatusFields)]
//! #[serde(rename_all = "camelCase", default)]
//! #[status(crate = allready_kube)]
//! struct PoolStatus {
//!     observed_generation: i64,
//!     #[schemars(schema_with = "allready_kube::kinds::time")]
//!     last_reconcile_time: Option<Time>,
//!     phase: Phase,
//!     reason: Option<String>,
//!     message: Option<String>,
//!     #[schemars(schema_with = "allready_kube::kinds::conditions")]
//!     conditions: Vec<Condition>,
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
//! fn updater(events: MemorySink) -> StatusUpdater<Pool> {
//!     StatusUpdater::new()
//!         .phase(|reconciled| {
//!             let ready = reconciled.conditions.iter().all(|condition| condition.status == Status::True);
//!             Ok::<_, ReasonedError>(match &reconciled.result.error {
//!                 None if ready => Phase::Ready,
//!                 None => Phase::Pending,
//!                 Some(_) => Phase::Failed,
//!             })
//!         })
//!         .conditions(Untouched::Remove)
//!         .events(Arc::new(events), Verbosity::PerChange)
//! }
//!
//! // What a controller calls: the work, and then the status, however the work ended.
//! async fn reconcile(pool: Arc<Pool>, client: &Client, updater: &StatusUpdater<Pool>) -> Result<Action, ReasonedError> {
//!     let mut result = ReconcileResult::of(Arc::clone(&pool));
//!     if let Err(error) = assign(&pool, &mut result).await {
//!         result = result.failed(error);
//!     }
//!     updater.update(client, result).await.into_result()
//! }
//!
//! async fn assign(pool: &Pool, result: &mut ReconcileResult<Pool>) -> Result<(), ReasonedError> {
//!     for address in &pool.spec.addresses {
//!         address.parse::<std::net::IpAddr>().map_err(|error| error.because(reason!("BadAddress")).context(address))?;
//!     }
//!     result.set(condition_type!("Assigned"), Status::True, Some(reason!("AllValid")), "all addresses are valid");
//!     Ok(())
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let definition = serde_json::to_value(Pool::crd())?;
//! let server = allready_apiserver::ApiServer::builder().crds([definition]).build().map_err(|no| no.message)?;
//! let client = Client::new(server.service(), "default");
//! let pools: Api<Pool> = Api::default_namespaced(client.clone());
//! let events = MemorySink::default();
//! let updater = updater(events.clone());
//!
//! let good = Pool::new("good", PoolSpec { addresses: vec!["192.0.2.1".into()] });
//! let good = pools.create(&PostParams::default(), &good).await?;
//! reconcile(Arc::new(good), &client, &updater).await?;
//! let status = pools.get("good").await?.status.unwrap();
//! assert_eq!((status.phase, status.observed_generation), (Phase::Ready, 1));
//! assert_eq!(events.recorded()[0].note.note, "Condition 'Assigned' added with status 'True'");
//!
//! let bad = Pool::new("bad", PoolSpec { addresses: vec!["192.0.2.".into()] });
//! let bad = pools.create(&PostParams::default(), &bad).await?;
//! assert!(reconcile(Arc::new(bad), &client, &updater).await.is_err());
//! let status = pools.get("bad").await?.status.unwrap();
//! assert_eq!((status.phase, status.reason.as_deref()), (Phase::Failed, Some("BadAddress")));
//! assert_eq!(status.message.as_deref(), Some("192.0.2.: invalid IP address syntax"));
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
//! | `reason`, `message` | those of the result, or those of its error, or nothing |
//! | `conditions` | those of the result are set, by the rules of the core; others as [`conditions`](StatusUpdater::conditions) says, but those that `managedFields` show another manager to own stay, unless [`owned`](StatusUpdater::owned) says that they are ours. Without the call of `conditions` the list is left alone |
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
//! read again and the patch made anew: own condition types win, all others stay as they are. A request without an answer may
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

mod call;
mod conditions;
mod error;
mod expect;
pub mod fields;
mod json;
mod owners;
mod plan;
mod reasonable;
mod recent;
mod requeue;
mod result;
#[cfg(test)]
mod tests;
mod updater;
mod write;

pub use call::Updated;
pub use error::UpdateError;
pub use expect::ExpectedCondition;
pub use fields::{Field, FieldMap, FieldProblem, NoPhase, StatusFields};
pub use reasonable::{Because, Reasonable, ReasonedError};
pub use requeue::{Intervals, ObjectKey, Requeue, RequeueStore};
pub use result::ReconcileResult;
pub use updater::{ReconcileTime, Reconciled, StatusUpdater};
pub use write::{Retry, Wrote};
