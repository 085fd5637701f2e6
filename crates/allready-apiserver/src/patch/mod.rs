//! Patches: JSON, merge, strategic merge.

mod gotext;
pub mod json;
pub mod merge;
pub mod strategic;
