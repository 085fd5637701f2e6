//! Texts: what a state, a reason or a sentence says about health, by its words.

use super::lists::{List, Word, is_activity, is_broken, is_hard, word};
use super::tokens::{Flat, Token, tokens};
use crate::health::Health;

/// The part of a text that is read.
const MAX_TEXT: usize = 2000;

/// The way in which a text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A reason or a sentence.
    Text,
    /// A reason, of which only what cannot mean anything else counts.
    Hard,
    /// A state, of something that runs to an end or does not.
    State { runs: bool },
}

enum Pair {
    UnderWay,
    Broken,
    NotBroken,
}

/// Pairs of words that mean that something is broken.
pub(crate) const BROKEN_PAIRS: [(&str, &str); 18] = [
    ("not", "found"),
    ("not", "exist"),
    ("not", "allowed"),
    ("not", "permitted"),
    ("not", "supported"),
    ("not", "valid"),
    ("back", "off"),
    ("t", "exist"),
    ("could", "not"),
    ("can", "not"),
    ("timed", "out"),
    ("no", "such"),
    ("no", "matching"),
    ("access", "denied"),
    ("permission", "denied"),
    ("deadline", "exceeded"),
    ("too", "many"),
    ("non", "compliant"),
];

/// The meaning of two words together.
fn pair(first: &str, second: &str) -> Option<Pair> {
    match (first, second) {
        _ if BROKEN_PAIRS.contains(&(first, second)) => Some(Pair::Broken),
        ("not", "yet" | "serving" | "listening" | "streaming" | "replicating")
        | ("in", "progress")
        | ("still", "not")
        | ("is" | "are", "being") => Some(Pair::UnderWay),
        ("no", "error" | "errors" | "failures")
        | ("without", "error" | "errors")
        | ("0", "errors" | "failed")
        | ("not", "failed") => Some(Pair::NotBroken),
        _ => None,
    }
}

/// The meaning of a reason, a sentence or a state; nothing if there is no clue. Broken words beat words of progress.
pub(crate) fn classify(text: &str, reading: Reading) -> Option<Health> {
    let mut found = Found::default();
    let mut previous: Option<(Token, Word)> = None;
    let mut is_denied = false;
    for (count, token) in tokens(&text[..text.floor_char_boundary(MAX_TEXT)]).enumerate() {
        let text = token.as_str();
        let known = word(text);
        let pair = previous.as_ref().filter(|(_, before)| before.is(List::PairStart));
        match pair.and_then(|(before, _)| pair_of(before, text)) {
            Some(Pair::NotBroken) => {
                previous = None;
                continue;
            }
            Some(Pair::UnderWay) => found.under_way_phrase = true,
            Some(Pair::Broken) => found.broken = true,
            None => {}
        }
        if is_hard(text) {
            return Some(Health::Degraded);
        }
        found.see(text, known, reading, is_denied);
        if let Reading::State { runs } = reading {
            found.see_good(text, known, runs, is_denied);
        }
        // WorkNotAvailableYet: the denial is for now.
        found.under_way_phrase |= is_denied && text == "yet";
        is_denied |= known.is(List::Negation);
        found.words = count + 1;
        previous = Some((token, known));
    }
    if matches!(reading, Reading::State { .. }) && found.is_ignored {
        return None;
    }
    let health = found.health(reading);
    // In one name of few words, each of them counts; in a sentence, they do not.
    let is_name =
        matches!(reading, Reading::State { .. }) && found.words <= 3 && !text.contains([' ', ',', ':']);
    match health {
        Some(Health::Healthy) if is_name && found.tail == Tail::Creation => Some(Health::Progressing),
        // OnlinePartial.
        Some(Health::Healthy) if is_name && found.tail == Tail::Limited => {
            previous.and_then(|(_, last)| last.means()).filter(|health| *health != Health::Healthy)
        }
        health => health,
    }
}

fn pair_of(before: &Token, text: &str) -> Option<Pair> {
    pair(before.as_str(), text)
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that some word says")]
struct Found {
    /// A word came that is not one such as `status`.
    has_begun: bool,
    /// Somebody does not care: `ignored-missing-rule`.
    is_ignored: bool,
    under_way_phrase: bool,
    broken: bool,
    at_rest: bool,
    under_way: Option<Health>,
    good: Option<Health>,
    tail: Tail,
    words: usize,
}

/// The ending of a state.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Tail {
    #[default]
    Plain,
    /// Something stands behind the last good word: `OnlinePartial`.
    Limited,
    /// It ends in what was created, which need not work yet: `ClusterCreated`.
    Creation,
}

impl Found {
    fn see(&mut self, text: &str, known: Word, reading: Reading, is_denied: bool) {
        // A state that ends with warnings is no good one; a reason may name what it warns of.
        let is_warning = || matches!((text, reading), ("warning" | "warnings", Reading::State { .. }));
        self.broken |= is_broken(text, known) || is_warning();
        self.is_ignored |= matches!(text, "ignored" | "tolerated");
        self.at_rest |= known.is(List::AtRest);
        if self.under_way.is_some() {
            return;
        }
        if text == "running" {
            if let Reading::State { runs } = reading {
                let is_well = !runs && !is_denied;
                self.under_way = Some(if is_well { Health::Healthy } else { Health::Progressing });
            }
        } else if known.is(List::UnderWay) || is_activity(text, known) {
            self.under_way = Some(Health::Progressing);
        }
    }

    /// Words of a state that say that it is well, and what stands behind them.
    fn see_good(&mut self, text: &str, known: Word, runs: bool, is_denied: bool) {
        // StartUp, BackingUp; but HealthStatusUp.
        let is_up = text != "up" || !self.has_begun;
        let is_well = known.means() == Some(Health::Healthy) && is_up;
        let is_good = is_well || text == "running";
        // A good word that is denied beats one that is not: DEPLOYED_NOT_READY.
        if is_good && is_denied {
            self.good = Some(Health::Progressing);
        } else if is_well && self.good.is_none() {
            // Of what runs to an end, a part that is ready is not the end.
            self.good =
                Some(if !runs || known.is(List::Done) { Health::Healthy } else { Health::Progressing });
        }
        let is_neutral = || {
            matches!(text, "state" | "status" | "phase" | "health" | "successfully" | "normally" | "now")
                || text.bytes().all(|b| b.is_ascii_digit())
        };
        self.broken |= text == "down" && !self.has_begun;
        self.has_begun |= !is_neutral();
        self.tail = match self.tail {
            _ if text == "created" && self.words > 0 => Tail::Creation,
            _ if is_good => Tail::Plain,
            tail if is_neutral() => tail,
            _ => Tail::Limited,
        };
    }

    fn health(&self, reading: Reading) -> Option<Health> {
        if self.under_way_phrase {
            return Some(Health::Progressing);
        }
        if reading == Reading::Hard {
            return self.at_rest.then_some(Health::Suspended);
        }
        if self.broken {
            return Some(Health::Degraded);
        }
        if self.at_rest {
            return Some(Health::Suspended);
        }
        if self.good == Some(Health::Progressing) && self.words <= 6 {
            return self.good;
        }
        self.under_way.or(if self.words <= 6 { self.good } else { None })
    }
}

/// The meaning of a state: as one word, else by its parts.
pub(crate) fn state(text: &str, runs: bool) -> Option<Health> {
    let flat = Flat::of(text);
    match flat.as_str() {
        "" if !flat.is_cut() => return None,
        "running" => return Some(if runs { Health::Progressing } else { Health::Healthy }),
        whole if runs && List::RunBegins.has(whole) => return Some(Health::Progressing),
        whole if runs && List::RunEnds.has(whole) => return Some(Health::Healthy),
        whole => {
            if let Some(health) = word(whole).means() {
                return Some(health);
            }
            if awaits_a_person(text) {
                return Some(Health::Suspended);
            }
        }
    }
    classify(text, Reading::State { runs })
}

/// `WaitingForApproval`, `ReviewRequired`: in few words, a person is awaited.
pub(crate) fn awaits_a_person(text: &str) -> bool {
    let (mut wants, mut is_person, mut count, mut ends) = (false, false, 0, false);
    for token in tokens(text).take(7) {
        let known = word(token.as_str());
        ends = known.is(List::Person) && wants || known.is(List::Wants) && is_person;
        wants |= known.is(List::Wants);
        is_person |= known.is(List::Person);
        count += 1;
    }
    ends && count <= 6
}

/// Tells whether a reason says that what was to be done is done.
pub(crate) fn is_done(reason: &str) -> bool {
    matches!(Flat::of(reason).as_str(), "newreplicasetavailable" | "replicasetavailable")
        || tokens(reason).any(|token| List::Done.has(token.as_str()))
            && !tokens(reason).any(|token| List::Negation.has(token.as_str()))
}

/// Tells whether the reason of a condition with its good status names a failure: `CrashLoopBackOff`, `JobFailed`, `SecretNotFound`; not
/// `NoErrors` or `ErrorsResolved`, nor that what was to be deleted is not found.
pub(crate) fn names_failure(type_: &str, reason: &str) -> bool {
    let any = |text: &str, list: List| tokens(text).any(|token| list.has(token.as_str()));
    if any(reason, List::TakenBack) {
        return false;
    }
    let mut words = tokens(reason);
    let first = words.next();
    let is_one_word = words.next().is_none();
    let is_broken_word = |token: Token| is_broken(token.as_str(), word(token.as_str()));
    let flat = Flat::of(reason);
    let is_lost = flat.as_str().ends_with("notfound") || flat.as_str().ends_with("timedout");
    classify(reason, Reading::Hard) == Some(Health::Degraded)
        || is_one_word && first.is_some_and(is_broken_word)
        || is_lost && !any(type_, List::AbsenceName)
}
