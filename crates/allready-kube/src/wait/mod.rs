//! Waiting until conditions hold.
//!
//! [`has_condition`] says what to wait for; [`wait_for`] waits, and when it does not come true says what was missing. What
//! is said also works as a [`kube::runtime::wait::Condition`], for `await_condition` and whatever else takes one.
//!
//! Conditions are [read leniently](allready_core::found), on objects of any kind.
//!
//! ```
//! use std::time::Duration;
//! use allready_kube::wait::{WaitError, has_condition, wait_for};
//! # use allready_apiserver::ApiServer;
//! # use k8s_openapi::api::core::v1::Node;
//! # use kube::{Api, api::PostParams};
//! # use serde_json::json;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let nodes: Api<Node> = Api::all(kube::Client::new(ApiServer::new().service(), "default"));
//! # let node = json!({ "metadata": { "name": "worker" }, "status": { "conditions": [
//! #     { "type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "network plugin is missing" },
//! # ] } });
//! # nodes.create(&PostParams::default(), &serde_json::from_value(node).unwrap()).await.unwrap();
//!
//! let error = wait_for(&nodes, "worker", has_condition("Ready"), Duration::from_millis(50)).await.unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "nodes/worker: gave up after 50ms: Ready is False (KubeletNotReady: network plugin is missing), not True"
//! );
//!
//! let hopeless = has_condition("Ready").unless(has_condition("Ready").is_false().reason("KubeletNotReady"));
//! let error = wait_for(&nodes, "worker", hopeless, Duration::from_secs(60)).await.unwrap_err();
//! assert!(matches!(error, WaitError::Terminal { .. }), "{error}");
//! # });
//! ```

mod error;
mod expectation;
mod judge;
mod path;
mod pending;
#[cfg(test)]
mod tests;
mod waiter;
mod waiting;

pub use error::WaitError;
pub use expectation::{Expectation, HasCondition, all_of, any_of, has_condition};
pub use judge::Verdict;
pub use path::{ListPath, ListPathError};
pub use pending::{Pending, SeenCondition, Unmet};
pub use waiting::{Wait, wait_for};
