//! One of the objects that are waited for, between two things that are heard of it.

use std::time::Duration;

use allready_core::Time;
use allready_inspect::graph::is_from_hub;
use serde_json::Value;

use super::{
    behind::{Behind, Hope},
    judge::{Judged, Rules},
    wish::Wish,
};

/// An instant: by the clock, for ages, and since waiting began, for patience.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Time,
    pub(super) elapsed: Duration,
}

/// How it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing was heard of it yet.
    Unseen,
    /// It is not as wished yet.
    Waiting,
    /// It is as wished.
    Met,
    /// It has been in a terminal state for too long.
    Failed,
    /// It is not there.
    Absent,
    /// It was deleted meanwhile, or it was already when waiting began.
    Deleted,
}

/// One object.
#[derive(Debug)]
pub(super) struct Tracked {
    /// At least this generation, where one is known.
    generation: Option<i64>,
    /// The one that is meant, and not one of the same name that is made later.
    uid: Option<String>,
    pub(super) state: State,
    judged: Option<Judged>,
    /// As it was last seen.
    object: Option<Value>,
    /// What is to be said instead of what was judged.
    words: Option<String>,
    /// Since when it has been in a terminal state.
    terminal_since: Option<Duration>,
    /// It was deleted, and that was wished.
    is_over: bool,
    /// What is behind it, as far as it was looked at.
    pub(super) behind: Option<Behind>,
    /// Whether it is as wished only in view of others.
    needs_view: bool,
}

impl Tracked {
    /// Nothing is known of it but what somebody was told when it was written.
    pub(super) fn new(generation: Option<i64>, uid: Option<String>) -> Self {
        Self {
            generation,
            uid,
            state: State::Unseen,
            judged: None,
            object: None,
            words: None,
            terminal_since: None,
            is_over: false,
            behind: None,
            needs_view: false,
        }
    }

    /// Its status does not say all: it is as wished only when what is behind it was looked at.
    pub(super) fn in_view(self, needs_view: bool) -> Self {
        Self { needs_view, ..self }
    }

    /// It was given twice: what is known of either is known.
    pub(super) fn merge(&mut self, generation: Option<i64>, uid: Option<String>) {
        self.generation = self.generation.max(generation);
        self.uid = self.uid.take().or(uid);
    }

    /// It was seen.
    pub(super) fn seen(&mut self, object: Value, rules: &Rules, at: Moment) {
        self.look(&object, rules, at);
        self.object = Some(object);
    }

    /// Somebody has looked behind it.
    pub(super) fn looked_behind(&mut self, behind: Behind, rules: &Rules, at: Moment) {
        self.behind = Some(behind.after(self.behind.as_ref()));
        self.look_again(rules, at);
    }

    /// Nothing was heard of it, and time has passed: what was only late may be too late now.
    pub(super) fn look_again(&mut self, rules: &Rules, at: Moment) {
        if let (State::Waiting | State::Met, Some(object)) = (&self.state, self.object.take()) {
            self.look(&object, rules, at);
            self.object = Some(object);
        }
    }

    fn look(&mut self, object: &Value, rules: &Rules, at: Moment) {
        if self.is_over {
            return;
        }
        let uid = object["metadata"]["uid"].as_str().map(str::to_owned);
        if self.uid.is_some() && self.uid != uid {
            let is_wished = rules.wishes(&Wish::Delete);
            if is_wished || !rules.wishes(&Wish::Create) {
                self.gone(rules, at);
                self.words =
                    Some(format!("{}, and another of the same name is there", self.describe(at.now)));
                return;
            }
        }
        self.uid = uid;
        let generation = object["metadata"]["generation"].as_i64();
        let judged = match (self.generation, generation) {
            (Some(wanted), Some(found)) if found < wanted => {
                rules.not_yet(format!("the server shows generation {found}, not {wanted} yet"))
            }
            _ => rules.judge(object, at.now),
        };
        self.words = None;
        let needs_view = self.needs_view || is_from_hub(object);
        let is_seen = !needs_view
            || !rules.wishes(&Wish::Healthy)
            || self.behind.as_ref().is_some_and(|behind| behind.is_well);
        self.state = if judged.is_met && is_seen { State::Met } else { State::Waiting };
        let is_hopeless = rules.fail_fast
            && !judged.is_met
            && self.behind.as_ref().is_some_and(|behind| behind.hope == Hope::None);
        let is_terminal = judged.is_terminal() || is_hopeless;
        self.terminal_since = is_terminal.then(|| self.terminal_since.unwrap_or(at.elapsed));
        self.judged = Some(judged);
    }

    /// It is not there.
    pub(super) fn gone(&mut self, rules: &Rules, at: Moment) {
        if self.is_over || self.state == State::Deleted {
            return;
        }
        let judged = rules.judge_absent();
        (self.terminal_since, self.object) = (None, None);
        if judged.is_met {
            (self.state, self.is_over) = (State::Met, true);
        } else if rules.wishes(&Wish::Create) {
            self.state = State::Waiting;
            self.uid = None;
        } else {
            let was_there = self.judged.is_some() || self.uid.is_some();
            let words = match self.judged.take() {
                Some(before) if !before.is_met => {
                    format!("it was deleted meanwhile; before that: {}", before.describe(at.now))
                }
                Some(_) => "it was deleted meanwhile".to_owned(),
                None if self.uid.is_some() => "it was deleted before it could be waited for".to_owned(),
                None => "it is not there".to_owned(),
            };
            self.words = Some(words);
            self.state = if was_there { State::Deleted } else { State::Absent };
            return;
        }
        self.words = None;
        self.judged = Some(judged);
    }

    /// Tells whether only a first look at what is behind it is missing.
    pub(super) fn is_unviewed(&self) -> bool {
        let is_met = self.judged.as_ref().is_some_and(|judged| judged.is_met);
        self.state == State::Waiting && is_met && self.behind.is_none()
    }

    /// When a terminal state has lasted long enough.
    pub(super) fn due(&self, grace: Duration) -> Option<Duration> {
        (self.state == State::Waiting)
            .then_some(self.terminal_since?)
            .map(|since| since.saturating_add(grace))
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, grace: Duration, at: Moment) {
        if self.due(grace).is_some_and(|due| due <= at.elapsed) {
            self.state = State::Failed;
            let terminal = self.judged.as_ref().and_then(|judged| judged.describe_terminal(at.now));
            self.words = match terminal {
                Some(terminal) => Some(terminal + &self.cause()),
                None => Some(self.describe(at.now)),
            };
        }
    }

    /// Why it stands as it does. Without how long it has been so where the time is the epoch.
    pub(super) fn describe(&self, now: Time) -> String {
        match (&self.words, &self.judged) {
            (Some(words), _) => words.clone(),
            (None, Some(judged)) => {
                let in_view = self.behind.as_ref().and_then(|behind| behind.verdict.clone());
                let in_view = in_view.filter(|_| judged.is_about_health() && self.state != State::Met);
                let why = in_view.unwrap_or_else(|| judged.describe(now));
                let why = match judged.describe_terminal(now) {
                    // What will end it is told while there is still time.
                    Some(terminal) if !why.contains(&terminal) => format!("{why}; {terminal}"),
                    _ => why,
                };
                why + &self.cause()
            }
            (None, None) => "nothing was heard of it yet".to_owned(),
        }
    }
}

impl Tracked {
    /// The first cause, where it is not as wished.
    fn cause(&self) -> String {
        let cause = self
            .behind
            .as_ref()
            .filter(|_| self.state != State::Met)
            .and_then(|behind| behind.cause.as_ref());
        cause.map(|cause| format!("; first cause: {cause}")).unwrap_or_default()
    }
}

/// Returns true if an object is as `--for Healthy` wishes it, and the verdict on it.
#[cfg(test)]
pub(crate) fn said_of(
    object: Value,
    registry: &allready_inspect::registry::Registry,
    now: Time,
) -> (bool, crate::agreement::Said) {
    let rules =
        Rules { wishes: vec![Wish::Healthy], any: false, fail_fast: true, registry: registry.clone() };
    let mut tracked = Tracked::new(None, None);
    tracked.seen(object, &rules, Moment { now, elapsed: Duration::ZERO });
    let verdict = tracked.judged.as_ref().and_then(Judged::verdict).unwrap();
    (tracked.state == State::Met, crate::agreement::Said::of(verdict))
}

/// Returns true if an object is as `--for Healthy` wishes it when what is behind it was looked at.
#[cfg(test)]
pub(crate) fn said_in_view(
    object: Value,
    explanation: &allready_inspect::explain::Explanation,
    registry: &allready_inspect::registry::Registry,
    now: Time,
) -> bool {
    let rules =
        Rules { wishes: vec![Wish::Healthy], any: false, fail_fast: true, registry: registry.clone() };
    let at = Moment { now, elapsed: Duration::ZERO };
    let id = allready_inspect::graph::ObjectId::of(&object).unwrap();
    let mut tracked = Tracked::new(None, None).in_view(allready_inspect::graph::leads_on(&id));
    tracked.seen(object, &rules, at);
    tracked.looked_behind(Behind::of(explanation), &rules, at);
    tracked.state == State::Met
}

#[cfg(test)]
mod tests {
    use allready_inspect::registry::Registry;
    use serde_json::json;

    use super::*;

    const GRACE: Duration = Duration::from_secs(10);

    fn rules(wishes: &[&str]) -> Rules {
        let wishes = wishes.iter().map(|wish| wish.parse().unwrap()).collect();
        Rules { wishes, any: false, fail_fast: true, registry: Registry::builtin().clone() }
    }

    fn at(seconds: u64) -> Moment {
        Moment { now: Time::EPOCH, elapsed: Duration::from_secs(seconds) }
    }

    fn widget(uid: &str, generation: i64, ready: &str, stalled: &str) -> Value {
        json!({
            "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": { "name": "a", "uid": uid, "generation": generation },
            "status": { "conditions": [
                { "type": "Ready", "status": ready, "reason": "Told" },
                { "type": "Stalled", "status": stalled, "reason": "Told" },
            ] },
        })
    }

    #[test]
    fn a_terminal_state_fails_when_it_lasts_and_not_when_it_passes() {
        let rules = rules(&["Ready"]);
        let mut tracked = Tracked::new(None, None);
        tracked.seen(widget("1", 1, "Unknown", "True"), &rules, at(1));
        assert_eq!(tracked.due(GRACE), Some(Duration::from_secs(11)));
        tracked.tick(GRACE, at(10));
        assert_eq!(tracked.state, State::Waiting);
        tracked.seen(widget("1", 1, "Unknown", "False"), &rules, at(10));
        assert_eq!(tracked.due(GRACE), None);
        tracked.seen(widget("1", 1, "Unknown", "True"), &rules, at(12));
        tracked.seen(widget("1", 1, "Unknown", "True"), &rules, at(15));
        tracked.tick(GRACE, at(21));
        assert_eq!(tracked.state, State::Waiting);
        tracked.tick(GRACE, at(22));
        assert_eq!(
            (tracked.state.clone(), tracked.describe(Time::EPOCH).contains("Stalled is True")),
            (State::Failed, true)
        );
    }

    fn behind(hope: Hope) -> Behind {
        Behind { cause: None, verdict: None, is_well: false, hope }
    }

    #[test]
    fn an_image_that_is_tried_again_stays_hopeless_and_one_that_failed_once_is_not() {
        let (rules, grace) = (rules(&["healthy"]), Duration::from_secs(7));
        let mut tracked = Tracked::new(None, None);
        tracked.seen(widget("1", 1, "Unknown", "False"), &rules, at(0));
        for (hope, seconds, due) in [
            (Hope::Little, 1, None),
            (Hope::None, 3, Some(10)),
            (Hope::Little, 5, Some(10)),
            (Hope::None, 7, Some(10)),
            (Hope::Some, 8, None),
            (Hope::Little, 9, None),
        ] {
            tracked.looked_behind(behind(hope), &rules, at(seconds));
            assert_eq!(tracked.due(grace), due.map(Duration::from_secs), "{hope:?} after {seconds} s");
        }
        tracked.looked_behind(behind(Hope::None), &rules, at(11));
        tracked.looked_behind(behind(Hope::Little), &rules, at(17));
        tracked.tick(grace, at(18));
        assert_eq!(tracked.state, State::Failed);
    }

    #[test]
    fn what_was_met_counts_no_more_when_it_is_not_so_any_more() {
        let rules = rules(&["Ready"]);
        let mut tracked = Tracked::new(None, None);
        tracked.seen(widget("1", 1, "True", "False"), &rules, at(0));
        assert_eq!(tracked.state, State::Met);
        tracked.seen(widget("1", 1, "False", "False"), &rules, at(1));
        assert_eq!(tracked.state, State::Waiting);
    }

    #[test]
    fn an_older_generation_than_the_one_written_does_not_count() {
        let rules = rules(&["Ready"]);
        let mut tracked = Tracked::new(Some(2), Some("1".into()));
        tracked.seen(widget("1", 1, "True", "False"), &rules, at(0));
        assert_eq!(tracked.describe(Time::EPOCH), "the server shows generation 1, not 2 yet");
        tracked.seen(widget("1", 3, "True", "False"), &rules, at(0));
        assert_eq!(tracked.state, State::Met);
    }

    #[test]
    fn an_object_made_anew_is_another_one() {
        let mut tracked = Tracked::new(None, Some("1".into()));
        tracked.seen(widget("2", 1, "True", "False"), &rules(&["Ready"]), at(0));
        assert_eq!(
            (tracked.state.clone(), tracked.describe(Time::EPOCH).as_str()),
            (
                State::Deleted,
                "it was deleted before it could be waited for, and another of the same name is there"
            )
        );

        let deleted = rules(&["delete"]);
        let mut tracked = Tracked::new(None, None);
        tracked.seen(widget("1", 1, "True", "False"), &deleted, at(0));
        assert_eq!(tracked.state, State::Waiting);
        tracked.seen(widget("2", 1, "True", "False"), &deleted, at(0));
        assert_eq!(tracked.state, State::Met);
        tracked.seen(widget("2", 1, "True", "False"), &deleted, at(1));
        assert_eq!(tracked.state, State::Met, "it stays deleted");
    }

    #[test]
    fn who_waits_for_an_object_to_appear_waits_for_it_again_when_it_is_gone() {
        let rules = rules(&["create", "Ready"]);
        let mut tracked = Tracked::new(None, None);
        tracked.gone(&rules, at(0));
        assert_eq!(tracked.state, State::Waiting);
        tracked.seen(widget("1", 1, "Unknown", "False"), &rules, at(1));
        tracked.gone(&rules, at(2));
        tracked.seen(widget("2", 1, "True", "False"), &rules, at(3));
        assert_eq!(tracked.state, State::Met);
    }

    #[test]
    fn what_is_deleted_meanwhile_is_told_with_what_was_missing() {
        let rules = rules(&["Ready"]);
        let mut tracked = Tracked::new(None, None);
        tracked.seen(widget("1", 1, "Unknown", "False"), &rules, at(1));
        tracked.gone(&rules, at(2));
        assert_eq!(
            (tracked.state.clone(), tracked.describe(Time::EPOCH).as_str()),
            (State::Deleted, "it was deleted meanwhile; before that: Ready is Unknown (Told), not True")
        );
        let mut never = Tracked::new(None, None);
        never.gone(&rules, at(2));
        assert_eq!(
            (never.state.clone(), never.describe(Time::EPOCH).as_str()),
            (State::Absent, "it is not there")
        );
    }

    #[test]
    fn what_turns_bad_by_time_alone_is_found_without_news() {
        let rules = rules(&["Ready"]);
        let mut tracked = Tracked::new(None, None);
        tracked.look_again(&rules, at(0));
        assert_eq!(tracked.state, State::Unseen);
        tracked.seen(widget("1", 1, "Unknown", "True"), &rules, at(1));
        tracked.look_again(&rules, at(5));
        assert_eq!(
            tracked.due(GRACE),
            Some(Duration::from_secs(11)),
            "it has been so since it was first seen"
        );
        tracked.tick(GRACE, at(11));
        tracked.look_again(&rules, at(12));
        assert_eq!(tracked.state, State::Failed, "and it stays failed");
        tracked.gone(&rules, at(13));
        tracked.look_again(&rules, at(14));
        assert_eq!(tracked.state, State::Deleted);
    }
}
