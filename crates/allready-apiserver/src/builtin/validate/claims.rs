//! Device classes, and claims of devices with their templates. Follows `pkg/apis/resource/validation`.
//!
//! Of an allocation, binding conditions and the shares of a device are not looked into, and of a status the networks.

use serde_json::Value;

use super::{Errors, conditions, devices, immutable, scheduling, selector, spot::Spot, words};
use crate::{
    names,
    schema::validate::rules::declared::{Declared, Wanted, problem},
    status::{FieldError, Mistake},
};

/// A class of devices.
pub(super) fn class(new: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    selectors(&spec.child("selectors"), errors);
    each(&spec.child("config"), 32, errors, opaque);
    let name = spec.child("extendedResourceName");
    if name.exists() && !is_extended(name.text()) {
        name.invalid("must be a valid extended resource name", errors);
    }
}

fn is_extended(name: &str) -> bool {
    let native = !name.contains('/') || name.contains("kubernetes.io/");
    !native && !name.starts_with("requests.") && names::qualified(&format!("requests.{name}")).is_empty()
}

/// A claim, which never changes.
pub(super) fn claim(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    match old {
        Some(old) => immutable(new, old, &["spec"], errors),
        None => self::spec(&Spot::root(new).child("spec"), errors),
    }
}

/// A template of claims, which never changes.
pub(super) fn template(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if let Some(old) = old {
        return immutable(new, old, &["spec"], errors);
    }
    let spec = Spot::root(new).child("spec");
    words::annotations(&spec.at("metadata.annotations"), errors);
    words::labels(&spec.at("metadata.labels"), errors);
    self::spec(&spec.child("spec"), errors);
}

/// Checks each item of a list that may not be longer than `most`. Tells whether it is as short as that.
fn each(list: &Spot<'_>, most: u64, errors: &mut Errors, check: impl Fn(&Spot<'_>, &mut Errors)) -> bool {
    let count = list.items().count() as u64;
    if count > most {
        errors.push(FieldError::too_many(list.place.as_str(), count, most));
        return false;
    }
    list.items().for_each(|item| check(&item, errors));
    true
}

/// As [`each`], for items that differ in what `key` finds in them.
fn set<'a>(
    list: &Spot<'a>,
    most: u64,
    key: impl Fn(&Spot<'a>) -> &'a str,
    errors: &mut Errors,
    check: impl Fn(&Spot<'_>, &mut Errors),
) {
    if !each(list, most, errors, check) {
        return;
    }
    let mut seen: Vec<&str> = Vec::new();
    for item in list.items() {
        let key = key(&item);
        if seen.contains(&key) {
            errors.push(FieldError::duplicate(item.place, key));
        }
        seen.push(key);
    }
}

fn name_of<'a>(item: &Spot<'a>) -> &'a str {
    item.child("name").text()
}

fn spec(spec: &Spot<'_>, errors: &mut Errors) {
    let devices = spec.child("devices");
    let requests = devices.child("requests");
    set(&requests, 32, name_of, errors, request);
    each(&devices.child("constraints"), 32, errors, |constraint, errors| {
        references(constraint, &requests, errors);
        let (same, distinct) = (constraint.child("matchAttribute"), constraint.child("distinctAttribute"));
        if let Some(attribute) = [same, distinct].into_iter().find(Spot::exists) {
            devices::qualified(&attribute.place, attribute.text(), errors);
            if !attribute.text().contains('/') {
                let why = "a fully qualified name must be a domain and a name separated by a slash";
                attribute.invalid(why, errors);
            }
        } else {
            let why = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
            constraint.required(why, errors);
        }
    });
    each(&devices.child("config"), 32, errors, |config, errors| {
        references(config, &requests, errors);
        opaque(config, errors);
    });
}

fn label(name: &Spot<'_>, errors: &mut Errors) {
    name.problems(names::dns_label(name.text()), errors);
}

fn request(request: &Spot<'_>, errors: &mut Errors) {
    const ONE: &str = "exactly one of `exactly` or `firstAvailable` is required";
    label(&request.child("name"), errors);
    let (exactly, first) = (request.child("exactly"), request.child("firstAvailable"));
    match (exactly.exists(), !first.is_empty()) {
        (false, false) => request.required(ONE, errors),
        (true, true) => {
            let why = format!("{ONE}, but multiple fields are set");
            errors.push(FieldError::invalid(request.place.as_str(), Value::Null, why));
        }
        (true, false) => devices_of(&exactly, errors),
        (false, true) => set(&first, 8, name_of, errors, |one, errors| {
            label(&one.child("name"), errors);
            devices_of(one, errors);
        }),
    }
}

/// The devices of one request.
fn devices_of(request: &Spot<'_>, errors: &mut Errors) {
    request.child("deviceClassName").named(names::dns_subdomain, errors);
    selectors(&request.child("selectors"), errors);
    let (mode, count) = (request.child("allocationMode"), request.child("count"));
    let number = count.number().unwrap_or(0);
    let mut refuse = |why: &str| errors.push(FieldError::invalid(count.place.as_str(), number, why));
    match mode.text() {
        "All" if number != 0 => refuse("must not be specified when allocationMode is 'All'"),
        "ExactCount" if number <= 0 => refuse("must be greater than zero"),
        "All" | "ExactCount" => {}
        _ => mode.one_of(&["All", "ExactCount"], errors),
    }
    for toleration in request.child("tolerations").items() {
        self::toleration(&toleration, errors);
    }
}

fn toleration(toleration: &Spot<'_>, errors: &mut Errors) {
    let [key, operator, value] = ["key", "operator", "value"].map(|field| toleration.child(field));
    if !key.is_empty() {
        selector::label_name(&key, errors);
    }
    match operator.text() {
        "Exists" if !value.is_empty() => value.invalid("must be empty for operator `Exists`", errors),
        "Exists" => {}
        "Equal" => value.problems(names::label_value(value.text()), errors),
        "" => operator.required("", errors),
        _ => operator.one_of(&["Equal", "Exists"], errors),
    }
    let effect = toleration.child("effect");
    if !effect.is_empty() {
        effect.one_of(&["NoExecute", "NoSchedule", "None"], errors);
    }
}

fn selectors(list: &Spot<'_>, errors: &mut Errors) {
    each(list, 32, errors, |selector, errors| {
        let cel = selector.child("cel");
        if !cel.exists() {
            return cel.required("", errors);
        }
        let expression = cel.child("expression");
        if expression.text().len() > 10 * 1024 {
            return errors.push(FieldError::too_long(expression.place.as_str(), 10 * 1024));
        }
        let declared = Declared { typed: vec!["device"], ..Declared::default() };
        let refusal = |_: &[&'static str], found: &str| {
            format!("must evaluate to bool or the unknown type, not {found}")
        };
        let wanted = Wanted { types: vec!["bool", "dyn"], refusal };
        expression.problems(problem(expression.text(), &declared, &wanted), errors);
    });
}

/// The requests that something in the claim is about.
fn references(item: &Spot<'_>, requests: &Spot<'_>, errors: &mut Errors) {
    set(&item.child("requests"), 32, Spot::text, errors, |name, errors| reference(name, requests, errors));
}

fn reference(name: &Spot<'_>, requests: &Spot<'_>, errors: &mut Errors) {
    const UNKNOWN: &str = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    let mut parts = name.text().splitn(3, '/');
    let (first, second, more) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    if more.is_some() {
        return name.invalid(UNKNOWN, errors);
    }
    for part in std::iter::once(first).chain(second) {
        for problem in names::dns_label(part) {
            errors.push(FieldError::invalid(name.place.as_str(), part, problem));
        }
    }
    let found = requests.items().filter(|request| name_of(request) == first).last();
    let known = found.is_some_and(|request| {
        second.is_none_or(|second| request.child("firstAvailable").items().any(|one| name_of(&one) == second))
    });
    if !known {
        errors.push(FieldError::invalid(name.place.as_str(), name.text(), UNKNOWN));
    }
}

/// A configuration, which only its driver understands.
fn opaque(config: &Spot<'_>, errors: &mut Errors) {
    let opaque = config.child("opaque");
    if !opaque.exists() {
        return opaque.required("", errors);
    }
    devices::driver(&opaque.child("driver"), errors);
    raw(&opaque.child("parameters"), errors);
}

fn raw(data: &Spot<'_>, errors: &mut Errors) {
    if !data.exists() {
        data.required("", errors);
    } else if data.value.to_string().len() > 10 * 1024 {
        errors.push(FieldError::too_long(data.place.as_str(), 10 * 1024));
    } else if !data.value.is_object() {
        errors.push(FieldError::invalid(
            data.place.as_str(),
            "<value omitted>",
            "must be a valid JSON object",
        ));
    }
}

/// The status of a claim: what was allocated, to whom, and how the devices are.
pub(super) fn status(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let root = Spot::root(new);
    let status = root.child("status");
    let (reserved, allocation) = (status.child("reservedFor"), status.child("allocation"));
    let uid = |consumer: &Spot<'_>| consumer.child("uid").text().to_owned();
    let unique = each(&reserved, 256, errors, |consumer, errors| {
        for field in ["resource", "name", "uid"] {
            consumer.child(field).filled(errors);
        }
    });
    let mut seen: Vec<String> = Vec::new();
    for consumer in reserved.items().filter(|_| unique) {
        let uid = uid(&consumer);
        if seen.contains(&uid) {
            errors.push(FieldError::duplicate(consumer.place, uid.as_str()));
        }
        seen.push(uid);
    }
    let allocated: Vec<String> = allocation.at("devices.results").items().map(|it| device_id(&it)).collect();
    let mut told: Vec<String> = Vec::new();
    for device in status.child("devices").items() {
        devices::driver(&device.child("driver"), errors);
        devices::pool_name(&device.child("pool"), errors);
        label(&device.child("device"), errors);
        let id = device_id(&device);
        if !allocated.contains(&id) {
            let part = |field: &str| Value::from(device.child(field).text());
            let shown = format!(
                "{{\"Driver\":{},\"Pool\":{},\"Device\":{},\"ShareID\":{}}}",
                part("driver"),
                part("pool"),
                part("device"),
                part("shareID")
            );
            device.shown(Mistake::Invalid, &shown, "must be an allocated device in the claim", errors);
        }
        let list = device.child("conditions");
        let count = list.items().count() as u64;
        if count > 8 {
            errors.push(FieldError::too_many(list.place.as_str(), count, 8));
        }
        conditions::check(&list, errors);
        let data = device.child("data");
        if data.exists() {
            raw(&data, errors);
        }
        told.push(id);
    }
    for (index, device) in status.child("devices").items().enumerate() {
        if told.iter().take(index).any(|id| Some(id) == told.get(index)) {
            errors.push(FieldError::duplicate(device.place.as_str(), device_id(&device)));
        }
    }
    if !reserved.is_empty() && !allocation.exists() {
        reserved.forbidden("may not be specified when `allocated` is not set", errors);
    } else if !reserved.is_empty() && root.at("metadata.deletionTimestamp").exists() {
        let before = old.map(|old| Spot::root(old).at("status.reservedFor"));
        let known = |consumer: &Spot<'_>| {
            before.as_ref().is_some_and(|before| before.items().any(|other| other.value == consumer.value))
        };
        if !reserved.items().all(|consumer| known(&consumer)) {
            let why =
                "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            reserved.forbidden(why, errors);
        }
    }
    match old {
        Some(old) if allocation.exists() && Spot::root(old).at("status.allocation").exists() => {
            immutable(new, old, &["status", "allocation"], errors);
        }
        _ => allocated_devices(&allocation, &root.at("spec.devices.requests"), errors),
    }
}

fn device_id(device: &Spot<'_>) -> String {
    let part = |field: &str| device.child(field).text().to_owned();
    let share = part("shareID");
    let id = [part("driver"), part("pool"), part("device")].join("/");
    if share.is_empty() { id } else { format!("{id}/{share}") }
}

/// A new allocation.
fn allocated_devices(allocation: &Spot<'_>, requests: &Spot<'_>, errors: &mut Errors) {
    let devices = allocation.child("devices");
    each(&devices.child("results"), 32, errors, |result, errors| {
        reference(&result.child("request"), requests, errors);
        devices::driver(&result.child("driver"), errors);
        devices::pool_name(&result.child("pool"), errors);
        label(&result.child("device"), errors);
    });
    each(&devices.child("config"), 64, errors, |config, errors| {
        let source = config.child("source");
        if source.is_empty() {
            source.required("", errors);
        } else {
            source.one_of(&["FromClaim", "FromClass"], errors);
        }
        references(config, requests, errors);
        opaque(config, errors);
    });
    let nodes = allocation.child("nodeSelector");
    if nodes.exists() {
        let terms = nodes.child("nodeSelectorTerms");
        terms.items().for_each(|term| scheduling::node_term(&term, false, errors));
        if terms.is_empty() {
            terms.required("must have at least one node selector term", errors);
        }
    }
}
