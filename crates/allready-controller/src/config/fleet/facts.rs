//! Facts about a reporter, a node, a pod and a DaemonSet.

use std::{collections::BTreeMap, fmt, sync::Arc};

use allready_core::Condition;

/// Which object a report was found in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    kind: Arc<str>,
    name: String,
}

impl Origin {
    /// The kind of StatusReports.
    pub const STATUS_REPORT: &'static str = "StatusReport";

    /// An object of this kind and name. What reports under two descriptions is of two kinds.
    pub fn new(kind: impl Into<Arc<str>>, name: &str) -> Self {
        Self { kind: kind.into(), name: name.to_owned() }
    }

    /// A StatusReport.
    pub fn status_report(name: &str) -> Self {
        Self::new(Self::STATUS_REPORT, name)
    }

    /// The kind of the object.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The name of the object.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The words of an object about one instance of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The component.
    pub component: String,
    /// The instance, where there are several.
    pub instance: Option<String>,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The revision of the configuration that it has observed.
    pub revision: Option<String>,
}

/// The facts about a node that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its labels.
    pub labels: Arc<BTreeMap<String, String>>,
    /// True if its `Ready` is `True`.
    pub ready: bool,
}

/// The facts about a pod of a DaemonSet that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFacts {
    /// The DaemonSet that owns it.
    pub daemon_set: String,
    /// The node it runs on.
    pub node: String,
    /// True if its `Ready` is `True`.
    pub ready: bool,
}

/// The facts about a DaemonSet that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaemonSetFacts {
    /// On how many nodes it should run.
    pub desired: i32,
    /// True if that number is about its current generation.
    pub current: bool,
}

/// DaemonSet → node → pod → whether it is ready.
pub(in crate::config) type Places = BTreeMap<String, BTreeMap<String, BTreeMap<String, bool>>>;

/// One instance of one component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::config) struct Member {
    pub(in crate::config) component: String,
    pub(in crate::config) instance: Option<String>,
}

impl Member {
    pub(in crate::config) fn of(report: &Report) -> Self {
        Self::new(&report.component, report.instance.as_deref())
    }

    pub(in crate::config) fn new(component: &str, instance: Option<&str>) -> Self {
        Self { component: component.to_owned(), instance: instance.map(str::to_owned) }
    }
}

impl Member {
    /// As people read it: `speaker/node-a`. A component with a slash is quoted, so that two members never read alike.
    pub(in crate::config) fn label(&self) -> String {
        let component = match &*self.component {
            plain if !plain.contains(['/', '"']) => plain.to_owned(),
            odd => format!("{odd:?}"),
        };
        match &self.instance {
            Some(instance) => format!("{component}/{instance}"),
            None => component,
        }
    }
}

/// As it stands before the slash of a condition type: `speaker-node-a`.
impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instance {
            Some(instance) => write!(f, "{}-{instance}", self.component),
            None => f.write_str(&self.component),
        }
    }
}
