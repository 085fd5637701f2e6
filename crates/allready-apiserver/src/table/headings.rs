//! The columns of the built-in kinds.

use serde_json::{Value, json};

use crate::openapi::prose;

/// One column of a built-in kind.
pub(super) struct Heading {
    name: &'static str,
    kind: &'static str,
    priority: i64,
    words: Words,
}

/// Where the description of a column comes from.
enum Words {
    /// The documentation of a field: its definition, and its name.
    Field(&'static str, &'static str),
    /// The documentation of a field as it was before it said that the field never changes.
    Older(&'static str, &'static str),
    /// What the real server says.
    Text(&'static str),
}

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const NAME: Heading = field("Name", META, "name");
const AGE: Heading = field("Age", META, "creationTimestamp");
const CONTAINERS: Heading = text("Containers", "Names of each container in the template.").wide();
const IMAGES: Heading = text("Images", "Images referenced by each container in the template.").wide();

const fn field(name: &'static str, definition: &'static str, property: &'static str) -> Heading {
    Heading { name, kind: "string", priority: 0, words: Words::Field(definition, property) }
}

const fn text(name: &'static str, words: &'static str) -> Heading {
    Heading { name, kind: "string", priority: 0, words: Words::Text(words) }
}

const fn role(definition: &'static str) -> Heading {
    Heading { name: "Role", kind: "string", priority: 0, words: Words::Older(definition, "roleRef") }
}

impl Heading {
    const fn wide(mut self) -> Self {
        self.priority = 1;
        self
    }

    const fn of(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// The column as a `Table` defines it.
    pub(super) fn definition(&self) -> Value {
        let words = match self.words {
            Words::Field(definition, property) => prose::field(definition, property).unwrap_or_default(),
            Words::Older(definition, property) => {
                let words = prose::field(definition, property).unwrap_or_default();
                words.strip_suffix(" This field is immutable.").unwrap_or(words)
            }
            Words::Text(words) => words,
        };
        let format = if self.name == "Name" { "name" } else { "" };
        definition(self.name, self.kind, format, words, self.priority)
    }
}

/// A column definition of a `Table`.
pub(super) fn definition(name: &str, kind: &str, format: &str, words: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": words, "priority": priority})
}

/// The columns of a kind without columns of its own.
pub(super) const CREATED_AT: &[Heading] = &[NAME, field("Created At", META, "creationTimestamp").of("date")];

/// The `Name` column of every custom kind, and the `Age` column of those that choose none.
pub(super) const CUSTOM: (&Heading, &Heading) = (&NAME, &field("Age", META, "creationTimestamp").of("date"));

pub(super) const CONFIG_MAP: &[Heading] = &[NAME, field("Data", "io.k8s.api.core.v1.ConfigMap", "data"), AGE];

pub(super) const CRON_JOB: &[Heading] = &[
    NAME,
    field("Schedule", "io.k8s.api.batch.v1.CronJobSpec", "schedule"),
    field("Timezone", "io.k8s.api.batch.v1.CronJobSpec", "timeZone"),
    field("Suspend", "io.k8s.api.batch.v1.CronJobSpec", "suspend").of("boolean"),
    field("Active", "io.k8s.api.batch.v1.CronJobStatus", "active").of("integer"),
    field("Last Schedule", "io.k8s.api.batch.v1.CronJobStatus", "lastScheduleTime"),
    AGE,
    CONTAINERS,
    IMAGES,
    field("Selector", "io.k8s.api.batch.v1.JobSpec", "selector").wide(),
];

const DAEMON_SET_STATUS: &str = "io.k8s.api.apps.v1.DaemonSetStatus";
pub(super) const DAEMON_SET: &[Heading] = &[
    NAME,
    field("Desired", DAEMON_SET_STATUS, "desiredNumberScheduled").of("integer"),
    field("Current", DAEMON_SET_STATUS, "currentNumberScheduled").of("integer"),
    field("Ready", DAEMON_SET_STATUS, "numberReady").of("integer"),
    field("Up-to-date", DAEMON_SET_STATUS, "updatedNumberScheduled").of("integer"),
    field("Available", DAEMON_SET_STATUS, "numberAvailable").of("integer"),
    field("Node Selector", "io.k8s.api.core.v1.PodSpec", "nodeSelector"),
    AGE,
    CONTAINERS,
    IMAGES,
    field("Selector", "io.k8s.api.apps.v1.DaemonSetSpec", "selector").wide(),
];

const POD_READY: Heading = text("Ready", "Number of the pod with ready state");
pub(super) const DEPLOYMENT: &[Heading] = &[
    NAME,
    POD_READY,
    field("Up-to-date", "io.k8s.api.apps.v1.DeploymentStatus", "updatedReplicas"),
    field("Available", "io.k8s.api.apps.v1.DeploymentStatus", "availableReplicas"),
    AGE,
    CONTAINERS,
    IMAGES,
    field("Selector", "io.k8s.api.apps.v1.DeploymentSpec", "selector").wide(),
];

const CORE_EVENT: &str = "io.k8s.api.core.v1.Event";
pub(super) const EVENT: &[Heading] = &[
    field("Last Seen", CORE_EVENT, "lastTimestamp"),
    field("Type", CORE_EVENT, "type"),
    field("Reason", CORE_EVENT, "reason"),
    field("Object", CORE_EVENT, "involvedObject"),
    field("Subobject", "io.k8s.api.core.v1.ObjectReference", "fieldPath").wide(),
    field("Source", CORE_EVENT, "source").wide(),
    field("Message", CORE_EVENT, "message"),
    field("First Seen", CORE_EVENT, "firstTimestamp").wide(),
    field("Count", CORE_EVENT, "count").wide(),
    field("Name", META, "name").wide(),
];

pub(super) const JOB: &[Heading] = &[
    NAME,
    text("Status", "Status of the job."),
    field("Completions", "io.k8s.api.batch.v1.JobStatus", "succeeded"),
    text("Duration", "Time required to complete the job."),
    AGE,
    CONTAINERS,
    IMAGES,
    field("Selector", "io.k8s.api.batch.v1.JobSpec", "selector").wide(),
];

pub(super) const LEASE: &[Heading] =
    &[NAME, field("Holder", "io.k8s.api.coordination.v1.LeaseSpec", "holderIdentity"), AGE];

pub(super) const NAMESPACE: &[Heading] = &[NAME, text("Status", "The status of the namespace"), AGE];

const NODE_SYSTEM: &str = "io.k8s.api.core.v1.NodeSystemInfo";
const NODE_STATUS: &str = "io.k8s.api.core.v1.NodeStatus";
pub(super) const NODE: &[Heading] = &[
    NAME,
    text("Status", "The status of the node"),
    text("Roles", "The roles of the node"),
    AGE,
    field("Version", NODE_SYSTEM, "kubeletVersion"),
    field("Internal-IP", NODE_STATUS, "addresses").wide(),
    field("External-IP", NODE_STATUS, "addresses").wide(),
    field("OS-Image", NODE_SYSTEM, "osImage").wide(),
    field("Kernel-Version", NODE_SYSTEM, "kernelVersion").wide(),
    field("Container-Runtime", NODE_SYSTEM, "containerRuntimeVersion").wide(),
];

pub(super) const POD: &[Heading] = &[
    NAME,
    text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
    text("Status", "The aggregate status of the containers in this pod."),
    text(
        "Restarts",
        "The number of times the containers in this pod have been restarted and when the last container in this pod has \
         restarted.",
    ),
    AGE,
    field("IP", "io.k8s.api.core.v1.PodStatus", "podIP").wide(),
    field("Node", "io.k8s.api.core.v1.PodSpec", "nodeName").wide(),
    field("Nominated Node", "io.k8s.api.core.v1.PodStatus", "nominatedNodeName").wide(),
    field("Readiness Gates", "io.k8s.api.core.v1.PodSpec", "readinessGates").wide(),
];

pub(super) const REPLICA_SET: &[Heading] = &[
    NAME,
    field("Desired", "io.k8s.api.apps.v1.ReplicaSetSpec", "replicas").of("integer"),
    field("Current", "io.k8s.api.apps.v1.ReplicaSetStatus", "replicas").of("integer"),
    field("Ready", "io.k8s.api.apps.v1.ReplicaSetStatus", "readyReplicas").of("integer"),
    AGE,
    CONTAINERS,
    IMAGES,
    field("Selector", "io.k8s.api.apps.v1.ReplicaSetSpec", "selector").wide(),
];

pub(super) const CLUSTER_ROLE_BINDING: &[Heading] = &[
    NAME,
    role("io.k8s.api.rbac.v1.ClusterRoleBinding"),
    AGE,
    text("Users", "Users in the clusterRoleBinding").wide(),
    text("Groups", "Groups in the clusterRoleBinding").wide(),
    text("ServiceAccounts", "ServiceAccounts in the clusterRoleBinding").wide(),
];

pub(super) const ROLE_BINDING: &[Heading] = &[
    NAME,
    role("io.k8s.api.rbac.v1.RoleBinding"),
    AGE,
    text("Users", "Users in the roleBinding").wide(),
    text("Groups", "Groups in the roleBinding").wide(),
    text("ServiceAccounts", "ServiceAccounts in the roleBinding").wide(),
];

pub(super) const SECRET: &[Heading] = &[
    NAME,
    field("Type", "io.k8s.api.core.v1.Secret", "type"),
    field("Data", "io.k8s.api.core.v1.Secret", "data"),
    AGE,
];

const SERVICE_SPEC: &str = "io.k8s.api.core.v1.ServiceSpec";
pub(super) const SERVICE: &[Heading] = &[
    NAME,
    field("Type", SERVICE_SPEC, "type"),
    field("Cluster-IP", SERVICE_SPEC, "clusterIP"),
    field("External-IP", SERVICE_SPEC, "externalIPs"),
    field("Port(s)", SERVICE_SPEC, "ports"),
    AGE,
    field("Selector", SERVICE_SPEC, "selector").wide(),
];

pub(super) const SERVICE_ACCOUNT: &[Heading] = &[NAME, AGE];

pub(super) const STATEFUL_SET: &[Heading] = &[NAME, POD_READY, AGE, CONTAINERS, IMAGES];
