//! The kinds that are watched, and the state of each watch: what cannot be seen must not look healthy.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use crate::health::Health;
use allready_core::Time;
use allready_kube::list_watch::{Store, WatchEvent};

use super::record::{Place, Record};

/// One kind of objects, with what was last seen of each.
#[derive(Debug)]
pub struct Kind {
    /// Its API group; empty for the core one.
    pub group: String,
    /// `Deployment`.
    pub name: String,
    /// `deployments`.
    pub plural: String,
    /// The state of its watch.
    pub stage: Stage,
    /// Its objects. From the first list that was complete on, what appears is news.
    pub objects: Store<Arc<Place>, Record>,
}

/// The state of the watch of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is not known yet what there is.
    Listing,
    /// Everything was listed; the watch is being opened.
    Opening,
    /// Changes are seen as they happen.
    Watching,
    /// Nothing is seen, for this reason, since this time.
    Failing {
        /// The reason.
        why: String,
        /// The time at which it began.
        since: Time,
    },
    /// It is not served any more.
    Retired,
}

impl Kind {
    /// A kind of which nothing is known yet.
    pub fn new(group: &str, name: &str, plural: &str) -> Self {
        Self {
            group: group.to_owned(),
            name: name.to_owned(),
            plural: plural.to_owned(),
            stage: Stage::Listing,
            objects: Store::new(Duration::ZERO),
        }
    }

    /// Takes an event of its list-watch in.
    pub fn apply(&mut self, event: WatchEvent<Arc<Place>, Record>) {
        // The model knows by its clock for how long a kind has been failing.
        self.objects.apply(event, Duration::ZERO);
    }

    /// Its name in a sentence: `deployments.apps`.
    pub fn full_name(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// Returns true if everything of it is known, and changes are seen.
    pub fn is_seen(&self) -> bool {
        self.objects.is_synced() && self.stage == Stage::Watching
    }

    /// Returns true if what is shown of it may be out of date.
    pub fn is_failing(&self) -> bool {
        matches!(self.stage, Stage::Failing { .. })
    }
}

/// The number of kinds that are watched, of those that there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// All kinds.
    pub kinds: usize,
    /// Those that are seen.
    pub watching: usize,
    /// Those that cannot be seen.
    pub failing: usize,
    /// Groups of the API of which not even the kinds are known.
    pub blind: usize,
    /// The reason why declarations of definitions are not known, so that a verdict may be too good.
    pub undeclared: Option<String>,
    /// One of the reasons.
    pub why: Option<String>,
    /// For how long nothing was heard of the server, and why: `14s: it does not answer`.
    pub silence: Option<String>,
}

impl Coverage {
    /// The coverage of these kinds, and of groups of which nothing is known.
    pub fn of(kinds: &[Kind], blind: &[String]) -> Self {
        let served = || kinds.iter().filter(|kind| kind.stage != Stage::Retired);
        Self {
            kinds: served().count(),
            watching: served().filter(|kind| kind.is_seen()).count(),
            failing: served().filter(|kind| kind.is_failing()).count(),
            blind: blind.len(),
            why: why(kinds).or_else(|| blind.first().cloned()),
            undeclared: None,
            silence: None,
        }
    }

    /// Returns true if nothing can be wrong that is not shown.
    pub fn is_complete(&self) -> bool {
        self.kinds > 0 && self.watching == self.kinds && !self.has_gaps()
    }

    /// Returns true if something cannot be seen, rather than not yet.
    pub fn has_gaps(&self) -> bool {
        self.failing > 0 || self.blind > 0 || self.silence.is_some() || self.undeclared.is_some()
    }

    /// `watching 41 of 43 kinds; 2 failing (pods: forbidden)`.
    pub fn text(&self) -> String {
        if let Some(silence) = &self.silence {
            return format!("may be out of date, nothing heard for {silence}");
        }
        let mut text = if self.watching == self.kinds {
            format!("watching {}", counted(self.kinds, "kind"))
        } else {
            format!("watching {} of {}", self.watching, counted(self.kinds, "kind"))
        };
        if self.failing > 0 {
            let _ = write!(text, "; {} failing", self.failing);
        }
        if self.blind > 0 {
            let _ = write!(text, "; {} not readable", counted(self.blind, "API group"));
        }
        if let Some(why) = &self.why {
            let _ = write!(text, " ({why})");
        }
        if let Some(undeclared) = &self.undeclared {
            let _ = write!(text, "; {undeclared}");
        }
        text
    }
}

/// The reason why kinds are failing: that of all of them, or else the first with its name.
fn why(kinds: &[Kind]) -> Option<String> {
    let mut failing = kinds.iter().filter_map(|kind| match &kind.stage {
        Stage::Failing { why, .. } => Some((kind.full_name(), why)),
        _ => None,
    });
    let (name, first) = failing.next()?;
    let (is_alone, is_shared) =
        failing.fold((true, true), |(_, same), (_, why)| (false, same && why == first));
    if is_shared && !is_alone {
        return Some(first.clone());
    }
    Some(format!("{name}: {first}"))
}

/// `1 kind`, `2 kinds`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The number of objects of each health.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally([usize; 6]);

impl Tally {
    /// The objects of this health.
    pub fn of(&self, health: Health) -> usize {
        self.0[health as usize]
    }

    /// All objects.
    pub fn all(&self) -> usize {
        self.0.iter().sum()
    }

    /// Counts one more.
    pub fn add(&mut self, health: Health) {
        self.0[health as usize] += 1;
    }

    /// Counts one less.
    pub fn remove(&mut self, health: Health) {
        let count = &mut self.0[health as usize];
        *count = count.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_watched_is_said_with_a_reason() {
        let mut kinds = vec![Kind::new("", "Pod", "pods"), Kind::new("apps", "Deployment", "deployments")];
        assert_eq!(Coverage::of(&kinds, &[]).text(), "watching 0 of 2 kinds");
        for kind in &mut kinds {
            kind.apply(WatchEvent::InitDone);
            kind.stage = Stage::Watching;
        }
        assert_eq!(Coverage::of(&kinds, &[]).text(), "watching 2 kinds");
        assert!(Coverage::of(&kinds, &[]).is_complete());
        kinds[1].stage = Stage::Failing { why: "forbidden".to_owned(), since: Time::EPOCH };
        let coverage = Coverage::of(&kinds, &["metrics.k8s.io/v1beta1: unavailable".to_owned()]);
        assert_eq!(
            coverage.text(),
            "watching 1 of 2 kinds; 1 failing; 1 API group not readable (deployments.apps: forbidden)"
        );
        assert!(!coverage.is_complete());
        kinds[1].stage = Stage::Watching;
        let undeclared = Some("declarations in CRDs are not known".to_owned());
        let coverage = Coverage { undeclared, ..Coverage::of(&kinds, &[]) };
        assert_eq!(coverage.text(), "watching 2 kinds; declarations in CRDs are not known");
        assert!(coverage.has_gaps() && !coverage.is_complete());
    }

    #[test]
    fn nothing_is_complete_while_a_kind_or_a_group_is_not_seen() {
        assert!(!Coverage::of(&[], &[]).is_complete());
        let mut pods = Kind::new("", "Pod", "pods");
        pods.stage = Stage::Watching;
        assert!(!Coverage::of(&[pods], &[]).is_complete(), "never listed");
        let mut pods = Kind::new("", "Pod", "pods");
        pods.apply(WatchEvent::InitDone);
        pods.stage = Stage::Opening;
        assert!(!Coverage::of(&[pods], &[]).is_complete(), "not watched yet");
        let mut pods = Kind::new("", "Pod", "pods");
        pods.apply(WatchEvent::InitDone);
        pods.stage = Stage::Watching;
        assert!(!Coverage::of(&[pods], &["a.example/v1: unavailable".to_owned()]).is_complete());
    }
}
