//! The terminal: taken over, read, and given back whatever happens.

use std::time::Duration;

use ratatui::{
    DefaultTerminal,
    crossterm::event::{self, Event, KeyEventKind},
};
use tokio::sync::mpsc;

use super::{
    model::Model,
    update::Input,
    view::{self, Palette},
};
use crate::failure::Failure;

/// The time between two looks whether anybody still listens to the keyboard.
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

    pub(super) fn size(&self) -> Result<Input, Failure> {
        let size = self.terminal.size().map_err(|error| failed(&error))?;
        Ok(Input::Resize(size.width, size.height))
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
pub(super) fn read_keys() -> mpsc::Receiver<Input> {
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

fn understood(event: &Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Input::Key(*key)),
        Event::Resize(columns, lines) => Some(Input::Resize(*columns, *lines)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    #[test]
    fn a_key_that_is_let_go_does_nothing() {
        let mut key = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        assert!(matches!(understood(&Event::Key(key)), Some(Input::Key(pressed)) if pressed == key));
        key.kind = KeyEventKind::Release;
        assert!(understood(&Event::Key(key)).is_none());
    }
}
