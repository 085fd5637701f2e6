//! A hub and its clusters as files: what they come to, without any of them.

mod args;
mod gather;

pub(crate) use args::OfflineArgs;
pub(crate) use gather::{Want, gather};
