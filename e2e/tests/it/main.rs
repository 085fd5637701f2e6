//! The scenarios, in one binary.

mod leadership;
