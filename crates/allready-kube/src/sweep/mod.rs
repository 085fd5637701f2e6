//! Sweeping: removing what writers left behind that are gone.
//!
//! Nothing removes what a writer applied when the writer is gone: the condition of a speaker stays after its node, and with
//! it an entry of `managedFields`, which is larger than the condition. A sweep applies as that writer once more, and nothing:
//! so the API server removes what it alone has owned, and keeps what somebody else owns too. Reports of their own are deleted.
//!
//! A sweep needs to know who is there, and does nothing as long as that is [not known](Inventory::Unsynced), nor to anything
//! outside of an [owned prefix](OwnedPrefix). What it would do is a value to look at: [`Sweeper::plan`], or [`plan`] over an
//! object at hand.
//!
//! ```
//! use std::time::Duration;
//!
//! use allready_apiserver::ApiServer;
//! use allready_kube::kinds::StatusReport;
//! use allready_kube::report::{Identity, Layout, Outcome, Reporter};
//! use allready_kube::sweep::{Inventory, OwnedPrefix, Sweeper};
//! use kube::CustomResourceExt;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = ApiServer::builder().crds([serde_json::to_value(StatusReport::crd())?]).build()?;
//! let client = kube::Client::new(server.service(), "default"); // in a cluster: Client::try_default().await?
//! let layout = Layout::sharded("default", "config-status");
//! let speaker = |node: &str| Identity::of("speaker").on(node);
//! for node in ["kind-worker", "kind-worker2"] {
//!     let (reporter, running) = Reporter::builder(client.clone(), speaker(node), layout.clone()).spawn();
//!     reporter.report("configReconciler", Outcome::success());
//!     running.stop(Duration::from_secs(5)).await;
//! }
//!
//! // The node kind-worker2 is deleted. The names of the others come from a store that has been filled.
//! let inventory = Inventory::synced(["kind-worker"].map(speaker));
//! let owned = OwnedPrefix::new("speaker-").expect("is not empty");
//! let sweeper = Sweeper::new(client, layout, owned);
//! let removals = sweeper.plan(&inventory).await?;
//! assert_eq!(removals[0].writer, "speaker-kind-worker2");
//! let swept = sweeper.execute(removals).await;
//! assert_eq!((swept.done.len(), swept.failed.len()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fields;
mod inventory;
mod plan;
mod sweeper;
#[cfg(test)]
mod tests;

pub use inventory::{Inventory, Living, OwnedPrefix};
pub use plan::{Remains, Removal, plan, plan_reports};
pub use sweeper::{SweepError, Sweeper, Swept};

pub(crate) use fields::condition_type;
