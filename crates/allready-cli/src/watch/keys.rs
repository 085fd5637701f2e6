//! What keys do.

use super::{
    filter::Filter,
    model::{Looked, Model, Screen},
    update::Effect,
    view,
};

/// A key, as far as it means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    /// Empties the line that is being typed.
    Clear,
    /// Ctrl-C: the end, wherever one is.
    Interrupt,
    Char(char),
}

/// The longest filter.
const MAX_FILTER: usize = 200;

/// A key was pressed.
pub(super) fn press(model: &mut Model, press: Press) -> Option<Effect> {
    if press == Press::Interrupt {
        return Some(Effect::Quit);
    }
    if model.is_typing {
        type_filter(model, press);
        return None;
    }
    match press {
        Press::Char('q') | Press::Escape => return leave(model, press),
        Press::Char('?' | 'h') => open(model, Screen::Help),
        Press::Char('t') => open(model, Screen::Transitions),
        Press::Char('w') => open(model, Screen::Kinds),
        Press::Char('n' | 'p') if model.screen == Screen::Details => return look_at_another(model, press),
        _ if model.screen == Screen::Table => return in_table(model, press),
        _ => scroll(model, press),
    }
    None
}

fn in_table(model: &mut Model, press: Press) -> Option<Effect> {
    model.arrange();
    match press {
        Press::Char('/') => model.is_typing = true,
        Press::Char('a') => {
            model.shows_all = !model.shows_all;
            model.is_dirty = true;
        }
        Press::Char('s') => {
            model.order = model.order.next();
            model.is_dirty = true;
        }
        Press::Enter | Press::Char('l') => return look(model),
        other => {
            if let Some(position) = moved(model.position, model.page(), model.rows.len(), other) {
                model.select(position);
            }
        }
    }
    None
}

fn look(model: &mut Model) -> Option<Effect> {
    let key = model.selected()?.clone();
    // Whoever acts on a row means its object, also when the rows move.
    model.chosen = Some(key.clone());
    model.looked = Some((key.clone(), Looked::Asking));
    model.explanation = None;
    model.scroll = 0;
    open(model, Screen::Details);
    Some(Effect::Look(key))
}

/// The next row, or the one before, without the way back to the table.
fn look_at_another(model: &mut Model, press: Press) -> Option<Effect> {
    model.arrange();
    let step = if press == Press::Char('n') { Press::Down } else { Press::Up };
    let position = moved(model.position, 1, model.rows.len(), step)?;
    model.select(position);
    // At the ends of the table there is no other.
    if model.selected() == model.looked.as_ref().map(|(key, _)| key) {
        return None;
    }
    look(model)
}

fn scroll(model: &mut Model, press: Press) {
    let pages = view::Pages::of(model);
    if let Some(first) = moved(model.scroll, pages.height, pages.last + 1, press) {
        model.scroll = first;
    }
}

/// Where a key leads in a list of so many, seen page by page.
fn moved(position: usize, page: usize, length: usize, press: Press) -> Option<usize> {
    let last = length.saturating_sub(1);
    let moved = match press {
        Press::Up | Press::Char('k') => position.saturating_sub(1),
        Press::Down | Press::Char('j') => position.saturating_add(1),
        Press::PageUp => position.saturating_sub(page),
        Press::PageDown | Press::Char(' ') => position.saturating_add(page),
        Press::Home | Press::Char('g') => 0,
        Press::End | Press::Char('G') => last,
        _ => return None,
    };
    Some(moved.min(last))
}

fn open(model: &mut Model, screen: Screen) {
    if model.screen == screen {
        return;
    }
    // Whoever goes round in circles does not have to go back as often.
    model.back.retain(|&behind| behind != screen);
    model.back.push(model.screen);
    model.screen = screen;
    model.scroll = 0;
}

fn leave(model: &mut Model, press: Press) -> Option<Effect> {
    if let Some(screen) = model.back.pop() {
        model.screen = screen;
        model.scroll = 0;
        if !model.back.contains(&Screen::Details) && screen != Screen::Details {
            model.looked = None;
            model.explanation = None;
        }
        return None;
    }
    if press == Press::Escape && !model.filter.is_empty() {
        set_filter(model, "");
        return None;
    }
    Some(Effect::Quit)
}

fn type_filter(model: &mut Model, press: Press) {
    let mut text = model.filter.text().to_owned();
    match press {
        Press::Enter => model.is_typing = false,
        Press::Escape => {
            model.is_typing = false;
            set_filter(model, "");
        }
        Press::Clear => set_filter(model, ""),
        Press::Backspace => {
            text.pop();
            set_filter(model, &text);
        }
        Press::Char(c) if text.chars().count() < MAX_FILTER => {
            text.push(c);
            set_filter(model, &text);
        }
        _ => {}
    }
}

fn set_filter(model: &mut Model, text: &str) {
    model.filter = Filter::parse(text);
    model.is_dirty = true;
}
