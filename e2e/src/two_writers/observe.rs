//! Watching every version, and what may not happen from one to the next.

use std::{collections::BTreeMap, pin::pin};

use futures::StreamExt as _;
use kube::{
    Api, ResourceExt as _,
    api::{DynamicObject, WatchEvent, WatchParams},
};
use serde_json::Value;

use super::{Tally, WRITERS, patiently};

/// What was last seen of a writer's `Synced`.
#[derive(Clone)]
struct Seen {
    round: u32,
    status: String,
    since: String,
}

/// Watches until both writers have written their last round.
pub(super) async fn observe(api: Api<DynamicObject>, first: DynamicObject, rounds: u32) -> Tally {
    let mut tally = Tally::default();
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    let name = first.name_any();
    let mut version = first.resource_version().unwrap_or_default();
    let parameters = WatchParams::default().fields(&format!("metadata.name={name}"));
    loop {
        if let Ok(events) = api.watch(&parameters, &version).await {
            let mut events = pin!(events);
            while let Some(Ok(event)) = events.next().await {
                let (WatchEvent::Added(object) | WatchEvent::Modified(object)) = event else { break };
                version = object.resource_version().unwrap_or_default();
                look(&object, &mut seen, true, &mut tally);
                if WRITERS.iter().all(|writer| seen.get(writer).is_some_and(|seen| seen.round == rounds)) {
                    return tally;
                }
            }
        }
        // The watch ended, and perhaps the past is forgotten: go on from here, with a gap in what was seen.
        match patiently(&api, &name).await {
            Ok(object) => {
                version = object.resource_version().unwrap_or_default();
                look(&object, &mut seen, false, &mut tally);
                if WRITERS.iter().all(|writer| seen.get(writer).is_some_and(|seen| seen.round == rounds)) {
                    return tally;
                }
            }
            Err(error) => tally.problems.push(format!("the observer cannot read the object: {error}")),
        }
    }
}

/// Compares a version with what was seen before; `next` where it is the very next one.
fn look(object: &DynamicObject, seen: &mut BTreeMap<&str, Seen>, next: bool, tally: &mut Tally) {
    tally.versions += 1;
    let version = object.resource_version().unwrap_or_default();
    let list = object.data["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    for writer in WRITERS {
        let type_ = format!("{writer}/Synced");
        let found = list.iter().find(|entry| entry["type"] == type_.as_str()).and_then(read);
        let wrong = match (seen.get(writer), &found) {
            (Some(_), None) => Some("vanished".to_owned()),
            (Some(before), Some(now)) if now.round < before.round => {
                Some(format!("went back from round {} to {}", before.round, now.round))
            }
            (Some(before), Some(now)) if next && before.status == now.status && before.since != now.since => {
                Some(format!("has the status that it had and since {}, not {}", now.since, before.since))
            }
            _ => None,
        };
        tally.problems.extend(wrong.map(|wrong| format!("version {version}: {type_} {wrong}")));
        if let Some(found) = found {
            seen.insert(writer, found);
        }
    }
}

fn read(entry: &Value) -> Option<Seen> {
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    let round = entry["message"].as_str()?.strip_prefix("round ")?.parse().ok()?;
    Some(Seen { round, status: text("status")?, since: text("lastTransitionTime")? })
}
