//! G: what the Gateway API asks for.

use crate::lint::{Rule, Scope::Gateway, Severity};

pub(in crate::lint) const GATEWAY: &[Rule] = &[
    Rule {
        id: "G01",
        title: "Accepted, Programmed and ResolvedRefs are there, each about a generation",
        severity: Severity::Error,
        scope: Gateway,
        rationale: "The Gateway API asks for them on every Gateway, listener and route parent, always with \
                    observedGeneration. What is absent says nothing: not that all is well.",
        fix: "Set each of them in every pass, Unknown with reason Pending where it is not known yet.",
        bad: "listeners:\n- name: web\n  conditions:\n  - {type: Accepted, status: \"True\"}",
        good: "listeners:\n- name: web\n  conditions:\n  - {type: Accepted, status: \"True\", observedGeneration: 2}\n  \
               - {type: Programmed, …}\n  - {type: ResolvedRefs, …}",
    },
    Rule {
        id: "G02",
        title: "reserved and withdrawn types are not used",
        severity: Severity::Error,
        scope: Gateway,
        rationale: "Ready is reserved for a later version with a meaning of its own; Scheduled, Detached and Admitted were \
                    replaced by Accepted, and readers do not look at them any more.",
        fix: "Use Programmed for what Ready was meant to say, and Accepted for the others.",
        bad: "- {type: Ready, status: \"True\"}",
        good: "- {type: Programmed, status: \"True\"}",
    },
    Rule {
        id: "G03",
        title: "types and reasons are those of the specification, or prefixed",
        severity: Severity::Warning,
        scope: Gateway,
        rationale: "Tools that work with every implementation know the types and reasons of the specification. A type of \
                    one's own without a prefix may get another meaning in the next version.",
        fix: "Use a reason of the specification where one fits; give own types a domain: `example.com/Healthy`.",
        bad: "- {type: Healthy, status: \"True\"}",
        good: "- {type: example.com/Healthy, status: \"True\"}",
    },
    Rule {
        id: "G04",
        title: "entries for parents and ancestors are for those that the object names, each once",
        severity: Severity::Error,
        scope: Gateway,
        rationale: "An entry for a parent that the spec does not name, one that is there twice, or one of a controller that \
                    no GatewayClass has, is left over or foreign; readers that take any of them are wrong.",
        fix: "Write only entries with your own controllerName, one for each parentRef, and remove what is no longer named.",
        bad: "spec: {parentRefs: [{name: a}]}\nstatus: {parents: [{parentRef: {name: a}}, {parentRef: {name: a}}]}",
        good: "spec: {parentRefs: [{name: a}]}\nstatus: {parents: [{parentRef: {name: a}}]}",
    },
    Rule {
        id: "G05",
        title: "the status of listeners matches the listeners and the routes",
        severity: Severity::Warning,
        scope: Gateway,
        rationale: "A status for a listener that is gone, or none for one that is there, is about another spec; \
                    attachedRoutes that no count confirms hides routes that were dropped.",
        fix: "Make the list anew from the spec in every pass, and count the routes whose Accepted is True.",
        bad: "spec: {listeners: [{name: web}]}\nstatus: {listeners: [{name: old, attachedRoutes: 3}]}",
        good: "spec: {listeners: [{name: web}]}\nstatus: {listeners: [{name: web, attachedRoutes: 1}]}",
    },
    Rule {
        id: "G06",
        title: "a Gateway agrees with its listeners",
        severity: Severity::Warning,
        scope: Gateway,
        rationale: "Accepted with reason Accepted says that every listener is valid; with none valid it must be False. \
                    Programmed above listeners none of which is programmed promises traffic that nothing serves.",
        fix: "Compute the conditions of the Gateway from those of its listeners; reason ListenersNotValid where some are \
              not valid.",
        bad: "conditions: [{type: Programmed, status: \"True\"}]\nlisteners: [{conditions: [{type: Programmed, status: \"False\"}]}]",
        good: "conditions: [{type: Programmed, status: \"False\", reason: Invalid}]",
    },
    Rule {
        id: "G07",
        title: "conditions have the names of today, not those of early versions",
        severity: Severity::Warning,
        scope: Gateway,
        rationale: "The first versions of the Gateway API had conditions of which True is bad, such as GatewayNotScheduled \
                    and InvalidListeners, and positive ones that were never taken on. Readers of today know none of them, so \
                    that bad news goes unread.",
        fix: "Write the condition that says the same today; the finding names it.",
        bad: "- {type: GatewayNotScheduled, status: \"True\", reason: Pending}",
        good: "- {type: Accepted, status: Unknown, reason: Pending}",
    },
];
