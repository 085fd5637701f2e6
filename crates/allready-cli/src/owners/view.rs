//! What is said of an object and its owners: tables for people, everything for programs.

use std::cmp::Reverse;

use allready_core::{Time, found};
use allready_inspect::writers::{Agreement, Manager, Operation, OwnedCondition, Ownership};
use serde_json::{Value, json};

use super::limits::{Level, Limit};
use crate::{age::age, printer::tame, table::Table};

/// As many rows as a person reads; the rest is in the JSON.
const MAX_ROWS: usize = 60;
/// As much of a name as a table shows.
const MAX_NAME: usize = 80;

/// An object, and everything that was found out about it.
pub(super) struct Facts<'a> {
    pub(super) object: &'a Value,
    pub(super) ownership: &'a Ownership,
    pub(super) limits: &'a [Limit],
}

impl Facts<'_> {
    /// How the object is called: `Gate default/web`.
    pub(super) fn title(&self) -> String {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &self.object["metadata"];
        let (kind, namespace, name) =
            (text(&self.object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]));
        let name = if namespace.is_empty() { name } else { format!("{namespace}/{name}") };
        tame(format!("{kind} {name}").trim())
    }

    /// Everything, for programs.
    pub(super) fn json(&self) -> Value {
        let ownership = self.ownership;
        let conditions = ownership.conditions.iter().map(|condition| {
            let found = self.condition(condition);
            let owners = condition.owners.iter().filter_map(|owner| {
                let of = ownership.managers.get(owner.manager)?;
                Some(json!({
                    "manager": of.manager, "operation": of.operation, "subresource": of.subresource, "time": of.time,
                    "hasStatus": owner.has_status,
                }))
            });
            json!({
                "list": condition.list, "type": condition.type_, "status": found["status"],
                "since": self.since(found), "agreement": condition.agreement,
                "owners": owners.collect::<Vec<_>>(),
            })
        });
        let metadata = &self.object["metadata"];
        json!({
            "apiVersion": self.object["apiVersion"], "kind": self.object["kind"],
            "namespace": metadata["namespace"], "name": metadata["name"],
            "bytes": ownership.bytes, "managedFieldsBytes": ownership.managed_fields_bytes,
            "isComplete": ownership.is_complete, "conditions": conditions.collect::<Vec<_>>(),
            "managers": ownership.managers, "limits": self.limits,
        })
    }

    /// The tables.
    pub(super) fn text(&self, is_wide: bool, now: Time) -> String {
        let mut text = format!("{}: {}\n\n", self.title(), self.size());
        if self.ownership.conditions.is_empty() {
            text += "It has no conditions.\n";
        } else {
            text += &self.conditions(is_wide, now);
        }
        if !self.ownership.managers.is_empty() {
            text += "\n";
            text += &self.managers(is_wide, now);
        }
        text + "\n" + &self.distances()
    }

    fn size(&self) -> String {
        let bytes = grouped(self.ownership.bytes);
        let managers = match self.ownership.managers.len() {
            0 => return format!("{bytes} bytes"),
            1 => "1 manager".to_owned(),
            many => format!("{} managers", grouped(many)),
        };
        let of_managers = grouped(self.ownership.managed_fields_bytes);
        format!("{bytes} bytes, of which {of_managers} are the managedFields of {managers}")
    }

    fn conditions(&self, is_wide: bool, now: Time) -> String {
        let mut head = vec!["CONDITION", "STATUS", "SINCE", "WRITER", "OPERATION", "OWNERS"];
        if is_wide {
            head.splice(5..5, ["LAST WRITE", "SUBRESOURCE"]);
        }
        let mut table = Table::new(head);
        for condition in self.ownership.conditions.iter().take(MAX_ROWS) {
            let found = self.condition(condition);
            let writer =
                condition.owners.first().and_then(|owner| self.ownership.managers.get(owner.manager));
            let mut row = vec![
                cut(&called(condition)),
                cut(found["status"].as_str().unwrap_or_default()),
                self.since(found).map(|since| age(since, now)).unwrap_or_default(),
                writer.map(|writer| cut(&writer.manager)).unwrap_or_default(),
                writer.map(|writer| operation(writer.operation).to_owned()).unwrap_or_default(),
            ];
            if is_wide {
                row.push(last_write(writer, now));
                row.push(writer.and_then(|writer| writer.subresource.clone()).unwrap_or_default());
            }
            row.push(self.owners(condition));
            table.row(row);
        }
        table.text() + &more(self.ownership.conditions.len(), "conditions")
    }

    /// Since when a condition has been so.
    fn since(&self, condition: &Value) -> Option<Time> {
        let time = |value: &Value| value.as_str().and_then(|time| time.parse().ok());
        let created = time(&self.object["metadata"]["creationTimestamp"]);
        found::began(time(&condition["lastTransitionTime"]), created)
    }

    /// Who else owns something of a condition.
    fn owners(&self, condition: &OwnedCondition) -> String {
        let name = |index: usize| self.ownership.managers.get(index).map(|manager| manager.manager.as_str());
        let others = condition.owners.iter().skip(1).filter_map(|owner| name(owner.manager));
        let others: Vec<&str> = others.take(3).collect();
        let hidden = condition.owners.len().saturating_sub(1 + others.len());
        let others = match hidden {
            0 => others.join(", "),
            hidden => format!("{} and {hidden} more", others.join(", ")),
        };
        match condition.agreement {
            Agreement::Unowned => "nobody is written down".to_owned(),
            Agreement::Sole => "sole".to_owned(),
            Agreement::Shared => format!("shared with {others}"),
            Agreement::Contested => format!("contested with {others}"),
        }
    }

    fn managers(&self, is_wide: bool, now: Time) -> String {
        let mut head = vec!["MANAGER", "OPERATION", "SUBRESOURCE", "OWNS", "ENTRY", "SHARE", "LAST WRITE"];
        if is_wide {
            head.push("VERSION");
        }
        let mut table = Table::new(head);
        let mut managers: Vec<&Manager> = self.ownership.managers.iter().collect();
        managers.sort_by_key(|manager| Reverse(manager.owned_bytes + manager.entry_bytes));
        for manager in managers.into_iter().take(MAX_ROWS) {
            let bytes = manager.owned_bytes + manager.entry_bytes;
            let percent = bytes.saturating_mul(100).div_ceil(self.ownership.bytes.max(1));
            let mut row = vec![
                cut(&manager.manager),
                operation(manager.operation).to_owned(),
                manager.subresource.clone().unwrap_or_default(),
                format!("{} B", grouped(manager.owned_bytes)),
                format!("{} B", grouped(manager.entry_bytes)),
                format!("{percent} %"),
                last_write(Some(manager), now),
            ];
            if is_wide {
                row.push(manager.api_version.clone().unwrap_or_default());
            }
            table.row(row);
        }
        table.text() + &more(self.ownership.managers.len(), "managers")
    }

    fn distances(&self) -> String {
        let mut table = Table::new(["LIMIT", "USED", "OF", "SHARE", "ROOM"]);
        for limit in self.limits {
            table.row([
                cut(&limit.name),
                grouped(limit.used),
                grouped(limit.of),
                format!("{} %", limit.percent()),
                limit.level.words().to_owned(),
            ]);
        }
        table.text()
    }

    /// What is to be said aloud.
    pub(super) fn warnings(&self) -> Vec<String> {
        let near = self.limits.iter().filter(|limit| limit.level >= Level::OverHalf);
        let mut warnings: Vec<String> = near
            .map(|limit| {
                let (percent, of) = (limit.percent(), grouped(limit.of));
                format!("{}: {percent} % of the {of} {} are used", self.title(), limit.name)
            })
            .collect();
        if !self.ownership.is_complete {
            warnings.push(format!("{}: it is so large that not everything was looked at", self.title()));
        }
        warnings
    }

    fn condition(&self, condition: &OwnedCondition) -> &Value {
        self.object.pointer(&condition.pointer).unwrap_or(&Value::Null)
    }
}

/// How a condition is called: by its type, and by where it is if that is not at the top.
fn called(condition: &OwnedCondition) -> String {
    let list = condition.list.strip_prefix("status.").unwrap_or(&condition.list);
    match list.strip_suffix(".conditions").unwrap_or(list) {
        "conditions" => condition.type_.clone(),
        inside => format!("{inside}: {}", condition.type_),
    }
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Apply => "Apply",
        Operation::Update => "Update",
        Operation::Other => "other",
    }
}

/// A manager that only agreed to what stood there has no time.
fn last_write(manager: Option<&Manager>, now: Time) -> String {
    match manager {
        None => String::new(),
        Some(manager) => manager.time.map_or_else(|| "never changed it".to_owned(), |time| age(time, now)),
    }
}

fn more(count: usize, what: &str) -> String {
    match count.saturating_sub(MAX_ROWS) {
        0 => String::new(),
        hidden => format!("and {hidden} more {what}: -o json has them all\n"),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number with its thousands apart: 1,572,864.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let told = [0, 999, 1000, 1_572_864].map(grouped);
        assert_eq!(told, ["0", "999", "1,000", "1,572,864"]);
    }

    #[test]
    fn a_condition_is_called_by_where_it_is() {
        let condition = |list: &str| OwnedCondition {
            list: list.to_owned(),
            index: 0,
            pointer: String::new(),
            type_: "Ready".to_owned(),
            owners: Vec::new(),
            agreement: Agreement::Unowned,
        };
        assert_eq!(called(&condition("status.conditions")), "Ready");
        assert_eq!(called(&condition("status.listeners[web].conditions")), "listeners[web]: Ready");
        assert_eq!(called(&condition("status.clusterConditions")), "clusterConditions: Ready");
    }
}
