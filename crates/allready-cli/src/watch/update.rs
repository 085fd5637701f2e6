//! From one state to the next: everything that happens, without side effects.

use allready_core::Time;
use allready_inspect::live::{Event, Key};
use ratatui::crossterm::event::KeyEvent;

use super::{
    keys,
    model::{Looked, Model, Screen},
};

/// Something happened at the terminal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    /// Somebody pressed a key.
    Key(KeyEvent),
    /// Time passes.
    Tick(Time),
    /// The terminal has so many columns and lines.
    Resize(u16, u16),
}

/// An effect outside of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// End.
    Quit,
    /// Read an object, and say what it says.
    Look(Key),
}

/// Takes in what happened at the terminal.
pub(super) fn obey(model: &mut Model, input: Input) -> Option<Effect> {
    match input {
        Input::Key(key) => return keys::press(model, key),
        Input::Tick(now) => model.live.tick(now),
        Input::Resize(columns, lines) => model.size = (columns, lines),
    }
    None
}

/// Takes in what happened in the cluster.
pub(super) fn update(model: &mut Model, event: Event) -> Option<Effect> {
    let is_looked = |key: &Key| model.looked.as_ref().is_some_and(|(looked, _)| looked == key);
    match event {
        Event::Looked(key, found) => {
            if is_looked(&key) {
                let looked = found.map_or_else(Looked::Failed, Looked::Found);
                model.looked = Some((key, looked));
            }
            None
        }
        Event::Explained(key, explanation) => {
            if is_looked(&key) {
                model.explanation = Some(explanation);
            }
            None
        }
        event => {
            let seen = model.live.update(event);
            let again = seen.into_iter().rfind(|key| is_looked(key));
            again.filter(|_| model.screen == Screen::Details).map(Effect::Look)
        }
    }
}
