//! Lists of conditions below the top one: listeners, parents, ancestors, components.

use super::Rule;
use super::case::Case;
use super::conditions;
use super::listed::read;
use super::signal::{Place, Signal, Worst};
use crate::health::Health::Progressing;

/// The worst of what the lists say. A list in which nothing is understood has no summary yet, which counts unless
/// something above it speaks.
pub(super) fn judge<'a>(case: &Case<'a>, top_speaks: impl Fn() -> bool) -> Option<Signal<'a>> {
    let mut worst = Worst::default();
    for list in case.view.lists().iter().filter(|list| !list.is_top) {
        let signal = match conditions::judge(case, &read(case, Some(list.value))) {
            Some(signal) => signal,
            None if top_speaks() => continue,
            None => Signal::at(Progressing, Rule::NoSummaryYet, "").reason("NoSummaryYet"),
        };
        if worst.would_take(signal.health) {
            let place = match signal.place {
                Place::Condition(type_) => Place::Listed { list: list.path.clone(), type_ },
                _ => Place::Path(list.path.clone()),
            };
            worst.add(Signal { place, ..signal });
        }
    }
    worst.0
}

/// Tells whether a condition of one of these types is in some list.
pub(super) fn has_any(case: &Case<'_>, types: &[String]) -> bool {
    case.view.lists().iter().filter(|list| !list.is_top).any(|list| {
        let conditions = read(case, Some(list.value));
        conditions.iter().any(|one| types.iter().any(|type_| type_ == one.type_))
    })
}
