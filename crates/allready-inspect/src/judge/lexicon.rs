//! Words, and what each of them says about health without knowing who wrote it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::health::Health;

pub(crate) const HEALTHY: &str = "ready healthy available active succeeded success successful complete completed \
    done finished ok bound online up synced insync uptodate deployed provisioned established valid \
    accepted compliant stable green normal operational enabled attached connected applied reconciled \
    installed configured passed pass exists current issued enforced created approved registered joined \
    programmed imported exported synchronized updated validated verified allocated serving live alive \
    steady propagated published passing merged resolved subscribed optimal succeed mounted loaded clean \
    populated consistent inservice assigned processed realized upgraded delivered confirmed activated \
    authenticated authorized onboarded solved converged unchanged refreshed unsealed inuse claimed relocated";
pub(crate) const DEGRADED: &str = "failed failure error errored degraded unhealthy invalid lost red aborted \
    timeout timedout noncompliant rejected denied conflict broken offline down unavailable stalled \
    killed crashed unreachable expired fault faulted revoked dead oom corrupt corrupted warning fail \
    cancelled canceled terminated critical fatal unrecoverable blocked stuck inconsistent splitbrain \
    noquorum unsynced firing breached violated crashloop failing partialsuccess partiallysucceeded \
    partiallysuccessful partiallycompleted outofdisk outofmemory diskfull exhausted disconnected \
    unresponsive notresponding fenced quarantined suspect overloaded impaired stale orphaned interrupted \
    warn healthwarn rollbackcomplete updaterollbackcomplete inaccessible rolledback compensated tampered \
    insufficient drifted diverged throttled ratelimited";
const PROGRESSING: &str = "pending progressing inprogress new init initial queued scheduled waiting \
    requested submitted notready partial yellow unready started starting restart draft planned \
    unassigned unbound unscheduled unprovisioned dispatched inqueue enqueued requeued retry notstarted \
    outdated preparing prepared executing inexecution outofsync bootstrap provision uninitialized \
    catchup switchover backingup incomplete needsupdate creation \
    initialization installation preparation reconciliation termination configuration activation";
pub(crate) const SUSPENDED: &str = "paused suspended stopped hibernated disabled inactive sleeping scaledtozero \
    frozen maintenance idle shutdown halted onhold cordoned archived hibernating poweredoff off \
    quiesced dormant deactivated poweroff inmaintenance parked scaleddown requiresapproval \
    waitingforapproval awaitingapproval pendingapproval approvalrequired needsapproval waitingapproval \
    waitingformanualapproval pendingmanualapproval awaitinginput waitingforinput waitingforconfirmation \
    awaitingconfirmation pendingconfirmation pendingreview pendinguseraction";
const UNKNOWN: &str = "unknown inconclusive undefined";
pub(crate) const MISSING: &str =
    "notfound missing absent deleted uninstalled deprovisioned destroyed removed";

/// In reasons and sentences, these mean that something is broken.
pub(crate) const BROKEN: &str = "err invalid denied forbidden unauthorized unreachable unhealthy missing timeout timedout exceeded \
    unable cannot conflict unsupported rejected crash stalled mismatch expired lost broken unschedulable terminal degraded \
    aborted misconfigured incompatible corrupted pressure abnormal stuck blocked noncompliant unresolved evicted oomkilled \
    refused violation bad illegal malformed duplicate unknownerror unrecoverable irrecoverable unusable \
    disconnected inaccessible unresponsive orphaned dangling outage unfulfilled unsatisfied unsatisfiable";
const UNDER_WAY: &str = "pending progress progressing queued wait waiting awaiting scheduled requested started start init \
    initial initializing provisioning reconciling creating updating scaling incomplete";
/// Words that end in `ing` and are no activity.
const NO_ACTIVITY: &str = "string missing existing nothing something everything during following \
    according using setting settings mapping binding routing ring ping king listing being backing \
    testing pricing networking tracking matching failing logging monitoring tracing billing serving \
    listening streaming polling archiving replicating passing succeeding";
pub(crate) const AT_REST: &str =
    "paused suspended hibernated hibernation hibernating pause suspend stopped halted quiesced";
/// A reason with one of these says that what was to be done is done.
pub(crate) const DONE: &str =
    "available complete completed succeeded success successful done finished uptodate asexpected expected";
/// A type that ends in one of these is awaited, where others are decided.
const AWAITED: &str = "ready available complete completed succeeded running initialized provisioned \
    bound deployed installed synced progressed created attached connected up started populated uptodate \
    assigned allocated scheduled registered joined established configured mounted loaded propagated \
    observed launched bootstrapped done finished";
/// In the name of a condition type, these mean that `True` is bad.
pub(crate) const BAD_NAME: &str = "unavailable warning warnings alert alerts outdated stale drift drifted disconnected offline \
    fault faulted unsynced desynced exhausted throttled problem problems deadlock insufficient interrupted cancelled canceled \
    overloaded unverified unreconciled unregistered undeployed unprovisioned unattached unassigned \
    fenced deadlocked lagging full loss low irreconcilable unusable unbalanced unready breached \
    recoverable unfulfilled unsatisfied";
const GOOD_NAME: &str = "running ready available healthy succeeded complete valid ok up online active \
    success alive sync reachable exists successful succeeding passing compliant serving listening \
    streaming polling archiving replicating present found quorate functional operational compatible \
    liveness readiness validation connectivity";
const ACTIVITY_NAME: &str = "progressing reconciling pending inprogress progress";
/// A kind whose name ends in one of these runs to an end.
pub(crate) const RUNS: &str = "job run task backup restore snapshot workflow experiment analysis evaluation upgrade migration export \
    import test build execution request operation hook dump scan trial load clone rebalance upload download transfer \
    initializer repair action rollback rotation replay benchmark capture verification drain reboot copy failover \
    switchover simulation compaction traceflow";
/// Of what runs to an end, these are said before it.
pub(crate) const RUN_BEGINS: &str = "accepted active validated allocated created enabled live alive online up connected attached \
    launched assigned admitted triggered uploaded snapshotted throttled";
/// Of what runs to an end, these are said of the end, and of nothing else.
const RUN_ENDS: &str = "processed finalized restored";
/// The first words of the pairs in [`pair`].
const PAIRS: &str =
    "not still in is are back t could timed no access permission can deadline too non without 0";

/// However it goes on, a word that begins so is about a failure.
pub(crate) const HARD_STEMS: [&str; 12] = [
    "abort",
    "fail",
    "error",
    "crash",
    "backoff",
    "invalid",
    "reject",
    "denied",
    "exceeded",
    "forbidden",
    "unauthor",
    "misconfig",
];
pub(crate) const BROKEN_STEMS: [&str; 6] = ["fail", "error", "crash", "backoff", "conflict", "violat"];

/// What is known of a word.
#[derive(Clone, Copy, Default)]
pub(crate) struct Word {
    marks: u16,
    /// What it means as a state.
    state: Option<Health>,
}

macro_rules! marks {
    ($($name:ident = $bit:expr, $method:ident, $words:expr;)*) => {
        $(const $name: u16 = 1 << $bit;)*
        const MARKS: &[(u16, &str)] = &[$(($name, $words)),*];
        impl Word { $(pub(crate) fn $method(self) -> bool { self.marks & $name != 0 })* }
    };
}

marks! {
    MARK_BROKEN = 0, is_broken, BROKEN;
    MARK_UNDER_WAY = 1, is_under_way, UNDER_WAY;
    MARK_NO_ACTIVITY = 2, is_no_activity, NO_ACTIVITY;
    MARK_AT_REST = 3, is_at_rest, AT_REST;
    MARK_DONE = 4, is_done, DONE;
    MARK_AWAITED = 5, is_awaited, AWAITED;
    MARK_BAD_NAME = 6, is_bad_name, BAD_NAME;
    MARK_GOOD_NAME = 7, is_good_name, GOOD_NAME;
    MARK_ACTIVITY_NAME = 8, is_activity_name, ACTIVITY_NAME;
    MARK_RUNS = 9, runs, RUNS;
    MARK_PAIR = 10, begins_a_pair, PAIRS;
    MARK_RUN_BEGINS = 11, begins_a_run, RUN_BEGINS;
    MARK_RUN_ENDS = 12, ends_a_run, RUN_ENDS;
}

impl Word {
    /// What it means as a state, where that is known.
    pub(crate) fn means(self) -> Option<Health> {
        self.state
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

type Words = HashMap<&'static str, Word, BuildHasherDefault<Fnv>>;

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words::default();
    for (mark, list) in MARKS {
        for word in list.split_whitespace() {
            words.entry(word).or_default().marks |= mark;
        }
    }
    let states = [
        (Health::Healthy, HEALTHY),
        (Health::Degraded, DEGRADED),
        (Health::Progressing, PROGRESSING),
        (Health::Suspended, SUSPENDED),
        (Health::Unknown, UNKNOWN),
        (Health::Missing, MISSING),
    ];
    for (health, list) in states {
        for word in list.split_whitespace() {
            words.entry(word).or_default().state = Some(health);
        }
    }
    words
});

/// What is known of a word in lower case.
pub(crate) fn word(text: &str) -> Word {
    WORDS.get(text).copied().unwrap_or_default()
}

/// What is done about a failure is none.
fn is_recovery(text: &str) -> bool {
    matches!(text, "failover" | "failback" | "failsafe")
}

/// Whether a word in lower case is about a failure, whatever stands around it.
pub(crate) fn is_hard(text: &str) -> bool {
    text == "err" || !is_recovery(text) && HARD_STEMS.iter().any(|stem| text.starts_with(stem))
}

/// Whether a word in lower case speaks of something broken.
pub(crate) fn is_broken(text: &str, known: Word) -> bool {
    known.is_broken() || !is_recovery(text) && BROKEN_STEMS.iter().any(|stem| text.starts_with(stem))
}

/// Whether a word in lower case says that something is being done.
pub(crate) fn is_activity(text: &str, known: Word) -> bool {
    text.len() > 5 && text.ends_with("ing") && !known.is_no_activity()
}
