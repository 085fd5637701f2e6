//! The screens that are lines from top to bottom: transitions, details, kinds, help.

use std::fmt::Write as _;

use allready_core::{Status, Time};
use allready_inspect::live::{Details, Key, Kind, Said, Stage, Transition, counted};
use allready_inspect::{health::Health, judge::Verdict};
use ratatui::text::{Line, Span};

use super::{
    Palette,
    text::{cell, cut, width, wrap},
};
use crate::{
    age::age,
    explain::shown,
    watch::{
        command,
        model::{Looked, Model, Screen},
    },
};

/// All lines of the screen, for so many columns.
pub(super) fn lines(model: &Model, palette: Palette, columns: u16) -> Vec<Line<'static>> {
    let columns = usize::from(columns);
    match model.screen {
        Screen::Table => Vec::new(),
        Screen::Transitions => transitions(model, palette, columns),
        Screen::Details => details(model, palette, columns),
        Screen::Kinds => kinds(model, palette, columns),
        Screen::Help => help(columns),
    }
}

fn heading(text: &str, columns: usize) -> Line<'static> {
    Line::from(Span::styled(cut(text, columns), Palette::strong()))
}

fn transitions(model: &Model, palette: Palette, columns: usize) -> Vec<Line<'static>> {
    let seen = model.live.history.transitions();
    if seen.is_empty() {
        return vec![Line::from(cut("Nothing has changed since this began.", columns))];
    }
    let head = heading("AGO    FROM        -> TO           FLAPS OBJECT", columns);
    let line = |transition: &Transition| {
        let flaps = match model.live.history.flaps(&transition.key, model.live.now) {
            0 => String::new(),
            flaps => format!("{flaps}x"),
        };
        let word = |health: Option<Health>, none: &str| {
            health.map_or_else(|| none.to_owned(), |health| format!("{health:?}"))
        };
        let place = &transition.key.place;
        let namespace = match (&*place.namespace, model.has_namespaces) {
            ("", _) | (_, false) => String::new(),
            (namespace, true) => format!(" in {namespace}"),
        };
        let reason =
            if transition.reason.is_empty() { String::new() } else { format!(": {}", transition.reason) };
        let text = format!(
            "{} {} -> {} {} {}{namespace}{reason}",
            cell(&age(transition.at, model.live.now), 6),
            cell(&word(transition.from, "new"), 11),
            cell(&word(transition.to, "gone"), 12),
            cell(&flaps, 5),
            model.name(&transition.key),
        );
        let style = transition.to.map_or_else(|| palette.aside(), |health| palette.health(health));
        Line::from(Span::styled(cut(&text, columns), style))
    };
    std::iter::once(head).chain(seen.iter().map(line)).collect()
}

fn details(model: &Model, palette: Palette, columns: usize) -> Vec<Line<'static>> {
    let Some((key, looked)) = &model.looked else { return Vec::new() };
    let namespace = match &*key.place.namespace {
        "" => String::new(),
        namespace => format!(" in {namespace}"),
    };
    let mut lines = vec![heading(&format!("{}{namespace}", model.name(key)), columns)];
    if model.live.record(key).is_none() {
        lines.push(Line::from(Span::styled("It is gone.", palette.alarm())));
    }
    match looked {
        Looked::Asking => lines.push(Line::from("reading it …")),
        Looked::Failed(why) => {
            lines.extend(wrap(&format!("It cannot be read: {why}"), columns).into_iter().map(Line::from));
        }
        Looked::Found(found) => {
            lines.extend(in_view(model, key, found, palette, columns));
            lines.extend(verdict(found, model.live.now, palette, columns));
            lines.extend(command(model, key, palette, columns));
            lines.extend(tree(model, columns));
            lines.push(Line::default());
            lines.extend(conditions(found, model.live.now, columns));
        }
    }
    lines
}

/// What to type to read, keep or send all of this.
fn command(model: &Model, key: &Key, palette: Palette, columns: usize) -> Vec<Line<'static>> {
    let resource = model.live.kinds.get(key.kind).map_or_else(String::new, Kind::full_name);
    let command = command::explain(&resource, &key.place.namespace, &key.place.name, &model.flags, columns);
    command.iter().map(|line| Line::from(Span::styled(cut(line, columns), palette.aside()))).collect()
}

/// What is behind the object, where that is more than its own conditions.
fn tree(model: &Model, columns: usize) -> Vec<Line<'static>> {
    let Some(explanation) = model.explanation.as_ref().filter(|told| shown::is_worth(told)) else {
        return Vec::new();
    };
    let tree = shown::lines(explanation, model.live.now, columns, model.is_ascii);
    let mut lines = vec![Line::default()];
    let mut is_tree = true;
    for line in tree {
        is_tree = is_tree && !line.is_empty();
        // A branch that is cut can still be read; what all of it comes to is what was looked for.
        let shown = if is_tree || line.is_empty() { vec![cut(&line, columns)] } else { wrap(&line, columns) };
        lines.extend(shown.into_iter().map(Line::from));
    }
    lines
}

/// The verdict in view of other objects, where that is worse than what the object says itself.
fn in_view(
    model: &Model,
    key: &Key,
    found: &Details,
    palette: Palette,
    columns: usize,
) -> Vec<Line<'static>> {
    let Some(record) = model.live.record(key).filter(|record| record.health > found.verdict.health) else {
        return Vec::new();
    };
    let reason = if record.reason().is_empty() { String::new() } else { format!(": {}", record.reason()) };
    let text = format!("{} in view of other objects{reason}", record.health);
    let mut lines: Vec<Line<'_>> = wrap(&text, columns)
        .into_iter()
        .map(|line| Line::from(Span::styled(line, palette.health(record.health))))
        .collect();
    lines.extend(indented(record.message(), columns));
    lines.push(Line::from(cut("By itself:", columns)));
    lines
}

fn verdict(found: &Details, now: Time, palette: Palette, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let verdict = &found.verdict;
    let mut decided = wrap(&format!("{}{}", verdict.health, decided(verdict, now)), columns).into_iter();
    if let Some(first) = decided.next() {
        lines.push(Line::from(Span::styled(first, palette.health(verdict.health))));
    }
    lines.extend(decided.map(Line::from));
    // What a condition says is said there.
    if !found.conditions.iter().any(|said| said.message == verdict.message) {
        lines.extend(indented(&verdict.message, columns));
    }
    let mut facts = vec![found.api_version.clone()];
    if let Some(created) = found.created {
        facts.push(format!("created {} ago", age(created, now)));
    }
    if let Some((current, observed)) = found.generations {
        facts.push(if current == observed {
            format!("generation {current} observed")
        } else {
            format!("generation {current}, but its status is about {observed}")
        });
    }
    if found.is_deleting {
        facts.push("is being deleted".to_owned());
    }
    lines.extend(wrap(&facts.join(", "), columns).into_iter().map(Line::from));
    lines
}

fn conditions(found: &Details, now: Time, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if found.conditions.is_empty() {
        lines.push(Line::from(cut("It has no conditions.", columns)));
    }
    for said in &found.conditions {
        lines.push(condition(said, now, columns));
        lines.extend(indented(&said.message, columns));
    }
    if found.omitted > 0 {
        lines.push(Line::from(cut(&format!("and {} more", counted(found.omitted, "condition")), columns)));
    }
    lines
}

/// What decided, and since when.
fn decided(verdict: &Verdict, now: Time) -> String {
    let mut text = String::new();
    if let Some(since) = verdict.since {
        let _ = write!(text, " for {}", age(since, now));
    }
    if !verdict.field.is_empty() {
        let _ = write!(text, ", by {}", verdict.field);
    }
    if !verdict.reason.is_empty() {
        let _ = write!(text, ": {}", verdict.reason);
    }
    if let Some(writer) = &verdict.writer {
        let _ = write!(text, " (written by {})", writer.manager);
    }
    text + &format!(" [rule {}]", verdict.rule)
}

fn condition(said: &Said, now: Time, columns: usize) -> Line<'static> {
    let status = match said.status {
        Status::True => "True",
        Status::False => "False",
        Status::Unknown => "Unknown",
    };
    let age = said.since.map_or_else(String::new, |since| format!(" for {}", age(since, now)));
    let reason = if said.reason.is_empty() { String::new() } else { format!(" {}", said.reason) };
    let writer = said.writer.as_ref().map_or_else(String::new, |writer| format!(", by {writer}"));
    let part = if said.part.is_empty() { String::new() } else { format!("{}: ", said.part) };
    heading(&format!("{part}{}={status}{reason}{age}{writer}", said.type_), columns)
}

fn indented(text: &str, columns: usize) -> impl Iterator<Item = Line<'static>> {
    wrap(text, columns.saturating_sub(2)).into_iter().map(|line| Line::from(format!("  {line}")))
}

fn kinds(model: &Model, palette: Palette, columns: usize) -> Vec<Line<'static>> {
    let mut lines = vec![heading("What is watched", columns)];
    for group in &model.live.blind {
        lines.extend(wrap(&format!("not readable: {group}"), columns).into_iter().map(Line::from));
    }
    let heard = model.live.heard.gap.iter().chain(&model.live.heard.problems);
    for told in heard {
        lines.extend(
            wrap(told, columns).into_iter().map(|line| Line::from(Span::styled(line, palette.alarm()))),
        );
    }
    let mut kinds: Vec<&Kind> = model.live.kinds.iter().filter(|kind| kind.stage != Stage::Retired).collect();
    kinds.sort_by_key(|kind| (!kind.is_failing(), kind.is_seen(), kind.full_name()));
    let widest = kinds.iter().map(|kind| width(&kind.full_name())).max().unwrap_or(0);
    let named = widest.min(columns * 2 / 3);
    for kind in kinds {
        let objects = counted(kind.objects.len(), "object");
        let (text, style) = match &kind.stage {
            Stage::Failing { why, since } => {
                (format!("failing for {}: {why}", age(*since, model.live.now)), palette.alarm())
            }
            Stage::Listing | Stage::Retired => (format!("listing, {objects} so far"), palette.aside()),
            Stage::Opening => (format!("listed, {objects}; opening the watch"), palette.aside()),
            Stage::Watching => (format!("watching, {objects}"), ratatui::style::Style::new()),
        };
        // A name that does not fit is shown whole, at the cost of the column.
        let name = kind.full_name();
        let name = if width(&name) > named { name } else { cell(&name, named) };
        let text = if kind.is_failing() {
            wrap(&format!("{} {text}", kind.full_name()), columns)
        } else {
            vec![cut(&format!("{name}  {text}"), columns)]
        };
        lines.extend(text.into_iter().map(|line| Line::from(Span::styled(line, style))));
    }
    lines
}

const HELP: &str = "\
j k, arrows      select; g and G for the first and the last
Enter            the objects of the selected cause; details of an object, with
                 the command that explains it (n, p: the next, the one before);
                 from there, the objects behind it
c                causes, or objects
/                filter: words that all have to be in kind, name, namespace or
                 reason; also health:degraded kind:pod ns:shop name:web
                 reason:crash, and !word for what is not wanted
a                show what is healthy or suspended too, or not
s                sort: worst, newest, most flaps, by name
t                transitions: what changed since this began
w                what is watched, and what cannot be
q, Esc           back, and at the table the end; Ctrl-C ends it anywhere

HEALTH  how an object is doing, worst first: Degraded, Missing, Unknown,
        Progressing, Suspended (on purpose), Healthy. With a question mark:
        it cannot be watched now, so this may be out of date.
AGE     since when; with > at least so long, as the object does not say.
FLAPS   how often its health changed in the last ten minutes, if anything did.";

fn help(columns: usize) -> Vec<Line<'static>> {
    let head = heading("Keys and columns", columns);
    let body = HELP.lines().map(|line| Line::from(cut(line, columns)));
    std::iter::once(head).chain(body).collect()
}
