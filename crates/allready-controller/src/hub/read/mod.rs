//! Facts from objects as watches deliver them. Read leniently: what is irregular is kept, what is missing is not invented.
//!
//! Whatever a cluster sends, what is kept of an instance is bounded: 1 KiB of each text, 256 addresses and 256 listeners, and
//! 64 KiB of its spec.

mod conditions;
mod fields;
mod hub;
mod managers;
mod rows;
mod text;

use std::sync::Arc;

use allready_core::{Generation, condition::cut, found::FoundObject};
use serde_json::Value;

use super::{Instance, ObjectName, Plan};
use conditions::Planned;
use fields::FieldPath;

pub use hub::HubFacts;
pub(super) use hub::cluster_names;

/// The most bytes that are kept of a text.
const MAX_TEXT: usize = 1024;
/// The most bytes that are kept of a spec.
const MAX_SPEC: usize = 64 << 10;
/// The most addresses, and the most listeners, that are kept.
const MAX_ROWS: usize = 256;
/// The most bytes of a name or a namespace. What is cut is no legal name any more, so it cannot be taken for another.
const MAX_NAME: usize = 253;

/// The annotations of an instance that say which generation of the hub object it was made from, the first before the others.
const HUB_GENERATION: [&str; 2] = ["allready.dev/hub-generation", "resourcetemplate.karmada.io/generation"];

/// Reads the instances of a plan's objects. It is shared by the watches of all clusters.
///
/// ```
/// use allready_controller::hub::{Plan, Reader, Said};
/// use allready_core::Status;
/// use serde_json::json;
///
/// let spec = serde_json::from_value(json!({
///     "targetRef": { "apiVersion": "apps/v1", "kind": "DaemonSet" },
///     "conditions": [{ "type": "Available" }, { "type": "Synced" }],
///     "fields": [{ "path": ".status.numberReady", "combine": "Sum" }],
/// })).unwrap();
/// let reader = Reader::new(&Plan::of(&spec));
/// let (name, instance) = reader.read(&json!({
///     "metadata": { "namespace": "shop", "name": "web", "generation": 3 },
///     "status": { "numberReady": 5, "conditions": [{ "type": "Available", "status": true, "observedGeneration": 2 }] },
/// }));
/// assert_eq!(name.to_string(), "shop/web");
/// let Said::Condition { condition, is_behind: true } = &instance.conditions[0] else { panic!("it is there, and behind") };
/// assert_eq!(condition.status, Status::True);
/// assert_eq!(instance.conditions[1], Said::Nothing);
/// assert_eq!(instance.fields, [5]);
/// ```
#[derive(Debug)]
pub struct Reader {
    conditions: Vec<Planned>,
    fields: Vec<FieldPath>,
    addresses: bool,
    listeners: bool,
}

impl Reader {
    /// A reader of what this plan needs.
    pub fn new(plan: &Plan) -> Self {
        Self {
            conditions: plan.conditions.iter().map(Planned::new).collect(),
            fields: plan.fields.iter().map(|field| FieldPath::new(&field.path)).collect(),
            addresses: plan.addresses || plan.dns.is_some(),
            listeners: plan.listeners || plan.dns.is_some(),
        }
    }

    /// Reads an object of a cluster.
    pub fn read(&self, object: &Value) -> (ObjectName, Instance) {
        let found = FoundObject::read(object);
        let mut cuts = Cuts::default();
        let hub_generation = hub_generation(object);
        let generation = found.generation.unwrap_or_default();
        let status = &object["status"];
        let spec = match hub_generation {
            Some(_) => None,
            None => text::canonical(&object["spec"], MAX_SPEC).or_else(|| {
                cuts.note(format!("its spec has more than {MAX_SPEC} bytes and is not compared"));
                None
            }),
        };
        let instance = Instance {
            generation,
            hub_generation,
            spec: spec.unwrap_or_default().into(),
            is_leaving: found.deleting,
            conditions: conditions::read(&self.conditions, object, &found),
            fields: self.fields.iter().map(|path| path.number(object, &mut cuts)).collect(),
            addresses: if self.addresses {
                rows::addresses(&status["addresses"], &mut cuts)
            } else {
                Vec::new()
            },
            listeners: if self.listeners {
                rows::listeners(&status["listeners"], generation, found.observed, &mut cuts)
            } else {
                Vec::new()
            },
            cut: cuts.told(),
        };
        (ObjectName::new(&cut(&found.namespace, MAX_NAME), &cut(&found.name, MAX_NAME)), instance)
    }
}

fn hub_generation(object: &Value) -> Option<Generation> {
    let annotations = &object["metadata"]["annotations"];
    HUB_GENERATION.iter().find_map(|name| {
        let number = annotations[*name].as_str()?.trim().parse::<i64>().ok()?;
        Generation::new(number).ok().filter(|generation| !generation.is_none())
    })
}

/// Notes on what was left out of an object.
#[derive(Debug, Default)]
struct Cuts(Vec<String>);

impl Cuts {
    /// The most that are told.
    const TOLD: usize = 8;

    fn note(&mut self, what: String) {
        self.0.push(what);
    }

    fn told(self) -> Option<Arc<str>> {
        let more = self.0.len().saturating_sub(Self::TOLD);
        let more = (more > 0).then(|| format!("and {more} more"));
        let told = self.0.into_iter().take(Self::TOLD).chain(more).collect::<Vec<_>>().join("; ");
        (!told.is_empty()).then(|| cut(&told, MAX_TEXT).into())
    }
}

#[cfg(test)]
mod tests;
