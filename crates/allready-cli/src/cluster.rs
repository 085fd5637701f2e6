//! The way to a cluster, which the controllers go, too.

pub(crate) use allready_controller::program::cluster::{Cluster, ClusterArgs, Patience, refused};
