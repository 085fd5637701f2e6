//! The fields that a field selector may name, as text.

use serde_json::Value;

use super::path::{at, flag_at, number_at, text_at};

/// The value of a field of an object; an event may be in the form of either group.
pub(crate) fn value(object: &Value, field: &str) -> String {
    let first = |paths: [&[&str]; 2]| {
        paths.into_iter().map(|path| text_at(object, path)).find(|text| !text.is_empty()).unwrap_or_default()
    };
    match field {
        "spec.host" => text_at(object, &["spec", "nodeName"]).to_owned(),
        "status.successful" => number_at(object, &["status", "succeeded"]).unwrap_or(0).to_string(),
        "spec.unschedulable" | "spec.hostNetwork" => {
            flag_at(object, &field.split('.').collect::<Vec<_>>()).to_string()
        }
        "status.podIP" | "status.podIPs" => {
            let first = at(object, &["status", "podIPs"]).and_then(|list| list.get(0));
            let address = first.map(|entry| text_at(entry, &["ip"])).filter(|ip| !ip.is_empty());
            address.unwrap_or_else(|| text_at(object, &["status", "podIP"])).to_owned()
        }
        "source" => first([&["source", "component"], &["reportingComponent"]]).to_owned(),
        "reportingController" => first([&["reportingController"], &["reportingComponent"]]).to_owned(),
        _ => {
            let stored = field.replacen("regarding.", "involvedObject.", 1);
            let asked: Vec<_> = field.split('.').collect();
            let stored: Vec<_> = stored.split('.').collect();
            first([&asked, &stored]).to_owned()
        }
    }
}
