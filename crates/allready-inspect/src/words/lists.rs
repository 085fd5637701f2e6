//! The table of words, each list with its meaning and an example.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::health::Health;

macro_rules! lists {
    ($($name:ident $meaning:literal $example:literal $words:literal;)*) => {
        /// A list of words with one meaning. Words are in lower case, without signs between their parts.
        ///
        /// ```
        /// use allready_inspect::words::List;
        ///
        /// assert!(List::Healthy.words().any(|word| word == "ready"));
        /// assert!(List::ALL.iter().all(|list| !list.meaning().is_empty() && !list.example().is_empty()));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(clippy::doc_markdown, reason = "the sentences are shown to people as they are")]
        pub enum List {
            $(#[doc = $meaning] $name,)*
        }

        impl List {
            /// Every list.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The meaning of its words.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }

            /// A piece of an object in which one of them decides.
            pub const fn example(self) -> &'static str {
                match self { $(Self::$name => $example,)* }
            }

            const fn text(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

lists! {
    // States, as they stand in a phase or a status field.
    Healthy "A state that is good." "phase: Ready"
        "ready healthy available active succeeded success successful complete completed done finished ok bound online up synced insync \
         uptodate deployed provisioned established valid accepted compliant stable green normal operational enabled attached connected \
         applied reconciled installed configured passed pass exists current issued enforced created approved registered joined \
         programmed imported exported synchronized updated validated verified allocated serving live alive steady propagated published \
         passing merged resolved subscribed optimal succeed mounted loaded clean populated consistent inservice assigned processed \
         realized upgraded delivered confirmed activated authenticated authorized onboarded solved converged unchanged refreshed \
         unsealed inuse claimed relocated idle good nominal functional fulfilled satisfied adopted listening streaming protected \
         enrolled balanced rebalanced associated present trusted readyforuse commissioned failedover failedback";
    Degraded "A state that is broken." "state: errored"
        "failed failure error errored degraded unhealthy invalid lost red aborted timeout timedout noncompliant rejected denied \
         conflict broken offline down unavailable stalled killed crashed unreachable expired fault faulted revoked dead oom corrupt \
         corrupted warning fail cancelled canceled terminated critical fatal unrecoverable blocked stuck inconsistent splitbrain \
         noquorum unsynced firing breached violated crashloop failing partialsuccess partiallysucceeded partiallysuccessful \
         partiallycompleted outofdisk outofmemory diskfull exhausted disconnected unresponsive notresponding fenced quarantined suspect \
         overloaded impaired stale orphaned interrupted warn healthwarn rollbackcomplete updaterollbackcomplete inaccessible rolledback \
         rollback compensated tampered insufficient drifted diverged throttled ratelimited oomkilled abandoned exception panic panicked \
         undeliverable unmanageable deadlocked hung dataloss unprocessable wrong mismatched untrusted anomalous alerting \
         manualinterventionrequired interventionrequired";
    Progressing "A state on the way to another." "phase: Pending"
        "pending progressing inprogress new init initial queued scheduled waiting requested submitted notready partial yellow unready \
         started starting restart draft planned unassigned unbound unscheduled unprovisioned dispatched inqueue enqueued requeued retry \
         notstarted outdated preparing prepared executing inexecution outofsync bootstrap provision uninitialized catchup switchover \
         backingup incomplete needsupdate creation initialization installation preparation reconciliation termination configuration \
         activation failover failback preflight rollout settingup requiresupdate";
    Suspended "A state of rest, or one that waits for a person." "state: Paused"
        "paused suspended stopped hibernated disabled inactive sleeping scaledtozero frozen maintenance shutdown halted onhold cordoned \
         archived hibernating poweredoff off quiesced dormant deactivated poweroff inmaintenance parked scaleddown undermaintenance \
         maintenancemode deallocated idled asleep hibernate snoozed silenced admindisabled turnedoff powereddown drained notenabled pendinguseraction";
    Person "A word for what a person does: what waits for it rests." "state: WaitingForApproval"
        "approval approvals approver review reviewer confirmation human user input signoff";
    Wants "A word for waiting, before or behind what is awaited." "state: ApprovalRequired"
        "wait waiting await awaiting awaits pending needs needed requires required";
    Unknown "A state that says nothing." "health: Unknown"
        "unknown inconclusive undefined";
    Missing "A state of something that is not there." "state: absent"
        "notfound missing absent deleted uninstalled deprovisioned destroyed removed";

    // Kinds and states of what runs to completion.
    RunKind "A kind whose name ends so runs to completion." "kind: DatabaseBackup"
        "job run task backup restore snapshot workflow experiment analysis evaluation upgrade migration export import test build \
         execution request operation hook dump scan trial load clone rebalance upload download transfer initializer repair action \
         rollback rotation replay benchmark capture verification drain reboot copy failover switchover simulation compaction traceflow";
    RunBegins "Of what runs to completion, a state before the end." "phase: Accepted"
        "accepted active validated allocated created enabled live alive online up connected attached launched assigned admitted \
         triggered uploaded snapshotted throttled idle";
    RunEnds "Of what runs to completion, a state of the end, and of nothing else." "phase: Restored"
        "processed finalized restored";
    RunSucceeded "Of what runs to completion, the good end in so many words." "phase: Succeeded"
        "succeeded succeed success successful completed complete done finished";

    EndTime "A field that says when a run ended." "status.completionTime"
        "completiontime completiontimestamp completedat finishedat finishtime endtime endtimestamp";

    // Words of reasons and messages.
    Broken "In a reason or message, something is broken." "reason: SecretMissing"
        "err invalid denied forbidden unauthorized unreachable unhealthy missing timeout timedout exceeded unable cannot conflict \
         unsupported rejected crash stalled mismatch expired lost broken unschedulable terminal degraded aborted misconfigured \
         incompatible corrupted pressure abnormal stuck blocked noncompliant unresolved evicted oomkilled refused violation bad \
         illegal malformed duplicate unknownerror unrecoverable irrecoverable unusable disconnected inaccessible unresponsive orphaned \
         dangling outage unfulfilled unsatisfied unsatisfiable";
    BrokenStem "A word that begins so speaks of something broken." "reason: ReconcileFailed"
        "fail error crash backoff conflict violat";
    FailureStem "A word that begins so names a failure, whatever stands around it." "reason: InvalidSpec"
        "abort fail error crash backoff invalid reject denied exceeded forbidden unauthor misconfig";
    Recovery "A word about the cure of a failure." "reason: FailoverDone"
        "failover failback failsafe";
    UnderWay "In a reason or message, something is under way." "reason: WaitingForNode"
        "pending progress progressing queued wait waiting awaiting scheduled requested started start init initial initializing \
         provisioning reconciling creating updating scaling incomplete";
    NotAnActivity "A word that ends in ing, and is no activity." "reason: StringMissing"
        "string missing existing nothing something everything during following according using setting settings mapping binding \
         routing ring ping king listing being backing testing pricing networking tracking matching failing logging monitoring playing managing \
         tracing billing serving listening streaming polling archiving replicating passing succeeding";
    AtRest "In a reason or the name of a condition, somebody wants it to rest." "reason: ReconciliationPaused"
        "paused suspended hibernated hibernation hibernating pause suspend stopped halted quiesced";
    Done "In a reason, what was to be done is done." "reason: NewReplicaSetAvailable"
        "available complete completed succeeded success successful done finished uptodate asexpected expected";
    Negation "A word that turns what follows into its opposite, or into not yet." "phase: NotAllReady"
        "not un non partially partial never no none t was nearly almost 0";
    PairStart "The first word of a pair that has a meaning of its own." "reason: KeyNotFound"
        "not still in is are back t could timed no access permission can deadline too non without 0";
    Unwanted "A reason why a part is absent that nobody wants." "reason: NotApplicable"
        "disabled notenabled notapplicable notrequired notneeded notrequested notused removed skipped unmanaged";

    TakenBack "In a reason, a word that takes a failure back, or makes it one of the past." "reason: ErrorsResolved"
        "without zero none resolved recovered cleared ignored handled fixed tolerated retry previously never allowed within below";
    SuccessReason "A reason that says that all is well, and nothing else." "reason: AllReady"
        "ready allready succeeded success successful allgood healthy reconcilesucceeded reconciliationsucceeded reconcilesuccess \
         allconditionsready installsucceeded upgradesucceeded";
    Waits "In a reason, somebody is awaited." "reason: Pending"
        "pending awaiting waiting unknown initializing reconciled reconciling initial new yet";

    // Names of condition types.
    AbsenceName "In a condition type, it is about something that goes away." "type: ResourcesDeleted"
        "deleted removed absent finalized cleaned terminated deleting released";
    NegatedName "In a condition type, the rest is denied." "type: ListenersNotReady"
        "not no non isnt without";
    ImperativeName "A condition type that is an order, where a state would be told." "type: Deploy"
        "deploy install create delete apply sync validate reconcile provision initialize configure schedule start stop run fetch \
         resolve accept program upgrade check";
    SummaryName "A condition type for the whole object, the first before the others." "type: Ready"
        "ready succeeded available healthy completed complete reconciled accepted programmed established synced deployed successful \
         valid installed active applied done finished health";
    BadName "In the name of a condition type, True is bad." "type: DiskFull"
        "unavailable warning warnings alert alerts outdated stale drift drifted disconnected offline fault faulted unsynced desynced \
         exhausted throttled problem problems deadlock insufficient interrupted cancelled canceled overloaded unverified unreconciled \
         unregistered undeployed unprovisioned unattached unassigned fenced deadlocked lagging full loss low irreconcilable unusable \
         unbalanced unready breached recoverable unfulfilled unsatisfied compromised revoked preempted occurred diverged vulnerable \
         hung suspicious inconsistent killed overlapping infected leaked abandoned panicked";
    DeniedStart "A participle that begins so is bad." "type: Mismatched"
        "un mis over";
    DeniedEnding "The end of a participle." "type: Unroutable"
        "ed able bound ready";
    NotDenied "Of those, a word that is not." "type: Unsealed"
        "unsealed unchanged unlocked unpacked unpaused unsuspended uncordoned unblocked unfenced unified united unused unmanaged unlimited \
         unrestricted unset overlaid";
    BadEnding "A condition type that ends so: True is bad." "type: ConfigOutOfSync"
        "required outofsync outofdate outofmemory outofdisk splitbrain underreplicated timedout rolledback desync alerting firing";
    GoodName "At the end of a condition type, True is good." "type: NodesUp"
        "running ready available healthy succeeded complete valid ok up online active success alive sync reachable exists successful \
         succeeding passing compliant serving listening streaming polling archiving replicating present found quorate functional \
         operational compatible liveness readiness validation connectivity status met built responsive live";
    GoodFirstWord "At the start of a condition type, True is good." "type: ResolvedRefs"
        "resolved matched valid passed healthy successful accepted accepting";
    ActivityName "At the end of a condition type, it is about an activity." "type: Progressing"
        "progressing reconciling pending inprogress progress";
    Awaited "A condition type that ends so is awaited, where others are decided." "type: Provisioned"
        "ready available complete completed succeeded running initialized provisioned bound deployed installed synced progressed \
         created attached connected up started populated uptodate assigned allocated scheduled registered joined established \
         configured mounted loaded propagated observed launched bootstrapped booted done finished";
    BeginName "A condition type that ends so is about the beginning: True says nothing of the end." "type: PodScheduled"
        "started scheduled queued submitted requested approved initialized";
    InformationEnding "A condition type that ends so is information." "type: Upgradeable"
        "upgradeable warning info deprecated migratable upgradable deletable resizable expandable";
    RestName "A condition type of rest, beside the words of rest." "type: Maintenance"
        "disabled shutdown inmaintenance undermaintenance maintenance maintenancemode frozen sleeping asleep archived scaledtozero \
         inactive";

    // Names of fields.
    StateField "A field that holds a state." "status.phase"
        "lastoperationstatus lastoperationstate phase state status health healthstatus overallstatus result outcome provisioningstate \
         compliant syncstatus currentstate lifecycle clusterstate clusterstatus verdict conclusion robustness stage condition";
    StateFieldEnding "A field that ends so holds a state." "status.databaseState"
        "phase state status health statesummary statussummary resolution progress";
    OtherTime "A field that begins so is about another time." "status.previousState"
        "last previous prev desired target old";
    StepField "A field that names a step; a good word beside it is about that step." "status.stageStatus"
        "stage step currentstage currentstep";
    StatesMap "A map of this ending has names as keys and states as values." "status.componentStatuses"
        "statuses states phases health";
    Apart "A state that ends so is out of step." "state: ConfigOutOfSync"
        "outofsync outofdate notinsync";
    MessageField "A field with a text about the state beside it." "status.failureMessage"
        "message reason errormessage failuremessage statusmessage statusreason description";
    ErrorField "A field that holds an error." "status.lastError"
        "error errormessage failurereason failuremessage lasterror errors failure errmsg expressionwarnings issues problems conflicts \
         blockers exception";
    ErrorTextEnding "After error or failure, the end of a field that holds an error." "status.lastErrorMessage"
        "message reason msg text detail details description";
    ErrorCounter "A field that counts errors." "status.consecutiveFailures"
        "errorcount errorscount errcount numerrors numerror numberoferrors errors syncerrors reconcileerrors consecutiveerrors \
         consecutiveerror consecutivefailures consecutivefailure consecutiveerrorcount consecutivefailurecount conflictcount";
    NoError "A value that says that there is no error." "status.error: none"
        "none null nil na ok noerror noerrors";
    BrokenList "A list that begins so is of broken things." "status.failedNodes"
        "failed failing failures broken unhealthy errored crashed faulted invalid conflicting degraded";
    UnreadyList "A list that begins so is of things that are not there yet." "status.missingMembers"
        "unready unavailable missing offline unreachable";
    LabelFailure "The value of a label that says failed." "labels: {example.com/health: failed}"
        "failed failure error errored unhealthy degraded";
    LabelEnding "A label or annotation that ends so is a state." "labels: {example.com/upgrade-state: failed}"
        "state status phase health result";
    ManagedSpec "A field of the spec with what is asked of a provider: Synced when it was asked for, Ready when it is there." "spec.forProvider"
        "forprovider";
    BookkeepingEnding "A field that ends so is for the controller alone." "status.observedGeneration"
        "generation revision version hash selector time updated nodes image";

    // Booleans.
    GoodFlag "A boolean of which true speaks for the whole." "status.ready"
        "pass passed compliant ready healthy available initialized synced succeeded valid active connected success successful applied \
         online bound insync uptodate established complete completed registered provisioned installed deployed reconciled reachable \
         issued attached programmed joined isready allready mounted ok alive stable accessible authenticated authorized responsive \
         responding hasquorum quorum quorate serving verified validated";
    GoodFlagEnding "A boolean that ends so speaks for the whole." "status.controlPlaneReady"
        "ready healthy granted completed";
    JudgedFlag "Of those, false is broken and not merely on the way." "status.valid"
        "pass passed healthy compliant success successful valid succeeded online alive accessible responsive responding hasquorum \
         quorum quorate";
    BrokenStep "A boolean of which false is broken, and true a step." "status.accepted"
        "accepted isvalid ishealthy operational";
    Step "A boolean of which false is not yet, and true a step." "status.isConnected"
        "issynced isavailable isconnected";
    RestFlag "A boolean of which true is a rest." "status.paused"
        "controllerpause paused suspended hibernated stopped";
    BrokenFlag "A boolean of which true is broken." "status.degraded"
        "failed degraded unhealthy error unreachable offline disconnected unavailable stale expired blocked stuck stalled conflict \
         conflicts conflicted outofsync outofdate drifted driftdetected timedout rolledback broken lost corrupt corrupted missing \
         notfound revoked compromised splitbrain degradedmode unresponsive overloaded exhausted violated noncompliant fenced dead \
         inconsistent quarantined faulted";
    ActivityFlag "A boolean of which true is under way." "status.upgrading"
        "notready unready reconciling updating upgrading restoring rebalancing migrating provisioning initializing restarting resizing \
         deleting terminating";

    // Counts.
    Have "The beginning of a count of what is there." "status.readyReplicas"
        "updatedready ready available updated uptodate current numberready numberavailable numready numavailable healthy";
    HaveCounted "The beginning of a count of counted things that are there." "status.onlineNodes"
        "synced running online connected registered installed applied joined";
    HaveEnding "The end of a count of what is there." "status.replicasReady"
        "ready available healthy";
    Want "The beginning of a count of what is wanted; or nothing." "status.desiredReplicas"
        "desired expected total";
    Size "A field of the spec that says how many are wanted." "spec.size"
        "replicas size instances nodes count";
    ItemSize "A field of an item of the spec that says how many are wanted of it." "spec.nodeSets[0].count"
        "count replicas size";
    Sized "Things of which a spec may give the size without their name." "status.readyMembers, spec.size"
        "replicas nodes instances members pods";
    Counted "Things that are counted; of others, such as bytes, not all need to be available." "status.availableNodes"
        "replicas nodes instances members pods machines workers brokers shards servers controllers clusters targets count";
    CountedOne "Things that are counted, one of them." "status.failedNodeCount"
        "machine node pod replica";
    Lack "A count that begins so should be zero." "status.unavailableReplicas"
        "unavailable unready unhealthy missing offline";
    Failed "A count that begins so should be zero, and means that something is broken." "status.failedNodes"
        "failed errored faulted degraded crashed dead";
    FailedThing "Things of which none should have failed, beside those that are counted." "status.failedVolumes"
        "volumes disks drives devices endpoints hosts agents peers zones regions datacenters namespaces components subsets";
    Readiness "A fraction under a name with this in it has to be whole." "status.readyNodes: 2/3"
        "ready replica available healthy nodes members instances pods synced";
    Percent "A percentage under a name with this in it has to be 100." "status.syncProgress: 60%"
        "progress complet ready healthy synced done";
    PercentLimit "A percentage that begins so is a limit." "status.minHealthyPercent"
        "min max target threshold";
}

impl List {
    /// Its words.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        self.slice().iter().copied()
    }

    fn slice(self) -> &'static [&'static str] {
        static SLICES: LazyLock<Vec<Vec<&'static str>>> =
            LazyLock::new(|| List::ALL.iter().map(|list| list.text().split_whitespace().collect()).collect());
        &SLICES[self as usize]
    }

    /// Tells whether it has this word.
    pub(crate) fn has(self, text: &str) -> bool {
        word(text).is(self)
    }

    /// The place of a word in it.
    pub(crate) fn position(self, text: &str) -> Option<usize> {
        self.slice().iter().position(|word| *word == text)
    }

    /// Tells whether a text begins with one of its words.
    pub(crate) fn begins(self, text: &str) -> bool {
        self.slice().iter().any(|word| text.starts_with(word))
    }

    /// Tells whether a text ends with one of its words.
    pub(crate) fn ends(self, text: &str) -> bool {
        self.slice().iter().any(|word| text.ends_with(word))
    }

    /// Tells whether one of its words is in a text.
    pub(crate) fn is_in(self, text: &str) -> bool {
        self.slice().iter().any(|word| text.contains(word))
    }
}

/// The lists that a word is in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Word(u128);

impl Word {
    /// Tells whether it is in a list.
    pub(crate) const fn is(self, list: List) -> bool {
        self.0 & 1 << list as u8 != 0
    }

    /// Its meaning as a state, where that is known.
    pub(crate) fn means(self) -> Option<Health> {
        let states = [
            (List::Healthy, Health::Healthy),
            (List::Degraded, Health::Degraded),
            (List::Progressing, Health::Progressing),
            (List::Suspended, Health::Suspended),
            (List::Unknown, Health::Unknown),
            (List::Missing, Health::Missing),
        ];
        states.into_iter().find(|(list, _)| self.is(*list)).map(|(_, health)| health)
    }
}

/// FNV-1a: the words are ours and short, so that nobody can choose ones that collide.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

static WORDS: LazyLock<HashMap<&'static str, Word, BuildHasherDefault<Fnv>>> = LazyLock::new(|| {
    let mut words = HashMap::<_, Word, _>::default();
    for list in List::ALL {
        for word in list.words() {
            words.entry(word).or_default().0 |= 1 << *list as u8;
        }
    }
    words
});

/// The lists that a word in lower case is in.
pub(crate) fn word(text: &str) -> Word {
    WORDS.get(text).copied().unwrap_or_default()
}

/// Tells whether a word in lower case names a failure, whatever stands around it.
pub(crate) fn is_hard(text: &str) -> bool {
    text == "err" || List::FailureStem.begins(text) && !List::Recovery.has(text)
}

/// Tells whether a word in lower case speaks of something broken.
pub(crate) fn is_broken(text: &str, known: Word) -> bool {
    known.is(List::Broken) || List::BrokenStem.begins(text) && !known.is(List::Recovery)
}

/// Tells whether a word in lower case says that something is being done.
pub(crate) fn is_activity(text: &str, known: Word) -> bool {
    text.len() > 5 && text.ends_with("ing") && !known.is(List::NotAnActivity)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_list_has_a_bit_and_no_word_twice() {
        assert!(List::ALL.len() <= 128);
        for list in List::ALL {
            let words: BTreeSet<&str> = list.words().collect();
            assert_eq!(words.len(), list.words().count(), "{list:?}");
            assert!(
                words.iter().all(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
            );
        }
    }

    #[test]
    fn a_word_has_one_meaning_as_a_state() {
        let states =
            [List::Healthy, List::Degraded, List::Progressing, List::Suspended, List::Unknown, List::Missing];
        for word in states.into_iter().flat_map(List::words) {
            assert_eq!(states.into_iter().filter(|list| list.has(word)).count(), 1, "{word}");
        }
    }
}
