#![doc = include_str!("docs/guide.md")]
#![deny(missing_docs)]

#[doc(inline)]
pub use allready_core::*;
pub use allready_derive::{ConditionSet, StatusFields};
#[cfg(feature = "kube")]
#[doc(inline)]
pub use allready_kube::*;

#[cfg(feature = "kube")]
#[doc = include_str!("docs/ten-minutes.md")]
pub mod guide {}

/// The example of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
