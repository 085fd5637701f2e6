//! Patches: JSON, merge, strategic merge.

mod gotext;
pub mod strategic;
