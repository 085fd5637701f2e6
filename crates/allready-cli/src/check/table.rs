//! What is not healthy, worst first, with equal causes as one row; bounded, however much there is.

use std::collections::{BTreeSet, HashMap};

use allready_core::Time;
use allready_inspect::{health::Health, judge::Rule};

use super::judgement::Judgement;
use crate::{
    age::age,
    output::{Cell, Column, Look, Table, text::cut},
    printer::health_style,
};

/// How many rows of one health are kept: more than anybody reads, and little enough to hold.
const MAX_ROWS: usize = 1_000;
/// How many names of a row are kept.
const MAX_NAMES: usize = 5;
/// How much of a message is kept, in characters.
const MAX_MESSAGE: usize = 2_000;
/// How much of any other text.
const MAX_TEXT: usize = 300;
/// What stands where there are different values.
const SEVERAL: &str = "<several>";
/// How many namespaces of a row are named.
const MAX_NAMESPACES: usize = 3;

/// The rows of a table that is being gathered.
#[derive(Debug)]
pub(super) struct Rows {
    is_grouped: bool,
    by_cause: HashMap<Cause, usize>,
    groups: Vec<Group>,
    counts: [usize; 6],
    /// How many objects have no row for want of room.
    pub(super) not_shown: u64,
}

/// What the objects of a row have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Cause {
    health: Health,
    /// The health as it is written.
    word: &'static str,
    kind: String,
    group: String,
    reason: String,
    message: String,
}

/// Some objects with the same cause.
#[derive(Debug)]
struct Group {
    cause: Cause,
    is_cut: bool,
    namespaces: BTreeSet<String>,
    names: Vec<String>,
    count: u64,
    /// The longest that any of them has been like this.
    since: Option<Time>,
    writer: String,
    rule: Rule,
    field: String,
    lag: Option<i64>,
}

impl Rows {
    pub(super) fn new(is_grouped: bool) -> Self {
        Self { is_grouped, by_cause: HashMap::new(), groups: Vec::new(), counts: [0; 6], not_shown: 0 }
    }

    /// Adds what one object came to.
    pub(super) fn add(&mut self, judgement: &Judgement) {
        let verdict = &judgement.verdict;
        let message = cut(&verdict.message, MAX_MESSAGE);
        let cause = Cause {
            health: verdict.health,
            word: judgement.word(),
            kind: cut(&judgement.kind, MAX_TEXT),
            group: cut(judgement.group(), MAX_TEXT),
            reason: cut(&verdict.reason, MAX_TEXT),
            message,
        };
        let known = self.by_cause.get(&cause).filter(|_| self.is_grouped);
        if let Some(group) = known.and_then(|&index| self.groups.get_mut(index)) {
            return group.join(judgement);
        }
        let count = &mut self.counts[verdict.health as usize];
        if *count == MAX_ROWS {
            self.not_shown += 1;
            return;
        }
        *count += 1;
        if self.is_grouped {
            self.by_cause.insert(cause.clone(), self.groups.len());
        }
        self.groups.push(Group::new(cause, judgement));
    }

    /// Whether a message has been cut.
    pub(super) fn is_cut(&self) -> bool {
        self.groups.iter().any(|group| group.is_cut)
    }

    /// The rules that decided, each once.
    pub(super) fn rules(&self) -> BTreeSet<Rule> {
        self.groups.iter().map(|group| group.rule).collect()
    }

    /// The table, worst first, and of those with the same health the one with the most objects first.
    pub(super) fn table(mut self, look: Look, now: Time) -> String {
        if self.groups.is_empty() {
            return String::new();
        }
        let rank = |health: Health| Health::WORST_FIRST.iter().position(|&other| other == health);
        self.groups.sort_by(|a, b| {
            let key = |group: &Group| (rank(group.cause.health), std::cmp::Reverse(group.count));
            let text = |group: &Group| {
                (
                    group.cause.kind.clone(),
                    group.namespaces.clone(),
                    group.names.clone(),
                    group.cause.reason.clone(),
                )
            };
            // What has lasted longest comes first, and what nobody knows the age of last.
            let since = |group: &Group| (group.since.is_none(), group.since);
            key(a).cmp(&key(b)).then_with(|| since(a).cmp(&since(b))).then_with(|| text(a).cmp(&text(b)))
        });
        let has_namespaces =
            self.groups.iter().any(|group| group.namespaces.iter().any(|name| !name.is_empty()));
        let mut columns = vec![Column::key("HEALTH")];
        columns.extend(has_namespaces.then(|| Column::fact("NAMESPACE")));
        columns.extend([Column::key("KIND/NAME"), Column::fact("SINCE"), Column::key("REASON")]);
        columns.push(Column::minor("WRITER"));
        if look.is_wide {
            columns.extend(["RULE", "FIELD", "LAG"].map(Column::minor));
        }
        columns.push(Column::text("MESSAGE"));
        let mut table = Table::new(look, columns);
        for group in &self.groups {
            table.row(group.row(now, has_namespaces, look.is_wide));
        }
        table.text()
    }
}

impl Group {
    fn new(cause: Cause, judgement: &Judgement) -> Self {
        let verdict = &judgement.verdict;
        Self {
            is_cut: judgement.verdict.message.chars().nth(MAX_MESSAGE).is_some(),
            namespaces: BTreeSet::from([cut(&judgement.namespace, MAX_TEXT)]),
            names: vec![cut(judgement.called(), MAX_TEXT)],
            count: 1,
            since: verdict.since,
            writer: writer(judgement),
            rule: verdict.rule,
            field: cut(&verdict.field, MAX_TEXT),
            lag: judgement.lag(),
            cause,
        }
    }

    fn join(&mut self, judgement: &Judgement) {
        self.count += 1;
        if self.names.len() < MAX_NAMES {
            self.names.push(cut(judgement.called(), MAX_TEXT));
        }
        // One more than is named, to know that there are more.
        if self.namespaces.len() <= MAX_NAMESPACES {
            self.namespaces.insert(cut(&judgement.namespace, MAX_TEXT));
        }
        if self.writer != writer(judgement) {
            SEVERAL.clone_into(&mut self.writer);
        }
        if self.field != judgement.verdict.field {
            SEVERAL.clone_into(&mut self.field);
        }
        self.lag = self.lag.max(judgement.lag());
        self.since = match (self.since, judgement.verdict.since) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// The namespaces, as `pay, shop, …`.
    fn in_namespaces(&self) -> String {
        let named: Vec<&str> = self.namespaces.iter().take(MAX_NAMESPACES).map(String::as_str).collect();
        let more = if self.namespaces.len() > MAX_NAMESPACES { ", …" } else { "" };
        named.join(", ") + more
    }

    fn row(&self, now: Time, has_namespaces: bool, is_wide: bool) -> Vec<Cell> {
        let slash = if self.cause.kind.is_empty() { "" } else { "/" };
        let mut row = vec![Cell::from(self.cause.word).styled(health_style(self.cause.health))];
        row.extend(has_namespaces.then(|| Cell::from(self.in_namespaces())));
        row.push(Cell::names(&format!("{}{slash}", self.cause.kind), &self.names, self.count));
        row.push(self.since.map(|since| age(since, now)).unwrap_or_default().into());
        row.extend([&self.cause.reason, &self.writer].map(Cell::from));
        if is_wide {
            let lag = self.lag.map(|lag| lag.to_string()).unwrap_or_default();
            row.extend([self.rule.id(), &self.field, &lag].map(Cell::from));
        }
        row.push(Cell::from(&self.cause.message));
        row
    }
}

fn writer(judgement: &Judgement) -> String {
    judgement.verdict.writer.as_ref().map(|writer| cut(&writer.manager, MAX_TEXT)).unwrap_or_default()
}
