//! Events, and the screens that they lead to.

mod feed;
mod frames;
mod graph;
mod many;
mod panic;
mod story;

pub(crate) use self::{
    feed::said,
    graph::{Change, said_together},
};
use allready_core::Time;
use allready_inspect::{
    health::Health,
    judge::{Rule, Verdict},
    writers::Writer,
};
use ratatui::{Terminal, backend::TestBackend, crossterm::event::KeyCode};

use allready_inspect::live::{Event, Key, Seen, Standing};

use super::{
    model::Model,
    update::{Effect, Input, obey, update},
    view::{Palette, draw},
};

const PODS: usize = 0;
const DEPLOYMENTS: usize = 1;

fn at(second: i64) -> Time {
    Time::from_second(1_000_000 + second).unwrap()
}

/// Two kinds, of which nothing is seen yet.
fn begun() -> Model {
    let mut model = Model::new("all namespaces".to_owned(), true, at(0));
    for (group, kind, plural) in [("", "Pod", "pods"), ("apps", "Deployment", "deployments")] {
        let event = Event::Kind { group: group.into(), kind: kind.into(), plural: plural.into() };
        assert_eq!(update(&mut model, event), None);
    }
    model
}

/// Two kinds, of which everything was seen.
fn watching(seen: impl IntoIterator<Item = Event>) -> Model {
    let mut model = begun();
    let listing = [Event::Listing(PODS), Event::Listing(DEPLOYMENTS)];
    let listed =
        [PODS, DEPLOYMENTS].into_iter().flat_map(|kind| [Event::Listed(kind), Event::Watching(kind)]);
    for event in listing.into_iter().chain(seen).chain(listed) {
        update(&mut model, event);
    }
    model
}

fn verdict(health: Health, reason: &str, since: Option<i64>) -> Verdict {
    Verdict {
        health,
        rule: Rule::ConditionGood,
        field: "status.conditions[Ready]".to_owned(),
        reason: reason.to_owned(),
        message: format!("it says {reason}"),
        since: since.map(at),
        writer: Some(Writer { manager: "kubelet".to_owned(), time: None }),
        lag: None,
    }
}

fn seen(kind: usize, name: &str, health: Health, reason: &str, since: Option<i64>) -> Event {
    let verdict = verdict(health, reason, since);
    Event::Seen(Box::new(Seen {
        key: Key::new(kind, "shop", name),
        uid: format!("uid of {name}"),
        verdict,
        digest: None,
        facts: None,
        standing: Standing::Final,
    }))
}

fn press(model: &mut Model, keys: &str) -> Option<Effect> {
    let mut effect = None;
    for key in keys.chars() {
        let press = match key {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\u{8}' => KeyCode::Backspace,
            other => KeyCode::Char(other),
        };
        effect = obey(model, Input::Key(press.into()));
    }
    effect
}

/// The names in the table, with a mark at the selected one.
fn rows(model: &mut Model) -> Vec<String> {
    model.arrange();
    let rows = model.rows.iter().enumerate();
    let mark = |row| if row == model.position { ">" } else { "" };
    rows.map(|(row, key)| format!("{}{}", mark(row), key.place.name)).collect()
}

/// The screen of a terminal of this size.
fn screen(model: &mut Model, columns: u16, lines: u16) -> String {
    obey(model, Input::Resize(columns, lines));
    model.arrange();
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(model, Palette::Plain, frame)).unwrap();
    // The backend cannot print what has no columns.
    if columns == 0 { String::new() } else { terminal.backend().to_string() }
}
