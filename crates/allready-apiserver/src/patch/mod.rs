//! Patches: JSON, merge, strategic merge.
