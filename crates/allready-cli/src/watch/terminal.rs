//! The terminal: taken over, read, and given back whatever happens.

use std::time::Duration;

use ratatui::{
    DefaultTerminal,
    crossterm::event::{self, Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
};
use tokio::sync::mpsc;

use super::{
    keys::Press,
    model::Model,
    update::Event,
    view::{self, Palette},
};
use crate::failure::Failure;

/// How long the keyboard is waited for before it is asked whether anybody still listens.
const PAUSE: Duration = Duration::from_millis(100);

/// A terminal that is given back when this is dropped; and also before a panic is told.
pub(super) struct Terminal {
    terminal: DefaultTerminal,
    palette: Palette,
}

impl Terminal {
    pub(super) fn take(palette: Palette) -> Result<Self, Failure> {
        match ratatui::try_init() {
            Ok(terminal) => Ok(Self { terminal, palette }),
            Err(error) => {
                // Half of it may be done.
                let _ = ratatui::try_restore();
                Err(Failure::output(format_args!("cannot use the terminal: {error}")))
            }
        }
    }

    pub(super) fn size(&self) -> Result<Event, Failure> {
        let size = self.terminal.size().map_err(|error| failed(&error))?;
        Ok(Event::Resize(size.width, size.height))
    }

    pub(super) fn draw(&mut self, model: &mut Model) -> Result<(), Failure> {
        model.arrange();
        let palette = self.palette;
        self.terminal.draw(|frame| view::draw(model, palette, frame)).map_err(|error| failed(&error))?;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.terminal.show_cursor();
        let _ = ratatui::try_restore();
    }
}

fn failed(error: &std::io::Error) -> Failure {
    Failure::output(format_args!("cannot write to the terminal: {error}"))
}

/// Reads keys in a thread of its own until nobody listens.
pub(super) fn read_keys() -> mpsc::Receiver<Event> {
    let (sender, receiver) = mpsc::channel(64);
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let event = match event::poll(PAUSE) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                // The terminal is gone; whoever listens learns that when the channel closes.
                Err(_) => return,
            };
            let Ok(event) = event else { return };
            if let Some(event) = understood(&event)
                && sender.blocking_send(event).is_err()
            {
                return;
            }
        }
    });
    receiver
}

fn understood(input: &Input) -> Option<Event> {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => press(key).map(Event::Key),
        Input::Resize(columns, lines) => Some(Event::Resize(*columns, *lines)),
        _ => None,
    }
}

fn press(key: &KeyEvent) -> Option<Press> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Press::Interrupt),
            KeyCode::Char('u') => Some(Press::Clear),
            KeyCode::Char('f') => Some(Press::PageDown),
            KeyCode::Char('b') => Some(Press::PageUp),
            // What some terminals send for Backspace.
            KeyCode::Char('h') => Some(Press::Backspace),
            _ => None,
        };
    }
    match key.code {
        KeyCode::Up => Some(Press::Up),
        KeyCode::Down => Some(Press::Down),
        KeyCode::PageUp => Some(Press::PageUp),
        KeyCode::PageDown => Some(Press::PageDown),
        KeyCode::Home => Some(Press::Home),
        KeyCode::End => Some(Press::End),
        KeyCode::Enter => Some(Press::Enter),
        KeyCode::Esc => Some(Press::Escape),
        KeyCode::Backspace => Some(Press::Backspace),
        KeyCode::Char(c) => Some(Press::Char(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_c_ends_it_and_a_key_that_is_let_go_does_nothing() {
        let key = |code, modifiers| press(&KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Press::Interrupt));
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::NONE), Some(Press::Char('c')));
        assert_eq!(key(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(Press::Char('G')));
        assert_eq!(key(KeyCode::Char('x'), KeyModifiers::CONTROL), None);
        assert_eq!(key(KeyCode::F(1), KeyModifiers::NONE), None);
        let mut released = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert!(understood(&Input::Key(released)).is_none());
    }
}
