//! The ways in which objects, and the parts of one, stand to each other.

use std::fmt;

use serde::Serialize;

/// The relation of a line to the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// It is what was asked about.
    Root,
    /// It is what the object says of itself.
    Says,
    /// The condition above is computed from it.
    DependsOn,
    /// It is a part of the object above.
    Has,
    /// It was told about the object above.
    Told,
    /// The object above is its owner, and its controller.
    Controls,
    /// The object above controls it, and is replacing it: a ReplicaSet of an earlier revision.
    Replaces,
    /// The object above is its owner.
    Owns,
    /// The object above has made it, and keeps it as it should be.
    Applies,
    /// The object above picks it by its labels.
    Selects,
    /// It reports to the object above.
    ReportedBy,
    /// It is the cluster that the report above is about.
    FromCluster,
    /// The object above names it.
    RefersTo,
    /// The object above asks to be served by it.
    ServedBy,
    /// It asks to be served by the object above.
    Attached,
}

impl Relation {
    /// The word for it, read from above: `owns`, `refers to`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root => "",
            Self::Says => "says",
            Self::DependsOn => "depends on",
            Self::Has => "has",
            Self::Told => "was told",
            Self::Controls => "controls",
            Self::Replaces => "replaces",
            Self::Owns => "owns",
            Self::Applies => "applies",
            Self::Selects => "selects",
            Self::ReportedBy => "is reported by",
            Self::FromCluster => "is from",
            Self::RefersTo => "refers to",
            Self::ServedBy => "is served by",
            Self::Attached => "serves",
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
