//! The way to a cluster, which the controllers go, too.

pub(crate) use allready_controller::program::cluster::{
    CLUSTER_OPTIONS, Cluster, ClusterArgs, Patience, refused,
};
pub(crate) use allready_controller::program::duration::{duration, shown};
