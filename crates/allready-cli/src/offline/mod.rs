//! A hub and its clusters as files, and the status that they come to.

mod args;
mod gather;

pub(crate) use args::OfflineArgs;
pub(crate) use gather::{Want, gather};
