//! Everything that `allready watch` knows: plain values, changed by `update` alone.

use std::{cmp::Ordering, collections::HashSet, sync::Arc};

use allready_core::Time;
use allready_inspect::{
    explain::Explanation,
    health::Health,
    live::{Details, Filter, Group, Key, Kind, Place, Record, State, Subject},
};

/// The rows of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// Causes; objects until it is known how they stand to each other.
    Causes,
    /// All objects.
    Objects,
    /// The objects of one cause, which is known by its text.
    Cause(String),
    /// The objects behind one.
    Behind(Key, Arc<[Key]>),
}

/// The position to go back to.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) screen: Screen,
    pub(super) listing: Listing,
    pub(super) chosen: Option<Key>,
    pub(super) position: usize,
    pub(super) looked: Option<Key>,
    pub(super) filter: Filter,
}

/// What is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    Table,
    Transitions,
    Details,
    Kinds,
    Help,
}

/// Which row is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The worst, and of those the newest.
    Worst,
    /// What changed last.
    Newest,
    /// What changed most often.
    Flaps,
    /// By namespace, kind and name.
    Name,
}

impl Order {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Worst => Self::Newest,
            Self::Newest => Self::Flaps,
            Self::Flaps => Self::Name,
            Self::Name => Self::Worst,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Worst => "worst first",
            Self::Newest => "newest first",
            Self::Flaps => "most flaps first",
            Self::Name => "by name",
        }
    }
}

/// What decides where an object stands in the table.
struct Row<'a> {
    kind: &'a Kind,
    key: Key,
    health: Health,
    begin: Option<Time>,
    flaps: usize,
}

impl Row<'_> {
    fn compare(&self, other: &Self, order: Order) -> Ordering {
        let worst = || other.health.cmp(&self.health);
        // What has been so for nobody knows how long is not news.
        let newest = || other.begin.cmp(&self.begin);
        let decided = match order {
            Order::Worst => worst().then_with(newest),
            Order::Newest => newest().then_with(worst),
            Order::Flaps => other.flaps.cmp(&self.flaps).then_with(worst).then_with(newest),
            Order::Name => Ordering::Equal,
        };
        let (ours, theirs) = (&self.key.place, &other.key.place);
        decided
            .then_with(|| ours.namespace.cmp(&theirs.namespace))
            .then_with(|| self.kind.name.cmp(&other.kind.name))
            .then_with(|| ours.name.cmp(&theirs.name))
            .then_with(|| self.key.kind.cmp(&other.key.kind))
    }
}

/// What is known of the object that somebody looks at.
#[derive(Debug)]
pub(super) enum Looked {
    /// It was asked for.
    Asking,
    /// It was read; what is behind it takes longer to find out.
    Found(Box<Details>),
    /// It could not be read, for this reason.
    Failed(String),
}

/// All of it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is true or false whatever the others are")]
pub(super) struct Model {
    /// What is watched, in words: `namespace shop`.
    pub(super) scope: String,
    /// What a command needs to speak to the same cluster: ` --context production`.
    pub(super) flags: String,
    /// Whether objects of several namespaces are watched.
    pub(super) has_namespaces: bool,
    /// The objects of the cluster, and what is behind how they are.
    pub(super) live: State,
    pub(super) filter: Filter,
    /// Whether the filter is being typed.
    pub(super) is_typing: bool,
    pub(super) order: Order,
    /// Whether also what is healthy is shown.
    pub(super) shows_all: bool,
    pub(super) screen: Screen,
    /// Where the way back leads.
    pub(super) back: Vec<Step>,
    pub(super) listing: Listing,
    /// The causes in the table, by their index.
    pub(super) shown: Vec<usize>,
    /// The cause that somebody chose, by its text.
    pub(super) chosen_cause: Option<String>,
    /// The first line that is shown of a screen other than the table.
    pub(super) scroll: usize,
    /// The object that is looked at.
    pub(super) looked: Option<(Key, Looked)>,
    /// What is behind it, as far as that is known.
    pub(super) explanation: Option<Box<Explanation>>,
    /// The object that somebody chose; until then the first row is selected, whatever it is.
    pub(super) chosen: Option<Key>,
    /// The row of the selection: where it goes on when its object leaves.
    pub(super) position: usize,
    pub(super) rows: Vec<Key>,
    /// Whether the rows have to be made anew.
    pub(super) is_dirty: bool,
    /// The revision of the objects that the rows were made of.
    pub(super) arranged: u64,
    /// Whether the terminal has nothing but ASCII.
    pub(super) is_ascii: bool,
    /// Columns and lines of the terminal.
    pub(super) size: (u16, u16),
}

impl Model {
    /// Nothing is known yet.
    pub(super) fn new(scope: String, has_namespaces: bool, now: Time) -> Self {
        Self {
            scope,
            flags: String::new(),
            has_namespaces,
            live: State::new(now),
            filter: Filter::default(),
            is_typing: false,
            order: Order::Worst,
            shows_all: false,
            screen: Screen::Table,
            back: Vec::new(),
            listing: Listing::Causes,
            shown: Vec::new(),
            chosen_cause: None,
            scroll: 0,
            looked: None,
            explanation: None,
            is_ascii: false,
            chosen: None,
            position: 0,
            rows: Vec::new(),
            is_dirty: true,
            arranged: 0,
            size: (80, 24),
        }
    }

    /// `Deployment/web`.
    pub(super) fn name(&self, key: &Key) -> String {
        let kind = self.live.kinds.get(key.kind).map_or("", |kind| &kind.name);
        format!("{kind}/{}", key.place.name)
    }

    /// How many lines a page has.
    pub(super) fn page(&self) -> usize {
        usize::from(self.size.1).saturating_sub(8).max(1)
    }

    /// Makes the rows anew where something changed: filtered, sorted, and with the selection on the object it was on.
    pub(super) fn arrange(&mut self) {
        let revision = self.live.revision;
        let is_new = std::mem::replace(&mut self.arranged, revision) != revision;
        if !std::mem::take(&mut self.is_dirty) && !is_new {
            return;
        }
        if self.shows_causes() {
            self.rows.clear();
            self.shown = self.wanted_causes();
            self.follow_cause();
            return;
        }
        self.shown.clear();
        let mut rows: Vec<Row<'_>> = Vec::new();
        let mut add = |kind, key: Key, record: &Record| {
            let flaps = self.live.history.flaps(&key, self.live.now);
            rows.push(Row { kind, key, health: record.health, begin: record.begin(), flaps });
        };
        match self.members() {
            Some(members) => {
                let members: HashSet<&Key> = members.iter().collect();
                for key in members {
                    let Some(kind) = self.live.kinds.get(key.kind) else { continue };
                    let Some(record) = kind.objects.get(&key.place) else { continue };
                    if self.matches(kind, &key.place, record, record.reason()) {
                        add(kind, key.clone(), record);
                    }
                }
            }
            None => {
                for (index, kind) in self.live.kinds.iter().enumerate() {
                    for (place, record) in kind.objects.iter() {
                        if self.is_wanted(kind, place, record) {
                            add(kind, Key { kind: index, place: Arc::clone(place) }, record);
                        }
                    }
                }
            }
        }
        let order = self.order;
        rows.sort_unstable_by(|a, b| a.compare(b, order));
        self.rows = rows.into_iter().map(|row| row.key).collect();
        self.follow_selection();
    }

    /// Returns true if the rows are causes.
    pub(super) fn shows_causes(&self) -> bool {
        self.listing == Listing::Causes && self.live.causes.is_some()
    }

    /// The objects that the table is about, where it is not about all; whether they are healthy or not.
    fn members(&self) -> Option<&[Key]> {
        match &self.listing {
            Listing::Causes | Listing::Objects => None,
            Listing::Cause(text) => {
                let cause = self.live.causes.iter().flatten().find(|cause| cause.text == *text);
                Some(cause.map_or(&[], |cause| &cause.objects))
            }
            Listing::Behind(_, objects) => Some(objects),
        }
    }

    /// The causes of which at least one object is wanted.
    fn wanted_causes(&self) -> Vec<usize> {
        let is_wanted = |cause: &Group| {
            self.filter.is_empty()
                || cause.objects.iter().any(|key| {
                    let kind = self.live.kinds.get(key.kind);
                    let found = kind.and_then(|kind| Some((kind, kind.objects.get(&key.place)?)));
                    let says = |kind, record, text| self.matches(kind, &key.place, record, text);
                    found.is_some_and(|(kind, record)| {
                        says(kind, record, &cause.text) || says(kind, record, record.reason())
                    })
                })
        };
        let causes = self.live.causes.iter().flatten().enumerate();
        causes.filter(|(_, cause)| is_wanted(cause)).map(|(index, _)| index).collect()
    }

    /// The cause of a row.
    pub(super) fn cause(&self, row: usize) -> Option<&Group> {
        self.live.causes.as_ref()?.get(*self.shown.get(row)?)
    }

    /// The number of rows.
    pub(super) fn length(&self) -> usize {
        if self.shows_causes() { self.shown.len() } else { self.rows.len() }
    }

    /// The watched objects behind the one that is looked at: those in its explanation.
    pub(super) fn behind(&self) -> Vec<Key> {
        let looked = self.looked.as_ref().map(|(key, _)| key);
        let mut behind: Vec<Key> = Vec::new();
        for node in self.explanation.iter().flat_map(|explanation| &explanation.nodes) {
            if let Some(key) = self.live.key_of(&node.object)
                && looked != Some(&key)
                && !behind.contains(&key)
            {
                behind.push(key);
            }
        }
        behind
    }

    /// Whether an object belongs into the table. What rests on purpose is not unhealthy.
    fn is_wanted(&self, kind: &Kind, place: &Place, record: &Record) -> bool {
        let is_well = record.health <= Health::Suspended;
        let is_shown = !is_well || self.shows_all || self.filter.asks_for_health();
        is_shown && self.matches(kind, place, record, record.reason())
    }

    fn matches(&self, kind: &Kind, place: &Place, record: &Record, reason: &str) -> bool {
        self.filter.matches(&Subject {
            kind: &kind.name,
            plural: &kind.plural,
            namespace: &place.namespace,
            name: &place.name,
            reason,
            health: record.health,
        })
    }

    fn follow_cause(&mut self) {
        let position = self.chosen_cause.as_ref().map(|chosen| {
            let is_chosen = |row: &usize| self.cause(*row).is_some_and(|cause| cause.text == *chosen);
            (0..self.shown.len()).find(is_chosen)
        });
        match position {
            None => self.position = 0,
            Some(Some(position)) => self.position = position,
            Some(None) => self.select(self.position),
        }
    }

    fn follow_selection(&mut self) {
        let Some(chosen) = &self.chosen else {
            self.position = 0;
            return;
        };
        match self.rows.iter().position(|row| row == chosen) {
            Some(position) => self.position = position,
            None => self.select(self.position),
        }
    }

    /// Selects another row.
    pub(super) fn select(&mut self, position: usize) {
        self.position = position.min(self.length().saturating_sub(1));
        if self.shows_causes() {
            self.chosen_cause = self.cause(self.position).map(|cause| cause.text.clone());
        } else {
            self.chosen = self.rows.get(self.position).cloned();
        }
    }

    /// The object of the selected row.
    pub(super) fn selected(&self) -> Option<&Key> {
        self.rows.get(self.position)
    }
}
