#![doc = include_str!("docs/guide.md")]
#![deny(missing_docs)]

#[doc(inline)]
pub use allready_core::*;
pub use allready_derive::ConditionSet;
