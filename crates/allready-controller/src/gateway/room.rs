//! The memory that objects may take, and what follows where it is not enough for all of them.
//!
//! An object for which there is no room is left out, so what it would say is not known: another route that has the hostname first, or a
//! grant that is gone. While there are such objects, no condition becomes good that is not, and bad news is written as ever.

use std::collections::BTreeSet;

use allready_core::{Polarity, Standing, Status};
use allready_gateway::{
    ObjectStatus,
    catalog::{On, find},
};
use serde_json::Value;

/// The most bytes, as estimated, that are kept of all objects.
pub(super) const LIMIT: usize = 128 * 1024 * 1024;

/// Returns true if a condition is good in a status that is not good in the one that stands.
pub(super) fn is_better(wanted: &ObjectStatus, stands: Option<&ObjectStatus>) -> bool {
    let good = |status: &ObjectStatus| {
        let mut found = BTreeSet::new();
        collect(&serde_json::to_value(status).unwrap_or_default(), "", &mut found);
        found
    };
    let stands = stands.map(good).unwrap_or_default();
    !good(wanted).is_subset(&stands)
}

/// Collects the good conditions in a part of a status, each by where it is and by its type.
fn collect(part: &Value, place: &str, found: &mut BTreeSet<String>) {
    match part {
        Value::Array(items) => {
            for item in items {
                // Lists are those of listeners, and of the parents and ancestors of others.
                let whose = ["name", "parentRef", "ancestorRef"].map(|field| item[field].to_string());
                collect(item, &format!("{place}{}", whose.concat()), found);
            }
        }
        Value::Object(fields) => {
            if let (Some(type_), Some(status)) = (part["type"].as_str(), part["status"].as_str())
                && polarity(type_).standing(status.parse().unwrap_or(Status::Unknown)) == Standing::Good
            {
                found.insert(format!("{place}{type_}"));
            }
            for (name, field) in fields {
                collect(field, &format!("{place}/{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn polarity(type_: &str) -> Polarity {
    let found = [On::Listener, On::RouteParent].into_iter().find_map(|on| find(on, type_));
    found.map_or(Polarity::NormalTrue, |found| found.polarity)
}
