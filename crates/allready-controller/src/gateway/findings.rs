//! References that nobody answers for, told as Events: what names no class or no parent of ours has no status of ours that could say so.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_gateway::{Engine, Kind, ObjectKey, object::Spec};

/// Something that is wrong with an object and that no status tells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// The object.
    pub(super) object: ObjectKey,
    /// The reason of the Event.
    pub(super) reason: &'static str,
    /// The words of the Event.
    pub(super) message: String,
}

/// The time between two looks: each looks at every object.
const PAUSE: Duration = Duration::from_secs(5);
/// The time for which a reference has to dangle before that is told: objects of one file are made in any order.
const HOLD: Duration = Duration::from_secs(5);
/// The time that a controller has to answer its class.
const PATIENCE: Duration = Duration::from_mins(1);

const NO_CONTROLLER: &str = "NoController";

impl Finding {
    fn hold(&self) -> Duration {
        if self.reason == NO_CONTROLLER { PATIENCE } else { HOLD }
    }
}

/// The findings, each with the time since when, and whether it was told.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: BTreeMap<Finding, (Duration, bool)>,
    dangling: usize,
    looked: Option<Duration>,
    is_changed: bool,
    /// When the next of them has lasted long enough.
    ripe: Option<Duration>,
}

impl Findings {
    /// Something may be found that was not there before, or be no more.
    pub(super) fn changed(&mut self) {
        self.is_changed = true;
    }

    /// Looks, if something changed and the last look is long enough ago. Returns the findings that are to be told, or not any more, and
    /// when to look again.
    pub(super) fn look(&mut self, engine: &Engine, now: Duration) -> (BTreeSet<Finding>, Option<Duration>) {
        let mut due = BTreeSet::new();
        if self.is_changed {
            let next = self.looked.map_or(now, |looked| looked + PAUSE);
            if now < next {
                // It may not be so any more: nothing is told before the next look.
                return (due, Some(next));
            }
            (self.looked, self.is_changed) = (Some(now), false);
            let mut before = std::mem::take(&mut self.found);
            for finding in find(engine) {
                let since = before.remove(&finding).unwrap_or((now, false));
                self.found.insert(finding, since);
            }
            due.extend(before.into_keys());
            self.dangling = self.found.keys().filter(|finding| finding.reason != NO_CONTROLLER).count();
        } else if self.ripe.is_none_or(|ripe| now < ripe) {
            return (due, self.ripe);
        }
        self.ripe = None;
        for (finding, (since, is_told)) in &self.found {
            let ripe = *since + finding.hold();
            if !is_told && ripe <= now {
                due.insert(finding.clone());
            } else if !is_told {
                self.ripe = Some(self.ripe.map_or(ripe, |next| next.min(ripe)));
            }
        }
        (due, self.ripe)
    }

    /// Tells whether a finding still stands and is to be told.
    pub(super) fn is_due(&self, finding: &Finding, now: Duration) -> bool {
        self.found.get(finding).is_some_and(|(since, is_told)| !is_told && *since + finding.hold() <= now)
    }

    /// Takes note that a finding was told.
    pub(super) fn told(&mut self, finding: &Finding) {
        if let Some((_, is_told)) = self.found.get_mut(finding) {
            *is_told = true;
        }
    }

    /// The number of references to what does not exist.
    pub(super) fn dangling(&self) -> usize {
        self.dangling
    }
}

fn find(engine: &Engine) -> impl Iterator<Item = Finding> {
    let dangling = engine.dangling().into_iter().map(|dangling| {
        let is_class = dangling.missing.kind == Kind::GatewayClass;
        let reason = if is_class { "NoSuchGatewayClass" } else { "NoSuchParent" };
        Finding { message: dangling.to_string(), object: dangling.object, reason }
    });
    let classes = engine.unanswered_classes().filter_map(|class| {
        let Spec::GatewayClass(spec) = &class.spec else { return None };
        let message = format!(
            "no controller has answered for {:?} within {} seconds: is it running, and may it write the status?",
            spec.controller_name,
            PATIENCE.as_secs()
        );
        Some(Finding { object: class.key.clone(), reason: NO_CONTROLLER, message })
    });
    dangling.chain(classes)
}
