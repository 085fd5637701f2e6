//! Options that describe a hub and its clusters as files.

use std::path::PathBuf;

use allready_controller::hub::ClusterName;
use allready_core::ConditionType;
use allready_kube::kinds::UnknownInstances;
use clap::{Args, ValueEnum};

/// A hub and its clusters as files.
#[derive(Debug, Default, Args)]
pub(crate) struct OfflineArgs {
    /// The object of the hub, as JSON or YAML; `-` for standard input, here or for one of the other files.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) filename: Option<PathBuf>,

    /// A cluster and a file with its objects; may be repeated, once for each cluster.
    #[arg(long, value_name = "CLUSTER=FILE", value_parser = spoke, requires = "filename")]
    pub(crate) spoke: Vec<(ClusterName, PathBuf)>,

    /// Clusters that do not answer; the file of one is its last word.
    #[arg(long, value_name = "CLUSTERS", value_delimiter = ',', requires = "filename")]
    pub(crate) unreachable: Vec<ClusterName>,

    /// The StatusAggregation to follow [default: every condition that is found, and the rows of a Gateway].
    #[arg(long, value_name = "FILE", requires = "filename")]
    pub(crate) aggregation: Option<PathBuf>,

    /// The condition types to aggregate, in order of importance [default: all that are found].
    #[arg(
        long,
        value_name = "TYPES",
        value_delimiter = ',',
        requires = "filename",
        conflicts_with = "aggregation"
    )]
    pub(crate) conditions: Vec<ConditionType>,

    /// The types of which True is bad, where that is not known of them.
    #[arg(
        long,
        value_name = "TYPES",
        value_delimiter = ',',
        requires = "filename",
        conflicts_with = "aggregation"
    )]
    pub(crate) negative: Vec<ConditionType>,

    /// The weight of an instance that is neither good nor bad [default: keep-unknown].
    #[arg(long, value_name = "WEIGHT", requires = "filename", conflicts_with = "aggregation")]
    pub(crate) unknown: Option<UnknownArg>,

    /// PlacementDecisions of Open Cluster Management, for an aggregation whose placement is Decided.
    #[arg(long, value_name = "FILE", requires = "aggregation")]
    pub(crate) decisions: Option<PathBuf>,

    /// The DNSEndpoint that is published now.
    #[arg(long, value_name = "FILE", requires = "filename")]
    pub(crate) endpoint: Option<PathBuf>,
}

/// The weight of an instance that is neither good nor bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownArg {
    /// The whole is Unknown, unless another instance is bad.
    KeepUnknown,
    /// The whole is bad unless every instance is good.
    TreatAsBad,
}

impl From<UnknownArg> for UnknownInstances {
    fn from(unknown: UnknownArg) -> Self {
        match unknown {
            UnknownArg::KeepUnknown => Self::KeepUnknown,
            UnknownArg::TreatAsBad => Self::TreatAsBad,
        }
    }
}

fn spoke(text: &str) -> Result<(ClusterName, PathBuf), String> {
    match text.split_once('=') {
        Some((_, "")) | None => Err(format!("{text:?} is no CLUSTER=FILE")),
        Some((cluster, file)) => {
            Ok((ClusterName::new(cluster).map_err(|error| error.to_string())?, PathBuf::from(file)))
        }
    }
}
