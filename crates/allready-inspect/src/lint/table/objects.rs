//! O01 to O09: the fields of the conditions of one object.

use crate::lint::{Rule, Scope::Object, Severity};

pub(in crate::lint) const OBJECTS: &[Rule] = &[
    Rule {
        id: "O01",
        title: "a type is listed once",
        severity: Severity::Error,
        scope: Object,
        rationale: "The type is the key of the list. Readers take the first of two, or the last, so that one object is ready \
                    for one tool and not for another.",
        fix: "Find by type and update, never append; make the list a map in the schema (C01), so that the server refuses it.",
        bad: "conditions:\n- {type: Ready, status: \"True\"}\n- {type: Ready, status: \"False\"}",
        good: "conditions:\n- {type: Ready, status: \"False\"}",
    },
    Rule {
        id: "O02",
        title: "a type is PascalCase, with an optional DNS prefix",
        severity: Severity::Error,
        scope: Object,
        rationale: "Types are API: they are typed into `kubectl wait` and into other people's code. A name for a state \
                    (`Deployed`) also says what True means, where one for an action (`Deploy`) does not.",
        fix: "Rename it, and keep the old name beside the new one for a release.",
        bad: "type: my_condition",
        good: "type: example.com/MyCondition",
    },
    Rule {
        id: "O03",
        title: "a status is True, False or Unknown",
        severity: Severity::Error,
        scope: Object,
        rationale: "These three texts are all that readers know. Without quotes, YAML makes a boolean of `True`.",
        fix: "Write one of the three, in quotes.",
        bad: "status: True      # a boolean",
        good: "status: \"True\"",
    },
    Rule {
        id: "O04",
        title: "a reason is one CamelCase word",
        severity: Severity::Error,
        scope: Object,
        rationale: "A reason is for programs: it is compared, counted and made a label of a metric. The standard schema \
                    refuses an empty one and everything but letters, digits, `_`, `,` and `:`; sentences and names of \
                    objects make a new value for every object.",
        fix: "Use one word of a fixed set; what is particular belongs into the message.",
        bad: "reason: \"pod web-7f9c failed\"",
        good: "reason: PodFailed\nmessage: pod web-7f9c failed",
    },
    Rule {
        id: "O05",
        title: "a message says what is wrong, and stays the same while that does",
        severity: Severity::Error,
        scope: Object,
        rationale: "Without a message people have to read logs. With a time or a random id in it every reconcile writes the \
                    object anew, and wakes everybody who watches it. Over 32768 bytes the server refuses it.",
        fix: "Say what is wrong and what to do, in a stable order, without times and ids of attempts; cut what is long.",
        bad: "message: \"\"",
        good: "message: \"secret shop/tls does not exist\"",
    },
    Rule {
        id: "O06",
        title: "lastTransitionTime is a time between creation and now",
        severity: Severity::Error,
        scope: Object,
        rationale: "Ages, grace periods and timeouts are counted from it. A zero or a future time makes them wrong without \
                    a word.",
        fix: "Set it to the present when the status changes, and only then.",
        bad: "lastTransitionTime: null",
        good: "lastTransitionTime: \"2026-03-01T10:00:00Z\"",
    },
    Rule {
        id: "O07",
        title: "observedGeneration is one that the object has had",
        severity: Severity::Error,
        scope: Object,
        rationale: "A generation that is still to come can only be that of another object. One that differs from the \
                    status's own, under a top condition that is True, was not renewed with the rest.",
        fix: "Take metadata.generation of the object that was reconciled, once per pass, for everything that is written.",
        bad: "metadata: {generation: 3}\nstatus:\n  conditions:\n  - {type: Ready, observedGeneration: 7}",
        good: "metadata: {generation: 3}\nstatus:\n  conditions:\n  - {type: Ready, observedGeneration: 3}",
    },
    Rule {
        id: "O08",
        title: "observedGeneration does not stay behind",
        severity: Severity::Warning,
        scope: Object,
        rationale: "The status is about an older spec, and has been for long: the controller is down, or it returns early \
                    without writing the status. Since when is read from the managed fields of the object, or watched.",
        fix: "Look whether the controller runs; in its code, write the status on every way out of a reconcile.",
        bad: "metadata: {generation: 4}\nstatus: {observedGeneration: 3}   # for an hour",
        good: "metadata: {generation: 4}\nstatus: {observedGeneration: 4}",
    },
    Rule {
        id: "O09",
        title: "conditions of an object that has changed say which generation they are about",
        severity: Severity::Warning,
        scope: Object,
        rationale: "Without a generation, or with 0, a True from before the change looks like a True about it.",
        fix: "Set observedGeneration to metadata.generation whenever a condition is set.",
        bad: "metadata: {generation: 5}\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\"}",
        good: "metadata: {generation: 5}\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\", observedGeneration: 5}",
    },
];
