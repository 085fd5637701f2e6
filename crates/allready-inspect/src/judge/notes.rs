//! Notes about an object in its labels and annotations.

use super::Rule;
use super::case::Case;
use super::signal::{Place, Signal};
use crate::health::Health::Degraded;
use crate::view::Path;
use crate::words::{Flat, List, tokens};

/// The first label or annotation under the name of a state, a phase, a result or health whose value is a word for a failure. Nothing
/// but such a word counts: these maps are everybody's.
pub(super) fn failure<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    ["labels", "annotations"].into_iter().find_map(|part| {
        let notes = case.metadata?.get(part)?.as_object()?;
        notes.iter().find_map(|(key, value)| {
            let text = value.as_str().filter(|text| is_failure(text) && is_about_state(key))?;
            let place = Place::Path(Path::of(["metadata", part, key]));
            Some(Signal::new(Degraded, Rule::FailureLabel, place).reason(text))
        })
    })
}

fn is_failure(text: &str) -> bool {
    (5..=9).contains(&text.len()) && List::LabelFailure.has(Flat::of(text).as_str())
}

/// `example.com/upgrade-state`, but not `example.com/last-state` nor `example.com/on-failure-state`.
fn is_about_state(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    let mut words = tokens(name);
    let Some(first) = words.next() else { return false };
    let is_other = matches!(
        first.as_str(),
        "last" | "previous" | "prev" | "desired" | "target" | "old" | "on" | "expected"
    );
    let last = words.last().unwrap_or(first);
    !is_other && List::LabelEnding.has(last.as_str())
}
