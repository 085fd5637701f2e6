//! How things look.

use allready_inspect::health::Health;
use ratatui::style::{Color, Modifier, Style};

/// Whether there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) enum Palette {
    /// Colours, where they help.
    Coloured,
    /// None: `NO_COLOR`, or a terminal without.
    Plain,
}

impl Palette {
    fn coloured(self, colour: Color) -> Style {
        match self {
            Self::Coloured => Style::new().fg(colour),
            Self::Plain => Style::new(),
        }
    }

    pub(super) fn health(self, health: Health) -> Style {
        match health {
            Health::Degraded | Health::Missing => self.coloured(Color::Red),
            Health::Unknown | Health::Progressing => self.coloured(Color::Yellow),
            Health::Healthy => self.coloured(Color::Green),
            Health::Suspended => self.aside(),
        }
    }

    /// What must not be overlooked.
    pub(super) fn alarm(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What stands out.
    pub(super) fn strong() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What stands back.
    pub(super) fn aside(self) -> Style {
        match self {
            Self::Coloured => Style::new().add_modifier(Modifier::DIM),
            Self::Plain => Style::new(),
        }
    }

    /// The row that is selected; it also has a mark.
    pub(super) fn selected() -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
