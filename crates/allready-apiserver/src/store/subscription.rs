//! A watch: it reads from the shared log at its own pace, and sees what its selector lets through, in its version.
//!
//! Follows the watch cache of `k8s.io/apiserver/pkg/storage/cacher`, and KEP-3157 (watch list).

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};
// Tokio's clock, which a test can pause, as the timer that is waited for keeps it.
use tokio::{sync::watch, time::Instant};

use super::{
    Snapshot,
    draft::Stored,
    event::Event,
    log::{Change, Log, Read},
};
use crate::status::Failure;

/// How often an idle watch that asked for bookmarks gets one.
const HEARTBEAT: Duration = Duration::from_mins(1);
/// How long before its end a watch gets a last bookmark.
const FAREWELL: Duration = Duration::from_secs(2);
const BATCH: usize = 64;

/// From where a watch starts, and how it behaves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Start {
    /// The resourceVersion that was asked for; `None` when unset.
    pub(crate) version: Option<u64>,
    /// `sendInitialEvents`.
    pub(crate) initial: Option<bool>,
    /// `allowWatchBookmarks`.
    pub(crate) bookmarks: bool,
    /// `timeoutSeconds`.
    pub(crate) timeout: Option<Duration>,
    /// Whether `timeoutSeconds` is negative.
    pub(crate) expired: bool,
}

impl Start {
    /// Whether the objects that are there already come first.
    pub(crate) fn wants_initial(&self) -> bool {
        self.initial.unwrap_or(self.version.unwrap_or(0) == 0)
    }

    /// The version after which changes are wanted; `None` for those from now on.
    pub(crate) fn since(&self) -> Option<u64> {
        if self.initial.is_some() { None } else { self.version.filter(|version| *version > 0) }
    }
}

/// From stored bytes, and the resourceVersion at which they were written, to what is shown.
type Convert = Arc<dyn Fn(&Bytes, u64) -> Result<Bytes, Failure> + Send + Sync>;
type Matches = Arc<dyn Fn(&str, &Stored) -> Result<bool, Failure> + Send + Sync>;

/// What of a place a watch sees, and how.
#[derive(Clone)]
pub(crate) struct View {
    /// The namespace.
    pub(crate) namespace: Option<String>,
    /// The one object.
    pub(crate) name: Option<String>,
    /// Label and field selectors.
    pub(crate) matches: Option<Matches>,
    /// Into the version that was asked for.
    pub(crate) convert: Option<Convert>,
    /// `apiVersion` of what is shown.
    pub(crate) api_version: Arc<str>,
    /// What a bookmark looks like, apart from its metadata.
    pub(crate) blank: Value,
}

impl View {
    /// What the keys in sight start with.
    pub(crate) fn prefix(&self) -> Box<str> {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/").into(),
            None => "".into(),
        }
    }

    fn sees(&self, key: &str) -> bool {
        let name = match &self.namespace {
            Some(namespace) => {
                match key.strip_prefix(namespace.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                    Some(name) => name,
                    None => return false,
                }
            }
            None => key.rsplit('/').next().unwrap_or(key),
        };
        self.name.as_ref().is_none_or(|wanted| wanted == name)
    }

    fn lets_through(&self, key: &str, stored: Option<&Stored>) -> Result<bool, Failure> {
        match (stored, &self.matches) {
            (None, _) => Ok(false),
            (Some(_), None) => Ok(true),
            (Some(stored), Some(matches)) => matches(key, stored),
        }
    }

    fn show(&self, bytes: &Bytes, written: u64) -> Result<Bytes, Failure> {
        self.convert.as_ref().map_or_else(|| Ok(bytes.clone()), |convert| convert(bytes, written))
    }

    fn event(&self, change: &Change, warm: bool) -> Result<Option<Event>, Failure> {
        if !self.sees(&change.key) {
            return Ok(None);
        }
        let before = self.lets_through(&change.key, change.old.as_ref())?;
        let after = self.lets_through(&change.key, change.new.as_ref())?;
        let (kind, stored) = match (&change.old, &change.new) {
            (_, Some(new)) if after && before => ("MODIFIED", new),
            (_, Some(new)) if after => ("ADDED", new),
            // What leaves the selection is shown as it last was in it, under the version that took it out.
            (Some(old), _) if before => ("DELETED", old),
            _ => return Ok(None),
        };
        let show = || {
            if kind == "DELETED" {
                return self.show(&stored.at_version(change.version), stored.version);
            }
            self.show(&stored.bytes, stored.version)
        };
        if !warm {
            return Ok(Some(Event::new(kind, show()?)));
        }
        let key = (kind, self.api_version.clone());
        change.event(key, || Ok(Event::shared(kind, show()?))).map(Some)
    }

    fn initial(&self, key: &str, stored: &Stored) -> Result<Option<Event>, Failure> {
        if !self.sees(key) || !self.lets_through(key, Some(stored))? {
            return Ok(None);
        }
        Ok(Some(Event::new("ADDED", self.show(&stored.bytes, stored.version)?)))
    }

    fn bookmark(&self, version: u64, ends_initial: bool) -> Event {
        let mut object = self.blank.clone();
        object["metadata"]["resourceVersion"] = version.to_string().into();
        if ends_initial {
            object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        Event::new("BOOKMARK", object.to_string().into())
    }
}

/// A watch: the changes of a resource that its selector lets through, in order.
pub(crate) struct Subscription {
    log: Arc<Log>,
    tip: watch::Receiver<u64>,
    position: u64,
    seen: u64,
    ready: VecDeque<Event>,
    /// What was there at first, and how much of it has been looked at.
    initial: Option<(Arc<Snapshot>, usize)>,
    /// The version of the bookmark that ends the initial events.
    ends_initial: Option<u64>,
    bookmarks: bool,
    next_bookmark: Option<Instant>,
    deadline: Option<Instant>,
    ended: bool,
    view: View,
}

impl Subscription {
    pub(crate) fn new(
        log: Arc<Log>,
        position: Result<u64, u64>,
        revision: u64,
        initial: Option<Arc<Snapshot>>,
        start: &Start,
        view: View,
    ) -> Self {
        let now = Instant::now();
        let streams = start.initial == Some(true) && start.bookmarks;
        let mut subscription = Self {
            tip: log.listen(),
            log,
            position: 0,
            seen: start.since().unwrap_or(revision),
            ready: VecDeque::new(),
            initial: initial.map(|snapshot| (snapshot, 0)),
            ends_initial: streams.then_some(revision),
            bookmarks: start.bookmarks,
            next_bookmark: None,
            deadline: start.timeout.and_then(|timeout| now.checked_add(timeout)),
            ended: false,
            view,
        };
        match position {
            Ok(position) => subscription.position = position,
            Err(oldest) => {
                let asked = start.version.unwrap_or_default();
                subscription.fail(&Failure::too_old(asked, oldest));
            }
        }
        if start.expired {
            subscription.fail(&Failure::new(500, "InternalError", "context deadline exceeded"));
        }
        subscription.schedule_bookmark(now);
        subscription
    }

    /// A watch of nothing, which ends at once.
    pub(crate) fn refused(view: View) -> Self {
        let log = Arc::new(Log::new(0, Arc::default()));
        log.finish(true);
        Self::new(log, Ok(0), 0, None, &Start::default(), view)
    }

    fn fail(&mut self, failure: &Failure) {
        let body = failure.to_body().to_string();
        self.ready.push_back(Event::new("ERROR", body.into()));
        self.initial = None;
        self.ends_initial = None;
        self.ended = true;
    }

    fn schedule_bookmark(&mut self, now: Instant) {
        if !self.bookmarks {
            return;
        }
        let mut next = now + HEARTBEAT;
        if let Some(deadline) = self.deadline {
            let farewell = deadline.checked_sub(FAREWELL).filter(|farewell| *farewell > now);
            next = farewell.map_or(next, |farewell| next.min(farewell));
            if next > deadline {
                self.next_bookmark = None;
                return;
            }
        }
        self.next_bookmark = Some(next);
    }

    /// The next event; `None` when the watch is over.
    #[cfg(test)]
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.at_hand() {
                return Some(event);
            }
            if !self.wait().await {
                return None;
            }
        }
    }

    /// Waits, after nothing was [at hand](Self::at_hand), until there may be something; `false` when the watch is over. A watch
    /// with a timeout or bookmarks needs tokio's timer.
    pub(crate) async fn wait(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let wake = [self.deadline, self.next_bookmark].into_iter().flatten().min();
        let changed = self.tip.changed();
        match wake {
            None => return changed.await.is_ok(),
            Some(wake) => {
                // Waking up late or early changes nothing: the clock is read again.
                let _ = tokio::time::timeout_at(wake, changed).await;
                self.look_at_the_clock(Instant::now());
            }
        }
        true
    }

    /// The next event without waiting: `None` when there is none now.
    pub(crate) fn at_hand(&mut self) -> Option<Event> {
        loop {
            if self.log.is_cut() {
                self.ended = true;
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if let Some(event) = self.next_initial() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            if let Some(version) = self.ends_initial.take() {
                return Some(self.view.bookmark(version, true));
            }
            self.tip.mark_unchanged();
            let finished = self.log.is_finished();
            let newest = self.log.newest();
            match self.log.read(self.position, BATCH) {
                Read::Lost => {
                    self.ended = true;
                    return None;
                }
                Read::Changes(changes) if changes.is_empty() => {
                    self.ended = finished;
                    self.seen = self.seen.max(newest);
                    return None;
                }
                Read::Changes(changes) => self.take(&changes),
            }
        }
    }

    fn take(&mut self, changes: &[Arc<Change>]) {
        let warm = self.log.is_warm(self.position);
        self.position += changes.len() as u64;
        for change in changes.iter().filter(|change| change.version > self.seen) {
            match self.view.event(change, warm) {
                Ok(event) => self.ready.extend(event),
                Err(failure) => return self.fail(&failure),
            }
        }
        self.seen = changes.last().map_or(self.seen, |change| change.version.max(self.seen));
    }

    fn next_initial(&mut self) -> Option<Event> {
        let (snapshot, at) = self.initial.as_mut()?;
        while let Some((key, stored)) = snapshot.get(*at) {
            *at += 1;
            match self.view.initial(key, stored) {
                Ok(None) => {}
                Ok(event) => return event,
                Err(failure) => {
                    self.fail(&failure);
                    return self.ready.pop_front();
                }
            }
        }
        self.initial = None;
        None
    }

    fn look_at_the_clock(&mut self, now: Instant) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.ended = true;
        } else if self.next_bookmark.is_some_and(|next| next <= now) {
            let event = self.view.bookmark(self.seen, false);
            self.ready.push_back(event);
            self.schedule_bookmark(now);
        }
    }
}
