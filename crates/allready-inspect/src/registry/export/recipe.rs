//! What can be told of a kind in the languages of others.

use std::collections::BTreeMap;

use crate::health::Health;

/// The status that a condition type has when all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Good {
    True,
    /// For what is bad, under way or at rest while it is True; the first of these may have any reason.
    False {
        is_activity: bool,
    },
    /// It says nothing of how the object is.
    Any,
}

impl Good {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False { .. } => "False",
            Self::Any => "any",
        }
    }

    /// The field of such a condition in which wrong words say nothing, while its status is good.
    pub(super) const fn skips(self) -> &'static str {
        match self {
            Self::False { is_activity: false } => "reason",
            _ => "message",
        }
    }
}

/// A condition type of which it is declared what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its name, in which `*` stands for anything.
    pub(super) type_: String,
    pub(super) good: Good,
    /// The meaning of the other status.
    pub(super) bad: Health,
    /// Whether its being good is enough to call the object healthy, where nothing else is bad.
    pub(super) tells: bool,
}

impl Known {
    pub(super) fn is_pattern(&self) -> bool {
        self.type_.contains('*')
    }
}

/// A number that must reach another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reaching {
    pub(super) have: Vec<String>,
    pub(super) want: Vec<String>,
    pub(super) short: Health,
}

/// The meanings of words in a field: nothing where they are ignored, and `*` is any other word.
pub(super) type Meanings = BTreeMap<String, Option<Health>>;

/// All that is told of a kind. It is healthy when something speaks for it and nothing speaks against it; a kind for which
/// nothing could ever speak is not exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    pub(super) group: String,
    pub(super) kind: String,
    /// Set if it is healthy where nothing speaks against it: for kinds that have no status by design.
    pub(super) is_always_healthy: bool,
    /// Set if it is healthy while it has no status.
    pub(super) may_be_silent: bool,
    /// Whether the conditions at the top of the status speak of something else.
    pub(super) is_blind: bool,
    /// Exact types first, then patterns; the first that fits counts.
    pub(super) conditions: Vec<Known>,
    /// Types of which one has to be there.
    pub(super) required: Vec<String>,
    /// By path, what words mean there.
    pub(super) words: Vec<(Vec<String>, Meanings)>,
    /// By path, the value that it has while the object rests on purpose.
    pub(super) rests: Vec<(Vec<String>, String)>,
    pub(super) counts: Vec<Reaching>,
}

impl Recipe {
    /// The group and the kind: `cert-manager.io/Certificate`.
    pub(super) fn title(&self) -> String {
        if self.group.is_empty() { self.kind.clone() } else { format!("{}/{}", self.group, self.kind) }
    }

    /// Whether anything could ever make it healthy.
    pub(super) fn can_be_healthy(&self) -> bool {
        self.is_always_healthy
            || self.may_be_silent
            || self.conditions.iter().any(|condition| condition.tells) && !self.is_blind
            || self
                .words
                .iter()
                .any(|(_, words)| words.values().any(|&health| health == Some(Health::Healthy)))
    }

    /// The blocks of a body that it needs.
    pub(super) fn blocks(&self) -> Vec<&'static str> {
        let has_patterns = self.conditions.iter().any(Known::is_pattern);
        let has_types = !self.is_blind;
        let has_paths = !(self.words.is_empty() && self.rests.is_empty() && self.counts.is_empty());
        let blocks = [
            ("always", self.is_always_healthy),
            ("silent", self.may_be_silent),
            ("ignored", self.is_blind),
            ("types", has_types),
            ("patterns", has_types && has_patterns),
            ("required", !self.required.is_empty()),
            ("words", !self.words.is_empty()),
            ("rests", !self.rests.is_empty()),
            ("counts", !self.counts.is_empty()),
            ("paths", has_paths),
        ];
        blocks.into_iter().filter_map(|(name, is_needed)| is_needed.then_some(name)).collect()
    }
}

/// A body with the blocks that a recipe needs: those between `MARK name` and `MARK end`.
pub(super) fn cut(body: &str, mark: &str, recipe: &Recipe) -> String {
    let blocks = recipe.blocks();
    let mut open = Vec::new();
    let mut kept = String::new();
    for line in body.lines() {
        match line.trim_start().strip_prefix(mark).map(str::trim) {
            Some("end") => _ = open.pop(),
            Some(name) => open.push(blocks.contains(&name)),
            None if open.iter().all(|&is_kept| is_kept) => kept.extend([line, "\n"]),
            None => {}
        }
    }
    kept
}
