//! A status as a list of facts, so that two of them can be compared: no messages, no times, no order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

/// The part of a status that a fact is of: the object itself, or one of its listeners, parents or ancestors, by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) part: &'static str,
    pub(super) name: String,
}

/// Facts, by place and name: `True Accepted` of a condition, a number, a list of kinds.
pub(super) type Facts = BTreeMap<(Place, String), String>;

/// The value of a fact that one side has not.
const ABSENT: &str = "absent";

/// Reads the facts of a status of an object in this namespace. Of parents and ancestors, those that another controller wrote are left out.
pub(super) fn facts(status: &Value, namespace: &str, controller: &str) -> Facts {
    let mut facts = Facts::new();
    part(&mut facts, &Place { part: "object", name: String::new() }, status);
    for listener in items(status, "listeners") {
        let name = text(listener, "name").to_owned();
        part(&mut facts, &Place { part: "listener", name }, listener);
    }
    for (list, reference, name) in
        [("parents", "parentRef", "parent"), ("ancestors", "ancestorRef", "ancestor")]
    {
        for entry in items(status, list).filter(|entry| text(entry, "controllerName") == controller) {
            part(
                &mut facts,
                &Place { part: name, name: reference_name(&entry[reference], namespace) },
                entry,
            );
        }
    }
    facts
}

fn part(facts: &mut Facts, place: &Place, value: &Value) {
    let mut add = |name: &str, value: String| facts.insert((place.clone(), name.to_owned()), value);
    for condition in items(value, "conditions") {
        // The default of the CRD: nobody has written it.
        if text(condition, "status") == "Unknown" && condition.get("observedGeneration").is_none() {
            continue;
        }
        add(text(condition, "type"), format!("{} {}", text(condition, "status"), text(condition, "reason")));
    }
    for count in ["attachedRoutes", "attachedListenerSets"] {
        if let Some(number) = value.get(count) {
            add(count, number.to_string());
        }
    }
    if place.part == "listener" {
        let kinds: BTreeSet<_> = items(value, "supportedKinds").map(|kind| text(kind, "kind")).collect();
        add("supportedKinds", format!("[{}]", Vec::from_iter(kinds).join(", ")));
    }
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A reference in one way of writing, whether or not the defaults stand in it.
fn reference_name(reference: &Value, namespace: &str) -> String {
    let field = |name, default| reference.get(name).and_then(Value::as_str).unwrap_or(default);
    let section = reference.get("sectionName").and_then(Value::as_str);
    let section = section.map(|name| format!(" section {name}")).unwrap_or_default();
    let port = reference.get("port").map(|port| format!(" port {port}")).unwrap_or_default();
    let (kind, namespace) = (field("kind", "Gateway"), field("namespace", namespace));
    format!("{kind}/{namespace}/{}{section}{port}", text(reference, "name"))
}

/// One fact that the two disagree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) manifest: String,
    /// `Kind/namespace/name`.
    pub(super) object: String,
    pub(super) place: Place,
    /// The type of a condition, `attachedRoutes`, `attachedListenerSets`, `supportedKinds`; or `entry` where one side has nothing at all.
    pub(super) what: String,
    pub(super) ours: String,
    pub(super) theirs: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ", self.manifest, self.object)?;
        if self.place.part != "object" {
            write!(f, "{} {} ", self.place.part, self.place.name)?;
        }
        write!(f, "{}: ours {}, Envoy Gateway's {}", self.what, self.ours, self.theirs)
    }
}

/// The facts that are not the same. A place that one side lacks as a whole is one difference.
pub(super) fn differences(manifest: &str, object: &str, ours: &Facts, theirs: &Facts) -> Vec<Difference> {
    let places = |facts: &Facts| facts.keys().map(|(place, _)| place.clone()).collect::<BTreeSet<_>>();
    let (our_places, their_places) = (places(ours), places(theirs));
    let difference = |place: &Place, what: &str, ours: &str, theirs: &str| Difference {
        manifest: manifest.to_owned(),
        object: object.to_owned(),
        place: place.clone(),
        what: what.to_owned(),
        ours: ours.to_owned(),
        theirs: theirs.to_owned(),
    };
    let present = |is_there: bool| if is_there { "present" } else { ABSENT };
    let mut found = Vec::new();
    for place in our_places.union(&their_places) {
        let (here, there) = (our_places.contains(place), their_places.contains(place));
        if here != there {
            found.push(difference(place, "entry", present(here), present(there)));
            continue;
        }
        let names: BTreeSet<_> = ours.keys().chain(theirs.keys()).filter(|(of, _)| of == place).collect();
        for key in names {
            let value = |facts: &Facts| facts.get(key).map_or(ABSENT, String::as_str).to_owned();
            let (ours, theirs) = (value(ours), value(theirs));
            if ours != theirs {
                found.push(difference(place, &key.1, &ours, &theirs));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn condition(status: &str, reason: &str) -> Value {
        json!({ "type": "Accepted", "status": status, "reason": reason, "observedGeneration": 1, "message": status })
    }

    #[test]
    fn messages_times_and_order_are_no_difference_but_a_reason_is() {
        let mut theirs = condition("True", "Accepted");
        theirs["lastTransitionTime"] = json!("2026-01-01T00:00:00Z");
        theirs["message"] = json!("other words");
        let of = |condition: &Value| facts(&json!({ "conditions": [condition] }), "n", "c");
        assert_eq!(differences("m", "o", &of(&condition("True", "Accepted")), &of(&theirs)), []);
        let found = differences("m", "o", &of(&condition("True", "ListenersNotValid")), &of(&theirs));
        assert_eq!(
            found[0].to_string(),
            "m: o Accepted: ours True ListenersNotValid, Envoy Gateway's True Accepted"
        );
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn the_default_of_a_crd_and_the_entry_of_another_controller_say_nothing() {
        let default = json!({ "type": "Accepted", "status": "Unknown", "reason": "Pending" });
        let entry = json!({ "controllerName": "another", "parentRef": { "name": "a" }, "conditions": [condition("True", "Accepted")] });
        assert!(facts(&json!({ "conditions": [default], "parents": [entry] }), "n", "c").is_empty());
    }

    #[test]
    fn a_parent_that_one_side_lacks_is_one_difference() {
        let parent = json!({ "controllerName": "c", "parentRef": { "name": "a", "port": 80 }, "conditions": [
            condition("True", "Accepted"), { "type": "ResolvedRefs", "status": "True", "reason": "ResolvedRefs", "observedGeneration": 1 },
        ] });
        let found = differences("m", "o", &facts(&json!({ "parents": [parent] }), "n", "c"), &Facts::new());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].what.as_str(), found[0].place.name.as_str()), ("entry", "Gateway/n/a port 80"));
    }
}
