//! Listeners and parents that the spec names and the status is silent about.

use super::Rule;
use crate::view::{Step, item};
use serde_json::Value;

use super::case::{Case, ITEM};
use super::signal::{Place, Signal};
use crate::health::Health::Progressing;

/// How many of them are looked at: an object may name any number, and each is looked for among all.
const MAX: usize = 100;

/// The first that has no answer, where others have one: what is said for those is not said for it.
pub(super) fn unanswered<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let lists = [("listeners", "listeners", None), ("parentRefs", "parents", Some("parentRef"))];
    let silent = || ["listeners", "parents", "ancestors"].into_iter().find_map(|list| silent(case, list));
    silent().or_else(|| {
        lists.into_iter().find_map(|(wanted, answered, below)| {
            let answers = case.status(answered)?.as_array().filter(|answers| !answers.is_empty())?;
            let wishes = case.spec(wanted)?.as_array()?;
            let has_answer = |wish: &Value| {
                let answer = |answer: &'a Value| below.map_or(Some(answer), |below| answer.get(below));
                answers
                    .iter()
                    .take_while(|_| case.spend(ITEM))
                    .filter_map(answer)
                    .any(|answer| is_same(wish, answer) || is_in_a_cluster(wish, answer, wishes))
            };
            let index =
                wishes.iter().take(MAX).position(|wish| wish.get("name").is_some() && !has_answer(wish))?;
            let place = Place::Key(answered);
            let name = wishes[index].get("name").and_then(Value::as_str).unwrap_or_default();
            Some(Signal::new(Progressing, Rule::EntryMissing, place).reason("NoAnswerYet").message(name))
        })
    })
}

/// The first entry without conditions, where others have some.
fn silent<'a>(case: &Case<'a>, list: &'static str) -> Option<Signal<'a>> {
    let entries = case.status(list)?.as_array()?;
    let wishes = case.spec(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let speaks = |entry: &Value| {
        let conditions = entry.get("conditions").and_then(Value::as_array);
        conditions.is_some_and(|conditions| !conditions.is_empty())
    };
    let is_silent = |entry: &Value| {
        let is_row = || wishes.iter().take(MAX).any(|wish| is_in_a_cluster(wish, entry, wishes));
        entry.is_object() && !speaks(entry) && !is_row()
    };
    let index = entries.iter().take(MAX).position(is_silent)?;
    let do_others_speak = entries.iter().take(MAX).any(speaks);
    let place =
        Place::Path(case.view.status_path().join(Step::Field(list)).join(item(&entries[index], index)));
    do_others_speak.then(|| Signal::new(Progressing, Rule::EntryMissing, place).reason("NoAnswerYet"))
}

/// Whether a wish and an answer are about the same thing, as far as both tell.
fn is_same(wish: &Value, answer: &Value) -> bool {
    ["namespace", "sectionName", "port"].iter().all(|key| match (wish.get(key), answer.get(key)) {
        (Some(wish), Some(answer)) => wish == answer,
        _ => true,
    }) && wish.get("name") == answer.get("name")
}

/// Returns true for the entry that a hub writes for a listener in one of its clusters, `cluster-1.https` for `https`: it has counts, and
/// conditions of the whole object alone. An entry with the name of another listener is about that one.
fn is_in_a_cluster(wish: &Value, answer: &Value, wishes: &[Value]) -> bool {
    let (Some(wish), Some(answer)) = (wish["name"].as_str(), answer["name"].as_str()) else { return false };
    answer.split_once('.').is_some_and(|(cluster, listener)| !cluster.is_empty() && listener == wish)
        && wishes.len() <= MAX
        && !wishes.iter().any(|other| other["name"].as_str() == Some(answer))
}
