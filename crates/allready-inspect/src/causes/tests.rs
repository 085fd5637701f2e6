//! Causes of hand-written clusters.
