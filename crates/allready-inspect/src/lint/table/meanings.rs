//! O10 to O18: what the conditions of one object say together.

use crate::lint::{Rule, Scope::Object, Severity};

pub(in crate::lint) const MEANINGS: &[Rule] = &[
    Rule {
        id: "O10",
        title: "there is a top condition",
        severity: Severity::Warning,
        scope: Object,
        rationale: "Generic tools, from `kubectl wait` to GitOps controllers, ask one condition whether all is well. \
                    Without `Ready`, `Succeeded` or a declared one of another name they guess.",
        fix: "Compute a Ready (or Succeeded, for what ends), or declare the top condition: annotation \
              `allready.dev/conditions: \"Available: Synced\"`.",
        bad: "conditions:\n- {type: Synced, status: \"True\"}",
        good: "conditions:\n- {type: Synced, status: \"True\"}\n- {type: Ready, status: \"True\"}",
    },
    Rule {
        id: "O11",
        title: "the top condition agrees with what it is computed from",
        severity: Severity::Warning,
        scope: Object,
        rationale: "A True above something that is broken is the worst thing that a status can say; a False that nothing \
                    explains leaves people searching.",
        fix: "Compute the top condition from the others at the end of every pass, instead of setting it by hand.",
        bad: "conditions:\n- {type: Ready, status: \"True\"}\n- {type: Degraded, status: \"True\"}",
        good: "conditions:\n- {type: Ready, status: \"False\"}\n- {type: Degraded, status: \"True\"}",
    },
    Rule {
        id: "O12",
        title: "Reconciling, Stalled and Ready do not contradict each other",
        severity: Severity::Warning,
        scope: Object,
        rationale: "kstatus takes whichever of Reconciling and Stalled it finds first, so the answer depends on the order of \
                    the list; and with Ready it says that work is done and not done.",
        fix: "Remove Reconciling when a reconcile ends, and set Stalled only when nothing more is tried.",
        bad: "conditions:\n- {type: Reconciling, status: \"True\"}\n- {type: Stalled, status: \"True\"}",
        good: "conditions:\n- {type: Stalled, status: \"True\"}\n- {type: Ready, status: \"False\"}",
    },
    Rule {
        id: "O13",
        title: "the name of a type shows which status of it is good",
        severity: Severity::Warning,
        scope: Object,
        rationale: "No field says whether True is good, so dashboards go by the name, and paint `NotReady: False` red. What \
                    is declared is not guessed.",
        fix: "Name what is good (`Ready`) or what is wrong (`Degraded`), never the negation of either; declare what a name \
              does not show.",
        bad: "type: NotReady",
        good: "type: Ready",
    },
    Rule {
        id: "O14",
        title: "the reason fits the status",
        severity: Severity::Info,
        scope: Object,
        rationale: "True with a reason of failure, or False with one of success, is mostly a line that was copied; whoever \
                    goes by the reason and whoever goes by the status come to different ends.",
        fix: "Set status and reason in the same place, and give every outcome its own reason.",
        bad: "- {type: Ready, status: \"True\", reason: ReconcileFailed}",
        good: "- {type: Ready, status: \"False\", reason: ReconcileFailed}",
    },
    Rule {
        id: "O15",
        title: "a condition that exists only while True is not there as False",
        severity: Severity::Error,
        scope: Object,
        rationale: "The Gateway API forbids OverlappingTLSConfig, PartiallyInvalid and InsecureFrontendValidationMode other \
                    than True; for kstatus, Reconciling and Stalled are there only while they hold.",
        fix: "Remove the condition when it no longer holds.",
        bad: "- {type: PartiallyInvalid, status: \"False\"}",
        good: "# no PartiallyInvalid at all",
    },
    Rule {
        id: "O16",
        title: "Unknown does not last",
        severity: Severity::Warning,
        scope: Object,
        rationale: "Unknown means that somebody is about to find out. When it lasts, nobody is: the controller is not \
                    there, or the default of the schema was never taken over.",
        fix: "Look who should write the condition: `allready owners TYPE/NAME`. For a Gateway: does its GatewayClass exist, \
              and does its controller run?",
        bad: "- {type: Accepted, status: Unknown, reason: Pending, lastTransitionTime: \"1970-01-01T00:00:00Z\"}   # for an hour",
        good: "- {type: Accepted, status: \"True\", reason: Accepted}",
    },
    Rule {
        id: "O17",
        title: "False does not last with the same reason",
        severity: Severity::Info,
        scope: Object,
        rationale: "Nothing in a condition says whether somebody still tries. One that has been False for very long, with \
                    the generation observed, has most likely been given up.",
        fix: "Read the message; when nothing tries any more, a controller should say so with Stalled.",
        bad: "- {type: Ready, status: \"False\", reason: ImagePull, lastTransitionTime: …}   # for three weeks",
        good: "- {type: Ready, status: \"True\"}",
    },
    Rule {
        id: "O18",
        title: "a status does not grow with the cluster",
        severity: Severity::Warning,
        scope: Object,
        rationale: "A condition for each node or child makes one object that everybody writes and everybody has to read \
                    whole, until it is too large to be written. The conventions ask for separate objects.",
        fix: "Give every node or child an object of its own and aggregate: in a Ready, in counts, in the first few names.",
        bad: "conditions:\n- {type: speaker-node1/Valid}\n- {type: speaker-node2/Valid}\n- …",
        good: "conditions:\n- {type: Ready, reason: SpeakersInvalid, message: \"2 of 40 speakers: node1, node2\"}",
    },
];
