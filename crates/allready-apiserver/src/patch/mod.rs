//! Patches: JSON, merge, strategic merge.

mod gotext;
pub(crate) mod json;
pub(crate) mod merge;
pub(crate) mod strategic;
