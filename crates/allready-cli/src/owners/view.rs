//! What is said of an object and its owners: tables for people, everything for programs.

use std::cmp::Reverse;

use allready_core::{Time, found};
use allready_inspect::writers::{self, Agreement, Manager, Operation, OwnedCondition, Ownership};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::limits::{Level, Limit, limits};
use crate::{
    age::age,
    output::{
        Column, Document, Look, Report, Table,
        document::ObjectName,
        text::{count, cut, indented},
    },
    printer::tame,
};

/// As many rows as a person reads; the rest is in the JSON.
const MAX_ROWS: usize = 60;
/// As much of a name as a table shows.
const MAX_NAME: usize = 80;

/// Objects and their owners, at an instant.
pub(super) struct Owners<'a> {
    pub(super) objects: Vec<Facts<'a>>,
    pub(super) now: Time,
}

/// The result of `allready owners`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OwnersReport<'a> {
    objects: Vec<Owned<'a>>,
}

impl Document for OwnersReport<'_> {
    const KIND: &'static str = "OwnersReport";
}

/// An object with its writers and limits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Owned<'a> {
    object: ObjectName<'a>,
    /// The size of the object as JSON.
    bytes: usize,
    managed_fields_bytes: usize,
    /// False if the object is so large that not all of it was looked at.
    is_complete: bool,
    conditions: Vec<Condition<'a>>,
    managers: &'a [Manager],
    limits: &'a [Limit],
}

/// A condition with its owners, the writer first.
#[derive(Serialize, JsonSchema)]
struct Condition<'a> {
    /// The path of the list, such as `status.conditions`.
    list: &'a str,
    #[serde(rename = "type")]
    type_: &'a str,
    status: Option<&'a str>,
    since: Option<Time>,
    agreement: Agreement,
    owners: Vec<ConditionOwner<'a>>,
}

/// A field manager that owns a part of a condition.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConditionOwner<'a> {
    manager: &'a str,
    operation: Operation,
    subresource: Option<&'a str>,
    time: Option<Time>,
    has_status: bool,
}

impl Report for Owners<'_> {
    type Value<'a>
        = OwnersReport<'a>
    where
        Self: 'a;

    fn value(&self) -> OwnersReport<'_> {
        OwnersReport { objects: self.objects.iter().map(Facts::value).collect() }
    }

    fn text(&self, look: Look) -> String {
        self.objects.iter().map(|facts| facts.text(look, self.now)).collect::<Vec<_>>().join("\n")
    }
}

/// An object, and everything that was found out about it.
pub(super) struct Facts<'a> {
    object: &'a Value,
    pub(super) ownership: Ownership,
    limits: Vec<Limit>,
}

impl<'o> Facts<'o> {
    pub(super) fn of(object: &'o Value) -> Self {
        let ownership = writers::all(object);
        let limits = limits(object, &ownership);
        Self { object, ownership, limits }
    }

    /// How the object is called: `Gate default/web`.
    pub(super) fn title(&self) -> String {
        let ObjectName { kind, namespace, name, .. } = ObjectName::of(self.object);
        let slash = if namespace.is_empty() { "" } else { "/" };
        tame(format!("{kind} {namespace}{slash}{name}").trim())
    }

    fn value(&self) -> Owned<'_> {
        let ownership = &self.ownership;
        let conditions = ownership.conditions.iter().map(|condition| {
            let found = self.condition(condition);
            let owners = condition.owners.iter().filter_map(|owner| {
                let of = ownership.managers.get(owner.manager)?;
                Some(ConditionOwner {
                    manager: &of.manager,
                    operation: of.operation,
                    subresource: of.subresource.as_deref(),
                    time: of.time,
                    has_status: owner.has_status,
                })
            });
            Condition {
                list: &condition.list,
                type_: &condition.type_,
                status: found["status"].as_str(),
                since: self.since(found),
                agreement: condition.agreement,
                owners: owners.collect(),
            }
        });
        Owned {
            object: ObjectName::of(self.object),
            bytes: ownership.bytes,
            managed_fields_bytes: ownership.managed_fields_bytes,
            is_complete: ownership.is_complete,
            conditions: conditions.collect(),
            managers: &ownership.managers,
            limits: &self.limits,
        }
    }

    /// The tables.
    fn text(&self, look: Look, now: Time) -> String {
        let mut text = indented(&format!("{}: {}", self.title(), self.size()), "", look.width) + "\n";
        if self.ownership.conditions.is_empty() {
            text += "It has no conditions.\n";
        } else {
            text += &self.conditions(look, now);
        }
        if !self.ownership.managers.is_empty() {
            text += "\n";
            text += &self.managers(look, now);
        }
        text + "\n" + &self.distances(look)
    }

    fn size(&self) -> String {
        let bytes = grouped(self.ownership.bytes);
        let managers = match self.ownership.managers.len() {
            0 => return format!("{bytes} bytes"),
            managers => count(managers, "manager"),
        };
        let of_managers = grouped(self.ownership.managed_fields_bytes);
        format!("{bytes} bytes, of which {of_managers} are the managedFields of {managers}")
    }

    fn conditions(&self, look: Look, now: Time) -> String {
        let mut columns = vec![Column::key("CONDITION"), Column::key("STATUS"), Column::fact("SINCE")];
        columns.extend([Column::key("WRITER"), Column::minor("OPERATION")]);
        if look.is_wide {
            columns.extend(["LAST WRITE", "SUBRESOURCE"].map(Column::minor));
        }
        columns.push(Column::text("OWNERS"));
        let mut table = Table::new(look, columns);
        for condition in self.ownership.conditions.iter().take(MAX_ROWS) {
            let found = self.condition(condition);
            let writer =
                condition.owners.first().and_then(|owner| self.ownership.managers.get(owner.manager));
            let mut row = vec![
                cut(&called(condition), MAX_NAME),
                cut(found["status"].as_str().unwrap_or_default(), MAX_NAME),
                self.since(found).map(|since| age(since, now)).unwrap_or_default(),
                writer.map(|writer| cut(&writer.manager, MAX_NAME)).unwrap_or_default(),
                writer.map(|writer| operation(writer.operation).to_owned()).unwrap_or_default(),
            ];
            if look.is_wide {
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
            Agreement::Unowned => "no manager".to_owned(),
            Agreement::Sole => "sole".to_owned(),
            Agreement::Shared => format!("shared with {others}"),
            Agreement::Contested => format!("contested with {others}"),
        }
    }

    fn managers(&self, look: Look, now: Time) -> String {
        let mut columns = vec![Column::key("MANAGER")];
        columns.extend(["OPERATION", "SUBRESOURCE"].map(Column::minor));
        columns.extend(["OWNS", "ENTRY", "SHARE", "LAST WRITE"].map(Column::fact));
        columns.extend(look.is_wide.then(|| Column::minor("VERSION")));
        let mut table = Table::new(look, columns);
        let mut managers: Vec<&Manager> = self.ownership.managers.iter().collect();
        managers.sort_by_key(|manager| Reverse(manager.owned_bytes + manager.entry_bytes));
        for manager in managers.into_iter().take(MAX_ROWS) {
            let bytes = manager.owned_bytes + manager.entry_bytes;
            let percent = bytes.saturating_mul(100).div_ceil(self.ownership.bytes.max(1));
            let mut row = vec![
                cut(&manager.manager, MAX_NAME),
                operation(manager.operation).to_owned(),
                manager.subresource.clone().unwrap_or_default(),
                format!("{} B", grouped(manager.owned_bytes)),
                format!("{} B", grouped(manager.entry_bytes)),
                format!("{percent} %"),
                last_write(Some(manager), now),
            ];
            if look.is_wide {
                row.push(manager.api_version.clone().unwrap_or_default());
            }
            table.row(row);
        }
        table.text() + &more(self.ownership.managers.len(), "managers")
    }

    fn distances(&self, look: Look) -> String {
        let columns = [Column::key("LIMIT"), Column::fact("USED"), Column::fact("OF")];
        let mut table = Table::new(look, columns.into_iter().chain(["SHARE", "ROOM"].map(Column::key)));
        for limit in &self.limits {
            table.row([
                cut(&limit.name, MAX_NAME),
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
            warnings.push(format!("{}: it is too large to be read completely", self.title()));
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
