//! Names: a definition gets those that nobody else in its group has, and is established once it has them all.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::raw::{object, text, texts};
use crate::{resource::Registry, status::quote};

/// Whether a definition has a condition that is true.
pub(super) fn has_condition(crd: &Value, kind: &str) -> bool {
    condition(crd, kind).is_some_and(|condition| condition.get("status") == Some(&json!("True")))
}

fn condition<'a>(crd: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = crd.pointer("/status/conditions").and_then(Value::as_array)?;
    conditions.iter().find(|condition| condition.get("type").and_then(Value::as_str) == Some(kind))
}

/// Writes into the status of a definition what the controllers of the real server end up with: accepted names, and the
/// conditions `NamesAccepted` and `Established`. Returns whether anything changed.
///
/// What others have is read from the registry; the resource of the definition itself does not count.
pub(crate) fn accept(crd: &mut Value, registry: &Registry, now: Timestamp) -> bool {
    let before = crd.get("status").cloned();
    let none = Map::new();
    let spec = crd.get("spec").and_then(Value::as_object).unwrap_or(&none);
    let wanted = object(spec, "names").unwrap_or(&none).clone();
    let group = text(spec, "group").to_owned();
    let accepted =
        crd.pointer("/status/acceptedNames").and_then(Value::as_object).cloned().unwrap_or_default();
    if wanted == accepted && has_condition(crd, "Established") {
        return false;
    }
    let taken = Taken::of(registry, &group, text(&wanted, "plural"));
    let (names, conflict) = decide(&wanted, &accepted, &taken);
    let (reason, message) = conflict.clone().unwrap_or(("NoConflicts", "no conflicts found".into()));
    let good = conflict.is_none();
    let Some(status) = crd.as_object_mut().map(|crd| crd.entry("status").or_insert_with(|| json!({}))) else {
        return false;
    };
    let Some(status) = status.as_object_mut() else { return false };
    status.insert("acceptedNames".into(), Value::Object(names));
    set(status, "NamesAccepted", good, reason, &message, now);
    let established = status.get("conditions").and_then(Value::as_array).is_some_and(|conditions| {
        conditions.iter().any(|it| it["type"] == "Established" && it["status"] == "True")
    });
    if good && !established {
        let message = "the initial names have been accepted";
        set(status, "Established", true, "InitialNamesAccepted", message, now);
    } else if !established {
        set(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
    crd.get("status").cloned() != before
}

/// The names that others in the group have.
struct Taken {
    resources: Vec<String>,
    kinds: Vec<String>,
}

impl Taken {
    fn of(registry: &Registry, group: &str, plural: &str) -> Self {
        let mut taken = Self { resources: Vec::new(), kinds: Vec::new() };
        for other in registry.iter().filter(|other| other.group == group && other.plural != plural) {
            taken.resources.extend([other.plural.clone(), other.singular.clone()]);
            taken.resources.extend(other.short_names.iter().cloned());
            taken.kinds.extend([other.kind.clone(), other.list_kind.clone()]);
        }
        taken
    }
}

type Conflict = Option<(&'static str, String)>;

/// Every name that is free is accepted; the last one that is not is told.
fn decide(
    wanted: &Map<String, Value>,
    accepted: &Map<String, Value>,
    taken: &Taken,
) -> (Map<String, Value>, Conflict) {
    let mut names = accepted.clone();
    let mut conflict = None;
    let in_use = |name: &str| format!("{} is already in use", quote(name));
    let mut single = |word: &str, reason: &'static str, others: &[String], conflict: &mut Conflict| {
        let name = text(wanted, word);
        if name != text(accepted, word) && others.iter().any(|other| other == name) {
            *conflict = Some((reason, in_use(name)));
        } else if !name.is_empty() {
            names.insert(word.into(), name.into());
        }
    };
    single("plural", "PluralConflict", &taken.resources, &mut conflict);
    single("singular", "SingularConflict", &taken.resources, &mut conflict);
    let short = texts(wanted, "shortNames");
    let ours = texts(accepted, "shortNames");
    let clashes: Vec<_> = short
        .iter()
        .filter(|name| !ours.contains(name) && taken.resources.contains(name))
        .map(|name| in_use(name))
        .collect();
    match clashes.as_slice() {
        [] => {}
        [one] => conflict = Some(("ShortNamesConflict", one.clone())),
        several => conflict = Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
    }
    single("kind", "KindConflict", &taken.kinds, &mut conflict);
    single("listKind", "ListKindConflict", &taken.kinds, &mut conflict);
    let mut copy = |word: &str| match wanted.get(word) {
        Some(value) => drop(names.insert(word.into(), value.clone())),
        None => drop(names.remove(word)),
    };
    if clashes.is_empty() {
        copy("shortNames");
    }
    copy("categories");
    for word in ["plural", "kind"] {
        names.entry(word).or_insert_with(|| "".into());
    }
    (names, conflict)
}

fn set(status: &mut Map<String, Value>, kind: &str, good: bool, reason: &str, message: &str, now: Timestamp) {
    let state = if good { "True" } else { "False" };
    let conditions = status.entry("conditions").or_insert_with(|| json!([]));
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    let place = conditions.iter().position(|condition| condition["type"] == kind);
    let since = place
        .and_then(|place| conditions.get(place))
        .filter(|condition| condition["status"] == state)
        .map_or_else(|| time(now).into(), |condition| condition["lastTransitionTime"].clone());
    let new = json!({
        "type": kind, "status": state, "lastTransitionTime": since, "reason": reason, "message": message,
    });
    match place.and_then(|place| conditions.get_mut(place)) {
        Some(condition) => *condition = new,
        None => conditions.push(new),
    }
}

/// Whole seconds, as `metav1.Time` has them.
fn time(now: Timestamp) -> String {
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}
