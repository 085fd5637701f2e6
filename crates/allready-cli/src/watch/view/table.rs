//! The table of what is not healthy.

use std::fmt::Write as _;

use allready_inspect::live::{Key, Kind, Record, counted};
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
    widgets::Paragraph,
};

use super::{
    Palette,
    text::{cell, cut, width, wrap},
};
use crate::{
    age::age,
    watch::model::{Listing, Model},
};

/// `Progressing`, and `>179m`.
const HEALTH: usize = 11;
const AGE: usize = 5;
const FLAPS: usize = 5;

pub(super) fn draw(model: &Model, palette: Palette, frame: &mut Frame<'_>, area: Rect) {
    // Of the selected object the message is shown where there is room for it.
    let message = if area.height >= 12 { 3 } else { 0 };
    let table = Rect { height: area.height - message, ..area };
    let mut lines = Vec::new();
    if table.height >= 8 && !(model.rows.is_empty() && model.filter.is_empty()) {
        let caption = cut(&caption(model, table), usize::from(area.width));
        lines.push(Line::from(Span::styled(caption, palette.aside())));
    }
    if model.rows.is_empty() {
        lines.extend(wrap(&nothing(model), usize::from(area.width)).into_iter().map(Line::from));
        frame.render_widget(Paragraph::new(lines), table);
        return;
    }
    let columns = Columns::of(model, usize::from(area.width));
    if table.height >= 4 {
        lines.push(Line::from(Span::styled(columns.head(), Palette::strong())));
    }
    let visible = usize::from(table.height).saturating_sub(lines.len());
    let first = first_row(model.position, model.rows.len(), visible);
    let shown = model.rows.iter().enumerate().skip(first).take(visible);
    lines.extend(shown.map(|(index, key)| columns.row(model, palette, key, index == model.position)));
    frame.render_widget(Paragraph::new(lines), table);
    let below = Rect { y: area.y + table.height, height: message, ..area };
    frame.render_widget(Paragraph::new(self::message(model, below)), below);
}

/// The first row on the screen: the selection is in the middle, except near the ends.
pub(super) fn first_row(position: usize, rows: usize, visible: usize) -> usize {
    position.saturating_sub(visible / 2).min(rows.saturating_sub(visible))
}

fn caption(model: &Model, table: Rect) -> String {
    let about = match &model.listing {
        Listing::Causes | Listing::Objects => String::new(),
        Listing::Cause(text) => format!(" of: {text}"),
        Listing::Behind(key, _) => format!(" behind {}", model.name(key)),
    };
    let shown = counted(model.rows.len(), "object");
    // What all of them are about may be long, and is cut.
    if !about.is_empty() {
        return format!("{shown}{about}");
    }
    let mut caption = format!("{shown} shown, {}", model.order.text());
    if model.shows_all {
        caption += ", healthy ones too";
    }
    caption + &part(model, table)
}

/// The part of the rows that is on the screen, where not all are; and the filter.
pub(super) fn part(model: &Model, table: Rect) -> String {
    let mut part = String::new();
    if model.length() > usize::from(table.height) {
        let _ = write!(part, "; row {}", model.position + 1);
    }
    if !model.filter.is_empty() && !model.is_typing {
        let _ = write!(part, "; filter: {}", model.filter.text());
    }
    part
}

/// Why there are no rows. That everything is healthy is said only if everything is seen.
pub(super) fn nothing(model: &Model) -> String {
    let coverage = model.live.coverage();
    let gaps = match (coverage.failing, coverage.blind) {
        (0, 0) => match (&coverage.silence, &coverage.undeclared) {
            (Some(_), _) => Some("the API server does not answer".to_owned()),
            (None, Some(_)) => {
                Some("the CRDs cannot be read, so declarations in them are not known".to_owned())
            }
            (None, None) => None,
        },
        (failing, 0) => Some(format!("{} cannot be watched", counted(failing, "kind"))),
        (_, blind) => Some(format!(
            "{} and {} cannot be read",
            counted(coverage.failing, "kind"),
            counted(blind, "API group")
        )),
    };
    if !model.filter.is_empty() {
        return "Nothing that is shown matches the filter. Esc clears it.".to_owned();
    }
    match model.listing {
        Listing::Cause(_) => return "No object is affected by this cause any more.".to_owned(),
        Listing::Behind(..) => return "The objects behind it are gone.".to_owned(),
        Listing::Causes | Listing::Objects => {}
    }
    if let Some(gaps) = gaps {
        return format!("Nothing unhealthy is seen, but {gaps}; w shows more.");
    }
    if !coverage.is_complete() {
        return "Nothing unhealthy so far; not everything is listed yet.".to_owned();
    }
    if model.live.causes.is_none() {
        return "Nothing unhealthy so far; objects are not compared with each other yet.".to_owned();
    }
    if model.live.tally.all() == 0 {
        return format!("There are no objects in {}.", model.scope);
    }
    let suspended = match model.live.tally.of(allready_inspect::health::Health::Suspended) {
        0 => String::new(),
        count => format!(", {count} of them suspended on purpose"),
    };
    format!(
        "Everything is healthy: {} of {}{suspended}.",
        counted(model.live.tally.all(), "object"),
        counted(coverage.kinds, "kind")
    )
}

/// How wide the columns are; those with no width are left out.
#[derive(Clone, Copy, Debug)]
struct Columns {
    health: usize,
    age: usize,
    flaps: usize,
    namespace: usize,
    object: usize,
    reason: usize,
    message: usize,
}

impl Columns {
    fn of(model: &Model, columns: usize) -> Self {
        let widest = |text: &dyn Fn(&Key) -> usize| model.rows.iter().take(500).map(text).max().unwrap_or(0);
        // The mark and the health are always there.
        let is_stale = model.live.silence.is_some() || model.live.kinds.iter().any(Kind::is_failing);
        let health = HEALTH + usize::from(is_stale);
        let mut room = columns.saturating_sub(1 + health);
        let mut take = |wanted: usize, least: usize| {
            let is_room = room > wanted + least;
            let taken = if is_room { wanted } else { 0 };
            room -= if taken > 0 { taken + 1 } else { 0 };
            taken
        };
        let age = take(AGE, 12);
        // Where nothing changes, reasons need the room.
        let flaps = if model.live.history.is_calm() { 0 } else { take(FLAPS, 30) };
        let namespace = if model.has_namespaces {
            let limit = (columns / 6).max(9);
            take(widest(&|key| width(&key.place.namespace)).max("NAMESPACE".len()).min(limit), 20)
        } else {
            0
        };
        let object = widest(&|key| width(&model.name(key))).max("OBJECT".len());
        let reason =
            widest(&|key| model.live.record(key).map_or(0, |record| width(why(record)))).max("REASON".len());
        let room = room.saturating_sub(1);
        // Names are worth more than reasons: a reason has its details.
        let object = object.min(if room > 30 { room - (reason + 1).min(room / 3) } else { room });
        let rest = room.saturating_sub(object + 1);
        let reason = if rest >= 6 { reason.min(rest) } else { 0 };
        let rest = rest.saturating_sub(reason + 1);
        let message = if rest >= 20 { rest } else { 0 };
        Self { health, age, flaps, namespace, object, reason, message }
    }

    fn head(&self) -> String {
        self.line(&["HEALTH", "AGE", "FLAPS", "NAMESPACE", "OBJECT", "REASON", "MESSAGE"].map(str::to_owned))
    }

    fn line(&self, cells: &[String; 7]) -> String {
        let widths =
            [self.health, self.age, self.flaps, self.namespace, self.object, self.reason, self.message];
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = shown.map(|(text, width)| cell(text, width)).collect();
        format!(" {}", cells.join(" "))
    }

    fn row(&self, model: &Model, palette: Palette, key: &Key, is_selected: bool) -> Line<'static> {
        let Some(record) = model.live.record(key) else { return Line::default() };
        let flaps = match model.live.history.flaps(key, model.live.now) {
            0 => String::new(),
            flaps => format!("{flaps}x"),
        };
        // Where there is no room for both, what has no reason still has a message.
        let (reason, message) =
            if self.message > 0 { (record.reason(), record.message()) } else { (why(record), "") };
        let text = self.line(&[
            health(model, key, record),
            told_age(model, record),
            flaps,
            key.place.namespace.to_string(),
            model.name(key),
            reason.to_owned(),
            message.to_owned(),
        ]);
        let style = palette.health(record.health);
        if is_selected {
            let text = format!(">{}", text.get(1..).unwrap_or_default());
            return Line::from(Span::styled(text, style.patch(Palette::selected())));
        }
        // The health alone is coloured: a table of one colour is hard to read.
        let end = (1 + self.health).min(text.len());
        let (health, rest) = text.split_at_checked(end).unwrap_or((&text, ""));
        Line::from(vec![Span::styled(health.to_owned(), style), Span::raw(rest.to_owned())])
    }
}

/// The reason, or else the message.
fn why(record: &Record) -> &str {
    if record.reason().is_empty() { record.message() } else { record.reason() }
}

/// The word, with a question mark where nobody knows whether it still holds.
fn health(model: &Model, key: &Key, record: &Record) -> String {
    let is_failing = model.live.kinds.get(key.kind).is_some_and(Kind::is_failing);
    let is_stale = is_failing || model.live.silence.is_some();
    format!("{}{}", record.health, if is_stale { "?" } else { "" })
}

/// How long it has been like this: at least, where neither the object says since when nor anybody saw it change.
fn told_age(model: &Model, record: &Record) -> String {
    match record.begin() {
        Some(since) => age(since, model.live.now),
        None => format!(">{}", age(record.seen, model.live.now)),
    }
}

fn message(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let Some((key, record)) = model.selected().and_then(|key| Some((key, model.live.record(key)?))) else {
        return Vec::new();
    };
    let columns = usize::from(area.width);
    let mut title = model.name(key);
    if !record.reason().is_empty() {
        let _ = write!(title, ": {}", record.reason());
    }
    if let Some(writer) = record.told.as_ref().and_then(|told| told.writer.as_ref()) {
        let _ = write!(title, " (by {})", writer.manager);
    }
    let mut lines = wrap(record.message(), columns);
    let room = usize::from(area.height).saturating_sub(1);
    if lines.len() > room {
        lines.truncate(room);
        if let Some(last) = lines.last_mut() {
            *last = format!("{} …", cut(last, columns.saturating_sub(2)));
        }
    }
    let title = Line::from(Span::styled(cut(&title, columns), Palette::strong()));
    std::iter::once(title).chain(lines.into_iter().map(Line::from)).collect()
}
