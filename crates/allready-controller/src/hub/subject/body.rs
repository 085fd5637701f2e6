//! The part of a status that is ours: as it is applied, and against what stands.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use allready_core::{Condition, condition};

use super::super::{Address, HubFacts, Plan, fields, name, rows::ListenerRow, split_listener};

/// The part of a status that is ours.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) conditions: Vec<Condition>,
    /// None where they are somebody else's, and are left alone.
    pub(super) addresses: Option<Vec<Address>>,
    pub(super) listeners: Vec<ListenerRow>,
    /// The planned numbers, in the order of the plan; empty where none should stand.
    pub(super) fields: Vec<i64>,
}

impl Body {
    /// As it is applied. What is not in it, and was ours, goes.
    pub(super) fn status(&self, plan: &Plan) -> Value {
        let mut status = Map::new();
        if let Some(addresses) = self.addresses.as_ref().filter(|addresses| !addresses.is_empty()) {
            let rows = addresses.iter().map(|row| json!({ "type": row.type_, "value": row.value }));
            status.insert("addresses".to_owned(), rows.collect());
        }
        if !self.conditions.is_empty() {
            status.insert("conditions".to_owned(), json!(self.conditions));
        }
        if !self.listeners.is_empty() {
            // The lists are required: older definitions want both.
            let row = |(name, routes): &ListenerRow| json!({ "attachedRoutes": routes, "conditions": [], "name": name, "supportedKinds": [] });
            status.insert("listeners".to_owned(), self.listeners.iter().map(row).collect());
        }
        for (field, number) in plan.fields.iter().zip(&self.fields) {
            fields::write(&mut status, &field.path, *number);
        }
        Value::Object(status)
    }

    /// Returns true if what stands differs from it.
    pub(super) fn differs(&self, facts: &HubFacts) -> bool {
        let is_wanted = |type_: &str| self.conditions.iter().any(|condition| condition.type_ == *type_);
        let stands = |condition: &Condition| {
            condition::find(&facts.conditions, condition.type_.as_str()) == Some(condition)
        };
        let fields = self.fields.iter().enumerate();
        let mut fields = fields.map(|(index, number)| (*number, facts.fields.get(index).copied().flatten()));
        !self.conditions.iter().all(stands)
            || !facts.ours.iter().all(|type_| is_wanted(type_))
            || self
                .addresses
                .as_ref()
                .is_some_and(|wanted| !facts.addresses.iter().filter(|row| name::is_row(row)).eq(wanted))
            || self.listener_rows() != standing_rows(facts)
            || !fields.all(|(wanted, standing)| standing == Some(wanted))
    }

    fn listener_rows(&self) -> BTreeMap<&str, Option<i64>> {
        self.listeners.iter().map(|(name, routes)| (name.as_str(), Some(*routes))).collect()
    }
}

/// The listeners of ours that stand.
fn standing_rows(facts: &HubFacts) -> BTreeMap<&str, Option<i64>> {
    let ours = facts.listeners.iter().filter(|(name, _)| is_ours(facts, name));
    ours.map(|(name, routes)| (&**name, *routes)).collect()
}

/// Returns true if a listener that stands is a row of ours.
pub(super) fn is_ours(facts: &HubFacts, name: &str) -> bool {
    split_listener(name).is_some() && !facts.foreign_listeners.iter().any(|(foreign, _)| **foreign == *name)
}
