//! What a watch sees, and of what.

use std::sync::Arc;

use allready_core::Time;
use allready_kube::kinds::Source;
use serde_json::Value;

use super::{DaemonSetFacts, NodeFacts, PodFacts};

/// One object that is answered for: a ConfigurationStatus of one of the groups it is served under.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// The group and version, such as `metallb.io/v1beta1`.
    pub api_version: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// What is watched for one object that is answered for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// The object itself.
    Own,
    /// The StatusReports beside it.
    Reports,
    /// All nodes.
    Nodes,
    /// The DaemonSets beside it.
    DaemonSets,
    /// The pods beside it.
    Pods,
    /// The Leases beside it.
    Leases,
    /// The objects of another kind beside it.
    Source {
        /// Their group and version.
        api_version: String,
        /// Their kind.
        kind: String,
        /// Which of them, as a selector is written in a request.
        selector: String,
        /// All that the spec says of them: what is read in another way is another topic.
        said: Arc<str>,
    },
}

impl Topic {
    /// The objects that a source of a spec names; an error where its selector cannot be read.
    pub fn of_source(source: &Source) -> Result<Self, String> {
        let selector = match source.selector.clone() {
            Some(selector) => {
                kube::core::Selector::try_from(selector).map_err(|error| error.to_string())?.to_string()
            }
            None => String::new(),
        };
        Ok(Self::Source {
            api_version: source.api_version.clone(),
            kind: source.kind.clone(),
            selector,
            said: serde_json::to_string(source).map_err(|error| error.to_string())?.into(),
        })
    }

    /// What it is called in a message.
    pub fn name(&self) -> String {
        match self {
            Self::Own => "the object itself".to_owned(),
            Self::Reports => "StatusReports".to_owned(),
            Self::Nodes => "nodes".to_owned(),
            Self::DaemonSets => "DaemonSets".to_owned(),
            Self::Pods => "pods".to_owned(),
            Self::Leases => "Leases".to_owned(),
            Self::Source { api_version, kind, selector, .. } if selector.is_empty() => {
                format!("objects of kind {kind} in {api_version}")
            }
            Self::Source { api_version, kind, selector, .. } => {
                format!("objects of kind {kind} in {api_version} with {selector}")
            }
        }
    }
}

/// Something that a watch saw.
#[derive(Clone, Debug)]
pub struct Sight {
    /// What was watched.
    pub topic: Topic,
    /// Which of the watches of this topic it was, one after the other.
    pub epoch: u64,
    /// What happened.
    pub event: Event,
}

/// What happened to what is watched.
#[derive(Clone, Debug)]
pub enum Event {
    /// A list begins: what is not seen until it is complete is gone.
    Listing,
    /// An object is there, or changed.
    There(Box<Object>),
    /// An object is gone.
    Gone {
        /// Its name.
        name: String,
    },
    /// The list is complete.
    Listed,
    /// Nothing can be seen at present.
    Failed(String),
}

/// What matters about an object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it says.
    pub facts: Facts,
}

/// What an object says.
#[derive(Clone, Debug)]
pub enum Facts {
    /// A ConfigurationStatus, a StatusReport, or an object of another kind that reports: all of it.
    Whole(Value),
    /// A node.
    Node(NodeFacts),
    /// A pod; none where no DaemonSet owns it, or it has no node yet.
    Pod(Option<PodFacts>),
    /// A DaemonSet.
    DaemonSet(DaemonSetFacts),
    /// A Lease, and when it was last renewed.
    Lease(Option<Time>),
}
