//! Leadership: one of several replicas writes.
//!
//! Replicas agree through a `Lease`, by the rules of client-go: whoever holds it renews it, the others wait until it has
//! not changed for as long as it says. How long that is, each replica measures by itself, from when *it* saw the last
//! change: clocks may disagree about the time, as long as they agree about how fast it passes.
//!
//! ```
//! use std::time::Duration;
//! use allready_apiserver::ApiServer;
//! use allready_kube::lease::Candidate;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let client = kube::Client::new(ApiServer::new().service(), "default");
//! let candidacy = Candidate::new(client, "default", "pool-controller", "pool-controller-7d9f-x2x4k").start()?;
//!
//! let token = candidacy.elected().await?;
//! let write = async { "a status is written here" };
//! assert_eq!(token.within(Duration::from_secs(5), write).await?, "a status is written here");
//!
//! // The next replica need not wait for the lease to run out.
//! candidacy.release().await;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How two leaders are kept apart
//! A leader may act until the renew deadline, counted from **before** it sent the last renewal that was accepted. Whoever
//! waits counts the longer lease duration from **after** that renewal was stored. Between the two, nobody leads.
//! [`Token::is_leading`] turns false at the deadline, and [`Candidacy::lost`] returns then, even if the API server does not answer and
//! nothing renews.
//!
//! Nobody can take back a request that was sent in time and arrives late. Send requests through [`Token::within`], which gives up at
//! the deadline: what is under way then has the difference between the two durations to arrive (5 seconds, by default). Guard
//! what must not be written twice by its resource version, or by [`Token::fence`], a number that is larger in every later term.
//! Two replicas of one identity make two leaders, and so does deleting the lease by hand.
//!
//! The clock is the monotonic one of the system, which on some systems stands still while a machine is suspended.
//!
//! # The parts
//! [`decide`] is the rule, [`Election`] a replica's part in it without any I/O, [`Candidate`] and [`Candidacy`] the loop
//! around it.
//!
//! # RBAC
//! ```yaml
//! apiVersion: rbac.authorization.k8s.io/v1
//! kind: Role
//! metadata: { name: pool-controller-leadership, namespace: default }
//! rules:
//!   - apiGroups: [coordination.k8s.io]
//!     resources: [leases]
//!     verbs: [create]
//!   - apiGroups: [coordination.k8s.io]
//!     resources: [leases]
//!     resourceNames: [pool-controller]
//!     verbs: [get, update]
//! ```

mod candidacy;
mod candidate;
mod decide;
mod election;
mod record;
mod term;
#[cfg(test)]
mod tests;
mod timing;

pub use candidacy::{Candidacy, Leadership, Lost};
pub use candidate::{Candidate, CandidateError};
pub use decide::{Decision, decide};
pub use election::{Answer, Election, Next, Request};
pub use record::{Observed, Record};
pub use term::{Cut, Token};
pub use timing::{Now, Timing, TimingError};
