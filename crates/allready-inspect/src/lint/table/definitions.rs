//! C: what the schema of a definition says about conditions.

use crate::lint::{Rule, Scope::Definition, Severity};

pub(in crate::lint) const DEFINITIONS: &[Rule] = &[
    Rule {
        id: "C01",
        title: "a list of conditions is a map with the key `type`",
        severity: Severity::Warning,
        scope: Definition,
        rationale: "Without it the list has one owner: whoever applies one condition drops those of everybody else, and \
                    nothing keeps a type from being listed twice.",
        fix: "Say `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys: [type]` (in Go: `+listType=map`, \
              `+listMapKey=type`).",
        bad: "conditions:\n  type: array\n  items: {…}",
        good: "conditions:\n  type: array\n  x-kubernetes-list-type: map\n  x-kubernetes-list-map-keys: [type]\n  items: {…}",
    },
    Rule {
        id: "C02",
        title: "a condition has the fields, limits and patterns of metav1.Condition",
        severity: Severity::Error,
        scope: Definition,
        rationale: "With the standard schema the server refuses what readers cannot understand: a status of `Yes`, an empty \
                    reason, a condition without a time.",
        fix: "Use metav1.Condition for the items, or write its limits into the schema; `allready lint --fix` does.",
        bad: "items:\n  properties:\n    type: {type: string}\n    status: {type: boolean}",
        good: "items:\n  required: [lastTransitionTime, message, reason, status, type]\n  properties:\n    status: {type: \
               string, enum: [\"True\", \"False\", Unknown]}\n    reason: {type: string, minLength: 1, maxLength: 1024, pattern: …}",
    },
    Rule {
        id: "C03",
        title: "conditions carry observedGeneration, and it is a number",
        severity: Severity::Error,
        scope: Definition,
        rationale: "Without it nobody can tell a True about the last spec from a True about this one. As a text it makes \
                    kstatus, and with it Helm and Flux, fail or wait for ever.",
        fix: "Give the items `observedGeneration: {type: integer, format: int64, minimum: 0}`, and make that of the status \
              an integer.",
        bad: "status:\n  properties:\n    observedGeneration: {type: string}",
        good: "status:\n  properties:\n    observedGeneration: {type: integer, format: int64}",
    },
    Rule {
        id: "C04",
        title: "a version with a status has the status subresource",
        severity: Severity::Warning,
        scope: Definition,
        rationale: "Without it every write of the status is a write of the object: it counts the generation up, so that \
                    observedGeneration never catches up, and whoever may edit the spec may edit the status.",
        fix: "Say `subresources: {status: {}}` (in Go: `+kubebuilder:subresource:status`).",
        bad: "versions:\n- name: v1\n  schema: {…with a status…}",
        good: "versions:\n- name: v1\n  subresources: {status: {}}\n  schema: {…with a status…}",
    },
    Rule {
        id: "C05",
        title: "columns show status and reason of the top condition",
        severity: Severity::Info,
        scope: Definition,
        rationale: "`kubectl get` is where people look first. A kind that shows only its age there makes them open every \
                    object.",
        fix: "Add columns for `.status.conditions[?(@.type==\"Ready\")].status` and `.reason`, or those of the kind's own \
              top condition.",
        bad: "additionalPrinterColumns:\n- {name: Age, type: date, jsonPath: .metadata.creationTimestamp}",
        good: "additionalPrinterColumns:\n- {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].status'}\n\
               - {name: Reason, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].reason'}",
    },
    Rule {
        id: "C06",
        title: "a phase is not the only thing that a status says",
        severity: Severity::Warning,
        scope: Definition,
        rationale: "A phase is one word for many things: new values break its readers, and it has neither reason, time nor \
                    generation. The API conventions have given it up for conditions.",
        fix: "Add `conditions` to the status; a phase may stay beside them.",
        bad: "status:\n  properties:\n    phase: {type: string, enum: [Pending, Running]}",
        good: "status:\n  properties:\n    phase: {type: string}\n    conditions: {…}",
    },
    Rule {
        id: "C07",
        title: "a default for a condition is Unknown, with a reason such as Pending",
        severity: Severity::Warning,
        scope: Definition,
        rationale: "A default is written before any controller has looked: True would be a lie, and False would be one as \
                    well.",
        fix: "Make the default Unknown with reason Pending, or leave it out.",
        bad: "default:\n- {type: Ready, status: \"True\", reason: Default, message: \"\", lastTransitionTime: \
              \"1970-01-01T00:00:00Z\"}",
        good: "default:\n- {type: Ready, status: Unknown, reason: Pending, message: Waiting for controller, \
               lastTransitionTime: \"1970-01-01T00:00:00Z\"}",
    },
    Rule {
        id: "C08",
        title: "maxItems leaves room for every known type, and nested lists are bounded",
        severity: Severity::Error,
        scope: Definition,
        rationale: "At the limit the server refuses the whole status, and then nothing is reported at all. Lists within \
                    lists that nothing bounds multiply, up to the size limit of an object.",
        fix: "Raise maxItems to at least the number of types, with room for those of others; bound the outer list.",
        bad: "conditions:\n  maxItems: 1\n  default: [{type: Accepted, …}, {type: Programmed, …}]",
        good: "conditions:\n  maxItems: 8\n  default: [{type: Accepted, …}, {type: Programmed, …}]",
    },
];
