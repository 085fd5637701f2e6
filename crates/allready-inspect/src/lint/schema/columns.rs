//! C05: what `kubectl get` shows.

use serde_json::{Value, json};

use crate::lint::{Place, Severity, finding::Findings};

pub(super) fn look(version: &Value, place: &Place, findings: &mut Findings) {
    let place = || place.key("additionalPrinterColumns");
    let lacks: Vec<&str> =
        ["status", "reason"].into_iter().filter(|field| !has_column(version, field)).collect();
    if !lacks.is_empty() {
        findings.add("C05", Severity::Info, place(), || {
            format!("no column shows the {} of a condition", lacks.join(" or the "))
        });
    }
}

/// Tells whether a column shows this field of a condition.
pub(super) fn has_column(version: &Value, field: &str) -> bool {
    let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
    let mut paths = columns.filter_map(|column| column["jsonPath"].as_str());
    paths.any(|path| {
        let path = path.trim().trim_start_matches('.');
        path.starts_with("status.conditions[") && path.ends_with(&format!("].{field}"))
    })
}

/// The column that shows this field of a condition.
pub(super) fn column(type_: &str, field: &str) -> Value {
    let name = match field {
        "status" => type_.rsplit('/').next().unwrap_or(type_),
        _ => "Reason",
    };
    json!({
        "name": name,
        "type": "string",
        "jsonPath": format!(".status.conditions[?(@.type==\"{type_}\")].{field}"),
    })
}
