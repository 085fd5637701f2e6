//! The table of causes: one row each, as `check` has them.

use allready_inspect::live::{Group, Kind, counted};
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
    widgets::Paragraph,
};

use super::{
    Palette, table,
    text::{cell, cut, width, wrap},
};
use crate::{age::age, check::sign, watch::model::Model};

/// `179m`.
const SINCE: usize = 5;
/// The least room for a cause.
const LEAST: usize = 30;

pub(super) fn draw(model: &Model, palette: Palette, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    // Of the selected cause all is shown where there is room for it.
    let whole = if area.height >= 12 { 3 } else { 0 };
    let rows = Rect { height: area.height - whole, ..area };
    let mut lines = Vec::new();
    if rows.height >= 8 && !(model.shown.is_empty() && model.filter.is_empty()) {
        let caption = format!("{} shown, worst first", counted(model.shown.len(), "cause"));
        let caption = cut(&(caption + &table::part(model, rows)), columns);
        lines.push(Line::from(Span::styled(caption, palette.aside())));
    }
    if model.shown.is_empty() {
        lines.extend(wrap(&table::nothing(model), columns).into_iter().map(Line::from));
        frame.render_widget(Paragraph::new(lines), rows);
        return;
    }
    let widths = Widths::of(model, columns);
    if rows.height >= 4 {
        let head = widths.line(&["CAUSE", "NAMESPACE", "SINCE", "AFFECTS"].map(str::to_owned));
        lines.push(Line::from(Span::styled(head, Palette::strong())));
    }
    let visible = usize::from(rows.height).saturating_sub(lines.len());
    let first = table::first_row(model.position, model.shown.len(), visible);
    let shown = (first..model.shown.len()).take(visible);
    lines.extend(shown.filter_map(|row| Some(widths.row(model, palette, model.cause(row)?, row))));
    frame.render_widget(Paragraph::new(lines), rows);
    let below = Rect { y: area.y + rows.height, height: whole, ..area };
    frame.render_widget(Paragraph::new(selected(model, below)), below);
}

/// The widths of the columns; those with no width are left out.
#[derive(Clone, Copy, Debug)]
struct Widths {
    cause: usize,
    namespace: usize,
    since: usize,
    affects: usize,
}

impl Widths {
    fn of(model: &Model, columns: usize) -> Self {
        let shown = || (0..model.shown.len().min(500)).filter_map(|row| model.cause(row));
        let widest = |text: &dyn Fn(&Group) -> usize| shown().map(text).max().unwrap_or(0);
        let mut room = columns.saturating_sub(1);
        let mut take = |wanted: usize| {
            let taken = if room > wanted + LEAST { wanted } else { 0 };
            room -= if taken > 0 { taken + 1 } else { 0 };
            taken
        };
        let since = take(SINCE);
        let affects =
            take(widest(&|cause| width(&cause.affects)).clamp("AFFECTS".len(), (columns / 3).max(7)));
        let namespace = if model.has_namespaces {
            take(widest(&|cause| width(&namespaces(cause))).clamp("NAMESPACE".len(), (columns / 6).max(9)))
        } else {
            0
        };
        // A long cause takes what is left, and no more than the longest needs.
        let cause = room.min(widest(&|cause| width(&cause.text) + 3).max("CAUSE".len()));
        Self { cause, namespace, since, affects }
    }

    fn line(&self, cells: &[String; 4]) -> String {
        let widths = [self.cause, self.namespace, self.since, self.affects];
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = shown.map(|(text, width)| cell(text, width)).collect();
        format!(" {}", cells.join(" "))
    }

    fn row(&self, model: &Model, palette: Palette, cause: &Group, row: usize) -> Line<'static> {
        // With a question mark where nobody knows whether it still holds.
        let is_failing = |kind: usize| model.live.kinds.get(kind).is_some_and(Kind::is_failing);
        let is_stale = model.live.silence.is_some() || cause.objects.iter().any(|key| is_failing(key.kind));
        let mark = if is_stale { "?" } else { "" };
        let said = format!("{}{mark} {}", sign(cause.health, model.is_ascii), cause.text);
        let since = cause.since.map_or_else(String::new, |since| age(since, model.live.now));
        let text = self.line(&[said, namespaces(cause), since, cause.affects.clone()]);
        let style = palette.health(cause.health);
        if row == model.position {
            let text = format!(">{}", text.get(1..).unwrap_or_default());
            return Line::from(Span::styled(text, style.patch(Palette::selected())));
        }
        // The cause alone is coloured.
        let sign: String = text.chars().take(1 + self.cause).collect();
        let rest = text.get(sign.len()..).unwrap_or_default().to_owned();
        Line::from(vec![Span::styled(sign, style), Span::raw(rest)])
    }
}

fn namespaces(cause: &Group) -> String {
    cause.namespaces.join(", ")
}

/// All of the selected cause, as far as there is room.
fn selected(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let Some(cause) = model.cause(model.position) else { return Vec::new() };
    let columns = usize::from(area.width);
    let by = cause.writer.as_ref().map_or_else(String::new, |writer| format!(" (by {writer})"));
    let mut lines = wrap(&format!("{}{by}", cause.text), columns);
    lines.truncate(usize::from(area.height).saturating_sub(1));
    lines.insert(0, cut(&format!("Affects {}", cause.affects), columns));
    lines.into_iter().map(Line::from).collect()
}
