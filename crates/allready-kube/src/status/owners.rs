//! Whose a condition is, by `managedFields`.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::Value;

use crate::sweep::condition_type;

/// The types of the conditions that managers other than this one own something of. `path` leads from the status to the list.
///
/// Where the list is replaced as a whole by every writer, or `managedFields` were taken out of the object, nobody is shown as
/// the owner of a single condition.
pub(super) fn others(managed: &Value, path: &[Cow<'_, str>], ours: &str) -> BTreeSet<String> {
    let entries = managed.as_array().into_iter().flatten();
    let theirs = entries.filter(|entry| entry["manager"].as_str().is_some_and(|name| name != ours));
    let lists = theirs.filter_map(|entry| {
        let status = entry["fieldsV1"].get("f:status")?;
        path.iter().try_fold(status, |fields, step| fields.get(format!("f:{step}")))?.as_object()
    });
    lists.flat_map(|list| list.keys().filter_map(|key| condition_type(key))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, fields: &Value) -> Value {
        json!({ "manager": manager, "operation": "Update", "subresource": "status", "fieldsV1": { "f:status": fields } })
    }

    fn list(type_: &str) -> Value {
        let key = format!("k:{}", json!({ "type": type_ }));
        json!({ "f:conditions": { ".": {}, key: { ".": {}, "f:type": {} } } })
    }

    #[test]
    fn what_somebody_else_owns_is_told_apart_from_what_is_ours_or_nobodys() {
        let path = [Cow::Borrowed("conditions")];
        let managed = json!([entry("a", &list("A")), entry("b", &list("B")), entry("unknown", &list("C"))]);
        let types = |ours| others(&managed, &path, ours).into_iter().collect::<Vec<_>>();
        assert_eq!(types("a"), ["B", "C"]);
        assert_eq!(types("unknown"), ["A", "B"]);
    }

    #[test]
    fn lists_inside_of_a_struct_are_found_and_those_without_types_show_nothing() {
        let path = ["core", "conditions"].map(Cow::Borrowed);
        let managed = json!([
            entry("b", &json!({ "f:core": list("B") })),
            entry("c", &list("C")),
            entry("d", &json!({ "f:core": { "f:conditions": {} } })),
        ]);
        assert_eq!(others(&managed, &path, "a"), ["B".to_owned()].into());
        assert_eq!(others(&Value::Null, &path, "a"), BTreeSet::new());
    }
}
