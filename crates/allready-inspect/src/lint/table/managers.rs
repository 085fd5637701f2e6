//! M: who writes which condition.

use crate::lint::{Rule, Scope::Object, Severity};

pub(in crate::lint) const MANAGERS: &[Rule] = &[
    Rule {
        id: "M01",
        title: "a condition has one writer",
        severity: Severity::Warning,
        scope: Object,
        rationale: "Two managers of one condition overwrite each other, or agree by accident. A manager that owns the list \
                    as a whole removes what others put there.",
        fix: "One manager for each condition, with server-side apply; give the list the key `type` in the schema (C01).",
        bad: "managedFields: a and b both own status.conditions[type=Ready].status",
        good: "managedFields: a owns Ready, b owns Synced",
    },
    Rule {
        id: "M02",
        title: "a condition is about something that still exists",
        severity: Severity::Warning,
        scope: Object,
        rationale: "What a node or a component wrote stays when it is gone: nobody is left to take it back, and it counts \
                    as good or bad for ever. The same goes for the entry of a parent that a route no longer names.",
        fix: "Remove it: `allready sweep --dry-run` shows what would go.",
        bad: "conditions:\n- {type: speaker-node9/Valid}   # there is no node9",
        good: "conditions:\n- {type: speaker-node1/Valid}",
    },
];
