//! The effects of keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use std::sync::Arc;

use super::{
    model::{Listing, Looked, Model, Screen, Step},
    update::Effect,
    view,
};
use allready_inspect::live::{Filter, Key};

/// The longest filter.
const MAX_FILTER: usize = 200;
/// The longest way back.
const MAX_BACK: usize = 40;

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
        KeyCode::Enter | KeyCode::Char('l') if model.screen == Screen::Details => enter_behind(model),
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
            // Causes have no healthy objects to show.
            model.shows_all = model.shows_causes() || !model.shows_all;
            if model.listing == Listing::Causes {
                model.listing = Listing::Objects;
            }
            model.is_dirty = true;
        }
        KeyCode::Char('c') => {
            let is_objects = model.listing == Listing::Objects;
            list(model, if is_objects { Listing::Causes } else { Listing::Objects });
            // Neither is below the other.
            model.back.clear();
        }
        KeyCode::Char('s') => {
            model.order = model.order.next();
            model.is_dirty = true;
        }
        KeyCode::Enter | KeyCode::Char('l') if model.shows_causes() => {
            model.select(model.position);
            if let Some(cause) = model.chosen_cause.clone() {
                push(model);
                list(model, Listing::Cause(cause));
            }
        }
        KeyCode::Enter | KeyCode::Char('l') => return look(model),
        other => {
            if let Some(position) = moved(model.position, model.page(), model.length(), other) {
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
    open(model, Screen::Details);
    Some(look_at(model, key))
}

fn look_at(model: &mut Model, key: Key) -> Effect {
    model.looked = Some((key.clone(), Looked::Asking));
    model.explanation = None;
    model.scroll = 0;
    Effect::Look(key)
}

/// Lists the objects behind the one that is looked at, where there are any.
fn enter_behind(model: &mut Model) {
    let Some(key) = model.looked.as_ref().map(|(key, _)| key.clone()) else { return };
    let objects: Arc<[Key]> = model.behind().into();
    if !objects.is_empty() {
        push(model);
        list(model, Listing::Behind(key, objects));
    }
}

fn list(model: &mut Model, listing: Listing) {
    // What was filtered for is not what is looked for within it.
    if !matches!(listing, Listing::Causes | Listing::Objects) {
        model.filter = Filter::default();
    }
    model.listing = listing;
    model.screen = Screen::Table;
    (model.chosen, model.position, model.is_dirty) = (None, 0, true);
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
    if !matches!(screen, Screen::Details | Screen::Table) {
        model.back.retain(|behind| behind.screen != screen);
    }
    push(model);
    model.screen = screen;
    model.scroll = 0;
}

/// Notes where somebody is, to go back to.
fn push(model: &mut Model) {
    let looked = model.looked.as_ref().map(|(key, _)| key.clone());
    let (screen, listing, chosen) = (model.screen, model.listing.clone(), model.chosen.clone());
    let (position, filter) = (model.position, model.filter.clone());
    model.back.push(Step { screen, listing, chosen, position, looked, filter });
    if model.back.len() > MAX_BACK {
        // The first step leads out.
        model.back.remove(1);
    }
}

fn leave(model: &mut Model, press: KeyCode) -> Option<Effect> {
    if let Some(step) = model.back.pop() {
        if model.listing != step.listing {
            (model.listing, model.chosen, model.position) = (step.listing, step.chosen, step.position);
            model.filter = step.filter;
            model.is_dirty = true;
        }
        model.screen = step.screen;
        model.scroll = 0;
        let looked = model.looked.as_ref().map(|(key, _)| key);
        return match step.looked {
            Some(key) if looked != Some(&key) => Some(look_at(model, key)),
            Some(_) => None,
            None => {
                (model.looked, model.explanation) = (None, None);
                None
            }
        };
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
