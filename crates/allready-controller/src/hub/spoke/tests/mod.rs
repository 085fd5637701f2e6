//! The connections on servers of this machine, and the mailbox by itself.

mod hostile;
mod hub;
mod live;
mod mailbox;
mod offline;
mod wrong;
