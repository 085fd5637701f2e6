//! Scenarios that are played against the embedded API server and the real one.
