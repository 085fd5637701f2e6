//! One object that answers for all reporters.

use allready_core::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who is expected to report, and where reports come from. An empty spec takes every report that names this object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase", default)]
#[kube(
    group = "allready.dev",
    version = "v1alpha1",
    kind = "ConfigurationStatus",
    plural = "configurationstatuses",
    shortname = "cfgstatus",
    category = "allready",
    namespaced,
    status = "ConfigurationStatusStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Whether the configuration of a system is valid and in place everywhere, and if not, why: one Ready made from the reports of all its components.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].message"#,
        priority = 1
    ),
    printcolumn(name = "Reporters", type_ = "string", json_path = ".status.reporters.summary", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ConfigurationStatusSpec {
    /// What is known already about a system, in one word: `MetalLB` reads the ConfigurationStates of MetalLB 0.15.3 and
    /// later, and expects its controller and a speaker on every node that runs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The components that are expected to report. A report of a component that is not here counts as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub components: Vec<Component>,
    /// Objects of other kinds whose conditions count as reports, beside StatusReports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    pub sources: Vec<Source>,
    /// The revision of the configuration, a hash or a generation, that every reporter which states one must have digested
    /// before Ready is True.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub revision: Option<String>,
    /// After how many seconds without a renewal of its Lease a reporter is not believed any more. Only reporters that have
    /// a Lease, named as their StatusReport, are judged by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub silent_after_seconds: Option<u32>,
}

/// What is known already about a system, in one word: `MetalLB` reads the ConfigurationStates of MetalLB 0.15.3 and later,
/// and expects its controller and a speaker on every node that runs one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// MetalLB as it ships: one ConfigurationState per component and node.
    MetalLB,
}

/// A component that is expected to report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Component {
    /// Its name, such as `speaker`.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The reconcilers that each of its instances reports on, such as `configReconciler`; what is missing is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "set"))]
    pub reconcilers: Vec<String>,
    /// Where its instances come from. Without this there is one, which has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<Instances>,
}

/// Where the instances of a component come from: one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Instances {
    /// These, by name.
    Names(Vec<String>),
    /// One on every node that the selector matches.
    Nodes(LabelSelector),
    /// One on every node where a pod of this DaemonSet in the same namespace should run.
    DaemonSet(String),
    /// Those that report: nobody is missed.
    Discovered {},
}

/// Objects whose conditions count as reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Their group and version, such as `metallb.io/v1beta1`.
    pub api_version: String,
    /// Their kind.
    pub kind: String,
    /// Which of them, in the same namespace; all where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// The component that they report for.
    pub component: Naming,
    /// The instance of the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<Naming>,
    /// The condition types that count; all where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "set"))]
    pub conditions: Vec<String>,
    /// The condition types of which `True` is bad, beside those that everybody knows, such as `Degraded`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "set"))]
    pub negative: Vec<String>,
}

/// Where a name is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Naming {
    /// In the value of this label; without the label there is none.
    Label(String),
    /// It is the name of the object.
    Name {},
    /// It is always this.
    Value(String),
}

impl Default for Naming {
    fn default() -> Self {
        Self::Name {}
    }
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigurationStatusStatus {
    /// The generation of the spec that this answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`, and what reporters apply themselves where they report into this object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions")]
    pub conditions: Vec<Condition>,
    /// How many report, and how they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reporters: Option<Reporters>,
    /// How far a revision of the configuration has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<RevisionProgress>,
    /// What is not good, the worst first, equal causes as one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub causes: Vec<CauseSeen>,
    /// How many further causes there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_causes: Option<i64>,
}

/// How many report, and how they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Reporters {
    /// How many are expected.
    pub expected: i64,
    /// How many have reported.
    pub reporting: i64,
    /// How many report something that is wrong.
    pub failing: i64,
    /// Of how many it is not known.
    pub unknown: i64,
    /// `ready/all`, for a column.
    pub summary: String,
}

/// How far a revision of the configuration has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RevisionProgress {
    /// The revision.
    pub expected: String,
    /// How many reporters have digested it.
    pub digested: i64,
    /// How many reporters state a revision at all.
    pub of: i64,
}

/// One cause, and where it is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CauseSeen {
    /// `False` or `Unknown`.
    pub status: String,
    /// The condition type that the reporters use, such as `configReconcilerValid`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub type_: String,
    /// Their reason.
    pub reason: String,
    /// Their message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How many reporters say so.
    pub count: i64,
    /// The first of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub reporters: Vec<String>,
}
