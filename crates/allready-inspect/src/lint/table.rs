//! The table of rules: one row each, with the id, how bad its worst breach is, what it looks at, what must hold, why, what to do, and an
//! excerpt that breaks it and one that does not.

use super::{Rule, Scope, Severity};

macro_rules! rules {
    ($($id:literal $severity:ident $scope:ident $title:literal $rationale:literal $fix:literal $bad:literal $good:literal;)*) => {
        pub(super) const RULES: &[Rule] = &[$(Rule {
            id: $id,
            title: $title,
            severity: Severity::$severity,
            scope: Scope::$scope,
            rationale: $rationale,
            fix: $fix,
            bad: $bad,
            good: $good,
        }),*];
    };
}

rules! {
    // C: the schema of a definition.
    "C01" Warning Definition "a list of conditions is a map with the key `type`"
        "Without it the list has one owner: whoever applies one condition drops those of everybody else, and nothing keeps a type from being \
         listed twice."
        "Say `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys: [type]` (in Go: `+listType=map`, `+listMapKey=type`)."
        "conditions:\n  type: array\n  items: {…}"
        "conditions:\n  type: array\n  x-kubernetes-list-type: map\n  x-kubernetes-list-map-keys: [type]\n  items: {…}";
    "C02" Error Definition "a condition has the fields, limits and patterns of metav1.Condition"
        "With the standard schema the server refuses what readers cannot understand: a status of `Yes`, an empty reason, a condition without \
         a time."
        "Use metav1.Condition for the items, or write its limits into the schema; `allready lint --fix` does."
        "items:\n  properties:\n    type: {type: string}\n    status: {type: boolean}"
        "items:\n  required: [lastTransitionTime, message, reason, status, type]\n  properties:\n    status: {type: string, enum: [\"True\", \
         \"False\", Unknown]}\n    reason: {type: string, minLength: 1, maxLength: 1024, pattern: …}";
    "C03" Error Definition "conditions carry observedGeneration, and it is a number"
        "Without it nobody can tell a True about the last spec from a True about this one. As a text it makes kstatus, and with it Helm and \
         Flux, fail or wait for ever."
        "Give the items `observedGeneration: {type: integer, format: int64, minimum: 0}`, and make that of the status an integer."
        "status:\n  properties:\n    observedGeneration: {type: string}"
        "status:\n  properties:\n    observedGeneration: {type: integer, format: int64}";
    "C04" Warning Definition "a version with a status has the status subresource"
        "Without it every write of the status is a write of the object: it counts the generation up, so that observedGeneration never catches \
         up, and whoever may edit the spec may edit the status."
        "Say `subresources: {status: {}}` (in Go: `+kubebuilder:subresource:status`)."
        "versions:\n- name: v1\n  schema: {…with a status…}"
        "versions:\n- name: v1\n  subresources: {status: {}}\n  schema: {…with a status…}";
    "C05" Info Definition "columns show status and reason of the top condition"
        "`kubectl get` is where people look first. A kind that shows only its age there makes them open every object."
        "Add columns for `.status.conditions[?(@.type==\"Ready\")].status` and `.reason`, or those of the kind's own top condition."
        "additionalPrinterColumns:\n- {name: Age, type: date, jsonPath: .metadata.creationTimestamp}"
        "additionalPrinterColumns:\n- {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].status'}\n- {name: \
         Reason, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].reason'}";
    "C06" Warning Definition "a phase is not the only thing that a status says"
        "A phase is one word for many things: new values break its readers, and it has neither reason, time nor generation. The API \
         conventions have given it up for conditions."
        "Add `conditions` to the status; a phase may stay beside them."
        "status:\n  properties:\n    phase: {type: string, enum: [Pending, Running]}"
        "status:\n  properties:\n    phase: {type: string}\n    conditions: {…}";
    "C07" Warning Definition "a default for a condition is Unknown, with a reason such as Pending"
        "A default is written before any controller has looked: True would be a lie, and False would be one as well."
        "Make the default Unknown with reason Pending, or leave it out."
        "default:\n- {type: Ready, status: \"True\", reason: Default, message: \"\", lastTransitionTime: \"1970-01-01T00:00:00Z\"}"
        "default:\n- {type: Ready, status: Unknown, reason: Pending, message: Waiting for controller, lastTransitionTime: \
         \"1970-01-01T00:00:00Z\"}";
    "C08" Error Definition "maxItems leaves room for every known type, and nested lists are bounded"
        "At the limit the server refuses the whole status, and then nothing is reported at all. Lists within lists that nothing bounds \
         multiply, up to the size limit of an object."
        "Raise maxItems to at least the number of types, with room for those of others; bound the outer list."
        "conditions:\n  maxItems: 1\n  default: [{type: Accepted, …}, {type: Programmed, …}]"
        "conditions:\n  maxItems: 8\n  default: [{type: Accepted, …}, {type: Programmed, …}]";

    // O: the conditions of one object.
    "O01" Error Object "a type is listed once"
        "The type is the key of the list. Readers take the first of two, or the last, so that one object is ready for one tool and not for \
         another."
        "Find by type and update, never append; make the list a map in the schema (C01), so that the server refuses it."
        "conditions:\n- {type: Ready, status: \"True\"}\n- {type: Ready, status: \"False\"}"
        "conditions:\n- {type: Ready, status: \"False\"}";
    "O02" Error Object "a type is PascalCase, with an optional DNS prefix"
        "Types are API: they are typed into `kubectl wait` and into other people's code. A name for a state (`Deployed`) also says what True \
         means, where one for an action (`Deploy`) does not."
        "Rename it, and keep the old name beside the new one for a release."
        "type: my_condition"
        "type: example.com/MyCondition";
    "O03" Error Object "a status is True, False or Unknown"
        "These three texts are all that readers know. Without quotes, YAML makes a boolean of `True`."
        "Write one of the three, in quotes."
        "status: True      # a boolean"
        "status: \"True\"";
    "O04" Error Object "a reason is one CamelCase word"
        "A reason is for programs: it is compared, counted and made a label of a metric. The standard schema refuses an empty one and \
         everything but letters, digits, `_`, `,` and `:`; sentences and names of objects make a new value for every object."
        "Use one word of a fixed set; what is particular belongs into the message."
        "reason: \"pod web-7f9c failed\""
        "reason: PodFailed\nmessage: pod web-7f9c failed";
    "O05" Error Object "a message says what is wrong, and stays the same while that does"
        "Without a message people have to read logs. With a time or a random id in it every reconcile writes the object anew, and wakes \
         everybody who watches it. Over 32768 bytes the server refuses it."
        "Say what is wrong and what to do, in a stable order, without times and ids of attempts; cut what is long."
        "message: \"\""
        "message: \"secret shop/tls does not exist\"";
    "O06" Error Object "lastTransitionTime is a time between creation and now"
        "Ages, grace periods and timeouts are counted from it. A zero or a future time makes them wrong without a word."
        "Set it to the present when the status changes, and only then."
        "lastTransitionTime: null"
        "lastTransitionTime: \"2026-03-01T10:00:00Z\"";
    "O07" Error Object "observedGeneration is one that the object has had"
        "A generation that is still to come can only be that of another object. One that differs from the status's own, under a top condition \
         that is True, was not renewed with the rest."
        "Take metadata.generation of the object that was reconciled, once per pass, for everything that is written."
        "metadata: {generation: 3}\nstatus:\n  conditions:\n  - {type: Ready, observedGeneration: 7}"
        "metadata: {generation: 3}\nstatus:\n  conditions:\n  - {type: Ready, observedGeneration: 3}";
    "O08" Warning Object "observedGeneration does not stay behind"
        "The status is about an older spec, and has been for long: the controller is down, or it returns early without writing the status. \
         Since when is read from the managed fields of the object, or watched."
        "Look whether the controller runs; in its code, write the status on every way out of a reconcile."
        "metadata: {generation: 4}\nstatus: {observedGeneration: 3}   # for an hour"
        "metadata: {generation: 4}\nstatus: {observedGeneration: 4}";
    "O09" Warning Object "conditions of an object that has changed say which generation they are about"
        "Without a generation, or with 0, a True from before the change looks like a True about it."
        "Set observedGeneration to metadata.generation whenever a condition is set."
        "metadata: {generation: 5}\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\"}"
        "metadata: {generation: 5}\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\", observedGeneration: 5}";
    "O10" Warning Object "there is a top condition"
        "Generic tools, from `kubectl wait` to GitOps controllers, ask one condition whether all is well. Without `Ready`, `Succeeded` or a \
         declared one of another name they guess."
        "Compute a Ready (or Succeeded, for what ends), or declare the top condition: annotation `allready.dev/conditions: \"Available: \
         Synced\"`."
        "conditions:\n- {type: Synced, status: \"True\"}"
        "conditions:\n- {type: Synced, status: \"True\"}\n- {type: Ready, status: \"True\"}";
    "O11" Warning Object "the top condition agrees with what it is computed from"
        "A True above something that is broken is the worst thing that a status can say; a False that nothing explains leaves people \
         searching."
        "Compute the top condition from the others at the end of every pass, instead of setting it by hand."
        "conditions:\n- {type: Ready, status: \"True\"}\n- {type: Degraded, status: \"True\"}"
        "conditions:\n- {type: Ready, status: \"False\"}\n- {type: Degraded, status: \"True\"}";
    "O12" Warning Object "Reconciling, Stalled and Ready do not contradict each other"
        "kstatus takes whichever of Reconciling and Stalled it finds first, so the answer depends on the order of the list; and with Ready it \
         says that work is done and not done."
        "Remove Reconciling when a reconcile ends, and set Stalled only when nothing more is tried."
        "conditions:\n- {type: Reconciling, status: \"True\"}\n- {type: Stalled, status: \"True\"}"
        "conditions:\n- {type: Stalled, status: \"True\"}\n- {type: Ready, status: \"False\"}";
    "O13" Warning Object "the name of a type shows which status of it is good"
        "No field says whether True is good, so dashboards go by the name, and paint `NotReady: False` red. What is declared is not guessed."
        "Name what is good (`Ready`) or what is wrong (`Degraded`), never the negation of either; declare what a name does not show."
        "type: NotReady"
        "type: Ready";
    "O14" Info Object "the reason fits the status"
        "True with a reason of failure, or False with one of success, is mostly a line that was copied; whoever goes by the reason and \
         whoever goes by the status come to different ends."
        "Set status and reason in the same place, and give every outcome its own reason."
        "- {type: Ready, status: \"True\", reason: ReconcileFailed}"
        "- {type: Ready, status: \"False\", reason: ReconcileFailed}";
    "O15" Error Object "a condition that exists only while True is not there as False"
        "The Gateway API forbids OverlappingTLSConfig, PartiallyInvalid and InsecureFrontendValidationMode other than True; for kstatus, \
         Reconciling and Stalled are there only while they hold."
        "Remove the condition when it no longer holds."
        "- {type: PartiallyInvalid, status: \"False\"}"
        "# no PartiallyInvalid at all";
    "O16" Warning Object "Unknown does not last"
        "Unknown means that somebody is about to find out. When it lasts, nobody is: the controller is not there, or the default of the \
         schema was never taken over."
        "Look who should write the condition: `allready owners TYPE/NAME`. For a Gateway: does its GatewayClass exist, and does its \
         controller run?"
        "- {type: Accepted, status: Unknown, reason: Pending, lastTransitionTime: \"1970-01-01T00:00:00Z\"}   # for an hour"
        "- {type: Accepted, status: \"True\", reason: Accepted}";
    "O17" Info Object "False does not last with the same reason"
        "Nothing in a condition says whether somebody still tries. One that has been False for very long, with the generation observed, has \
         most likely been given up."
        "Read the message; when nothing tries any more, a controller should say so with Stalled."
        "- {type: Ready, status: \"False\", reason: ImagePull, lastTransitionTime: …}   # for three weeks"
        "- {type: Ready, status: \"True\"}";
    "O18" Warning Object "a status does not grow with the cluster"
        "A condition for each node or child makes one object that everybody writes and everybody has to read whole, until it is too large to \
         be written. The conventions ask for separate objects."
        "Give every node or child an object of its own and aggregate: in a Ready, in counts, in the first few names."
        "conditions:\n- {type: speaker-node1/Valid}\n- {type: speaker-node2/Valid}\n- …"
        "conditions:\n- {type: Ready, reason: SpeakersInvalid, message: \"2 of 40 speakers: node1, node2\"}";

    // W: versions of an object, one after the other.
    "W01" Warning Watch "lastTransitionTime stays while the status does"
        "A controller that stamps the time on every pass writes on every pass, is woken by its own write, and never stops. Nobody can tell \
         any more since when something has been so."
        "Compare with what is there, and keep its time unless the status is another."
        "{type: Ready, status: \"True\", lastTransitionTime: 10:00:00} → {…\"True\", lastTransitionTime: 10:00:05}"
        "{type: Ready, status: \"True\", lastTransitionTime: 10:00:00} → the same";
    "W02" Warning Watch "lastTransitionTime moves when the status changes"
        "Otherwise the new status seems as old as the one before, and whatever waits for it to have lasted acts at once."
        "Set the time together with the status."
        "{type: Ready, status: \"True\", lastTransitionTime: 09:00} → {…\"False\", lastTransitionTime: 09:00}"
        "{type: Ready, status: \"True\", lastTransitionTime: 09:00} → {…\"False\", lastTransitionTime: 10:00}";
    "W03" Info Watch "a condition does not flap"
        "One that changes its status many times within minutes wakes people and controllers for nothing; often two writers disagree."
        "Look who writes it (`allready owners`); damp what comes and goes by itself."
        "Ready: True → False → True → False → True → False, in two minutes"
        "Ready: True → False, once";
    "W04" Info Watch "a status is written when it says something new"
        "Every write goes to the store and to everybody who watches. One that changes only times or wording costs the same as one that \
         matters."
        "Compare before writing; keep times of attempts and counters out of the status."
        "resourceVersion 1 → 2 → 3 …, and only lastHeartbeatTime or a message differs"
        "no write";
    "W05" Warning Watch "a condition does not vanish while the object stays"
        "To a reader a condition that is gone is Unknown. Mostly another writer replaced the list with its own."
        "Write only your own conditions, by server-side apply or by changing the list that was read."
        "[Ready, Synced] → [Ready]"
        "[Ready, Synced] → [Ready, Synced]";
    "W06" Warning Watch "what has ended stays ended"
        "Succeeded, Failed and Complete are final: whoever saw one of them True has gone on. One that is taken back for the same spec cannot \
         be relied on."
        "Use Ready for what can come and go; begin anew only with a new generation or a new object."
        "Succeeded: True → False"
        "Succeeded: Unknown → True";

    // M: the writers.
    "M01" Warning Object "a condition has one writer"
        "Two managers of one condition overwrite each other, or agree by accident. A manager that owns the list as a whole removes what \
         others put there."
        "One manager for each condition, with server-side apply; give the list the key `type` in the schema (C01)."
        "managedFields: a and b both own status.conditions[type=Ready].status"
        "managedFields: a owns Ready, b owns Synced";
    "M02" Warning Object "a condition is about something that still exists"
        "What a node or a component wrote stays when it is gone: nobody is left to take it back, and it counts as good or bad for ever. The \
         same goes for the entry of a parent that a route no longer names."
        "Remove it: `allready sweep --dry-run` shows what would go."
        "conditions:\n- {type: speaker-node9/Valid}   # there is no node9"
        "conditions:\n- {type: speaker-node1/Valid}";

    // G: the Gateway API.
    "G01" Error Gateway "Accepted, Programmed and ResolvedRefs are there, each about a generation"
        "The Gateway API asks for them on every Gateway, listener and route parent, always with observedGeneration. What is absent says \
         nothing: not that all is well."
        "Set each of them in every pass, Unknown with reason Pending where it is not known yet."
        "listeners:\n- name: web\n  conditions:\n  - {type: Accepted, status: \"True\"}"
        "listeners:\n- name: web\n  conditions:\n  - {type: Accepted, status: \"True\", observedGeneration: 2}\n  - {type: Programmed, …}\n  \
         - {type: ResolvedRefs, …}";
    "G02" Error Gateway "reserved and withdrawn types are not used"
        "Ready is reserved for a later version with a meaning of its own; Scheduled, Detached and Admitted were replaced by Accepted, and \
         readers do not look at them any more."
        "Use Programmed for what Ready was meant to say, and Accepted for the others."
        "- {type: Ready, status: \"True\"}"
        "- {type: Programmed, status: \"True\"}";
    "G03" Warning Gateway "types and reasons are those of the specification, or prefixed"
        "Tools that work with every implementation know the types and reasons of the specification. A type of one's own without a prefix may \
         get another meaning in the next version."
        "Use a reason of the specification where one fits; give own types a domain: `example.com/Healthy`."
        "- {type: Healthy, status: \"True\"}"
        "- {type: example.com/Healthy, status: \"True\"}";
    "G04" Error Gateway "entries for parents and ancestors are for those that the object names, each once"
        "An entry for a parent that the spec does not name, one that is there twice, or one of a controller that no GatewayClass has, is left \
         over or foreign; readers that take any of them are wrong."
        "Write only entries with your own controllerName, one for each parentRef, and remove what is no longer named."
        "spec: {parentRefs: [{name: a}]}\nstatus: {parents: [{parentRef: {name: a}}, {parentRef: {name: a}}]}"
        "spec: {parentRefs: [{name: a}]}\nstatus: {parents: [{parentRef: {name: a}}]}";
    "G05" Warning Gateway "the status of listeners matches the listeners and the routes"
        "A status for a listener that is gone, or none for one that is there, is about another spec; attachedRoutes that no count confirms \
         hides routes that were dropped."
        "Make the list anew from the spec in every pass, and count the routes whose Accepted is True."
        "spec: {listeners: [{name: web}]}\nstatus: {listeners: [{name: old, attachedRoutes: 3}]}"
        "spec: {listeners: [{name: web}]}\nstatus: {listeners: [{name: web, attachedRoutes: 1}]}";
    "G06" Warning Gateway "a Gateway agrees with its listeners"
        "Accepted with reason Accepted says that every listener is valid; with none valid it must be False. Programmed above listeners none \
         of which is programmed promises traffic that nothing serves."
        "Compute the conditions of the Gateway from those of its listeners; reason ListenersNotValid where some are not valid."
        "conditions: [{type: Programmed, status: \"True\"}]\nlisteners: [{conditions: [{type: Programmed, status: \"False\"}]}]"
        "conditions: [{type: Programmed, status: \"False\", reason: Invalid}]";
    "G07" Warning Gateway "conditions have the names of today, not those of early versions"
        "The first versions of the Gateway API had conditions of which True is bad, such as GatewayNotScheduled and InvalidListeners, and \
         positive ones that were never taken on. Readers of today know none of them, so that bad news goes unread."
        "Write the condition that says the same today; the finding names it."
        "- {type: GatewayNotScheduled, status: \"True\", reason: Pending}"
        "- {type: Accepted, status: Unknown, reason: Pending}";
}
