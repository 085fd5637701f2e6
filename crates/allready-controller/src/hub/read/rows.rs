//! Addresses and listeners of a Gateway.

use std::collections::HashMap;

use allready_core::{
    Generation, Status,
    found::{self, FoundList},
};
use serde_json::Value;

use super::{
    super::{Address, Listener},
    Cuts, MAX_ROWS, MAX_TEXT, conditions, fields,
};

/// The type of an address that does not say.
const USUAL_TYPE: &str = "IPAddress";

/// The addresses in a status.
pub(super) fn addresses(list: &Value, cuts: &mut Cuts) -> Vec<Address> {
    let mut kept = Vec::new();
    for (index, entry) in entries("addresses", list, cuts).iter().enumerate() {
        let type_ = match &entry["type"] {
            Value::Null => Some(USUAL_TYPE),
            other => short(other),
        };
        match (type_, short(&entry["value"])) {
            (Some(type_), Some(value)) => kept.push(Address { type_: type_.into(), value: value.into() }),
            _ => cuts.note(left_out("address", index)),
        }
    }
    kept
}

/// The listeners in a status, with what they say about this generation of the Gateway.
pub(super) fn listeners(
    list: &Value,
    generation: Generation,
    observed: Option<Generation>,
    cuts: &mut Cuts,
) -> Vec<Listener> {
    let mut kept: Vec<Listener> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (index, entry) in entries("listeners", list, cuts).iter().enumerate() {
        let Some(name) = short(&entry["name"]) else {
            cuts.note(left_out("listener", index));
            continue;
        };
        let listener = listener(name, entry, generation, observed, cuts);
        if let Some(first) = places.get(name).and_then(|place| kept.get_mut(*place)) {
            cuts.note(format!("listener {name:?} is listed twice"));
            if *first != listener {
                *first = Listener { attached_routes: None, is_current: false, programmed: None, ..listener };
            }
            continue;
        }
        places.insert(name, kept.len());
        kept.push(listener);
    }
    kept
}

fn listener(
    name: &str,
    entry: &Value,
    generation: Generation,
    observed: Option<Generation>,
    cuts: &mut Cuts,
) -> Listener {
    let found = found::read(&entry["conditions"]);
    let attached_routes = match &entry["attachedRoutes"] {
        Value::Null => None,
        value => fields::whole(value).filter(|routes| *routes >= 0).or_else(|| {
            let described = fields::describe(value);
            cuts.note(format!("listener {name:?} has {described} for attachedRoutes, which is not a count"));
            None
        }),
    };
    Listener {
        name: name.into(),
        attached_routes,
        is_current: is_current(&found, generation, observed),
        programmed: programmed(&found),
    }
}

/// Returns true if none of its conditions is about an older generation; where none says, the whole status speaks for them.
fn is_current(found: &FoundList<'_>, generation: Generation, observed: Option<Generation>) -> bool {
    let own = found.conditions().iter().filter_map(|condition| condition.observed);
    let oldest = own.filter(|observed| !observed.is_none()).min();
    !conditions::is_behind(oldest, observed, generation)
}

/// `Programmed`, Unknown where it is listed several times with different answers: nothing is taken away on such a word.
fn programmed(found: &FoundList<'_>) -> Option<Status> {
    let mut listed = found.find_all("Programmed").map(|condition| condition.status);
    let first = listed.next()?;
    Some(if listed.all(|other| other == first) { first } else { Status::Unknown })
}

/// The first entries of a list.
fn entries<'a>(name: &str, list: &'a Value, cuts: &mut Cuts) -> &'a [Value] {
    let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let kept = all.get(..MAX_ROWS).unwrap_or(all);
    if all.len() > kept.len() {
        cuts.note(format!("{} {name} after the first {MAX_ROWS} are left out", all.len() - kept.len()));
    }
    kept
}

/// A text that is there and not too long.
fn short(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty() && text.len() <= MAX_TEXT)
}

fn left_out(what: &str, index: usize) -> String {
    format!("{what} {index} is left out, as it has no text of 1 to {MAX_TEXT} bytes where there must be one")
}
