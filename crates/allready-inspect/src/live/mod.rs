//! All objects of a cluster, live: every kind is listed and watched, judged in view of the others, and put together by causes.
//!
//! A [`Follower`] watches, and says what happens as [`Event`]s; a [`State`] takes them in, and is plain values. A terminal, a page
//! or a program draws that state.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
//! use allready_core::Time;
//! use allready_inspect::{declared::Declared, live::{Chosen, Discovered, Follower, State, no_facts}};
//! use allready_kube::resources::Catalog;
//!
//! let now = || Time::new(jiff::Timestamp::now());
//! let catalog = Catalog::discover(&client).await?;
//! let (mut state, chosen) = (State::new(now()), Chosen::everything(&catalog, None));
//! let mut follower = Follower::new(client.clone(), now, no_facts);
//! follower.learn(chosen, Discovered::of(&client, catalog, &Declared::default()).await, &mut state);
//! let mut events = Vec::new();
//! while !state.coverage().is_complete() {
//!     follower.hear(&mut events).await.expect("no watch ends by itself");
//!     for event in events.drain(..) {
//!         state.update(event);
//!     }
//! }
//! assert!(state.tally.all() > 0);
//! # Ok::<(), kube::Error>(())
//! # }).unwrap();
//! ```

mod aging;
mod details;
mod feed;
mod filter;
mod follower;
mod graph;
mod history;
mod kinds;
mod record;
mod room;
mod state;

pub use details::{Details, Said};
pub use feed::no_facts;
pub use filter::{Filter, Subject};
pub use follower::{Chosen, Discovered, Ended, Follower, learn_more};
pub use history::{History, Transition, WINDOW_SECONDS};
pub use kinds::{Coverage, Kind, Stage, Tally, counted};
pub use record::{Group, Key, Place, Record, Told};
pub use state::{Event, Seen, Standing, State};
// For the tests of the terminal, which play a cluster without one; they promise nothing.
#[doc(hidden)]
pub use aging::Aging;
#[doc(hidden)]
pub use feed::{Feed, Wanted, seen, whole};
#[doc(hidden)]
pub use graph::{Graph, Scope, Searched};
