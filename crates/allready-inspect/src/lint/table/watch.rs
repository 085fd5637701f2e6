//! W: what happens to conditions over time.

use crate::lint::{Rule, Scope::Watch, Severity};

pub(in crate::lint) const WATCH: &[Rule] = &[
    Rule {
        id: "W01",
        title: "lastTransitionTime stays while the status does",
        severity: Severity::Warning,
        scope: Watch,
        rationale: "A controller that stamps the time on every pass writes on every pass, is woken by its own write, and \
                    never stops. Nobody can tell any more since when something has been so.",
        fix: "Compare with what is there, and keep its time unless the status is another.",
        bad: "{type: Ready, status: \"True\", lastTransitionTime: 10:00:00} → {…\"True\", lastTransitionTime: 10:00:05}",
        good: "{type: Ready, status: \"True\", lastTransitionTime: 10:00:00} → the same",
    },
    Rule {
        id: "W02",
        title: "lastTransitionTime moves when the status changes",
        severity: Severity::Warning,
        scope: Watch,
        rationale: "Otherwise the new status seems as old as the one before, and whatever waits for it to have lasted acts \
                    at once.",
        fix: "Set the time together with the status.",
        bad: "{type: Ready, status: \"True\", lastTransitionTime: 09:00} → {…\"False\", lastTransitionTime: 09:00}",
        good: "{type: Ready, status: \"True\", lastTransitionTime: 09:00} → {…\"False\", lastTransitionTime: 10:00}",
    },
    Rule {
        id: "W03",
        title: "a condition does not flap",
        severity: Severity::Info,
        scope: Watch,
        rationale: "One that changes its status many times within minutes wakes people and controllers for nothing; often \
                    two writers disagree.",
        fix: "Look who writes it (`allready owners`); damp what comes and goes by itself.",
        bad: "Ready: True → False → True → False → True → False, in two minutes",
        good: "Ready: True → False, once",
    },
    Rule {
        id: "W04",
        title: "a status is written when it says something new",
        severity: Severity::Info,
        scope: Watch,
        rationale: "Every write goes to the store and to everybody who watches. One that changes only times or wording \
                    costs the same as one that matters.",
        fix: "Compare before writing; keep times of attempts and counters out of the status.",
        bad: "resourceVersion 1 → 2 → 3 …, and only lastHeartbeatTime or a message differs",
        good: "no write",
    },
    Rule {
        id: "W05",
        title: "a condition does not vanish while the object stays",
        severity: Severity::Warning,
        scope: Watch,
        rationale: "To a reader a condition that is gone is Unknown. Mostly another writer replaced the list with its own.",
        fix: "Write only your own conditions, by server-side apply or by changing the list that was read.",
        bad: "[Ready, Synced] → [Ready]",
        good: "[Ready, Synced] → [Ready, Synced]",
    },
    Rule {
        id: "W06",
        title: "what has ended stays ended",
        severity: Severity::Warning,
        scope: Watch,
        rationale: "Succeeded, Failed and Complete are final: whoever saw one of them True has gone on. One that is taken \
                    back for the same spec cannot be relied on.",
        fix: "Use Ready for what can come and go; begin anew only with a new generation or a new object.",
        bad: "Succeeded: True → False",
        good: "Succeeded: Unknown → True",
    },
];
