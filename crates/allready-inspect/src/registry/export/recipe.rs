//! What can be told of a kind in the languages of others.

use std::collections::BTreeMap;

use crate::health::Health;
use allready_core::Polarity;

/// What a condition is to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// It has to be good.
    Counts,
    /// While it is True, something is under way.
    Moves,
    /// While it is True, it rests on purpose.
    Rests,
    /// It says nothing of how the object is.
    Tells,
    /// It says nothing but that it failed: nobody declared what it means.
    Mentions,
}

/// A condition of which it is known what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its type, in which `*` stands for anything.
    pub(super) type_: String,
    pub(super) sort: Sort,
    /// Which status of it is good.
    pub(super) polarity: Polarity,
    /// What the other means, where that is declared.
    pub(super) bad: Option<Health>,
    /// What `Unknown` means, and anything that is no status.
    pub(super) unknown: Health,
    /// Whether its being good is enough to call the object healthy, where nothing else is bad.
    pub(super) speaks: bool,
    /// What its bad status means with these reasons.
    pub(super) reasons: BTreeMap<String, Health>,
}

impl Known {
    pub(super) fn good(&self) -> &'static str {
        if self.polarity == Polarity::AbnormalTrue { "False" } else { "True" }
    }

    pub(super) fn bad_status(&self) -> &'static str {
        if self.polarity == Polarity::AbnormalTrue { "True" } else { "False" }
    }

    pub(super) fn is_pattern(&self) -> bool {
        self.type_.contains('*')
    }
}

/// A field whose words mean something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wording {
    /// Where it is.
    pub(super) path: Vec<String>,
    /// What words mean; those that mean nothing are not here.
    pub(super) words: BTreeMap<String, Health>,
    /// The words that mean nothing.
    pub(super) ignored: Vec<String>,
    /// What any other word means: nothing where it is to be ignored.
    pub(super) other: Option<Health>,
}

/// A field that has a value while the object rests on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resting {
    /// Where it is.
    pub(super) path: Vec<String>,
    /// The value, as text.
    pub(super) value: String,
}

/// A number that must reach another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reaching {
    pub(super) have: Vec<String>,
    pub(super) want: Vec<String>,
    pub(super) short: Health,
}

/// All that is told of a kind. It is healthy when something speaks for it and nothing speaks against it; a kind for which
/// nothing could ever speak is not exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a declaration of its own")]
pub(super) struct Recipe {
    pub(super) group: String,
    pub(super) kind: String,
    /// What it is whatever it says: for kinds that have no status by design.
    pub(super) always: Option<Health>,
    /// What it is while it has no status: for kinds that may have none.
    pub(super) silent: Health,
    /// Whether the conditions at the top of the status speak of something else.
    pub(super) is_blind: bool,
    /// Exact types first, then patterns; the first that fits counts.
    pub(super) conditions: Vec<Known>,
    /// Types of which one has to be there.
    pub(super) required: Vec<String>,
    /// Whether it runs to an end, so that running is not the end.
    pub(super) runs: bool,
    pub(super) wordings: Vec<Wording>,
    pub(super) resting: Vec<Resting>,
    pub(super) reaching: Vec<Reaching>,
    /// Whether conditions within lists of the status count as well.
    pub(super) has_nested: bool,
    /// Whether words within lists and parts of the status count as well.
    pub(super) has_items: bool,
}

impl Recipe {
    /// The group and the kind: `cert-manager.io/Certificate`.
    pub(super) fn title(&self) -> String {
        if self.group.is_empty() { self.kind.clone() } else { format!("{}/{}", self.group, self.kind) }
    }

    /// Whether anything could ever make it healthy.
    pub(super) fn can_be_healthy(&self) -> bool {
        self.always.is_some()
            || self.silent == Health::Healthy
            || self.conditions.iter().any(|condition| condition.speaks)
            || self
                .wordings
                .iter()
                .any(|wording| wording.words.values().any(|&health| health == Health::Healthy))
    }
}
