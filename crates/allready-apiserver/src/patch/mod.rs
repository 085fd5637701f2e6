//! Patches: JSON, merge, strategic merge.

pub mod json;
pub mod merge;
pub mod strategic;
