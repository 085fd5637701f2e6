//! The screen, drawn from the model alone. Every fact is a word: colours only help.

mod causes;
mod pages;
mod style;
mod table;
mod text;

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
    widgets::Paragraph,
};

pub(super) use self::style::Palette;
use self::text::{cut, width};
use super::model::{Listing, Model, Screen};
use allready_inspect::health::Health;

/// Draws everything.
pub(super) fn draw(model: &Model, palette: Palette, frame: &mut Frame<'_>) {
    let areas = Areas::of(frame.area());
    let head = head(model, palette, areas.head.width);
    frame.render_widget(Paragraph::new(head), areas.head);
    match model.screen {
        Screen::Table if model.shows_causes() => causes::draw(model, palette, frame, areas.body),
        Screen::Table => table::draw(model, palette, frame, areas.body),
        _ => page(model, palette, frame, areas.body),
    }
    frame.render_widget(Paragraph::new(foot(model, palette, areas.foot.width)), areas.foot);
    if model.is_ascii {
        // The sign for what is cut is the only one of ours that such a terminal does not have.
        for cell in frame.buffer_mut().content.iter_mut().filter(|cell| cell.symbol() == "…") {
            cell.set_char('~');
        }
    }
}

/// Where things are. What matters least goes first when there is little room.
#[derive(Clone, Copy, Debug)]
struct Areas {
    head: Rect,
    body: Rect,
    foot: Rect,
}

impl Areas {
    fn of(whole: Rect) -> Self {
        let head = match whole.height {
            0..3 => 0,
            3..8 => 1,
            _ => 2,
        };
        let foot = u16::from(whole.height >= 5);
        let body = whole.height - head - foot;
        Self {
            head: Rect { height: head, ..whole },
            body: Rect { y: whole.y + head, height: body, ..whole },
            foot: Rect { y: whole.y + head + body, height: foot, ..whole },
        }
    }
}

fn head(model: &Model, palette: Palette, columns: u16) -> Vec<Line<'static>> {
    let columns = usize::from(columns);
    let coverage = model.live.coverage();
    let mut counts = Line::default();
    for health in Health::WORST_FIRST {
        let count = model.live.tally.of(health);
        if count > 0 || health == Health::Healthy {
            if !counts.spans.is_empty() {
                counts.push_span(Span::raw(", "));
            }
            // What nobody hears of is not green, whatever it was.
            let (mark, style) = if model.live.silence.is_some() {
                ("?", palette.aside())
            } else {
                ("", palette.health(health))
            };
            counts.push_span(Span::styled(format!("{count} {health:?}{mark}"), style));
        }
    }
    let room = columns.saturating_sub(counts.width());
    counts.push_span(Span::styled(cut(&format!("  in {}", model.scope), room), palette.aside()));
    let watching = cut(&coverage.text(), columns);
    let style = if coverage.has_gaps() { palette.alarm() } else { palette.aside() };
    let watching = Line::from(Span::styled(watching, style));
    // With one line only, a gap is said rather than a count that may be wrong.
    if coverage.has_gaps() { vec![watching, counts] } else { vec![counts, watching] }
}

fn foot(model: &Model, palette: Palette, columns: u16) -> Line<'static> {
    let columns = usize::from(columns);
    if model.is_typing {
        let prompt = "filter: ";
        let hint = "   Enter keeps it, Esc clears it";
        let text = format!("{}_", model.filter.text());
        let room = columns.saturating_sub(prompt.len());
        // The end of what is typed is where the eyes are.
        let mut shown = crate::printer::tame(&text);
        while width(&shown) > room && !shown.is_empty() {
            shown.remove(0);
        }
        let hint = if width(&shown) + hint.len() <= room { hint } else { "" };
        return Line::from(vec![
            Span::styled(prompt, Palette::strong()),
            Span::raw(shown),
            Span::styled(hint, palette.aside()),
        ]);
    }
    let keys: &[&str] = match model.screen {
        Screen::Table if model.shows_causes() => &[
            "Enter its objects  c objects  / filter  t transitions  w kinds  ? help  q quit",
            "Enter its objects  c objects  ? help  q quit",
            "? help  q quit",
        ],
        Screen::Table if matches!(model.listing, Listing::Cause(_) | Listing::Behind(..)) => &[
            "Enter details  / filter  t transitions  c objects  s sort  ? help  q back",
            "Enter details  / filter  ? help  q back",
            "? help  q back",
        ],
        Screen::Table => &[
            "Enter details  c causes  / filter  t transitions  a all  s sort  ? help  q quit",
            "Enter details  / filter  ? help  q quit",
            "? help  q quit",
        ],
        Screen::Details if !model.behind().is_empty() => &[
            "j/k scroll  Enter objects behind it  n/p next and previous  ? help  q back",
            "Enter objects behind it  ? help  q back",
            "? help  q back",
        ],
        Screen::Details => &[
            "j/k scroll  n/p next and previous object  t transitions  ? help  q back",
            "n/p other objects  ? help  q back",
            "? help  q back",
        ],
        _ => &["j/k scroll  space page  t transitions  w kinds  ? help  q back", "? help  q back"],
    };
    // With little room, how to get help and how to get out.
    let keys = keys.iter().find(|keys| width(keys) <= columns).or(keys.last()).copied().unwrap_or_default();
    Line::from(Span::styled(cut(keys, columns), palette.aside()))
}

fn page(model: &Model, palette: Palette, frame: &mut Frame<'_>, area: Rect) {
    let lines = pages::lines(model, palette, area.width);
    let last = lines.len().saturating_sub(usize::from(area.height));
    let shown = lines.into_iter().skip(model.scroll.min(last)).take(usize::from(area.height));
    frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()), area);
}

/// How far the screen can be scrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pages {
    /// The lines of one page.
    pub(super) height: usize,
    /// The first line of the last page.
    pub(super) last: usize,
}

impl Pages {
    pub(super) fn of(model: &Model) -> Self {
        let (columns, lines) = model.size;
        let body = Areas::of(Rect::new(0, 0, columns, lines)).body;
        let height = usize::from(body.height);
        let length = pages::lines(model, Palette::Plain, columns).len();
        Self { height: height.max(1), last: length.saturating_sub(height) }
    }
}
