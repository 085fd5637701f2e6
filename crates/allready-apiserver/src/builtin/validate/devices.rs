//! Devices that drivers offer. Follows `pkg/apis/resource/validation`.
//!
//! Counters, request policies and binding conditions are not looked into.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Errors, immutable, selector, spot::Spot};
use crate::{
    builtin::written,
    names,
    status::{FieldError, Mistake},
};

/// A version of <https://semver.org>.
static VERSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (number, before, build) =
        (r"(0|[1-9]\d*)", r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)", "[0-9a-zA-Z-]+");
    let pattern = format!(r"^{number}\.{number}\.{number}(-{before}(\.{before})*)?(\+{build}(\.{build})*)?$");
    Regex::new(&pattern).ok()
});

const EXACTLY: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

/// A part of what a driver offers.
pub(super) fn slice(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    driver(&spec.child("driver"), errors);
    let pool = spec.child("pool");
    pool_name(&pool.child("name"), errors);
    let (count, generation) = (pool.child("resourceSliceCount"), pool.child("generation"));
    if count.number().unwrap_or(0) <= 0 {
        let found = count.number().unwrap_or(0);
        errors.push(FieldError::invalid(count.place.as_str(), found, "must be greater than zero"));
    }
    if generation.number().is_some_and(|generation| generation < 0) {
        generation.invalid("must be greater than or equal to zero", errors);
    }
    if let Some(old) = old {
        for path in [&["spec", "pool", "name"][..], &["spec", "driver"], &["spec", "nodeName"]] {
            immutable(new, old, path, errors);
        }
    }
    nodes(&spec, errors);
    let (devices, counters) = (spec.child("devices"), spec.child("sharedCounters"));
    if devices.exists() && counters.exists() {
        let why = "only one of `sharedCounters` or `devices` is allowed";
        errors.push(FieldError::invalid("spec", "", why));
    }
    let found = devices.items().count() as u64;
    let demanding = |device: &Spot<'_>| device.has("taints") || device.has("consumesCounters");
    let most = if devices.items().any(|device| demanding(&device)) { 64 } else { 128 };
    if found > most {
        return errors.push(FieldError::too_many(devices.place.as_str(), found, most));
    }
    for device in devices.items() {
        self::device(&device, errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    for device in devices.items() {
        let name = device.child("name").text();
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(device.place.as_str(), name));
        }
        seen.push(name);
    }
}

/// The nodes that can use the devices.
fn nodes(spec: &Spot<'_>, errors: &mut Errors) {
    let mut set = Vec::new();
    let (node, nodes) = (spec.child("nodeName"), spec.child("nodeSelector"));
    if node.exists() && node.is_empty() {
        node.invalid("must be either unset or set to a non-empty string", errors);
    } else if node.exists() {
        set.push("`nodeName`");
        node.problems(names::dns_subdomain(node.text()), errors);
    }
    if nodes.exists() {
        set.push("`nodeSelector`");
        let terms = nodes.child("nodeSelectorTerms");
        for term in terms.items() {
            for expression in term.child("matchExpressions").items() {
                selector::requirement(&expression, &["Gt", "Lt"], false, errors);
            }
        }
        if terms.items().count() != 1 {
            let shown: Vec<String> =
                terms.items().map(|term| written::text("core.v1.NodeSelectorTerm", term.value)).collect();
            let shown = format!("[{}]", shown.join(","));
            terms.shown(Mistake::Invalid, &shown, "must have exactly one node selector term", errors);
        }
    }
    for (field, shown) in [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")]
    {
        let flag = spec.child(field);
        if flag.flag() {
            set.push(shown);
        } else if flag.exists() {
            flag.invalid("must be either unset or set to true", errors);
        }
    }
    match set.len() {
        0 => spec.required(EXACTLY, errors),
        1 => {}
        _ => {
            let why = format!("{EXACTLY}, but multiple fields are set");
            errors.push(FieldError::invalid("spec", format!("{{{}}}", set.join(", ")), why));
        }
    }
}

/// The name of a pool: some names of domains.
pub(super) fn pool_name(name: &Spot<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return name.required("", errors);
    }
    if name.text().len() > 253 {
        errors.push(FieldError::too_long(name.place.as_str(), 253));
    }
    for part in name.text().split('/') {
        for problem in names::dns_subdomain(part) {
            errors.push(FieldError::invalid(name.place.as_str(), part, problem));
        }
    }
}

/// The name of a driver.
pub(super) fn driver(name: &Spot<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return name.required("", errors);
    }
    if name.text().len() > 63 {
        errors.push(FieldError::too_long(name.place.as_str(), 63));
    }
    name.problems(names::dns_subdomain(&name.text().to_lowercase()), errors);
}

fn device(device: &Spot<'_>, errors: &mut Errors) {
    let name = device.child("name");
    name.problems(names::dns_label(name.text()), errors);
    let (attributes, capacity) = (device.child("attributes"), device.child("capacity"));
    let found = attributes.entries().count() + capacity.entries().count();
    if found > 32 {
        let why = "the total number of attributes and capacities must not exceed 32";
        errors.push(FieldError::invalid(device.place.as_str(), found, why));
    }
    for (key, attribute) in attributes.entries() {
        qualified(&attributes.place, key, errors);
        self::attribute(&attribute, errors);
    }
    for (key, amount) in capacity.entries() {
        qualified(&capacity.place, key, errors);
        if amount.has("requestPolicy") && !device.child("allowMultipleAllocations").flag() {
            amount.child("requestPolicy").forbidden("allowMultipleAllocations must be true", errors);
        }
    }
    let taints = device.child("taints");
    let count = taints.items().count() as u64;
    if count > 16 {
        return errors.push(FieldError::too_many(taints.place.as_str(), count, 16));
    }
    for taint in taints.items() {
        selector::label_name(&taint.child("key"), errors);
        taint.child("value").named_if_any(names::label_value, errors);
        let effect = taint.child("effect");
        if effect.is_empty() {
            effect.required("", errors);
        } else {
            effect.one_of(&["NoExecute", "NoSchedule", "None"], errors);
        }
    }
}

/// The name of an attribute: an identifier of C, perhaps with a domain.
pub(super) fn qualified(place: &str, name: &str, errors: &mut Errors) {
    let mut refuse = |value: &str, why: String| errors.push(FieldError::invalid(place, value, why));
    let identifier = match name.split_once('/') {
        Some(("", identifier)) => {
            refuse("", "the domain must not be empty".to_owned());
            identifier
        }
        Some((domain, identifier)) => {
            for problem in names::dns_subdomain(domain) {
                refuse(domain, problem);
            }
            identifier
        }
        None => name,
    };
    let simple = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if identifier.is_empty() {
        refuse("", "the name must not be empty".to_owned());
    } else if !identifier.bytes().all(simple) || identifier.as_bytes().first().is_some_and(u8::is_ascii_digit)
    {
        refuse(identifier, "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')".to_owned());
    }
    if identifier.len() > 32 {
        errors.push(FieldError::too_long(place, 32));
    }
}

fn attribute(attribute: &Spot<'_>, errors: &mut Errors) {
    const ONE: &str = "exactly one value must be specified";
    /// The fields of an attribute, and what they are called in Go.
    const FIELDS: [(&str, &str); 8] = [
        ("int", "IntValue"),
        ("bool", "BoolValue"),
        ("string", "StringValue"),
        ("version", "VersionValue"),
        ("ints", "IntValues"),
        ("bools", "BoolValues"),
        ("strings", "StringValues"),
        ("versions", "VersionValues"),
    ];
    let texts = |one: &str, many: &str| {
        let (one, many) = (attribute.child(one), attribute.child(many));
        std::iter::once(one).filter(Spot::exists).chain(many.items()).collect::<Vec<_>>()
    };
    let long = |text: &Spot<'_>, errors: &mut Errors| {
        if text.text().len() > 64 {
            errors.push(FieldError::too_long(text.place.as_str(), 64));
        }
    };
    for text in texts("string", "strings") {
        long(&text, errors);
    }
    for text in texts("version", "versions") {
        if !VERSION.as_ref().is_some_and(|pattern| pattern.is_match(text.text())) {
            text.invalid("must be a string compatible with semver.org spec 2.0.0", errors);
        }
        long(&text, errors);
    }
    match FIELDS.iter().filter(|(field, _)| attribute.has(field)).count() {
        0 => errors.push(FieldError::invalid(attribute.place.as_str(), "", ONE)),
        1 => {}
        _ => {
            let shown = FIELDS.map(|(field, go)| format!("\"{go}\":{}", attribute.child(field).value));
            attribute.shown(Mistake::Invalid, &format!("{{{}}}", shown.join(",")), ONE, errors);
        }
    }
}
