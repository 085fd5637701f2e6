//! The view of an aggregation into one cluster, and the doubts about it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::Time;

use crate::hub::{Doubt, Link, LinkState, ObjectName};

/// The view of an aggregation into one cluster.
#[derive(Debug, Default)]
pub(in crate::hub) struct View {
    pub(super) began: Duration,
    pub(super) is_listed: bool,
    pub(super) failing: Option<(Duration, Time, Arc<str>)>,
    pub(in crate::hub) doubt: Option<Doubt>,
    pub(super) objects: BTreeSet<ObjectName>,
    /// Objects that an earlier connection saw: what this one does not show in its list is gone.
    pub(super) unconfirmed: BTreeSet<ObjectName>,
    /// Since when connections have been made anew without one that has shown all of its objects.
    pub(super) relisting: Option<Duration>,
}

impl View {
    /// One that has never been heard is not waited for as long as who has fallen silent.
    fn unreachable(link: &Link, unreachable: Duration, patience: Duration) -> Duration {
        if link.is_heard() { unreachable } else { unreachable.min(patience) }
    }

    /// Since when not all of its objects are seen.
    fn incomplete(&self) -> Option<Duration> {
        let first = (!self.is_listed).then_some(self.began);
        // A connection that is made anew does not begin to wait anew.
        let incomplete = first.or(self.relisting);
        let failing = self.failing.as_ref().map(|(since, ..)| *since);
        incomplete.into_iter().chain(failing).min()
    }

    /// The time at which [`doubts`](Self::doubts) may say otherwise, if nothing happens.
    pub(super) fn doubts_at(
        &self,
        link: &Link,
        unreachable: Duration,
        patience: Duration,
        now: Duration,
    ) -> Option<Duration> {
        let lost = link.lost_at(Self::unreachable(link, unreachable, patience));
        let unreadable = self.incomplete().map(|since| since + patience + TICK);
        [Some(lost), unreadable].into_iter().flatten().filter(|at| *at > now).min()
    }

    /// Why it is not believed, if it is not.
    pub(super) fn doubts(
        &self,
        link: &Link,
        unreachable: Duration,
        patience: Duration,
        now: Duration,
    ) -> Option<Doubt> {
        match link.state(Self::unreachable(link, unreachable, patience), now) {
            LinkState::Unreachable { since, why } => return Some(Doubt::Unreachable { since, why }),
            LinkState::Pending if !self.is_listed => return Some(Doubt::Pending),
            LinkState::Pending | LinkState::Reachable => {}
        }
        let since = self.incomplete()?;
        let is_given_up = matches!(self.doubt, Some(Doubt::Unreachable { .. } | Doubt::Unreadable { .. }));
        // Who is doubted is believed again when all of its objects are seen, and not before.
        if now.saturating_sub(since) > patience || is_given_up {
            let (since, why) = match &self.failing {
                Some((_, when, why)) => (Some(*when), Arc::clone(why)),
                None => (None, "its objects are still being listed".into()),
            };
            return Some(Doubt::Unreadable { since, why });
        }
        (!self.is_listed).then_some(Doubt::Pending)
    }
}

/// The time by which later than a limit that must be exceeded something is looked at.
const TICK: Duration = Duration::from_millis(1);

/// Returns true if it is still the same silence: that its cause is told in other words each time is no news.
pub(super) fn is_the_same_silence(before: Option<&Doubt>, now: Option<&Doubt>) -> bool {
    match (before, now) {
        (Some(Doubt::Unreachable { since: before, .. }), Some(Doubt::Unreachable { since, .. }))
        | (Some(Doubt::Unreadable { since: before, .. }), Some(Doubt::Unreadable { since, .. })) => {
            before == since
        }
        _ => false,
    }
}
