//! The rules that decide a verdict: one table with the id, the sentence and the reason of each.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! rules {
    ($($name:ident $id:literal $text:literal $rationale:literal;)*) => {
        /// A rule. The variants are in the order in which they are asked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(clippy::doc_markdown, reason = "the sentences are shown to people as they are")]
        pub enum Rule {
            $(#[doc = $text] $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its id, as a verdict shows it: `C02`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// The rule, in a sentence.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The reason for it.
            pub const fn rationale(self) -> &'static str {
                match self { $(Self::$name => $rationale,)* }
            }
        }
    };
}

rules! {
    NotAnObject "X00" "Not an object, or without a kind: Unknown."
        "There is nothing to judge.";
    Unreadable "I01" "The file or the answer cannot be read as an object: Unknown."
        "What was not read may be bad.";
    NotFound "I02" "Asked for by name, and not there: Missing."
        "Whoever asks for an object by name expects it.";
    Kstatus "kstatus" "The verdict of kstatus, asked for by name."
        "Helm and Flux wait by it; some want the same answer.";
    NeedsMissing "R01" "It needs a Secret, ConfigMap, claim, class or Service that does not exist: Degraded."
        "A Pod waits for it, and a webhook, an Ingress or an APIService does nothing without it.";
    NoReadyEndpoints "R02" "Service: it has no ready endpoint: Degraded."
        "Every request to it fails, and its own status says nothing of that.";
    PortNotFound "R03" "Service: no ready Pod has a port of the name that it asks for: Degraded."
        "Its endpoints look ready, and that port leads nowhere.";
    BackendScaledToZero "R04" "Service without endpoints: its Deployment or StatefulSet is scaled to zero: Suspended."
        "Nothing answers because somebody wants nothing to run.";
    PartBroken "R05" "Workload: one of its newest parts is Degraded: Degraded."
        "A rollout does not get past that part, long before its deadline says so.";
    ClaimBroken "R06" "Pod that has not started: its PersistentVolumeClaim is Degraded: Degraded."
        "It starts when the claim is bound.";
    NodeLost "R07" "Pod that is not well: its Node is Degraded: Degraded."
        "The kubelet that would say how it is may be gone.";
    BindingFailed "R08" "PersistentVolumeClaim: an event says that it cannot be bound: Degraded."
        "Its status says Pending for ever.";
    RefNotPermitted "R09" "Gateway API: no ReferenceGrant allows a reference into another namespace: Degraded."
        "The controller must not follow it.";
    ReportContradicts "R10" "ConfigurationStatus: a report to it is Degraded: Degraded."
        "Its controller may be slow, or not there.";
    ControllerNotRunning "R11" "The Lease of the controller that writes the status is not renewed: Unknown."
        "Nobody would say if it were not true any more.";
    NotSeen "R12" "Service or what names one: its endpoints, or that Service, cannot be read: Unknown."
        "What was not seen may be bad.";
    Deleting "D01" "Being deleted: Progressing, with the finalizers, the node or the content that it waits for."
        "Leaving is a transition, whatever the status still says.";
    DeletionStuck "D02" "Being deleted for more than 5 minutes, and still held by a finalizer, a node or content, or the status names something broken: Degraded."
        "Nobody finishes the deletion; what the status names as broken is probably what holds it.";
    Pod "K01" "Pod: by containers that cannot start, its phase, and Ready."
        "The phase alone calls a crashing container Running.";
    Deployment "K02" "Deployment: a replica failure or else a missed deadline is Degraded; missing replicas, or not Available, Progressing."
        "The counts say how far a rollout is; a replica failure names the cause for which a deadline is missed.";
    ReplicaSet "K03" "ReplicaSet: a replica failure is Degraded, missing replicas Progressing."
        "It reports nothing else.";
    StatefulSet "K04" "StatefulSet: by ready replicas and the revision that they run."
        "It writes no conditions.";
    DaemonSet "K05" "DaemonSet: by updated and available Pods against the nodes that want one."
        "It writes no conditions.";
    Outage "K16" "A workload has no available replica for more than a minute, and no rollout is under way: Degraded."
        "Scaling up passes through the same state, but not for long.";
    Stalled "K17" "A workload lacks replicas and is past its deadline after a complete rollout, or its status has not changed for 10 minutes: Degraded."
        "What does not change is not on its way; kinds without times in their status are as old as the last write to it.";
    RunsToCompletion "K06" "A kind that runs to completion: by Complete, Failed or Suspended, and Progressing until then."
        "Only the end tells how it went.";
    CronJob "K07" "CronJob: Degraded when the last run started after the last that succeeded, or when none has."
        "Scheduling is its whole job.";
    Volume "K08" "PersistentVolumeClaim and PersistentVolume: by phase, and by the progress of a resize; Lost, Failed and refused are Degraded."
        "Binding is all they do.";
    Service "K09" "Service: type LoadBalancer needs an address; every other type is Healthy by itself."
        "No controller reports on the others; R02 looks at the endpoints.";
    Ingress "K10" "Ingress: needs an address."
        "Ingress controllers report by it.";
    Autoscaler "K11" "HorizontalPodAutoscaler: AbleToScale or ScalingActive False is Degraded."
        "It then follows no metric.";
    CustomResourceDefinition "K12" "CustomResourceDefinition: accepted names, Established, and a structural schema."
        "Without these its kind is not served as written.";
    DisruptionBudget "K13" "PodDisruptionBudget: enough healthy Pods, and none that it failed to count."
        "A budget that counts nothing protects nothing.";
    Node "K14" "Node: Ready True, and no other condition True but those that end in Ready or Healthy."
        "Every other condition of a node is trouble; some agents add ones that must be True.";
    Namespace "K15" "Namespace: Active, and nothing that failed while it was emptied."
        "Its conditions are about its deletion.";
    SuspendedInSpec "S01" "A switch in the spec suspends it (suspend, paused, hibernate, enabled: false): Suspended."
        "Somebody wants it so.";
    SuspendedByAnnotation "S02" "An annotation pauses it, or pauses its reconciliation: Suspended."
        "It is the other common place for that wish.";
    Schedule "E04" "A schedule whose status says when it runs and no more: Healthy, unless the last run has not succeeded."
        "Scheduling is its whole job.";
    NoStatusByDesign "E01" "Declared to have no status, or to have always the same health."
        "Only a declaration may turn silence into good news.";
    NoStatusYet "E02" "No status, or an empty one: Progressing."
        "Its controller has not answered yet.";
    GenerationBehind "G01" "observedGeneration is less than the generation: Progressing."
        "The status is about an older spec.";
    ConditionBehind "G02" "A condition that counts is about an older generation: Progressing. Good parts may be, where a summary speaks of the present one."
        "What it says may no longer be so.";
    PartBehind "G03" "A part of the status, or a referenced object, has a newer generation than the one observed: Progressing."
        "What is said of it is about an older spec.";
    ConditionGood "C01" "A condition has its good status: Healthy."
        "It says so.";
    ConditionFalse "C02" "A condition of which True is good is False: by its declaration, its reason, its message; Degraded without a clue."
        "False means broken for some and not yet for others; the reason tells.";
    ConditionSuspends "C03" "A condition that says suspended is True: Suspended."
        "Somebody wants it so.";
    ConditionAbnormal "C04" "A condition of which True is bad is True: Degraded."
        "It exists to say that.";
    ConditionActivity "C05" "A condition of activity (Progressing, Reconciling) is True: Progressing, unless its reason says done or failed."
        "It is on its way.";
    GoodWithFailureReason "C06" "A condition has its good status, with a reason that names a failure: Degraded."
        "Complete with JobFailed is no success.";
    ConditionUnknown "C07" "A condition is Unknown: Progressing, or as declared; Degraded where the reporter has gone silent."
        "Unknown is what it says before it knows.";
    StatusIrregular "C08" "A condition has a status other than True, False and Unknown: read as a word, else Unknown."
        "What is not understood is not called good.";
    UnknownTypeFalse "C09" "A condition of unknown meaning is False, with a reason that names a failure: Degraded; a wait: Progressing."
        "Whatever it is about, it failed, or is not there yet.";
    SummaryMissing "C10" "The declared summary condition is missing: Progressing."
        "The parts do not speak for the whole.";
    ConditionErrors "C11" "A condition lists errors: Degraded, whatever its status says."
        "Each of them is a finding of its controller.";
    EntryMissing "L01" "A listener or parent has no entry in the status, or one without conditions, where others have: Progressing."
        "What is said for the others is not said for it.";
    StateWord "P01" "A phase, state or status word: as declared, else by its meaning."
        "Kinds without conditions speak by one word.";
    StepState "P03" "A good word about a stage or step that is not the last: Progressing."
        "The success of a step is not that of the whole.";
    Boolean "B01" "A boolean: ready false is Progressing, valid false or failed true is Degraded, paused true is Suspended."
        "Typed fields say the same as conditions.";
    ErrorText "B02" "An error field is not empty: Degraded."
        "Somebody wrote down a failure.";
    FailureList "B03" "A list of failed or unhealthy things is not empty: Degraded; of unready or missing ones: Progressing."
        "Somebody wrote down a failure.";
    ErrorCounter "B04" "A counter of errors, or of failures in a row, is not zero: Degraded."
        "Somebody counted a failure.";
    Count "N01" "Fewer are ready, available or updated than wanted: Progressing, or as declared."
        "Counts say how far it is.";
    Fraction "N02" "A fraction such as 2/3 of what should be ready: Progressing."
        "Counts say how far it is.";
    Percentage "N05" "A percentage of progress or readiness is below 100: Progressing, unless the kind runs to completion."
        "It says how far it is; what runs to completion says by its phase whether it has.";
    Differs "N03" "Two values that must be equal differ: as declared."
        "What is there is not what was asked for.";
    Absent "N04" "A value that must be there is not: as declared."
        "It has not come that far.";
    PartState "P02" "A state, boolean or error of a sub-object or list item; suspended parts do not count."
        "Ready often means no more than reconciled.";
    ScaledToZero "S03" "No replicas are wanted, and nothing worse than their absence is said: Suspended."
        "It was scaled to zero on purpose.";
    Partitioned "S04" "All replicas are updated but those that a partition of the rolling update holds back: Suspended."
        "Somebody wants it to stop there.";
    DeclaredSign "E05" "A declared sign of life is there and nothing else speaks: Healthy."
        "The kind has no other way to say it.";
    FailureLabel "B05" "A label or annotation named as a state, result or health says that it failed, and nothing else is bad: Degraded."
        "Some tools write their findings there.";
    MessageOnly "M01" "A message that names a failure or something under way, where nothing else is understood: Degraded or Progressing."
        "It is no good news, and all there is.";
    NoSummaryYet "X02" "There are conditions and none is understood, or an empty list of them: Progressing."
        "It has no summary yet.";
    NoVerdictYet "E03" "The status holds bookkeeping only, or tells when a run began and no end: Progressing."
        "The controller has not spoken yet.";
    NotUnderstood "X01" "Nothing in the status is understood: Unknown."
        "Never green by default.";
    TooLarge "X03" "The status is too large to be read in full and what was read is good: Unknown."
        "What was not read may be bad.";
    DeclarationUnreadable "X04" "A declaration of its kind cannot be read and the rest is good: Unknown."
        "It may have said that this is bad.";
    RestartsOften "H01" "A container runs, was restarted at least 5 times, and last ended with OOMKilled or Error within the hour: hint."
        "It is well between two crashes, and nothing has changed since the last.";
    QuotaExhausted "H02" "ResourceQuota: as much is used of a resource as is allowed: hint."
        "The next Pod or rollout is refused.";
    BlocksEviction "H03" "PodDisruptionBudget: enough Pods are healthy, and none may be evicted: hint."
        "A drain of a node, and so an upgrade of the cluster, waits for ever.";
    AtMaximum "H04" "HorizontalPodAutoscaler: at maxReplicas, and more are needed: hint."
        "The next rise of the load is not followed.";
    Expires "H05" "A certificate has expired, or ends within 7 days (or the last third of its life) and its renewal is not ahead: hint."
        "Somebody should have renewed it by now.";
    WebhookUnavailable "H06" "A webhook that refuses changes in a namespace has no Service, or one without ready endpoints: hint."
        "The next object that it is asked about is refused.";
}

impl Rule {
    /// Tells whether it judges an object in view of others, which the verdict may name.
    pub const fn is_related(self) -> bool {
        matches!(
            self,
            Self::NeedsMissing
                | Self::NoReadyEndpoints
                | Self::PortNotFound
                | Self::BackendScaledToZero
                | Self::PartBroken
                | Self::ClaimBroken
                | Self::NodeLost
                | Self::BindingFailed
                | Self::RefNotPermitted
                | Self::ReportContradicts
                | Self::ControllerNotRunning
                | Self::NotSeen
        )
    }

    /// The rule of an id, in either case.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id().eq_ignore_ascii_case(id))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}
