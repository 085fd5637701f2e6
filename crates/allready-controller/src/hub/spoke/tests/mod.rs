//! The connections on servers of this machine, and the mailbox by itself.

mod mailbox;
