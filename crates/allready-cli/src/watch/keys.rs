//! The effects of keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    filter::Filter,
    model::{Looked, Model, Screen},
    update::Effect,
    view,
};

/// The longest filter.
const MAX_FILTER: usize = 200;

/// A key was pressed.
pub(super) fn press(model: &mut Model, key: KeyEvent) -> Option<Effect> {
    let press = match key.code {
        code if !key.modifiers.contains(KeyModifiers::CONTROL) => code,
        KeyCode::Char('c') => return Some(Effect::Quit),
        KeyCode::Char('u') if model.is_typing => {
            set_filter(model, "");
            return None;
        }
        KeyCode::Char('f') => KeyCode::PageDown,
        KeyCode::Char('b') => KeyCode::PageUp,
        // What some terminals send for Backspace.
        KeyCode::Char('h') => KeyCode::Backspace,
        _ => return None,
    };
    if model.is_typing {
        type_filter(model, press);
        return None;
    }
    match press {
        KeyCode::Char('q') | KeyCode::Esc => return leave(model, press),
        KeyCode::Char('?' | 'h') => open(model, Screen::Help),
        KeyCode::Char('t') => open(model, Screen::Transitions),
        KeyCode::Char('w') => open(model, Screen::Kinds),
        KeyCode::Char('n' | 'p') if model.screen == Screen::Details => return look_at_another(model, press),
        _ if model.screen == Screen::Table => return in_table(model, press),
        _ => scroll(model, press),
    }
    None
}

fn in_table(model: &mut Model, press: KeyCode) -> Option<Effect> {
    model.arrange();
    match press {
        KeyCode::Char('/') => model.is_typing = true,
        KeyCode::Char('a') => {
            model.shows_all = !model.shows_all;
            model.is_dirty = true;
        }
        KeyCode::Char('s') => {
            model.order = model.order.next();
            model.is_dirty = true;
        }
        KeyCode::Enter | KeyCode::Char('l') => return look(model),
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
fn look_at_another(model: &mut Model, press: KeyCode) -> Option<Effect> {
    model.arrange();
    let step = if press == KeyCode::Char('n') { KeyCode::Down } else { KeyCode::Up };
    let position = moved(model.position, 1, model.rows.len(), step)?;
    model.select(position);
    // At the ends of the table there is no other.
    if model.selected() == model.looked.as_ref().map(|(key, _)| key) {
        return None;
    }
    look(model)
}

fn scroll(model: &mut Model, press: KeyCode) {
    let pages = view::Pages::of(model);
    if let Some(first) = moved(model.scroll, pages.height, pages.last + 1, press) {
        model.scroll = first;
    }
}

/// The position that a key leads to in a list of this length, seen page by page.
fn moved(position: usize, page: usize, length: usize, press: KeyCode) -> Option<usize> {
    let last = length.saturating_sub(1);
    let moved = match press {
        KeyCode::Up | KeyCode::Char('k') => position.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => position.saturating_add(1),
        KeyCode::PageUp => position.saturating_sub(page),
        KeyCode::PageDown | KeyCode::Char(' ') => position.saturating_add(page),
        KeyCode::Home | KeyCode::Char('g') => 0,
        KeyCode::End | KeyCode::Char('G') => last,
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

fn leave(model: &mut Model, press: KeyCode) -> Option<Effect> {
    if let Some(screen) = model.back.pop() {
        model.screen = screen;
        model.scroll = 0;
        if !model.back.contains(&Screen::Details) && screen != Screen::Details {
            model.looked = None;
            model.explanation = None;
        }
        return None;
    }
    if press == KeyCode::Esc && !model.filter.is_empty() {
        set_filter(model, "");
        return None;
    }
    Some(Effect::Quit)
}

fn type_filter(model: &mut Model, press: KeyCode) {
    let mut text = model.filter.text().to_owned();
    match press {
        KeyCode::Enter => model.is_typing = false,
        KeyCode::Esc => {
            model.is_typing = false;
            set_filter(model, "");
        }
        KeyCode::Backspace => {
            text.pop();
            set_filter(model, &text);
        }
        KeyCode::Char(c) if text.chars().count() < MAX_FILTER => {
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
