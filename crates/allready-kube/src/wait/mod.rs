//! Waiting until conditions hold.
