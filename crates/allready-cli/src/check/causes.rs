//! The causes of what is not well, one row each.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use allready_core::Time;
use allready_inspect::{
    causes::{Cause, Causes, Found},
    graph::ObjectId,
    health::Health,
    writers::Writer,
};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    age::age,
    output::{
        Cell, Column, Look, Table,
        text::{cut, is_ascii_locale},
    },
    printer::health_style,
    watch::command,
};

/// The room that a terminal has for the other columns of a row.
const BESIDE: usize = 44;
/// The least room for a cause.
const LEAST: usize = 36;
/// The most room: one long cause does not move the columns of all; documents have all of it.
const MOST: usize = 120;
/// The most rows: more than anybody reads.
const MAX_ROWS: usize = 200;
/// The names of affected objects that a document has for each kind.
const MAX_NAMES: usize = 100;

/// The groups of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    /// Application, by the labels app.kubernetes.io/part-of, /instance, /name, or app.
    App,
    /// Namespace.
    Namespace,
    /// The object that nothing else controls.
    Owner,
}

/// One cause, for programs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CauseEntry<'a> {
    /// Says what is wrong, in one line.
    cause: &'a str,
    reason: &'a str,
    /// The worst health of what is affected.
    health: Health,
    /// The object that the cause was found at; one of them where there are several.
    object: &'a ObjectId,
    namespaces: &'a BTreeSet<String>,
    since: Option<Time>,
    writer: Option<&'a Writer>,
    /// The objects that are not well because of it, by kind.
    affects: Vec<Affected<'a>>,
    /// The object to explain next.
    next: &'a ObjectId,
}

/// Affected objects of one kind.
#[derive(Serialize, JsonSchema)]
struct Affected<'a> {
    kind: &'a str,
    group: &'a str,
    count: usize,
    /// The first hundred of them.
    names: Vec<String>,
}

impl<'a> CauseEntry<'a> {
    pub(super) fn of(cause: &'a Cause) -> Self {
        let mut kinds: BTreeMap<(&str, &str), Vec<&ObjectId>> = BTreeMap::new();
        for id in &cause.affected {
            kinds.entry((&id.kind, &id.group)).or_default().push(id);
        }
        let name = |id: &&ObjectId| match id.namespace.as_str() {
            "" => id.name.clone(),
            namespace => format!("{namespace}/{}", id.name),
        };
        let affects = kinds.into_iter().map(|((kind, group), ids)| Affected {
            kind,
            group,
            count: ids.len(),
            names: ids.iter().take(MAX_NAMES).map(name).collect(),
        });
        Self {
            cause: &cause.text,
            reason: &cause.reason,
            health: cause.health,
            object: &cause.object,
            namespaces: &cause.namespaces,
            since: cause.since,
            writer: cause.writer.as_ref(),
            affects: affects.collect(),
            next: &cause.next,
        }
    }
}

/// The table of causes, worst first.
pub(super) fn table(found: &Found, causes: &Causes, by: Option<GroupBy>, look: Look, now: Time) -> String {
    let all = || found.causes.iter().chain(&found.hints);
    if all().next().is_none() {
        return String::new();
    }
    let has_namespaces = all().any(|cause| !cause.namespaces.is_empty());
    let mut columns = Vec::new();
    columns.extend(by.map(|by| Column::key(by.head())));
    columns.push(Column::key("CAUSE"));
    columns.extend((has_namespaces && by != Some(GroupBy::Namespace)).then(|| Column::fact("NAMESPACE")));
    columns.extend([Column::fact("SINCE"), Column::fact("AFFECTS"), Column::minor("SAID BY")]);
    let mut table = Table::new(look, columns);
    let rows: Vec<(Option<String>, Cause)> = match by {
        None => all().map(|cause| (None, cause.clone())).collect(),
        Some(by) => groups(found, causes, by)
            .into_iter()
            .flat_map(|group| group.causes.into_iter().map(move |cause| (Some(group.name.clone()), cause)))
            .collect(),
    };
    let more = rows.len().saturating_sub(MAX_ROWS);
    for (group, cause) in rows.into_iter().take(MAX_ROWS) {
        let mut row: Vec<Cell> = Vec::new();
        row.extend(group.as_ref().map(Cell::from));
        row.push(said(&cause, look));
        if has_namespaces && by != Some(GroupBy::Namespace) {
            let namespaces: Vec<&str> = cause.namespaces.iter().map(String::as_str).collect();
            row.push(namespaces.join(", ").into());
        }
        row.push(cause.since.map(|since| age(since, now)).unwrap_or_default().into());
        row.push(causes.affects(&cause).into());
        row.push(cause.writer.as_ref().map(|writer| writer.manager.as_str()).unwrap_or_default().into());
        table.row(row);
    }
    let mut text = table.text();
    if more > 0 {
        let _ = writeln!(text, "{more} more causes are not in this table: -o json has all of them.");
    }
    text
}

/// Causes of one group, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct GroupEntry<'a> {
    /// The application, namespace or owner.
    group: &'a str,
    /// The worst health of its causes.
    health: Health,
    /// The causes and hints, each with what it affects in this group.
    causes: Vec<CauseEntry<'a>>,
}

impl<'a> GroupEntry<'a> {
    pub(super) fn of(group: &'a Group) -> Self {
        let causes = group.causes.iter().map(CauseEntry::of).collect();
        Self { group: &group.name, health: group.health(), causes }
    }
}

/// Causes with what they affect in one application or namespace, or of one owner.
pub(super) struct Group {
    name: String,
    causes: Vec<Cause>,
}

impl Group {
    fn health(&self) -> Health {
        self.causes.iter().map(|cause| cause.health).max().unwrap_or(Health::Healthy)
    }
}

/// The causes of each group: worst first, and of those that are equally bad the one with most affected objects.
pub(super) fn groups(found: &Found, causes: &Causes, by: GroupBy) -> Vec<Group> {
    let mut groups: BTreeMap<String, Vec<Cause>> = BTreeMap::new();
    for cause in found.causes.iter().chain(&found.hints) {
        let mut parts: BTreeMap<String, Vec<ObjectId>> = BTreeMap::new();
        for id in &cause.affected {
            parts.entry(by.group(causes, id)).or_default().push(id.clone());
        }
        for (group, affected) in parts {
            groups.entry(group).or_default().push(causes.part(found, cause, affected));
        }
    }
    let worst = |cause: &Cause| Reverse((cause.health, cause.affected.len()));
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|(name, mut causes)| {
            causes.sort_by_key(worst);
            Group { name, causes }
        })
        .collect();
    let affected = |group: &Group| -> usize {
        let worst = group.causes.iter().filter(|cause| cause.health == group.health());
        worst.map(|cause| cause.affected.len()).sum()
    };
    groups.sort_by_key(|group| Reverse((group.health(), affected(group))));
    groups
}

impl GroupBy {
    fn head(self) -> &'static str {
        match self {
            Self::App => "APP",
            Self::Namespace => "NAMESPACE",
            Self::Owner => "OWNER",
        }
    }

    fn group(self, causes: &Causes, id: &ObjectId) -> String {
        match self {
            Self::App => causes.application(id).unwrap_or_default(),
            Self::Namespace => id.namespace.clone(),
            Self::Owner => {
                let top = causes.top(id);
                format!("{}/{}", top.kind, top.name)
            }
        }
    }
}

/// `✗ Secret web-env not found`.
fn said(cause: &Cause, look: Look) -> Cell {
    let sign = sign(cause.health, is_ascii_locale());
    let room = look.width.map_or(MOST, |width| width.saturating_sub(BESIDE).clamp(LEAST, MOST));
    let text = cut(&cause.text, room);
    Cell::from(format!("{sign} {text}")).styled(health_style(cause.health))
}

/// The sign before a cause: colours only help.
pub(crate) fn sign(health: Health, is_ascii: bool) -> &'static str {
    match (health, is_ascii) {
        (Health::Degraded | Health::Missing, false) => "✗",
        (Health::Degraded | Health::Missing, true) => "x",
        (Health::Unknown, _) => "?",
        (Health::Healthy, _) => "!",
        (_, false) => "…",
        (_, true) => "..",
    }
}

/// The command that explains the first cause.
pub(super) fn next(found: &Found, flags: &str) -> Option<String> {
    let next = &found.causes.iter().find(|cause| !cause.next.kind.is_empty())?.next;
    let is_builtin = !next.group.contains('.') || next.group.ends_with(".k8s.io");
    let kind = next.kind.to_lowercase();
    let resource = if is_builtin { kind } else { format!("{kind}.{}", next.group) };
    Some(command::explain(&resource, &next.namespace, &next.name, flags, usize::MAX).join(" "))
}
