//! The connections on servers of this machine, and the queue by itself.

mod hostile;
mod hub;
mod live;
mod offline;
mod queue;
mod wrong;
