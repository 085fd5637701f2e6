//! One object that has one `Ready` for all reporters.

use allready_core::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The components that are expected to report, and the sources of reports. With an empty spec every report that names this object counts,
/// and nobody is missed.
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
    doc = "ConfigurationStatus says whether the configuration of a system is valid and in place everywhere, and if not, where and why: one Ready condition, computed from the reports of all components.",
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
    printcolumn(name = "Reporters", type_ = "string", json_path = ".status.reporters.display"),
    printcolumn(name = "Summary", type_ = "string", json_path = ".status.summary"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].message"#,
        priority = 1
    ),
    printcolumn(name = "Lease", type_ = "string", json_path = ".status.controller.lease", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ConfigurationStatusSpec {
    /// The revision of the configuration, a hash or a generation, that has to be in place: Ready is True only when every
    /// required reporter has observed it. A reporter that states no revision has not. It cannot be combined with sources or a
    /// preset, as objects of other kinds state no revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub revision: Option<String>,
    /// The components that are expected to report. Those of components that are not listed count as unlistedComponents says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub components: Vec<Component>,
    /// The role of reporters whose component is not listed. Required, or left out: whoever may report here can make Ready False, and nothing red is
    /// missed. Informational: they are shown, and only those who are listed decide.
    #[serde(skip_serializing_if = "ComponentRole::is_required")]
    pub unlisted_components: ComponentRole,
    /// When a reporter that sends heartbeats is too old to be believed. Left out, heartbeats are not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<HeartbeatTimeout>,
    /// Objects of other kinds whose conditions count as reports, beside StatusReports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    pub sources: Vec<Source>,
    /// A system whose components and sources are known. MetalLB: its ConfigurationStates (since 0.15.3) are the source, and
    /// its controller and a speaker on every node of its DaemonSet are expected. What the spec says of a component of
    /// the same name is used instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
}

/// A system whose components and sources are known. MetalLB: its ConfigurationStates (since 0.15.3) are the source, and its
/// controller and a speaker on every node of its DaemonSet are expected. What the spec says of a component of the same name is
/// used instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// MetalLB as it ships: one ConfigurationState per component and node.
    MetalLB,
}

/// A component that is expected to report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Component {
    /// The name of the component, such as `speaker`.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The role of the component. Required: Ready is not True while it fails or is missing. Informational: it is
    /// reported and shown, and never decides Ready.
    #[serde(default)]
    pub role: ComponentRole,
    /// The reconcilers that each instance reports on, such as `configReconciler`. One that an instance does not report is
    /// Unknown. Left out, any report will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 31),
        inner(length(min = 1, max = 311)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub reconcilers: Vec<String>,
    /// The source of the instances of the component. Left out, there is one instance, without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<Instances>,
}

/// The role of a component. Required, or left out: it decides Ready. Informational: it is shown and never decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ComponentRole {
    /// Ready is not True while it fails or is missing.
    #[default]
    Required,
    /// It is reported and shown, and never decides Ready.
    Informational,
}

impl ComponentRole {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_required(&self) -> bool {
        *self == Self::Required
    }
}

/// The source of the instances of a component. The field that belongs to the type is set, and no other.
///
/// ```
/// use allready_kube::kinds::Instances;
///
/// let on_every_node = Instances::daemon_set("speaker");
/// assert_eq!(
///     serde_json::to_value(on_every_node).unwrap(),
///     serde_json::json!({ "type": "DaemonSet", "daemonSet": { "name": "speaker" } })
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instances {
    /// DaemonSet: one on every node where a pod of a DaemonSet should run. Nodes: one on every node that a selector matches.
    /// Names: those that are listed. Discovered: those that report, so that nobody is missed.
    #[serde(rename = "type")]
    pub type_: InstancesType,
    /// The DaemonSet, where the type is DaemonSet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daemon_set: Option<DaemonSetInstances>,
    /// The nodes, where the type is Nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeInstances>,
    /// The names of the instances, where the type is Names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(min = 1, max = 1024),
        inner(length(min = 1, max = 253)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub names: Vec<String>,
}

impl Instances {
    /// One on every node where a pod of this DaemonSet should run.
    pub fn daemon_set(name: impl Into<String>) -> Self {
        let daemon_set = Some(DaemonSetInstances { name: name.into() });
        Self { type_: InstancesType::DaemonSet, daemon_set, ..Self::default() }
    }

    /// One on every node that this selector matches.
    pub fn nodes(selector: LabelSelector) -> Self {
        Self { type_: InstancesType::Nodes, nodes: Some(NodeInstances { selector }), ..Self::default() }
    }

    /// These.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { type_: InstancesType::Names, names, ..Self::default() }
    }

    /// Those that report.
    pub fn discovered() -> Self {
        Self::default()
    }
}

/// The source of the instances of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum InstancesType {
    /// One on every node where a pod of a DaemonSet should run.
    DaemonSet,
    /// One on every node that a selector matches.
    Nodes,
    /// Those that are listed.
    Names,
    /// Those that report.
    #[default]
    Discovered,
}

/// The instances of a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DaemonSetInstances {
    /// The name of the DaemonSet, in the same namespace.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// The instances on nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeInstances {
    /// The labels of the nodes. An empty selector matches all nodes.
    pub selector: LabelSelector,
}

/// When a reporter that sends heartbeats is too old to be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatTimeout {
    /// After how many seconds without a renewal of its Lease a reporter is Unknown. The Lease has the name of the
    /// StatusReport; a reporter that never had one is not judged by it.
    #[schemars(range(min = 1, max = 86400))]
    pub timeout_seconds: u32,
}

/// Objects of another kind, in the same namespace, whose conditions count as reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The group and version of the objects, such as `example.com/v1`.
    #[schemars(length(min = 1, max = 317))]
    pub api_version: String,
    /// The kind of the objects.
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
    /// The labels of the objects that count. Left out, all count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// The place of the name of the component. An object without one is a component of its own, by the name of the object.
    pub component: NameFrom,
    /// The place of the name of the instance. Left out, or not found, there is one instance, without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<NameFrom>,
    /// The conditions that count. Left out, all count, and their names tell which status is good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<SourceCondition>,
}

/// A condition of a source that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceCondition {
    /// The type of the condition.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 316))]
    pub type_: String,
    /// The status that is good. Positive: True is good, as of Ready. Negative: False is good, as of Degraded. Left out, the
    /// name of the type tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity: Option<ConditionPolarity>,
}

/// The status that is good. Positive: True is good, as of Ready. Negative: False is good, as of Degraded. Left out, the name of
/// the type tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ConditionPolarity {
    /// True is good, as of Ready.
    Positive,
    /// False is good, as of Degraded.
    Negative,
}

/// The place of a name. The field that belongs to the type is set, and no other.
///
/// ```
/// use allready_kube::kinds::NameFrom;
///
/// let by_label = NameFrom::label("app.kubernetes.io/component");
/// assert_eq!(
///     serde_json::to_value(by_label).unwrap(),
///     serde_json::json!({ "type": "Label", "label": "app.kubernetes.io/component" })
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NameFrom {
    /// Label: the value of a label of the object. Name: the name of the object. Value: always the same.
    #[serde(rename = "type")]
    pub type_: NameFromType,
    /// The key of the label, where the type is Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub label: Option<String>,
    /// The name, where the type is Value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub value: Option<String>,
}

impl NameFrom {
    /// The value of the label with this key.
    pub fn label(key: impl Into<String>) -> Self {
        Self { type_: NameFromType::Label, label: Some(key.into()), value: None }
    }

    /// The name of the object.
    pub fn name() -> Self {
        Self::default()
    }

    /// Always this.
    pub fn value(name: impl Into<String>) -> Self {
        Self { type_: NameFromType::Value, label: None, value: Some(name.into()) }
    }
}

/// The place of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NameFromType {
    /// In the value of a label of the object.
    Label,
    /// It is the name of the object.
    #[default]
    Name,
    /// It is always the same.
    Value,
}

/// The answer, written by the controller of allready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigurationStatusStatus {
    /// The generation of the spec that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The answer in one line, such as `1 of 41 failing: ConfigError on speaker/worker-1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub summary: Option<String>,
    /// Ready: True when every required reporter has reported and none reports a fault; False when one does; Unknown when one
    /// has not reported, cannot be believed, or cannot be seen. Beside it the conditions of reporters that report
    /// into this object, with their names in front of a slash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions", extend("maxItems" = 4096))]
    pub conditions: Vec<Condition>,
    /// Counts of the reporters that decide Ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reporters: Option<Reporters>,
    /// Progress of the revision that the spec asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<RevisionProgress>,
    /// Why reporters are not ready: the worst first, and the same cause of several reporters once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10), extend("x-kubernetes-list-type" = "atomic"))]
    pub causes: Vec<CauseSeen>,
    /// How many further causes there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub more_causes: Option<i64>,
    /// The controller that wrote this. Its Lease tells how fresh the answer is: while the Lease is renewed, the answer is
    /// kept up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<WritingController>,
}

/// Counts of the reporters that decide Ready. Every one is either ready, failing or unknown. Informational ones are not among
/// them: they are shown in summary and causes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Reporters {
    /// The number of reporters that decide Ready: those that the spec expects, and those that report without being expected.
    #[schemars(range(min = 0))]
    pub expected: i64,
    /// The number of those that have reported everything that is expected of them, and no fault.
    #[schemars(range(min = 0))]
    pub ready: i64,
    /// The number of those that report a fault.
    #[schemars(range(min = 0))]
    pub failing: i64,
    /// The number of those that have not reported, or cannot be believed.
    #[schemars(range(min = 0))]
    pub unknown: i64,
    /// `ready/expected`, for the column of kubectl get.
    #[schemars(length(max = 41))]
    pub display: String,
}

/// Progress of the revision that the spec asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RevisionProgress {
    /// The revision that the spec asks for.
    #[schemars(length(max = 253))]
    pub expected: String,
    /// The number of required reporters that have observed it.
    #[schemars(range(min = 0))]
    pub observed: i64,
    /// The number of required reporters.
    #[schemars(range(min = 0))]
    pub of: i64,
}

/// A cause, and the reporters that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CauseSeen {
    /// False: a reporter reports a fault. Unknown: nothing is known, or not believed.
    pub status: CauseStatus,
    /// Informational, where the reporters belong to components that do not decide Ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ComponentRole>,
    /// The condition type of the reporters, such as `configReconcilerValid`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 316))]
    pub type_: String,
    /// The reason of the reporters.
    #[schemars(length(max = 256))]
    pub reason: String,
    /// The message of the reporters.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1024))]
    pub message: String,
    /// The number of reporters that have this cause.
    #[schemars(range(min = 0))]
    pub count: i64,
    /// The first of the reporters, such as `speaker/worker-1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 16),
        inner(length(max = 512)),
        extend("x-kubernetes-list-type" = "atomic")
    )]
    pub reporters: Vec<String>,
}

/// The status that a cause gives its reporters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CauseStatus {
    /// They report a fault.
    False,
    /// Nothing is known, or not believed.
    #[default]
    Unknown,
}

/// The controller that wrote a status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WritingController {
    /// The Lease that the controller renews, as `namespace/name`.
    #[schemars(length(min = 3, max = 317))]
    pub lease: String,
    /// The number of times that leadership had changed hands when this was written: `leaseTransitions` of the Lease.
    #[schemars(range(min = 0))]
    pub term: i64,
}
