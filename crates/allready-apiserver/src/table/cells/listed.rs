//! Kinds whose cells are fields, one by one. Follows `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    NONE, age,
    age::human,
    name,
    text::{at, containers, items, labels, or, selector, selector_or_none},
};

const UNSET: &str = "<unset>";

/// One cell.
pub(in crate::table) enum Cell {
    Name,
    Age,
    /// The text at a pointer, or what stands for its absence.
    Text(&'static str, &'static str),
    /// The value at a pointer, or the number or flag that stands for its absence.
    Number(&'static str),
    Flag(&'static str, bool),
    /// The number of items.
    Count(&'static str),
    /// Items in one text.
    Joined(&'static str, &'static str),
    Made(fn(&Value) -> Value),
}

use Cell::{Age, Count, Flag, Joined, Made, Name, Number, Text};

impl Cell {
    pub(super) fn of(&self, object: &Value, now: Timestamp) -> Value {
        let found = |pointer: &str| object.pointer(pointer).unwrap_or(&Value::Null);
        let list = |pointer: &str| found(pointer).as_array().map_or(&[][..], Vec::as_slice);
        match *self {
            Name => name(object),
            Age => age(object, now),
            Text(pointer, absent) => found(pointer).as_str().unwrap_or(absent).into(),
            Number(pointer) => found(pointer).as_i64().unwrap_or_default().into(),
            Flag(pointer, absent) => found(pointer).as_bool().unwrap_or(absent).into(),
            Count(pointer) => list(pointer).len().into(),
            Joined(pointer, absent) => {
                let texts: Vec<&str> = list(pointer).iter().filter_map(Value::as_str).collect();
                or(&texts.join(","), absent).into()
            }
            Made(make) => make(object),
        }
    }
}

/// The kinds: their group, their names, none for all others of the group, and their cells.
type Row = (&'static str, &'static [&'static str], &'static [Cell]);

static KINDS: &[Row] = &[
    ("", &["endpoints"], &[Name, Made(endpoints), Age]),
    ("", &["namespaces"], &[Name, Text("/status/phase", ""), Age]),
    (
        "",
        &["persistentvolumeclaims"],
        &[
            Name,
            Made(phase),
            Text("/spec/volumeName", ""),
            Made(|claim| bound(claim, at(claim, &["status", "capacity", "storage"]), "0")),
            Made(|claim| bound(claim, &modes(&claim["status"]), "")),
            Made(|claim| class(claim, "storageClassName")),
            Text("/spec/volumeAttributesClassName", UNSET),
            Age,
            Text("/spec/volumeMode", UNSET),
        ],
    ),
    (
        "",
        &["persistentvolumes"],
        &[
            Name,
            Text("/spec/capacity/storage", "0"),
            Made(|volume| modes(&volume["spec"]).into()),
            Text("/spec/persistentVolumeReclaimPolicy", ""),
            Made(phase),
            Made(|volume| match &volume["spec"]["claimRef"] {
                Value::Null => "".into(),
                claim => format!("{}/{}", at(claim, &["namespace"]), at(claim, &["name"])).into(),
            }),
            Made(|volume| class(volume, "storageClassName")),
            Text("/spec/volumeAttributesClassName", UNSET),
            Text("/status/reason", ""),
            Age,
            Text("/spec/volumeMode", UNSET),
        ],
    ),
    (
        "",
        &["podtemplates"],
        &[
            Name,
            Made(|object| containers(&object["template"])[0].clone()),
            Made(|object| containers(&object["template"])[1].clone()),
            Made(|object| labels(&object["template"]["metadata"]["labels"]).into()),
        ],
    ),
    (
        "",
        &["replicationcontrollers"],
        &[
            Name,
            Number("/spec/replicas"),
            Number("/status/replicas"),
            Number("/status/readyReplicas"),
            Age,
            Made(|object| containers(&object["spec"]["template"])[0].clone()),
            Made(|object| containers(&object["spec"]["template"])[1].clone()),
            Made(|object| labels(&object["spec"]["selector"]).into()),
        ],
    ),
    (
        "",
        &["resourcequotas"],
        &[Name, Made(|quota| amounts(quota, false)), Made(|quota| amounts(quota, true)), Age],
    ),
    ("", &["serviceaccounts"], &[Name, Age]),
    (
        "admissionregistration.k8s.io",
        &["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        &[Name, Count("/webhooks"), Age],
    ),
    (
        "admissionregistration.k8s.io",
        &["validatingadmissionpolicies"],
        &[Name, Count("/spec/validations"), Made(param_kind), Age],
    ),
    (
        "admissionregistration.k8s.io",
        &["mutatingadmissionpolicies"],
        &[Name, Count("/spec/mutations"), Made(param_kind), Age],
    ),
    ("admissionregistration.k8s.io", &[], &[Name, Text("/spec/policyName", ""), Made(param_ref), Age]),
    ("apps", &["controllerrevisions"], &[Name, Made(controller), Number("/revision"), Age]),
    (
        "autoscaling",
        &[],
        &[
            Name,
            Made(|object| {
                let target = &object["spec"]["scaleTargetRef"];
                format!("{}/{}", at(target, &["kind"]), at(target, &["name"])).into()
            }),
            Made(metrics),
            Made(|object| {
                object["spec"]["minReplicas"].as_i64().map_or(UNSET.into(), |it| it.to_string()).into()
            }),
            Number("/spec/maxReplicas"),
            Number("/status/currentReplicas"),
            Age,
        ],
    ),
    (
        "certificates.k8s.io",
        &[],
        &[
            Name,
            Age,
            Text("/spec/signerName", NONE),
            Text("/spec/username", ""),
            Made(|object| match object["spec"]["expirationSeconds"].as_i64() {
                Some(seconds) => human(jiff::SignedDuration::from_secs(seconds)).into(),
                None => NONE.into(),
            }),
            Made(request_state),
        ],
    ),
    ("coordination.k8s.io", &[], &[Name, Text("/spec/holderIdentity", ""), Age]),
    (
        "discovery.k8s.io",
        &[],
        &[
            Name,
            Text("/addressType", ""),
            Made(|slice| {
                let port = |port: &Value| match (port["port"].as_i64(), port["name"].as_str()) {
                    (Some(number), _) => number.to_string(),
                    (None, name) => name.unwrap_or("*").to_owned(),
                };
                first_of(items(slice, &["ports"]).iter().map(port).collect(), 3, UNSET)
            }),
            Made(|slice| {
                let addresses = items(slice, &["endpoints"]).iter().flat_map(|it| items(it, &["addresses"]));
                let texts = addresses.filter_map(Value::as_str).map(str::to_owned);
                first_of(texts.collect(), 3, UNSET)
            }),
            Age,
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        &["flowschemas"],
        &[
            Name,
            Text("/spec/priorityLevelConfiguration/name", ""),
            Number("/spec/matchingPrecedence"),
            Text("/spec/distinguisherMethod/type", NONE),
            Age,
            Made(|schema| {
                let conditions = items(schema, &["status", "conditions"]).iter();
                let dangling = conditions.into_iter().find(|one| at(one, &["type"]) == "Dangling");
                dangling.map_or("?", |one| at(one, &["status"])).into()
            }),
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        &[],
        &[
            Name,
            Text("/spec/type", ""),
            Made(|level| level_number(level, "/spec/limited/nominalConcurrencyShares")),
            Made(|level| level_number(level, "/spec/limited/limitResponse/queuing/queues")),
            Made(|level| level_number(level, "/spec/limited/limitResponse/queuing/handSize")),
            Made(|level| level_number(level, "/spec/limited/limitResponse/queuing/queueLengthLimit")),
            Age,
        ],
    ),
    (
        "networking.k8s.io",
        &["ingressclasses"],
        &[Made(|class| marked(class, "ingressclass")), Text("/spec/controller", ""), Made(parameters), Age],
    ),
    (
        "networking.k8s.io",
        &["ingresses"],
        &[Name, Text("/spec/ingressClassName", NONE), Made(hosts), Made(addresses), Made(ports), Age],
    ),
    ("networking.k8s.io", &["ipaddresses"], &[Name, Made(parent), Age]),
    (
        "networking.k8s.io",
        &["networkpolicies"],
        &[Name, Made(|policy| selector_or_none(&policy["spec"]["podSelector"]).into()), Age],
    ),
    ("networking.k8s.io", &["servicecidrs"], &[Name, Joined("/spec/cidrs", ""), Age]),
    ("node.k8s.io", &[], &[Name, Text("/handler", ""), Age]),
    (
        "policy",
        &[],
        &[
            Name,
            Made(|budget| number_or_percent(&budget["spec"]["minAvailable"])),
            Made(|budget| number_or_percent(&budget["spec"]["maxUnavailable"])),
            Number("/status/disruptionsAllowed"),
            Age,
        ],
    ),
    ("resource.k8s.io", &["deviceclasses", "resourceclaimtemplates"], &[Name, Age]),
    ("resource.k8s.io", &["resourceclaims"], &[Name, Made(claim_state), Age]),
    (
        "resource.k8s.io",
        &[],
        &[Name, Text("/spec/nodeName", ""), Text("/spec/driver", ""), Text("/spec/pool/name", ""), Age],
    ),
    (
        "scheduling.k8s.io",
        &[],
        &[Name, Number("/value"), Flag("/globalDefault", false), Age, Text("/preemptionPolicy", "")],
    ),
    (
        "storage.k8s.io",
        &["csidrivers"],
        &[
            Name,
            Flag("/spec/attachRequired", true),
            Flag("/spec/podInfoOnMount", false),
            Flag("/spec/storageCapacity", false),
            Made(|driver| {
                let requests = items(driver, &["spec", "tokenRequests"]);
                let audiences: Vec<&str> = requests.iter().map(|one| at(one, &["audience"])).collect();
                if requests.is_empty() { UNSET.into() } else { audiences.join(",").into() }
            }),
            Flag("/spec/requiresRepublish", false),
            Joined("/spec/volumeLifecycleModes", NONE),
            Age,
        ],
    ),
    ("storage.k8s.io", &["csinodes"], &[Name, Count("/spec/drivers"), Age]),
    (
        "storage.k8s.io",
        &["storageclasses"],
        &[
            Made(|class| marked(class, "storageclass")),
            Text("/provisioner", ""),
            Text("/reclaimPolicy", "Delete"),
            Text("/volumeBindingMode", "Immediate"),
            Flag("/allowVolumeExpansion", false),
            Age,
        ],
    ),
    (
        "storage.k8s.io",
        &["volumeattachments"],
        &[
            Name,
            Text("/spec/attacher", ""),
            Text("/spec/source/persistentVolumeName", ""),
            Text("/spec/nodeName", ""),
            Flag("/status/attached", false),
            Age,
        ],
    ),
    ("storage.k8s.io", &["volumeattributesclasses"], &[Name, Text("/driverName", ""), Age]),
];

/// The cells of a kind; `None` for one without columns of its own, or with cells that need more than a field each.
pub(super) fn cells(group: &str, plural: &str) -> Option<&'static [Cell]> {
    let named = |(of, names, _): &&Row| *of == group && (names.is_empty() || names.contains(&plural));
    KINDS.iter().find(named).map(|(_, _, cells)| *cells)
}

/// Some texts, and how many more there are.
fn first_of(texts: Vec<String>, most: usize, absent: &str) -> Value {
    let more = texts.len().saturating_sub(most);
    let separator = if most == 2 { ", " } else { "," };
    let shown = texts.into_iter().take(most).collect::<Vec<_>>().join(separator);
    if more > 0 { format!("{shown} + {more} more...").into() } else { or(&shown, absent).into() }
}

fn endpoints(object: &Value) -> Value {
    let mut texts = Vec::new();
    for subset in items(object, &["subsets"]) {
        let addresses = || items(subset, &["addresses"]).iter().map(|address| at(address, &["ip"]));
        let ports = items(subset, &["ports"]);
        if ports.is_empty() {
            texts.extend(addresses().map(str::to_owned));
        }
        for port in ports {
            let six = |ip: &str| ip.contains(':');
            texts.extend(addresses().map(|ip| {
                if six(ip) { format!("[{ip}]:{}", port["port"]) } else { format!("{ip}:{}", port["port"]) }
            }));
        }
    }
    first_of(texts, 3, if items(object, &["subsets"]).is_empty() { NONE } else { "" })
}

fn phase(object: &Value) -> Value {
    let ends = !object["metadata"]["deletionTimestamp"].is_null();
    if ends { "Terminating".into() } else { at(object, &["status", "phase"]).into() }
}

/// The cells that only a claim with a volume has.
fn bound(claim: &Value, text: &str, absent: &str) -> Value {
    if at(claim, &["spec", "volumeName"]).is_empty() { "".into() } else { or(text, absent).into() }
}

fn modes(of: &Value) -> String {
    let short = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let found = items(of, &["accessModes"]);
    let shown = short.iter().filter(|(mode, _)| found.contains(&json!(mode))).map(|(_, short)| *short);
    shown.collect::<Vec<_>>().join(",")
}

/// The class of a volume or a claim, by its field or by the annotation that was there before.
fn class(object: &Value, field: &str) -> Value {
    let old = at(object, &["metadata", "annotations", "volume.beta.kubernetes.io/storage-class"]);
    or(old, at(object, &["spec", field])).into()
}

/// The amounts of a quota, used and allowed: those that are limits, or the others.
fn amounts(quota: &Value, limits: bool) -> Value {
    let hard = quota["status"]["hard"].as_object().into_iter().flatten();
    let sorted: std::collections::BTreeMap<_, _> =
        hard.filter(|(name, _)| name.starts_with("limits.") == limits).collect();
    let used = |name: &str| at(quota, &["status", "used", name]);
    let shown = sorted
        .iter()
        .map(|(name, hard)| format!("{name}: {}/{}", or(used(name), "0"), hard.as_str().unwrap_or("0")));
    shown.collect::<Vec<_>>().join(", ").into()
}

fn param_kind(policy: &Value) -> Value {
    match &policy["spec"]["paramKind"] {
        Value::Null => UNSET.into(),
        kind => format!("{}/{}", at(kind, &["apiVersion"]), at(kind, &["kind"])).into(),
    }
}

fn param_ref(binding: &Value) -> Value {
    let found = &binding["spec"]["paramRef"];
    match (at(found, &["name"]), at(found, &["namespace"])) {
        ("", _) => {
            selector(&found["selector"]).filter(|text| !text.is_empty()).unwrap_or(UNSET.into()).into()
        }
        (name, "") => format!("*/{name}").into(),
        (name, namespace) => format!("{namespace}/{name}").into(),
    }
}

fn controller(revision: &Value) -> Value {
    let owners = items(revision, &["metadata", "ownerReferences"]).iter();
    match owners.into_iter().find(|owner| owner["controller"] == true) {
        None => NONE.into(),
        Some(owner) => {
            let group = at(owner, &["apiVersion"]).split_once('/').map(|(group, _)| group);
            let group = group.map(|group| format!(".{group}")).unwrap_or_default();
            let kind = format!("{}{group}", at(owner, &["kind"])).to_lowercase();
            format!("{kind}/{}", at(owner, &["name"])).into()
        }
    }
}

/// The metrics of an autoscaler, with their targets and values.
fn metrics(object: &Value) -> Value {
    let mut newest = object.clone();
    if object["apiVersion"] == "autoscaling/v1" {
        crate::builtin::newest_autoscaler(&mut newest);
    }
    let object = &newest;
    let seen = items(object, &["status", "currentMetrics"]);
    let shown = items(object, &["spec", "metrics"]).iter().enumerate().map(|(index, metric)| {
        let (field, named) = match at(metric, &["type"]) {
            "External" => ("external", false),
            "Pods" => ("pods", false),
            "Object" => ("object", false),
            "Resource" => ("resource", true),
            "ContainerResource" => ("containerResource", true),
            _ => return "<unknown type>".to_owned(),
        };
        let target = &metric[field]["target"];
        let current = seen.get(index).map_or(&Value::Null, |seen| &seen[field]["current"]);
        let unknown = |value: Option<&str>| value.unwrap_or("<unknown>").to_owned();
        let percent =
            |value: &Value, absent: &str| value.as_i64().map_or(absent.to_owned(), |it| format!("{it}%"));
        let average = target["averageValue"].as_str();
        let of = match (average, named) {
            (Some(average), _) => format!("{}/{average}", unknown(current["averageValue"].as_str())),
            (None, true) => format!(
                "{}/{}",
                percent(&current["averageUtilization"], "<unknown>"),
                percent(&target["averageUtilization"], "<auto>")
            ),
            (None, false) => {
                format!(
                    "{}/{}",
                    unknown(current["value"].as_str()),
                    target["value"].as_str().unwrap_or("<nil>")
                )
            }
        };
        match (named, average.is_some() && field != "pods") {
            (true, _) => format!("{}: {of}", at(&metric[field], &["name"])),
            (false, true) => format!("{of} (avg)"),
            (false, false) => of,
        }
    });
    first_of(shown.collect(), 2, NONE)
}

fn request_state(request: &Value) -> Value {
    let conditions = items(request, &["status", "conditions"]);
    let has = |kind: &str| conditions.iter().any(|one| at(one, &["type"]) == kind);
    let mut state = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (_, true) => "Approved",
        _ => "Pending",
    }
    .to_owned();
    if has("Failed") {
        state.push_str(",Failed");
    }
    if !at(request, &["status", "certificate"]).is_empty() {
        state.push_str(",Issued");
    }
    state.into()
}

fn level_number(level: &Value, pointer: &str) -> Value {
    level.pointer(pointer).cloned().unwrap_or_else(|| NONE.into())
}

/// A name, and whether it is the one that is taken where none is named.
fn marked(class: &Value, kind: &str) -> Value {
    let named = at(class, &["metadata", "name"]);
    let annotations = &class["metadata"]["annotations"];
    let is = |prefix: &str| annotations[format!("{prefix}.kubernetes.io/is-default-class")] == "true";
    let default = is(kind) || kind == "storageclass" && is("storageclass.beta");
    if default { format!("{named} (default)").into() } else { named.into() }
}

fn parameters(class: &Value) -> Value {
    match &class["spec"]["parameters"] {
        Value::Null => NONE.into(),
        found => {
            let group = found["apiGroup"].as_str().map(|group| format!(".{group}")).unwrap_or_default();
            format!("{}{group}/{}", at(found, &["kind"]), at(found, &["name"])).into()
        }
    }
}

fn hosts(ingress: &Value) -> Value {
    let rules = items(ingress, &["spec", "rules"]);
    let mut shown: Vec<&str> = Vec::new();
    let mut more = false;
    for rule in rules {
        more |= shown.len() == 3;
        shown.extend(Some(at(rule, &["host"])).filter(|host| !more && !host.is_empty()));
    }
    if more {
        format!("{} + {} more...", shown.join(","), rules.len() - 3).into()
    } else {
        or(&shown.join(","), "*").into()
    }
}

fn addresses(ingress: &Value) -> Value {
    let found: BTreeSet<&str> = items(ingress, &["status", "loadBalancer", "ingress"])
        .iter()
        .map(|point| or(at(point, &["ip"]), at(point, &["hostname"])))
        .filter(|text| !text.is_empty())
        .collect();
    found.into_iter().collect::<Vec<_>>().join(",").into()
}

fn ports(ingress: &Value) -> Value {
    if items(ingress, &["spec", "tls"]).is_empty() { "80".into() } else { "80, 443".into() }
}

fn parent(address: &Value) -> Value {
    let Some(parent) = address.pointer("/spec/parentRef").filter(|parent| !parent.is_null()) else {
        return NONE.into();
    };
    let group = Some(at(parent, &["group"])).filter(|group| !group.is_empty());
    let resource = group.map_or_else(String::new, |group| format!(".{group}"));
    let kind = format!("{}{resource}", at(parent, &["resource"])).to_lowercase();
    let namespace = Some(at(parent, &["namespace"])).filter(|name| !name.is_empty());
    let namespace = namespace.map_or_else(String::new, |name| format!("/{name}"));
    format!("{kind}{namespace}/{}", at(parent, &["name"])).into()
}

fn number_or_percent(value: &Value) -> Value {
    match value {
        Value::Null => "N/A".into(),
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    }
}

fn claim_state(claim: &Value) -> Value {
    let deleted = !claim["metadata"]["deletionTimestamp"].is_null();
    let mut states = Vec::new();
    states.extend(deleted.then_some("deleted"));
    if claim["status"]["allocation"].is_null() {
        states.extend((!deleted).then_some("pending"));
    } else {
        states.push("allocated");
        states.extend((!items(claim, &["status", "reservedFor"]).is_empty()).then_some("reserved"));
    }
    states.join(",").into()
}
