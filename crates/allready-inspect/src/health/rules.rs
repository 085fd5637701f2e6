//! The rules by their ids: what each says, and why it is one.

use serde::Serialize;

/// One rule.
///
/// ```
/// use allready_inspect::health::rule;
///
/// assert_eq!(rule("X00").unwrap().rationale, "There is nothing to judge.");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its id, as a verdict names it.
    pub id: &'static str,
    /// What it says, on one line.
    pub text: &'static str,
    /// Why that is right.
    pub rationale: &'static str,
}

const fn is(id: &'static str, text: &'static str, rationale: &'static str) -> Rule {
    Rule { id, text, rationale }
}

const NESTED: &str = "One listener, parent, ancestor or component that is not well makes the whole not well.";

/// In the order in which they are asked; among C, L, P, B and N the worst answer counts.
const RULES: &[Rule] = &[
    is("X00", "Not an object, or without a kind: Unknown.", "There is nothing to judge."),
    is(
        "D01",
        "It is being deleted: Progressing, held by its finalizers.",
        "Leaving is a transition, whatever the status still says.",
    ),
    is(
        "D02",
        "It has been leaving for an hour or more and its status names what is broken: Degraded.",
        "What is broken is probably what holds it.",
    ),
    is(
        "K01",
        "Pod: by containers that cannot start, its phase, and Ready.",
        "Its phase alone calls a crashing container Running.",
    ),
    is(
        "K02",
        "Deployment: deadline and replica failures are Degraded; missing replicas, or not Available, Progressing.",
        "Its counts say how far a rollout is.",
    ),
    is(
        "K03",
        "ReplicaSet: a replica failure is Degraded, missing replicas Progressing.",
        "It has no other opinion.",
    ),
    is("K04", "StatefulSet: by ready replicas and the revision that they run.", "It writes no conditions."),
    is(
        "K05",
        "DaemonSet: by updated and available Pods against the nodes that want one.",
        "It writes no conditions.",
    ),
    is(
        "K06",
        "What runs to an end: by Complete, Failed or Suspended, and Progressing until then.",
        "Only the end tells how it went.",
    ),
    is(
        "K07",
        "CronJob: Degraded when the last run was started after the last that succeeded.",
        "Scheduling is its whole job.",
    ),
    is(
        "K08",
        "Claim and volume: by the phase, and how a growing claim fares; Lost, Failed and refused are Degraded.",
        "Binding is all they do.",
    ),
    is(
        "K09",
        "Service: a load balancer needs an address, every other type is Healthy as it is.",
        "No controller reports on the others.",
    ),
    is("K10", "Ingress: needs an address.", "Controllers report by it."),
    is("K11", "Autoscaler: AbleToScale or ScalingActive False is Degraded.", "It then follows no metric."),
    is(
        "K12",
        "Definition: accepted names, Established, and a structural schema.",
        "Without these its kind is not served as written.",
    ),
    is(
        "K13",
        "Disruption budget: enough healthy Pods, and none that it failed to count.",
        "A budget that counts nothing protects nothing.",
    ),
    is(
        "K14",
        "Node: Ready True, and no other condition True but those that end in Ready or Healthy.",
        "Every other condition of a node is trouble; some agents add ones that must be True.",
    ),
    is(
        "K15",
        "Namespace: Active, and nothing that failed while it was emptied.",
        "Its conditions speak of its end.",
    ),
    is(
        "S01",
        "A switch in the spec asks it to rest (suspend, paused, hibernate, enabled: false): Suspended.",
        "Somebody wants it so.",
    ),
    is(
        "S02",
        "An annotation asks it to rest, or asks its controller not to reconcile: Suspended.",
        "It is the other common place for that wish.",
    ),
    is(
        "E04",
        "A timetable whose status says when it runs and no more: Healthy, unless the last run has not succeeded.",
        "Scheduling is its whole job.",
    ),
    is(
        "E01",
        "Declared to have no status, or to be always so.",
        "Only a declaration may turn silence into good news.",
    ),
    is("E02", "No status, or nothing in it: Progressing.", "It waits for its controller."),
    is(
        "G01",
        "The observed generation is less than the generation: Progressing.",
        "The status is about an older wish.",
    ),
    is(
        "G02",
        "A condition that counts is about an older generation: Progressing. Good parts may be, where a summary speaks of the present one.",
        "What it says may no longer be so.",
    ),
    is(
        "G03",
        "A part, or what it points to, has a newer generation than the one observed: Progressing.",
        "What is said of it is about an older wish.",
    ),
    is("C01", "A condition has its good status: Healthy.", "It says so."),
    is(
        "C02",
        "A condition of which True is good is False: by its declaration, its reason, its message; Degraded without a clue.",
        "False means broken for some and not yet for others, and the reason tells.",
    ),
    is("C03", "A condition of rest is True: Suspended.", "Somebody wants it so."),
    is("C04", "A condition of which True is bad is True: Degraded.", "It exists to say that."),
    is(
        "C05",
        "A condition of activity is True: Progressing, unless its reason says done or failed.",
        "It is on its way.",
    ),
    is(
        "C06",
        "A condition is True with a reason that speaks of a failure: Degraded.",
        "Complete with JobFailed is no success.",
    ),
    is(
        "C07",
        "A condition is Unknown: Progressing, or as declared; Degraded where who reports has gone silent.",
        "Unknown is what it says before it knows.",
    ),
    is(
        "C08",
        "A condition has a status outside of the three: read as a word, else Unknown.",
        "It is not for us to call it good.",
    ),
    is(
        "C09",
        "A condition of unknown meaning is False for a reason that speaks of a failure: Degraded; of waiting: Progressing.",
        "Whatever it is about, it failed, or is not there yet.",
    ),
    is("C10", "The declared summary is missing: Progressing.", "Its parts do not speak for the whole."),
    is(
        "C11",
        "A condition lists errors: Degraded, whatever its status says.",
        "Each of them is a finding of its controller.",
    ),
    is("LC01", "As C01, in a list below the top one.", NESTED),
    is("LC02", "As C02, in a list below the top one.", NESTED),
    is("LC03", "As C03, in a list below the top one.", NESTED),
    is("LC04", "As C04, in a list below the top one.", NESTED),
    is("LC05", "As C05, in a list below the top one.", NESTED),
    is("LC06", "As C06, in a list below the top one.", NESTED),
    is("LC07", "As C07, in a list below the top one.", NESTED),
    is("LC08", "As C08, in a list below the top one.", NESTED),
    is("LC09", "As C09, in a list below the top one.", NESTED),
    is("LC11", "As C11, in a list below the top one.", NESTED),
    is("LG02", "As G02, in a list below the top one.", NESTED),
    is(
        "LX02",
        "A list below the top one has no condition that is understood: Progressing.",
        "It has no summary yet.",
    ),
    is(
        "L01",
        "A listener or parent has no entry in the status, or one without conditions, where others have: Progressing.",
        "What is said for the others is not said for it.",
    ),
    is(
        "P01",
        "A phase, state or status word: as declared, else by its meaning.",
        "Kinds without conditions speak by one word.",
    ),
    is(
        "P03",
        "A good word about a stage or step that is not the last: Progressing.",
        "The success of a step is none of the whole.",
    ),
    is(
        "B01",
        "A boolean: ready false is Progressing, valid false or failed true is Degraded, paused true Suspended.",
        "Typed fields say the same as conditions.",
    ),
    is("B02", "An error text is not empty: Degraded.", "Somebody wrote down a failure."),
    is(
        "B03",
        "A list of failed or unhealthy things is not empty: Degraded; of unready or missing ones: Progressing.",
        "Somebody wrote down a failure.",
    ),
    is(
        "B04",
        "A counter of errors, or of failures in a row, is not zero: Degraded.",
        "Somebody counted a failure.",
    ),
    is(
        "N01",
        "Fewer are ready, available or updated than wanted: Progressing, or as declared.",
        "Counts say how far it is.",
    ),
    is("N02", "A fraction such as 2/3 of what should be ready: Progressing.", "Counts say how far it is."),
    is(
        "N05",
        "A percentage of progress or readiness is below 100: Progressing, unless it is of a kind that runs to an end.",
        "It says how far it is; what runs to an end says by its phase whether it has.",
    ),
    is(
        "N03",
        "Two values that must be equal differ: as declared.",
        "What is there is not what was asked for.",
    ),
    is("N04", "A value that must be there is not: as declared.", "It has not come that far."),
    is(
        "P02",
        "A word, boolean or error of a sub-object or list item; none that rests counts.",
        "Ready often means no more than reconciled.",
    ),
    is(
        "S03",
        "No replicas are wanted, and nothing worse than their absence is said: Suspended.",
        "It was scaled to zero on purpose.",
    ),
    is(
        "S04",
        "All replicas are updated but those that a partition of the rolling update holds back: Suspended.",
        "Somebody wants it to stop there.",
    ),
    is(
        "E05",
        "A declared sign of life is there and nothing else speaks: Healthy.",
        "The kind has no other way to say it.",
    ),
    is(
        "B05",
        "A label or annotation named as a state, result or health says that it failed, and nothing else is bad: Degraded.",
        "Some tools write their findings there.",
    ),
    is(
        "M01",
        "A message that speaks of a failure or of something under way, where nothing else is understood: Degraded or Progressing.",
        "It is no good news, and all there is.",
    ),
    is(
        "X02",
        "There are conditions and none is understood, or an empty list of them: Progressing.",
        "It has no summary yet.",
    ),
    is(
        "E03",
        "The status holds bookkeeping only, or tells when a run began and no end: Progressing.",
        "The controller has not spoken yet.",
    ),
    is("X01", "Nothing in the status is understood: Unknown.", "Never green by default."),
    is(
        "X03",
        "The status is too large to be read in full and what was read is good: Unknown.",
        "What was not read may be bad.",
    ),
    is(
        "X04",
        "A declaration of its kind cannot be read and the rest is good: Unknown.",
        "It may have said that this is bad.",
    ),
];

/// All rules, in the order in which they are asked.
///
/// ```
/// use allready_inspect::health::rules;
/// assert!(rules().iter().all(|rule| !rule.text.is_empty() && !rule.rationale.is_empty()));
/// ```
pub const fn rules() -> &'static [Rule] {
    RULES
}

/// The rule of an id.
///
/// ```
/// use allready_inspect::health::rule;
/// assert_eq!(rule("D01").unwrap().id, "D01");
/// assert!(rule("Z99").is_none());
/// ```
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}
